r"""Both ends: those of tang2009's (11) with one label.

For any d on the simplex J(d) is a support vector machine's, and above the optimum; any α in its box
is below it, with 1ᵀα - ½ max_m αᵀYK_mYα.
"""

from __future__ import annotations

from dataclasses import replace

from cvxkernel.formulations import inputs
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.rakotomamonjy2008.data import WeightedKernels
from cvxkernel.formulations.tang2009 import bounds

LABELLED = {"d": "theta", "alpha": "alpha"}  # the symbols of tang2009


def labelled(problem: WeightedKernels, point: Point) -> Point:
    """The point of the problem with one label."""
    shapes = {"d": (problem.m,), "alpha": (problem.n,)}
    return {
        LABELLED[symbol]: inputs.weights(symbol, point[symbol], shape)[None]
        for symbol, shape in shapes.items()
        if symbol in point
    }


@encloses("rakotomamonjy2008")
def enclose(problem: WeightedKernels, point: Point) -> Enclosure:
    """J(d) from above, and from below at α."""
    found = bounds.enclose_shared(problem.one_label, labelled(problem, point))
    own = {symbol: found.variables[other][0] for symbol, other in LABELLED.items()}
    return replace(found, variables=own)

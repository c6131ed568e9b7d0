"""lanckriet2004: kernels of equal trace, each with a factor of its own.

G(Kᵢ)/rᵢ does not change then, only c does: with s = ĉ/c, α = sα̂ and C = sĈ take 2αᵀ1 - αᵀα/C - c·t
to s times itself.
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004 import JointMargin, Margin, SoftMargin
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.solvers.units import Scaling


class EqualTraces:
    """The trace of every kernel is n, or smaller where C would fall below 1."""

    def scaled(self, problem: Margin) -> Margin:
        """Kᵢ by its factor; C/s for C."""
        trace = float(problem.n)
        if isinstance(problem, SoftMargin):
            trace *= min(1.0, problem.c * problem.C / (problem.p * problem.n))
        factors = trace / np.trace(problem.kernels, axis1=1, axis2=2)
        unit = with_numbers(problem, kernels=problem.kernels * factors[:, None, None])
        if isinstance(problem, SoftMargin):
            return with_numbers(unit, C=problem.C * problem.c / unit.c)
        return unit

    def restored(self, problem: Margin, unit: Margin, point: Point) -> Point:
        """α by s, t by s²; μᵢ by its share μᵢrᵢ/c of the budget."""
        s = unit.c / problem.c
        share: Array = (unit.r / unit.c) * (problem.c / problem.r)
        factors: dict[str, float | Array] = {"alpha": s, "t": s**2, "mu": share}
        return {symbol: value * factors[symbol] for symbol, value in point.items()}


UNITS: dict[type | str, Scaling] = {
    SoftMargin: EqualTraces(),
    JointMargin: EqualTraces(),
}

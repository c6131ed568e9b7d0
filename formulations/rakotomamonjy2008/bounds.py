r"""Both ends: those of tang2009's (11) with one label.

For any d on the simplex J(d) is a support vector machine's, and above the optimum; any α in its box
is below it, with 1ᵀα - ½ max_m αᵀYK_mYα.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic import Arithmetic
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.rakotomamonjy2008.data import WeightedKernels
from cvxkernel.formulations.tang2009 import bounds


@encloses("rakotomamonjy2008")
def enclose(F: Arithmetic, problem: WeightedKernels, point: Point) -> Any:
    """J(d) from above, and from below at α."""
    ends, n, m = bounds.Bounds(F, problem.one_label), problem.n, problem.m
    alpha = ends.feasible(given(F, point, "alpha", np.full(n, problem.C)).reshape(1, n))
    d = bounds.simplex(F, given(F, point, "d", np.ones(m)).reshape(1, m))
    high = ends.upper(d, ends.machines(ends.combined(d), alpha))
    return F.enclosure(high, ends.value(alpha), high, {"d": d[0], "alpha": alpha[0]})

r"""(5) at given kernels: 1ᵀα - ½maxᵢ (τ/rᵢ)αᵀYKᵢYα from below, the machine with ΣᵢβᵢKᵢ from above.

ω is convex in K, and β ranges over a compact set: min over β of max over α is max over α of min
over β, and the least -½Σᵢβᵢqᵢ, βᵀr = τ, is at the largest qᵢ/rᵢ. So it is half of lanckriet2004-sm1
with τ for c = Σᵢrᵢ, and has its bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.kundu2010.programs import Budgeted
from cvxkernel.formulations.lanckriet2004.bounds import Bounds


class Budget(Bounds):
    """Those of the 1-norm soft margin, with τ for c; both ends are twice those of (5)."""

    def __init__(self, F: Arithmetic, problem: Budgeted) -> None:
        self.F, self.y = F, problem.y
        self.K = F.kernels(problem.kernels)
        self.ridge, self.top, self.identity = F.exact(0.0), problem.C, False
        self.r = F.stack([K.trace() for K in self.K])
        self.c = F.exact(problem.tau)


@encloses("kundu2010-eq5")
def eq5_enclosure(F: Arithmetic, problem: Budgeted, point: Point) -> Any:
    """(5) at β from above, at the best multiple of α from below."""
    bounds = Budget(F, problem)
    low, alpha, _ = bounds.value(given(F, point, "alpha", np.ones(problem.n)))
    default = problem.tau / (problem.m * problem.r)
    (beta,) = bounds.weights(given(F, point, "beta", default))
    tried = [alpha, svm.feasible(F, given(F, point, "alpha", np.ones(problem.n)), problem.y,
                                 problem.C)]  # fmt: skip
    high = svm.least(F, [bounds.upper(beta, a, low) for a in tried]) / 2
    return F.enclosure(high, low / 2, high, {"beta": beta, "alpha": alpha})

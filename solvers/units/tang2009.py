"""tang2009: kernels over σ, C and λ times σ; α and the optimum are then times σ too.

σ brings the largest mean of a diagonal to 1, unless C would fall below 1; it is 1/C then.
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.tang2009 import (
    MultiLabelled,
    Regularized,
    Separate,
    Shared,
    prohibitive,
)
from cvxkernel.solvers.units import Scaling, Units


def size(problem: MultiLabelled) -> float:
    """The largest mean of a kernel's diagonal, or 1/C where that is more."""
    diagonals = np.trace(problem.kernels, axis1=1, axis2=2) / problem.n
    return max(float(diagonals.max()), 1 / problem.C)


class Priced(Units):
    """The same, with a λ beyond which nothing changes cut."""

    def scaled(self, problem: Regularized) -> Regularized:
        """Every field over σ to its power, λ at most `prohibitive`."""
        cut = with_numbers(problem, lam=min(problem.lam, prohibitive(problem)))
        unit: Regularized = super().scaled(cut)
        return unit


UNITS: dict[type | str, Scaling] = {
    Separate: Units(size, kernels=1, C=-1, alpha=-1),
    Regularized: Priced(size, kernels=1, C=-1, lam=-1, alpha=-1, s=-1, s0=-1, s_t=-1),
    Shared: Units(size, kernels=1, C=-1, alpha=-1, machines=-1, g=-1),
}

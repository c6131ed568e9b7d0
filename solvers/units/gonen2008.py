"""gonen2008: K_m over σ and C times σ take α to σα and (7) to σ times itself.

σ brings the trace of K_η to n, or makes it smaller where C would fall below 1. Of a problem without
a gating it is that of equal gates. Regression is the same; of one class α has no size, (7) goes
with σ, and so does ρ.
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.gonen2008 import (
    Gated,
    GatedRegression,
    Localized,
    LocalizedOneClass,
    LocalizedRegression,
)
from cvxkernel.solvers.units import Scaling, Units


def gated(problem: Gated | GatedRegression) -> float:
    """The mean of the diagonal of K_η, or 1/C where that is more."""
    return max(float(np.trace(problem.K_eta)) / problem.n, 1 / problem.C)


def localized(problem: Localized | LocalizedRegression) -> float:
    """The same with equal gates."""
    return gated(problem.at())


def one_class(problem: LocalizedOneClass) -> float:
    """The mean of the diagonal of K_η with equal gates."""
    return float(np.trace(problem.at().K_eta)) / problem.n


UNITS: dict[type | str, Scaling] = {
    Gated: Units(gated, kernels=1, C=-1, alpha=-1, c=-1),
    Localized: Units(localized, kernels=1, C=-1, alpha=-1),
    LocalizedRegression: Units(localized, kernels=1, C=-1, beta=-1),
    LocalizedOneClass: Units(one_class, kernels=1, rho=1),
}

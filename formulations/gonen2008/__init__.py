"""Gönen and Alpaydın (2008): localized multiple kernel learning. ICML 25.

`Gated(kernels, y, X, C, V, v0)` holds (5) and (7) at a given gating. `Localized(kernels, y, X, C)`
is what Algorithm 1 learns a gating for: not convex, and enclosed at the gating it is asked at.
`LocalizedRegression(kernels, y, X, C, epsilon)` and `LocalizedOneClass(kernels, X, nu)` are the
same for section 3.2.
"""

from cvxkernel.formulations.gonen2008 import bounds
from cvxkernel.formulations.gonen2008.data import Points, gates
from cvxkernel.formulations.gonen2008.prediction import Discriminant, Kernel, support
from cvxkernel.formulations.gonen2008.programs import (
    Gated,
    GatedOneClass,
    GatedRegression,
    Localized,
    LocalizedOneClass,
    LocalizedRegression,
)

__all__ = [
    "Discriminant",
    "Gated",
    "GatedOneClass",
    "GatedRegression",
    "Kernel",
    "Localized",
    "LocalizedOneClass",
    "LocalizedRegression",
    "Points",
    "bounds",
    "gates",
    "support",
]

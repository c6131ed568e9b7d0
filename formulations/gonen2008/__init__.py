"""Gönen and Alpaydın (2008): localized multiple kernel learning. ICML 25.

`Gated(kernels, y, X, C, V, v0)` holds (5) and (7) at a given gating. `Localized(kernels, y, X, C)`
is what Algorithm 1 learns a gating for: not convex, and enclosed at the gating it is asked at.
"""

from cvxkernel.formulations.gonen2008 import bounds
from cvxkernel.formulations.gonen2008.data import Points, gates
from cvxkernel.formulations.gonen2008.prediction import Discriminant, Kernel, support
from cvxkernel.formulations.gonen2008.programs import Gated, Localized

__all__ = [
    "Discriminant",
    "Gated",
    "Kernel",
    "Localized",
    "Points",
    "bounds",
    "gates",
    "support",
]

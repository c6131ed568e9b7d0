"""Small instances of ye2008: p kernels, y and λ."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.validation.instances import instance

SIGMAS = np.logspace(-1, 2, 10)  # the ten widths of Kim et al. and of section 5


def sample(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """Kernels and labels; three classes where there may be."""
    return instance(n, p, 2 if formulation(id).binary else 3, kind=kind, seed=seed)

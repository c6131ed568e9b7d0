"""Small instances of tang2009: p kernels, Y, C, and λ or β."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.validation.instances import blobs, gaussian_kernels, random_kernels


def multi_label(n: int, p: int, k: int, *, kind: str = "gaussian", seed: int = 0) -> dict[str, Any]:
    """Kernels of mean diagonal 1 and k labels of ±1: one cloud against the rest, some flipped."""
    X, y = blobs(n, max(k, 2), seed=seed)
    if kind == "gaussian":
        K = gaussian_kernels(X, p)
    else:
        K = n * random_kernels(n, p, rank=n if kind == "random" else max(2, n // 3), seed=seed)
    Y = np.where(y == np.arange(1, k + 1)[:, None], 1.0, -1.0)
    flipped = np.random.default_rng(seed).random(Y.shape) < 0.1
    # The first point of every cloud keeps its labels: both signs stay in every row.
    flipped[:, : max(k, 2)] = False
    return {"kernels": K, "Y": np.where(flipped, -Y, Y), "C": 1.0, "lam": 0.3, "beta": k / 5}


def sample(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """Kernels and labels; (2) has one kernel for each label."""
    return multi_label(n, p, p if id == "tang2009-eq2" else 3, kind=kind, seed=seed)

"""Small seeded instances: of `verify`, of the tests, of the docs."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import gaussian, linear, unit_trace
from cvxkernel.validation.papers import home, part


def blobs(n: int, k: int, *, d: int = 5, seed: int = 0) -> tuple[Array, Array]:
    """n points of k Gaussian clouds in d dimensions, and their labels 1, …, k in turn."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    X = rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(k, d))[y]
    return X, y.astype(np.float64) + 1


def gaussian_kernels(X: Array, p: int) -> Array:
    """p Gaussian kernels with widths from 0.1 to 100, evenly in the logarithm."""
    return np.stack([gaussian(X, sigma) for sigma in np.logspace(-1, 2, p)])


def random_kernels(n: int, p: int, *, rank: int | None = None, seed: int = 0) -> Array:
    """p Wishart kernels of the given rank, unit trace."""
    rng = np.random.default_rng(seed)
    return unit_trace(np.stack([linear(rng.normal(size=(n, rank or n))) for _ in range(p)]))


def instance(
    n: int = 24, p: int = 4, k: int = 2, *, kind: str = "gaussian", seed: int = 0
) -> dict[str, Any]:
    """Kernels, labels and parameters for every formulation; two classes are labelled -1, +1."""
    X, y = blobs(n, k, seed=seed)
    if kind == "gaussian":
        K = gaussian_kernels(X, p)
    else:
        K = random_kernels(n, p, rank=n if kind == "random" else max(2, n // 3), seed=seed)
    return {"kernels": K, "y": 2 * y - 3 if k == 2 else y, "lam": 5e-4, "C": 1.0}


def sample(
    id: str, n: int = 14, p: int = 3, *, kind: str = "gaussian", seed: int = 0
) -> dict[str, Any]:
    """A small problem of any formulation, as its file would hold it; three classes if it may.

    n samples and p kernels, or similarities, or labels' kernels, of one kind: "gaussian", "random"
    or "low rank".
    """
    made: dict[str, Any] = part(home(formulation(id)), "samples").sample(id, n, p, kind, seed)
    return made

"""Small seeded instances: of `verify`, of the tests, of the docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import gaussian, linear, unit_trace

SIGMAS = np.logspace(-1, 2, 10)  # the ten widths of Kim et al. and of ye2008, section 5


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


def _stacked(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    form = formulation(id)
    k = 3 if form.paper == "ye2008" and not form.binary else 2
    return instance(n, p, k, kind=kind, seed=seed)


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


def _multi_label(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    # (2) has one kernel for each label.
    return multi_label(n, p, p if id == "tang2009-eq2" else 3, kind=kind, seed=seed)


# By paper: n samples, p kernels (or similarities, or labels' kernels) of one kind.
SAMPLES: Mapping[str, Callable[[str, int, int, str, int], dict[str, Any]]] = {
    "ye2008": _stacked,
    "kim2006": _stacked,
    "lanckriet2004": _stacked,
    "tang2009": _multi_label,
}


def sample(
    id: str, n: int = 14, p: int = 3, *, kind: str = "gaussian", seed: int = 0
) -> dict[str, Any]:
    """A small problem of any formulation, as its file would hold it; three classes if it may.

    kind : "gaussian", "random" or "low rank"
    """
    return SAMPLES[formulation(id).paper](id, n, p, kind, seed)

"""Small seeded instances: of `verify`, of the tests, of the docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.chen2009.spectrum import clip
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


GAUSS4 = (  # gonen2008, section 4.1: label, mean, variances; each with probability ¼
    (+1.0, (-3.0, +1.0), (0.8, 2.0)),
    (+1.0, (+1.0, +1.0), (0.8, 2.0)),
    (-1.0, (-1.0, -2.2), (0.8, 4.0)),
    (-1.0, (+3.0, -2.2), (0.8, 4.0)),
)


def gauss4(n: int = 1200, *, seed: int = 0) -> tuple[Array, Array]:
    """n points in the plane from four Gaussians, two of each class, and their labels ±1."""
    rng = np.random.default_rng(seed)
    labels, means, variances = (np.array(column) for column in zip(*GAUSS4, strict=True))
    component = rng.integers(len(GAUSS4), size=n)
    X = means[component] + np.sqrt(variances[component]) * rng.normal(size=(n, 2))
    return X, labels[component]


def gauss4_bayes(X: Array) -> Array:
    """The logarithm of the two classes' densities' ratio: its sign is the best guess."""
    terms: dict[float, list[Array]] = {+1.0: [], -1.0: []}
    for label, mean, variances in GAUSS4:
        squares = ((X - np.array(mean)) ** 2 / np.array(variances)).sum(axis=1)
        terms[label].append(-squares / 2 - np.log(variances).sum() / 2)
    ratio: Array = np.logaddexp(*terms[+1.0]) - np.logaddexp(*terms[-1.0])
    return ratio


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


def _gated(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """The kernels of `instance`, points in the plane, and a gating that favours one or another."""
    data = instance(n, p, 2, kind=kind, seed=seed)
    rng = np.random.default_rng(seed + 100)
    X = rng.normal(size=(n, 2)) + 0.7 * data["y"][:, None]
    return {**data, "X": X, "V": rng.normal(size=(p, 2)), "v0": rng.normal(size=p), "C": 10.0}


def similarities(n: int, m: int, *, kind: str = "gaussian", seed: int = 0) -> tuple[Array, Array]:
    """m indefinite similarities of n samples of two classes, entries about 1; and the labels ±1.

    "gaussian", a Gaussian kernel with symmetric noise; "random", noise with a block for each class;
    "low rank", indefinite of rank about n/3.
    """
    rng = np.random.default_rng([seed, n, m])
    X, y = blobs(n, 2, seed=seed)
    y = 2 * y - 3
    noise = rng.normal(size=(m, n, n))
    noise = (noise + noise.transpose(0, 2, 1)) / 2
    if kind == "gaussian":
        return gaussian_kernels(X, m + 2)[1:-1] + 0.2 * noise, y
    if kind == "random":
        return noise + 0.3 * np.outer(y, y), y
    B = rng.normal(size=(m, n, max(2, n // 3)))
    signs = np.where(np.arange(B.shape[2]) % 3 == 2, -1.0, 1.0)
    return np.einsum("ijk,k,ilk->ijl", B, signs, B) / B.shape[2], y


def alternating(n: int, m: int, *, seed: int = 1) -> tuple[Array, Array]:
    """The same of the kind "random", its noise drawn alone and the classes taking turns.

    The page of kundu2010 and its tests show on these what the printed algorithms miss: with m = 2,
    ρ = 0.3, τ = n and C = 1, n = 12 for Algorithm 1 and n = 10 for Algorithms 2 and 3.
    """
    y = np.where(np.arange(n) % 2, -1.0, 1.0)
    A = np.random.default_rng(seed).normal(size=(m, n, n))
    return (A + A.transpose(0, 2, 1)) / 2 + 0.3 * np.outer(y, y), y


def _several(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    S, y = similarities(n, p, kind=kind, seed=seed)
    loss = {"gaussian": "L3", "random": "L1", "low rank": "L2"}[kind]
    # Such that neither the margin nor the loss is all of the objective.
    rho = {"L1": 0.02, "L2": 0.5, "L3": 0.1}[loss]
    stack = instance(n, p, kind=kind, seed=seed)["kernels"]
    return {"S": S, "kernels": stack, "y": y, "C": 1.0, "rho": rho, "tau": float(n), "loss": loss}


def similarity(n: int, *, kind: str = "gaussian", seed: int = 0) -> tuple[Array, Array]:
    """An indefinite similarity with entries of order 1, and labels -1, +1 that it tells of.

    kind : "gaussian", of fast decaying spectrum; "random"; or "low rank", of rank n/2
    """
    rng = np.random.default_rng(seed)
    X, y = blobs(n, 2, seed=seed)
    y = 2 * y - 3
    if kind == "gaussian":
        S = 1.5 * gaussian(X, 4.0) - 0.5 * gaussian(X, 1.0) - 0.5 * gaussian(X, 8.0)
    else:
        rank = n if kind == "random" else n // 2
        B = rng.normal(size=(n, rank)) / np.sqrt(rank)
        if rank < n:
            B = np.round(B * 2**10) / 2**10  # products are exact, and so is the rank
        B[:, -1] = y
        signs = np.where(np.arange(rank) % 3 == 0, -1.0, 1.0)
        signs[-1] = 1.0
        S = (B * signs) @ B.T
    return (S + S.T) / 2, y


def _similarities(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """One similarity for n samples, and K, which is S clipped; h changes with the kind."""
    S, y = similarity(n + 1, kind=kind, seed=seed)
    S, s, psi, y = S[:-1, :-1], S[:-1, -1], float(S[-1, -1]), y[:-1]
    h = {"gaussian": "clip", "random": "both", "low rank": "spectrum"}[kind]
    told = {"C": 1.0, "rho": 0.5, "eta": 0.05, "gamma": 0.1, "h": h}
    return {"S": S, "K": clip(S), "y": y, "s": s, "psi": psi, **told}


# By paper: n samples, p kernels (or similarities, or labels' kernels) of one kind.
SAMPLES: Mapping[str, Callable[[str, int, int, str, int], dict[str, Any]]] = {
    "ye2008": _stacked,
    "gonen2008": _gated,
    "kim2006": _stacked,
    "lanckriet2004": _stacked,
    "tang2009": _multi_label,
    "kundu2010": _several,
    "chen2009": _similarities,
    "luss2007": _similarities,
}


def sample(
    id: str, n: int = 14, p: int = 3, *, kind: str = "gaussian", seed: int = 0
) -> dict[str, Any]:
    """A small problem of any formulation, as its file would hold it; three classes if it may.

    kind : "gaussian", "random" or "low rank"
    """
    return SAMPLES[formulation(id).paper](id, n, p, kind, seed)

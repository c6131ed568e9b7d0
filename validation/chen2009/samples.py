"""Small instances of chen2009: one similarity, y and the numbers of its programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.chen2009.spectrum import clip
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import gaussian
from cvxkernel.validation.instances import blobs


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


def sample(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """One similarity for n samples, and K, which is S clipped; h changes with the kind."""
    S, y = similarity(n + 1, kind=kind, seed=seed)
    S, s, psi, y = S[:-1, :-1], S[:-1, -1], float(S[-1, -1]), y[:-1]
    h = {"gaussian": "clip", "random": "both", "low rank": "spectrum"}[kind]
    told = {"C": 1.0, "rho": 0.5, "eta": 0.05, "gamma": 0.1, "h": h}
    return {"S": S, "K": clip(S), "y": y, "s": s, "psi": psi, **told}

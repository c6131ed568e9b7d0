"""Small instances of kundu2010: several similarities, y, C, ρ and τ."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.solvers.mirror_descent.steps import Lip
from cvxkernel.validation.instances import blobs, gaussian_kernels, instance


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


# The true step with the paper's ηₜ under its bound: algorithm, equation, Lip, loss and ρ.
DESCENTS: tuple[tuple[int, str, Lip, Any, float], ...] = (
    (1, "eq4", "known", "L1", 0.02),
    (1, "eq4", "seen", "nuclear", 0.2),
    (2, "eq6", "seen", "L3", 0.1),
    (2, "eq6", "seen", {"name": "huber", "delta": 0.5}, 0.1),
    (3, "eq7", "seen", None, 0.5),
)


def descents(equation: str, loss: Any, rho: float) -> Similarities | Spectra:
    """The problem of one of them."""
    given = (*similarities(8, 2, kind="random", seed=2), 1.0, rho, 8.0)
    return Spectra(*given) if equation == "eq7" else Similarities(*given, loss)


def sample(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """p similarities for n samples, and p kernels; the loss changes with the kind."""
    S, y = similarities(n, p, kind=kind, seed=seed)
    loss = {"gaussian": "L3", "random": "L1", "low rank": "L2"}[kind]
    # Such that neither the margin nor the loss is all of the objective.
    rho = {"L1": 0.02, "L2": 0.5, "L3": 0.1}[loss]
    stack = instance(n, p, kind=kind, seed=seed)["kernels"]
    return {"S": S, "kernels": stack, "y": y, "C": 1.0, "rho": rho, "tau": float(n), "loss": loss}

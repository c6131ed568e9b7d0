"""Mirror maps: the entropy of a simplex, and that of the eigenvalues on a spectahedron."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import bounds

Order = Literal["ascending", "descending"]


def mirror(H: Array, tau: float) -> tuple[Array, Array]:
    """τ exp(H)/trace exp(H) for each row or matrix of a stack, and log trace exp(H)."""
    if H.ndim == 2:
        top = H.max(axis=1, keepdims=True)
        weights = np.exp(H - top)
        total = weights.sum(axis=1, keepdims=True)
        return tau * weights / total, (top + np.log(total))[:, 0]
    h, V = np.linalg.eigh(H)
    lam, log_total = mirror(h, tau)
    K = bounds.composed(lam, V)
    return (K + K.transpose(0, 2, 1)) / 2, log_total


def logarithm(x: Array) -> Array:
    """The H of a point of the simplex, or of the spectahedron."""
    if x.ndim == 2:
        return np.log(np.maximum(x, np.finfo(np.float64).tiny))
    lam, V = np.linalg.eigh(x)
    return bounds.composed(logarithm(lam), V)


def printed_step(
    lam: Array, g: Array, eta: float, tau: float, *, order: Order = "ascending"
) -> tuple[Array, Array]:
    """The last three lines of Algorithms 1 and 2: new eigenvalues, and the K made of them.

    Which eigenvector of the gradient meets which eigenvalue of K⁽ᵗ⁾ the paper does not say: the
    j-th one in the `order` of the dⱼ meets λⱼ.
    """
    d, V = np.linalg.eigh(g)  # f′(K⁽ᵗ⁾) = V diag(d) Vᵀ
    if order == "descending":
        d, V = d[..., ::-1], V[..., ::-1]
    # λⱼ := τλⱼ exp(-ηdⱼ) / Σₗ λₗ exp(-ηdₗ), by its logarithm
    lam, _ = mirror(logarithm(lam) - eta * d, tau)
    return lam, bounds.composed(lam, V)  # K⁽ᵗ⁺¹⁾ := V diag(λ) Vᵀ

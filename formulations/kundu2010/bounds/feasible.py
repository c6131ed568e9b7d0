"""Feasible points: the nearest one in doubles, and those that are feasible exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES, Arithmetic, Tensor
from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.inputs import Array

SLACK = 4.0  # times n·eps·trace: what rounding leaves below zero in a matrix that was semidefinite

# -- In doubles -----------------------------------------------------------------------------------


def simplex(x: Array, total: float) -> Array:
    """The nearest point of {x ≥ 0, Σⱼ xⱼ = total}, for every row."""
    falling = -np.sort(-x, axis=-1)
    over = np.cumsum(falling, axis=-1) - total
    count = np.arange(1, x.shape[-1] + 1)
    # Where rounding lets no entry be positive the largest one is.
    last = np.maximum((falling * count > over).sum(axis=-1, keepdims=True), 1)
    level = np.take_along_axis(over, last - 1, axis=-1) / last
    out: Array = np.maximum(x - level, 0.0)
    size = out.sum(axis=-1, keepdims=True)
    near: Array = np.where(size > 0, out, 1.0)
    near = near * (total / near.sum(axis=-1, keepdims=True))
    return near


def composed(lam: Array, V: Array) -> Array:
    """V diag(λ) Vᵀ, for each matrix of a stack."""
    K: Array = (V * lam[..., None, :]) @ np.swapaxes(V, -1, -2)
    return K


def spectahedron(X: Array, tau: float) -> Array:
    """The nearest K ⪰ 0 of trace τ, for each matrix of a stack."""
    lam, V = np.linalg.eigh((X + np.swapaxes(X, -1, -2)) / 2)
    return composed(simplex(lam, tau), V)


def balanced(forms: Array) -> Array:
    """γᵢ ∝ √qᵢ, the γ of the least Σᵢ qᵢ/γᵢ over Δ; equal where every qᵢ is zero."""
    root = np.sqrt(np.maximum(forms, 0.0))
    return root / root.sum() if root.sum() > 0 else np.full(len(forms), 1.0 / len(forms))


# -- Exactly --------------------------------------------------------------------------------------


def shares(F: Arithmetic, given: Any) -> Tensor:
    """γ clipped at zero, with Σᵢ γᵢ = 1; equal shares of nothing."""
    gamma = F.clipped(given)
    total = gamma.sum()
    if not (total > 0 and total.is_finite()):
        return F.exact(np.ones(len(gamma))) / float(len(gamma))
    return gamma / total


def semidefinite(F: Arithmetic, A: Tensor) -> Tensor | None:
    """(A + Aᵀ)/2 + cI ⪰ 0 with a small c ≥ 0; None where none is found.

    In doubles two factorizations tell most often whether c = 0 will do, or what rounding asks for.
    """
    A = (A + A.T) / 2
    slack = SLACK * len(A) * EPS * abs(float(A.trace().mid))
    for above in (0.0, -slack, None) if F is DOUBLES else (0.0, None):
        least = F.least(A, above=above)
        if least.is_finite():
            return F.majorant(A if least >= 0 else F.shifted(A, -least))
    return None

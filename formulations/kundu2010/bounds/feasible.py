"""Feasible points: the nearest one, or one that is made of any numbers."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.enclosure import EPS, TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.programs import Similarities, Spectra


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


def combine(problem: Spectra, mu: Array) -> Array:
    """Kᵢ = Σⱼ μᵢⱼvᵢⱼvᵢⱼᵀ"""
    return composed(mu, problem.V)


def dual_ball(problem: Similarities | Spectra, W: Array) -> Array:
    """Wᵢ (or wᵢ) taken into the domain of (ρL)*: clipped for L1, scaled for L2, as it is for L3."""
    rho = problem.rho
    if problem.loss != "L2":
        if problem.loss == "L1":
            return np.clip(W, -rho, rho)
        return W if rho > 0 else np.zeros_like(W)
    size = np.sqrt((W * W).sum(axis=tuple(range(1, W.ndim)), keepdims=True))
    most = rho * (1 - 4 * EPS)
    ball: Array = W * (most / np.maximum(size, max(most, TINY)))
    return ball


def balanced(forms: Array) -> Array:
    """γᵢ ∝ √qᵢ, the γ of the least Σᵢ qᵢ/γᵢ over Δ; equal where every qᵢ is zero."""
    root = np.sqrt(np.maximum(forms, 0.0))
    return root / root.sum() if root.sum() > 0 else np.full(len(forms), 1.0 / len(forms))


def gamma_repair(gamma: Array) -> Array:
    """γ clipped at zero, with Σᵢ γᵢ = 1."""
    gamma = np.maximum(gamma, 0.0)
    total = float(gamma.sum())
    return gamma / total if 0 < total < np.inf else np.full(len(gamma), 1.0 / len(gamma))


def signed(y: Array, K: Array) -> Array:
    """YKᵢY for a stack of kernels, symmetric."""
    return np.outer(y, y) * (K + np.swapaxes(K, -1, -2)) / 2

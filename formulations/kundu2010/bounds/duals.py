"""(4), (6) and (7) from below: the dual at any point, and points where it is large."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh

from cvxkernel.formulations.enclosure import TINY, Bounded, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.bounds.feasible import simplex, spectahedron
from cvxkernel.formulations.kundu2010.programs import Similarities, Spectra

SMALLEST_GAMMA = 1e-12  # below it 1/γ makes no useful bound


def linear(problem: Similarities, W: Array) -> Bounded:
    """Σᵢ ⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)"""
    inner = float((W * problem.S).sum())
    magnitude = float((np.abs(W) * np.abs(problem.S)).sum())
    conjugate = 0.0
    if problem.loss == "L3" and problem.rho > 0:
        conjugate = float((W * W).sum()) / (4 * problem.rho)
    return inner + conjugate, rounding(problem.n**2, magnitude + conjugate)


def eq4_bound(problem: Similarities, alpha: Array, W: Array) -> Bounded:
    """1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)) + τ λ_min(Σᵢ Wᵢ - ½YααᵀY)"""
    least, slack = _least(W.sum(axis=0), problem.y * alpha, 1.0)
    inner, more = linear(problem, W)
    total = float(alpha.sum())
    slack = problem.tau * slack + more + rounding(problem.n, total)
    return total - inner + problem.tau * least, slack


def eq6_bound(problem: Similarities, alpha: Array, gamma: Array, W: Array) -> Bounded:
    """1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ) - τ λ_min(Wᵢ - YααᵀY/(2γᵢ)))"""
    if not (gamma > SMALLEST_GAMMA).all():
        return -np.inf, 0.0
    a = problem.y * alpha
    ends = [_least(W_i, a, g) for W_i, g in zip(W, gamma, strict=True)]
    inner, more = linear(problem, W)
    total = float(alpha.sum())
    slack = problem.tau * sum(s for _, s in ends) + more + rounding(problem.n, total)
    return total - inner + problem.tau * sum(least for least, _ in ends), slack


def eq7_bound(problem: Spectra, alpha: Array, gamma: Array, w: Array) -> Bounded:
    """1ᵀα - Σᵢ (wᵢᵀλᵢ - τ minⱼ(wᵢⱼ - (vᵢⱼᵀYα)²/(2γᵢ)))"""
    if not (gamma > SMALLEST_GAMMA).all():
        return -np.inf, 0.0
    tau, a = problem.tau, problem.y * alpha
    images = np.einsum("ijk,j->ik", problem.V, a)
    sizes = np.einsum("ijk,j->ik", np.abs(problem.V), np.abs(a))
    half = 2 * gamma[:, None]
    # With the exact V the images are within ‖V - V*‖·‖a‖ of these, and λ within `off`.
    near = np.array([[basis.error] for basis in problem.bases]) * float(np.linalg.norm(a))
    off = np.array([[basis.off] for basis in problem.bases])
    least = (w - (np.abs(images) + near) ** 2 / half).min(axis=1)
    total, inner = float(alpha.sum()), float((w * problem.lam).sum())
    magnitude = total + float(np.abs(w * problem.lam).sum())
    magnitude += tau * float((np.abs(w) + 2 * np.abs(images) * sizes / half).max(axis=1).sum())
    slack = rounding(problem.n, magnitude) + float((np.abs(w) * off).sum())
    return total - inner + tau * float(least.sum()), slack


def _least(W: Array, a: Array, gamma: float) -> Bounded:
    """λ_min(W - aaᵀ/(2γ)), and the allowance for its rounding."""
    X = (W + W.T) / 2 - np.outer(a, a) / (2 * gamma)
    return float(eigvalsh(X, subset_by_index=(0, 0))[0]), rounding(len(a), _norm(X))


def _norm(X: Array) -> float:
    return float(np.sqrt((X * X).sum()))


# -- Good dual points -----------------------------------------------------------------------------


def subgradients(problem: Similarities | Spectra, X: Array, blur: float = 0.0) -> Array:
    """ρL′(Xᵢ) of Xᵢ = Kᵢ - Sᵢ, or of μᵢ - λᵢ: stacked, each in the domain of (ρL)*.

    With `blur` h > 0, that of L smoothed: |x| is x²/(2h) + h/2 below h, and ‖X‖_F likewise.
    """
    rho = problem.rho
    if problem.loss != "L2":
        if problem.loss == "L3":
            return 2 * rho * X
        return rho * (np.clip(X / blur, -1.0, 1.0) if blur > 0 else np.sign(X))
    size = np.sqrt((X * X).sum(axis=tuple(range(1, X.ndim)), keepdims=True))
    W: Array = rho * X / np.maximum(size, max(blur, TINY))
    return W


def eq4_response(problem: Similarities, alpha: Array, K: Array) -> Array | None:
    """The K that is best for α when L is replaced by a quadratic that touches it at the K given.

    min over K of -½aᵀKa + Σᵢ ½cᵢ‖K - Sᵢ‖², a = Yα, is at the projection of
    (Σᵢ cᵢSᵢ + ½aaᵀ)/Σᵢ cᵢ. With L3, cᵢ = 2ρ, nothing is replaced: the subgradients there are the
    best Wᵢ for this α. With L2, cᵢ = ρ/‖K - Sᵢ‖. With L1 there is no such K.
    """
    c = _curvatures(problem, K - problem.S)
    if c is None:
        return None
    a = problem.y * alpha
    centre = (np.einsum("i,ijk->jk", c, problem.S) + np.outer(a, a) / 2) / c.sum()
    return spectahedron(centre, problem.tau)


def eq6_response(problem: Similarities, alpha: Array, gamma: Array, K: Array) -> Array | None:
    """The same for (6): Kᵢ is the projection of Sᵢ + aaᵀ/(2cᵢγᵢ)."""
    c = _curvatures(problem, K - problem.S)
    if c is None or not (gamma > SMALLEST_GAMMA).all():
        return None
    a = problem.y * alpha
    centre = problem.S + np.outer(a, a) / (2 * c * gamma)[:, None, None]
    return spectahedron(centre, problem.tau)


def eq7_response(problem: Spectra, alpha: Array, gamma: Array, mu: Array) -> Array | None:
    """The same for (7): μᵢ is the projection of λᵢ + (vᵢⱼᵀa)²/(2cᵢγᵢ)."""
    c = _curvatures(problem, mu - problem.lam)
    if c is None or not (gamma > SMALLEST_GAMMA).all():
        return None
    images = np.einsum("ijk,j->ik", problem.V, problem.y * alpha)
    centre = problem.lam + images**2 / (2 * c * gamma)[:, None]
    return simplex(centre, problem.tau)


def _curvatures(problem: Similarities | Spectra, X: Array) -> Array | None:
    if not problem.rho > 0 or problem.loss == "L1":
        return None
    if problem.loss == "L3":
        return np.full(len(X), 2 * problem.rho)
    size = np.sqrt((X * X).sum(axis=tuple(range(1, X.ndim))))
    c: Array = problem.rho / np.maximum(size, 1e-8 * problem.tau)
    return c

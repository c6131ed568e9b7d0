"""Losses of the eigenvalues of X."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from cvxpy.transforms import indicator

from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.errors import ParameterError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.losses.entrywise import Huber, Insensitive, Largest
from cvxkernel.formulations.kundu2010.losses.loss import Loss
from cvxkernel.formulations.kundu2010.losses.norms import Absolute, Euclidean, Squared

SYMMETRIC = (Absolute, Euclidean, Squared, Huber, Insensitive, Largest)


@dataclass(frozen=True)
class Eigenvalues(Loss):
    r"""ℓ(λ(X)) of a symmetric X, for a convex ℓ that no permutation changes.

    (ρL)*(W) = (ρℓ)*(λ(W)) of a symmetric W: ⟨W, X⟩ ≤ λ(W)ᵀλ(X) with both in order (von Neumann),
    with equality where the eigenvectors are the same. `nuclear` is ℓ = Σⱼ|λⱼ|, `spectral` the
    largest |λⱼ|.
    """

    of: Loss

    def __post_init__(self) -> None:
        if not isinstance(self.of, SYMMETRIC):
            raise ParameterError("loss.of", "a loss that no permutation changes", str(self.of))

    def expression(self, X: Any) -> Any:
        """By norms; h as the least ½‖U‖²_F + δ‖X - U‖_*, max(|·| - ε, 0) by ‖U‖ ≤ ε."""
        if isinstance(self.of, Absolute):
            return cp.normNuc(X)
        if isinstance(self.of, Largest):
            return cp.sigma_max(X)
        if isinstance(self.of, Euclidean | Squared):
            return self.of.expression(X)
        U = cp.Variable(X.shape)
        if isinstance(self.of, Huber):
            # δ‖V‖_* with V = X - U, or ‖V‖_* with V = δ(X - U): no number is large.
            least, outer = min(1.0, 1 / self.of.delta), min(1.0, self.of.delta)
            square = cp.sum_squares(cp.vec(X - least * U, order="C"))
            return square / 2 + outer * cp.normNuc(U)
        assert isinstance(self.of, Insensitive)
        return cp.normNuc(X - U) + indicator([cp.sigma_max(U) <= self.of.epsilon])

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """ℓ(λ(X))"""
        return self.of.value(F, spectrum(F, X))

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """(ρℓ)*(λ(W))"""
        return self.of.conjugate(F, spectrum(F, W), rho)

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor | None:
        """That of λ(W)."""
        return self.of.gauge(F, spectrum(F, W), rho)

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Scaled: every domain here is a ball of a norm, or all."""
        W = (W + W.T) / 2
        size = self.of.gauge(F, spectrum(F, W), rho)
        if size is None or size <= rho:
            return W
        return W * F.exact((rho / size).lower).positive()

    def number(self, X: Array) -> float:
        """ℓ(λ(X))"""
        return self.of.number(np.linalg.eigh((X + X.T) / 2)[0])

    def subgradient(self, X: Array) -> Array:
        """V diag(ℓ′(λ)) Vᵀ"""
        lam, V = np.linalg.eigh((X + X.T) / 2)
        g: Array = (V * self.of.subgradient(lam)) @ V.T
        return g

    def prox(self, X: Array, t: float) -> Array:
        """V diag(prox of λ) Vᵀ"""
        lam, V = np.linalg.eigh((X + X.T) / 2)
        D: Array = (V * self.of.prox(lam, t)) @ V.T
        return D

    def rough(self, size: int) -> float:
        """Of n eigenvalues, n² = size."""
        return self.of.rough(round(float(np.sqrt(size))))

    def steepest(self, reach: float, size: int) -> float:
        """Of n eigenvalues."""
        return self.of.steepest(reach, round(float(np.sqrt(size))))

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """That of ℓ."""
        loss, degree = self.of.unit(kappa)
        return Eigenvalues(loss), degree


def spectrum(F: Arithmetic, X: Tensor) -> Tensor:
    r"""The eigenvalues of the symmetric part of X, in order, each with what is not known of it.

    For any V and λ, |λⱼ(X) - λⱼ| ≤ ‖X - V diag(λ)Vᵀ‖ + |λⱼ|·‖VᵀV - I‖: the eigenvalues of
    V diag(λ)Vᵀ are λⱼθⱼ with θⱼ between the extreme eigenvalues of VᵀV (Ostrowski), and those of X
    are within the norm of the rest of them (Weyl).
    """
    X = (X + X.T) / 2
    if not np.isfinite(X.mid).all():
        return F.between(F.exact(np.full(len(X), -np.inf)), F.exact(np.full(len(X), np.inf)))
    lam, V = np.linalg.eigh(X.mid)
    V_ = F.exact(V)
    rest = F.norm(X - (V_ * F.exact(lam)[None, :]) @ V_.T)
    off = F.norm(V_.T @ V_ - np.eye(len(lam)))
    wide = rest + off * F.exact(np.abs(lam))
    return F.between(F.exact(lam) - wide, F.exact(lam) + wide)

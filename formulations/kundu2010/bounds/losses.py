r"""The losses: what each needs for both ends, in any arithmetic, and for good points, in doubles.

From above ρL(X) itself. From below, for every W in the domain of the conjugate,

    ρL(X) ≥ ⟨W, X⟩ - (ρL)*(W)
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.inputs import Array


class Loss(ABC):
    """L, of one matrix or vector X; in doubles of a stack of them."""

    @abstractmethod
    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """L(X)"""

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """(ρL)*(W) on its domain; zero where L is a norm."""
        return F.exact(0.0)

    @abstractmethod
    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor | None:
        """A number that is at most ρ where W is in the domain of (ρL)*; None where that is all."""

    @abstractmethod
    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """W taken into that domain, exactly."""

    @abstractmethod
    def subgradient(self, X: Array, rho: float, blur: float = 0.0) -> Array:
        """ρL′(Xᵢ), stacked; with `blur` h > 0 that of L smoothed below h."""

    def curvature(self, X: Array, rho: float, least: float) -> Array | None:
        """cᵢ, where ½cᵢ‖X‖² up to a constant touches ρL at Xᵢ from above; None where none does.

        ‖Xᵢ‖ is taken as no less than `least`.
        """
        return None


class Entrywise(Loss):
    """L1, Σⱼₖ |Xⱼₖ|: (ρL)* is zero on |Wⱼₖ| ≤ ρ."""

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """Row by row: shorter sums have smaller radii."""
        return abs(X).sum(axis=-1).sum()

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """maxⱼₖ |Wⱼₖ|"""
        return abs(W).max()

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Clipped."""
        return F.maximum(F.minimum(W, rho), -rho)

    def subgradient(self, X: Array, rho: float, blur: float = 0.0) -> Array:
        """±ρ; |x| is x²/(2h) + h/2 below h."""
        W: Array = rho * (np.clip(X / blur, -1.0, 1.0) if blur > 0 else np.sign(X))
        return W


class Euclidean(Loss):
    """L2, ‖X‖_F: (ρL)* is zero on ‖W‖_F ≤ ρ."""

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """‖X‖_F"""
        return F.norm(X)

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """‖W‖_F"""
        return F.norm(W)

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Scaled."""
        size = F.norm(W)
        return W if size <= rho else W * F.exact((rho / size).lower).positive()

    def subgradient(self, X: Array, rho: float, blur: float = 0.0) -> Array:
        """ρX/‖X‖; ‖X‖ is ‖X‖²/(2h) + h/2 below h."""
        W: Array = rho * X / np.maximum(_sizes(X), max(blur, TINY))
        return W

    def curvature(self, X: Array, rho: float, least: float) -> Array | None:
        """ρ/‖X‖"""
        return rho / np.maximum(np.ravel(_sizes(X)), least) if rho > 0 else None


class Squared(Loss):
    """L3, ‖X‖²_F: (ρL)* is ‖W‖²_F/(4ρ), and where ρ = 0 zero at W = 0."""

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """‖X‖²_F"""
        return F.inner(X, X)

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """‖W‖²_F/(4ρ)"""
        return F.inner(W, W) / (4 * F.exact(rho)) if rho > 0 else F.exact(0.0)

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor | None:
        """maxⱼₖ |Wⱼₖ| where ρ = 0"""
        return None if rho > 0 else abs(W).max()

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """As it is; zero where ρ is."""
        return W if rho > 0 else F.exact(np.zeros(W.shape))

    def subgradient(self, X: Array, rho: float, blur: float = 0.0) -> Array:
        """2ρX"""
        return 2 * rho * X

    def curvature(self, X: Array, rho: float, least: float) -> Array | None:
        """2ρ: nothing is replaced."""
        return np.full(len(X), 2 * rho) if rho > 0 else None


def _sizes(X: Array) -> Array:
    """‖Xᵢ‖ of a stack, to be broadcast over it."""
    sizes: Array = np.sqrt((X * X).sum(axis=tuple(range(1, X.ndim)), keepdims=True))
    return sizes


# By their names in files.
LOSSES: dict[str, Loss] = {"L1": Entrywise(), "L2": Euclidean(), "L3": Squared()}

"""L1, L2 and L3: the losses of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.losses.loss import Loss


def clip(F: Arithmetic, W: Tensor, most: Any) -> Tensor:
    """Every entry of W within ±most."""
    return F.maximum(F.minimum(W, most), -most)


def total(X: Tensor) -> Tensor:
    """Row by row: shorter sums have smaller radii."""
    return X.sum(axis=-1).sum()


def soft(X: Array, t: Any) -> Array:
    """sign(x)·max(|x| - t, 0)"""
    D: Array = np.sign(X) * np.maximum(np.abs(X) - t, 0.0)
    return D


@dataclass(frozen=True)
class Absolute(Loss):
    """L1, Σⱼₖ |Xⱼₖ|: (ρL)* is zero on |Wⱼₖ| ≤ ρ."""

    def expression(self, X: Any) -> Any:
        """Σⱼₖ |Xⱼₖ|"""
        return cp.norm(cp.vec(X, order="C"), 1)

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """Σⱼₖ |Xⱼₖ|"""
        return total(abs(X))

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """maxⱼₖ |Wⱼₖ|"""
        return abs(W).max()

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Clipped."""
        return clip(F, W, rho)

    def number(self, X: Array) -> float:
        """Σⱼₖ |Xⱼₖ|"""
        return float(np.abs(X).sum())

    def subgradient(self, X: Array) -> Array:
        """±1"""
        return np.sign(X)

    def prox(self, X: Array, t: float) -> Array:
        """Soft thresholds."""
        return soft(X, t)

    def rough(self, size: int) -> float:
        """The number of entries."""
        return float(size)

    def steepest(self, reach: float, size: int) -> float:
        """Its root."""
        return float(np.sqrt(size))

    def smooth_value(self, X: Array, blur: float) -> float:
        """|x| is x²/(2h) + h/2 below h, and itself above: less than by the envelope."""
        sizes = np.abs(X)
        sizes = np.where(sizes < blur, sizes**2 / (2 * blur) + blur / 2, sizes)
        return float(sizes.sum())

    def smooth_gradient(self, X: Array, blur: float) -> Array:
        """Of that."""
        return np.clip(X / blur, -1.0, 1.0)

    def multiplier(self, V: Array, beta: float, rho: float) -> Array:
        """Clipped."""
        return np.clip(V, -rho, rho)

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """Itself."""
        return self, 1


@dataclass(frozen=True)
class Euclidean(Loss):
    """L2, ‖X‖_F: (ρL)* is zero on ‖W‖_F ≤ ρ."""

    def expression(self, X: Any) -> Any:
        """‖X‖_F"""
        return cp.norm(cp.vec(X, order="C"), 2)

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """‖X‖_F"""
        return F.norm(X)

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """‖W‖_F"""
        return F.norm(W)

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Scaled."""
        return scaled_to(F, W, F.norm(W), rho)

    def number(self, X: Array) -> float:
        """‖X‖_F"""
        return float(np.linalg.norm(X))

    def subgradient(self, X: Array) -> Array:
        """X/‖X‖"""
        W: Array = X / max(self.number(X), TINY)
        return W

    def prox(self, X: Array, t: float) -> Array:
        """X shorter by t."""
        size = self.number(X)
        D: Array = X * (max(size - t, 0.0) / max(size, TINY))
        return D

    def rough(self, size: int) -> float:
        """One."""
        return 1.0

    def steepest(self, reach: float, size: int) -> float:
        """One."""
        return 1.0

    def smooth_value(self, X: Array, blur: float) -> float:
        """‖X‖ is ‖X‖²/(2h) + h/2 below h, and itself above."""
        size = self.number(X)
        return size**2 / (2 * blur) + blur / 2 if size < blur else size

    def smooth_gradient(self, X: Array, blur: float) -> Array:
        """Of that."""
        W: Array = X / max(self.number(X), blur)
        return W

    def curvature(self, X: Array, rho: float, least: float) -> float | None:
        """ρ/‖X‖"""
        return rho / max(self.number(X), least) if rho > 0 else None

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """Itself."""
        return self, 1


def scaled_to(F: Arithmetic, W: Tensor, size: Tensor, rho: float) -> Tensor:
    """W, shorter where its size, a norm of it, is not proved to be at most ρ."""
    return W if size <= rho else W * F.exact((rho / size).lower).positive()


@dataclass(frozen=True)
class Squared(Loss):
    """L3, ‖X‖²_F: (ρL)* is ‖W‖²_F/(4ρ), and where ρ = 0 zero at W = 0."""

    def expression(self, X: Any) -> Any:
        """‖X‖²_F"""
        return cp.sum_squares(cp.vec(X, order="C"))

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

    def number(self, X: Array) -> float:
        """‖X‖²_F"""
        return float((X * X).sum())

    def subgradient(self, X: Array) -> Array:
        """2X"""
        return 2 * X

    def prox(self, X: Array, t: float) -> Array:
        """X/(1 + 2t)"""
        D: Array = X / (1 + 2 * t)
        return D

    def rough(self, size: int) -> float:
        """It is smooth."""
        return 0.0

    def steepest(self, reach: float, size: int) -> float:
        """2‖X‖"""
        return 2 * reach

    def curvature(self, X: Array, rho: float, least: float) -> float | None:
        """2ρ: nothing is replaced."""
        return 2 * rho if rho > 0 else None

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """Itself."""
        return self, 2

"""Losses of the entries of X, as L1 and L3 are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.errors import ParameterError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.losses.loss import Loss
from cvxkernel.formulations.kundu2010.losses.norms import clip, scaled_to, soft, total


@dataclass(frozen=True)
class Huber(Loss):
    r"""huber, Σⱼₖ h(Xⱼₖ), h(x) = x²/2 up to |x| = δ, δ|x| - δ²/2 beyond.

    (ρL)* is ‖W‖²_F/(2ρ) on |Wⱼₖ| ≤ ρδ: h is the least ½u² + δ|x - u|, an infimal convolution, whose
    conjugate is the sum ½w² + (zero on |w| ≤ δ). Or: wx - h(x) has the derivative w - clip(x, ±δ),
    zero at x = w where |w| ≤ δ, and of one sign where |w| > δ.
    """

    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", inputs.positive("loss.delta", self.delta))

    def expression(self, X: Any) -> Any:
        """CVXPY's is twice this one."""
        delta: Any = self.delta
        return cp.sum(cp.huber(cp.vec(X, order="C"), delta)) / 2

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """c²/2 + δ·max(|x| - δ, 0), c = min(|x|, δ)"""
        a = abs(X)
        c = F.minimum(a, self.delta)
        return total(c.square() / 2 + F.exact(self.delta) * (a - self.delta).positive())

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """‖W‖²_F/(2ρ)"""
        return F.inner(W, W) / (2 * F.exact(rho)) if rho > 0 else F.exact(0.0)

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """maxⱼₖ |Wⱼₖ|/δ"""
        return abs(W).max() / F.exact(self.delta)

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Clipped at a double that is not above ρδ."""
        most = float(np.nextafter(rho * self.delta, 0.0)) if rho > 0 else 0.0
        return clip(F, W, most)

    def number(self, X: Array) -> float:
        """Σⱼₖ h(Xⱼₖ)"""
        a = np.abs(X)
        c = np.minimum(a, self.delta)
        return float((c * c / 2 + self.delta * (a - c)).sum())

    def subgradient(self, X: Array) -> Array:
        """clip(x, ±δ)"""
        return np.clip(X, -self.delta, self.delta)

    def prox(self, X: Array, t: float) -> Array:
        """x/(1 + t) up to |x| = δ(1 + t), shorter by tδ beyond."""
        return np.where(np.abs(X) <= self.delta * (1 + t), X / (1 + t), soft(X, t * self.delta))

    def rough(self, size: int) -> float:
        """It is smooth."""
        return 0.0

    def steepest(self, reach: float, size: int) -> float:
        """‖X‖, or δ in every entry."""
        return min(reach, self.delta * float(np.sqrt(size)))

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """With δ/κ."""
        return Huber(self.delta / kappa), 2


@dataclass(frozen=True)
class Insensitive(Loss):
    r"""insensitive, Σⱼₖ max(|Xⱼₖ| - ε, 0): (ρL)* is εΣⱼₖ|Wⱼₖ| on |Wⱼₖ| ≤ ρ.

    It is the least |x - u| over |u| ≤ ε, an infimal convolution of |·| and the indicator of an
    interval, whose conjugates add up. Or: wx - ρ max(|x| - ε, 0) rises with |x| up to ε and, where
    |w| ≤ ρ, no further.
    """

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", inputs.nonnegative("loss.epsilon", self.epsilon))

    def expression(self, X: Any) -> Any:
        """Σⱼₖ max(|Xⱼₖ| - ε, 0)"""
        return cp.sum(cp.pos(cp.abs(cp.vec(X, order="C")) - self.epsilon))

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """Σⱼₖ max(|Xⱼₖ| - ε, 0)"""
        return total((abs(X) - self.epsilon).positive())

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """εΣⱼₖ|Wⱼₖ|"""
        return F.exact(self.epsilon) * total(abs(W))

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """maxⱼₖ |Wⱼₖ|"""
        return abs(W).max()

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Clipped."""
        return clip(F, W, rho)

    def number(self, X: Array) -> float:
        """Σⱼₖ max(|Xⱼₖ| - ε, 0)"""
        return float(np.maximum(np.abs(X) - self.epsilon, 0.0).sum())

    def subgradient(self, X: Array) -> Array:
        """±1 beyond ε"""
        return np.where(np.abs(X) > self.epsilon, np.sign(X), 0.0)

    def prox(self, X: Array, t: float) -> Array:
        """Shorter by t, down to ε."""
        a = np.abs(X)
        D: Array = np.sign(X) * np.where(a <= self.epsilon, a, np.maximum(a - t, self.epsilon))
        return D

    def rough(self, size: int) -> float:
        """The number of entries."""
        return float(size)

    def steepest(self, reach: float, size: int) -> float:
        """Its root."""
        return float(np.sqrt(size))

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """With ε/κ."""
        return Insensitive(self.epsilon / kappa), 1


@dataclass(frozen=True, eq=False)
class Weighted(Loss):
    r"""weighted, Σⱼₖ Vⱼₖ|Xⱼₖ|, or with power 2 Σⱼₖ VⱼₖXⱼₖ², for weights V ≥ 0, (n, n), symmetric.

    (ρL)* is zero on |Wⱼₖ| ≤ ρVⱼₖ; with power 2 Σⱼₖ Wⱼₖ²/(4ρVⱼₖ), and Wⱼₖ = 0 where Vⱼₖ is: L1 and
    L3 entry by entry, with ρVⱼₖ for ρ.
    """

    V: Array
    power: int = 1

    def __post_init__(self) -> None:
        V = inputs.square("loss.V", self.V)
        inputs.check_symmetric("loss.V", V)
        if not (V >= 0).all():
            raise ParameterError("loss.V", "weights that are not negative", f"{V.min():g}")
        if self.power not in (1, 2):
            raise ParameterError("loss.power", "1 or 2", f"{self.power}")
        object.__setattr__(self, "V", V)
        object.__setattr__(self, "power", int(self.power))

    def expression(self, X: Any) -> Any:
        """Σⱼₖ Vⱼₖ|Xⱼₖ| or Σⱼₖ VⱼₖXⱼₖ²"""
        if self.power == 1:
            return cp.sum(cp.multiply(self.V, cp.abs(X)))
        return cp.sum_squares(cp.vec(cp.multiply(np.sqrt(self.V), X), order="C"))

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """Σⱼₖ Vⱼₖ|Xⱼₖ| or Σⱼₖ VⱼₖXⱼₖ²"""
        return total(F.exact(self.V) * (abs(X) if self.power == 1 else X.square()))

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Zero, or Σⱼₖ Wⱼₖ²/(4ρVⱼₖ)"""
        if self.power == 1 or not rho > 0:
            return F.exact(0.0)
        some = np.where(self.V > 0, self.V, 1.0)
        return total(W.square() / (4 * F.exact(rho) * F.exact(some)))

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor | None:
        """maxⱼₖ |Wⱼₖ|/Vⱼₖ; with power 2 what is not zero where Vⱼₖ is, beyond ρ."""
        none = (self.V == 0) | ((rho == 0) & (self.power == 2))
        outside = (abs(W) * F.exact(none.astype(float))).max()
        if self.power == 2:
            return outside + rho if none.any() else None
        inner = abs(W) * F.exact((~none).astype(float)) / F.exact(np.where(none, 1.0, self.V))
        return inner.max() + outside

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Clipped at doubles that are not above ρVⱼₖ; with power 2 zero where that is."""
        if self.power == 1:
            return clip(F, W, np.nextafter(rho * self.V, 0.0))
        return W * F.exact((rho * self.V > 0).astype(float))

    def number(self, X: Array) -> float:
        """Σⱼₖ Vⱼₖ|Xⱼₖ| or Σⱼₖ VⱼₖXⱼₖ²"""
        return float((self.V * np.abs(X) ** self.power).sum())

    def subgradient(self, X: Array) -> Array:
        """±Vⱼₖ or 2VⱼₖXⱼₖ"""
        g: Array = self.V * (np.sign(X) if self.power == 1 else 2 * X)
        return g

    def prox(self, X: Array, t: float) -> Array:
        """Soft thresholds tVⱼₖ, or Xⱼₖ/(1 + 2tVⱼₖ)"""
        return soft(X, t * self.V) if self.power == 1 else X / (1 + 2 * t * self.V)

    def rough(self, size: int) -> float:
        """‖V‖²_F, or nothing."""
        return float((self.V**2).sum()) if self.power == 1 else 0.0

    def steepest(self, reach: float, size: int) -> float:
        """‖V‖_F, or 2 maxⱼₖ Vⱼₖ·‖X‖"""
        if self.power == 1:
            return float(np.linalg.norm(self.V))
        return 2 * float(self.V.max()) * reach

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """Itself."""
        return self, self.power


@dataclass(frozen=True)
class Largest(Loss):
    """largest, maxⱼₖ |Xⱼₖ|: (ρL)* is zero on Σⱼₖ |Wⱼₖ| ≤ ρ."""

    def expression(self, X: Any) -> Any:
        """maxⱼₖ |Xⱼₖ|"""
        return cp.norm(cp.vec(X, order="C"), "inf")

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """maxⱼₖ |Xⱼₖ|"""
        return abs(X).max()

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Σⱼₖ |Wⱼₖ|"""
        return total(abs(W))

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Scaled."""
        return scaled_to(F, W, total(abs(W)), rho)

    def number(self, X: Array) -> float:
        """maxⱼₖ |Xⱼₖ|"""
        return float(np.abs(X).max())

    def subgradient(self, X: Array) -> Array:
        """The sign where |x| is largest, shared by all that are."""
        most = np.abs(X) >= self.number(X)
        g: Array = np.where(most, np.sign(X), 0.0) / most.sum()
        return g

    def prox(self, X: Array, t: float) -> Array:
        """Clipped at the level c where Σ max(|x| - c, 0) = t, or zero."""
        a = np.sort(np.abs(X).ravel())[::-1]
        if a.sum() <= t:
            return 0.0 * X
        levels = (np.cumsum(a) - t) / np.arange(1, len(a) + 1)
        level = float(levels[(a > levels).nonzero()[0][-1]]) if (a > levels).any() else float(a[0])
        return np.clip(X, -level, level)

    def rough(self, size: int) -> float:
        """One."""
        return 1.0

    def steepest(self, reach: float, size: int) -> float:
        """One."""
        return 1.0

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """Itself."""
        return self, 1

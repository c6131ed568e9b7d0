"""What a loss is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.inputs import Array


class Loss(ABC):
    """L, of one matrix or vector X. `expression` and all the rest share no code."""

    # -- The literal program --------------------------------------------------------------------

    @abstractmethod
    def expression(self, X: Any) -> Any:
        """L(X) of a matrix, for CVXPY."""

    # -- Both ends, in any arithmetic -----------------------------------------------------------

    @abstractmethod
    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """L(X)"""

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """(ρL)*(W) on its domain, or more; zero where L is a norm."""
        return F.exact(0.0)

    @abstractmethod
    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor | None:
        """A number that is at most ρ where W is in the domain of (ρL)*; None where that is all."""

    @abstractmethod
    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """W taken into that domain, exactly."""

    # -- Methods, in doubles --------------------------------------------------------------------

    @abstractmethod
    def subgradient(self, X: Array) -> Array:
        """L′(X)"""

    @abstractmethod
    def prox(self, X: Array, t: float) -> Array:
        """The D of the least tL(D) + ½‖D - X‖²."""

    @abstractmethod
    def rough(self, size: int) -> float:
        """The square of the Lipschitz constant of L in ‖·‖_F; zero where it needs no smoothing."""

    @abstractmethod
    def steepest(self, reach: float, size: int) -> float:
        """A bound on ‖L′(X)‖_F where ‖X‖_F ≤ reach; X has `size` entries."""

    def smooth_value(self, X: Array, blur: float) -> float:
        """The Moreau envelope of L with parameter h = blur, and ½h·rough: not below L."""
        D = self.prox(X, blur)
        return self.number(D) + float(((X - D) ** 2).sum()) / (2 * blur) + self.over(X, blur)

    def over(self, X: Array, blur: float) -> float:
        """½h·rough"""
        return blur * self.rough(X.size) / 2

    def smooth_gradient(self, X: Array, blur: float) -> Array:
        """Of that."""
        gradient: Array = (X - self.prox(X, blur)) / blur
        return gradient

    @abstractmethod
    def number(self, X: Array) -> float:
        """L(X)"""

    def multiplier(self, V: Array, beta: float, rho: float) -> Array:
        """V - βD with the D of the least ρL(D) + ½β‖D - V/β‖²: a subgradient of ρL at D."""
        W: Array = V - beta * self.prox(V / beta, rho / beta) if rho > 0 else 0.0 * V
        return W

    def curvature(self, X: Array, rho: float, least: float) -> float | None:
        """c, where ½c‖X‖² up to a constant touches ρL at X from above; None where none does.

        ‖X‖ is taken as no less than `least`.
        """
        return None

    def unit(self, kappa: float) -> tuple[Loss, int]:
        """A loss and a degree d with L(κX) = κᵈ times that loss at X."""
        return Rescaled(self, kappa), 0


@dataclass(frozen=True)
class Rescaled(Loss):
    """factor·L(κX), κ and the factor positive."""

    loss: Loss
    kappa: float
    factor: float = 1.0

    def expression(self, X: Any) -> Any:
        """factor·L(κX)"""
        return self.factor * self.loss.expression(self.kappa * X)

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """factor·L(κX)"""
        return F.exact(self.factor) * self.loss.value(F, F.exact(self.kappa) * X)

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """(ρfL(κ·))*(W) = (ρfL)*(W/κ)"""
        return self.loss.conjugate(F, W / F.exact(self.kappa), rho * self.factor)

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor | None:
        """Of W/κ, over the factor."""
        size = self.loss.gauge(F, W / F.exact(self.kappa), rho * self.factor)
        return None if size is None else size / F.exact(self.factor)

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """W/κ taken inside."""
        made = self.loss.inside(F, W / F.exact(self.kappa), rho * self.factor)
        return made * F.exact(self.kappa)

    def number(self, X: Array) -> float:
        """factor·L(κX)"""
        return self.factor * self.loss.number(self.kappa * X)

    def subgradient(self, X: Array) -> Array:
        """factor·κL′(κX)"""
        g: Array = (self.factor * self.kappa) * self.loss.subgradient(self.kappa * X)
        return g

    def prox(self, X: Array, t: float) -> Array:
        """In units of κ."""
        D: Array = self.loss.prox(self.kappa * X, t * self.factor * self.kappa**2) / self.kappa
        return D

    def rough(self, size: int) -> float:
        """(factor·κ)² times that of L."""
        return (self.factor * self.kappa) ** 2 * self.loss.rough(size)

    def steepest(self, reach: float, size: int) -> float:
        """factor·κ times that of L."""
        return self.factor * self.kappa * self.loss.steepest(self.kappa * reach, size)

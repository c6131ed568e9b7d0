r"""(4), (6) and (7): the objective at what is learned from above, the dual from below.

Kernels are learned as exact numbers K̂ᵢ ⪰ 0 whose trace is tᵢτ, tᵢ near 1: what is feasible is
Kᵢ = K̂ᵢ/tᵢ. With t ≥ 1 no less than any tᵢ, Ω(K₁, …) ≤ tΩ(K̂₁, …), since Kᵢ ⪰ K̂ᵢ/t, and α/t is in A
with α: 1ᵀα - ½Σᵢ αᵀYK̂ᵢYα/(tγᵢ) is t times the objective at α/t.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.bounds.feasible import (
    composed,
    semidefinite,
    simplex,
    spectahedron,
)
from cvxkernel.formulations.kundu2010.bounds.omega import SMALLEST_GAMMA, Omega
from cvxkernel.formulations.kundu2010.losses import Loss
from cvxkernel.formulations.kundu2010.programs import Similarities, Spectra

CLOSEST = 1e-8  # of τ: ‖K - S‖ is taken as no less where it is divided by


@dataclass(frozen=True)
class Scaled:
    """Exact numbers x of trace or sum tτ; what is feasible is x/t."""

    x: Tensor
    t: Tensor

    @property
    def feasible(self) -> Tensor:
        """x/t"""
        return self.x / self.t


class Bounds(ABC):
    """What the three have in common."""

    symbol: ClassVar[str] = "K"  # of what is learned
    dual: ClassVar[str] = "W"  # of the subgradients of the loss
    weighed: ClassVar[bool] = True  # by γ

    def __init__(self, F: Arithmetic, problem: Similarities | Spectra) -> None:
        self.F, self.problem, self.y, self.C = F, problem, problem.y, problem.C
        self.losses, self.rho = problem.losses, problem.rho
        self.tau = F.exact(problem.tau)
        self.S = self.targets()

    @property
    def blocks(self) -> int:
        """How many kernels or spectra are learned."""
        return self.problem.m

    @property
    def shape(self) -> tuple[int, ...]:
        """Of what is learned, as a stack."""
        n = self.problem.n
        return (self.blocks, n, n)

    def targets(self) -> list[Tensor]:
        """Sᵢ, or λᵢ: what the loss compares with."""
        return [self.F.exact(S) for S in self.problem.S]

    # -- From above ---------------------------------------------------------------------------

    def nearest(self, given: Array) -> Array:
        """The feasible point nearest to it, in doubles."""
        return spectahedron(given, self.problem.tau)

    def centre(self) -> Array:
        """(τ/n)I or (τ/n)1"""
        return np.broadcast_to(np.eye(self.problem.n) * (self.problem.tau / self.problem.n),
                               self.shape)  # fmt: skip

    def repaired(self, given: Tensor) -> list[Scaled]:
        """Kᵢ + εI ⪰ 0, scaled to the trace τ; (τ/n)I where that cannot be."""
        out = []
        for A, centre in zip((given[i] for i in range(len(given))), self.centre(), strict=True):
            made = semidefinite(self.F, A)
            if made is None or not made.trace() > 0:
                made = self.F.exact(centre)
            out.append(Scaled(made, made.trace() / self.tau))
        return out

    def kernels(self, learned: Sequence[Tensor]) -> list[Tensor]:
        """K, or K₁, …, K_m"""
        return list(learned)

    def omega(self, learned: Sequence[Tensor]) -> Omega:
        """Ω of the kernels, ω where there is one."""
        M = [self.F.signed(self.y, K) for K in self.kernels(learned)]
        return Omega(self.F, M, self.y, self.C)

    def cost(self, learned: Sequence[Tensor]) -> Tensor:
        """ρΣᵢL(Kᵢ - Sᵢ) or ρΣᵢ‖μᵢ - λᵢ‖"""
        every = list(learned) * (len(self.S) // len(learned))
        losses = [
            L.value(self.F, x - S) for L, x, S in zip(self.losses, every, self.S, strict=True)
        ]
        return self.F.exact(self.rho) * sum(losses[1:], losses[0])

    def values(
        self, learned: Sequence[Scaled], xs: Sequence[Any], omega: Omega | None = None
    ) -> list[Tensor]:
        """The objective at what is learned, its ω or Ω from above at each x."""
        omega, t = omega or self.omega([one.x for one in learned]), self.F.exact(1.0)
        for one in learned:
            t = self.F.maximum(t, one.t)
        cost = self.cost([one.feasible for one in learned])
        return [t * self.margin(omega, x) + cost for x in xs]

    def margin(self, omega: Omega, x: Any) -> Tensor:
        """Ω from above, at x of shape (m, n), or (n,) for an α."""
        return omega.upper(x)

    # -- From below ---------------------------------------------------------------------------

    def inside(self, W: Any) -> list[Tensor]:
        """Wᵢ taken into the domain of (ρL)*."""
        every = (self.F.exact(W[i]) for i in range(len(self.S)))
        return [L.inside(self.F, W_i, self.rho) for L, W_i in zip(self.losses, every, strict=True)]

    def bound(self, alpha: Tensor, gamma: Tensor, W: Sequence[Tensor]) -> Tensor:
        """The dual at α ∈ A, γ ∈ Δ and Wᵢ in the domain of (ρL)*."""
        if self.weighed and not np.all(gamma > SMALLEST_GAMMA):
            return self.F.inf
        paid = [
            self.F.inner(W_i, S) + L.conjugate(self.F, W_i, self.rho)
            for L, W_i, S in zip(self.losses, W, self.S, strict=True)
        ]
        least = self.tau * self.least(self.y * alpha, gamma, W)
        return alpha.sum() - sum(paid[1:], paid[0]) + least

    @abstractmethod
    def least(self, a: Tensor, gamma: Tensor, W: Sequence[Tensor]) -> Tensor:
        """A number below what is left of the Lagrangian, at its least over trace τ = 1."""

    # -- Good points, in doubles --------------------------------------------------------------

    def subgradients(self, learned: Array, blur: float = 0.0) -> Array:
        """ρL′(Xᵢ) of Xᵢ = Kᵢ - Sᵢ, or of μᵢ - λᵢ; with `blur` > 0 that of L smoothed."""
        every = zip(self.losses, self.differences(learned), strict=True)
        return self.rho * np.stack(
            [
                L.smooth_gradient(X, blur) if self.blurred(L, X, blur) else L.subgradient(X)
                for L, X in every
            ]
        )

    @staticmethod
    def blurred(L: Loss, X: Array, blur: float) -> bool:
        """Whether L is smoothed."""
        return blur > 0 and L.rough(X.size) > 0

    def smoothed(self, learned: Array, blur: float = 0.0) -> float:
        """ρΣᵢL(Xᵢ), each L smoothed where blur h > 0: not below, by at most ½hρΣᵢ rough."""
        every = zip(self.losses, self.differences(learned), strict=True)
        return self.rho * sum(
            L.smooth_value(X, blur) if self.blurred(L, X, blur) else L.number(X) for L, X in every
        )

    def differences(self, learned: Array) -> Array:
        """K - Sᵢ, Kᵢ - Sᵢ or μᵢ - λᵢ"""
        return learned - self.problem.S

    def response(self, alpha: Array, gamma: Array, learned: Array) -> Array | None:
        """What is best to learn for α, γ when L is replaced by a quadratic that touches it.

        min over Kᵢ of -½Σᵢ aᵀKᵢa/γᵢ + Σᵢ ½cᵢ‖Kᵢ - Sᵢ‖², a = Yα, is at the projection of
        Sᵢ + aaᵀ/(2cᵢγᵢ). With L3 nothing is replaced: the subgradients there are the best Wᵢ for
        this α and γ. With L1 there is none.
        """
        closest = CLOSEST * self.problem.tau
        every = zip(self.losses, self.differences(learned), strict=True)
        found = [L.curvature(X, self.rho, closest) for L, X in every]
        c = np.array([one for one in found if one is not None])
        if len(c) < len(found) or (self.weighed and not (gamma > SMALLEST_GAMMA).all()):
            return None
        return self.nearest(self.pulled(self.y * alpha, gamma, c))

    def pulled(self, a: Array, gamma: Array, c: Array) -> Array:
        """Sᵢ + aaᵀ/(2cᵢγᵢ)"""
        pulled: Array = self.problem.S + np.outer(a, a) / (2 * c * gamma)[:, None, None]
        return pulled


class OneKernel(Bounds):
    """(4): 1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)) + τ λ_min(Σᵢ Wᵢ - ½YααᵀY)"""

    weighed = False

    @property
    def blocks(self) -> int:
        """One."""
        return 1

    def margin(self, omega: Omega, x: Any) -> Tensor:
        """ω from above, at x of shape (n,)."""
        return svm.upper(self.F, omega.M[0], self.y, self.C, x)

    def least(self, a: Tensor, gamma: Tensor, W: Sequence[Tensor]) -> Tensor:
        """λ_min(Σᵢ Wᵢ - ½aaᵀ)"""
        return self.F.least(sum(W[1:], W[0]) - a[:, None] * a[None, :] / 2)

    def pulled(self, a: Array, gamma: Array, c: Array) -> Array:
        """(Σᵢ cᵢSᵢ + ½aaᵀ)/Σᵢ cᵢ"""
        centre = np.einsum("i,ijk->jk", c, self.problem.S) + np.outer(a, a) / 2
        pulled: Array = centre[None] / c.sum()
        return pulled


class SeveralKernels(Bounds):
    """(6): 1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ) - τ λ_min(Wᵢ - YααᵀY/(2γᵢ)))"""

    def least(self, a: Tensor, gamma: Tensor, W: Sequence[Tensor]) -> Tensor:
        """Σᵢ λ_min(Wᵢ - aaᵀ/(2γᵢ))"""
        outer = a[:, None] * a[None, :] / 2
        return self.F.stack([self.F.least(W[i] - outer / gamma[i]) for i in range(len(W))]).sum()


class LearnedSpectra(Bounds):
    """(7): 1ᵀα - Σᵢ (wᵢᵀλᵢ - τ minⱼ(wᵢⱼ - (vᵢⱼᵀYα)²/(2γᵢ))), ‖wᵢ‖₂ ≤ ρ"""

    symbol, dual = "mu", "w"
    problem: Spectra

    @property
    def shape(self) -> tuple[int, ...]:
        """Of μ."""
        return (self.problem.m, self.problem.n)

    def targets(self) -> list[Tensor]:
        """λᵢ, and the vᵢⱼ."""
        pairs = [self.F.basis(basis) for basis in self.problem.bases]
        self.V = [V for _, V in pairs]
        return [lam for lam, _ in pairs]

    def nearest(self, given: Array) -> Array:
        """The nearest μᵢ ≥ 0 of sum τ."""
        return simplex(given, self.problem.tau)

    def centre(self) -> Array:
        """(τ/n)1"""
        return np.full(self.shape, self.problem.tau / self.problem.n)

    def repaired(self, given: Tensor) -> list[Scaled]:
        """μᵢ ≥ 0, scaled to the sum τ."""
        out = []
        for i, centre in enumerate(self.centre()):
            mu = self.F.clipped(given[i])
            total = mu.sum()
            if not (total > 0 and total.is_finite()):
                mu = self.F.exact(centre)
            out.append(Scaled(mu, mu.sum() / self.tau))
        return out

    def kernels(self, learned: Sequence[Tensor]) -> list[Tensor]:
        """Kᵢ = Σⱼ μᵢⱼvᵢⱼvᵢⱼᵀ"""
        return [self.F.composed(V, mu) for V, mu in zip(self.V, learned, strict=True)]

    def least(self, a: Tensor, gamma: Tensor, W: Sequence[Tensor]) -> Tensor:
        """Σᵢ minⱼ(wᵢⱼ - (vᵢⱼᵀa)²/(2γᵢ))"""
        images = [V.T @ a for V in self.V]
        ends = [(W[i] - images[i].square() / (2 * gamma[i])).min() for i in range(len(W))]
        return self.F.stack(ends).sum()

    def differences(self, learned: Array) -> Array:
        """μᵢ - λᵢ"""
        return learned - self.problem.lam

    def pulled(self, a: Array, gamma: Array, c: Array) -> Array:
        """λᵢ + (vᵢⱼᵀa)²/(2cᵢγᵢ)"""
        images = np.einsum("ijk,j->ik", self.problem.V, a)
        pulled: Array = self.problem.lam + images**2 / (2 * c * gamma)[:, None]
        return pulled


def combine(problem: Spectra, mu: Array) -> Array:
    """Kᵢ = Σⱼ μᵢⱼvᵢⱼvᵢⱼᵀ, in doubles."""
    return composed(mu, problem.V)

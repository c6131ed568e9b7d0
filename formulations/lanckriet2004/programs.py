r"""Lanckriet et al. (2004): the soft margin programs that Ye, Ji and Chen (2008) compare with.

G(K) = diag(y) K diag(y),  rᵢ = trace Kᵢ,  c = Σᵢ rᵢ; in sm2c the identity is a kernel too, and
c = Σᵢ rᵢ + n. The learned weights μ satisfy μᵀr = c: with unit-diagonal kernels they sum to p
(sm2c: p + 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.problem import Labelled
from cvxkernel.formulations.program import Program


@dataclass(frozen=True, eq=False)
class Margin(Labelled):
    """Kernels (p, n, n) and labels y (n,), each -1 or +1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.check_signs("y", self.y)
        inputs.check_traces("kernels", np.trace(self.kernels, axis1=1, axis2=2), self.kernels)

    @cached_property
    def G(self) -> Array:
        """G(K₁), …, G(K_p)"""
        return np.multiply(np.outer(self.y, self.y), self.kernels)

    @cached_property
    def r(self) -> Array:
        """trace K₁, …, trace K_p"""
        r: Array = np.trace(self.kernels, axis1=1, axis2=2)
        return r

    @property
    def c(self) -> float:
        """Σᵢ rᵢ"""
        return float(self.r.sum())

    def weights_from_quad(self, program: Program) -> Array:
        r"""μᵢ = νᵢ/rᵢ from the multipliers ν of t ≥ αᵀG(Kᵢ)α/rᵢ.

        ∂L/∂t = -c + Σᵢ νᵢ = 0 gives μᵀr = c, and the rest of the Lagrangian is the soft margin
        dual with the kernel Σᵢ μᵢKᵢ.
        """
        return program.dual("quad") / self.r


@dataclass(frozen=True, eq=False)
class SoftMargin(Margin):
    """Kernels (p, n, n), labels y (n,) of ±1, and C > 0."""

    C: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "C", inputs.positive("C", self.C))

    def sm1(self) -> Program:
        r"""The 1-norm soft margin.

        maximize    2αᵀ1 - c t                            over α ∈ Rⁿ, t ∈ R
        subject to  t ≥ αᵀG(Kᵢ)α/rᵢ,  i = 1, …, p         (quad)
                    αᵀy = 0                               (balance)
                    0 ≤ α                                 (nonneg)
                    α ≤ C                                 (box)
        """
        alpha, t = cp.Variable(self.n, name="alpha"), cp.Variable(name="t")
        return Program(
            maximize=2 * cp.sum(alpha) - self.c * t,
            quad=[
                t >= cp.sum_squares(factor(self.G[i]) @ alpha) / self.r[i] for i in range(self.p)
            ],
            balance=alpha @ self.y == 0,
            nonneg=alpha >= 0,
            box=alpha <= self.C,
        )

    def sm2(self) -> Program:
        r"""The 2-norm soft margin.

        maximize    2αᵀ1 - αᵀα/C - c t                    over α ∈ Rⁿ, t ∈ R
        subject to  t ≥ αᵀG(Kᵢ)α/rᵢ,  i = 1, …, p         (quad)
                    αᵀy = 0                               (balance)
                    α ≥ 0                                 (nonneg)
        """
        alpha, t = cp.Variable(self.n, name="alpha"), cp.Variable(name="t")
        return Program(
            maximize=2 * cp.sum(alpha) - cp.sum_squares(alpha) / self.C - self.c * t,
            quad=[
                t >= cp.sum_squares(factor(self.G[i]) @ alpha) / self.r[i] for i in range(self.p)
            ],
            balance=alpha @ self.y == 0,
            nonneg=alpha >= 0,
        )


@dataclass(frozen=True, eq=False)
class JointMargin(Margin):
    """Kernels (p, n, n) and labels y (n,) of ±1; 1/C is the learned weight of the identity.

    The identity comes first: G(K₀) = I, r₀ = n, μ₀ = 1/C.
    """

    @cached_property
    def G(self) -> Array:
        """G(I) = I, G(K₁), …, G(K_p)"""
        return np.concatenate([np.eye(self.n)[None], np.outer(self.y, self.y) * self.kernels])

    @cached_property
    def r(self) -> Array:
        """n, trace K₁, …, trace K_p"""
        return np.concatenate([[float(self.n)], np.trace(self.kernels, axis1=1, axis2=2)])

    def sm2c(self) -> Program:
        r"""The 2-norm soft margin with C learned.

        maximize    2αᵀ1 - c t                            over α ∈ Rⁿ, t ∈ R
        subject to  t ≥ αᵀG(Kᵢ)α/rᵢ,  i = 0, …, p         (quad)
                    αᵀy = 0                               (balance)
                    α ≥ 0                                 (nonneg)
        """
        alpha, t = cp.Variable(self.n, name="alpha"), cp.Variable(name="t")
        return Program(
            maximize=2 * cp.sum(alpha) - self.c * t,
            quad=[
                t >= cp.sum_squares(factor(self.G[i]) @ alpha) / self.r[i]
                for i in range(self.p + 1)
            ],
            balance=alpha @ self.y == 0,
            nonneg=alpha >= 0,
        )

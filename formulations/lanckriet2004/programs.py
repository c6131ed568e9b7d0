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
from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.lanckriet2004.data import Margin
from cvxkernel.formulations.program import Program


def from_quad(problem: Margin, program: Program) -> Point:
    """α, and the weights that the multipliers are."""
    return {"mu": problem.weights_from_quad(program), "alpha": program.value("alpha")}


@dataclass(frozen=True, eq=False, repr=False)
class SoftMargin(Margin):
    """Kernels (p, n, n), labels y (n,) of ±1, and C > 0."""

    C: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "C", inputs.positive("C", self.C))

    @printed(
        "lanckriet2004-sm1",
        "1-norm soft margin",
        "QCQP",
        "max 2αᵀ1 - c·t, t ≥ αᵀG(Kᵢ)α/rᵢ, αᵀy = 0, 0 ≤ α ≤ C",
        symbols={"alpha": "n", "t": "", "mu": "p"},
        recover=from_quad,
        binary=True,
    )
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

    @printed(
        "lanckriet2004-sm2",
        "2-norm soft margin",
        "QCQP",
        "max 2αᵀ1 - αᵀα/C - c·t, t ≥ αᵀG(Kᵢ)α/rᵢ, αᵀy = 0, α ≥ 0",
        symbols={"alpha": "n", "t": "", "mu": "p"},
        recover=from_quad,
        binary=True,
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


@dataclass(frozen=True, eq=False, repr=False)
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

    @printed(
        "lanckriet2004-sm2c",
        "2-norm soft margin, C learned",
        "QCQP",
        "max 2αᵀ1 - c·t, t ≥ αᵀG(Kᵢ)α/rᵢ (K₀ = I), αᵀy = 0, α ≥ 0",
        symbols={"alpha": "n", "t": "", "mu": "p+1"},
        recover=from_quad,
        binary=True,
    )
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

r"""Tang, Chen and Ye (2009): the programs, as printed.

Gᵢᵗ(α) = αᵗᵀ(Gᵢ ∘ yᵗyᵗᵀ)αᵗ (8),  D(α, G) = αᵀe - ½αᵀ(G ∘ yyᵀ)α (1), and S(t) (13) is the set of α
with 0 ≤ α ≤ C, αᵀyᵗ = 0. The weights of label t are θᵗ = ζ + γᵗ (6), a part that all labels share
and one of its own, and Ω = ½ Σₜ Σᵢ γᵢᵗ (7).

Each of the k sums Σᵢ θᵢᵗ is 1, so each Σᵢ γᵢᵗ is the same number 1 - Σᵢ ζᵢ, and
Ω = (k/2)(1 - Σᵢ ζᵢ) runs from 0 to k/2. Of all ζ and γ that make up given θ, ζᵢ = minₜ θᵢᵗ has the
least Ω.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.program import Program, combination
from cvxkernel.formulations.tang2009.data import MultiLabelled


def from_separate(problem: Separate, program: Program) -> Point:
    """α of (2)."""
    return {"alpha": program.value("alpha")}


def from_quad(problem: Regularized, program: Program) -> Point:
    """α of Theorem 3.1, and the weights that its multipliers are."""
    zeta, gamma = problem.weights_from_quad(program)
    return {"alpha": program.value("alpha"), "zeta": zeta, "gamma": gamma}


def from_lmi(problem: Regularized, program: Program) -> Point:
    """ζ and γ of (3), and the α that its multipliers are."""
    alpha = problem.alpha_from_lmi(program)
    return {"alpha": alpha, "zeta": program.value("zeta"), "gamma": program.value("gamma")}


def from_cuts(problem: Shared, program: Program) -> Point:
    """θ of (11)."""
    return {"theta": program.value("theta")}


@dataclass(frozen=True, eq=False, repr=False)
class Separate(MultiLabelled):
    """One kernel for each label: kernels (k, n, n), labels Y (k, n) of ±1, and C > 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k != self.p:
            expected = f"shape ({self.p}, {self.n}), a row of labels for each kernel"
            raise ShapeError("Y", expected, f"shape {self.Y.shape}")

    @printed(
        "tang2009-eq2",
        "(2)",
        "QP",
        "max Σₜ D(αᵗ, 𝒢ᵗ), αᵗᵀyᵗ = 0, 0 ≤ αᵗ ≤ C",
        symbols={"alpha": "k,n"},
        recover=from_separate,
    )
    def eq2(self) -> Program:
        r"""Equation (2): k support vector machines.

        maximize    Σₜ αᵗᵀe - ½ Σₜ αᵗᵀ(𝒢ᵗ ∘ yᵗyᵗᵀ)αᵗ         over α ∈ Rᵏˣⁿ
        subject to  αᵗᵀyᵗ = 0,  t = 1, …, k                   (balance)
                    0 ≤ α                                     (nonneg)
                    α ≤ C                                     (box)
        """
        alpha = cp.Variable((self.k, self.n), name="alpha")
        v = cp.multiply(self.Y, alpha)
        return Program(
            maximize=cp.sum(alpha)
            - sum(cp.sum_squares(self.R[t] @ v[t]) for t in range(self.k)) / 2,
            balance=cp.sum(v, axis=1) == 0,
            nonneg=alpha >= 0,
            box=alpha <= self.C,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Regularized(MultiLabelled):
    """Kernels (p, n, n), labels Y (k, n) of ±1, C > 0, and the price λ ≥ 0 of kernel difference."""

    lam: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "lam", inputs.nonnegative("lam", self.lam))

    @printed(
        "tang2009-thm3.1",
        "Theorem 3.1",
        "QCQP",
        "max Σₜ αᵗᵀe - ½s, s ≥ s₀, s ≥ Σₜ s_t - kλ, s₀ ≥ Σₜ Gᵢᵗ(α), s_t ≥ Gᵢᵗ(α), "
        "αᵗᵀyᵗ = 0, 0 ≤ αᵗ ≤ C",
        symbols={"alpha": "k,n", "s": "", "s0": "", "s_t": "k", "zeta": "p", "gamma": "k,p"},
        recover=from_quad,
    )
    def thm3_1(self) -> Program:
        r"""Theorem 3.1.

        maximize    Σₜ αᵗᵀe - ½s                  over α ∈ Rᵏˣⁿ, s, s₀ ∈ R, s_t ∈ Rᵏ
        subject to  s ≥ s₀                        (shared)
                    s ≥ Σₜ s_t - kλ               (specific)
                    s₀ ≥ Σₜ Gᵢᵗ(α),  i = 1, …, p  (quad0)
                    s_t ≥ Gᵢᵗ(α),  t = 1, …, k,  i = 1, …, p        (quad)
                    αᵗᵀyᵗ = 0,  t = 1, …, k       (balance)
                    0 ≤ α                         (nonneg)
                    α ≤ C                         (box)

        # Paper counts nk + 2 variables; these are nk + k + 2.
        """
        k, p = self.k, self.p
        alpha = cp.Variable((k, self.n), name="alpha")
        s, s0, s_t = cp.Variable(name="s"), cp.Variable(name="s0"), cp.Variable(k, name="s_t")
        v = cp.multiply(self.Y, alpha)
        return Program(
            maximize=cp.sum(alpha) - s / 2,
            shared=s >= s0,
            specific=s >= cp.sum(s_t) - k * self.lam,
            quad0=[s0 >= cp.sum_squares(self.R[i] @ v.T) for i in range(p)],
            quad=[s_t[t] >= cp.sum_squares(self.R[i] @ v[t]) for t in range(k) for i in range(p)],
            balance=[alpha[t] @ self.Y[t] == 0 for t in range(k)],
            nonneg=alpha >= 0,
            box=alpha <= self.C,
        )

    def weights_from_quad(self, program: Program) -> tuple[Array, Array]:
        r"""ζᵢ and γᵢᵗ: twice the multipliers of s₀ ≥ Σₜ Gᵢᵗ(α) and of s_t ≥ Gᵢᵗ(α).

        With a and b those of the two lines above, ∂L/∂s = -½ + a + b = 0, ∂L/∂s₀ = -a + ½Σᵢ ζᵢ = 0
        and ∂L/∂s_t = -b + ½Σᵢ γᵢᵗ = 0 give Σᵢ (ζᵢ + γᵢᵗ) = 1; what is left of the Lagrangian is
        Σₜ D(αᵗ, Σᵢ (ζᵢ + γᵢᵗ)Gᵢ) + bkλ, and bkλ = λΩ.
        """
        return 2 * program.dual("quad0"), 2 * program.dual("quad").reshape(self.k, self.p)

    @printed(
        "tang2009-eq3-sdp",
        "(3) with (4)-(7), ours",
        "SDP",
        "min λΩ + ½ Σₜ τₜ, [(Σᵢ θᵢᵗGᵢ) ∘ yᵗyᵗᵀ, e + νᵗ - δᵗ + bₜyᵗ; ·, τₜ - 2C eᵀδᵗ] ⪰ "
        "0, θᵗ = ζ + γᵗ, Σᵢ θᵢᵗ = 1",
        symbols={"zeta": "p", "gamma": "k,p", "alpha": "k,n"},
        recover=from_lmi,
    )
    def eq3_sdp(self) -> Program:
        r"""Equation (3) with (4)–(7), each inner maximum as a Schur complement; a form of our own.

        minimize    λ·½ Σₜ Σᵢ γᵢᵗ + ½ Σₜ τₜ      over ζ ∈ Rᵖ, γ ∈ Rᵏˣᵖ, τ, b ∈ Rᵏ, ν, δ ∈ Rᵏˣⁿ
        subject to  [ (Σᵢ θᵢᵗGᵢ) ∘ yᵗyᵗᵀ        e + νᵗ - δᵗ + bₜyᵗ ]
                    [ (e + νᵗ - δᵗ + bₜyᵗ)ᵀ      τₜ - 2C eᵀδᵗ       ]  ⪰ 0,  θᵗ = ζ + γᵗ    (lmi)
                    Σᵢ (ζᵢ + γᵢᵗ) = 1,  t = 1, …, k    (budget)
                    ζ ≥ 0                              (nonneg_zeta)
                    γ ≥ 0                              (nonneg_gamma)
                    ν ≥ 0                              (nonneg_nu)
                    δ ≥ 0                              (nonneg_delta)

        The Lagrangian of 2D(α, G) over S(t) is 2αᵀ(e + ν - δ + by) - αᵀ(G ∘ yyᵀ)α + 2C eᵀδ, and the
        matrix inequality says that its maximum over α is at most τ.
        """
        k, n, p = self.k, self.n, self.p
        zeta, gamma = cp.Variable(p, name="zeta"), cp.Variable((k, p), name="gamma")
        tau, b = cp.Variable((k, 1), name="tau"), cp.Variable(k, name="b")
        nu, delta = cp.Variable((k, n), name="nu"), cp.Variable((k, n), name="delta")

        def lmi(t: int) -> cp.Constraint:
            y = self.Y[t]
            Q = combination(zeta + gamma[t], np.outer(y, y) * self.kernels)
            w = cp.reshape(1 + nu[t] - delta[t] + b[t] * y, (n, 1), order="C")
            corner = tau[t : t + 1] - 2 * self.C * cp.sum(delta[t])
            psd: cp.Constraint = (
                cp.bmat([[Q, w], [w.T, cp.reshape(corner, (1, 1), order="C")]]) >> 0
            )
            return psd

        return Program(
            minimize=self.lam * cp.sum(gamma) / 2 + cp.sum(tau) / 2,
            lmi=[lmi(t) for t in range(k)],
            budget=[cp.sum(zeta) + cp.sum(gamma[t]) == 1 for t in range(k)],
            nonneg_zeta=zeta >= 0,
            nonneg_gamma=gamma >= 0,
            nonneg_nu=nu >= 0,
            nonneg_delta=delta >= 0,
        )

    def alpha_from_lmi(self, program: Program) -> Array:
        r"""α, the multiplier of ν ≥ 0.

        With Z of the matrix inequality, z its last column and z₀ its corner: ∂L/∂τ = ½ - z₀ = 0,
        and ∂L/∂ν = -2z - α = 0, ∂L/∂δ = 2z + 2Cz₀ - … = 0, ∂L/∂b = -2zᵀy = 0 put α into S(t).
        """
        return program.dual("nonneg_nu")


@dataclass(frozen=True, eq=False, repr=False)
class Shared(MultiLabelled):
    """Kernels (p, n, n), labels Y (k, n) of ±1, C > 0, and β ≥ 0 that bounds Ω.

    β = 0 is one kernel for all labels (Same), β = k/2 one for each label (Independent), and so is
    every larger one: (10) is idle there.
    """

    beta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "beta", inputs.nonnegative("beta", self.beta))

    @property
    def most(self) -> float:
        """The largest Ω that (10) leaves: β, or k/2 where that is less."""
        return min(self.beta, self.k / 2)

    @printed(
        "tang2009-eq11",
        "(11)-(13) with (10)",
        "SILP",
        "min Σₜ gᵗ, Σᵢ θᵢᵗD(αᵗ, Gᵢ) ≤ gᵗ for all αᵗ ∈ S(t), Σᵢ θᵢᵗ = 1, θᵗ = ζ + γᵗ, Ω ≤ β",
        symbols={
            "theta": "k,p",
            "zeta": "p",
            "gamma": "k,p",
            "g": "k",
            "alpha": "k,n",
            "machines": "k,n",
        },
        recover=from_cuts,
    )
    def eq11(self, A: Sequence[Array]) -> Program:
        r"""Equations (11)–(13) with (10), restricted to the α (k, n) in a finite set A.

        minimize    Σₜ gᵗ                  over θ, γ ∈ Rᵏˣᵖ, ζ ∈ Rᵖ, g ∈ Rᵏ
        subject to  Σᵢ θᵢᵗD(αᵗ, Gᵢ) ≤ gᵗ,  t = 1, …, k,  for all α ∈ A    (cuts)
                    θ ≥ 0                            (nonneg)
                    Σᵢ θᵢᵗ = 1,  t = 1, …, k         (budget)
                    ½ Σₜ Σᵢ γᵢᵗ ≤ β                  (difference)
                    θᵢᵗ = ζᵢ + γᵢᵗ                   (parts)
                    ζ ≥ 0                            (nonneg_zeta)
                    γ ≥ 0                            (nonneg_gamma)

        # Paper prints θᵢᵗD(αⱼᵗ, Gᵢ) ≤ gᵗ in step 2 of section 4, without the sum over i of (12).
        """
        k, p = self.k, self.p
        theta, gamma = cp.Variable((k, p), name="theta"), cp.Variable((k, p), name="gamma")
        zeta, g = cp.Variable(p, name="zeta"), cp.Variable(k, name="g")
        D = [self.D(alpha) for alpha in A]
        return Program(
            minimize=cp.sum(g),
            cuts=[theta[t] @ D_j[t] <= g[t] for D_j in D for t in range(k)],
            nonneg=theta >= 0,
            budget=[cp.sum(theta[t]) == 1 for t in range(k)],
            difference=cp.sum(gamma) / 2 <= self.beta,
            parts=[theta[t] == zeta + gamma[t] for t in range(k)],
            nonneg_zeta=zeta >= 0,
            nonneg_gamma=gamma >= 0,
        )

"""Sections 2 and 3: λ is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.formulation import printed
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.program import Program, combination
from cvxkernel.formulations.ye2008.data import Scatter, solver
from cvxkernel.formulations.ye2008.programs.solved import (
    from_cuts,
    from_lmi,
    from_quad,
    from_restricted_lmi,
    restricted_master,
)


@dataclass(frozen=True, eq=False, repr=False)
class Discriminant(Scatter):
    """Kernels (p, n, n) not centred, labels y (n,), and the regularization parameter λ > 0."""

    lam: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "lam", inputs.positive("lam", self.lam))

    @property
    def G(self) -> Array:
        """G̃₁, …, G̃_p"""
        return self.centred

    # -- Section 2: two classes -------------------------------------------------------------

    @printed(
        "ye2008-thm2.1", "Theorem 2.1, (8)", "SDP",
        "min t, [I + ΣθᵢG̃ᵢ/λ, a; aᵀ, t] ⪰ 0, θ ≥ 0, θᵀr = 1",
        symbols={"theta": "p", "beta": "n", "t": ""}, recover=from_lmi, binary=True,
    )  # fmt: skip
    def thm2_1(self) -> Program:
        r"""Theorem 2.1, (8).

        minimize    t                                     over θ ∈ Rᵖ, t ∈ R
        subject to  [ I + (1/λ) Σᵢ θᵢG̃ᵢ   a ]
                    [ aᵀ                   t ]  ⪰ 0       (lmi)
                    θ ≥ 0                                 (nonneg)
                    θᵀr = 1                               (budget)
        """
        theta, t = cp.Variable(self.p, name="theta"), cp.Variable((1, 1), name="t")
        M = np.eye(self.n) + combination(theta, self.G) / self.lam
        return Program(
            minimize=t[0, 0],
            lmi=cp.bmat([[M, self.a], [self.a.T, t]]) >> 0,
            nonneg=theta >= 0,
            budget=theta @ self.r == 1,
        )

    @printed(
        "ye2008-thm2.2", "Theorem 2.2, (13)", "QCQP",
        "max -¼βᵀβ + βᵀa - t/(4λ), t ≥ βᵀG̃ᵢβ/rᵢ",
        symbols={"beta": "n", "t": "", "theta": "p"}, recover=from_quad, binary=True,
    )  # fmt: skip
    def thm2_2(self) -> Program:
        r"""Theorem 2.2, (13).

        maximize    -¼βᵀβ + βᵀa - (1/4λ) t                over β ∈ Rᵐ, t ∈ R
        subject to  t ≥ (1/rᵢ) βᵀG̃ᵢβ,  i = 1, …, p        (quad)
        """
        beta, t = cp.Variable((self.n, 1), name="beta"), cp.Variable(name="t")
        return Program(
            maximize=-cp.sum_squares(beta) / 4 + self.a[:, 0] @ beta[:, 0] - t / (4 * self.lam),
            # βᵀG̃ᵢβ = ‖Rᵢβ‖² with RᵢᵀRᵢ = G̃ᵢ
            quad=[t >= cp.sum_squares(factor(self.G[i]) @ beta) / self.r[i] for i in range(self.p)],
        )

    @printed(
        "ye2008-thm2.3", "Theorem 2.3, (16)", "SILP",
        "max γ, θ ≥ 0, θᵀr = 1, ΣθᵢSᵢ(β) ≥ γ for all β",
        symbols={"theta": "p", "gamma": "", "beta": "n"}, recover=from_cuts, binary=True,
    )  # fmt: skip
    def thm2_3(self, B: Sequence[Array]) -> Program:
        r"""Theorem 2.3, (16)–(18), restricted to the β in a finite set B (the restricted master).

        maximize    γ                                     over θ ∈ Rᵖ, γ ∈ R
        subject to  θ ≥ 0                                 (nonneg)
                    θᵀr = 1                               (budget)
                    Σᵢ θᵢSᵢ(β) ≥ γ  for all β ∈ B         (cuts)

        # Paper says this finds the kernel that "maximizes" (12); it minimizes it, and the value of
        # the program is minus the value of (13).
        """
        inputs.check_classes("y", self.k, at_most=2)
        return restricted_master(self.r, [self.S(beta, self.a) for beta in B])

    # -- Section 3: two classes or more -------------------------------------------------------

    @printed(
        "ye2008-eq29", "Equation (29)", "SDP",
        "min Σtⱼ, [I + ΣθᵢG̃ᵢ/λ, hⱼ; hⱼᵀ, tⱼ] ⪰ 0 for all j, θ ≥ 0, θᵀr = 1",
        symbols={"theta": "p", "beta": "n,k", "t": "k"}, recover=from_lmi,
    )  # fmt: skip
    def eq29(self) -> Program:
        r"""Equation (29).

        minimize    Σⱼ tⱼ                                 over t ∈ Rᵏ, θ ∈ Rᵖ
        subject to  [ I + (1/λ) Σᵢ θᵢG̃ᵢ   hⱼ ]
                    [ hⱼᵀ                  tⱼ ]  ⪰ 0,  j = 1, …, k    (lmi)
                    θ ≥ 0                                 (nonneg)
                    θᵀr = 1                               (budget)
        """
        t, theta = cp.Variable((self.k, 1), name="t"), cp.Variable(self.p, name="theta")
        M = np.eye(self.n) + combination(theta, self.G) / self.lam
        h = [self.H[:, [j]] for j in range(self.k)]
        return Program(
            minimize=cp.sum(t),
            lmi=[cp.bmat([[M, h[j]], [h[j].T, t[[j], :]]]) >> 0 for j in range(self.k)],
            nonneg=theta >= 0,
            budget=theta @ self.r == 1,
        )

    @printed(
        "ye2008-eq29-single", "(29) as one LMI, our form", "SDP",
        "min trace T, [I + ΣθᵢG̃ᵢ/λ, H; Hᵀ, T] ⪰ 0, θ ≥ 0, θᵀr = 1",
        symbols={"theta": "p", "beta": "n,k", "T": "k,k"}, recover=from_lmi,
    )  # fmt: skip
    def eq29_single(self) -> Program:
        r"""A form of our own, equal to (29): one LMI with a free symmetric T.

        minimize    trace T                               over T ∈ Sᵏ, θ ∈ Rᵖ
        subject to  [ I + (1/λ) Σᵢ θᵢG̃ᵢ   H ]
                    [ Hᵀ                   T ]  ⪰ 0       (lmi)
                    θ ≥ 0                                 (nonneg)
                    θᵀr = 1                               (budget)
        """
        T = cp.Variable((self.k, self.k), name="T", symmetric=True)
        theta = cp.Variable(self.p, name="theta")
        M = np.eye(self.n) + combination(theta, self.G) / self.lam
        return Program(
            minimize=cp.trace(T),
            lmi=cp.bmat([[M, self.H], [self.H.T, T]]) >> 0,
            nonneg=theta >= 0,
            budget=theta @ self.r == 1,
        )

    @printed(
        "ye2008-thm3.1", "Theorem 3.1, (32)", "SDP",
        "min Σtⱼ, [I + ΣθᵢG̃ᵢ/λ, H; Hᵀ, diag(t)] ⪰ 0, θ ≥ 0, θᵀr = 1",
        symbols={"theta": "p", "t": "k", "beta": "n,k", "Z": "k,k"}, recover=from_restricted_lmi,
    )  # fmt: skip
    def thm3_1(self) -> Program:
        r"""Theorem 3.1, (32): "approximates" (29), from above only.

        minimize    Σⱼ tⱼ                                 over t ∈ Rᵏ, θ ∈ Rᵖ
        subject to  [ I + (1/λ) Σᵢ θᵢG̃ᵢ   H       ]
                    [ Hᵀ                   diag(t) ]  ⪰ 0 (lmi)
                    θ ≥ 0                                 (nonneg)
                    θᵀr = 1                               (budget)
        """
        t, theta = cp.Variable(self.k, name="t"), cp.Variable(self.p, name="theta")
        M = np.eye(self.n) + combination(theta, self.G) / self.lam
        return Program(
            minimize=cp.sum(t),
            lmi=cp.bmat([[M, self.H], [self.H.T, cp.diag(t)]]) >> 0,
            nonneg=theta >= 0,
            budget=theta @ self.r == 1,
        )

    @printed(
        "ye2008-thm3.2", "Theorem 3.2, (34)", "QCQP",
        "max Σⱼβⱼᵀhⱼ - ¼Σⱼβⱼᵀβⱼ - t/(4λ), t ≥ ΣⱼβⱼᵀG̃ᵢβⱼ/rᵢ",
        symbols={"beta": "n,k", "t": "", "theta": "p"}, recover=from_quad,
    )  # fmt: skip
    def thm3_2(self) -> Program:
        r"""Theorem 3.2, (34).

        maximize    Σⱼ βⱼᵀhⱼ - ¼ Σⱼ βⱼᵀβⱼ - (1/4λ) t       over β₁, …, β_k ∈ Rⁿ, t ∈ R
        subject to  t ≥ (1/rᵢ) Σⱼ βⱼᵀG̃ᵢβⱼ,  i = 1, …, p    (quad)
        """
        beta, t = cp.Variable((self.n, self.k), name="beta"), cp.Variable(name="t")
        return Program(
            maximize=cp.sum(cp.multiply(beta, self.H))
            - cp.sum_squares(beta) / 4
            - t / (4 * self.lam),
            # Σⱼ βⱼᵀG̃ᵢβⱼ = ‖Rᵢβ‖² with RᵢᵀRᵢ = G̃ᵢ
            quad=[t >= cp.sum_squares(factor(self.G[i]) @ beta) / self.r[i] for i in range(self.p)],
        )

    @printed(
        "ye2008-thm3.3", "Theorem 3.3, (37)", "SILP",
        "max γ, θ ≥ 0, θᵀr = 1, ΣθᵢSᵢ(β) ≥ γ for all β",
        symbols={"theta": "p", "gamma": "", "beta": "n,k"}, recover=from_cuts,
    )  # fmt: skip
    def thm3_3(self, B: Sequence[Array]) -> Program:
        r"""Theorem 3.3, (37)–(38), restricted to the β in a finite set B (the restricted master).

        maximize    γ                                     over θ ∈ Rᵖ, γ ∈ R
        subject to  θ ≥ 0                                 (nonneg)
                    θᵀr = 1                               (budget)
                    Σᵢ θᵢSᵢ(β) ≥ γ  for all β ∈ B         (cuts)
        """
        return restricted_master(self.r, [self.S(beta, self.H) for beta in B])

    def weights_from_quad(self, program: Program) -> Array:
        r"""θᵢ = 4λμᵢ/rᵢ from the multipliers μ of t ≥ (1/rᵢ) Σⱼ βⱼᵀG̃ᵢβⱼ in (13), (34).

        ∂L/∂t = -1/(4λ) + Σᵢ μᵢ = 0 gives θᵀr = 1, and ∂L/∂βⱼ = hⱼ - ½βⱼ - 2Σᵢ (μᵢ/rᵢ) G̃ᵢβⱼ = 0 is
        the linear system of (20) at these θ.
        """
        return 4 * self.lam * program.dual("quad") / self.r

    # -- The semi-infinite programs -------------------------------------------------------------

    def S(self, beta: Array, h: Array) -> Array:
        r"""(18) with h = a, (38) with h = H:

        Sᵢ(β) = Σⱼ ( (rᵢ/4) βⱼᵀβⱼ + (1/4λ) βⱼᵀG̃ᵢβⱼ - rᵢ βⱼᵀhⱼ ),  i = 1, …, p
        """
        quad, inner = np.sum(beta**2), np.sum(beta * h)
        return self.r / 4 * quad + self.forms(beta) / (4 * self.lam) - self.r * inner

    def argmin(self, theta: Array, h: Array) -> Array:
        r"""(20): the β of the most violated cut, by one Cholesky factorization for all k columns.

        (½I + (1/2λ) Σᵢ θᵢG̃ᵢ) βⱼ = hⱼ,  j = 1, …, k
        """
        M = self.combined(theta)
        M /= 2 * self.lam
        M.flat[:: self.n + 1] += 0.5
        return solver(M, 0.5)(h)

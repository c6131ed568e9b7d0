r"""Ye, Ji and Chen (2008): the programs as printed, for a given λ and for a learned one.

With two classes the class vector is a, with two or more they are h₁, …, h_k.

Sections 2 and 3, `Discriminant`: the kernel is learned, λ is given. The optimal values of thm2.1
and thm2.2 are equal, that of thm2.3 is minus theirs; so with eq29, eq29-single, thm3.2 and thm3.3.
thm3.1 is only an upper bound on eq29.

Section 4, `JointDiscriminant`: kernel and regularization parameter are learned jointly. The
identity joins the kernels: G̃₀ = I, θ₀ = 1/τ = λ, r₀ = trace(I) = m. The optimal values of eq41 and
eq43 are equal, that of eq44 is minus theirs; so with eq45-single, eq46, eq47. eq45 is only an upper
bound on eq45-single.

# G̃₀ is not centred, so r₀ = m and not m - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.program import Program, combination
from cvxkernel.formulations.ye2008.data import Scatter, solver


def restricted_master(r: Array, S: Sequence[Array]) -> Program:
    """The semi-infinite programs (16), (37), (44), (47) with finitely many rows S(β).

    maximize γ  subject to  θ ≥ 0 (nonneg),  θᵀr = 1 (budget),  Σᵢ θᵢSᵢ(β) ≥ γ (cuts)
    """
    theta, gamma = cp.Variable(len(r), name="theta"), cp.Variable(name="gamma")
    return Program(
        maximize=gamma,
        nonneg=theta >= 0,
        budget=theta @ r == 1,
        cuts=[theta @ S_beta >= gamma for S_beta in S],
    )


# -- What is read off a solved program -------------------------------------------------------


def _from_lmi(problem: Scatter, program: Program) -> Point:
    return {"theta": program.value("theta"), "beta": problem.beta_from_lmi(program)}


def _from_restricted_lmi(problem: Scatter, program: Program) -> Point:
    Z, beta = problem.restricted_from_lmi(program)
    return {"theta": program.value("theta"), "t": program.value("t"), "beta": beta, "Z": Z}


def _from_quad(problem: Discriminant | JointDiscriminant, program: Program) -> Point:
    return {"theta": problem.weights_from_quad(program), "beta": program.value("beta")}


def _from_cuts(problem: Scatter, program: Program) -> Point:
    return {"theta": program.value("theta")}


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
        symbols={"theta": "p", "beta": "n", "t": ""}, recover=_from_lmi, binary=True,
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
        symbols={"beta": "n", "t": "", "theta": "p"}, recover=_from_quad, binary=True,
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
        symbols={"theta": "p", "gamma": "", "beta": "n"}, recover=_from_cuts, binary=True,
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
        symbols={"theta": "p", "beta": "n,k", "t": "k"}, recover=_from_lmi,
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
        symbols={"theta": "p", "beta": "n,k", "T": "k,k"}, recover=_from_lmi,
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
        symbols={"theta": "p", "t": "k", "beta": "n,k", "Z": "k,k"}, recover=_from_restricted_lmi,
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
        symbols={"beta": "n,k", "t": "", "theta": "p"}, recover=_from_quad,
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
        symbols={"theta": "p", "gamma": "", "beta": "n,k"}, recover=_from_cuts,
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


@dataclass(frozen=True, eq=False, repr=False)
class JointDiscriminant(Scatter):
    """Kernels (p, n, n) not centred and labels y (n,); λ is a variable."""

    @cached_property
    def G(self) -> Array:
        """G̃₀ = I, G̃₁, …, G̃_p"""
        return np.concatenate([np.eye(self.n)[None], self.centred])

    @cached_property
    def r(self) -> Array:
        """r₀ = m, r₁, …, r_p"""
        return np.concatenate([[float(self.n)], self.traces])

    # -- Section 4.1: two classes -----------------------------------------------------------

    @printed(
        "ye2008-eq41", "Equation (41)", "SDP",
        "min t, [ΣθᵢG̃ᵢ, a; aᵀ, t] ⪰ 0, θ̃ ≥ 0, θ̃ᵀr = 1, G̃₀ = I",
        symbols={"theta": "p+1", "beta": "n", "t": ""}, recover=_from_lmi, binary=True,
    )  # fmt: skip
    def eq41(self) -> Program:
        r"""Equation (41).

        minimize    t                                     over t ∈ R, θ̃ ∈ Rᵖ⁺¹
        subject to  [ Σᵢ₌₀ᵖ θᵢG̃ᵢ   a ]
                    [ aᵀ            t ]  ⪰ 0              (lmi)
                    θ̃ ≥ 0                                 (nonneg)
                    Σᵢ θᵢ trace(G̃ᵢ) = 1                   (budget)
        """
        t, theta = cp.Variable((1, 1), name="t"), cp.Variable(self.p + 1, name="theta")
        M = combination(theta, self.G)
        return Program(
            minimize=t[0, 0],
            lmi=cp.bmat([[M, self.a], [self.a.T, t]]) >> 0,
            nonneg=theta >= 0,
            budget=theta @ self.r == 1,
        )

    @printed(
        "ye2008-eq43", "Equation (43)", "QCQP",
        "max βᵀa - ¼t, t ≥ βᵀG̃ᵢβ/rᵢ, i = 0, …, p",
        symbols={"beta": "n", "t": "", "theta": "p+1"}, recover=_from_quad, binary=True,
    )  # fmt: skip
    def eq43(self) -> Program:
        r"""Equation (43).

        maximize    βᵀa - ¼t                              over β ∈ Rᵐ, t ∈ R
        subject to  t ≥ (1/rᵢ) βᵀG̃ᵢβ,  i = 0, …, p        (quad)
        """
        beta, t = cp.Variable((self.n, 1), name="beta"), cp.Variable(name="t")
        return Program(
            maximize=self.a[:, 0] @ beta[:, 0] - t / 4,
            quad=[
                t >= cp.sum_squares(factor(self.G[i]) @ beta) / self.r[i] for i in range(self.p + 1)
            ],
        )

    @printed(
        "ye2008-eq44", "Equation (44)", "SILP",
        "max γ, θ̃ ≥ 0, θ̃ᵀr = 1, ΣθᵢSᵢ(β) ≥ γ for all β",
        symbols={"theta": "p+1", "gamma": "", "beta": "n"}, recover=_from_cuts, binary=True,
    )  # fmt: skip
    def eq44(self, B: Sequence[Array]) -> Program:
        r"""Equation (44), restricted to the β in a finite set B (the restricted master).

        maximize    γ                                     over θ̃ ∈ Rᵖ⁺¹, γ ∈ R
        subject to  θ̃ ≥ 0                                 (nonneg)
                    θ̃ᵀr = 1                               (budget)
                    Σᵢ θᵢSᵢ(β) ≥ γ  for all β ∈ B         (cuts)
        """
        inputs.check_classes("y", self.k, at_most=2)
        return restricted_master(self.r, [self.S(beta, self.a) for beta in B])

    # -- Section 4.2: two classes or more -----------------------------------------------------

    @printed(
        "ye2008-eq45", "Equation (45)", "SDP",
        "min Σtⱼ, [ΣθᵢG̃ᵢ, H; Hᵀ, diag(t)] ⪰ 0, θ̃ ≥ 0, θ̃ᵀr = 1, G̃₀ = I",
        symbols={"theta": "p+1", "t": "k", "beta": "n,k", "Z": "k,k"}, recover=_from_restricted_lmi,
    )  # fmt: skip
    def eq45(self) -> Program:
        r"""Equation (45).

        minimize    Σⱼ tⱼ                                 over t ∈ Rᵏ, θ̃ ∈ Rᵖ⁺¹
        subject to  [ Σᵢ₌₀ᵖ θᵢG̃ᵢ   H       ]
                    [ Hᵀ            diag(t) ]  ⪰ 0        (lmi)
                    θ̃ ≥ 0                                 (nonneg)
                    θ̃ᵀr = 1                               (budget)
        """
        t, theta = cp.Variable(self.k, name="t"), cp.Variable(self.p + 1, name="theta")
        M = combination(theta, self.G)
        return Program(
            minimize=cp.sum(t),
            lmi=cp.bmat([[M, self.H], [self.H.T, cp.diag(t)]]) >> 0,
            nonneg=theta >= 0,
            budget=theta @ self.r == 1,
        )

    @printed(
        "ye2008-eq45-single", "(45) made exact, our form", "SDP",
        "min trace T, [ΣθᵢG̃ᵢ, H; Hᵀ, T] ⪰ 0, θ̃ ≥ 0, θ̃ᵀr = 1, G̃₀ = I",
        symbols={"theta": "p+1", "beta": "n,k", "T": "k,k"}, recover=_from_lmi,
    )  # fmt: skip
    def eq45_single(self) -> Program:
        r"""A form of our own, the exact counterpart of (45): a free symmetric T for diag(t).

        minimize    trace T                               over T ∈ Sᵏ, θ̃ ∈ Rᵖ⁺¹
        subject to  [ Σᵢ₌₀ᵖ θᵢG̃ᵢ   H ]
                    [ Hᵀ            T ]  ⪰ 0              (lmi)
                    θ̃ ≥ 0                                 (nonneg)
                    θ̃ᵀr = 1                               (budget)
        """
        T = cp.Variable((self.k, self.k), name="T", symmetric=True)
        theta = cp.Variable(self.p + 1, name="theta")
        M = combination(theta, self.G)
        return Program(
            minimize=cp.trace(T),
            lmi=cp.bmat([[M, self.H], [self.H.T, T]]) >> 0,
            nonneg=theta >= 0,
            budget=theta @ self.r == 1,
        )

    @printed(
        "ye2008-eq46", "Equation (46)", "QCQP",
        "max Σⱼβⱼᵀhⱼ - ¼t, t ≥ ΣⱼβⱼᵀG̃ᵢβⱼ/rᵢ, i = 0, …, p",
        symbols={"beta": "n,k", "t": "", "theta": "p+1"}, recover=_from_quad,
    )  # fmt: skip
    def eq46(self) -> Program:
        r"""Equation (46).

        maximize    Σⱼ βⱼᵀhⱼ - ¼t                          over β₁, …, β_k ∈ Rⁿ, t ∈ R
        subject to  t ≥ (1/rᵢ) Σⱼ βⱼᵀG̃ᵢβⱼ,  i = 0, …, p    (quad)
        """
        beta, t = cp.Variable((self.n, self.k), name="beta"), cp.Variable(name="t")
        return Program(
            maximize=cp.sum(cp.multiply(beta, self.H)) - t / 4,
            quad=[
                t >= cp.sum_squares(factor(self.G[i]) @ beta) / self.r[i] for i in range(self.p + 1)
            ],
        )

    @printed(
        "ye2008-eq47", "Equation (47)", "SILP",
        "max γ, θ̃ ≥ 0, θ̃ᵀr = 1, ΣθᵢSᵢ(β) ≥ γ for all β",
        symbols={"theta": "p+1", "gamma": "", "beta": "n,k"}, recover=_from_cuts,
    )  # fmt: skip
    def eq47(self, B: Sequence[Array]) -> Program:
        r"""Equation (47), restricted to the β in a finite set B (the restricted master).

        maximize    γ                                     over θ̃ ∈ Rᵖ⁺¹, γ ∈ R
        subject to  θ̃ ≥ 0                                 (nonneg)
                    θ̃ᵀr = 1                               (budget)
                    Σᵢ θᵢSᵢ(β) ≥ γ  for all β ∈ B         (cuts)
        """
        return restricted_master(self.r, [self.S(beta, self.H) for beta in B])

    def weights_from_quad(self, program: Program) -> Array:
        r"""θᵢ = 4μᵢ/rᵢ from the multipliers μ of t ≥ (1/rᵢ) Σⱼ βⱼᵀG̃ᵢβⱼ in (43), (46).

        ∂L/∂t = -¼ + Σᵢ μᵢ = 0 gives θ̃ᵀr = 1, and ∂L/∂βⱼ = hⱼ - 2Σᵢ (μᵢ/rᵢ) G̃ᵢβⱼ = 0 is the linear
        system of the most violated cut at these θ̃.
        """
        return 4 * program.dual("quad") / self.r

    # -- The semi-infinite programs -------------------------------------------------------------

    def S(self, beta: Array, h: Array) -> Array:
        r"""Below (44) with h = a, below (47) with h = H:

        Sᵢ(β) = Σⱼ ( ¼ βⱼᵀG̃ᵢβⱼ - rᵢ βⱼᵀhⱼ ),  i = 0, …, p
        """
        forms = np.concatenate([[np.sum(beta**2)], self.forms(beta)])
        return forms / 4 - self.r * np.sum(beta * h)

    def argmin(self, theta: Array, h: Array) -> Array:
        r"""The β of the most violated cut, by one Cholesky factorization for all k columns.

        ½ Σᵢ θᵢG̃ᵢ βⱼ = hⱼ,  i = 0, …, p,  j = 1, …, k

        Raises LinAlgError where at θ₀ = 0 the rest is singular beyond the constants: (42) is then
        unbounded, or its β not to be had in doubles.
        """
        M = self.combined(theta[1:])
        M.flat[:: self.n + 1] += theta[0]
        # Hᵀe = 0, Me = θ₀e: adding a multiple of eeᵀ moves no βⱼ and keeps M definite at θ₀ = 0.
        M += np.trace(M) / self.n**2
        M /= 2
        return solver(M, float(theta[0]) / 2)(h)

r"""Ye, Ji and Chen (2008), section 4: kernel and regularization parameter are learned jointly.

The identity joins the kernels: G̃₀ = I, θ₀ = 1/τ = λ, r₀ = trace(I) = m.

# G̃₀ is not centred, so r₀ = m and not m - 1.

The optimal values of eq41 and eq43 are equal, that of eq44 is minus theirs; so with eq45-single,
eq46, eq47. eq45 is only an upper bound on eq45-single.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.program import Program, combination
from cvxkernel.formulations.ye2008.data import Scatter, restricted_master, solver


@dataclass(frozen=True, eq=False)
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

r"""Gönen and Alpaydın (2008): localized multiple kernel learning. ICML 25.

    η_m(x) = exp(⟨v_m, x⟩ + v_m0) / Σ_k exp(⟨v_k, x⟩ + v_k0)              the gating model
    K_η(xᵢ, xⱼ) = Σ_m η_m(xᵢ) K_m(xᵢ, xⱼ) η_m(xⱼ)                         the combined kernel

With the gating fixed, (5) and (7) are a support vector machine and its dual. Over the gating, (5)
is not convex: J(η), the optimum of (5) and (7) at a gating, is what Algorithm 1 descends on.

K_η = Σ_m D_m K_m D_m with D_m = diag(η_m(x₁), …, η_m(xₙ)), and zᵀD_mK_mD_mz = (D_mz)ᵀK_m(D_mz) ≥ 0:
it is positive semidefinite, for gates of any sign.
# Paper: "The only restriction is to have nonnegative η_m(x)". A congruence needs no sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.gonen2008.data import Points, gates
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.program import Program


def from_primal(problem: Gated, program: Program) -> Point:
    """α, the multipliers of the margins; c_m the shortest with R_mc_m = w_m."""
    pairs = zip(map(factor, problem.kernels), range(1, problem.p + 1), strict=True)
    every = [
        np.linalg.lstsq(R, program.value(f"w{m}"), rcond=None)[0] if len(R) else np.zeros(problem.n)
        for R, m in pairs
    ]
    return {"alpha": program.dual("margin"), "c": np.stack(every)}


def from_dual(problem: Points, program: Program) -> Point:
    """α of (7)."""
    return {"alpha": program.value("alpha")}


@dataclass(frozen=True, eq=False, repr=False)
class Gated(Points):
    """Kernels (p, n, n), labels y (n,) of ±1, X (n, d), C > 0; the gating V (p, d), v0 (p,)."""

    V: Array
    v0: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        for key, shape in (("V", (self.p, self.d)), ("v0", (self.p,))):
            given = inputs.weights(key, getattr(self, key), shape)
            inputs.check_size(key, given)
            object.__setattr__(self, key, given)

    @cached_property
    def eta(self) -> Array:
        """η_m(xᵢ), as (p, n)"""
        return gates(self.X, self.V, self.v0)

    @cached_property
    def K_eta(self) -> Array:
        """K_η(xᵢ, xⱼ) = Σ_m η_m(xᵢ) K_m(xᵢ, xⱼ) η_m(xⱼ)"""
        K: Array = np.zeros((self.n, self.n))
        for eta, K_m in zip(self.eta, self.kernels, strict=True):
            K += eta[:, None] * K_m * eta
        return K

    @printed(
        "gonen2008-eq5",
        "(5), the gating given",
        "QP",
        "min ½Σ‖w_m‖² + CΣξᵢ, yᵢ(Ση_m(xᵢ)⟨w_m,Φ_m(xᵢ)⟩ + b) ≥ 1 - ξᵢ, ξᵢ ≥ 0, w_m = Σc_mjΦ_m(xⱼ)",
        symbols={"c": "p,n", "b": "", "xi": "n", "alpha": "n"},
        recover=from_primal,
        binary=True,
    )
    def eq5(self) -> Program:
        r"""The primal (5) with the gating given. Φ_m(xᵢ) is a column of R_m, R_mᵀR_m = K_m.

        minimize    ½ Σ_m ‖w_m‖² + C Σᵢ ξᵢ                over w_m, b ∈ R, ξ ∈ Rⁿ
        subject to  yᵢ(Σ_m η_m(xᵢ)⟨w_m, Φ_m(xᵢ)⟩ + b) ≥ 1 - ξᵢ      (margin)
                    ξᵢ ≥ 0                                          (nonneg)

        An answer tells w_m as Σⱼ c_mjΦ_m(xⱼ), so that ‖w_m‖² = c_mᵀK_mc_m and ⟨w_m, Φ_m(xᵢ)⟩ =
        (K_mc_m)ᵢ; what of a w_m is across all Φ_m(xⱼ) makes it longer. (6): c_mj = αⱼyⱼη_m(xⱼ).
        """
        Phi = [factor(K) for K in self.kernels]
        # A kernel that is zero has no rows: its w_m has one entry, which is free.
        Phi = [R if len(R) else np.zeros((1, self.n)) for R in Phi]
        w = [cp.Variable(len(Phi[m]), name=f"w{m + 1}") for m in range(self.p)]
        b, xi = cp.Variable(name="b"), cp.Variable(self.n, name="xi")
        f = sum(cp.multiply(self.eta[m], Phi[m].T @ w[m]) for m in range(self.p)) + b
        return Program(
            minimize=sum(cp.sum_squares(w_m) for w_m in w) / 2 + self.C * cp.sum(xi),
            margin=cp.multiply(self.y, f) >= 1 - xi,
            nonneg=xi >= 0,
        )

    @printed(
        "gonen2008-eq7",
        "(7), the gating given",
        "QP",
        "max Σαᵢ - ½ΣΣαᵢαⱼyᵢyⱼK_η(xᵢ,xⱼ), Σαᵢyᵢ = 0, C ≥ α ≥ 0",
        symbols={"alpha": "n", "b": ""},
        recover=from_dual,
        binary=True,
    )
    def eq7(self) -> Program:
        r"""The dual (7).

        maximize    Σᵢ αᵢ - ½ Σᵢ Σⱼ αᵢαⱼyᵢyⱼK_η(xᵢ, xⱼ)   over α ∈ Rⁿ
        subject to  Σᵢ αᵢyᵢ = 0                                     (balance)
                    C ≥ αᵢ                                          (box)
                    αᵢ ≥ 0                                          (nonneg)
        """
        alpha = cp.Variable(self.n, name="alpha")
        R = factor(np.outer(self.y, self.y) * self.K_eta)
        return Program(
            maximize=cp.sum(alpha) - cp.sum_squares(R @ alpha) / 2,
            balance=alpha @ self.y == 0,
            box=alpha <= self.C,
            nonneg=alpha >= 0,
        )

    def gradient(self, alpha: Array) -> tuple[Array, Array]:
        r"""(∂J/∂V, ∂J/∂v0) at the α that solves (7), as printed.

        ∂J/∂v_m0 = -½ Σᵢ Σⱼ Σ_k αᵢαⱼyᵢyⱼη_k(xᵢ)K_k(xᵢ, xⱼ)η_k(xⱼ)
                     (δᵏ_m - η_m(xᵢ) + δᵏ_m - η_m(xⱼ))
        ∂J/∂v_m  = the same with (xᵢ[δᵏ_m - η_m(xᵢ)] + xⱼ[δᵏ_m - η_m(xⱼ)])
        """
        u = alpha * self.y * self.eta  # (k, i): αᵢyᵢη_k(xᵢ)
        terms = u[:, :, None] * self.kernels * u[:, None, :]
        s = -(terms.sum(axis=2) + terms.sum(axis=1)) / 2  # (k, i): what xᵢ multiplies
        rest = s - self.eta * s.sum(axis=0)  # (m, i): Σ_k s_k(i)(δᵏ_m - η_m(xᵢ))
        return rest @ self.X, rest.sum(axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class Localized(Points):
    """Two kernels or more (p, n, n), labels y (n,) of ±1, X (n, d), C > 0; no gating yet."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p < 2:
            raise ShapeError("kernels", "two kernels or more to choose from", "one kernel")

    def at(self, V: Array | None = None, v0: Array | None = None) -> Gated:
        """The same data with a gating; equal gates unless it is given."""
        V = np.zeros((self.p, self.d)) if V is None else V
        v0 = np.zeros(self.p) if v0 is None else v0
        made: Gated = object.__new__(Gated)
        # What Gated would check was checked when this was made; the gating is the caller's.
        for key in ("kernels", "y", "X", "C"):
            object.__setattr__(made, key, getattr(self, key))
        object.__setattr__(made, "V", inputs.weights("V", V, (self.p, self.d)))
        object.__setattr__(made, "v0", inputs.weights("v0", v0, (self.p,)))
        return made

    @printed(
        "gonen2008-alg1",
        "Algorithm 1, (5)",
        "nonconvex",
        "min over V, v0 of J = max (7); enclosed: J at the V, v0 found",
        symbols={"alpha": "n", "b": "", "V": "p,d", "v0": "p"},
        recover=from_dual,
        binary=True,
        fixed=("V", "v0"),
    )
    def eq7(self, V: Array | None = None, v0: Array | None = None) -> Program:
        """(7) at a gating; with equal gates, near which Algorithm 1 starts, unless it is given."""
        return self.at(V, v0).eq7()

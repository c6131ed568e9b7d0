r"""Gönen and Alpaydın (2008): localized multiple kernel learning. ICML 25.

    η_m(x) = exp(⟨v_m, x⟩ + v_m0) / Σ_k exp(⟨v_k, x⟩ + v_k0)              the gating model
    K_η(xᵢ, xⱼ) = Σ_m η_m(xᵢ) K_m(xᵢ, xⱼ) η_m(xⱼ)                         the combined kernel

With the gating fixed, (5) and (7) are a support vector machine and its dual. Over the gating, (5)
is not convex: J(η), the optimum of (5) and (7) at a gating, is what Algorithm 1 descends on.

K_η = Σ_m D_m K_m D_m with D_m = diag(η_m(x₁), …, η_m(xₙ)), and zᵀD_mK_mD_mz = (D_mz)ᵀK_m(D_mz) ≥ 0:
it is positive semidefinite, for gates of any sign.
# Paper: "The only restriction is to have nonnegative η_m(x)". A congruence needs no sign.

Section 3.2: "LMKL can also be applied to … regression and one-class SVMs. We need to make two basic
changes: (a) optimization problem and (b) gradient calculations from the objective value found."
It prints neither. The problems are those of Schölkopf and Smola, with K_η; J depends on the gating
through K_η alone, so that its gradient is the printed one with their coefficients for the αᵢyᵢ.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.gonen2008.data import Gating, Placed, Points, Targets, Unlabelled
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.program import Program

G = TypeVar("G", bound=Gating)


def from_primal(problem: Gated, program: Program) -> Point:
    """α, the multipliers of the margins; c_m the shortest with R_mc_m = w_m."""
    pairs = zip(map(factor, problem.kernels), range(1, problem.p + 1), strict=True)
    every = [
        np.linalg.lstsq(R, program.value(f"w{m}"), rcond=None)[0] if len(R) else np.zeros(problem.n)
        for R, m in pairs
    ]
    return {"alpha": program.dual("margin"), "c": np.stack(every)}


def from_dual(problem: Placed, program: Program) -> Point:
    """α of (7)."""
    return {"alpha": program.value("alpha")}


def from_regression(problem: Targets, program: Program) -> Point:
    """β = α⁺ - α⁻"""
    plus, minus = program.value("alpha")
    return {"beta": plus - minus}


def features(problem: Gated | GatedRegression | GatedOneClass) -> tuple[list[cp.Variable], Any]:
    """w_m, and Σ_m η_m(xᵢ)⟨w_m, Φ_m(xᵢ)⟩; Φ_m(xᵢ) is a column of R_m, R_mᵀR_m = K_m."""
    Phi = [factor(K) for K in problem.kernels]
    # A kernel that is zero has no rows: its w_m has one entry, which is free.
    Phi = [R if len(R) else np.zeros((1, problem.n)) for R in Phi]
    w = [cp.Variable(len(Phi[m]), name=f"w{m + 1}") for m in range(problem.p)]
    return w, sum(cp.multiply(problem.eta[m], Phi[m].T @ w[m]) for m in range(problem.p))


def half_squares(w: list[cp.Variable]) -> Any:
    """½ Σ_m ‖w_m‖²"""
    return sum(cp.sum_squares(w_m) for w_m in w) / 2


# -- A gating given --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Gated(Gating, Points):
    """Kernels (p, n, n), labels y (n,) of ±1, X (n, d), C > 0; the gating V (p, d), v0 (p,)."""

    V: Array
    v0: Array

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
        w, f = features(self)
        b, xi = cp.Variable(name="b"), cp.Variable(self.n, name="xi")
        return Program(
            minimize=half_squares(w) + self.C * cp.sum(xi),
            margin=cp.multiply(self.y, f + b) >= 1 - xi,
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
        return self.slope(alpha * self.y)


@dataclass(frozen=True, eq=False, repr=False)
class GatedRegression(Gating, Targets):
    """Kernels (p, n, n), numbers y (n,), X (n, d), C > 0, ε ≥ 0; the gating V (p, d), v0 (p,)."""

    V: Array
    v0: Array

    def primal(self) -> Program:
        r"""(5) with the ε-insensitive loss of regression.

        minimize    ½ Σ_m ‖w_m‖² + C Σᵢ (ξᵢ⁺ + ξᵢ⁻)       over w_m, b ∈ R, ξ⁺, ξ⁻ ∈ Rⁿ
        subject to  yᵢ - Σ_m η_m(xᵢ)⟨w_m, Φ_m(xᵢ)⟩ - b ≤ ε + ξᵢ⁺    (above)
                    Σ_m η_m(xᵢ)⟨w_m, Φ_m(xᵢ)⟩ + b - yᵢ ≤ ε + ξᵢ⁻    (below)
                    ξᵢ⁺, ξᵢ⁻ ≥ 0                                    (nonneg)
        """
        w, f = features(self)
        b, xi = cp.Variable(name="b"), cp.Variable((2, self.n), name="xi")
        return Program(
            minimize=half_squares(w) + self.C * cp.sum(xi),
            above=self.y - f - b <= self.epsilon + xi[0],
            below=f + b - self.y <= self.epsilon + xi[1],
            nonneg=xi >= 0,
        )

    def dual(self) -> Program:
        r"""(7) for it, of which an answer tells β = α⁺ - α⁻: one of the two is zero.

        maximize    Σᵢ yᵢ(αᵢ⁺ - αᵢ⁻) - ε Σᵢ (αᵢ⁺ + αᵢ⁻)
                    - ½ Σᵢ Σⱼ (αᵢ⁺ - αᵢ⁻)(αⱼ⁺ - αⱼ⁻)K_η(xᵢ, xⱼ)     over α⁺, α⁻ ∈ Rⁿ
        subject to  Σᵢ (αᵢ⁺ - αᵢ⁻) = 0                              (balance)
                    C ≥ αᵢ⁺, αᵢ⁻                                    (box)
                    αᵢ⁺, αᵢ⁻ ≥ 0                                    (nonneg)
        """
        alpha = cp.Variable((2, self.n), name="alpha")
        beta = alpha[0] - alpha[1]
        form = cp.sum_squares(factor(self.K_eta) @ beta)
        return Program(
            maximize=self.y @ beta - self.epsilon * cp.sum(alpha) - form / 2,
            balance=cp.sum(beta) == 0,
            box=alpha <= self.C,
            nonneg=alpha >= 0,
        )

    def gradient(self, beta: Array) -> tuple[Array, Array]:
        """(∂J/∂V, ∂J/∂v0) at the β of the dual: the gating is in K_η alone, so as in (7)."""
        return self.slope(beta)


@dataclass(frozen=True, eq=False, repr=False)
class GatedOneClass(Gating, Unlabelled):
    """Kernels (p, n, n), X (n, d), ν in (0, 1]; the gating V (p, d), v0 (p,)."""

    V: Array
    v0: Array

    def primal(self) -> Program:
        r"""(5) with the objective of one-class machines, C = 1/(νn).

        minimize    ½ Σ_m ‖w_m‖² + 1/(νn) Σᵢ ξᵢ - ρ       over w_m, ρ ∈ R, ξ ∈ Rⁿ
        subject to  Σ_m η_m(xᵢ)⟨w_m, Φ_m(xᵢ)⟩ ≥ ρ - ξᵢ              (margin)
                    ξᵢ ≥ 0                                          (nonneg)
        """
        w, f = features(self)
        rho, xi = cp.Variable(name="rho"), cp.Variable(self.n, name="xi")
        return Program(
            minimize=half_squares(w) + cp.sum(xi) / (self.nu * self.n) - rho,
            margin=f >= rho - xi,
            nonneg=xi >= 0,
        )

    def dual(self) -> Program:
        r"""(7) for it.

        maximize    -½ Σᵢ Σⱼ αᵢαⱼK_η(xᵢ, xⱼ)              over α ∈ Rⁿ
        subject to  Σᵢ αᵢ = 1                                       (balance)
                    1/(νn) ≥ αᵢ                                     (box)
                    αᵢ ≥ 0                                          (nonneg)
        """
        alpha = cp.Variable(self.n, name="alpha")
        return Program(
            maximize=-cp.sum_squares(factor(self.K_eta) @ alpha) / 2,
            balance=cp.sum(alpha) == 1,
            box=alpha <= 1 / (self.nu * self.n),
            nonneg=alpha >= 0,
        )

    def gradient(self, alpha: Array) -> tuple[Array, Array]:
        """(∂J/∂V, ∂J/∂v0) at the α of the dual: the gating is in K_η alone, so as in (7)."""
        return self.slope(alpha)


# -- The gating to be learned ----------------------------------------------------------------------


class Local(Placed):
    """Mixed into a problem whose gating is to be learned: two kernels or more to choose from."""

    p: int

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[misc]  # of the data beside it
        if self.p < 2:
            raise ShapeError("kernels", "two kernels or more to choose from", "one kernel")

    def _gated(self, gated: type[G], V: Array | None, v0: Array | None) -> G:
        V = np.zeros((self.p, self.d)) if V is None else V
        v0 = np.zeros(self.p) if v0 is None else v0
        made: G = object.__new__(gated)
        # What it would check was checked when this was made; the gating is the caller's.
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(made, field.name, getattr(self, field.name))
        object.__setattr__(made, "V", inputs.weights("V", V, (self.p, self.d)))
        object.__setattr__(made, "v0", inputs.weights("v0", v0, (self.p,)))
        return made


@dataclass(frozen=True, eq=False, repr=False)
class Localized(Local, Points):
    """Two kernels or more (p, n, n), labels y (n,) of ±1, X (n, d), C > 0; no gating yet."""

    def at(self, V: Array | None = None, v0: Array | None = None) -> Gated:
        """The same data with a gating; equal gates unless it is given."""
        return self._gated(Gated, V, v0)

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


@dataclass(frozen=True, eq=False, repr=False)
class LocalizedRegression(Local, Targets):
    """Two kernels or more (p, n, n), numbers y (n,), X (n, d), C > 0, ε ≥ 0; no gating yet."""

    def at(self, V: Array | None = None, v0: Array | None = None) -> GatedRegression:
        """The same data with a gating; equal gates unless it is given."""
        return self._gated(GatedRegression, V, v0)

    @printed(
        "gonen2008-alg1-regression",
        "Section 3.2; ours",
        "nonconvex",
        "min over V, v0 of J = max Σyᵢβᵢ - εΣ|βᵢ| - ½ΣΣβᵢβⱼK_η(xᵢ,xⱼ), Σβᵢ = 0, |βᵢ| ≤ C; "
        "enclosed: J at the V, v0 found",
        symbols={"beta": "n", "b": "", "V": "p,d", "v0": "p"},
        recover=from_regression,
        fixed=("V", "v0"),
    )
    def dual(self, V: Array | None = None, v0: Array | None = None) -> Program:
        r"""The dual at a gating, with equal gates unless it is given, in β = α⁺ - α⁻.

        maximize    Σᵢ yᵢβᵢ - ε Σᵢ |βᵢ| - ½ Σᵢ Σⱼ βᵢβⱼK_η(xᵢ, xⱼ)   over β ∈ Rⁿ
        subject to  Σᵢ βᵢ = 0                                       (balance)
                    C ≥ |βᵢ|                                        (box)
        """
        return self.at(V, v0).dual()


@dataclass(frozen=True, eq=False, repr=False)
class LocalizedOneClass(Local, Unlabelled):
    """Two kernels or more (p, n, n), X (n, d), ν in (0, 1]; no gating yet."""

    def at(self, V: Array | None = None, v0: Array | None = None) -> GatedOneClass:
        """The same data with a gating; equal gates unless it is given."""
        return self._gated(GatedOneClass, V, v0)

    @printed(
        "gonen2008-alg1-oneclass",
        "Section 3.2; ours",
        "nonconvex",
        "min over V, v0 of J = max -½ΣΣαᵢαⱼK_η(xᵢ,xⱼ), Σαᵢ = 1, 1/(νn) ≥ α ≥ 0; "
        "enclosed: J at the V, v0 found",
        symbols={"alpha": "n", "rho": "", "V": "p,d", "v0": "p"},
        recover=from_dual,
        fixed=("V", "v0"),
    )
    def dual(self, V: Array | None = None, v0: Array | None = None) -> Program:
        r"""The dual at a gating, with equal gates unless it is given.

        maximize    -½ Σᵢ Σⱼ αᵢαⱼK_η(xᵢ, xⱼ)              over α ∈ Rⁿ
        subject to  Σᵢ αᵢ = 1                                       (balance)
                    1/(νn) ≥ αᵢ                                     (box)
                    αᵢ ≥ 0                                          (nonneg)
        """
        return self.at(V, v0).dual()

r"""Kundu, Tankasali, Bhattacharyya and Ben-Tal (2010): the programs.

Y = diag(y),  A = {α : αᵀy = 0, 0 ≤ α ≤ C},  Δ = {γ ≥ 0, Σᵢ γᵢ ≤ 1},

    ω(K)          = max over α ∈ A of 1ᵀα - ½αᵀYKYα                                     (1)
    Ω(K₁, …, K_m) = max over γ ∈ Δ, α ∈ A of 1ᵀα - ½αᵀY(Σᵢ Kᵢ/γᵢ)Yα                     (10)

A minimum over K of a maximum over α is written with the dual of the inner maximum:

    ω(K)          = min ½s + C·1ᵀδ,  [YKY  w; wᵀ  s] ⪰ 0,   w = 1 + ν - δ + by,  ν, δ ≥ 0
    Ω(K₁, …, K_m) = min ½s + C·1ᵀδ,  [YKᵢY wᵢ; wᵢᵀ s] ⪰ 0,  Σᵢ wᵢ = 1 + ν - δ + by,  ν, δ ≥ 0

For ω it is the Lagrangian's maximum over α, ½wᵀ(YKY)⁻¹w. For Ω, αᵀMα/γ is the largest
2αᵀw - γwᵀM⁻¹w, so that -½Σᵢ αᵀMᵢα/γᵢ is the least ½Σᵢ γᵢwᵢᵀMᵢ⁻¹wᵢ - αᵀΣᵢ wᵢ; the largest of it over
γ is ½maxᵢ wᵢᵀMᵢ⁻¹wᵢ, and the largest αᵀ(1 - Σᵢ wᵢ) over α ∈ A is the least C·1ᵀδ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.data import (
    EigenvectorData,
    KernelData,
    LossData,
    SimilarityData,
)
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.formulations.program import Program, combination

# An algorithm has the program of what it solves, and so the statement and the symbols.
EQ4 = "min ω(K) + ρΣᵢL(K - Sᵢ), K ⪰ 0, trace K = τ"
EQ6 = "min Ω(K₁, …, K_m) + ρΣᵢL(Kᵢ - Sᵢ), Kᵢ ⪰ 0, trace Kᵢ = τ, with the Ω of (10)"
EQ7 = "min Ω(K₁, …, K_m) + ρΣᵢ‖μᵢ - λᵢ‖₂, Kᵢ = Σⱼμᵢⱼvᵢⱼvᵢⱼᵀ, μᵢ ≥ 0, Σⱼμᵢⱼ = τ"
EQ5 = "min ω(ΣᵢβᵢKᵢ), β ≥ 0, trace ΣᵢβᵢKᵢ = τ, the Kᵢ given"
EQ10 = "max 1ᵀα - ½Σᵢ αᵀYKᵢYα/γᵢ, γ ≥ 0, Σᵢγᵢ ≤ 1, αᵀy = 0, 0 ≤ α ≤ C"

ONE_KERNEL = {"K": "n,n", "alpha": "n", "W": "m,n,n", "x": "n"}
KERNELS = {"K": "m,n,n", "alpha": "n", "gamma": "m", "W": "m,n,n", "x": "n"}
SPECTRA = {"mu": "m,n", "alpha": "n", "gamma": "m", "w": "m,n", "x": "n", "U": "m,n,n"}
BUDGETED = {"beta": "m", "alpha": "n"}
MACHINE = {"alpha": "n", "gamma": "m", "x": "n"}

# -- Points read off solved programs --------------------------------------------------------------


def from_eq4(problem: Similarities, program: Program) -> Point:
    """α = -2u from the multiplier [U u; uᵀ t] of the lmi, t = ½; Wᵢ from the differences'."""
    point = {"K": program.value("K"), "alpha": -2 * program.dual("lmi")[: problem.n, problem.n]}
    return with_W(problem, program, point)


def from_eq6(problem: Similarities, program: Program) -> Point:
    """α = -2uᵢ and γᵢ = 2tᵢ from the multipliers [Uᵢ uᵢ; uᵢᵀ tᵢ] of the lmi."""
    n = problem.n
    Z = program.dual("lmi")
    gamma = 2 * Z[:, n, n]
    K = np.stack([program.value(f"K{i + 1}") for i in range(problem.m)])
    # Where γᵢ is small its uᵢ is: the mean over i with weights γᵢ is as good as the best of them.
    alpha = np.average(-2 * Z[:, :n, n], axis=0, weights=np.maximum(gamma, 1e-9))
    return with_W(problem, program, {"K": K, "alpha": alpha, "gamma": gamma})


def with_W(problem: Similarities, program: Program, point: dict[str, Array]) -> Point:
    """∂(ρL)(Dᵢ) ∋ -(multiplier of Dᵢ = Kᵢ - Sᵢ)"""
    if problem.loss != "L3":
        shape = (problem.m, problem.n, problem.n)
        point["W"] = -program.dual("difference").reshape(shape)
    return point


def from_eq7(problem: Spectra, program: Program) -> Point:
    """α and wᵢ from the multipliers of the equations, γᵢ twice that of the i-th quad."""
    shape = (problem.m, problem.n)
    return {
        "mu": program.value("mu"),
        "alpha": -program.dual("split"),
        "gamma": 2 * program.dual("quad").reshape(problem.m),
        "w": -program.dual("difference").reshape(shape),
    }


def from_eq10(problem: Combination, program: Program) -> Point:
    """xᵢ with Fᵢxᵢ the multiplier of zᵢ = Fᵢα: wᵢ = Fᵢᵀ(multiplier), ‖multiplier‖² ≤ s."""
    x = np.zeros((problem.m, problem.n))
    some = [i for i in range(problem.m) if len(problem.F[i])]
    family = program.constraints["image"]
    assert not isinstance(family, cp.Constraint)
    for i, constraint in zip(some, family, strict=True):
        u = -np.asarray(constraint.dual_value).reshape(-1) / program.weight  # of a maximization
        x[i] = np.linalg.lstsq(problem.F[i], u, rcond=None)[0]
    return {"alpha": program.value("alpha"), "gamma": program.value("gamma"), "x": x}


def from_eq5(problem: Budgeted, program: Program) -> Point:
    """β; and α = -2u from the multiplier [U u; uᵀ t] of the lmi, t = ½."""
    n = problem.n
    return {"beta": program.value("beta"), "alpha": -2 * program.dual("lmi")[:n, n]}


# -- The programs ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Similarities(LossData):
    """Similarities S (m, n, n), labels y (n,) of ±1, C > 0, ρ ≥ 0, τ > 0 and a loss: (4) and (6).

    loss : L1, Σⱼₖ |Xⱼₖ|; L2, ‖X‖_F; L3, ‖X‖²_F; {"name": "huber", "delta": δ}; {"name":
           "insensitive", "epsilon": ε}; {"name": "weighted", "V": V, "power": 1 or 2}; largest;
           spectral; nuclear; {"name": "eigenvalues", "of": a loss}; or a list, one for each of S
    """

    def L(self, i: int, X: Any) -> Any:
        """The i-th loss, as an expression."""
        return self.losses[i].expression(X)

    @printed("kundu2010-eq4", "(4)", "SDP", EQ4, symbols=ONE_KERNEL, recover=from_eq4)
    @printed(
        "kundu2010-alg1", "Algorithm 1 (ESKL)", "SDP", EQ4, symbols=ONE_KERNEL, recover=from_eq4
    )
    @printed(
        "kundu2010-alg1-printed",
        "Algorithm 1 (ESKL), as printed",
        "SDP",
        EQ4,
        symbols=ONE_KERNEL,
        recover=from_eq4,
    )
    def eq4(self) -> Program:
        r"""(4)

        minimize    ½s + C·1ᵀδ + ρ Σᵢ Lᵢ(Dᵢ)          over s, δ, ν, b, K, Dᵢ
        subject to  [ YKY                1 + ν - δ + by ]
                    [ (1 + ν - δ + by)ᵀ  s              ] ⪰ 0          (lmi)
                    ν ≥ 0                                              (nu)
                    δ ≥ 0                                              (delta)
                    Dᵢ = K - Sᵢ,  i = 1, …, m                          (difference)
                    trace K = τ                                        (trace)

        K ⪰ 0 is part of the lmi. With L3 K - Sᵢ stands in the objective itself: its gradient
        there is the multiplier that (difference) would have.
        """
        margin = _Margin(self)
        K = cp.Variable((self.n, self.n), symmetric=True, name="K")
        D, difference = self._differences([K] * self.m)
        return Program(
            minimize=margin.cost + self.rho * sum(self.L(i, X) for i, X in enumerate(D)),
            lmi=_lmi(self.y, K, margin.w, margin.s) >> 0,
            nu=margin.nu >= 0,
            delta=margin.delta >= 0,
            difference=difference,
            trace=cp.trace(K) == self.tau,
        )

    @printed(
        "kundu2010-eq6", "(6), (10)", "SDP", EQ6, symbols=KERNELS, recover=from_eq6, stacked=("x",)
    )
    @printed(
        "kundu2010-alg2",
        "Algorithm 2 (EMKL)",
        "SDP",
        EQ6,
        symbols=KERNELS,
        recover=from_eq6,
        stacked=("x",),
    )
    @printed(
        "kundu2010-alg2-printed",
        "Algorithm 2 (EMKL), as printed",
        "SDP",
        EQ6,
        symbols=KERNELS,
        recover=from_eq6,
        stacked=("x",),
    )
    def eq6(self) -> Program:
        r"""(6), with the Ω of (10).

        minimize    ½s + C·1ᵀδ + ρ Σᵢ Lᵢ(Dᵢ)          over s, δ, ν, b, Kᵢ, wᵢ, Dᵢ
        subject to  [ YKᵢY  wᵢ ]
                    [ wᵢᵀ   s  ] ⪰ 0,  i = 1, …, m                     (lmi)
                    Σᵢ wᵢ = 1 + ν - δ + by                             (split)
                    ν ≥ 0                                              (nu)
                    δ ≥ 0                                              (delta)
                    Dᵢ = Kᵢ - Sᵢ,     i = 1, …, m                      (difference)
                    trace Kᵢ = τ,     i = 1, …, m                      (trace)
        """
        margin = _Margin(self)
        K = [cp.Variable((self.n, self.n), symmetric=True, name=f"K{i + 1}") for i in range(self.m)]
        w = cp.Variable((self.m, self.n), name="w")
        D, difference = self._differences(K)
        return Program(
            minimize=margin.cost + self.rho * sum(self.L(i, X) for i, X in enumerate(D)),
            lmi=[_lmi(self.y, K[i], w[i], margin.s) >> 0 for i in range(self.m)],
            split=cp.sum(w, axis=0) == margin.w,
            nu=margin.nu >= 0,
            delta=margin.delta >= 0,
            difference=difference,
            trace=[cp.trace(K_i) == self.tau for K_i in K],
        )

    def _differences(self, K: list[cp.Variable]) -> tuple[list[cp.Expression], list[cp.Constraint]]:
        if self.loss == "L3":
            return [K_i - S_i for K_i, S_i in zip(K, self.S, strict=True)], []
        D = [cp.Variable((self.n, self.n), name=f"D{i + 1}") for i in range(self.m)]
        every = zip(D, K, self.S, strict=True)
        return list(D), [D_i == K_i - S_i for D_i, K_i, S_i in every]


@dataclass(frozen=True, eq=False, repr=False)
class Spectra(EigenvectorData):
    """Similarities S (m, n, n), labels y (n,) of ±1, C > 0, ρ ≥ 0 and τ > 0: what (7) is made of.

    U, optional, holds the paper's vᵢⱼ, as `EigenvectorData` says. Their signs do not matter: (7)
    sees vᵢⱼvᵢⱼᵀ alone.
    """

    @printed(
        "kundu2010-eq7", "(7), (10)", "SOCP", EQ7, symbols=SPECTRA, recover=from_eq7, stacked=("x",)
    )
    @printed(
        "kundu2010-alg3",
        "Algorithm 3 (REKL)",
        "SOCP",
        EQ7,
        symbols=SPECTRA,
        recover=from_eq7,
        stacked=("x",),
    )
    @printed(
        "kundu2010-alg3-printed",
        "Algorithm 3 (REKL), as printed",
        "SOCP",
        EQ7,
        symbols=SPECTRA,
        recover=from_eq7,
        stacked=("x",),
    )
    def eq7(self) -> Program:
        r"""(7), with the Ω of (10) and Kᵢ = Σⱼ μᵢⱼvᵢⱼvᵢⱼᵀ.

        minimize    ½s + C·1ᵀδ + ρ Σᵢ ‖μᵢ - λᵢ‖₂      over s, δ, ν, b, μᵢ, πᵢ, uᵢ ∈ Rⁿ
        subject to  Σⱼ uᵢⱼ ≤ s,  i = 1, …, m                           (quad)
                    ‖(2πᵢⱼ, μᵢⱼ - uᵢⱼ)‖₂ ≤ μᵢⱼ + uᵢⱼ                   (cones)
                    Σᵢ Σⱼ πᵢⱼYvᵢⱼ = 1 + ν - δ + by                     (split)
                    ν ≥ 0                                              (nu)
                    δ ≥ 0                                              (delta)
                    μᵢ ≥ 0,                   i = 1, …, m              (spectrum)
                    dᵢ = μᵢ - λᵢ,             i = 1, …, m              (difference)
                    Σⱼ μᵢⱼ = τ,               i = 1, …, m              (trace)

        # Paper prints Σ over j = 1, …, m in the last line; the trace of Kᵢ is the sum over its n
        # eigenvalues. wᵢ = Σⱼ πᵢⱼYvᵢⱼ in the eigenbasis of Sᵢ: wᵢᵀ(YKᵢY)⁻¹wᵢ = Σⱼ πᵢⱼ²/μᵢⱼ, and the
        # cones say πᵢⱼ²/μᵢⱼ ≤ uᵢⱼ. They are one constraint: CVXPY takes 5 ms for each of mn.
        """
        margin = _Margin(self)
        mu = cp.Variable((self.m, self.n), name="mu")
        pi = cp.Variable((self.m, self.n), name="pi")
        u = cp.Variable((self.m, self.n), name="u")
        d = cp.Variable((self.m, self.n), name="d")
        YV = self.y[None, :, None] * self.V
        return Program(
            minimize=margin.cost + self.rho * cp.sum(cp.norm(d, axis=1)),
            quad=cp.sum(u, axis=1) <= margin.s,
            cones=cp.SOC(_row(mu + u), cp.vstack([2 * _row(pi), _row(mu - u)]), axis=0),
            split=sum(YV[i] @ pi[i] for i in range(self.m)) == margin.w,
            nu=margin.nu >= 0,
            delta=margin.delta >= 0,
            spectrum=mu >= 0,
            difference=d == mu - self.lam,
            trace=cp.sum(mu, axis=1) == self.tau,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Combination(KernelData):
    """Kernels (m, n, n), labels y (n,) of ±1, and C > 0: what (10) is made of."""

    @printed(
        "kundu2010-eq10", "(10)", "SOCP", EQ10, symbols=MACHINE, recover=from_eq10, stacked=("x",)
    )
    def eq10(self) -> Program:
        r"""(10)

        maximize    1ᵀα - ½ Σᵢ ‖zᵢ‖²/γᵢ                        over α ∈ Rⁿ, γ ∈ Rᵐ, zᵢ
        subject to  zᵢ = Fᵢα,  i = 1, …, m,  YKᵢY = FᵢᵀFᵢ                (image)
                    Σᵢ γᵢ ≤ 1                                            (simplex)
                    γ ≥ 0                                                (gamma)
                    αᵀy = 0                                              (balance)
                    0 ≤ α                                                (nonneg)
                    α ≤ C                                                (box)
        """
        alpha, gamma = cp.Variable(self.n, name="alpha"), cp.Variable(self.m, name="gamma")
        some = [i for i in range(self.m) if len(self.F[i])]  # a zero kernel has no rows
        z = {i: cp.Variable(len(self.F[i]), name=f"z{i + 1}") for i in some}
        return Program(
            maximize=cp.sum(alpha) - sum(cp.quad_over_lin(z[i], gamma[i]) for i in some) / 2,
            image=[z[i] == self.F[i] @ alpha for i in some],
            simplex=cp.sum(gamma) <= 1,
            gamma=gamma >= 0,
            balance=alpha @ self.y == 0,
            nonneg=alpha >= 0,
            box=alpha <= self.C,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Budgeted(KernelData):
    """Kernels (m, n, n), none of trace zero, labels y (n,) of ±1, C > 0 and τ > 0: (5)."""

    tau: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "tau", inputs.positive("tau", self.tau))
        inputs.check_traces("kernels", self.r, self.kernels)

    @cached_property
    def r(self) -> Array:
        """trace K₁, …, trace K_m"""
        r: Array = np.trace(self.kernels, axis1=1, axis2=2)
        return r

    @printed("kundu2010-eq5", "(5), the Kᵢ given", "SDP", EQ5, symbols=BUDGETED, recover=from_eq5)
    def eq5(self) -> Program:
        r"""(5), the other function that the paper calls Ω, at given Kᵢ; not convex in (K₁, …, K_m).

        minimize    ½s + C·1ᵀδ                        over s, δ, ν, b, β ∈ Rᵐ
        subject to  [ Y(Σᵢ βᵢKᵢ)Y        1 + ν - δ + by ]
                    [ (1 + ν - δ + by)ᵀ  s              ] ⪰ 0          (lmi)
                    ν ≥ 0                                              (nu)
                    δ ≥ 0                                              (delta)
                    β ≥ 0                                              (beta)
                    trace(Σᵢ βᵢKᵢ) = τ                                 (trace)
        """
        margin = _Margin(self)
        beta = cp.Variable(self.m, name="beta")
        K = combination(beta, self.kernels)
        return Program(
            minimize=margin.cost,
            lmi=_lmi(self.y, K, margin.w, margin.s) >> 0,
            nu=margin.nu >= 0,
            delta=margin.delta >= 0,
            beta=beta >= 0,
            trace=cp.trace(K) == self.tau,
        )

    def margin(self) -> SoftMargin:
        r"""The problem whose lanckriet2004-sm1 has twice the value of (5).

        (5) is the largest 1ᵀα - ½maxᵢ (τ/rᵢ)αᵀYKᵢYα, rᵢ = trace Kᵢ. sm1 has c = Σᵢ rᵢ for τ: with
        every kernel scaled to trace τ/m, c = τ.
        """
        kernels = self.kernels * (self.tau / (self.m * self.r))[:, None, None]
        return SoftMargin(kernels, self.y, self.C)


class _Margin:
    """½s + C·1ᵀδ and w = 1 + ν - δ + by: the dual of the maximum over A, in every program."""

    def __init__(self, problem: SimilarityData | KernelData) -> None:
        n = problem.n
        self.s, self.b = cp.Variable(name="s"), cp.Variable(name="b")
        self.nu, self.delta = cp.Variable(n, name="nu"), cp.Variable(n, name="delta")
        self.w = 1 + self.nu - self.delta + self.b * problem.y
        self.cost = self.s / 2 + problem.C * cp.sum(self.delta)


def _row(X: cp.Expression) -> cp.Expression:
    """The entries of X, row by row."""
    entries: cp.Expression = cp.vec(X, order="C")
    return entries


def _lmi(y: Array, K: cp.Expression, w: cp.Expression, s: cp.Variable) -> cp.Expression:
    """[YKY w; wᵀ s]"""
    column = cp.reshape(w, (len(y), 1), order="C")
    YKY = cp.multiply(np.outer(y, y), K)
    M: cp.Expression = cp.bmat([[YKY, column], [column.T, cp.reshape(s, (1, 1), order="C")]])
    return M

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

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import eigenbasis, inputs
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.formulations.problem import Labelled, with_numbers
from cvxkernel.formulations.program import Program, combination

LOSSES = ("L1", "L2", "L3")


@dataclass(frozen=True, eq=False)
class Spectra:
    """Similarities S (m, n, n), labels y (n,) of ±1, C > 0, ρ ≥ 0 and τ > 0: what (7) is made of.

    The loss of (7) is the Euclidean distance of the spectra. Where eigenvalues coincide the
    paper's vᵢⱼ are not determined by Sᵢ: they are part of the problem, which may carry them, U of
    shape (m, n, n), optional, vᵢⱼ = U[i, :, j]. `formulations.eigenbasis` says what is meant, and
    which are chosen where none are given. Their signs do not matter: (7) sees vᵢⱼvᵢⱼᵀ alone.
    """

    S: Array
    y: Array
    C: float
    rho: float
    tau: float
    U: Array | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        S = inputs.similarities("S", self.S)
        object.__setattr__(self, "S", S)
        object.__setattr__(self, "y", inputs.labels("y", self.y, S.shape[1]))
        inputs.check_signs("y", self.y)
        object.__setattr__(self, "C", inputs.positive("C", self.C))
        object.__setattr__(self, "rho", inputs.nonnegative("rho", self.rho))
        object.__setattr__(self, "tau", inputs.positive("tau", self.tau))
        if self.U is not None:
            U = inputs.weights("U", self.U, S.shape)
            every = [eigenbasis.checked(U[i], S[i], f"U[{i}]") for i in range(len(S))]
            object.__setattr__(self, "U", inputs.frozen(np.stack(every)))

    @property
    def m(self) -> int:
        """How many similarities."""
        return len(self.S)

    @property
    def n(self) -> int:
        """How many samples."""
        return int(self.S.shape[1])

    @cached_property
    def bases(self) -> tuple[eigenbasis.Basis, ...]:
        """λᵢ and the vᵢⱼ, given or chosen, with what is known of them."""
        every = []
        for i in range(self.m):
            others = tuple(self.S[j] for j in range(self.m) if j != i)
            given = None if self.U is None else self.U[i]
            try:
                every.append(eigenbasis.basis(self.S[i], self.y, U=given, others=others))
            except InputError as error:
                raise InputError(f"U[{i}]", error.expected, error.came) from None
        return tuple(every)

    @cached_property
    def lam(self) -> Array:
        """λ₁, …, λ_m: the eigenvalues of each Sᵢ, in the order of the vᵢⱼ; (m, n)."""
        return np.stack([basis.lam for basis in self.bases])

    @cached_property
    def V(self) -> Array:
        """The eigenvectors: vᵢⱼ = V[i, :, j]."""
        return np.stack([basis.U for basis in self.bases])

    @property
    def open(self) -> str | None:
        """What is not determined or not proved of the vᵢⱼ, in words."""
        every = (f"S[{i}]: {b.open}" for i, b in enumerate(self.bases) if b.open is not None)
        return next(every, None)

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


@dataclass(frozen=True, eq=False)
class Similarities(Spectra):
    """What (4) and (6) are made of: the same, and a loss.

    loss : L1, Σⱼₖ |Xⱼₖ|; L2, ‖X‖_F; L3, ‖X‖²_F
    """

    loss: str

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "loss", inputs.choice("loss", self.loss, LOSSES))

    def L(self, X: Any) -> cp.Expression:
        """The loss of section 4, as an expression."""
        x = cp.vec(X, order="C")
        value: cp.Expression = cp.sum_squares(x)
        if self.loss != "L3":
            value = cp.norm(x, 1 if self.loss == "L1" else 2)
        return value

    def eq4(self) -> Program:
        r"""(4)

        minimize    ½s + C·1ᵀδ + ρ Σᵢ L(Dᵢ)           over s, δ, ν, b, K, Dᵢ
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
            minimize=margin.cost + self.rho * sum(self.L(X) for X in D),
            lmi=_lmi(self.y, K, margin.w, margin.s) >> 0,
            nu=margin.nu >= 0,
            delta=margin.delta >= 0,
            difference=difference,
            trace=cp.trace(K) == self.tau,
        )

    def eq6(self) -> Program:
        r"""(6), with the Ω of (10).

        minimize    ½s + C·1ᵀδ + ρ Σᵢ L(Dᵢ)           over s, δ, ν, b, Kᵢ, wᵢ, Dᵢ
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
            minimize=margin.cost + self.rho * sum(self.L(X) for X in D),
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


@dataclass(frozen=True, eq=False)
class Combination(Labelled):
    """Kernels (m, n, n), labels y (n,) of ±1, and C > 0: what (5) and (10) are made of.

    An eigenvalue that rounding left below zero counts as zero: with it, (10) would be unbounded.
    """

    C: float

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.check_signs("y", self.y)
        object.__setattr__(self, "C", inputs.positive("C", self.C))

    @property
    def m(self) -> int:
        """How many kernels."""
        return self.p

    @cached_property
    def F(self) -> tuple[Array, ...]:
        """Fᵢ with YKᵢY = FᵢᵀFᵢ, of as many rows as Kᵢ has rank."""
        return tuple(factor(np.outer(self.y, self.y) * K) for K in self.kernels)

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

    def eq5(self, tau: float) -> Program:
        r"""(5), the other function that the paper calls Ω; not convex in (K₁, …, K_m).

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
            trace=cp.trace(K) == tau,
        )

    def eq5_margin(self, tau: float) -> SoftMargin:
        r"""The problem whose lanckriet2004-sm1 has twice the value of (5).

        (5) is the largest 1ᵀα - ½maxᵢ (τ/rᵢ)αᵀYKᵢYα, rᵢ = trace Kᵢ. sm1 has c = Σᵢ rᵢ for τ: with
        every kernel scaled to trace τ/m, c = τ.
        """
        r = np.trace(self.kernels, axis1=1, axis2=2)
        inputs.check_traces("kernels", r, self.kernels)
        kernels = self.kernels * (tau / (self.m * r))[:, None, None]
        return SoftMargin(kernels, self.y, self.C)


class _Margin:
    """½s + C·1ᵀδ and w = 1 + ν - δ + by: the dual of the maximum over A, in every program."""

    def __init__(self, problem: Spectra | Combination) -> None:
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


def scaled(problem: Spectra, kappa: float) -> Spectra:
    r"""The same problem in other units: K = κK̂, α = α̂/κ, the objective κ times itself.

    1ᵀα - ½αᵀYKYα = (1ᵀα̂ - ½α̂ᵀYK̂Yα̂)/κ, and ρL(K - S) = ρκᵈL(K̂ - Ŝ), d = 2 for L3 and 1 otherwise.
    """
    degree = 2 if isinstance(problem, Similarities) and problem.loss == "L3" else 1
    unit = with_numbers(
        problem,
        S=problem.S / kappa,
        C=problem.C * kappa,
        rho=problem.rho * kappa ** (degree + 1),
        tau=problem.tau / kappa,
    )
    if "bases" in vars(problem) or type(problem) is Spectra:  # the same eigenvectors
        vars(unit)["bases"] = tuple(basis.scaled(1 / kappa) for basis in problem.bases)
    return unit

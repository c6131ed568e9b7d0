r"""Chen, Gupta and Recht (2009): the programs, as printed.

Y = diag(y), A = {α : yᵀα = 0, 0 ≤ α ≤ C}, S = UΛUᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import cvxpy as cp
import numpy as np
from scipy.linalg import eigh

from cvxkernel.formulations import eigenbasis, inputs
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.chen2009.data import GivenKernel, Sample, Similarity, assign
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.formulations.formulation import Point, printed
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.svm import signed

REGULARIZERS = ("clip", "flip", "both", "spectrum")


def from_eq1(problem: Machine, program: Program) -> Point:
    """α, the variable."""
    return {"alpha": program.value("alpha")}


def from_margin(
    problem: RegularizedMachine | RobustMachine | KernelMachine, program: Program
) -> Point:
    """α from the multipliers of the margins, which are α in (6), 2ηα in (3), (7) and (12)."""
    ratio = 1.0 if isinstance(problem, RobustMachine) else 2 * problem.eta
    point = {"alpha": program.dual("margin") / ratio}
    point.update({s: program.value(s) for s in ("K", "z", "c", "a") if s in program.variables})
    return point


def from_maxmin(problem: RobustMachine, program: Program) -> Point:
    """α and W, and with them K*(α)."""
    alpha = program.value("alpha")
    return {"alpha": alpha, "W": program.value("W"), "K": problem.K_star(alpha)}


def from_eq7_dual(problem: KernelMachine, program: Program) -> Point:
    """α, and K from the multiplier P of the matrix inequality.

    ∂L/∂W = -S + P₁₁ - νW/‖W‖ = 0: its first block is S + νW/‖W‖, the K of (7).
    """
    n = problem.n
    return {"alpha": program.value("alpha"), "K": program.dual("lmi")[:n, :n]}


def from_column(problem: NewSample, program: Program) -> Point:
    """k and r, the variables."""
    return {"k": program.value("k"), "r": program.value("r").reshape(())}


# -- The support vector machine on a given kernel, or on the worst one near a similarity -----------


@dataclass(frozen=True, eq=False, repr=False)
class Machine(GivenKernel):
    """A kernel K (n, n) ⪰ 0, labels y (n,) of ±1, and C > 0."""

    C: float

    def __post_init__(self) -> None:
        super().__post_init__()
        assign(self, C=inputs.positive("C", self.C))

    @printed(
        "chen2009-eq1",
        "(1)",
        "QP",
        "max 1ᵀα - ½αᵀYKYα, yᵀα = 0, 0 ≤ α ≤ C",
        symbols={"alpha": "n"},
        recover=from_eq1,
    )
    def eq1(self) -> Program:
        r"""The SVM dual.

        maximize    1ᵀα - ½αᵀ diag(y) K diag(y) α         over α ∈ Rⁿ
        subject to  yᵀα = 0                               (balance)
                    0 ≤ α                                 (nonneg)
                    α ≤ C1                                (box)
        """
        alpha = cp.Variable(self.n, name="alpha")
        return Program(
            maximize=cp.sum(alpha) - cp.sum_squares(factor(signed(self.y, self.K)) @ alpha) / 2,
            balance=self.y @ alpha == 0,
            nonneg=alpha >= 0,
            box=alpha <= self.C,
        )


@dataclass(frozen=True, eq=False, repr=False)
class RobustMachine(Similarity):
    """S, y, C > 0 and ρ > 0: the machine of Luss and d'Aspremont (2007)."""

    C: float
    rho: float

    def __post_init__(self) -> None:
        super().__post_init__()
        assign(self, C=inputs.positive("C", self.C), rho=inputs.positive("rho", self.rho))

    def K_star(self, alpha: Array) -> Array:
        """K*(α) = (S + Yα(Yα)ᵀ/(4ρ))₊, the minimizer in (2)."""
        v = self.y * alpha
        lam, U = eigh((self.S + self.S.T) / 2 + np.outer(v, v) / (4 * self.rho))
        return spectrum.compose(np.maximum(lam, 0.0), U)

    @printed(
        "luss2007",
        "chen2009 (2)",
        "SDP",
        "max over α of min over K ⪰ 0 of 1ᵀα - ½αᵀYKYα + ρ‖K-S‖², yᵀα = 0, 0 ≤ α ≤ C",
        symbols={"alpha": "n", "K": "n,n", "c": "n", "z": "n", "b": "", "xi": "n", "u": ""},
        recover=from_margin,
    )
    def eq6(self) -> Program:
        r"""(6): (2) with max and min exchanged, its SVM in the primal, and Lemma 1 with z = Kc.

        minimize    C 1ᵀξ + ½u + ρ‖K - S‖²_F              over z ∈ Rⁿ, b, ξ ∈ Rⁿ, K, u
        subject to  diag(y)(z + b1) ≥ 1 - ξ               (margin)
                    ξ ≥ 0                                 (slack)
                    [ K   z ]
                    [ zᵀ  u ]  ⪰ 0                        (lmi)
        """
        z, b = cp.Variable(self.n, name="z"), cp.Variable(name="b")
        xi = cp.Variable(self.n, name="xi")
        K = cp.Variable((self.n, self.n), name="K", symmetric=True)
        u = cp.Variable((1, 1), name="u")
        column = cp.reshape(z, (self.n, 1), order="C")
        return Program(
            minimize=self.C * cp.sum(xi) + u[0, 0] / 2 + self.rho * cp.sum_squares(K - self.S),
            margin=cp.multiply(self.y, z + b) >= 1 - xi,
            slack=xi >= 0,
            lmi=cp.bmat([[K, column], [column.T, u]]) >> 0,
        )

    @printed(
        "luss2007-maxmin",
        "chen2009 (2), over α",
        "SDP",
        "max over α of 1ᵀα - ½αᵀYK*Yα + ρ‖K*-S‖², K* = (S + YααᵀY/(4ρ))₊, yᵀα = 0, 0 ≤ α ≤ C",
        symbols={"alpha": "n", "W": "n,n", "K": "n,n"},
        recover=from_maxmin,
    )
    def eq2(self) -> Program:
        r"""(2), its inner minimum over K ⪰ 0 replaced by the maximum that is its dual.

        maximize    1ᵀα - ⟨W, S⟩ - ‖W‖²_F/(4ρ)            over α ∈ Rⁿ, W
        subject to  yᵀα = 0                               (balance)
                    0 ≤ α                                 (nonneg)
                    α ≤ C1                                (box)
                    W ⪰ ½Yα(Yα)ᵀ                          (lmi)

        ρ‖K - S‖² = max_W ⟨W, K - S⟩ - ‖W‖²/(4ρ), and ⟨K, W - ½Yα(Yα)ᵀ⟩ is bounded below on K ⪰ 0
        where its second factor is ⪰ 0. At the optimum W = 2ρ(K*(α) - S),
        and the objective is that at the closed form K*(α) = (S + YααᵀY/(4ρ))₊ for each α.
        """
        alpha = cp.Variable(self.n, name="alpha")
        W = cp.Variable((self.n, self.n), name="W", symmetric=True)
        v = cp.reshape(cp.multiply(self.y, alpha), (self.n, 1), order="C")
        return Program(
            maximize=cp.sum(alpha)
            - cp.sum(cp.multiply(W, self.S))
            - cp.sum_squares(W) / 4 / self.rho,
            balance=self.y @ alpha == 0,
            nonneg=alpha >= 0,
            box=alpha <= self.C,
            lmi=cp.bmat([[W, v], [v.T, np.array([[2.0]])]]) >> 0,
        )


@dataclass(frozen=True, eq=False, repr=False)
class RegularizedMachine(GivenKernel):
    """A kernel K (n, n) ⪰ 0, labels y (n,) of ±1, and η > 0."""

    eta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        assign(self, eta=inputs.positive("eta", self.eta))

    @property
    def C(self) -> float:
        """1/(2ηn): with it (3) is 2η times (1)."""
        return 1.0 / (2.0 * self.eta * self.n)

    @printed(
        "chen2009-eq3",
        "(3)",
        "QP",
        "min 1ᵀξ/n + ηcᵀKc, Y(Kc + b1) ≥ 1 - ξ, ξ ≥ 0",
        symbols={"c": "n", "b": "", "xi": "n", "alpha": "n"},
        recover=from_margin,
    )
    def eq3(self) -> Program:
        r"""The SVM primal.

        minimize    (1/n) 1ᵀξ + η cᵀKc                    over c ∈ Rⁿ, b ∈ R, ξ ∈ Rⁿ
        subject to  diag(y)(Kc + b1) ≥ 1 - ξ              (margin)
                    ξ ≥ 0                                 (slack)
        """
        c, b = cp.Variable(self.n, name="c"), cp.Variable(name="b")
        xi = cp.Variable(self.n, name="xi")
        return Program(
            minimize=cp.sum(xi) / self.n + self.eta * cp.sum_squares(factor(self.K) @ c),
            margin=cp.multiply(self.y, self.K @ c + b) >= 1 - xi,
            slack=xi >= 0,
        )


# -- The kernel learned ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class KernelMachine(Similarity):
    """S, y, η > 0 and γ > 0: the kernel matrix is learned freely."""

    eta: float
    gamma: float

    def __post_init__(self) -> None:
        super().__post_init__()
        eta, gamma = inputs.positive("eta", self.eta), inputs.positive("gamma", self.gamma)
        assign(self, eta=eta, gamma=gamma)

    @property
    def C(self) -> float:
        """1/(2ηn)"""
        return 1.0 / (2.0 * self.eta * self.n)

    @printed(
        "chen2009-eq7",
        "(7)",
        "SDP",
        "min 1ᵀξ/n + ηu + γv, Y(z + b1) ≥ 1 - ξ, ξ ≥ 0, [K z; zᵀ u] ⪰ 0, ‖K-S‖ ≤ v",
        symbols={
            "c": "n",
            "z": "n",
            "b": "",
            "xi": "n",
            "u": "",
            "v": "",
            "K": "n,n",
            "alpha": "n",
        },
        recover=from_margin,
    )
    def eq7(self) -> Program:
        r"""(4) as a convex conic program, by Lemma 1 with z = Kc.

        minimize    (1/n) 1ᵀξ + ηu + γv                   over z ∈ Rⁿ, b, ξ ∈ Rⁿ, K, u, v
        subject to  diag(y)(z + b1) ≥ 1 - ξ               (margin)
                    ξ ≥ 0                                 (slack)
                    [ K   z ]
                    [ zᵀ  u ]  ⪰ 0                        (lmi)
                    ‖K - S‖_F ≤ v                         (ball)
        """
        z, b = cp.Variable(self.n, name="z"), cp.Variable(name="b")
        xi = cp.Variable(self.n, name="xi")
        K = cp.Variable((self.n, self.n), name="K", symmetric=True)
        u, v = cp.Variable((1, 1), name="u"), cp.Variable(name="v")
        column = cp.reshape(z, (self.n, 1), order="C")
        return Program(
            minimize=cp.sum(xi) / self.n + self.eta * u[0, 0] + self.gamma * v,
            margin=cp.multiply(self.y, z + b) >= 1 - xi,
            slack=xi >= 0,
            lmi=cp.bmat([[K, column], [column.T, u]]) >> 0,
            ball=cp.norm(K - self.S, "fro") <= v,
        )

    @printed(
        "chen2009-eq7-dual",
        "dual of (7), ours",
        "SDP",
        "max 2η1ᵀα - ⟨W,S⟩, W ⪰ ηYα(Yα)ᵀ, ‖W‖ ≤ γ, yᵀα = 0, 0 ≤ α ≤ 1/(2ηn)",
        symbols={"alpha": "n", "W": "n,n", "K": "n,n", "z": "n"},
        recover=from_eq7_dual,
    )
    def eq7_dual(self) -> Program:
        r"""The dual of (7); the paper does not print it.

        maximize    2η 1ᵀα - ⟨W, S⟩                       over α ∈ Rⁿ, W
        subject to  yᵀα = 0                               (balance)
                    0 ≤ α                                 (nonneg)
                    α ≤ C1,  C = 1/(2ηn)                  (box)
                    W ⪰ ηYα(Yα)ᵀ                          (lmi)
                    ‖W‖_F ≤ γ                             (ball)

        (7) is min over K ⪰ 0 of 2η·(1) + γ‖K - S‖, and γ‖K - S‖ = max ⟨W, K - S⟩ over the ball;
        what multiplies K has to be ⪰ 0. Since W ⪰ ηYα(Yα)ᵀ, the ball holds ηαᵀα ≤ γ in it.
        """
        alpha = cp.Variable(self.n, name="alpha")
        W = cp.Variable((self.n, self.n), name="W", symmetric=True)
        v = cp.reshape(cp.multiply(self.y, alpha), (self.n, 1), order="C")
        root = float(np.sqrt(self.eta))
        return Program(
            maximize=2 * self.eta * cp.sum(alpha) - cp.sum(cp.multiply(W, self.S)),
            balance=self.y @ alpha == 0,
            nonneg=alpha >= 0,
            box=alpha <= self.C,
            lmi=cp.bmat([[W, root * v], [root * v.T, np.eye(1)]]) >> 0,
            ball=cp.norm(W, "fro") <= self.gamma,
        )


# -- Test samples ----------------------------------------------------------------------------------


class NewSample(Sample):
    """A learned kernel K (n, n) ⪰ 0, the similarities s (n,) of a test sample, and ψ(x, x)."""

    @printed(
        "chen2009-eq8-qcqp",
        "below (9)",
        "QCQP",
        "min 2‖k-s‖² + (r-ψ)², kᵀK†k ≤ r, (I-KK†)k = 0",
        symbols={"k": "n", "r": ""},
        recover=from_column,
    )
    def eq8_qcqp(self) -> Program:
        r"""(8) reduced by Lemma 1, with the objective squared as the paper prints it.

        minimize    2‖k - s‖²₂ + (r - ψ)²                 over k ∈ Rⁿ, r ∈ R
        subject to  kᵀK†k - r ≤ 0                         (quad)
                    (I - KK†)k = 0                        (range)

        # K = V diag(d)Vᵀ; K† inverts the d that are proved to be positive.
        """
        d, V = self.eigen.low, self.eigen.V
        kept = d > 0
        k, r = cp.Variable(self.n, name="k"), cp.Variable(name="r")
        root = V[:, kept].T / np.sqrt(d[kept])[:, None]
        quad = cp.sum_squares(root @ k) if kept.any() else cp.Constant(0.0)
        return Program(
            minimize=2 * cp.sum_squares(k - self.s) + cp.square(r - self.psi),
            quad=quad - r <= 0,
            # the same equations without their dependent rows
            range=V[:, ~kept].T @ k == 0 if not kept.all() else [],
        )


@dataclass(frozen=True, eq=False, repr=False)
class AugmentedSample(NewSample):
    """K, s, ψ and the similarity S (n, n) that K came from: it adds a constant under the norm."""

    S: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        S = inputs.similarity("S", self.S)
        if len(S) != self.n:
            raise ShapeError("S", f"shape {self.K.shape}, that of K", f"shape {S.shape}")
        assign(self, S=S)

    @printed(
        "chen2009-eq8",
        "(8)",
        "SDP",
        "min ‖[K k; kᵀ r] - [S s; sᵀ ψ]‖, [K k; kᵀ r] ⪰ 0",
        symbols={"k": "n", "r": ""},
        recover=from_column,
    )
    def eq8(self) -> Program:
        r"""The nearest consistent column.

        minimize    ‖ [ K   k ]   [ S   s ] ‖
                    ‖ [ kᵀ  r ] - [ sᵀ  ψ ] ‖_F           over k ∈ Rⁿ, r ∈ R
        subject to  [ K   k ]
                    [ kᵀ  r ]  ⪰ 0                        (lmi)
        """
        k, r = cp.Variable(self.n, name="k"), cp.Variable((1, 1), name="r")
        column = cp.reshape(k, (self.n, 1), order="C")
        augmented = cp.bmat([[self.K, column], [column.T, r]])
        given = np.block([[self.S, self.s[:, None]], [self.s[None], np.array([[self.psi]])]])
        return Program(minimize=cp.norm(augmented - given, "fro"), lmi=augmented >> 0)


# -- A modification of the spectrum learned --------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class SpectrumMachine(KernelMachine):
    """S, y, η > 0, γ > 0 and h: K is a spectrum modification of S, K_a = U diag(a)ΛUᵀ.

    h : clip, ‖a - a_clip‖₂; flip, ‖a - a_flip‖₂; both, their sum; spectrum, ‖Λ(a - 1)‖₂

    Where eigenvalues of S coincide its eigenvectors are a part of the problem, which may carry
    them: U (n, n), optional. `formulations.eigenbasis` says what is meant, and which are chosen
    where none are given. Where λᵢ = 0 the cone forces zᵢ = 0 and leaves aᵢ to h alone. The sign of
    a column uᵢ does not matter: it goes over to zᵢ, which is free.
    """

    h: str
    U: Array | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        assign(self, h=inputs.choice("h", self.h, REGULARIZERS))
        if self.U is not None:
            assign(self, U=eigenbasis.checked(self.U, self.S))

    @cached_property
    def basis(self) -> eigenbasis.Basis:
        """Λ and U, given or chosen, with what is known of them."""
        return eigenbasis.basis(self.S, self.y, U=self.U, matter="nonzero")

    @property
    def open(self) -> str | None:
        """What is not determined or not proved of U, in words."""
        return self.basis.open

    @property
    def Lam(self) -> Array:
        """λ, in the order of the columns of `basis.U`; zeros are exact."""
        return self.basis.lam

    @cached_property
    def weights(self) -> Array:
        """What aᵢ is multiplied by: λ. A solver may be given others, of which a is restored."""
        return self.Lam

    @printed(
        "chen2009-eq12",
        "(12)",
        "SOCP",
        "min 1ᵀξ/n + η1ᵀu + γv, Y(Uz + b1) ≥ 1-ξ, ξ ≥ 0, Λa ≥ 0, h(a) ≤ v, zᵢ² ≤ uᵢλᵢaᵢ",
        symbols={
            "z": "n",
            "b": "",
            "xi": "n",
            "a": "n",
            "u": "n",
            "v": "",
            "alpha": "n",
            "U": "n,n",
        },
        recover=from_margin,
    )
    def eq12(self) -> Program:
        r"""(10) as a second-order cone program.

        minimize    (1/n) 1ᵀξ + η 1ᵀu + γv                over z, b, ξ, a, u, v
        subject to  diag(y)(Uz + b1) ≥ 1 - ξ              (margin)
                    ξ ≥ 0                                 (slack)
                    Λa ≥ 0                                (cone)
                    u ≥ 0                                 (nonneg)
                    h(a) ≤ v                              (ball)
                    ‖(2zᵢ, λᵢaᵢ - uᵢ)‖₂ ≤ λᵢaᵢ + uᵢ       (cones)  i = 1, …, n
        """
        n = self.n
        z, b, xi = cp.Variable(n, name="z"), cp.Variable(name="b"), cp.Variable(n, name="xi")
        a, u, v = cp.Variable(n, name="a"), cp.Variable(n, name="u"), cp.Variable(name="v")
        k = cp.multiply(self.weights, a)
        clip, flip = (cp.norm(a - a0(self.Lam)) for a0 in (spectrum.a_clip, spectrum.a_flip))
        h = {
            "clip": clip,
            "flip": flip,
            "both": clip + flip,
            "spectrum": cp.norm(k - self.Lam),
        }[self.h]
        return Program(
            minimize=cp.sum(xi) / n + self.eta * cp.sum(u) + self.gamma * v,
            margin=cp.multiply(self.y, self.basis.U @ z + b) >= 1 - xi,
            slack=xi >= 0,
            cone=k >= 0,
            nonneg=u >= 0,
            ball=h <= v,
            cones=cp.SOC(k + u, cp.vstack([2 * z, k - u]), axis=0),
        )

r"""Chen, Gupta and Recht (2009): the programs, as printed.

Y = diag(y), A = {α : yᵀα = 0, 0 ≤ α ≤ C}, S = UΛUᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import cvxpy as cp
import numpy as np
from scipy.linalg import eigh

from cvxkernel.formulations import eigenbasis, inputs, semidefinite
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.svm import signed

REGULARIZERS = ("clip", "flip", "both", "spectrum")


def _set(problem: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(problem, name, value)


def _signs(value: object, n: int) -> Array:
    y = inputs.labels("y", value, n)
    inputs.check_signs("y", y)
    return y


# -- The support vector machine on a given kernel --------------------------------------------------


@dataclass(frozen=True, eq=False)
class Machine:
    """A kernel K (n, n) ⪰ 0, labels y (n,) of ±1, and C > 0."""

    K: Array
    y: Array
    C: float

    def __post_init__(self) -> None:
        K = inputs.kernel("K", self.K)
        _set(self, K=K, y=_signs(self.y, len(K)), C=inputs.positive("C", self.C))

    @property
    def n(self) -> int:
        """How many samples."""
        return len(self.y)

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


@dataclass(frozen=True, eq=False)
class RegularizedMachine:
    """A kernel K (n, n) ⪰ 0, labels y (n,) of ±1, and η > 0."""

    K: Array
    y: Array
    eta: float

    def __post_init__(self) -> None:
        K = inputs.kernel("K", self.K)
        _set(self, K=K, y=_signs(self.y, len(K)), eta=inputs.positive("eta", self.eta))

    @property
    def n(self) -> int:
        """How many samples."""
        return len(self.y)

    @property
    def C(self) -> float:
        """1/(2ηn): with it (3) is 2η times (1)."""
        return 1.0 / (2.0 * self.eta * self.n)

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


# -- Similarities ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Similarity:
    """A symmetric similarity S (n, n), indefinite as a rule, and labels y (n,) of ±1."""

    S: Array
    y: Array

    def __post_init__(self) -> None:
        S = inputs.similarity("S", self.S)
        _set(self, S=S, y=_signs(self.y, len(S)))

    @property
    def n(self) -> int:
        """How many samples."""
        return len(self.y)


@dataclass(frozen=True, eq=False)
class RobustMachine(Similarity):
    """S, y, C > 0 and ρ > 0: the machine of Luss and d'Aspremont (2007)."""

    C: float
    rho: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _set(self, C=inputs.positive("C", self.C), rho=inputs.positive("rho", self.rho))

    def K_star(self, alpha: Array) -> Array:
        """K*(α) = (S + Yα(Yα)ᵀ/(4ρ))₊, the minimizer in (2)."""
        v = self.y * alpha
        lam, U = eigh((self.S + self.S.T) / 2 + np.outer(v, v) / (4 * self.rho))
        return spectrum.compose(np.maximum(lam, 0.0), U)

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

    def eq2(self) -> Program:
        r"""(2), its inner minimum over K ⪰ 0 replaced by the maximum that is its dual.

        maximize    1ᵀα - ⟨W, S⟩ - ‖W‖²_F/(4ρ)            over α ∈ Rⁿ, W
        subject to  yᵀα = 0                               (balance)
                    0 ≤ α                                 (nonneg)
                    α ≤ C1                                (box)
                    W ⪰ ½Yα(Yα)ᵀ                          (lmi)

        ρ‖K - S‖² = max_W ⟨W, K - S⟩ - ‖W‖²/(4ρ), and ⟨K, W - ½Yα(Yα)ᵀ⟩ is bounded below on K ⪰ 0
        where its second factor is ⪰ 0. At the optimum W = 2ρ(K*(α) - S).
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


@dataclass(frozen=True, eq=False)
class KernelMachine(Similarity):
    """S, y, η > 0 and γ > 0: the kernel matrix is learned freely."""

    eta: float
    gamma: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _set(self, eta=inputs.positive("eta", self.eta), gamma=inputs.positive("gamma", self.gamma))

    @property
    def C(self) -> float:
        """1/(2ηn)"""
        return 1.0 / (2.0 * self.eta * self.n)

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


@dataclass(frozen=True, eq=False)
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
        _set(self, h=inputs.choice("h", self.h, REGULARIZERS))
        if self.U is not None:
            _set(self, U=eigenbasis.checked(self.U, self.S))

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


# -- Test samples ----------------------------------------------------------------------------------


class Eigen(NamedTuple):
    """K = V* diag(d)V*ᵀ with low ≤ d ≤ high and ‖V - V*‖₂ ≤ error, V* orthonormal."""

    low: Array
    high: Array
    V: Array
    error: float

    def scaled(self, factor: float) -> Eigen:
        """That of factor·K, a power of two."""
        return self._replace(low=self.low * factor, high=self.high * factor)


@dataclass(frozen=True, eq=False)
class NewSample:
    """A learned kernel K (n, n) ⪰ 0, the similarities s (n,) of a test sample, and ψ(x, x)."""

    K: Array
    s: Array
    psi: float

    def __post_init__(self) -> None:
        K = inputs.kernel("K", self.K)
        s = inputs.weights("s", self.s, (len(K),))
        s.flags.writeable = False
        psi = inputs.weights("psi", self.psi, (1,)).item()
        _set(self, K=K, s=s, psi=psi)

    @property
    def n(self) -> int:
        """How many training samples."""
        return len(self.K)

    @cached_property
    def eigen(self) -> Eigen:
        """Of the kernel that K stands for: the K that came, its eigenvalues below zero left out."""
        known = semidefinite.held(self.K)
        came = self.K if known is None else known.came
        found = eigenbasis.basis(came, np.ones(self.n), matter="none")
        slack = found.off + 4 * EPS * np.abs(found.lam)
        low, high = found.lam - slack, found.lam + slack
        if found.decided:  # then a zero is one, and so is what is not positive
            low, high = (np.where(found.lam > 0, x, 0.0) for x in (low, high))
        return Eigen(np.maximum(low, 0.0), np.maximum(high, 0.0), found.U, found.error)

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


@dataclass(frozen=True, eq=False)
class AugmentedSample(NewSample):
    """K, s, ψ and the similarity S (n, n) that K came from: it adds a constant under the norm."""

    S: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        S = inputs.similarity("S", self.S)
        if len(S) != self.n:
            raise ShapeError("S", f"shape {self.K.shape}, that of K", f"shape {S.shape}")
        _set(self, S=S)

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

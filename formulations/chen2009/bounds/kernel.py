"""(2) and (7): the kernel is any matrix K ⪰ 0, near S."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigvalsh

from cvxkernel.formulations import semidefinite, svm
from cvxkernel.formulations.arithmetic import DOUBLES, Arithmetic, Tensor, settled
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.chen2009.bounds.machine import Primal, best_primal
from cvxkernel.formulations.chen2009.programs import KernelMachine, RobustMachine
from cvxkernel.formulations.enclosure import EPS, TINY
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array

ROOT = 1e-14  # relative accuracy of τ, the rest is charged
EVALUATIONS, BORDER = 25, 3  # eigendecompositions at most, in search of τ
FARTHEST = np.log(1e3)  # how far one of its steps may lead


class Dual(NamedTuple):
    """A feasible α and W, what they are worth, and a K in doubles that belongs to them."""

    value: Tensor
    alpha: Tensor
    W: Tensor
    K: Array


class Value(NamedTuple):
    """An objective, and the point at which it is that."""

    value: Tensor
    point: dict[str, Tensor]


class Free(ABC):
    """A kernel learned freely: loss·1ᵀξ + ridge·cᵀKc + what the distance of K from S costs.

    α is in the box up to `top` = loss/(2·ridge), and v = Yα.
    """

    loss: Tensor
    ridge: Tensor

    def __init__(self, F: Arithmetic, problem: Any) -> None:
        self.F, self.problem, self.y, self.n = F, problem, problem.y, problem.n
        self.S = F.exact(problem.S)

    # -- Which (2) and (7) do not share -----------------------------------------------------------

    @abstractmethod
    def cost(self, distance: Tensor) -> Tensor:
        """ρ‖K - S‖² or γ‖K - S‖"""

    @abstractmethod
    def dual(self, alpha: Tensor, W: Any) -> tuple[Tensor, Tensor, Tensor]:
        """The dual at α and W made feasible, and both as they had to be changed."""

    @abstractmethod
    def best(self, alpha: Tensor, tau: float | None = None) -> Dual:
        """The dual at the best W for α; ‖K - S‖ is sought from τ on, where it is."""

    # -- Which they do ----------------------------------------------------------------------------

    @property
    def top(self) -> Tensor:
        """Of the box."""
        return self.loss / (2 * self.ridge)

    def box(self, alpha: Any) -> Tensor:
        """α in the box with αᵀy = 0 exactly."""
        return svm.feasible(self.F, self.F.exact(alpha) / self.top, self.y, 1.0) * self.top

    def raised(self, A: Any, over: Tensor | None = None) -> Tensor:
        """A symmetric, plus the multiple of the identity with which A ⪰ `over`, or 0, is proved."""
        A = self.F.exact(A).point()
        if self.F is not DOUBLES or (A.mid != A.mid.T).any():
            A = ((A + A.T) / 2).point()
        rest = A if over is None else A - over
        size = 2.0 ** (2 - self.F.bits) * (self.n + 8) * float(np.abs(rest.mid.diagonal()).sum())
        least = self.F.exact(-size - 2 * self.F.unknown(rest))
        if not self.F.least(rest, above=float(least.mid)) >= least:  # not zero but for rounding
            least = self.F.exact(self.F.least(rest).lower)
        return self.F.shifted(A, (-least).positive()) if not least >= 0 else A

    def above(self, alpha: Tensor, W: Any) -> Tensor:
        """W ⪰ ridge·vvᵀ"""
        v = self.y * alpha
        return self.raised(W, (self.ridge * v)[:, None] * v)

    def value(self, K: Tensor, c: Any) -> Value:
        """The printed objective at K ⪰ 0, any c and a good b."""
        machine: Primal = best_primal(self.F, K, self.y, c, self.loss, self.ridge)
        distance = self.F.norm(K - self.S)
        point = {**machine.point, "u": machine.form, "v": distance, "K": K}
        return Value(machine.value + self.cost(distance), point)

    def both(self, point: Point) -> tuple[Dual, Value]:
        """The best dual at α, and the least objective at what is given and what belongs to α."""
        square = np.zeros((self.n, self.n))
        alpha = self.box(given(self.F, point, "alpha", np.zeros(self.n)))
        K, tau = given(self.F, point, "K", square) if "K" in point else None, None
        if K is not None or "v" in point:
            size = float(np.linalg.norm(self.problem.S))
            v = given(self.F, point, "v", np.zeros(1)).mid if K is None else K.mid - self.problem.S
            tau = float(np.clip(np.linalg.norm(v), 1e-12 * size, 1e12 * size))
        duals = [self.best(alpha, tau)]
        if "W" in point:
            made = self.dual(alpha, given(self.F, point, "W", square))
            duals.append(Dual(*made, duals[0].K))
        low = max(duals, key=lambda dual: dual.value.lower)
        values: list[Value] = []
        for one in self.candidates(point, low, K):
            values.append(self.value(*one))
            if settled(self.F, low.value, values[-1].value):
                break
        return low, min(values, key=lambda one: one.value.upper)

    def candidates(self, point: Point, dual: Dual, K: Any) -> Iterator[tuple[Tensor, Any]]:
        """K and c: those given and those that belong to α, in all combinations."""
        matrices = [self.raised(dual.K)]
        if semidefinite.exactly(self.problem.S):  # at no distance, however much a distance costs
            matrices.append(self.S)
        if K is not None and (own := self.raised(K)).is_finite():
            matrices.append(own)
        for matrix in matrices:
            yield matrix, self.y * dual.alpha
            if "z" in point:
                z = given(self.F, point, "z", np.zeros(self.n))
                yield matrix, coefficients(matrix.mid, z.mid)


def free(F: Arithmetic, problem: RobustMachine | KernelMachine) -> Free:
    """The bounds of (2) or of (7)."""
    return Robust(F, problem) if isinstance(problem, RobustMachine) else Kernel(F, problem)


@encloses("luss2007")
def eq2(F: Arithmetic, problem: RobustMachine, point: Point) -> Any:
    """The dual of the inner minimum at α from below; from above (6) at K and c."""
    low, high = Robust(F, problem).both(point)
    variables = {key: x for key, x in high.point.items() if key != "v"}
    return F.enclosure(low.value, low.value, high.value, {**variables, "alpha": low.alpha})


@encloses("luss2007-maxmin")
def eq2_maxmin(F: Arithmetic, problem: RobustMachine, point: Point) -> Any:
    """The same, for an answer over α: its K is K*(α), a good one from above."""
    low, high = Robust(F, problem).both(point)
    variables = {"alpha": low.alpha, "W": low.W, "K": high.point["K"]}
    return F.enclosure(low.value, low.value, high.value, variables)


@encloses("chen2009-eq7")
def eq7(F: Arithmetic, problem: KernelMachine, point: Point) -> Any:
    """(7) at K and c from above; from below its dual at α."""
    low, high = Kernel(F, problem).both(point)
    variables = {**high.point, "alpha": low.alpha}
    return F.enclosure(high.value, low.value, high.value, variables)


@encloses("chen2009-eq7-dual")
def eq7_dual(F: Arithmetic, problem: KernelMachine, point: Point) -> Any:
    """The same, for an answer to the dual."""
    low, high = Kernel(F, problem).both(point)
    variables = {"alpha": low.alpha, "W": low.W, "K": high.point["K"], "z": high.point["z"]}
    return F.enclosure(low.value, low.value, high.value, variables)


def coefficients(K: Array, z: Array) -> Array:
    """c = K†z, where the eigenvalues of K that are zero to rounding are not inverted."""
    d, V = spectrum.eigen(K)
    kept = d > 0
    c: Array = V[:, kept] @ ((z @ V[:, kept]) / d[kept])
    return c


@dataclass(frozen=True)
class Clipped:
    r"""K = M₊ of M = S + s·vvᵀ = U diag(m)Uᵀ, in doubles: what is made of one eigendecomposition.

    With w = Uᵀv it is K - S = U(s·wwᵀ + diag(m₋))Uᵀ, and dK/ds = U(Ω∘wwᵀ)Uᵀ, Ω the divided
    differences of m ↦ m₊, 1 between two that are positive, m/(m - m′) for m > 0 ≥ m′, 0 between
    others.
    """

    v: Array
    s: float
    m: Array
    U: Array

    @classmethod
    def of(cls, S: Array, v: Array, s: float) -> Clipped:
        """One eigendecomposition."""
        return cls(v, s, *np.linalg.eigh((S + S.T) / 2 + s * np.outer(v, v)))

    @cached_property
    def w(self) -> Array:
        """Uᵀv"""
        return self.U.T @ self.v

    @property
    def plus(self) -> Array:
        """m₊"""
        return np.maximum(self.m, 0.0)

    @property
    def minus(self) -> Array:
        """m₋, but for what rounding leaves below zero."""
        floor = len(self.m) * EPS * float(np.abs(self.m).max())
        return np.where(self.m < -floor, -self.m, 0.0)

    @cached_property
    def K(self) -> Array:
        """M₊"""
        return spectrum.compose(self.plus, self.U)

    @property
    def rest(self) -> Array:
        """M₋"""
        return spectrum.compose(np.maximum(-self.m, 0.0), self.U)

    @cached_property
    def square(self) -> float:
        """‖K - S‖² = s²|w|⁴ + 2s·m₋ᵀw² + |m₋|²"""
        w2, minus = self.w**2, self.minus
        total = (self.s * float(w2.sum())) ** 2 + 2 * self.s * float(minus @ w2)
        return total + float(minus @ minus)

    @cached_property
    def turn(self) -> float:
        """⟨dK/ds, vvᵀ⟩ = (w²)ᵀΩw²; the derivative of ‖K - S‖² in s is 2s times that."""
        w2, above = self.w**2, self.m > 0
        up, down = self.m[above], self.m[~above]
        mixed = w2[above] @ (up[:, None] / (up[:, None] - down)) @ w2[~above]
        return float(w2[above].sum() ** 2 + 2 * mixed)


# -- (2): the robust machine -----------------------------------------------------------------------


class Robust(Free):
    """(2): C·1ᵀξ + ½cᵀKc + ρ‖K - S‖²"""

    def __init__(self, F: Arithmetic, problem: RobustMachine) -> None:
        super().__init__(F, problem)
        self.loss, self.ridge, self.rho = map(F.exact, (problem.C, 0.5, problem.rho))

    def cost(self, distance: Tensor) -> Tensor:
        """ρ‖K - S‖²"""
        return self.rho * distance.square()

    def dual(self, alpha: Tensor, W: Any) -> tuple[Tensor, Tensor, Tensor]:
        """1ᵀα - ⟨W, S⟩ - ‖W‖²/(4ρ), W ⪰ ½vvᵀ"""
        W = self.above(alpha, W)
        paid = self.F.norm(W).square() / (4 * self.rho)
        return alpha.sum() - self.F.inner(W, self.S) - paid, alpha, W

    def best(self, alpha: Tensor, tau: float | None = None) -> Dual:
        """W = ½vvᵀ + 2ρM₋, K = M₊ with M = S + vvᵀ/(4ρ)"""
        rho, v = self.problem.rho, self.y * alpha.mid
        at = Clipped.of(self.problem.S, v, 1 / (4 * rho))
        return Dual(*self.dual(alpha, np.outer(v, v) / 2 + 2 * rho * at.rest), at.K)


# -- (7): the kernel matrix learned ----------------------------------------------------------------


class Kernel(Free):
    """(7) and its dual: (1/n)·1ᵀξ + ηcᵀKc + γ‖K - S‖"""

    def __init__(self, F: Arithmetic, problem: KernelMachine) -> None:
        super().__init__(F, problem)
        self.loss, self.ridge = F.exact(1.0) / problem.n, F.exact(problem.eta)
        self.gamma = F.exact(problem.gamma)

    def cost(self, distance: Tensor) -> Tensor:
        """γ‖K - S‖"""
        return self.gamma * distance

    def inside(self, norm: Tensor) -> tuple[Tensor, Tensor]:
        """x² and x with which a W of this norm, and α, are in the ball; x·x ≤ x²."""
        F = self.F
        if norm <= self.gamma:
            return F.exact(1.0), F.exact(1.0)
        square = F.exact((self.gamma / norm).lower).positive()
        return square, F.exact(square.sqrt().lower)

    def dual(self, alpha: Tensor, W: Any) -> tuple[Tensor, Tensor, Tensor]:
        """2η·1ᵀα - ⟨W, S⟩, W ⪰ ηvvᵀ, ‖W‖ ≤ γ: where W is outside the ball, at W·x² and α·x."""
        W = self.above(alpha, W)
        square, root = self.inside(self.F.norm(W))
        value = 2 * self.ridge * root * alpha.sum() - square * self.F.inner(W, self.S)
        return value, root * alpha, square * W

    def best(self, alpha: Tensor, tau: float | None = None) -> Dual:
        """W = ηvvᵀ + (γ/τ)M₋, K = M₊ with M = S + (ητ/γ)vvᵀ and τ = ‖K - S‖; or W = ηvvᵀ.

        The latter is best where S ⪰ 0, and nothing but vᵀSv is charged for it.
        """
        problem, F = self.problem, self.F
        v = self.y * alpha
        _, root = self.inside(self.ridge * F.inner(v, v))
        alpha, v = root * alpha, root * v
        least = negative_part(problem.S)
        plain = 2 * self.ridge * alpha.sum() - self.ridge * F.inner(v, self.S @ v)
        made = []
        if least > 0:
            at = at_distance(problem, v.mid, least, tau)
            W = problem.eta * (np.outer(v.mid, v.mid) + at.rest / at.s)
            made.append(Dual(*self.dual(alpha, W), at.K))
        if not made or plain.lower > made[0].value.lower:
            W = self.ridge * (v[:, None] * v)
            return Dual(plain, alpha, W, Clipped.of(problem.S, v.mid, 0.0).K)
        return made[0]


@per_array
def negative_part(S: Array) -> float:
    """‖S₋‖, as doubles give it: zero for no more than S that has no eigenvalue below zero."""
    return float(np.linalg.norm(np.minimum(eigvalsh((S + S.T) / 2), 0.0)))


def at_distance(problem: KernelMachine, v: Array, least: float, tau: float | None) -> Clipped:
    r"""K_τ = M₊ of M = S + (ητ/γ)vvᵀ at the τ with ‖K_τ - S‖ = τ to rounding, by Newton's steps.

    ‖S₋‖ ≤ ‖K_τ - S‖ ≤ τη|v|²/γ + ‖S₋‖, so that ‖S₋‖ ≤ τ ≤ ‖S₋‖/(1 - η|v|²/γ).
    log‖K_τ - S‖ - log τ falls in log τ, with the slope s²·turn/‖K_τ - S‖² - 1 between -1 and 0.
    """
    ratio = problem.eta / problem.gamma
    room = max(1 - ratio * float(v @ v), EPS)
    low, high = float(np.log(least)), float(np.log(least / room)) + 1e-9
    x = low if not tau else float(np.clip(np.log(tau), low, high))
    best, nearest = None, np.inf
    # On the border of the ball the root is at infinity, or everywhere: the caller's factor serves.
    for _ in range(EVALUATIONS if room > 1e-6 else BORDER):
        at = Clipped.of(problem.S, v, ratio * float(np.exp(x)))
        h = float(np.log(max(at.square, TINY))) / 2 - x
        if best is None or abs(h) < nearest:
            best, nearest = at, abs(h)
        elif nearest <= 1e-12:
            break
        slope = at.s**2 * at.turn / max(at.square, TINY) - 1
        step = float(np.clip(-h / min(slope, -1e-6), -FARTHEST, FARTHEST))
        step = float(np.clip(x + step, low - 1e-9, high)) - x
        if nearest <= ROOT or step == 0:
            break
        x += step
    assert best is not None
    return best

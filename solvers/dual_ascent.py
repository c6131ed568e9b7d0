r"""Newton's ascent on the concave dual over α, for the programs that learn K near S freely.

For (2) of Chen, Gupta and Recht (2009), the machine of Luss and d'Aspremont (2007), with v = Yα

    F(α, s) = 1ᵀα - ½vᵀKv + ‖K - S‖²/(4s),   K = M₊,   M = S + s·vvᵀ = U diag(m) Uᵀ,   s = 1/(4ρ)
    ∂F/∂α = 1 - YKv,   -∂²F/∂α² = YU[diag(m₊) + s(diag(Ωw²) + diag(w) Ω diag(w))]UᵀY,   w = Uᵀv

where Ω holds the divided differences of m ↦ m₊: 1 where both are positive, 0 where both are
negative, and mᵢ/(mᵢ - mⱼ) where mᵢ > 0 ≥ mⱼ. One iteration is one quadratic program over the box
(`solvers.box`) and one eigendecomposition, which tells the function and both its ends: the dual at
α, and the machine on K at c = Yα, where its margins are short as far as α is from the optimum.

(7) is the same with a distance τ of K from S to be learned:

    γ‖K - S‖ = min over τ > 0 of γ‖K - S‖²/(2τ) + γτ/2
    (7) = 2η · min over s of max over α of F(α, s) + (γ/η)²s/4,  τ = γs/η and C = 1/(2ηn)

convex in s, and optimal where ‖K - S‖ = τ. With D = ‖K - S‖ and q = (w²)ᵀΩw²

    ∂F/∂s = -D²/(4s²),   ∂²F/∂s² = (D² - s²q)/(2s³),   ∂²F/∂α∂s = -YU(w∘Ωw²)

and a step goes to the saddle point of the quadratic model in both: s is eliminated, which adds a
rank one to the Hessian. Where that does not halve the gap s stays where it is until α is good for
it, and is moved then: log D - log τ falls in log τ, with a slope between -1 and 0, and the secant
finds its root. No K ⪰ 0 is nearer to S than S₊, and S₊ with c = 0 has the objective
2min(n₊, n₋)/n + γ‖S₋‖, of which γτ is a part: the root lies between

    ‖S₋‖ ≤ τ ≤ ‖S₋‖ + 2min(n₊, n₋)/(nγ)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import eigh

from cvxkernel.formulations import inputs
from cvxkernel.formulations import svm as machine
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.chen2009 import KernelMachine, RobustMachine, bounds
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import units
from cvxkernel.solvers.box import balanced, quadratic_program
from cvxkernel.solvers.method import Iterative, State

READY = 1e-3  # of the gap: an α that cannot gain more is good enough to move τ
CLOSE = 0.5  # of the upper end: from this gap on α and τ are moved together
FARTHEST = np.log(1e3)  # how far one step of the secant may take τ
SMALLEST = 1e-60  # the first α, relative to the machine on S clipped
NOTHING = 1e-18  # of the norm of S, or of what may be added to it: such a τ changes no double

Unit = RobustMachine | KernelMachine
Begin = tuple[Array, float, tuple[float, float]]  # α, log τ, and where that has to be


@dataclass(frozen=True)
class Ascended:
    """α and log τ, and what one eigendecomposition tells of them, in the units of F."""

    problem: Unit
    alpha: Array
    x: float
    at: bounds.Clipped

    @classmethod
    def of(cls, problem: Unit, alpha: Array, x: float) -> Ascended:
        """One eigendecomposition."""
        s = spread(problem, x)
        return cls(problem, alpha, x, bounds.Clipped.of(problem.S, problem.y * alpha, s))

    @cached_property
    def form(self) -> float:
        """vᵀKv"""
        return float(self.at.plus @ self.at.w**2)

    @cached_property
    def image(self) -> Array:
        """YKv"""
        made: Array = self.problem.y * (self.at.U @ (self.at.plus * self.at.w))
        return made

    @cached_property
    def value(self) -> float:
        """F"""
        return float(self.alpha.sum()) - self.form / 2 + self.at.square / (4 * self.at.s)

    @cached_property
    def excess(self) -> float:
        """log‖K - S‖ - log τ"""
        return float(np.log(max(self.at.square, TINY))) / 2 - self.x

    @cached_property
    def lower(self) -> float:
        """F; for (7) the dual at W = η(K - S)/s, multiplied by x² into its ball, and α by x."""
        if isinstance(self.problem, RobustMachine):
            return self.value
        square = min(1.0, float(np.exp(-self.excess)))
        total = self.form - self.at.square / self.at.s
        return float(np.sqrt(square) * self.alpha.sum() - square * total / 2)

    @cached_property
    def upper(self) -> float:
        """The machine on K at c = Yα, or at the multiple that no sample near 1 is short of."""
        problem, square = self.problem, self.at.square
        made = machine.shortened(self.image, self.form, problem.y, problem.C)
        if isinstance(problem, RobustMachine):
            return made + square / (4 * self.at.s)
        return made + problem.gamma / problem.eta * float(np.sqrt(square)) / 2


@dataclass
class AscentState(State):
    """Where α and log τ are, `here` after they began, and the points of the best ends so far.

    All but the ends are in the units of `unit`, `problem` scaled; `scale` takes the optimum back.
    """

    form: Formulation
    problem: Unit
    unit: Unit
    scale: float  # of F
    alpha: Array
    x: float  # log τ
    between: tuple[float, float]  # where x has to be
    here: Ascended | None = None
    gain: float = np.inf  # what the last step promised
    last: tuple[float, float] | None = None  # an x before, and log‖K - S‖ - x there
    bound: float = -np.inf  # the lower end at `best`
    best: Array | None = None
    attained: float = np.inf  # the upper end at `top`, and at z if that is not of its α
    top: Ascended | None = None  # the K there
    z: Array | None = None

    @property
    def gap(self) -> float:
        """Of both."""
        return self.attained - self.bound


@dataclass(frozen=True)
class DualAscent(Iterative[AscentState]):
    """The hyper-parameters; it answers luss2007, in both forms, eq7 and eq7-dual."""

    name = "dual_ascent"
    answers = first = frozenset(
        {"luss2007", "luss2007-maxmin", "chen2009-eq7", "chen2009-eq7-dual"}
    )
    warm = True
    patience = 24

    max_iterations: int = 200

    def init(self, form: Formulation, problem: Any, start: Point | None) -> AscentState:
        """The machine on S clipped; or the `alpha` and the `K` of a problem nearby."""
        unit = units.of(form).scaled(problem)
        scale = problem.C / unit.C if isinstance(problem, RobustMachine) else 2 * unit.eta
        begin = self.clipped(unit) if start is None else self.near(problem, unit, start)
        return AscentState(form, problem, unit, scale, *begin)

    def clipped(self, problem: Unit) -> Begin:
        """The machine on S clipped, its α scaled down as far as F rises.

        For (7) τ = ‖S_clip - S‖, or a millionth of ‖S‖.
        """
        lam, U = eigh((problem.S + problem.S.T) / 2)
        K = (U * np.maximum(lam, 0.0)) @ U.T
        alpha = best_response(K, problem.y, problem.C)
        x, between = 0.0, (-np.inf, np.inf)
        if isinstance(problem, KernelMachine):
            size = float(np.linalg.norm(lam))
            between = distances(problem, float(np.linalg.norm(np.minimum(lam, 0.0))), size)
            x = float(np.clip(np.log(max(1e-6 * size, TINY)), *between))
        shrink, value = 1.0, Ascended.of(problem, alpha, x).value
        while shrink > SMALLEST:
            less = Ascended.of(problem, shrink / 2 * alpha, x).value
            if less <= value:
                break
            shrink, value = shrink / 2, less
        return shrink * alpha, x, between

    def near(self, problem: Any, unit: Unit, point: Point) -> Begin:
        """A point of a problem nearby: its α, and for (7) τ = ‖K - S‖, in the units of `unit`."""
        given = inputs.weights("alpha", point["alpha"], problem.y.shape)
        alpha = balanced(given * unit.C / problem.C, problem.y, unit.C)
        if isinstance(unit, RobustMachine):
            return alpha, 0.0, (-np.inf, np.inf)
        sigma = problem.eta / unit.eta
        distance = float(np.linalg.norm(point["K"] - problem.S)) / sigma
        least = bounds.negative_part(problem.S) / sigma
        between = distances(unit, least, float(np.linalg.norm(unit.S)))
        return alpha, float(np.clip(np.log(max(distance, TINY)), *between)), between

    def point(self, state: AscentState) -> Point:
        """α of the lower end, K and z of the upper end where they are not those of α."""
        point: dict[str, Array] = {} if state.best is None else {"alpha": state.best}
        if state.top is not None:
            if isinstance(state.unit, KernelMachine):  # a τ to begin with
                point["v"] = np.sqrt(state.top.at.square)
            if state.z is not None:
                point |= {"K": state.top.at.K, "z": state.z}
            elif state.top.alpha is not state.best:
                point |= {"K": state.top.at.K, "z": state.unit.y * state.top.image}
        return units.of(state.form).restored(state.problem, state.unit, point)

    def step(self, state: AscentState) -> bool:
        """One Newton step, where it is not the first, and both ends at the α it leads to."""
        if state.here is None:
            here = Ascended.of(state.unit, state.alpha, state.x)
        else:
            here = self.joined(state, state.here) or self.advanced(state, state.here)
        state.here = here
        if here.lower > state.bound:
            state.bound, state.best = here.lower, here.alpha
        if here.upper < state.attained:
            state.attained, state.top, state.z = here.upper, here, None
        if state.gap > self.tol * abs(state.attained) and state.gain <= READY * state.gap:
            self.respond(state, here)
        state.lower, state.upper = state.scale * state.bound, state.scale * state.attained
        return True

    def joined(self, state: AscentState, here: Ascended) -> Ascended | None:
        """A Newton step of α and τ to the saddle point of the model; None where it is no good."""
        if isinstance(here.problem, RobustMachine):
            return None
        gap, bend = here.upper - here.lower, curvature(here)
        if not gap <= CLOSE * here.upper or not bend * here.at.s**2 > TINY:
            return None
        mixed, slope = cross(here), rate(here)
        H = bent(here) + np.outer(mixed, mixed) / bend
        alpha = best_of_model(H, 1 - here.image - slope * mixed / bend, here)
        share = -(slope + float(mixed @ (alpha - here.alpha))) / (bend * here.at.s)
        if not -0.9 < share < 10.0:
            return None
        there = Ascended.of(here.problem, alpha, here.x + float(np.log1p(share)))
        if not there.upper - there.lower <= gap / 2:
            return None
        state.gain = np.inf
        return there

    def advanced(self, state: AscentState, here: Ascended) -> Ascended:
        """A Newton step from α; in (7) τ is moved too, once α is good for it."""
        uphill, H = 1 - here.image, bent(here)
        alpha = best_of_model(H, uphill, here)
        d = alpha - here.alpha
        slope = float(uphill @ d)
        state.gain = slope - float(d @ H @ d) / 2
        if isinstance(here.problem, KernelMachine) and state.gain <= READY * state.gap:
            return Ascended.of(here.problem, alpha, self.moved(state, here))
        return line_search(here, d, slope)

    def respond(self, state: AscentState, here: Ascended) -> None:
        """The dual at the best τ for α from below; from above K and the c that is best for it."""
        problem, y = state.unit, state.unit.y
        own = best_response(here.at.K, y, problem.C, near=here.alpha)  # which it is, at the end
        at = bounds.free(DOUBLES, problem)
        dual = at.best(DOUBLES.exact(here.alpha), float(np.exp(here.x)))
        value, point = at.value(DOUBLES.exact(here.at.K), y * own)
        unit = 2 * problem.eta if isinstance(problem, KernelMachine) else 1.0
        low, high = float(dual.value.mid) / unit, float(value.mid) / unit
        if low > state.bound:
            state.bound, state.best = low, dual.alpha.mid
        if high < state.attained:
            state.attained, state.top, state.z = high, here, point["z"].mid

    def moved(self, state: AscentState, here: Ascended) -> float:
        """One step of the secant towards ‖K - S‖ = τ."""
        x, h = here.x, here.excess
        if h == 0:
            return x
        slope = -1.0
        if state.last is not None and state.last[0] != x:
            slope = float(np.clip((h - state.last[1]) / (x - state.last[0]), -1.0, -1e-3))
        state.last = (x, h)
        low, high = state.between
        # The root is at least |h| away: a border that is nearer was drawn at too rough an α.
        low, high = (x, max(high, x + 2 * h)) if h > 0 else (min(low, x + 2 * h), x)
        state.between = low, high
        to = x + float(np.clip(-h / slope, -FARTHEST, FARTHEST))
        return to if low < to < high else (low + high) / 2


def distances(problem: KernelMachine, least: float, size: float) -> tuple[float, float]:
    """The least and the largest log τ there can be, from ‖S₋‖ and ‖S‖."""
    few = float(min((problem.y > 0).mean(), (problem.y < 0).mean()))
    more = 2 * few / problem.gamma
    floor = max(least * (1 - 1e-9), NOTHING * size, NOTHING * more)
    return float(np.log(floor)), float(np.log(max(2 * (least + more), 4 * floor)))


def spread(problem: Unit, x: float) -> float:
    """s: 1/(4ρ), or ητ/γ at log τ = x."""
    if isinstance(problem, RobustMachine):
        return 1 / (4 * problem.rho)
    return problem.eta / problem.gamma * float(np.exp(x))


def bent(here: Ascended) -> Array:
    """-∂²F/∂α²"""
    y, at = here.problem.y, here.at
    return np.outer(y, y) * hessian(at.m, at.U, at.v, 1 / (4 * at.s))


def rate(here: Ascended) -> float:
    """∂/∂s of F + (γ/η)²s/4, for (7)."""
    problem, at = here.problem, here.at
    assert isinstance(problem, KernelMachine)
    return ((problem.gamma / problem.eta) ** 2 - at.square / at.s**2) / 4


def curvature(here: Ascended) -> float:
    """∂²F/∂s²"""
    s = here.at.s
    return (here.at.square - s * s * here.at.turn) / (2 * s**3)


def cross(here: Ascended) -> Array:
    """∂²F/∂α∂s"""
    at = here.at
    made: Array = -here.problem.y * (at.U @ (at.w * (differences(at.m) @ at.w**2)))
    return made


def best_of_model(H: Array, uphill: Array, here: Ascended) -> Array:
    """The α of the largest uphillᵀd - ½dᵀHd, d = α - α here."""
    problem, alpha = here.problem, here.alpha
    return quadratic_program(H, uphill + H @ alpha, problem.y, problem.C, near=alpha)


def hessian(m: Array, U: Array, v: Array, rho: float) -> Array:
    """U[diag(m₊) + (diag(Ωw²) + diag(w) Ω diag(w))/(4ρ)]Uᵀ"""
    w, Omega = U.T @ v, differences(m)
    inner = np.diag(np.maximum(m, 0.0) + Omega @ w**2 / (4 * rho))
    inner += np.outer(w, w) * Omega / (4 * rho)
    H: Array = U @ inner @ U.T
    return (H + H.T) / 2


def differences(m: Array) -> Array:
    """Ω"""
    plus = np.maximum(m, 0.0)
    same = np.where(np.minimum.outer(m, m) > 0, 1.0, 0.0)
    mixed = (m[:, None] > 0) != (m > 0)
    Omega: Array = np.divide(plus[:, None] - plus, m[:, None] - m, out=same, where=mixed)
    return Omega


def best_response(K: Array, y: Array, C: float, *, near: Array | None = None) -> Array:
    """The α of the support vector machine on K.

    # By the same quadratic program: on kernels of a learned rank-one part libsvm takes thirty times
    # as long (n = 100: 0.3 s).
    """
    return quadratic_program(machine.signed(y, K), np.ones(len(y)), y, C, near=near)


def line_search(here: Ascended, d: Array, slope: float) -> Ascended:
    """α + td for the first t = 1, … at which F rises enough."""
    t = 1.0
    for _ in range(30):
        there = Ascended.of(here.problem, here.alpha + t * d, here.x)
        if there.value >= here.value + 1e-4 * t * slope - 1e-14 * abs(here.value):
            return there
        # the top of the parabola through F(α), F'(α) and F(α + td)
        top = slope * t * t / max(2 * (here.value + slope * t - there.value), TINY)
        t = float(np.clip(top, t / 10, t / 2))
    return here

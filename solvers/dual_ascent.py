r"""Newton's ascent on the concave dual over α, for the programs that learn K near S freely.

For (2) of Chen, Gupta and Recht (2009), the machine of Luss and d'Aspremont (2007), with v = Yα

    F(α) = 1ᵀα - ½vᵀK*v + ρ‖K* - S‖²,   K* = M₊,   M = S + vvᵀ/(4ρ) = U diag(m) Uᵀ
    ∇F = 1 - YK*v,   -∇²F = YU[diag(m₊) + (diag(Ωw²) + diag(w) Ω diag(w))/(4ρ)]UᵀY,   w = Uᵀv

where Ω holds the divided differences of m ↦ m₊: 1 where both are positive, 0 where both are
negative, and mᵢ/(mᵢ - mⱼ) where mᵢ > 0 ≥ mⱼ. One iteration is one eigendecomposition, one quadratic
program over the box (`solvers.box`), a line search, and the support vector machine on K*, whose c
gives the upper end together with K*. The lower end is the dual at α.

(7) is the same with a distance τ of K from S to be learned:

    γ‖K - S‖ = min over τ > 0 of γ‖K - S‖²/(2τ) + γτ/2
    (7) = min over τ of γτ/2 + 2η·(2) with ρ = γ/(4ητ) and C = 1/(2ηn),  convex in τ

and optimal where ‖K - S‖ = τ. log‖K - S‖ - log τ falls in log τ, with a slope between -1 and 0: the
secant finds its root, α moving along. No K ⪰ 0 is nearer to S than S₊, and S₊ with c = 0 has the
objective 2min(n₊, n₋)/n + γ‖S₋‖, of which γτ is a part: the root lies between

    ‖S₋‖ ≤ τ ≤ ‖S₋‖ + 2min(n₊, n₋)/(nγ)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh, eigvalsh

from cvxkernel.formulations import inputs
from cvxkernel.formulations import svm as machine
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.chen2009 import KernelMachine, RobustMachine, bounds
from cvxkernel.formulations.enclosure import EPS, TINY
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import units
from cvxkernel.solvers.box import quadratic_program
from cvxkernel.solvers.method import Iterative, State

READY = 1e-3  # of the gap: an α that cannot gain more is good enough to move τ
FARTHEST = np.log(1e3)  # how far one step of the secant may take τ
SMALLEST = 1e-60  # the first α, relative to the machine on S clipped
NOTHING = 1e-18  # of the norm of S, or of what may be added to it: such a τ changes no double

# α, the robust machine it belongs to, log τ, and where that has to be
Begin = tuple[Array, RobustMachine, float, tuple[float, float]]


@dataclass
class AscentState(State):
    """α, the robust machine it belongs to, and the points of the best ends so far.

    All but the ends are in the units of `unit`, `problem` scaled; `scale` takes the optimum back.
    """

    form: Formulation
    problem: RobustMachine | KernelMachine
    unit: RobustMachine | KernelMachine
    scale: float
    alpha: Array
    robust: RobustMachine
    x: float = 0.0  # log τ
    between: tuple[float, float] = (-np.inf, np.inf)  # where x has to be
    last: tuple[float, float] | None = None  # an x before, and log‖K - S‖ - x there
    bound: float = -np.inf  # the lower end at `best`
    best: Array | None = None
    attained: float = np.inf  # the upper end at K and z
    K: Array | None = None
    z: Array | None = None
    M: tuple[Array, Array, Array] | None = None  # its m and U, and M₊, at the last α


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
        scale = problem.C / unit.C if isinstance(problem, RobustMachine) else 1.0
        begin = self.clipped(unit) if start is None else self.near(problem, unit, start)
        return AscentState(form, problem, unit, scale, *begin)

    def clipped(self, problem: RobustMachine | KernelMachine) -> Begin:
        """The machine on S clipped, its α scaled down as far as F rises.

        For (7) τ = ‖S_clip - S‖, or a millionth of ‖S‖.
        """
        lam, U = eigh((problem.S + problem.S.T) / 2)
        K = (U * np.maximum(lam, 0.0)) @ U.T
        alpha = best_response(K, problem.y, problem.C)
        if isinstance(problem, RobustMachine):
            x, between, target = 0.0, (-np.inf, np.inf), problem
        else:
            between = distances(problem, lam)
            x = float(np.clip(np.log(max(1e-6 * float(np.linalg.norm(lam)), TINY)), *between))
            target = robust(problem, x)
        shrink = 1.0
        while shrink > SMALLEST and value(target, shrink / 2 * alpha) > value(
            target, shrink * alpha
        ):
            shrink /= 2
        return shrink * alpha, target, x, between

    def near(self, problem: Any, unit: RobustMachine | KernelMachine, point: Point) -> Begin:
        """A point of a problem nearby: its α, and for (7) τ = ‖K - S‖, in the units of `unit`."""
        given = inputs.weights("alpha", point["alpha"], problem.y.shape)
        alpha = machine.repair(given * unit.C / problem.C, problem.y, unit.C)
        if isinstance(unit, RobustMachine):
            return alpha, unit, 0.0, (-np.inf, np.inf)
        distance = float(np.linalg.norm(point["K"] - problem.S))
        between = distances(unit, eigvalsh((unit.S + unit.S.T) / 2))
        sigma = problem.eta / unit.eta
        x = float(np.clip(np.log(max(distance / sigma, TINY)), *between))
        return alpha, robust(unit, x), x, between

    def point(self, state: AscentState) -> Point:
        """α of the lower end, K and z of the upper end."""
        parts = {"alpha": state.best, "K": state.K, "z": state.z}
        point = {symbol: part for symbol, part in parts.items() if part is not None}
        return units.of(state.form).restored(state.problem, state.unit, point)

    def step(self, state: AscentState) -> bool:
        """One Newton step, where it is not the first, and both ends at the α it leads to."""
        if state.M is not None:
            self.advance(state, state.M)
        target = state.robust
        v = target.y * state.alpha
        m, U = eigh((target.S + target.S.T) / 2 + np.outer(v, v) / (4 * target.rho))
        K = (U * np.maximum(m, 0.0)) @ U.T
        self.bounded(state.unit, state, (K + K.T) / 2)
        state.M = m, U, K
        return True

    def advance(self, state: AscentState, M: tuple[Array, Array, Array]) -> None:
        """A Newton step from α; in (7) τ is moved too, once α is good for it."""
        problem, target, y, (m, U, K) = state.unit, state.robust, state.unit.y, M
        v = y * state.alpha
        gradient = 1 - y * (K @ v)
        H = np.outer(y, y) * hessian(m, U, v, target.rho)
        alpha = quadratic_program(H, gradient + H @ state.alpha, y, target.C, near=state.alpha)
        d = alpha - state.alpha
        gain = float(gradient @ d - d @ H @ d / 2)
        gap = state.attained - state.bound
        if isinstance(problem, KernelMachine) and 2 * problem.eta * gain <= READY * gap:
            self.move(problem, state, K)
        state.alpha = line_search(target, state.alpha, d, float(gradient @ d))

    def bounded(self, problem: RobustMachine | KernelMachine, state: AscentState, K: Array) -> None:
        """The dual at α from below; from above K and the c that is best for it."""
        y = problem.y
        own = best_response(K, y, problem.C, near=state.alpha)  # which it is, at the end
        at = bounds.free(DOUBLES, problem)
        dual = at.best(DOUBLES.exact(state.alpha), float(np.exp(state.x)))
        value, point = at.value(DOUBLES.exact(K), y * own)
        if dual.value.mid > state.bound:
            state.bound, state.best = float(dual.value.mid), dual.alpha.mid
        if value.mid < state.attained:
            state.attained, state.K, state.z = float(value.mid), K, point["z"].mid
        state.lower, state.upper = state.scale * state.bound, state.scale * state.attained

    def move(self, problem: KernelMachine, state: AscentState, K: Array) -> None:
        """One step of the secant towards ‖K - S‖ = τ."""
        x, h = state.x, float(np.log(max(float(np.linalg.norm(K - problem.S)), TINY))) - state.x
        if h == 0:
            return
        slope = -1.0
        if state.last is not None and state.last[0] != x:
            slope = float(np.clip((h - state.last[1]) / (x - state.last[0]), -1.0, -1e-3))
        state.last = (x, h)
        low, high = state.between
        # The root is at least |h| away: a border that is nearer was drawn at too rough an α.
        low, high = (x, max(high, x + 2 * h)) if h > 0 else (min(low, x + 2 * h), x)
        state.between = low, high
        state.x = x + float(np.clip(-h / slope, -FARTHEST, FARTHEST))
        if not low < state.x < high:
            state.x = (low + high) / 2
        state.robust = robust(problem, state.x)


def distances(problem: KernelMachine, lam: Array) -> tuple[float, float]:
    """The least and the largest log τ there can be; λ holds the eigenvalues of S."""
    least, size = float(np.linalg.norm(np.minimum(lam, 0.0))), float(np.linalg.norm(lam))
    few = float(min((problem.y > 0).mean(), (problem.y < 0).mean()))
    more = 2 * few / problem.gamma
    floor = max(least * (1 - 1e-9), NOTHING * size, NOTHING * more)
    return float(np.log(floor)), float(np.log(max(2 * (least + more), 4 * floor)))


def robust(problem: KernelMachine, x: float) -> RobustMachine:
    """(2) at C = 1/(2ηn) and ρ = γ/(4ητ), log τ = x."""
    made = object.__new__(RobustMachine)
    rho = problem.gamma / (4 * problem.eta * float(np.exp(x)))
    for name, value in (("S", problem.S), ("y", problem.y), ("C", problem.C), ("rho", rho)):
        object.__setattr__(made, name, value)
    return made


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


def value(problem: RobustMachine, alpha: Array) -> float:
    """F(α) = 1ᵀα - ½vᵀSv - |v|⁴/(16ρ) + ρ‖M₋‖²"""
    v, rho = problem.y * alpha, problem.rho
    m = eigvalsh((problem.S + problem.S.T) / 2 + np.outer(v, v) / (4 * rho))
    below = np.where(m < -len(m) * EPS * np.abs(m).max(), m, 0.0)  # ρ makes much of rounding
    form = float(v @ problem.S @ v) / 2 + float(v @ v) ** 2 / (16 * rho)
    return float(alpha.sum()) - form + rho * float(below @ below)


def line_search(problem: RobustMachine, alpha: Array, d: Array, slope: float) -> Array:
    """α + td for the first t = 1, … at which F rises enough."""
    here, t = value(problem, alpha), 1.0
    for _ in range(30):
        there = value(problem, alpha + t * d)
        if there >= here + 1e-4 * t * slope - 1e-14 * abs(here):
            return alpha + t * d
        # the top of the parabola through F(α), F'(α) and F(α + td)
        top = slope * t * t / max(2 * (here + slope * t - there), TINY)
        t = float(np.clip(top, t / 10, t / 2))
    return alpha

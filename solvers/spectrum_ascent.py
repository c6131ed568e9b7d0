r"""Newton's ascent on the dual over α for (12) of Chen, Gupta and Recht (2009).

As for (7) in `dual_ascent`, γ‖a - a₀‖ is the least γ‖a - a₀‖²/(2τ) + γτ/2. With v = Yα, w = Uᵀv and
s = ητ/γ the a that is best for α is explicit, and with k = λ∘a

    F(α) = 1ᵀα - ½Σᵢ kᵢwᵢ² + d²/(4s),   ∇F = 1 - Y U diag(k) Uᵀv,
    -∇²F = YU diag(k + 2k′∘w²)UᵀY,      k′ = dk/d(w²)

    clip, flip   a = a₀ + sλ∘w²,   k = λ∘a,            k′ = sλ²,       d = ‖a - a₀‖ = s‖λ∘w²‖
    spectrum     k = max(λ + s·w², 0) where λ ≠ 0,     k′ = s or 0,    d = ‖k - λ‖

optimal where d = τ = sγ/η; d/s falls as s grows, and the secant in the logarithms of both finds the
root between the least and the largest s, their mean where it leaves them or is slow. Where d/s is
below γ/η at s = 0 the kernel is S clipped or flipped, and the support vector machine on it is all
there is: so it is where γ is large, for `both` too, whose kernel is then S flipped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cvxkernel.formulations import inputs, svm
from cvxkernel.formulations.chen2009 import SpectrumMachine, spectrum
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.box import quadratic_program
from cvxkernel.solvers.method import Iterative, State

NEWTON = 40  # steps in α at each s
SLOW = 5  # every so many steps the middle is tried
SMALL = 1e-11  # of F: a Newton step that gains less is the last


@dataclass
class SpectrumState(State):
    """s, where it has to be, and the α there; the enclosure is the narrowest so far."""

    form: Formulation
    problem: SpectrumMachine
    low: float
    high: float
    alpha: Array
    s: float | None = None
    first: float | None = None  # the s of a problem nearby
    seen: list[tuple[float, float]] = field(default_factory=list)  # s, and d/s over γ/η


@dataclass(frozen=True)
class SpectrumAscent(Iterative[SpectrumState]):
    """The hyper-parameters: the relative width to reach, and how many s to try."""

    name = "spectrum_ascent"
    answers = first = frozenset({"chen2009-eq12"})
    warm = True
    counted = "step"

    max_iterations: int = 60

    def init(self, form: Formulation, problem: Any, start: Point | None) -> SpectrumState:
        """The least s, and α = 0; or those of a problem nearby, where they may be."""
        state = SpectrumState(form, problem, *shares(problem), np.zeros(problem.n))
        if start is None or "alpha" not in start:
            return state
        given = inputs.weights("alpha", start["alpha"], problem.y.shape)
        state.alpha = svm.repair(given, problem.y, problem.C)
        if "a" in start and problem.h != "both":
            away = np.asarray(start["a"]) - centre(problem)
            away = problem.Lam * (start["a"] - 1) if problem.h == "spectrum" else away
            s = float(np.linalg.norm(away)) * problem.eta / problem.gamma
            state.first = s if state.low < s < state.high else None
        return state

    def step(self, state: SpectrumState) -> bool:
        """The best α at an s between the two, and its enclosure."""
        problem, low, high = state.problem, state.low, state.high
        if state.s is None:
            state.s = low if state.first is None else state.first
        elif problem.h == "both" or not 0 <= low < high * (1 - 1e-14):
            return False  # one norm, and a root between the two
        else:
            state.s = self.between(state)
        state.alpha = ascend(problem, state.s, state.alpha)
        a, ratio = response(problem, state.s, state.alpha)
        enclosure = state.form.enclose(problem, {"alpha": state.alpha, "a": a})
        if state.enclosure is None or enclosure.width < state.enclosure.width:
            state.enclosure = enclosure
        state.lower = max(state.lower, enclosure.lower)
        state.upper = min(state.upper, enclosure.upper)
        state.low, state.high = (state.s, high) if ratio > 1 else (low, state.s)
        state.seen.append((state.s, ratio))
        return True

    def between(self, state: SpectrumState) -> float:
        """The s of the next step: where the line through the last two logarithms is zero."""
        low, high = state.low, state.high
        middle = float(np.sqrt(max(low, 1e-16 * high) * high))
        seen = [(s, ratio) for s, ratio in state.seen if s > 0 and ratio > 0]
        if not seen or len(state.seen) % SLOW == 0:
            return middle
        x, f = np.log(seen[-1])
        slope = -1.0  # d falls with s at most as 1/s does
        if len(seen) > 1 and seen[-2][0] != seen[-1][0]:
            x_before, f_before = np.log(seen[-2])
            slope = (f - f_before) / (x - x_before)
        s = float(np.exp(x - f / slope)) if slope < 0 else middle
        return s if low < s < high else middle

    def point(self, state: SpectrumState) -> Point:
        """That of the narrowest enclosure."""
        return {} if state.enclosure is None else state.enclosure.variables


def shares(problem: SpectrumMachine) -> tuple[float, float]:
    """The least and the largest s: γτ is at most the objective at a₀ and c = 0."""
    lam, ratio = problem.Lam, problem.eta / problem.gamma
    least = float(np.linalg.norm(np.minimum(lam, 0.0))) if problem.h == "spectrum" else 0.0
    return least * ratio * (1 - 1e-9), (least + 1 / problem.gamma) * ratio


def response(problem: SpectrumMachine, s: float, alpha: Array) -> tuple[Array, float]:
    """The a that is best for α, and d/τ: d/s, which s = 0 has too, over γ/η."""
    lam, w2 = problem.Lam, (problem.basis.U.T @ (problem.y * alpha)) ** 2
    k, price = kernel(problem, s, w2), problem.gamma / problem.eta
    if problem.h == "spectrum":
        a = np.divide(k, lam, out=np.ones_like(lam), where=lam != 0)
        ratio = float(np.linalg.norm(k - lam)) / s if s else float(np.linalg.norm(w2[lam != 0]))
        return a, ratio / price
    return centre(problem) + s * lam * w2, float(np.linalg.norm(lam * w2)) / price


def centre(problem: SpectrumMachine) -> Array:
    """a₀, the better of the two for `both`."""
    return (spectrum.a_clip if problem.h == "clip" else spectrum.a_flip)(problem.Lam)


def kernel(problem: SpectrumMachine, s: float, w2: Array) -> Array:
    """k = λ∘a at the a that is best for α."""
    lam = problem.Lam
    if problem.h == "spectrum":
        return np.where(lam != 0, np.maximum(lam + s * w2, 0.0), 0.0)
    return lam * centre(problem) + s * lam**2 * w2


def value(problem: SpectrumMachine, s: float, alpha: Array) -> float:
    """F(α)"""
    lam, w2 = problem.Lam, (problem.basis.U.T @ (problem.y * alpha)) ** 2
    k = kernel(problem, s, w2)
    total = float(alpha.sum()) - float(k @ w2) / 2
    if not s:
        return total
    away = k - lam if problem.h == "spectrum" else s * lam * w2
    away = np.where(lam != 0, away, 0.0)
    return total + float(away @ away) / (4 * s)


def ascend(problem: SpectrumMachine, s: float, alpha: Array) -> Array:
    """The α of the largest F, by Newton's steps from the α given."""
    y, YU = problem.y, problem.y[:, None] * problem.basis.U
    here = value(problem, s, alpha)
    for _ in range(NEWTON):
        w = YU.T @ alpha
        k = kernel(problem, s, w * w)
        bend = s * np.where(k > 0, 1.0, 0.0) if problem.h == "spectrum" else s * problem.Lam**2
        H = (YU * (k + 2 * bend * w * w)) @ YU.T
        H = (H + H.T) / 2
        gradient = 1 - YU @ (k * w)
        near = alpha if alpha.any() else None
        d = quadratic_program(H, gradient + H @ alpha, y, problem.C, near=near) - alpha
        slope, t = float(gradient @ d), 1.0
        there = value(problem, s, alpha + d)
        while there < here + 1e-4 * t * slope and t > 1e-9:
            top = slope * t * t / max(2 * (here + slope * t - there), TINY)
            t = float(np.clip(top, t / 10, t / 2))
            there = value(problem, s, alpha + t * d)
        if there <= here:
            break
        alpha, gain, here = alpha + t * d, there - here, there
        if gain <= SMALL * abs(here):
            break
    return alpha

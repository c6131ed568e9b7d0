r"""Newton's ascent on the dual over α for (12) of Chen, Gupta and Recht (2009).

As for (7) in `dual_ascent`, γ‖a - a₀‖ is the least γ‖a - a₀‖²/(2τ) + γτ/2. With v = Yα, w = Uᵀv and
s = ητ/γ the a that is best for α is explicit, and with k = λ∘a, d = ‖a - a₀‖ = s‖p‖

    F(α, s) = 1ᵀα - ½Σᵢ kᵢwᵢ² + d²/(4s),   ∂F/∂α = 1 - Y U diag(k) Uᵀv,   ∂F/∂s = -‖p‖²/4
    -∂²F/∂α² = YU diag(k + 2sk′)UᵀY,       ∂²F/∂α∂s = -YU(w∘k′),         k′ = ∂k/∂s

    clip, flip   a = a₀ + sλ∘w²,   k = λ∘a,            k′ = λ²∘w²,            p = λ∘w²
    spectrum     k = max(λ + s·w², 0) where λ ≠ 0,     k′ = w² where k > 0,   p = max(w², -λ/s)

optimal where d = τ, ‖p‖ = γ/η: (12) is 2η times the saddle of F + (γ/η)²s/4, convex in s. A step
goes to the saddle of the quadratic model in both; for clip and flip F is linear in s, which is
then held by a small multiple of its square. Where that does not halve the gap α is brought to its
best for s, and s moved: ‖p‖ falls as s grows, and the secant in the logarithms of both finds the
root between the least and the largest s, their mean where it leaves them or is slow. Where ‖p‖ is
below γ/η at s = 0 the kernel is S clipped or flipped, and the support vector machine on it is all
there is: so it is where γ is large, for `both` too, whose kernel is then S flipped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from cvxkernel.formulations import inputs, svm
from cvxkernel.formulations.chen2009 import SpectrumMachine, bounds, spectrum
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.box import balanced, quadratic_program
from cvxkernel.solvers.method import Iterative, State

NEWTON = 40  # steps in α at each s
SLOW = 5  # every so many steps the middle is tried
SMALL = 1e-11  # of F: a Newton step that gains less is the last
STIFF = 1e3  # times the largest curvature in α: at most so much comes from s


@dataclass(frozen=True)
class Modified:
    """α and s, and what they make, in the units of F."""

    problem: SpectrumMachine
    alpha: Array
    s: float

    @cached_property
    def w(self) -> Array:
        """Uᵀv"""
        made: Array = self.problem.basis.U.T @ (self.problem.y * self.alpha)
        return made

    @cached_property
    def k(self) -> Array:
        """λ∘a at the a that is best for α."""
        lam, w2 = self.problem.Lam, self.w**2
        if self.problem.h == "spectrum":
            return np.where(lam != 0, np.maximum(lam + self.s * w2, 0.0), 0.0)
        return lam * centre(self.problem) + self.s * lam**2 * w2

    @property
    def turn(self) -> Array:
        """k′"""
        if self.problem.h == "spectrum":
            return np.where(self.k > 0, self.w**2, 0.0)
        made: Array = self.problem.Lam**2 * self.w**2
        return made

    @cached_property
    def pull(self) -> Array:
        """p"""
        lam, w2 = self.problem.Lam, self.w**2
        if self.problem.h != "spectrum":
            return lam * w2
        least = -lam / self.s if self.s else np.zeros_like(lam)
        return np.where(lam != 0, np.maximum(w2, least), 0.0)

    @property
    def a(self) -> Array:
        """a"""
        lam = self.problem.Lam
        if self.problem.h == "spectrum":
            return np.divide(self.k, lam, out=np.ones_like(lam), where=lam != 0)
        return centre(self.problem) + self.s * self.pull

    @cached_property
    def ratio(self) -> float:
        """‖p‖ over γ/η"""
        return float(np.linalg.norm(self.pull)) * self.problem.eta / self.problem.gamma

    @cached_property
    def form(self) -> float:
        """vᵀK_av"""
        return float(self.k @ self.w**2)

    @cached_property
    def image(self) -> Array:
        """YK_av"""
        made: Array = self.problem.y * (self.problem.basis.U @ (self.k * self.w))
        return made

    @cached_property
    def value(self) -> float:
        """F"""
        rest = self.s * float(self.pull @ self.pull) / 4
        return float(self.alpha.sum()) - self.form / 2 + rest

    @cached_property
    def lower(self) -> float:
        """The dual at ηp, multiplied by x² into its ball, and α by x."""
        square = min(1.0, 1 / max(self.ratio, TINY))
        own = self.problem.Lam if self.problem.h == "spectrum" else centre(self.problem)
        cost = float(self.pull @ own)
        return float(np.sqrt(square) * self.alpha.sum() - square * cost / 2)

    @cached_property
    def upper(self) -> float:
        """The machine on K_a at c = Yα, or at the multiple that no sample near 1 is short of."""
        machine = svm.shortened(self.image, self.form, self.problem.y, self.problem.C)
        distance = self.s * float(np.linalg.norm(self.pull))
        return machine + self.problem.gamma / self.problem.eta * distance / 2

    @property
    def gap(self) -> float:
        """Of both."""
        return self.upper - self.lower

    def at_distance(self) -> Modified:
        """The same α at the s that is best for it, where h = spectrum has one: ‖p‖ = γ/η."""
        if self.problem.h != "spectrum":
            return self
        lam, eta = self.problem.Lam, self.problem.eta
        least = np.where(lam != 0, eta * self.w**2, 0.0)
        over = bounds.diagonal(lam, least, self.problem.gamma) - least
        i = int(over.argmax())
        return replace(self, s=-eta * lam[i] / (over[i] + least[i])) if over[i] > 0 else self

    def rate(self) -> float:
        """∂/∂s of F + (γ/η)²s/4"""
        return (self.problem.gamma / self.problem.eta) ** 2 * (1 - self.ratio**2) / 4

    def curvature(self) -> float:
        """∂²F/∂s²"""
        if self.problem.h != "spectrum" or not self.s:
            return 0.0
        below = np.where(self.k > 0, 0.0, self.problem.Lam)
        return float(below @ below) / (2 * self.s**3)

    def cross(self) -> Array:
        """∂²F/∂α∂s"""
        made: Array = -self.problem.y * (self.problem.basis.U @ (self.w * self.turn))
        return made

    def bent(self) -> Array:
        """-∂²F/∂α²"""
        YU = self.problem.y[:, None] * self.problem.basis.U
        H: Array = (YU * (self.k + 2 * self.s * self.turn)) @ YU.T
        return (H + H.T) / 2


@dataclass
class SpectrumState(State):
    """α and s, where s has to be, and the point of the narrowest ends so far."""

    form: Formulation
    problem: SpectrumMachine
    low: float
    high: float
    here: Modified
    best: Modified | None = None
    seen: list[tuple[float, float]] = field(default_factory=list)  # s, and ‖p‖ over γ/η


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
        low, high = shares(problem)
        here = Modified(problem, np.zeros(problem.n), low)
        if start is not None and "alpha" in start:
            here = self.near(problem, start, low, high)
        return SpectrumState(form, problem, low, high, here)

    def near(self, problem: SpectrumMachine, start: Point, low: float, high: float) -> Modified:
        """α, and s by the distance of a."""
        given = inputs.weights("alpha", start["alpha"], problem.y.shape)
        alpha = balanced(given, problem.y, problem.C)
        s = low
        if "a" in start and problem.h != "both":
            away = np.asarray(start["a"]) - centre(problem)
            away = problem.Lam * (start["a"] - 1) if problem.h == "spectrum" else away
            s = float(np.linalg.norm(away)) * problem.eta / problem.gamma
        return Modified(problem, alpha, s if low < s < high else low)

    def step(self, state: SpectrumState) -> bool:
        """One step of both, or the best α at an s between the two."""
        here = state.here
        if state.best is None and here.s > state.low:
            there = here
        elif state.best is not None and (joined := self.joined(here)) is not None:
            there = joined
        else:
            s = here.s
            if state.seen and s == state.seen[-1][0]:
                if state.problem.h == "both" or not 0 <= state.low < state.high * (1 - 1e-14):
                    return False  # one norm, and a root between the two
                s = self.between(state)
            there = ascend(Modified(state.problem, here.alpha, s))
            above = there.ratio > 1
            state.low, state.high = (s, state.high) if above else (state.low, s)
            state.seen.append((s, there.ratio))
            there = min(there, there.at_distance(), key=lambda one: one.gap)
        state.here = there
        if state.best is None or there.gap < state.best.gap:
            state.best = there
        scale = 2 * state.problem.eta
        state.lower = max(state.lower, scale * there.lower)
        state.upper = min(state.upper, scale * there.upper)
        return True

    def joined(self, here: Modified) -> Modified | None:
        """A Newton step of α and s to the saddle point of the model; None where it is no good."""
        H, mixed = here.bent(), here.cross()
        most = STIFF * float(np.abs(H).max())
        bend = max(here.curvature(), float(np.abs(mixed).max()) ** 2 / most if most > 0 else 0.0)
        if here.problem.h == "both" or not bend > 0:
            return None
        H, rate = H + np.outer(mixed, mixed) / bend, here.rate()
        alpha = best_of_model(here, H, 1 - here.image - rate * mixed / bend)
        s = here.s - (rate + float(mixed @ (alpha - here.alpha))) / bend
        low, high = shares(here.problem)
        if not low < s < high:
            return None
        there = Modified(here.problem, alpha, s)
        return there if there.gap <= here.gap / 2 else None

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
        """That of the narrowest ends."""
        return {} if state.best is None else {"alpha": state.best.alpha, "a": state.best.a}


def shares(problem: SpectrumMachine) -> tuple[float, float]:
    """The least and the largest s: γτ is at most the objective at a₀ and c = 0."""
    lam, ratio = problem.Lam, problem.eta / problem.gamma
    least = float(np.linalg.norm(np.minimum(lam, 0.0))) if problem.h == "spectrum" else 0.0
    return least * ratio * (1 - 1e-9), (least + 1 / problem.gamma) * ratio


def centre(problem: SpectrumMachine) -> Array:
    """a₀, the better of the two for `both`."""
    return (spectrum.a_clip if problem.h == "clip" else spectrum.a_flip)(problem.Lam)


def best_of_model(here: Modified, H: Array, uphill: Array) -> Array:
    """The α of the largest uphillᵀd - ½dᵀHd, d = α - α here."""
    alpha, problem = here.alpha, here.problem
    near = alpha if alpha.any() else None
    return quadratic_program(H, uphill + H @ alpha, problem.y, problem.C, near=near)


def ascend(here: Modified) -> Modified:
    """The α of the largest F at this s, by Newton's steps."""
    for _ in range(NEWTON):
        gradient = 1 - here.image
        d = best_of_model(here, here.bent(), gradient) - here.alpha
        slope, t = float(gradient @ d), 1.0
        there = Modified(here.problem, here.alpha + d, here.s)
        while there.value < here.value + 1e-4 * t * slope and t > 1e-9:
            top = slope * t * t / max(2 * (here.value + slope * t - there.value), TINY)
            t = float(np.clip(top, t / 10, t / 2))
            there = Modified(here.problem, here.alpha + t * d, here.s)
        if there.value <= here.value:
            break
        gain, here = there.value - here.value, there
        if gain <= SMALL * abs(here.value):
            break
    return here

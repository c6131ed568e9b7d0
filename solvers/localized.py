r"""Algorithm 1 of Gönen and Alpaydın (2008): a support vector machine and a gradient step in turn.

    J(V, v0) = max over α of (7) at the gating, = min over w, b, ξ of (5) at it

is not convex in (V, v0). What can be promised of a gating is told with the answer: J there is
enclosed, the gradient of J there is its stationarity residual, each step is known to have gone down
(its enclosure lies below the one before), not to, or neither; and every start is reported.
Section 3.2 has other objectives at a gating: `MACHINES` says what line 4 solves then.
For two kernels and points on a line `gating_box` bounds J from below over a box of gatings.

The step μ is 0.01 in section 4; section 3.1 has a line search. Ours halves μ until the enclosure of
J lies below the one before by a share of what the gradient promises, so that J never rises, and
ends where no decrease can be told from rounding. After as many steps the gradient is often far from
zero: from the best gating of all starts BFGS steps go on, with the same line search, until what its
slope says is left to win, ½slope²/J, is at most `tol` of J.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import SolverError
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.gonen2008 import (
    Gated,
    Localized,
    LocalizedOneClass,
    LocalizedRegression,
)
from cvxkernel.formulations.gonen2008.programs import Local
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import deadline, units
from cvxkernel.solvers.extension import one_class, regression
from cvxkernel.solvers.gating_box import GatingBox, difference
from cvxkernel.solvers.method import Method, Progress, Solution, Step
from cvxkernel.solvers.svm import Machine, svm

ARMIJO = 1e-4  # the share of the decrease promised by the gradient that a step has to keep
STATUS = "optimal at the gating"  # not: over the gatings


def classification(at: Gated, near: Array | None = None) -> Array:
    """α of (7), in units where it is near 1."""
    machine = Machine.of(units.of(formulation("gonen2008-eq7")).scaled(at))
    s = at.C / machine.C
    start = None if near is None else near / s
    return s * svm(machine.K, machine.y, machine.C, start=start)


# By the problem: the id, the symbol of what solves it at a gating, and how that is found (line 4).
MACHINES: dict[type, tuple[str, str, Callable[[Any, Array | None], Array]]] = {
    Localized: ("gonen2008-alg1", "alpha", classification),
    LocalizedRegression: ("gonen2008-alg1-regression", "beta", regression),
    LocalizedOneClass: ("gonen2008-alg1-oneclass", "alpha", one_class),
}


@dataclass(frozen=True, eq=False)
class Iterate:
    """A gating, the α (or β) that solves (7) at it, and ∂J/∂V, ∂J/∂v0 there."""

    problem: Local
    at: Any
    alpha: Array

    @classmethod
    def make(cls, problem: Any, V: Array, v0: Array, near: Iterate | None) -> Iterate:
        """Lines 3 and 4: K_η, and the machine with it, started from a solution nearby."""
        at, machine = problem.at(V, v0), MACHINES[type(problem)][2]
        return cls(problem, at, machine(at, None if near is None else near.alpha))

    @property
    def point(self) -> Point:
        """In the symbols of the formulation."""
        symbol = MACHINES[type(self.problem)][1]
        return {symbol: self.alpha, "V": self.at.V, "v0": self.at.v0}

    @cached_property
    def gradient(self) -> tuple[Array, Array]:
        """∂J/∂V and ∂J/∂v0 as printed."""
        slopes: tuple[Array, Array] = self.at.gradient(self.alpha)
        return slopes

    @cached_property
    def J(self) -> Enclosure:
        """The enclosure of J at this gating."""
        return formulation(MACHINES[type(self.problem)][0]).enclose(self.problem, self.point)

    @property
    def residual(self) -> float:
        """‖(∂J/∂V, ∂J/∂v0)‖₂, zero at a stationary gating."""
        return float(np.sqrt(sum(np.sum(part**2) for part in self.gradient)))

    @cached_property
    def left(self) -> float:
        """½slope²/J relative to J, the slope being that in the z_m = ⟨v_m, x⟩ + v_m0.

        The most that J changes when the z change by 1 in the root of the mean square:
        slope² = nΣ_m g_mᵀ(AᵀA)⁺g_m, A = [X 1], g_m = (∂J/∂v_m, ∂J/∂v_m0).
        """
        A = np.column_stack([self.at.X, np.ones(self.at.n)])
        g = np.column_stack([self.gradient[0], self.gradient[1]])  # (p, d + 1)
        square = self.at.n * float(np.sum(np.linalg.lstsq(A.T, g.T, rcond=None)[0] ** 2))
        return square / (2 * self.J.upper**2) if square else 0.0


@dataclass(frozen=True)
class GatingDescent(Method):
    """The hyper-parameters.

    search : whether the step is found by a line search; else it is `mu`, as in section 4
    iterations : at most, with a search; exactly, without
    polish : how many BFGS steps from the best gating at most; none without a search
    starts : how many, from normal deviates times `spread`, seeded by (seed, start)
    """

    name = "localized"
    answers = first = frozenset(id for id, _, _ in MACHINES.values())

    search: bool = True
    mu: float = 0.01
    iterations: int = 50
    polish: int = 200
    starts: int = 5
    seed: int = 0
    spread: float = 0.01

    def solve(
        self, id: str, problem: Any, *, progress: Progress | None = None, start: Point | None = None
    ) -> Solution:
        """The gating of least J of all starts; SolverError where J cannot be enclosed to `tol`."""
        form = self.formulation(id, problem)
        begin = perf_counter()
        runs: list[Sequence[Iterate]] = []
        history: list[list[Step]] = []
        for k in range(self.starts):
            if k and deadline.passed():
                break
            run: list[Iterate] = []
            steps: list[Step] = []
            for iterate in self.path(problem, *self.start(problem, k)):
                run.append(iterate)
                steps.append(step_of(iterate, len(steps), begin))
                if progress is not None:
                    where = f"start {k + 1} of {self.starts}, iteration {len(steps) - 1}"
                    progress(f"{id}: {where}, J = {iterate.J.value:.6g}")
                if deadline.passed():
                    break
            runs.append(run)
            history.append(steps)
        best = min(range(len(runs)), key=lambda k: runs[k][-1].J.upper)
        for iterate in self.polished(problem, runs[best][-1]) if self.search else ():
            runs[best] = [*runs[best], iterate]
            history[best].append(step_of(iterate, len(history[best]), begin))
            if deadline.passed():
                break
        last = runs[best][-1]
        enclosure = form.enclose(problem, last.point)
        name = self.name if self.search else FixedGatingDescent.name
        if not enclosure.width <= self.tol or deadline.passed():
            why = f"relative width {enclosure.width:.1e} where {self.tol:.1e} is asked for"
            where = f"start {len(runs)} of {self.starts}, iteration {len(history[-1]) - 1}"
            attempts = {name: f"{why}, at {where}"}
            raise SolverError(id, attempts, enclosure, limit=deadline.reached())
        starts = [summary(run) for run in runs]
        promises: dict[str, Any] = {
            "enclosed": "J at the printed gating, an upper bound of the least J",
            **{key: starts[best][key] for key in ("stationarity", "monotone", "rises")},
            "start": best,
            "starts": starts,
        }
        if isinstance(problem, Localized) and (problem.p, problem.d) == (2, 1):
            promises["least"] = self.judge(problem, [run[-1] for run in runs], progress)
        return Solution.at(
            id,
            enclosure,
            name,
            iterations=len(history[best]) - 1,
            seconds=perf_counter() - begin,
            status=STATUS,
            history=tuple(history[best]),
            promises=promises,
        )

    def start(self, problem: Local, k: int) -> tuple[Array, Array]:
        """Line 1: small random numbers for start k."""
        rng = np.random.default_rng([self.seed, k])
        V = self.spread * rng.normal(size=(problem.p, problem.d))
        return V, self.spread * rng.normal(size=problem.p)

    def path(self, problem: Local, V: Array, v0: Array) -> Iterator[Iterate]:
        """The iterates from a start on; line 2 repeats."""
        now = Iterate.make(problem, V, v0, None)
        yield now
        reach = 1.0  # how far the first trial of a line search moves the farthest parameter
        for _ in range(self.iterations):
            if self.search:
                lower = self.line(problem, now, reach)
                if lower is None:
                    return
                now, reach = lower[0], 2 * lower[1]
            else:
                now = step(problem, now, self.mu)
            yield now

    def line(self, problem: Local, now: Iterate, reach: float) -> tuple[Iterate, float] | None:
        """A step after which J is lower for certain, and how far it went; None where there is none.

        μ is halved as long as the decrease it promises is wider than the enclosure of J.
        """
        steepest = max(float(np.abs(part).max()) for part in now.gradient)
        if steepest == 0:
            return None
        return descend(problem, now, tuple(-part / steepest for part in now.gradient), reach)

    def polished(self, problem: Local, now: Iterate) -> Iterator[Iterate]:
        """BFGS from here, until little is left to win or no decrease can be told."""
        H: Array | None = None  # the inverse Hessian; where there is none the gradient is taken
        for _ in range(self.polish):
            if now.left <= self.tol / 4:
                return
            g = packed(now.gradient)
            d = -g / np.abs(g).max() if H is None else -H @ g
            lower = descend(problem, now, unpacked(now.at, d), 1.0) if d @ g < 0 else None
            if lower is None and H is None:
                return
            if lower is None:
                H = None
                continue
            then, reach = lower
            H = updated(H, reach * d, packed(then.gradient) - g)
            now = then
            yield now

    def judge(
        self, problem: Localized, lasts: Sequence[Iterate], progress: Progress | None
    ) -> dict[str, Any]:
        """Bounds on the least J over a box that holds the last gating of every start."""
        box = GatingBox.around(problem, [difference(last.at) for last in lasts])
        least = box.least(problem, progress=progress)
        return {
            "v1 - v2": [box.a_low, box.a_high],
            "v10 - v20": [box.c_low, box.c_high],
            "lower": least.lower,
            "upper": min(least.upper, *(last.J.upper for last in lasts)),
            "boxes": least.boxes,
        }


@dataclass(frozen=True)
class FixedGatingDescent(GatingDescent):
    """Algorithm 1 with the step and the iterations of section 4."""

    name = "localized_fixed"
    first = frozenset()

    search: bool = False


def step_of(iterate: Iterate, number: int, begin: float) -> Step:
    """An iterate as the history has it."""
    return Step(number, iterate.J.lower, iterate.J.upper, perf_counter() - begin)


def descend(
    problem: Local, now: Iterate, along: tuple[Array, ...], reach: float
) -> tuple[Iterate, float] | None:
    """A multiple of a direction after which J is lower for certain, the first halved that is."""
    slope = -sum(float(np.sum(g * d)) for g, d in zip(now.gradient, along, strict=True))
    while reach * slope > now.J.upper - now.J.lower:
        dV, dv0 = along
        then = Iterate.make(problem, now.at.V + reach * dV, now.at.v0 + reach * dv0, now)
        if then.J.upper <= now.J.lower - ARMIJO * reach * slope:
            return then, reach
        reach /= 2
    return None


def packed(parts: Sequence[Array]) -> Array:
    """V and v0, or their derivatives, as one vector."""
    return np.concatenate([part.ravel() for part in parts])


def unpacked(at: Any, d: Array) -> tuple[Array, ...]:
    """And back."""
    return d[: at.V.size].reshape(at.V.shape), d[at.V.size :]


def updated(H: Array | None, s: Array, t: Array) -> Array | None:
    """The BFGS update of an inverse Hessian for a step s that changed the gradient by t."""
    bend = float(s @ t)
    if bend <= 1e-12 * float(np.linalg.norm(s) * np.linalg.norm(t)):
        return H
    E = np.eye(len(s))
    if H is None:
        H = E * (bend / float(t @ t))
    F = E - np.outer(s, t) / bend
    out: Array = F @ H @ F.T + np.outer(s, s) / bend
    return out


def step(problem: Local, now: Iterate, mu: float) -> Iterate:
    """Lines 5 and 6, then lines 3 and 4 at the new gating."""
    dV, dv0 = now.gradient
    v0 = now.at.v0 - mu * dv0  # line 5
    V = now.at.V - mu * dV  # line 6
    return Iterate.make(problem, V, v0, now)


def summary(run: Sequence[Iterate]) -> dict[str, Any]:
    """What one start came to: J enclosed, its stationarity, and which way the steps went.

    `monotone`: each step went down for certain. `rises`: how many went up for certain.
    """
    pairs = list(pairwise(iterate.J for iterate in run))
    return {
        "lower": run[-1].J.lower,
        "upper": run[-1].J.upper,
        "stationarity": run[-1].residual,
        "monotone": all(then.upper <= now.lower for now, then in pairs),
        "rises": sum(then.lower > now.upper for now, then in pairs),
        "iterations": len(run) - 1,
    }

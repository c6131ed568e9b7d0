r"""Algorithm 1 of Gönen and Alpaydın (2008): a support vector machine and a gradient step in turn.

    J(V, v0) = max over α of (7) at the gating, = min over w, b, ξ of (5) at it

is not convex in (V, v0). What can be promised of a gating is told with the answer: J there is
enclosed, the gradient of J there is its stationarity residual, each step is known to have gone down
(its enclosure lies below the one before), not to, or neither; and every start is reported.
For two kernels and points on a line `gating_box` bounds J from below over a box of gatings.

The step μ is 0.01 in section 4; section 3.1 has a line search. Ours halves μ until the enclosure of
J lies below the one before by a share of what the gradient promises, so that J never rises, and
ends where no decrease can be told from rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import SolverError
from cvxkernel.formulations.gonen2008 import Gated, Localized
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.gating_box import GatingBox, difference
from cvxkernel.solvers.solution import Progress, Solution, Step
from cvxkernel.solvers.svm import svm

ARMIJO = 1e-4  # the share of the decrease promised by the gradient that a step has to keep
STATUS = "optimal at the gating"  # not: over the gatings


@dataclass(frozen=True, eq=False)
class Iterate:
    """A gating, the α that solves (7) at it, and ∂J/∂V, ∂J/∂v0 there."""

    at: Gated
    alpha: Array

    @classmethod
    def make(cls, problem: Localized, V: Array, v0: Array, near: Iterate | None) -> Iterate:
        """Lines 3 and 4: K_η, and the machine with it, started from a solution nearby."""
        at = problem.at(V, v0)
        form = formulation("gonen2008-eq7")
        assert form.machine is not None
        machine = form.machine(form.unit(at))  # in units where α is near 1
        s = at.C / machine.C
        start = None if near is None else near.alpha / s
        return cls(at, s * svm(machine.K, machine.y, machine.C, start=start))

    @cached_property
    def gradient(self) -> tuple[Array, Array]:
        """∂J/∂V and ∂J/∂v0 as printed."""
        return self.at.gradient(self.alpha)

    @cached_property
    def J(self) -> Enclosure:
        """The enclosure of J at this gating."""
        return formulation("gonen2008-eq7").enclose(self.at, {"alpha": self.alpha})

    @property
    def residual(self) -> float:
        """‖(∂J/∂V, ∂J/∂v0)‖₂, zero at a stationary gating."""
        return float(np.sqrt(sum(np.sum(part**2) for part in self.gradient)))


@dataclass(frozen=True)
class GatingDescent:
    """The hyper-parameters.

    search : whether the step is found by a line search; else it is `mu`, as in section 4
    iterations : at most, with a search; exactly, without
    starts : how many, from normal deviates times `spread`, seeded by (seed, start)
    """

    tol: float = 1e-6
    search: bool = True
    mu: float = 0.01
    iterations: int = 50
    starts: int = 5
    seed: int = 0
    spread: float = 0.01

    def solve(self, id: str, problem: Any, *, progress: Progress | None = None) -> Solution:
        """The gating of least J of all starts; SolverError where J cannot be enclosed to `tol`."""
        form = formulation(id)
        form.require(problem)
        begin = perf_counter()
        runs: list[Sequence[Iterate]] = []
        history: list[list[Step]] = []
        for k in range(self.starts):
            run: list[Iterate] = []
            steps: list[Step] = []
            for found in self.path(problem, *self.start(problem, k)):
                run.append(found)
                ends = (found.J.lower, found.J.upper)
                steps.append(Step(len(steps), *ends, perf_counter() - begin))
                if progress is not None:
                    where = f"start {k + 1} of {self.starts}, iteration {len(steps) - 1}"
                    progress(f"{id}: {where}, J = {found.J.value:.6g}")
            runs.append(run)
            history.append(steps)
        best = min(range(self.starts), key=lambda k: runs[k][-1].J.upper)
        last = runs[best][-1]
        enclosure = form.enclose(problem, {"alpha": last.alpha, "V": last.at.V, "v0": last.at.v0})
        name = "localized" if self.search else "localized_fixed"
        if not enclosure.width <= self.tol:
            why = f"relative width {enclosure.width:.1e} above {self.tol:.1e}"
            raise SolverError(id, {name: why}, enclosure)
        starts = [told(run) for run in runs]
        promises: dict[str, Any] = {
            "enclosed": "J at the printed gating, an upper bound of the least J",
            **{key: starts[best][key] for key in ("stationarity", "monotone", "rises")},
            "start": best,
            "starts": starts,
        }
        if (problem.p, problem.d) == (2, 1):
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

    def start(self, problem: Localized, k: int) -> tuple[Array, Array]:
        """Line 1: small random numbers for start k."""
        rng = np.random.default_rng([self.seed, k])
        V = self.spread * rng.normal(size=(problem.p, problem.d))
        return V, self.spread * rng.normal(size=problem.p)

    def path(self, problem: Localized, V: Array, v0: Array) -> Iterator[Iterate]:
        """The iterates from a start on; line 2 repeats."""
        now = Iterate.make(problem, V, v0, None)
        yield now
        reach = 1.0  # how far the first trial of a line search moves the farthest parameter
        for _ in range(self.iterations):
            if self.search:
                found = self.line(problem, now, reach)
                if found is None:
                    return
                now, reach = found[0], 2 * found[1]
            else:
                now = step(problem, now, self.mu)
            yield now

    def line(self, problem: Localized, now: Iterate, reach: float) -> tuple[Iterate, float] | None:
        """A step after which J is lower for certain, and how far it went; None where there is none.

        μ is halved as long as the decrease it promises is wider than the enclosure of J.
        """
        steepest = max(float(np.abs(part).max()) for part in now.gradient)
        square = now.residual**2
        while reach * square > (now.J.upper - now.J.lower) * steepest:
            mu = reach / steepest
            then = step(problem, now, mu)
            if then.J.upper <= now.J.lower - ARMIJO * mu * square:
                return then, reach
            reach /= 2
        return None

    def judge(
        self, problem: Localized, ends: Sequence[Iterate], progress: Progress | None
    ) -> dict[str, Any]:
        """Bounds on the least J over a box that holds every gating found."""
        box = GatingBox.around(problem, [difference(end.at) for end in ends])
        least = box.least(problem, progress=progress)
        return {
            "v1 - v2": [box.a_low, box.a_high],
            "v10 - v20": [box.c_low, box.c_high],
            "lower": least.lower,
            "upper": min(least.upper, *(end.J.upper for end in ends)),
            "boxes": least.boxes,
        }


def step(problem: Localized, now: Iterate, mu: float) -> Iterate:
    """Lines 5 and 6, then lines 3 and 4 at the new gating."""
    dV, dv0 = now.gradient
    v0 = now.at.v0 - mu * dv0  # line 5
    V = now.at.V - mu * dV  # line 6
    return Iterate.make(problem, V, v0, now)


def told(run: Sequence[Iterate]) -> dict[str, Any]:
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

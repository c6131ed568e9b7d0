"""One route to the optimum of one problem, timed beside what it cannot do without.

Two limits stand beside every time: the factorization, eigendecomposition or support vector machine
that an iteration needs, on the average of the kernels; and reading the kernels once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cholesky, eigh

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import SolverError
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import METHODS, solve
from cvxkernel.solvers.panel import PANEL
from cvxkernel.solvers.svm import svm
from cvxkernel.validation.bench.data import File, Instance
from cvxkernel.validation.bench.process import Limits, alone, cpu, megabytes

ROUNDS = 5  # the least time of so many, ...
ENOUGH = 2.0  # ... or of as many as take these seconds: others may be at work on the same cores


@dataclass(frozen=True)
class Measurement:
    """One route: the width it reached and what it took, or why it has none.

    seconds : of the processor
    unit : what an iteration cannot do without; `one` is the seconds of one
    read : the seconds of reading the kernels once
    """

    id: str
    solver: str
    seconds: float | None = None
    width: float | None = None
    iterations: int | None = None
    megabytes: float | None = None
    unit: str | None = None
    one: float | None = None
    read: float | None = None
    failure: str | None = None

    @property
    def units(self) -> float | None:
        """The time in units."""
        return self.seconds / self.one if self.seconds is not None and self.one else None


def measure(id: str, solver: str, instance: Instance, *, tol: float, limits: Limits) -> Measurement:
    """Run one route in a process of its own, within the limits."""
    return Measurement(id, solver, **alone(limits, _run, id, solver, instance, tol))


def race(id: str, problem: File, *, tol: float, limits: Limits) -> Iterator[Measurement]:
    """Each method that answers `id`, then each solver of the panel that is ready."""
    id = formulation(id).id
    for solver in (*methods(id), *panel(id)):
        yield measure(id, solver, problem, tol=tol, limits=limits)


def methods(id: str) -> list[str]:
    """The methods that answer a formulation."""
    return [name for name, route in METHODS.items() if id in route.answers]


def panel(id: str) -> list[str]:
    """The conic solvers that are ready for it."""
    if formulation(id).kind in ("SILP", "nonconvex"):
        return []
    return [member.name for member in PANEL.values() if member.unavailable() is None]


def least(work: Callable[[], Any]) -> float:
    """The least CPU seconds of a few times."""
    times: list[float] = []
    while len(times) < ROUNDS and sum(times) < ENOUGH:
        start = cpu()
        work()
        times.append(cpu() - start)
    return min(times)


def unit(id: str, problem: Any) -> tuple[str, Callable[[], Any]]:
    """What one iteration of a method for this formulation cannot do without."""
    paper = formulation(id).paper
    if paper in ("ye2008", "kim2006"):
        M = problem.kernels.mean(axis=0) + np.eye(problem.n)
        return "Cholesky", lambda: cholesky(M, lower=True, check_finite=False)
    if hasattr(problem, "kernels"):
        K, C = problem.kernels.mean(axis=0), getattr(problem, "C", np.inf)
        if hasattr(problem, "Y"):
            return "machine of every label", lambda: [svm(K, y, C) for y in problem.Y]
        return "SVM", lambda: svm(K, problem.y, C)
    S: Array = problem.S[0] if problem.S.ndim == 3 else problem.S
    return "eigh", lambda: eigh(S, check_finite=False)


def _run(id: str, solver: str, instance: Instance, tol: float) -> Iterator[dict[str, Any]]:
    data = instance.data()
    form = formulation(id)
    times: list[float] = []
    while len(times) < ROUNDS and sum(times) < ENOUGH:
        problem = form.make(data)  # afresh: nothing is remembered of the last
        start = cpu()
        try:
            solution = solve(id, problem, solver=solver, tol=tol)
        except SolverError as error:
            yield {"failure": "; ".join(error.attempts.values())}
            return
        times.append(cpu() - start)
        yield {
            "seconds": min(times),
            "width": solution.width,
            "iterations": solution.iterations,
            "megabytes": megabytes(),
        }
    name, work = unit(id, problem)
    stack: Array = problem.kernels if hasattr(problem, "kernels") else problem.S
    yield {"unit": name, "one": least(work), "read": least(stack.sum)}

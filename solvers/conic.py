"""A printed program by a panel of conic solvers; an answer is accepted on its enclosure alone.

The program is built from the data in units where the optimum is near 1 (`Formulation.unit`),
because solvers stop on absolute tolerances; the point is taken back, repaired and enclosed with the
data as they came.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from time import perf_counter
from typing import Any

import cvxpy as cp
import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.program import Program
from cvxkernel.solvers.panel import PANEL, order
from cvxkernel.solvers.solution import Progress, Solution

SMALL = 1e-2  # an optimum in units below this, or above its inverse, is solved for once more, as 1


def conic(
    id: str,
    problem: Any,
    *,
    solvers: Sequence[str] | None = None,
    tol: float = 1e-6,
    progress: Progress | None = None,
) -> Solution:
    """Try one solver after the other until the relative width of the enclosure is at most `tol`.

    Raises SolverError, with what became of each attempt, when none gets there.
    """
    form = formulation(id)
    came = ", ".join(solvers or ["conic"])
    if form.kind == "SILP":
        own = "column_generation" if form.exchange is not None else "alternation"
        raise InputError("solver", f"{own} for {id}, a semi-infinite program", came)
    if form.kind == "nonconvex":
        raise InputError("solver", f"{id}'s own method: it is not convex", came)
    form.require(problem)
    start = perf_counter()
    unit = form.unit(problem)
    attempts: dict[str, str] = {}
    best: Enclosure | None = None
    for name in solvers or order(form.kind, problem.n, form.ask):
        attempts[name] = PANEL[name].unavailable() or ""
        if attempts[name]:
            continue
        if progress is not None:
            progress(f"{id}: {name}, n = {problem.n}")
        program = form.program(unit)  # compiled once for all the options
        for options in PANEL[name].options:
            outcome = attempt(form, problem, unit, program, name, options)
            if not isinstance(outcome, str) and outcome[0].width > tol:
                size = outcome[2]
                if size and not SMALL <= size <= 1 / SMALL:
                    weighed = form.program(unit)
                    weighed.weigh(1 / size)
                    again = attempt(form, problem, unit, weighed, name, options)
                    outcome = outcome if isinstance(again, str) else again
            if isinstance(outcome, str):
                attempts[name] = outcome
                continue
            enclosure, iterations, _ = outcome
            if enclosure.width <= tol:
                del attempts[name]
                return Solution.at(
                    id,
                    enclosure,
                    name,
                    iterations=iterations,
                    seconds=perf_counter() - start,
                    attempts=attempts,
                )
            attempts[name] = f"relative width {enclosure.width:.1e} above {tol:.1e}"
            best = enclosure if best is None else min(best, enclosure, key=lambda e: e.width)
    raise SolverError(id, attempts, best)


def attempt(
    form: Formulation,
    problem: Any,
    unit: Any,
    program: Program,
    name: str,
    options: Mapping[str, object],
) -> tuple[Enclosure, int | None, float] | str:
    """The enclosure at what the solver leaves behind, its iterations, and the objective's size.

    Or what went wrong. The solver starts afresh, whatever the program was solved by before.
    """
    try:
        with warnings.catch_warnings(), quiet():
            # "Solution may be inaccurate": that is for the enclosure to say.
            warnings.simplefilter("ignore")
            program.problem.solve(solver=name, warm_start=False, **options)
            if program.problem.status not in cp.settings.SOLUTION_PRESENT:
                return f"status {program.problem.status}"
            point = form.restore(problem, unit, form.recover(unit, program))
    except Exception as error:  # whatever a solver raises is its failure, and the next one is asked
        why = " ".join(str(error).split())[:120] or type(error).__name__
        return f"failed ({why})"
    if not all(np.isfinite(part).all() for part in point.values()):
        return "answer not finite"
    stats = program.problem.solver_stats
    iterations = None if stats is None or stats.num_iters is None else int(stats.num_iters)
    return form.enclose(problem, point), iterations, abs(float(program.problem.value))


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing that a solver writes to standard output reaches it, compiled or not: SDPA does."""
    kept = os.dup(1)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        with redirect_stdout(StringIO()):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)

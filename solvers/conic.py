"""A printed program by a panel of conic solvers; an answer is accepted on its enclosure alone.

The program is built from the data in units where the optimum is near 1 (`solvers.units`),
because solvers stop on absolute tolerances, and tang2009's λ is cut where more changes nothing; the
point is taken back, repaired and enclosed with the data as they came. `literal` leaves the numbers
as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from time import perf_counter
from typing import Any

import cvxpy as cp
import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import TINY, Enclosure
from cvxkernel.formulations.errors import ContradictionError, InputError, SolverError
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.program import Program
from cvxkernel.solvers import deadline, units
from cvxkernel.solvers.isolated import Isolated, failure
from cvxkernel.solvers.method import Progress, Solution
from cvxkernel.solvers.panel import PANEL, Options, order

SMALL = 1e-2  # an optimum in units below this, or above its inverse, is solved for once more, as 1
SECONDS = 300.0  # for the panel as a whole, where no limit is asked for
OWN = 0.8  # of its time is what a solver is told that it has: then it may leave a point behind


@dataclass(frozen=True)
class Attempt:
    """What one solver with one set of options came to: an enclosure, or why there is none."""

    enclosure: Enclosure | None = None
    why: str = ""
    iterations: int | None = None
    size: float = nan  # of the objective in the program as it was solved
    hurried: bool = False  # whether it ended because its time was over

    @property
    def width(self) -> float:
        """Of the enclosure."""
        return inf if self.enclosure is None else self.enclosure.width


class Posed:
    """A problem as the panel is asked it: in units, or as it is."""

    def __init__(self, form: Formulation, problem: Any, scaling: units.Scaling) -> None:
        self.form, self.problem, self.scaling = form, problem, scaling
        self.unit = scaling.scaled(problem)

    def program(self) -> Program:
        """The printed one."""
        return self.form.program(self.unit)

    def point(self, program: Program) -> Point:
        """What a solver has left behind in it, as a point of the problem."""
        found = self.form.recover(self.unit, program)
        return self.scaling.restored(self.problem, self.unit, found)


def conic(
    id: str,
    problem: Any,
    *,
    solvers: Sequence[str] | None = None,
    tol: float = 1e-6,
    progress: Progress | None = None,
    limit: float | None = None,
    literal: bool = False,
) -> Solution:
    """Try one solver after the other until the relative width of the enclosure is at most `tol`.

    All of them have `limit` seconds together; none takes more than half of what is left while
    others are to be asked. `literal` is the program in the numbers given: no units, nothing cut, no
    weight on the objective. Raises SolverError, with what became of each attempt, when none gets
    there.
    """
    form = formulation(id)
    asked = ", ".join(solvers or ["conic"])
    if form.kind == "SILP":
        own = "column_generation" if form.paper == "ye2008" else "alternation"
        raise InputError("solver", f"{own} for {id}, a semi-infinite program", asked)
    if form.kind == "nonconvex":
        raise InputError("solver", f"{id}'s own method: it is not convex", asked)
    form.require(problem)
    if limit is None and deadline.limit() is None:
        limit = SECONDS
    with deadline.within(limit):
        names = solvers or order(form, problem.n)
        return _panel(form, problem, names, tol, progress, literal=literal)


def _panel(
    form: Formulation,
    problem: Any,
    names: Sequence[str],
    tol: float,
    progress: Progress | None,
    *,
    literal: bool,
) -> Solution:
    """The first answer that is narrow enough."""
    start = perf_counter()
    posed = Posed(form, problem, units.AsItIs() if literal else units.of(form))
    missing = {name: PANEL[name].unavailable() for name in names}
    ready = [name for name in names if missing[name] is None]
    attempts: dict[str, str] = {}
    made: list[Attempt] = []
    for name in names:
        if name not in ready:
            attempts[name] = missing[name] or ""
            continue
        if progress is not None:
            progress(f"{form.id}: {name}, n = {problem.n}")
        with deadline.share(len(ready) - ready.index(name)):
            made += by(name, posed, tol, weigh=not literal)
        last = made[-1]
        if last.enclosure is not None and last.width <= tol:
            return Solution.at(
                form.id,
                last.enclosure,
                name,
                iterations=last.iterations,
                seconds=perf_counter() - start,
                attempts=attempts,
            )
        attempts[name] = last.why or f"relative width {last.width:.1e} above {tol:.1e}"
        if last.hurried and not last.why:
            attempts[name] += " when its time was over"
    best = min((a for a in made if a.enclosure), key=lambda a: a.width, default=Attempt()).enclosure
    hurried = any(attempt.hurried for attempt in made)
    if best is None and hurried:
        best = form.enclose(problem, {})  # what is known without a solver
    raise SolverError(form.id, attempts, best, limit=deadline.limit() if hurried else None)


def by(name: str, posed: Posed, tol: float, *, weigh: bool) -> list[Attempt]:
    """What this solver comes to with each of its options in turn, until it is narrow enough.

    To `weigh`: where the optimum in units is far from 1 it is asked once more, as 1.
    """
    made: list[Attempt] = []
    options = PANEL[name].options
    program = posed.program()  # compiled once for all the options
    with Isolated(program.problem) as process:
        for i, these in enumerate(options):
            with deadline.share(len(options) - i):
                made.append(attempt(posed, program, process, name, these))
                size = made[-1].size
                far = isfinite(size) and not SMALL <= size <= 1 / SMALL
                if weigh and far and made[-1].width > tol:
                    made += weighed(posed, size, name, these)
            if made[-1].width <= tol:
                break
    return made


def weighed(posed: Posed, size: float, name: str, options: Options) -> list[Attempt]:
    """The same with an objective that is 1 where it was `size`, if that has an enclosure."""
    program = posed.program()
    program.weigh(1 / max(size, TINY))
    with Isolated(program.problem) as process:
        again = attempt(posed, program, process, name, options)
    return [again] if again.enclosure is not None else []


def attempt(
    posed: Posed, program: Program, process: Isolated, name: str, options: Options
) -> Attempt:
    """The enclosure at what the solver leaves behind in the program; or what went wrong."""
    seconds, began = deadline.left(), perf_counter()
    if seconds <= 0:
        return Attempt(why="no time left", hurried=True)
    left = process.solve(name, PANEL[name].timed(options, OWN * seconds), seconds)
    hurried = perf_counter() - began >= OWN * seconds
    if isinstance(left, str):
        return Attempt(why=left, hurried=hurried)
    if left.status not in cp.settings.SOLUTION_PRESENT:
        return Attempt(why=f"status {left.status}", hurried=hurried)
    try:
        # of numbers at the end of the doubles: no end, or none known
        with np.errstate(all="ignore"):
            point = posed.point(program)
            if not all(np.isfinite(part).all() for part in point.values()):
                return Attempt(why="answer not finite", hurried=hurried)
            enclosure = posed.form.enclose(posed.problem, point)
    except ContradictionError:  # that is nobody's failure but ours
        raise
    except Exception as error:  # a point that cannot be read or judged is the solver's failure too
        return Attempt(why=failure(error), hurried=hurried)
    return Attempt(enclosure, iterations=left.iterations, size=abs(left.value), hurried=hurried)

"""How it is solved: the conic panel and the papers' own methods, all returning a `Solution`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from cvxkernel.formulations import inputs, semidefinite
from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import ContradictionError, InputError, SolverError
from cvxkernel.formulations.formulation import Point
from cvxkernel.solvers import barrier, deadline, dual_ascent, newton, spectrum_ascent
from cvxkernel.solvers.alternation import Alternation
from cvxkernel.solvers.barrier import Barrier
from cvxkernel.solvers.column_generation import ColumnGeneration
from cvxkernel.solvers.conic import conic
from cvxkernel.solvers.dual_ascent import DualAscent
from cvxkernel.solvers.isolated import failure
from cvxkernel.solvers.localized import GatingDescent
from cvxkernel.solvers.mirror_descent import MirrorDescent
from cvxkernel.solvers.newton import Newton
from cvxkernel.solvers.panel import PANEL
from cvxkernel.solvers.solution import Progress, Solution, Step
from cvxkernel.solvers.spectrum_ascent import SpectrumAscent
from cvxkernel.solvers.svm import SupportVectors


class Method(Protocol):
    """A solver that is not a conic one: a frozen dataclass of hyper-parameters."""

    def solve(self, id: str, problem: Any, *, progress: Progress | None = None) -> Solution:
        """Solve a problem of formulation `id`, or raise SolverError."""


@dataclass(frozen=True)
class Route:
    """A method, the ids it answers, and those for which it is asked before the panel, or after."""

    make: Callable[[float], Method]  # of the tolerance
    answers: frozenset[str]
    first: frozenset[str]
    after: frozenset[str] = frozenset()


SEMI_INFINITE = frozenset(id for id, form in CATALOGUE.items() if form.exchange is not None)
MACHINES = frozenset(id for id, form in CATALOGUE.items() if form.machine is not None)
LOCALIZED = frozenset({"gonen2008-alg1"})
ALTERNATING = frozenset({"tang2009-eq11", "tang2009-eq3-sdp"})
PRICED = frozenset({"tang2009-thm3.1"})  # a conic solver is faster there, when it answers
SEPARATE = frozenset({"tang2009-eq2"})
DESCENT = frozenset(id for id in CATALOGUE if id.startswith("kundu2010-alg"))

SADDLES = frozenset({"kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq7"})

OWN = ("solver", "U", "limit", "lip")  # keys of an InputError that is the caller's

WARM = (Newton, DualAscent, Alternation)  # can start from the variables of a problem nearby

METHODS: dict[str, Route] = {
    "column_generation": Route(
        lambda tol: ColumnGeneration(tol=tol), SEMI_INFINITE, first=SEMI_INFINITE
    ),
    "newton": Route(
        lambda tol: Newton(tol=tol), newton.ANSWERS, first=newton.ANSWERS - SEMI_INFINITE
    ),
    "barrier": Route(lambda tol: Barrier(tol=tol), barrier.ANSWERS, first=barrier.ANSWERS),
    "alternation": Route(
        lambda tol: Alternation(tol=tol), ALTERNATING | PRICED, first=ALTERNATING, after=PRICED
    ),
    "svm": Route(
        lambda tol: SupportVectors(tol=tol), MACHINES | SEPARATE, first=SEPARATE, after=MACHINES
    ),
    # Algorithm 1 of gonen2008: with a line search, and with the step and iterations of section 4.
    "localized": Route(lambda tol: GatingDescent(tol=tol), LOCALIZED, first=LOCALIZED),
    "localized_fixed": Route(
        lambda tol: GatingDescent(tol=tol, search=False), LOCALIZED, first=frozenset()
    ),
    "dual_ascent": Route(
        lambda tol: DualAscent(tol=tol),
        dual_ascent.ANSWERS,
        first=dual_ascent.ANSWERS,
    ),
    "spectrum_ascent": Route(
        lambda tol: SpectrumAscent(tol=tol),
        spectrum_ascent.ANSWERS,
        first=spectrum_ascent.ANSWERS,
    ),
    "mirror_descent": Route(
        lambda tol: MirrorDescent(tol=tol),
        DESCENT | SADDLES,
        first=DESCENT,
    ),
}


def solve(
    id: str,
    problem: Any,
    *,
    solver: str | None = None,
    tol: float | None = None,
    progress: Progress | None = None,
    start: Point | None = None,
    limit: float | None = None,
) -> Solution:
    """Solve a problem of this formulation by the route that suits it, or by the solver named.

    "conic" is the program as it is written, by the panel in its own order.
    `tol` is the relative width to reach; by default what the formulation promises, else 1e-6.
    `start` holds the variables of a problem nearby, for the methods that can start from them.
    `limit` is how many seconds it may take; at the end of them SolverError holds the best enclosure
    so far. By default a method of the papers takes what it needs, the panel five minutes at most.
    """
    form = formulation(id)
    tol = inputs.positive("tol", tol if tol is not None else form.width or 1e-6)
    seconds = None if limit is None else inputs.positive("limit", limit)
    chosen = _chosen(form.id, solver)
    form.require(problem)
    with deadline.within(seconds):
        try:
            found = _answer(form.id, problem, chosen, tol, progress, start, only=solver is not None)
            return replace(found, notes=semidefinite.notes(problem))
        except SolverError as error:
            if error.best is not None or not deadline.passed():
                raise
            best = form.enclose(problem, {})  # what is known without a solver
            raise SolverError(form.id, error.attempts, best, limit=deadline.limit()) from error


def _chosen(id: str, solver: str | None) -> str:
    """The name of a method or of a member of the panel, or "conic"."""
    names = {name.lower(): name for name in ("conic", *PANEL, *METHODS)}
    if solver is None:
        return next((name for name, route in METHODS.items() if id in route.first), "conic")
    if solver.lower() not in names:
        raise InputError("solver", f"one of {', '.join(names.values())}", repr(solver))
    chosen = names[solver.lower()]
    if chosen in METHODS and id not in METHODS[chosen].answers:
        own = [name for name, route in METHODS.items() if id in route.answers]
        raise InputError("solver", f"{' or '.join([*own, 'a conic solver'])} for {id}", chosen)
    return chosen


def _answer(
    id: str,
    problem: Any,
    chosen: str,
    tol: float,
    progress: Progress | None,
    start: Point | None,
    *,
    only: bool,
) -> Solution:
    """By the method or the members chosen; unless it is the `only` one, by another after it."""
    members = [chosen] if chosen in PANEL else None
    panel = partial(
        _survived,
        chosen,
        id,
        partial(conic, id, problem, solvers=members, tol=tol, progress=progress),
    )
    own = partial(_by, id=id, problem=problem, tol=tol, progress=progress, start=start)
    first, second = partial(own, chosen), None
    if chosen not in METHODS:
        if not only and id in SADDLES:
            return _around(panel, id, problem, tol, progress)
        after = next((name for name, route in METHODS.items() if id in route.after), None)
        first, second = panel, None if after is None else partial(own, after)
    elif id in SEMI_INFINITE & newton.ANSWERS:
        second = partial(own, "newton")
    elif formulation(id).kind not in ("SILP", "nonconvex") and id not in DESCENT:
        second = panel  # an id that is an algorithm has no other route
    if only or second is None:
        return first()
    with deadline.share(2):
        try:
            return first()
        except SolverError as error:
            failed = error
    return _after(failed, id, second)


def _by(
    name: str, id: str, problem: Any, tol: float, progress: Progress | None, start: Point | None
) -> Solution:
    """The answer of a method."""
    method = METHODS[name].make(tol)
    if isinstance(method, WARM):
        warm = partial(method.solve, id, problem, progress=progress, start=start)
        return _survived(name, id, warm, given=start or {})
    return _survived(name, id, partial(method.solve, id, problem, progress=progress))


def _survived(
    name: str,
    id: str,
    call: Callable[[], Solution],
    given: Mapping[str, Any] = MappingProxyType({}),
) -> Solution:
    """What a method answers; whatever it raises at the end of the doubles is its failure.

    The problem has been accepted: an InputError is the caller's where it is about the solver, the
    eigenbasis or the start that was given, and otherwise about numbers that the method made.
    """
    try:
        return call()
    except (SolverError, ContradictionError):
        raise
    except Exception as error:
        if isinstance(error, InputError) and error.key.partition("[")[0] in {*OWN, *given}:
            raise
        raise SolverError(id, {name: f"{type(error).__name__}, {failure(error)}"}) from error


def _around(
    panel: Callable[[], Solution], id: str, problem: Any, tol: float, progress: Progress | None
) -> Solution:
    """Mirror descent for a moment, the panel, and mirror descent to its end.

    Where ρ, C or τ is so large or so small that one term of the objective is all of it, the panel
    calls the program unbounded or infeasible, and the first steps of mirror descent have answered.
    """
    descent = MirrorDescent(tol=tol)
    brief = replace(descent, max_iterations=descent.brief(id, problem))
    with deadline.share(2):
        try:
            return _survived(
                "mirror_descent", id, partial(brief.solve, id, problem, progress=progress)
            )
        except SolverError as error:
            failed = error
    with deadline.share(2):  # of what is left: its own
        try:
            return _after(failed, id, panel)
        except SolverError as error:
            failed = error
    whole = partial(descent.solve, id, problem, progress=progress)
    return _after(failed, id, partial(_survived, "mirror_descent", id, whole))


def _after(failed: SolverError, id: str, second: Callable[[], Solution]) -> Solution:
    """The second answer, told with the attempt before it; or both failures, the narrower end."""
    try:
        found = second()
    except SolverError as error:
        ends = [e for e in (failed.best, error.best) if e is not None]
        best = min(ends, key=lambda e: e.width, default=None)
        attempts = {**failed.attempts, **error.attempts}
        raise SolverError(id, attempts, best, limit=failed.limit or error.limit) from error
    return replace(found, attempts={**failed.attempts, **(found.attempts or {})})


__all__ = [
    "METHODS",
    "PANEL",
    "Alternation",
    "Barrier",
    "ColumnGeneration",
    "DualAscent",
    "GatingDescent",
    "MirrorDescent",
    "Newton",
    "Solution",
    "SpectrumAscent",
    "Step",
    "SupportVectors",
    "conic",
    "solve",
]

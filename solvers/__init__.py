"""How it is solved: the conic panel and the papers' own methods, all returning a `Solution`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from cvxkernel.formulations import inputs
from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.formulation import Point
from cvxkernel.solvers import dual_ascent, newton
from cvxkernel.solvers.alternation import Alternation
from cvxkernel.solvers.column_generation import ColumnGeneration
from cvxkernel.solvers.conic import conic
from cvxkernel.solvers.dual_ascent import DualAscent
from cvxkernel.solvers.localized import GatingDescent
from cvxkernel.solvers.mirror_descent import MirrorDescent
from cvxkernel.solvers.newton import Newton
from cvxkernel.solvers.panel import PANEL
from cvxkernel.solvers.solution import Progress, Solution, Step
from cvxkernel.solvers.svm import SupportVectors


class Method(Protocol):
    """A solver that is not a conic one: a frozen dataclass of hyper-parameters."""

    def solve(self, id: str, problem: Any, *, progress: Progress | None = None) -> Solution:
        """Solve a problem of formulation `id`, or raise SolverError."""


@dataclass(frozen=True)
class Route:
    """A method, the ids it answers, and for which of them it is asked before the conic panel."""

    make: Callable[[float], Method]  # of the tolerance
    answers: frozenset[str]
    first: frozenset[str]


SEMI_INFINITE = frozenset(id for id, form in CATALOGUE.items() if form.exchange is not None)
MACHINES = frozenset(id for id, form in CATALOGUE.items() if form.machine is not None)
LOCALIZED = frozenset({"gonen2008-alg1"})
ALTERNATING = frozenset({"tang2009-eq11"})
DESCENT = frozenset(id for id in CATALOGUE if id.startswith("kundu2010-alg"))

WARM = (Newton, DualAscent, Alternation)  # can start from the variables of a problem nearby

METHODS: dict[str, Route] = {
    "column_generation": Route(
        lambda tol: ColumnGeneration(tol=tol), SEMI_INFINITE, first=SEMI_INFINITE
    ),
    "newton": Route(
        lambda tol: Newton(tol=tol), newton.ANSWERS, first=newton.ANSWERS - SEMI_INFINITE
    ),
    "alternation": Route(lambda tol: Alternation(tol=tol), ALTERNATING, first=ALTERNATING),
    "svm": Route(lambda tol: SupportVectors(tol=tol), MACHINES, first=frozenset()),
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
    "mirror_descent": Route(
        lambda tol: MirrorDescent(tol=tol),
        DESCENT | {"kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq7"},
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
) -> Solution:
    """Solve a problem of this formulation by the route that suits it, or by the solver named.

    "conic" is the program as it is written, by the panel in its own order.
    `tol` is the relative width to reach; by default what the formulation promises, else 1e-6.
    `start` holds the variables of a problem nearby, for the methods that can start from them.
    """
    form = formulation(id)
    tol = inputs.positive("tol", tol if tol is not None else form.width or 1e-6)
    id = form.id
    names = {name.lower(): name for name in ("conic", *PANEL, *METHODS)}
    if solver is not None and solver.lower() not in names:
        raise InputError("solver", f"one of {', '.join(names.values())}", repr(solver))
    chosen = None if solver is None else names[solver.lower()]
    if chosen is None:
        chosen = next((name for name, route in METHODS.items() if id in route.first), "conic")
    if chosen not in METHODS:
        members = None if chosen == "conic" else [chosen]
        return conic(id, problem, solvers=members, tol=tol, progress=progress)
    route = METHODS[chosen]
    if id not in route.answers:
        own = [name for name, route in METHODS.items() if id in route.answers]
        raise InputError("solver", f"{' or '.join([*own, 'a conic solver'])} for {id}", chosen)
    method = route.make(tol)
    try:
        if isinstance(method, WARM):
            return method.solve(id, problem, progress=progress, start=start)
        return method.solve(id, problem, progress=progress)
    except SolverError as error:
        # An id that is an algorithm has no other route.
        if solver is not None or form.kind in ("SILP", "nonconvex") or id in DESCENT:
            raise
        return _panel_after(error, id, problem, tol=tol, progress=progress)


def _panel_after(failed: SolverError, id: str, problem: Any, **options: Any) -> Solution:
    """The panel's answer, told with the attempt before it; or both failures, the narrower end."""
    try:
        found = conic(id, problem, **options)
    except SolverError as error:
        ends = [e for e in (failed.best, error.best) if e is not None]
        best = min(ends, key=lambda e: e.width, default=None)
        raise SolverError(id, {**failed.attempts, **error.attempts}, best) from error
    return replace(found, attempts={**failed.attempts, **(found.attempts or {})})


__all__ = [
    "METHODS",
    "PANEL",
    "Alternation",
    "ColumnGeneration",
    "DualAscent",
    "GatingDescent",
    "MirrorDescent",
    "Newton",
    "Solution",
    "Step",
    "SupportVectors",
    "conic",
    "solve",
]

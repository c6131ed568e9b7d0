"""Which solver answers a formulation, and which after it.

A method of the papers is asked first where it says so, the conic panel elsewhere; where that fails
another is asked. An answer is told with the attempts before it, a failure with all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from cvxkernel.formulations import inputs, semidefinite
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import ContradictionError, InputError, SolverError
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.solvers import deadline
from cvxkernel.solvers.alternation import Alternation
from cvxkernel.solvers.barrier import Barrier
from cvxkernel.solvers.column_generation import ColumnGeneration
from cvxkernel.solvers.conic import conic
from cvxkernel.solvers.dual_ascent import DualAscent
from cvxkernel.solvers.isolated import failure
from cvxkernel.solvers.localized import FixedGatingDescent, GatingDescent
from cvxkernel.solvers.method import Method, Progress, Solution
from cvxkernel.solvers.mirror_descent import MirrorDescent, PaperDescent
from cvxkernel.solvers.newton import Newton
from cvxkernel.solvers.panel import PANEL
from cvxkernel.solvers.response_ascent import ResponseAscent
from cvxkernel.solvers.spectrum_ascent import SpectrumAscent
from cvxkernel.solvers.svm import SupportVectors

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        ColumnGeneration,
        Newton,
        Barrier,
        Alternation,
        SupportVectors,
        GatingDescent,
        FixedGatingDescent,
        DualAscent,
        SpectrumAscent,
        ResponseAscent,
        MirrorDescent,
        PaperDescent,
    )
}

BRIEFLY = "mirror_descent, briefly"
EPIGRAPH = "conic, of kim2006-epigraph"  # one optimum; kernels of full rank reach it at a small λ
ASKED = ("solver", "U", "limit", "lip")  # what the caller may have asked for wrongly
Ask = Callable[[], Solution]


def solve(
    id: str,
    problem: Any,
    *,
    solver: str | None = None,
    tol: float | None = None,
    progress: Progress | None = None,
    start: Point | None = None,
    limit: float | None = None,
    literal: bool = False,
) -> Solution:
    """Solve a problem of this formulation by the route that suits it, or by the solver named.

    "conic" is the program as it is written, by the panel in its own order, its numbers in units in
    which solvers do well (`solvers.units`), and the λ of tang2009 cut where more changes nothing;
    with `literal` it and each of the panel solve it in the numbers given.
    `tol` is the relative width to reach; by default what the formulation promises, else 1e-6.
    `start` holds the variables of a problem nearby, for the methods that can start from them.
    `limit` is how many seconds it may take; at the end of them SolverError holds the best enclosure
    so far. By default a method of the papers takes what it needs, the panel five minutes at most.
    """
    form = formulation(id)
    form.require(problem)
    width = promise(form.id) or 1e-6 if tol is None else inputs.positive("tol", tol)
    seconds = None if limit is None else inputs.positive("limit", limit)
    solvers = route(form, problem) if solver is None else (named(form.id, solver),)
    if literal and (solver is None or solvers[0] in METHODS):
        raise InputError(
            "solver", "conic or one of the panel, where literal is asked for", str(solver)
        )
    questions = [_ask(name, form.id, problem, width, progress, start, literal) for name in solvers]
    failures: list[SolverError] = []
    with deadline.within(seconds):
        for place, (name, ask) in enumerate(zip(solvers, questions, strict=True)):
            with deadline.share(len(solvers) - place):
                try:
                    solution = ask()
                except SolverError as error:
                    failures.append(error)
                    continue
                except Exception as error:
                    if _not_ours(error, start):
                        raise
                    why = f"{type(error).__name__}, {failure(error)}"
                    failures.append(SolverError(form.id, {name: why}))
                    continue
            if failures:
                solution = replace(solution, attempts=_attempts(failures, solution.attempts))
            return replace(solution, notes=semidefinite.notes(problem))
        raise _failure(form, problem, failures) from failures[-1]


def promise(id: str) -> float | None:
    """The relative width that `solve` reaches unless another is asked for; None: it promises none.

    First order: a thousandth. The text of an algorithm as printed ends away from the optimum.
    """
    if id not in MirrorDescent.first:
        return 1e-6
    return None if id.endswith("-printed") else 1e-3


def route(form: Formulation, problem: Any = None) -> tuple[str, ...]:
    """Who is asked, in turn: a method, a method "briefly", or the panel, "conic".

    Of a problem, without the methods that do not take it.
    """
    id = form.id
    if id == "kim2006":
        return "newton", EPIGRAPH, "conic"
    if id in ResponseAscent.first:
        own = (ResponseAscent.name,) if problem is None or ResponseAscent.takes(problem) else ()
        if id in MirrorDescent.first:
            return *own, "mirror_descent"
        # Where ρ, C or τ is so large or so small that one term of the objective is all of it, the
        # panel calls the program unbounded or infeasible, and its first steps have answered.
        return *own, BRIEFLY, "conic", "mirror_descent"
    first = next((name for name, method in METHODS.items() if id in method.first), "conic")
    after = next((name for name, method in METHODS.items() if id in method.after), None)
    if after is not None:
        return first, after
    algorithm = form.kind in ("SILP", "nonconvex") or id in MirrorDescent.first
    return (first,) if first == "conic" or algorithm else (first, "conic")


def named(id: str, solver: str) -> str:
    """The name of a method or of a member of the panel, or "conic", as it is spelt here."""
    names = {name.lower(): name for name in ("conic", *PANEL, *METHODS)}
    if solver.lower() not in names:
        raise InputError("solver", f"one of {', '.join(names.values())}", repr(solver))
    name = names[solver.lower()]
    if name in METHODS and id not in METHODS[name].answers:
        own = [other for other, method in METHODS.items() if id in method.answers]
        raise InputError("solver", f"{' or '.join([*own, 'a conic solver'])} for {id}", name)
    return name


def _ask(
    name: str,
    id: str,
    problem: Any,
    tol: float,
    progress: Progress | None,
    start: Point | None,
    literal: bool,
) -> Ask:
    """The question to a solver of this name."""
    if name in METHODS:
        method = METHODS[name](tol=tol)
        return partial(method.solve, id, problem, progress=progress, start=start)
    if name == BRIEFLY:
        descent = MirrorDescent(tol=tol)
        brief = replace(descent, max_iterations=descent.brief(id, problem))
        return partial(brief.solve, id, problem, progress=progress)
    if name == EPIGRAPH:
        return partial(_epigraph, id, problem, tol, progress)
    members = None if name == "conic" else [name]
    asked: dict[str, Any] = {"solvers": members, "tol": tol, "literal": literal}
    return partial(conic, id, problem, progress=progress, **asked)


def _epigraph(id: str, problem: Any, tol: float, progress: Progress | None) -> Solution:
    """kim2006 at the u and θ of its epigraph, enclosed as kim2006 is."""
    found = conic("kim2006-epigraph", problem, tol=tol, progress=progress)
    enclosure = formulation(id).enclose(problem, found.variables)
    by = f"{found.solver}, of the epigraph"
    if not enclosure.width <= tol:
        why = {by: f"relative width {enclosure.width:.1e} above {tol:.1e}"}
        raise SolverError(id, {**(found.attempts or {}), **why}, enclosure)
    return Solution.at(
        id,
        enclosure,
        by,
        iterations=found.iterations,
        seconds=found.seconds,
        attempts=found.attempts,
    )


def _not_ours(error: Exception, start: Point | None) -> bool:
    """Whether what a solver has raised is no failure of its own, at the end of the doubles.

    The problem has been accepted: an InputError is the caller's where it is about the solver, the
    eigenbasis or the start that was given, and otherwise about numbers that the solver made.
    """
    if isinstance(error, InputError):
        return error.key.partition("[")[0] in {*ASKED, *(start or {})}
    return isinstance(error, ContradictionError)


def _failure(form: Formulation, problem: Any, failures: Sequence[SolverError]) -> SolverError:
    """All of them as one, with the narrowest enclosure."""
    enclosures = [error.best for error in failures if error.best is not None]
    best = min(enclosures, key=lambda enclosure: enclosure.width, default=None)
    limit = next((error.limit for error in failures if error.limit is not None), None)
    if best is None and deadline.passed():
        best, limit = form.enclose(problem, {}), deadline.limit()  # what is known without a solver
    return SolverError(form.id, _attempts(failures), best, limit=limit)


def _attempts(
    failures: Sequence[SolverError], last: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Why each solver was passed over, in turn."""
    attempts: dict[str, str] = {}
    for error in failures:
        attempts |= error.attempts
    return attempts | dict(last or {})

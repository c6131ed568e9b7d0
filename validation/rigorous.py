"""Digits beyond doubles: both ends in ball arithmetic, at any point and at polished ones.

The ends of `solvers.solve` are proved as they are, in doubles with radii. `answer` asks balls
where no more than that rounding is too wide, `solve` where more digits are wanted.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from flint import arb

from cvxkernel import solvers
from cvxkernel.formulations import inputs, semidefinite
from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.solvers import deadline, promise
from cvxkernel.solvers.method import Progress, Solution, known
from cvxkernel.validation.proofs import JUDGES, Judge, Point, Proof, prove

MOST_BITS = 4096
FINE = 1e-9  # what the solvers are asked for first: a proof is no better than its point
NARROW = 1e-12  # an optimum that is known better is not looked for in balls


def proof(id: str, problem: Any, point: Any, *, bits: int = balls.BITS) -> Proof:
    """Both ends of the optimum in ball arithmetic, as exact numbers, at any point."""
    with balls.precision(bits):
        return prove(formulation(id), judge(id, problem), problem, point)


def judge(id: str, problem: Any) -> Judge:
    """The problem in balls of the working precision."""
    form = formulation(id)
    form.require(problem)
    return JUDGES[form.id](problem)


def enclose(id: str, problem: Any, *, bits: int = balls.BITS, **variables: Any) -> Enclosure:
    """The proved interval at the variables given, rounded outwards to doubles.

    The variables go by the paper's symbols; what is missing is made from the rest.
    """
    found = proof(id, problem, variables, bits=bits)
    lower, upper = balls.below(found.lower), balls.above(found.upper)
    minimize = formulation(id).sense == "minimize"
    open_ = getattr(problem, "open", None)  # of a problem with an eigenbasis
    return Enclosure(upper if minimize else lower, lower, upper, variables, open_)


def solve(
    id: str,
    problem: Any,
    *,
    solver: str | None = None,
    tol: float | None = None,
    digits: int | None = None,
    progress: Progress | None = None,
    limit: float | None = None,
    literal: bool = False,
) -> Solution:
    """A proved answer; with `digits`, ends from ball arithmetic of as many bits as they need.

    `tol` is the relative width to reach; by default what the formulation promises, else 1e-6.
    `limit` is how many seconds it may take, one proof of what was found by then not counted.
    Raises SolverError when the proved interval is wider than was asked for, or where something of
    the problem is open.
    """
    tol = inputs.positive("tol", tol if tol is not None else promise(id) or 1e-6)
    if digits is None:
        asked: Any = {"solver": solver, "tol": tol, "limit": limit, "literal": literal}
        found = answer(id, problem, progress=progress, **asked)
    else:
        with deadline.within(None if limit is None else inputs.positive("limit", limit)):
            found = _proved(id, problem, solver, tol, digits, progress, literal=literal)
    if not found.rigorous:
        raise SolverError(id, {found.solver: f"not proved: {found.open}"}, found.enclosure)
    return found


def answer(
    id: str,
    problem: Any,
    *,
    solver: str | None = None,
    tol: float | None = None,
    progress: Progress | None = None,
    limit: float | None = None,
    literal: bool = False,
) -> Solution:
    """What `solvers.solve` answers; where no more than its rounding is too wide, the proof there.

    Kernels of very different size side by side, or a large C, leave doubles with a width far above
    that of the point that was found: balls tell what it is worth.
    """
    start = perf_counter()
    tol = inputs.positive("tol", tol if tol is not None else promise(id) or 1e-6)
    try:
        asked: Any = {"solver": solver, "tol": tol, "limit": limit, "literal": literal}
        return solvers.solve(id, problem, progress=progress, **asked)
    except SolverError as error:
        best = error.best
        if best is None or formulation(id).fixed:
            raise
        point: dict[str, Any] = dict(best.variables)
        proved = enclose(id, problem, **point)
        if not proved.width <= tol:
            raise
        worth = _worth(id, problem, best.variables, proved, tol)
        if not worth:
            raise
        return Solution.at(
            id,
            replace(proved, variables=worth, open=best.open),
            ", ".join(error.attempts),
            iterations=None,
            seconds=perf_counter() - start,
            notes=semidefinite.notes(problem),
        )


def optimum(
    form: Formulation,
    problem: Any,
    answer: Point,
    progress: Progress | None = None,
) -> Proof:
    """Where it lies; an interval that is wider than hoped for is told as it is.

    That of what is not convex is at the fixed symbols of the answer.
    """
    for symbol in form.fixed:
        if symbol not in answer:
            expected = f"{symbol} of the answer: {form.id} is judged at {', '.join(form.fixed)}"
            raise InputError(symbol, expected, ", ".join(answer) or "a value alone")
    if form.fixed:
        return proof(form.id, problem, {symbol: answer[symbol] for symbol in form.fixed})
    id = _program(form)
    found = _solution(id, problem, None, FINE, progress)
    in_doubles = Proof(arb(found.lower), arb(found.upper))
    if found.width <= NARROW or deadline.passed():
        return in_doubles
    return in_doubles.narrowed(proof(id, problem, known(found.variables)))


def _program(form: Formulation) -> str:
    """An algorithm has the optimum of its program, which stands before it and is found sooner."""
    return next(other.id for other in CATALOGUE.values() if other.program is form.program)


def _worth(id: str, problem: Any, point: Point, proved: Enclosure, tol: float) -> Point:
    """The symbols whose doubles are within `tol` of the optimum: of the point, or polished ones."""
    with balls.precision():
        examiner = judge(id, problem)
        polished = [{s: balls.doubles(x) for s, x in p.items()} for p in examiner.better(point)]
        for made in (point, *({**point, **p} for p in polished[::-1]), *polished[::-1]):
            seen = examiner.examine(made)
            ends = [e for one in seen.objectives.values() for e in (one.lower, one.upper)]
            size = tol * max(abs(proved.lower), abs(proved.upper))
            near = all(proved.lower - size <= e <= proved.upper + size for e in ends)
            if ends and near and all(x <= tol for x in seen.violations.values()):
                return {s: x for s, x in made.items() if s in seen.repaired}
    return {}


def _proved(
    id: str,
    problem: Any,
    solver: str | None,
    tol: float,
    digits: int,
    progress: Progress | None,
    *,
    literal: bool,
) -> Solution:
    """The same, by the limit that holds."""
    form, start = formulation(id), perf_counter()
    goal = min(tol, 10.0**-digits / 2)
    # A solver that was named answers itself, and so does what is printed and promises nothing.
    itself = form.fixed or solver is not None or promise(id) is None
    program = id if itself else _program(form)
    made: list[tuple[Proof, Solution]] = []
    # What polishes itself needs no fine solution.
    for fineness in (min(tol, promise(program) or tol), FINE):
        found = _solution(program, problem, solver, fineness, progress, literal=literal)
        bits = balls.BITS
        while True:
            if progress is not None:
                progress(f"{id}: proof with {bits} bits")
            proved = proof(program, problem, known(found.variables), bits=bits)
            bits *= 2
            # More bits help only where the ends are as narrow as the last ones allowed.
            enough = proved.width > 2.0 ** (-bits / 4) or bits > MOST_BITS
            if proved.width <= goal or enough or deadline.passed():
                break
        made.append((proved, found))
        if proved.width <= goal or deadline.passed():
            break
    widths = [proved.width for proved, _ in made]
    proved, found = made[widths.index(min(widths))]
    lower, upper = balls.below(proved.lower), balls.above(proved.upper)
    value = min(max(found.value, lower), upper)
    if not proved.width <= goal:
        why = f"proved relative width {proved.width:.1e} above {goal:.1e}"
        interval = Enclosure(value, lower, upper, found.variables, found.open)
        raise SolverError(id, {found.solver: why}, interval, limit=deadline.reached())
    return replace(
        found,
        formulation=id,
        value=value,
        lower=lower,
        upper=upper,
        # Of what is not convex only the optimum at what the method has fixed is proved.
        status=found.status if form.fixed else "optimal",
        seconds=perf_counter() - start,
        digits=proved.digits(digits),
    )


def _solution(
    id: str,
    problem: Any,
    solver: str | None,
    tol: float,
    progress: Progress | None,
    *,
    literal: bool = False,
) -> Solution:
    """A solution, or the best that was found on the way to none: the proof decides."""
    try:
        return solvers.solve(
            id, problem, solver=solver, tol=tol, progress=progress, literal=literal
        )
    except SolverError as error:
        if error.best is None:
            raise
        names = ", ".join(error.attempts)
        notes = semidefinite.notes(problem)
        return Solution.at(id, error.best, names, iterations=None, seconds=0.0, notes=notes)

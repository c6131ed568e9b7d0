"""What a literal program costs beside solving it: made, compiled, solved, for every conic id.

Made is `Formulation.program` of the problem in units, compiled is what CVXPY makes of it for one
solver, and solved is what the solver itself reports (SDPA and CVXOPT report nothing: the time of
the call). The solver is the first of the order in which `conic` asks that answers.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter, time
from typing import Any

import cvxpy as cp

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.solvers import promise, units
from cvxkernel.solvers.isolated import quiet
from cvxkernel.solvers.panel import PANEL, order
from cvxkernel.validation.bench.process import Limits, alone
from cvxkernel.validation.instances import sample

ROUNDS = 5  # the least of so many, ...
ENOUGH = 5.0  # ... or of as many as take these seconds: others are at work on the same cores
STAGES = ("make", "compile", "solve", "rest", "ends")


@dataclass(frozen=True)
class Row:
    """One program of one sample: seconds of each stage, by one solver.

    floor : to make and to compile the same program of a few points: CVXPY's own, whatever the data
    rest : the solver's interface before and after it
    ends : the units before, and after it the point and its enclosure
    cut : the solver was ended by the limit; `solve` is then how long it had taken, and the ratio
          at most the one given
    """

    id: str
    kind: str
    solver: str | None
    floor: float | None
    make: float | None
    compile: float | None
    solve: float | None
    rest: float | None
    ends: float | None
    width: float | None
    cut: bool = False
    failure: str | None = None

    @property
    def build(self) -> float | None:
        """To make and to compile it."""
        return None if self.make is None or self.compile is None else self.make + self.compile

    @property
    def ratio(self) -> float | None:
        """Building over solving."""
        return None if self.build is None or not self.solve else self.build / self.solve

    @property
    def share(self) -> float | None:
        """Building over all that `conic` does."""
        stages = [getattr(self, stage) for stage in STAGES]
        return None if self.build is None or None in stages else self.build / sum(stages)

    @property
    def excess(self) -> float | None:
        """The same without the floor: what the data take."""
        if self.build is None or self.floor is None or not self.solve:
            return None
        return max(self.build - self.floor, 0.0) / self.solve


def conic_ids() -> tuple[str, ...]:
    """Every conic id; where several have one program, the first of them."""
    first: dict[Any, str] = {}
    for form in CATALOGUE.values():
        if form.kind not in ("SILP", "nonconvex"):
            first.setdefault(form.program, form.id)
    return tuple(first.values())


def programs(
    n: int = 120,
    p: int = 10,
    kinds: Sequence[str] = ("gaussian", "random", "low rank"),
    limits: Limits | None = None,
    *,
    ids: Sequence[str] | None = None,
) -> Iterator[Row]:
    """Each of `ids`, all of them unless given, at each kind of sample of n points, p kernels."""
    for id in ids or conic_ids():
        for kind in kinds:
            yield row(id, n, p, kind, limits or Limits(seconds=200.0))


def row(id: str, n: int, p: int, kind: str, limits: Limits) -> Row:
    """One program of one sample, in a process of its own."""
    found = alone(limits, _stages, id, n, p, kind)
    since = found.pop("since", None)
    if since is not None and "failure" in found:
        found.update(solve=time() - since, cut=True)
    empty = dict.fromkeys(("solver", "floor", "make", "compile", "solve", "rest", "ends", "width"))
    return Row(id, kind, **{**empty, **found})


def _stages(id: str, n: int, p: int, kind: str) -> Iterator[dict[str, Any]]:
    """The stages of each attempt in turn, until one answers; and again, to take the least."""
    warnings.simplefilter("ignore")  # "Solution may be inaccurate": its width says that
    form = CATALOGUE[id]
    problem, small = (form.make(sample(id, m, p, kind=kind)) for m in (n, min(n, max(14, p))))
    start = perf_counter()
    for name in order(form, n):
        if PANEL[name].unavailable():
            continue
        for options in PANEL[name].options:
            try:
                list(_attempt(form, small, name, options))  # what a process imports is no program's
            except cp.error.SolverError:  # it does not take these cones
                continue
            built = [next(_attempt(form, small, name, options)) for _ in range(ROUNDS)]
            floor = {"floor": min(stage["make"] + stage["compile"] for stage in built)}
            found: dict[str, Any] = {}
            for stage in _attempt(form, problem, name, options):
                found = {**floor, **stage}
                yield found
            if found["width"] is None or found["width"] > (promise(form.id) or 1e-6):
                continue
            for _ in range(1, ROUNDS):
                if perf_counter() - start > ENOUGH:
                    break
                *_, again = _attempt(form, problem, name, options)
                found.update({stage: min(found[stage], again[stage]) for stage in STAGES})
            yield found
            return
    yield {"failure": "no solver answers", "since": None}


def _attempt(
    form: Formulation, problem: Any, name: str, options: Mapping[str, object]
) -> Iterator[dict[str, Any]]:
    """What is known before the solver starts, and after it has ended."""
    start = perf_counter()
    unit = units.of(form).scaled(problem)
    t0 = perf_counter()
    program = form.program(unit)
    t1 = perf_counter()
    data, chain, inverse = program.problem.get_problem_data(name, solver_opts=dict(options))
    t2 = perf_counter()
    before = {"solver": name, "make": t1 - t0, "compile": t2 - t1}
    before |= dict.fromkeys(("since", "solve", "rest", "ends", "width"))
    yield {**before, "since": time()}
    try:
        with quiet():
            t3 = perf_counter()
            raw = chain.solve_via_data(program.problem, data, False, False, dict(options))
            t4 = perf_counter()
            program.problem.unpack_results(raw, chain, inverse)
            t5 = perf_counter()
        point = units.of(form).restored(problem, unit, form.recover(unit, program))
    except Exception:  # whatever a solver raises is its failure, and the next one is asked
        yield before
        return
    stats = program.problem.solver_stats
    own = 0.0 if stats is None else (stats.setup_time or 0.0) + (stats.solve_time or 0.0)
    solve = own or t4 - t3
    width = form.enclose(problem, point).width
    ends = t0 - start + perf_counter() - t5
    yield {**before, "solve": solve, "rest": t5 - t3 - solve, "ends": ends, "width": width}

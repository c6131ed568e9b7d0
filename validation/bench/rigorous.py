"""What a proof costs: answers with radii beside the same answers without, in one run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from time import perf_counter
from typing import Any

from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.enclosure import relative_width
from cvxkernel.solvers import solve
from cvxkernel.validation.bench.data import Digits, Instance, Labels, Sample, Size
from cvxkernel.validation.bench.process import Limits, alone
from cvxkernel.validation.bench.suites import Target
from cvxkernel.validation.bench.unproved import unproved

TIMES = 3  # each way, in turns; the fastest counts
DISCRIMINANT, MARGIN = "ye2008-thm3.2", "lanckriet2004-sm1"

# The id, the problem, and how many times the unproved answer a proved one may cost.
COSTS: tuple[tuple[str, Instance, float], ...] = (
    *((DISCRIMINANT, Size(n, 10, 10), 1.5) for n in (200, 2000)),
    (DISCRIMINANT, Digits(900, 10), 1.5),
    *((MARGIN, Size(n, 10, 2), 1.5) for n in (200, 900, 2000)),
    *(("tang2009-eq11", Labels(n, 10, 4), 2.0) for n in (100, 300)),
    *(
        (id, Sample(id, n, 2), 2.0)
        for id in ("luss2007", "chen2009-eq7", "chen2009-eq12", "kundu2010-eq4")
        for n in (100, 300)
    ),
)
WIDTHS = {40: 1e-11, 400: 1e-9, 900: 1e-8}  # by n: what radii may add to a relative width


def rigorous(*, limits: Limits) -> Iterator[Target]:
    """The cost of the proof, then what it adds to the widths of every convex program."""
    for id, instance, most in COSTS:
        found = alone(limits, proved_and_not, id, instance)
        yield _cost(f"{id}, {instance}", found, most)
    for id, form in CATALOGUE.items():
        if not form.fixed:
            yield _width(id, 40, alone(limits, added_width, id, Sample(id, 40, 4)))
    for n in (400, 900):
        for id, instance in ((DISCRIMINANT, Size(n, 10, 10)), (MARGIN, Size(n, 10, 2))):
            yield _width(id, n, alone(limits, added_width, id, instance))


def _cost(what: str, found: dict[str, Any], most: float) -> Target:
    heading = f"{what}: proved over unproved, seconds"
    if "failure" in found:
        return Target(heading, None, at_most=most, told=found["failure"])
    proved, plain = found["proved"], found["unproved"]
    told = f"{proved:.3g} s for {plain:.3g} s, width {found['width']:.1e}"
    return Target(heading, proved / plain, at_most=most, told=told)


def _width(id: str, n: int, found: dict[str, Any]) -> Target:
    heading = f"{id}, n = {n}: relative width that radii add"
    if "failure" in found:
        return Target(heading, None, at_most=WIDTHS[n], told=found["failure"])
    return Target(heading, found["added"], at_most=WIDTHS[n], told=f"of {found['width']:.1e}")


def proved_and_not(id: str, instance: Instance) -> Iterator[dict[str, Any]]:
    """The fastest of a few solves with radii and of as many without, in turns."""
    problem = formulation(id).make(instance.data())
    seconds: dict[str, list[float]] = {"proved": [], "unproved": []}
    width = 0.0
    for turn in range(TIMES + 1):
        for name, arithmetic in (("proved", nullcontext), ("unproved", unproved)):
            start = perf_counter()
            with arithmetic():
                solution = solve(id, replace(problem))
            if turn:  # the first is what a process does once
                seconds[name].append(perf_counter() - start)
            width = solution.width if name == "proved" else width
    yield {"width": width, **{name: min(times) for name, times in seconds.items()}}


def added_width(id: str, instance: Instance) -> Iterator[dict[str, Any]]:
    """The width at an answer, and how much of it the same point has not without radii."""
    form = formulation(id)
    problem = form.make(instance.data())
    found = solve(id, problem)
    proved = form.enclose(problem, found.variables)
    with unproved():
        plain = form.enclose(problem, found.variables)
    yield {
        "width": proved.width,
        "added": max(0.0, proved.width - relative_width(plain.lower, plain.upper)),
    }

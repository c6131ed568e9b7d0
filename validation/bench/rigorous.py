"""What proofs cost and how narrow they are, and how many digits are to be had: all in one run.

Seconds are those of the processor: others may be at work on the same cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.enclosure import relative_width
from cvxkernel.solvers import promise, solve
from cvxkernel.validation import rigorous as balls
from cvxkernel.validation.bench.data import Digits, Instance, Labels, Sample, Size
from cvxkernel.validation.bench.length import length
from cvxkernel.validation.bench.process import Limits, alone, cpu
from cvxkernel.validation.bench.targets import Target, worst
from cvxkernel.validation.bench.unproved import unproved

TIMES = 3  # each way, in turns; the fastest counts
LONG = 5.0  # seconds: what takes so long is timed once
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
# By n: the relative width that is allowed where twice the unproved one is less, and the ids.
CONVEX = tuple(id for id, form in CATALOGUE.items() if not form.fixed)
LARGE = tuple(id for id in CONVEX if CATALOGUE[id].paper in ("ye2008", "lanckriet2004"))
MEDIUM = (*LARGE, "tang2009-eq2", "tang2009-thm3.1", "tang2009-eq11", "chen2009-eq1",
          "chen2009-eq3", "luss2007", "chen2009-eq7", "chen2009-eq8", "chen2009-eq8-qcqp",
          "chen2009-eq12", "kundu2010-eq10", "gonen2008-eq7", "kim2006", "kim2006-epigraph",
          "rakotomamonjy2008")  # fmt: skip
WIDTHS = {40: (1e-11, CONVEX), 400: (1e-9, MEDIUM), 900: (1e-8, LARGE)}
DIGITS, SAMPLES, SECONDS = 20, 20, 30.0


def rigorous(*, limits: Limits) -> Iterator[Target]:
    """The cost of the proof, the widths of every convex program, digits, and lines of code."""
    yield length()
    for id, instance, most in COSTS:
        # each way is timed more than once
        found = alone(replace(limits, seconds=4 * limits.seconds), proved_and_not, id, instance)
        yield _cost(f"{id}, {instance}", found, most)
    what = "n = 900, p = 10, k = 10, proved: Cholesky times to 1e-8"
    yield worst(what, DISCRIMINANT, [Digits(900, 10)], limits, at_most=40.0, tol=1e-8)
    # Widths: at the same point, with radii and without.
    for n, (floor, ids) in WIDTHS.items():
        for id in ids:
            yield _width(id, n, floor, alone(limits, both_widths, id, Sample(id, n, 4)))
    for id in CONVEX:
        if promise(id) is not None:  # as printed: its program, solved by what ends elsewhere
            yield _digits(id, alone(limits, digits, id, Sample(id, SAMPLES, 3)))


def _cost(what: str, found: dict[str, Any], most: float) -> Target:
    heading = f"{what}: proved over unproved, seconds"
    if "unproved" not in found:
        return Target(heading, None, at_most=most, told=found["failure"])
    proved, plain = found["proved"], found["unproved"]
    told = f"{proved:.3g} s for {plain:.3g} s, width {found['width']:.1e}"
    return Target(heading, proved / plain, at_most=most, told=told)


def _width(id: str, n: int, floor: float, found: dict[str, Any]) -> Target:
    heading = f"{id}, n = {n}: relative width"
    if "failure" in found:
        return Target(heading, None, at_most=floor, told=found["failure"])
    most = max(2 * found["unproved"], floor)
    return Target(heading, found["width"], at_most=most, told=f"unproved {found['unproved']:.1e}")


def _digits(id: str, found: dict[str, Any]) -> Target:
    heading = f"{id}, n = {SAMPLES}: seconds to {DIGITS} digits"
    told = str(found.get("failure", found.get("digits")))
    return Target(heading, found.get("seconds"), at_most=SECONDS, told=told)


def proved_and_not(id: str, instance: Instance) -> Iterator[dict[str, Any]]:
    """The fastest of a few solves with radii and of as many without, in turns."""
    problem = formulation(id).make(instance.data())
    seconds: dict[str, list[float]] = {"proved": [], "unproved": []}
    for turn in range(TIMES + 1):
        for name, arithmetic in (("proved", nullcontext), ("unproved", unproved)):
            start = cpu()
            with arithmetic():
                solution = solve(id, replace(problem))
            seconds[name].append(cpu() - start)
            if name == "proved":
                yield {"width": solution.width}
        yield {name: min(times) for name, times in seconds.items()}
        if seconds["unproved"][-1] > LONG:
            return
        if not turn:  # the first is what a process does once
            seconds = {name: [] for name in seconds}


def both_widths(id: str, instance: Instance) -> Iterator[dict[str, Any]]:
    """The width at an answer, and that which the same point has without radii."""
    form = formulation(id)
    problem = form.make(instance.data())
    found = solve(id, problem)
    proved = form.enclose(problem, found.variables)
    with unproved():
        plain = form.enclose(problem, found.variables)
    yield {"width": proved.width, "unproved": relative_width(plain.lower, plain.upper)}


def digits(id: str, instance: Instance) -> Iterator[dict[str, Any]]:
    """The seconds until so many digits are proved, and the number."""
    problem, start = formulation(id).make(instance.data()), cpu()
    found = balls.solve(id, problem, digits=DIGITS)
    yield {"seconds": cpu() - start, "digits": found.digits}

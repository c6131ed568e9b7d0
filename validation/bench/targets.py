"""What is aimed at: ratios within one run, growth, paths beside cold solves, corners.

A group of targets is a paper's, or `paths` or `corners`. A ratio is in units of what an iteration
cannot do without: a factorization, or the machines of all labels on the average kernel. Seconds are
those of the processor: others may be at work on the same cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.solvers import METHODS, promise, solve
from cvxkernel.solvers.method import Solution
from cvxkernel.solvers.path import path
from cvxkernel.validation.bench.data import (
    Cancer,
    Digits,
    Instance,
    Labels,
    Real,
    Sample,
    Size,
)
from cvxkernel.validation.bench.process import Limits, alone, cpu
from cvxkernel.validation.bench.routes import ENOUGH, ROUNDS, Measurement, measure, panel
from cvxkernel.validation.bench.suites import growth

KINDS = ("gaussian", "random", "low rank")
BETAS, PRICES = (0.0, 0.6, 3.0), (0.1, 1.0, 10.0)  # of six labels
RUNS = 5  # each of which has to be within its units
VALUES = 30  # of a path


@dataclass(frozen=True)
class Target:
    """A number, and the most (or the least) that it should be; None where it was not measured."""

    what: str
    ratio: float | None
    at_most: float | None = None
    at_least: float | None = None
    told: str = ""

    @property
    def met(self) -> bool:
        """Whether it is."""
        if self.ratio is None:
            return False
        if self.at_most is not None:
            return self.ratio <= self.at_most
        return self.at_least is None or self.ratio >= self.at_least


def targets(*, limits: Limits, groups: Sequence[str] | None = None) -> Iterator[Target]:
    """Those of every group, or of some, each within one run."""
    for group in groups or GROUPS:
        yield from GROUPS[group](limits)


def worst(
    what: str,
    id: str,
    instances: Sequence[Instance],
    limits: Limits,
    *,
    at_most: float,
    tol: float = 1e-6,
) -> Target:
    """The largest number of units that Newton takes on any of the instances."""
    every = [measure(id, "newton", instance, tol=tol, limits=limits) for instance in instances]
    failed = next((found for found in every if found.units is None), None)
    most = failed or max(every, key=lambda found: found.units or 0.0)
    return Target(f"{id} {what}", most.units, at_most=at_most, told=told(most))


def told(found: Measurement) -> str:
    """A measurement in a few words."""
    if found.failure is not None:
        return found.failure
    assert found.seconds is not None
    once = "" if found.one is None else f", one {found.unit} {found.one:.2g} s"
    steps = "" if found.iterations is None else f"{found.iterations} iterations, "
    return f"{steps}{found.seconds:.3g} s, width {found.width:.1e}{once}"


# -- By paper -------------------------------------------------------------------------------------


def discriminants(limits: Limits) -> Iterator[Target]:
    """ye2008: Newton beside a factorization, and beside the cone."""
    for what, instance, most in (
        ("digits, n = 900, p = 10, k = 10: Cholesky times to 1e-8", Digits(900, 10), 40.0),
        ("clouds, n = 2000, p = 20, k = 10: Cholesky times to 1e-8", Size(2000, 20, 10), 60.0),
    ):
        yield worst(what, "ye2008-thm3.2", [instance], limits, at_most=most, tol=1e-8)
    yield from against_cone(Size(480, 10, 8), limits)


def against_cone(size: Size, limits: Limits) -> Iterator[Target]:
    """Newton beside each conic solver on the QCQP; who does not answer has its reason told."""
    own = measure("ye2008-thm3.2", "newton", size, tol=1e-6, limits=limits)
    for solver in panel("ye2008-thm3.2"):
        found = measure("ye2008-thm3.2", solver, size, tol=1e-6, limits=limits)
        ratio = found.seconds / own.seconds if found.seconds and own.seconds else None
        what = f"ye2008 n = {size.n}, p = {size.p}, k = {size.k}: QCQP by {solver} over newton"
        yield Target(what, ratio, at_least=300.0, told=told(found))


def margins(limits: Limits) -> Iterator[Target]:
    """lanckriet2004: the worst of five runs."""
    for p, most in ((10, 15.0), (50, 40.0)):
        what = f"breast cancer, n = 400, p = {p}: SVM times to 1e-6, the worst of {RUNS} runs"
        runs = [Cancer(400, p)] * RUNS
        yield worst(what, "lanckriet2004-sm1", runs, limits, at_most=most)


def labels(limits: Limits) -> Iterator[Target]:
    """tang2009: the worst of three β or λ, and growth in n."""
    for id, key, values in (("tang2009-eq11", "beta", BETAS), ("tang2009-thm3.1", "lam", PRICES)):
        for n in (300, 600):
            for kind in KINDS:
                each = [Labels(n, 15, 6, kind, **{key: value}) for value in values]
                what = f"{kind}, n = {n}, p = 15, k = 6: times k SVMs to 1e-6, worst {key}"
                yield worst(what, id, each, limits, at_most=30.0)
        for kind in KINDS:
            what = f"{kind}, n = 2000, p = 10, k = 10: times k SVMs to 1e-6"
            large = [Labels(2000, 10, 10, kind, **{key: values[1]})]
            yield worst(what, id, large, limits, at_most=60.0)
        growing = [Labels(n, 10, 6, KINDS[0], **{key: values[1]}) for n in (250, 500, 1000)]
        yield exponent(id, growing, limits)


def exponent(id: str, instances: Sequence[Labels], limits: Limits) -> Target:
    """The power of n with which Newton grows, beside that of its machines."""
    every = [measure(id, "newton", instance, tol=1e-6, limits=limits) for instance in instances]
    sizes = [instance.n for instance in instances]
    seconds = [found.seconds for found in every if found.seconds is not None]
    units = [found.one for found in every if found.one is not None]
    what = f"{id} gaussian, n = {sizes[0]} to {sizes[-1]}, p = 10, k = 6: the power of n"
    if len(seconds) < len(every) or len(units) < len(every):
        return Target(what, None, told="not answered")
    power, own = growth(sizes, seconds), growth(sizes, units)
    times = ", ".join(f"{x:.2g}" for x in seconds)
    return Target(what, power, told=f"{times} s; that of k SVMs {own:.2f}")


# -- Paths ----------------------------------------------------------------------------------------

# The id, what is followed from where to where, and the instance.
PATHS: tuple[tuple[str, str, float, float, Instance], ...] = (
    ("ye2008-thm3.2", "lam", 1e-5, 1.0, Size(480, 10, 8)),
    ("ye2008-thm3.3", "lam", 1e-5, 1.0, Size(480, 10, 8)),
    ("kim2006", "lam", 1e-3, 1.0, Size(150, 6, 2)),
    ("lanckriet2004-sm1", "C", 0.1, 10.0, Cancer(300, 10)),
    ("lanckriet2004-sm2", "C", 0.1, 10.0, Cancer(300, 10)),
    ("rakotomamonjy2008", "C", 0.1, 10.0, Cancer(300, 10)),
    ("tang2009-thm3.1", "lam", 0.01, 10.0, Labels(150, 10, 4)),
    ("tang2009-eq11", "beta", 0.02, 1.9, Labels(150, 10, 4)),
    ("tang2009-eq11", "C", 0.1, 10.0, Labels(150, 10, 4)),
    ("kundu2010-eq10", "C", 0.1, 10.0, Sample("kundu2010-eq10", 60, 4)),
    ("luss2007", "rho", 0.01, 10.0, Sample("luss2007", 60, 1)),
    ("luss2007", "C", 0.1, 10.0, Sample("luss2007", 60, 1)),
    ("chen2009-eq7", "gamma", 0.01, 1.0, Sample("chen2009-eq7", 40, 1)),
    ("chen2009-eq7", "eta", 0.01, 1.0, Sample("chen2009-eq7", 40, 1)),
    ("chen2009-eq12", "gamma", 0.01, 1.0, Sample("chen2009-eq12", 40, 1)),
    ("kundu2010-alg1", "rho", 0.1, 10.0, Sample("kundu2010-alg1", 40, 2)),
    ("kundu2010-alg1", "tau", 10.0, 100.0, Sample("kundu2010-alg1", 40, 2)),
    ("kundu2010-alg3", "rho", 0.1, 10.0, Sample("kundu2010-alg3", 40, 2)),
)


def paths(limits: Limits) -> Iterator[Target]:
    """Thirty values along a path, over as many cold solves."""
    yield followed(*PATHS[0], limits, shared=False)
    for one in PATHS:
        yield followed(*one, limits, shared=True)


def followed(
    id: str,
    key: str,
    first: float,
    last: float,
    instance: Instance,
    limits: Limits,
    *,
    shared: bool,
) -> Target:
    """One path; cold problems are made of the data, or share their arrays."""
    values = np.geomspace(first, last, VALUES).tolist()
    found = alone(limits, path_and_cold, id, key, values, instance, shared)
    how = "that share their arrays" if shared else "from the data"
    heading = f"{id} path of {VALUES} {key}, {instance}, over cold solves {how}"
    most = 0.4 if shared else 1 / 3
    if "failure" in found:
        return Target(heading, None, at_most=most, told=found["failure"])
    along, cold = found["along"], found["cold"]
    words = f"{along[0]:.2g} s for {cold[0]:.2g} s, {along[1]} iterations for {cold[1]}"
    if "known" in found:
        words += f"; {found['known'][0] / cold[0]:.2f} where each starts at its own answer"
    elif shared:
        words += "; its method has no warm start"
    return Target(heading, along[0] / cold[0], at_most=most, told=words)


def path_and_cold(
    id: str, key: str, values: Sequence[float], instance: Instance, shared: bool
) -> Iterator[dict[str, Any]]:
    """The least CPU seconds of both in a few rounds, and iterations; shared arrays are ready.

    `known`: of solves that start at their own answers, which no path comes below.
    """
    data, form = instance.data(), formulation(id)
    solve(form.id, form.make(data))  # what a process does once
    problem = form.make(data)
    if shared:
        solve(form.id, problem)

    def along() -> Iterator[Solution]:
        yield from path(form.id, problem if shared else form.make(data), key, values)

    def cold() -> Iterator[Solution]:
        for value in values:
            made = replace(problem, **{key: value}) if shared else form.make({**data, key: value})
            yield solve(form.id, made)

    def known() -> Iterator[Solution]:
        for value, answer in zip(values, answers, strict=True):
            yield solve(form.id, replace(problem, **{key: value}), start=answer.variables)

    answers: list[Solution] = []
    routes = {"along": along, "cold": cold, "known": known}
    best: dict[str, tuple[float, int]] = {}
    began = cpu()
    for turn in range(ROUNDS):
        if turn and cpu() - began > ENOUGH:
            break
        for name, route in routes.items():  # in turn: all see the same machine
            if name == "known":
                method = METHODS.get(answers[0].solver)  # none where a solver of the panel answered
                if not (shared and method is not None and method.warm):
                    break
            start = cpu()
            answers = list(route())
            found = cpu() - start, sum(answer.iterations or 0 for answer in answers)
            best[name] = min(found, best.get(name, found))
            yield {name: best[name]}


# -- Corners --------------------------------------------------------------------------------------

SONAR, VOTING = "aural_sonar", "voting"
CORNERS: tuple[tuple[str, Instance], ...] = (
    ("kundu2010-alg1", Sample("kundu2010-alg1", 60, 2, loss="L1")),
    ("kundu2010-eq6", Sample("kundu2010-eq6", 60, 2, loss="L1")),
    ("chen2009-eq12", Real.of(SONAR, eta=1.0, gamma=1e-3, h="flip")),
    ("chen2009-eq12", Real.of(VOTING, eta=1e-4, gamma=1e-3, h="spectrum")),
    ("chen2009-eq7", Real.of(VOTING, eta=1e-4, gamma=1e-3)),
)
LOSS = {"C": 1.0, "tau": 100.0, "loss": "L2"}  # tau: the samples of Aural Sonar


def corners(limits: Limits) -> Iterator[Target]:
    """The seconds of what was slow, at the width that is promised; two methods beside SCS."""
    for id, instance in CORNERS:
        found = alone(limits, seconds_of, id, instance, None)
        what = f"{id}, {instance}: seconds to {promise(id) or 1e-6:g}"
        yield Target(what, found.get("seconds"), at_most=10.0, told=found.get("told", _why(found)))
    for rho in (0.1, 0.01):
        instance = Real.of(SONAR, stacked=True, rho=rho, **LOSS)
        every = {
            solver: alone(limits, seconds_of, "kundu2010-alg1", instance, solver)
            for solver in ("SCS", "response_ascent", "mirror_descent")
        }
        cone = every.pop("SCS")
        for solver, own in every.items():
            ours, theirs = own.get("seconds"), cone.get("seconds")
            ratio = ours / theirs if ours and theirs else None
            what = f"kundu2010-alg1, {instance}: {solver.replace('_', ' ')} over SCS"
            words = "; SCS ".join(found.get("told", _why(found)) for found in (own, cone))
            yield Target(what, ratio, at_most=1.0, told=words)


def _why(found: Mapping[str, Any]) -> str:
    return str(found.get("failure", "not measured"))


def seconds_of(id: str, instance: Instance, solver: str | None) -> Iterator[dict[str, Any]]:
    """The CPU seconds of one solve from the problem on."""
    problem = formulation(id).make(instance.data())
    start = cpu()
    found = solve(id, problem, solver=solver)
    seconds = cpu() - start
    steps = "" if found.iterations is None else f"{found.iterations} iterations, "
    words = f"{steps}{seconds:.3g} s, width {found.width:.1e}, {found.solver}"
    yield {"seconds": seconds, "told": words}


GROUPS: Mapping[str, Callable[[Limits], Iterator[Target]]] = {
    "ye2008": discriminants,
    "lanckriet2004": margins,
    "tang2009": labels,
    "paths": paths,
    "corners": corners,
}

"""Many measurements in one run: the paper's table, growth in n, p and k, the targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.solvers import promise, solve
from cvxkernel.solvers.method import Solution
from cvxkernel.solvers.path import path
from cvxkernel.validation.bench.data import Cancer, Digits, Instance, Labels, Sample, Size
from cvxkernel.validation.bench.process import Limits, alone
from cvxkernel.validation.bench.routes import Measurement, measure, methods, panel

# The multi-class programs with λ given: the paper's Table 16 has SILP, QCQP (34) and SDP (32).
TABLE_16 = ("ye2008-thm3.3", "ye2008-thm3.2", "ye2008-thm3.1")

USUAL = 1e-6  # of a formulation that promises less, no more is asked

# By family: the ids of one problem, its method first, and the problem at a size.
FAMILIES: Mapping[str, tuple[tuple[str, ...], Callable[[int, int, int], Instance]]] = {
    "ye2008": (("ye2008-thm3.2", "ye2008-thm3.3"), Size),
    "lanckriet2004": (("lanckriet2004-sm1",), lambda n, p, k: Size(n, p, 2)),
    "tang2009": (("tang2009-eq11", "tang2009-thm3.1"), Labels),
    "luss2007": (("luss2007",), lambda n, p, k: Sample("luss2007", n, 1)),
    "chen2009": (("chen2009-eq7",), lambda n, p, k: Sample("chen2009-eq7", n, 1)),
    "kundu2010": (("kundu2010-alg1",), lambda n, p, k: Sample("kundu2010-alg1", n, 2)),
}

# Along one of n, p, k, the other two fixed. Similarities have neither p nor k to grow with.
SWEEPS: Mapping[str, tuple[Sequence[tuple[int, int, int]], Sequence[str]]] = {
    "n": (
        [(n, 10, 4) for n in (60, 120, 240, 480, 1000, 2000)],
        tuple(FAMILIES),
    ),
    "p": ([(200, p, 4) for p in (5, 10, 20, 50, 100)], ("ye2008", "lanckriet2004", "tang2009")),
    "k": ([(240, 10, k) for k in (2, 4, 8, 16)], ("ye2008", "tang2009")),
}


@dataclass(frozen=True)
class Row:
    """A measurement, its family and its size."""

    family: str
    n: int
    p: int
    k: int
    measurement: Measurement


def table16(size: Size, *, tol: float, limits: Limits) -> Iterator[Measurement]:
    """Every method and every solver that is ready, on the paper's three programs."""
    for id in TABLE_16:
        for solver in (*methods(id), *panel(id)):
            yield measure(id, solver, size, tol=tol, limits=limits)


def sweep(
    along: str, *, tol: float, limits: Limits, families: Sequence[str] | None = None
) -> Iterator[Row]:
    """Every route of every family at growing sizes; who fails at one is not asked at the next."""
    sizes, every = SWEEPS[along]
    for family in families or every:
        ids, made = FAMILIES[family]
        for id in ids:
            promised = promise(id) or 0.0
            reach = max(tol, promised) if promised > USUAL else tol
            for solver in (*methods(id), *panel(id)):
                for n, p, k in sizes:
                    found = measure(id, solver, made(n, p, k), tol=reach, limits=limits)
                    yield Row(family, n, p, k, found)
                    if found.failure is not None:
                        break


def growth(sizes: Sequence[float], seconds: Sequence[float]) -> float | None:
    """The slope of log seconds over log size, at the three largest sizes."""
    if len(sizes) < 3:
        return None
    return float(np.polyfit(np.log(sizes[-3:]), np.log(seconds[-3:]), 1)[0])


# -- What is aimed at -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """A ratio, and the most (or the least) that it should be; None where it was not measured."""

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


def targets(*, limits: Limits) -> Iterator[Target]:
    """The ratios that the fast routes are held to, each within one run."""
    for what, instance, most in (
        ("digits, n = 900, p = 10, k = 10: Cholesky times to 1e-8", Digits(900, 10), 40.0),
        ("clouds, n = 2000, p = 20, k = 10: Cholesky times to 1e-8", Size(2000, 20, 10), 60.0),
    ):
        found = measure("ye2008-thm3.2", "newton", instance, tol=1e-8, limits=limits)
        yield Target(f"ye2008 {what}", found.units, at_most=most, told=told(found))
    for p, most in ((10, 15.0), (50, 40.0)):
        found = measure("lanckriet2004-sm1", "newton", Cancer(400, p), tol=1e-6, limits=limits)
        what = f"lanckriet2004-sm1 breast cancer, n = 400, p = {p}: SVM times to 1e-6"
        yield Target(what, found.units, at_most=most, told=told(found))
    yield lam_path("from the data", limits, shared=False)
    yield lam_path("that share their arrays", limits, shared=True)
    yield from against_cone(Size(480, 10, 8), limits)


def against_cone(size: Size, limits: Limits) -> Iterator[Target]:
    """Newton beside each conic solver on the QCQP; who does not answer has its reason told."""
    own = measure("ye2008-thm3.2", "newton", size, tol=1e-6, limits=limits)
    for solver in panel("ye2008-thm3.2"):
        found = measure("ye2008-thm3.2", solver, size, tol=1e-6, limits=limits)
        ratio = found.seconds / own.seconds if found.seconds and own.seconds else None
        what = f"ye2008 n = {size.n}, p = {size.p}, k = {size.k}: QCQP by {solver} over newton"
        yield Target(what, ratio, at_least=300.0, told=told(found))


def told(found: Measurement) -> str:
    """A measurement in a few words."""
    if found.failure is not None:
        return found.failure
    assert found.seconds is not None
    once = "" if found.one is None else f", one {found.unit} {found.one:.2g} s"
    steps = "" if found.iterations is None else f"{found.iterations} iterations, "
    return f"{steps}{found.seconds:.3g} s, width {found.width:.1e}{once}"


def lam_path(what: str, limits: Limits, *, shared: bool) -> Target:
    """30 values of λ along a path, over 30 cold solves."""
    found = alone(limits, path_and_cold, Size(480, 10, 8), shared)
    heading = f"ye2008 path of 30 λ, n = 480, p = 10, k = 8, over cold solves {what}"
    most = None if shared else 1 / 3
    if "failure" in found:
        return Target(heading, None, at_most=most, told=found["failure"])
    along, cold = found["along"], found["cold"]
    seconds = f"{along[0]:.2g} s for {cold[0]:.2g} s"
    iterations = f"{along[1]} iterations for {cold[1]}"
    return Target(heading, along[0] / cold[0], at_most=most, told=f"{seconds}, {iterations}")


def path_and_cold(size: Size, shared: bool) -> Iterator[dict[str, Any]]:
    """Seconds and iterations of both. Cold problems are made of the data, or share their arrays."""
    data, values = size.data(), np.geomspace(1e-5, 1.0, 30).tolist()
    form = formulation("ye2008-thm3.2")
    solve(form.id, form.make(data))  # what a process does once
    problem = form.make(data)

    def along() -> Iterator[Solution]:
        yield from path(form.id, problem if shared else form.make(data), "lam", values)

    def cold() -> Iterator[Solution]:
        for lam in values:
            made = replace(problem, lam=lam) if shared else form.make({**data, "lam": lam})
            yield solve(form.id, made)

    for name, route in (("along", along), ("cold", cold)):
        start = perf_counter()
        iterations = sum(solution.iterations or 0 for solution in route())
        yield {name: (perf_counter() - start, iterations)}

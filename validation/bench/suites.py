"""Many measurements in one run: the paper's table, growth in n, p and k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cvxkernel.solvers import promise
from cvxkernel.validation.bench.data import Instance, Labels, Sample, Size
from cvxkernel.validation.bench.process import Limits
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

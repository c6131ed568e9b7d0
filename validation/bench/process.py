"""How long each route takes to the same enclosure, in one run: times, widths, memory, ratios.

Every route runs in a process of its own, so that one that takes too long or too much memory can be
ended and recorded.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import SolverError
from cvxkernel.solvers import METHODS, solve
from cvxkernel.solvers.panel import PANEL
from cvxkernel.validation.files import read
from cvxkernel.validation.instances import blobs, gaussian_kernels

# The multi-class programs with λ given: the paper's Table 16 has SILP, QCQP (34) and SDP (32).
ROUTES = {"SILP": "ye2008-thm3.3", "QCQP": "ye2008-thm3.2", "SDP": "ye2008-thm3.1"}


@dataclass(frozen=True)
class Size:
    """n points of k Gaussian clouds, p Gaussian kernels of widths 0.1 to 100."""

    n: int
    p: int
    k: int
    lam: float = 5e-4

    def data(self) -> Mapping[str, Any]:
        """The problem, seeded."""
        X, y = blobs(self.n, self.k)
        return {"kernels": gaussian_kernels(X, self.p), "y": y, "lam": self.lam}


@dataclass(frozen=True)
class Problem:
    """A problem file."""

    path: Path

    def data(self) -> Mapping[str, Any]:
        """What it holds."""
        return read(self.path)


@dataclass(frozen=True)
class Measurement:
    """One route at one size: the outcome is the width reached, or why there is none."""

    route: str
    id: str
    solver: str
    seconds: float | None
    width: float | None
    iterations: int | None
    megabytes: float | None
    failure: str | None = None


@dataclass(frozen=True)
class Limits:
    """What a route may use."""

    seconds: float = 600.0
    gigabytes: float = 12.0
    threads: int = 1


def alone(
    limits: Limits, target: Callable[..., Iterator[dict[str, Any]]], *arguments: Any
) -> dict[str, Any]:
    """What `target(*arguments)` yields, together, in a process of its own within the limits.

    Where it is ended, what it had yielded until then, and the `failure`.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(limits.threads)  # read by the process to come
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    arguments = (theirs, limits.gigabytes, target, arguments)
    process = context.Process(target=_send, args=arguments, daemon=True)
    process.start()
    theirs.close()
    process.join(limits.seconds)
    end: dict[str, Any] = {}
    if process.is_alive():
        process.kill()
        process.join()
        end = {"failure": f"not within {limits.seconds:g} s"}
    elif process.exitcode:
        end = {"failure": f"not within {limits.gigabytes:g} GB (status {process.exitcode})"}
    found: dict[str, Any] = {}
    with ours:
        while True:
            try:
                found.update(ours.recv())
            except EOFError:
                return {**found, **end}


def measure(
    route: str, id: str, solver: str, size: Size | Problem, *, tol: float, limits: Limits
) -> Measurement:
    """Run one route in a process of its own, within the limits."""
    found = alone(limits, _run, id, solver, size, tol)
    empty = dict.fromkeys(("seconds", "width", "iterations", "megabytes"))
    return Measurement(route, id, solver, **{**empty, **found})


def bench(size: Size, *, tol: float, limits: Limits) -> Iterator[Measurement]:
    """Column generation, then each solver of the panel that is ready: on the QCQP, on the SDP."""
    yield measure("SILP", ROUTES["SILP"], "column_generation", size, tol=tol, limits=limits)
    for route in ("QCQP", "SDP"):
        for member in PANEL.values():
            if member.unavailable() is None:
                yield measure(route, ROUTES[route], member.name, size, tol=tol, limits=limits)


def race(id: str, problem: Problem, *, tol: float, limits: Limits) -> Iterator[Measurement]:
    """Each method that answers `id`, then each solver of the panel that is ready."""
    id = formulation(id).id
    for name, route in METHODS.items():
        if id in route.answers:
            yield measure("method", id, name, problem, tol=tol, limits=limits)
    for member in PANEL.values():
        if formulation(id).exchange is None and member.unavailable() is None:
            yield measure("conic", id, member.name, problem, tol=tol, limits=limits)


def _send(
    pipe: Connection,
    gigabytes: float,
    target: Callable[..., Iterator[dict[str, Any]]],
    arguments: tuple[Any, ...],
) -> None:
    allowed = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
    try:
        for found in target(*arguments):
            pipe.send(found)
    except MemoryError:
        pipe.send({"failure": f"not within {gigabytes:g} GB"})


def _run(id: str, solver: str, size: Size | Problem, tol: float) -> Iterator[dict[str, Any]]:
    problem = formulation(id).make(size.data())
    try:
        solution = solve(id, problem, solver=solver, tol=tol)
    except SolverError as error:
        yield {"failure": "; ".join(error.attempts.values())}
        return
    yield {
        "seconds": solution.seconds,
        "width": solution.width,
        "iterations": solution.iterations,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }

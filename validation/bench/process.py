"""One piece of work in a process of its own, which can be ended and its memory counted."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from threadpoolctl import threadpool_limits

from cvxkernel.solvers.child import die_with_parent


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
    context = get_context("forkserver")  # one import of everything for all of them
    context.set_forkserver_preload(["cvxkernel.validation.bench"])
    ours, theirs = context.Pipe(duplex=False)
    arguments = (theirs, limits, target, arguments)
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
        most = f"at most {limits.gigabytes:g} GB"
        end = {
            "failure": f"ended with status {process.exitcode}, perhaps for want of memory ({most})"
        }
    found: dict[str, Any] = {}
    with ours:
        while True:
            try:
                found.update(ours.recv())
            except EOFError:
                return {**found, **end}


def _send(
    pipe: Connection,
    limits: Limits,
    target: Callable[..., Iterator[dict[str, Any]]],
    arguments: tuple[Any, ...],
) -> None:
    die_with_parent()
    threadpool_limits(limits.threads)
    os.environ["RAYON_NUM_THREADS"] = str(limits.threads)  # Clarabel reads it when it starts
    allowed = int(limits.gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
    try:
        for found in target(*arguments):
            pipe.send(found)
    except MemoryError:
        pipe.send({"failure": f"not within {limits.gigabytes:g} GB"})
    except Exception as error:  # nobody else would say it in one line
        pipe.send({"failure": f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"})


def cpu() -> float:
    """The CPU seconds of this process and of those it has waited for: others do not count."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def megabytes() -> float:
    """The most memory that this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

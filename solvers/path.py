r"""Solutions along a number of the problem: λ, C, β, γ, ρ, η or τ.

What the last solution leaves is used for the next: arrays are checked, and what is made of them is
made, once; and a method that can start from a point (`WARM`) starts on the line through
the last two solutions, in the logarithm of the number. Every solution has the enclosure that it
would have alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from math import log
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Point
from cvxkernel.solvers import solve
from cvxkernel.solvers.solution import Progress, Solution


def numbers(id: str, problem: Any) -> list[str]:
    """The keys of a formulation that hold one number, which a path may follow."""
    keys = formulation(id).keys
    return [f.name for f in fields(problem) if f.name in keys and f.type in ("float", float)]


def path(
    id: str,
    problem: Any,
    key: str,
    values: Sequence[float],
    *,
    solver: str | None = None,
    tol: float | None = None,
    progress: Progress | None = None,
) -> Iterator[Solution]:
    """Solve the problem with each of the values for its number `key`, in the order given."""
    form = formulation(id)
    form.require(problem)
    if key not in numbers(id, problem):
        expected = f"one of {', '.join(numbers(id, problem)) or 'none'}, a number of {form.id}"
        raise InputError("key", expected, repr(key))
    problems = [
        replace(problem, **{key: value}) for value in values
    ]  # refused before any is solved
    done: list[tuple[float, Point]] = []
    for made in problems:
        at = getattr(made, key)
        solution = solve(
            id, made, solver=solver, tol=tol, progress=progress, start=_ahead(done[-2:], at)
        )
        done.append((at, solution.variables))
        yield solution


def _ahead(done: Sequence[tuple[float, Point]], value: float) -> Point | None:
    """The last point, moved along the line through the last two."""
    if not done:
        return None
    last, point = done[-1]
    if len(done) == 1 or not (min(last, done[0][0], value) > 0 and last != done[0][0]):
        return point
    step = log(value / last) / log(last / done[0][0])
    before = done[0][1]
    return {
        symbol: here + min(step, 1.0) * (here - before[symbol])
        for symbol, here in point.items()
        if symbol in before and np.shape(before[symbol]) == np.shape(here)
    }

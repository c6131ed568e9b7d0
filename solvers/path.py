r"""Solutions along a number of the problem: λ, C, β, γ, ρ, η or τ.

What the last solution leaves is used for the next: arrays are checked, and what is made of them is
made, once; and a method that can start from a point (`warm`) starts on the cubic through the
last four solutions, in the logarithm of the number. Every solution has the enclosure that it
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
from cvxkernel.solvers.method import Progress, Solution

POINTS = 4  # of the polynomial
WILD = 10.0  # no larger multiple of a point


def check_number(id: str, key: str) -> None:
    """Refuse a key that does not hold one number."""
    form = formulation(id)
    held = {f.name for f in fields(form.problem) if f.type == "float"}
    numbers = [name for name in form.keys if name in held]
    if key not in numbers:
        expected = f"one of {', '.join(numbers)}" if numbers else "a formulation that has a number"
        raise InputError("along", f"{expected}, for {form.id}", repr(key))


def path(
    id: str,
    problem: Any,
    key: str,
    values: Sequence[float],
    *,
    solver: str | None = None,
    tol: float | None = None,
    progress: Progress | None = None,
    limit: float | None = None,
) -> Iterator[Solution]:
    """Solve the problem with each of the values for its number `key`, in the order given.

    `limit` is how many seconds each of them may take.
    """
    formulation(id).require(problem)
    check_number(id, key)
    # A value that is refused is refused before anything is solved.
    problems = [replace(problem, **{key: value}) for value in values]
    done: list[tuple[float, Point]] = []
    for made in problems:
        at = getattr(made, key)
        solution = solve(
            id,
            made,
            solver=solver,
            tol=tol,
            progress=progress,
            start=_ahead(done[-POINTS:], at),
            limit=limit,
        )
        done.append((at, solution.variables))
        yield solution


def _ahead(done: Sequence[tuple[float, Point]], value: float) -> Point | None:
    """The last points, taken further to this value by the polynomial through them."""
    if not done:
        return None
    last = done[-1][1]
    given = [x for x, _ in done]
    if min(*given, value) <= 0 or len(set(given)) < len(given):
        return last
    x, at = log(value), [log(x) for x in given]
    # Lagrange's weights; they add up to 1
    shares = [
        float(np.prod([(x - other) / (own - other) for other in at if other != own])) for own in at
    ]
    if max(map(abs, shares)) > WILD:
        return last
    return {
        symbol: np.tensordot(shares, [point[symbol] for _, point in done], axes=1)
        for symbol in last
    }

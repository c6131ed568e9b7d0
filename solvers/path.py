r"""Solutions along a number of the problem: λ, C, β, γ, ρ, η or τ.

What the last solution leaves is used for the next: arrays are checked, and what is made of them is
made, once; and a method that can start from a point (`warm`) starts on a polynomial through the
last solutions: in the number, its logarithm or its reciprocal, of the degree and the way that would
have foretold the last of them best. Every solution has the enclosure that it would have alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import product
from math import log, prod
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import solve
from cvxkernel.solvers.method import Progress, Solution

POINTS = 4  # of the polynomial, at most
WILD = 10.0  # no larger multiple of a point
WAYS: tuple[Callable[[float], float], ...] = (log, float, lambda x: 1 / x)


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
            start=_ahead(done[-POINTS - 1 :], at),
            limit=limit,
        )
        done.append((at, solution.variables))
        yield solution


def _ahead(done: Sequence[tuple[float, Point]], value: float) -> Point | None:
    """Each symbol of the last points, taken further in the way that foretold its last one best."""
    if not done:
        return None
    given, out = [x for x, _ in done], dict(done[-1][1])
    past, future = list[Array](), list[Array]()
    for way, m in product(WAYS, range(1, min(POINTS, len(done) - 1) + 1)):
        told, ahead = _shares(given[:-1], given[-1], m, way), _shares(given, value, m, way)
        if told is not None and ahead is not None:
            past.append(np.append(told, 0.0))
            future.append(ahead)
    for symbol, last in done[-1][1].items():
        shapes = {np.shape(point[symbol]) for _, point in done if symbol in point}
        if past and shapes == {np.shape(last)} and all(symbol in point for _, point in done):
            known = np.array([np.ravel(point[symbol]) for _, point in done])
            errors = np.linalg.norm(np.array(past) @ known - known[-1], axis=1)
            out[symbol] = (future[int(np.argmin(errors))] @ known).reshape(np.shape(last))
    return out


def _shares(
    given: Sequence[float], value: float, m: int, way: Callable[[float], float]
) -> Array | None:
    """Lagrange's weights of the polynomial in way(value) through the last m; None if wild."""
    last = given[-m:]
    if min(*last, value) <= 0 or len(set(last)) < m:
        return None
    x, at = way(value), [way(x) for x in last]
    shares = [prod((x - other) / (own - other) for other in at if other != own) for own in at]
    if not max(map(abs, shares)) <= WILD:
        return None
    return np.concatenate([np.zeros(len(given) - m), shares])

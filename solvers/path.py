r"""Solutions along a number of the problem: λ, C, β, γ, ρ, η or τ.

What the last solution leaves is used for the next: arrays are checked, and what is made of them is
made, once; and a method that can start from a point (`warm`) starts at the last solution, or ahead
of it on the line through the last two, in the number or in its reciprocal: whichever would have
foretold the last one best. Every solution has the enclosure that it would have alone.

Polynomials through more of them do no better: between two values active sets change. Nor does it
help to solve every other value first, and to start those in between from both sides: the steps that
these save are those that the others, twice as far apart, need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Point
from cvxkernel.solvers import solve
from cvxkernel.solvers.method import Progress, Solution

FARTHEST = 10.0  # no larger multiple of the last step


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
            start=_ahead(done[-3:], at),
            limit=limit,
        )
        done.append((at, solution.variables))
        yield solution


def _ahead(done: Sequence[tuple[float, Point]], value: float) -> Point | None:
    """Each symbol of the last point, and the multiple of its last step that is due at the value.

    In the number, in its reciprocal, or none: as the last step was a multiple of the one before.
    """
    if not done:
        return None
    out = dict(done[-1][1])
    if len(done) < 3:
        return out
    (_, older), (_, old), (_, new) = done
    given = [x for x, _ in done] + [value]
    multiples = [(0.0, 0.0)]
    if min(given) > 0:
        multiples += [m for way in (given, [1 / x for x in given]) if (m := _steps(*way))]
    for symbol, point in new.items():
        if {np.shape(one.get(symbol, ())) for one in (older, old)} == {np.shape(point)}:
            before, step = old[symbol] - older[symbol], point - old[symbol]
            size, along = float(np.vdot(before, before)), float(np.vdot(before, step))
            # the least |step - multiple·before|
            _, due = min(multiples, key=lambda m: m[0] * (m[0] * size - 2 * along))
            out[symbol] = point + due * step
    return out


def _steps(a: float, b: float, c: float, x: float) -> tuple[float, float] | None:
    """(c - b)/(b - a) and (x - c)/(c - b), unless they are wild."""
    if a == b or b == c:
        return None
    last, due = (c - b) / (b - a), (x - c) / (c - b)
    return (last, due) if max(abs(last), abs(due)) <= FARTHEST else None

"""The shapes that answers have: a number, a point of a program, a function, a lower end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from cvxkernel.validation.check import check


def number(
    answer: Any, lower: float, upper: float, slips: Mapping[str, float], tol: float = 1e-6
) -> str | None:
    """A number between two proved ends; what is known to go wrong is told by its reason."""
    value = float(answer)
    room = tol * max(abs(lower), abs(upper))
    if lower - room <= value <= upper + room:
        return None
    for reason, wrong in slips.items():
        if abs(value - wrong) <= tol * abs(wrong):
            return reason
    side = "above" if value > upper else "below"
    return f"{value:.9g} is {side} what is proved, [{lower:.9g}, {upper:.9g}]"


def point(id: str, problem: Any, tol: float = 1e-6, **symbols: Any) -> str | None:
    """A point of a program, by the judge of every answer."""
    judged = check(id, problem, tol=tol, **symbols)
    return None if judged.verdict() == "within" else judged.headline()


def same(
    answer: Any,
    right: Callable[..., Any],
    places: Iterable[tuple[Any, ...]],
    slips: Mapping[str, Callable[..., Any]],
    tol: float = 1e-8,
) -> str | None:
    """A function, at random places; known mistakes are told by their reason."""
    if not callable(answer):
        return f"a function was asked for; came {type(answer).__name__}"
    places = list(places)

    def agrees(one: Callable[..., Any]) -> bool:
        return all(_near(answer(*at), one(*at), tol) for at in places)

    if agrees(right):
        return None
    for reason, wrong in slips.items():
        if agrees(wrong):
            return reason
    at = next(at for at in places if not _near(answer(*at), right(*at), tol))
    got, want = np.asarray(answer(*at)), np.asarray(right(*at))
    if got.shape != want.shape:
        return f"its shape is {got.shape}; {want.shape} was expected"
    return f"at a random place it is off by {np.abs(got - want).max():.2g}"


def lower_end(
    answer: Any,
    right: Callable[..., Any],
    places: Iterable[tuple[Any, ...]],
    slips: Mapping[str, Callable[..., Any]],
    upper: float,
) -> str | None:
    """A function that bounds an optimum from below; told is also where it does not."""
    places = list(places)
    why = same(answer, right, places, slips)
    above = callable(answer) and max(float(answer(*at)) for at in places) > upper
    return f"{why}; at one of the points it is above the optimum" if why and above else why


def _near(one: Any, two: Any, tol: float) -> bool:
    one, two = np.asarray(one, dtype=float), np.asarray(two, dtype=float)
    return one.shape == two.shape and bool(np.abs(one - two).max() <= tol * np.abs(two).max())

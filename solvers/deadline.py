"""How long may be waited: a limit on all that is done within it, and shares of what is left.

    with within(60.0):          # all that follows ends within a minute
        with share(2):          # at most half of what is left, for one of two
            while not passed(): …

Whoever iterates asks `passed` at every iteration, and ends with the best it has; whoever calls what
cannot be asked gives it `left` seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic

_END = ContextVar("end", default=inf)  # on the clock `monotonic`
_LIMIT = ContextVar("limit", default=inf)  # the seconds that were asked for, not a share of them


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """What is done inside ends in so many seconds, or by the limit outside if that is nearer."""
    end = inf if seconds is None else monotonic() + seconds
    if seconds is None or end >= _END.get():
        yield
        return
    tokens = _END.set(end), _LIMIT.set(seconds)
    try:
        yield
    finally:
        _END.reset(tokens[0])
        _LIMIT.reset(tokens[1])


@contextmanager
def share(parts: int) -> Iterator[None]:
    """Half of what is left, where others come after: the last of the parts has all of it."""
    token = _END.set(_END.get() if parts < 2 else monotonic() + left() / 2)
    try:
        yield
    finally:
        _END.reset(token)


def left() -> float:
    """The seconds that are left, infinite without a limit."""
    return max(_END.get() - monotonic(), 0.0)


def passed() -> bool:
    """Whether none are left."""
    return left() <= 0


def limit() -> float | None:
    """The seconds that were asked for, if any were."""
    return None if _LIMIT.get() == inf else _LIMIT.get()


def reached() -> float | None:
    """The same once none are left."""
    return limit() if passed() else None

"""What is made of an array is made once: for arrays that nobody can write to."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Check = Callable[[str, Any], NDArray[np.float64]]


def per_array(function: Callable[[NDArray[np.float64]], T]) -> Callable[[NDArray[np.float64]], T]:
    """Remember what `function` makes of a read-only array, for as long as the array lives.

    Problems that differ in a number only (`dataclasses.replace`) share their arrays, and what has
    been made of them.
    """
    kept: dict[int, tuple[ref[NDArray[np.float64]], T]] = {}

    @wraps(function)
    def remembered(array: NDArray[np.float64]) -> T:
        if array.flags.writeable:
            return function(array)
        key = id(array)
        found = kept.get(key)
        if found is None or found[0]() is not array:
            found = ref(array, lambda _: kept.pop(key, None)), function(array)
            kept[key] = found
        return found[1]

    return remembered


def checked_once(check: Check) -> Check:
    """Return a read-only array that `check` has returned before as it is, unchecked.

    So problems that differ in a number only share it, and what is remembered of it.
    """
    passed: dict[int, ref[NDArray[np.float64]]] = {}

    @wraps(check)
    def checked(key: str, value: Any) -> NDArray[np.float64]:
        known = passed.get(id(value))
        same = None if known is None else known()
        if same is not None and same is value and not same.flags.writeable:
            return same
        made = check(key, value)
        place = id(made)
        passed[place] = ref(made, lambda _: passed.pop(place, None))
        return made

    return checked

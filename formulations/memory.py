"""What is made of an array is made once: for arrays that nobody can write to."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


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

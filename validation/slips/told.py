"""What an answer tells: some tell so little that many problems explain them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.translation import WEIGHTS

PRESENT = 1e-6  # of the largest weight, what another one has that is there
MOST_FITTED = 3  # kernels: some number fits weights of so many, wherever a method stopped
MERE = {*WEIGHTS, "zeta", "gamma", "g"}  # symbols that say no more than weights do


def at_a_corner(point: Mapping[str, Array]) -> bool:
    """Whether weights tell no more than which kernel was chosen."""
    weights = [np.atleast_2d(x) for name, x in point.items() if name in WEIGHTS]
    chosen = [np.sum((x > PRESENT * np.max(x)).any(axis=0)) for x in weights]
    return bool(chosen) and all(count == 1 for count in chosen)


def kernel_alone(point: Mapping[str, Array]) -> bool:
    """Whether a kernel is told that was learned, and nothing of the machine on it."""
    return "K" in point and not {"alpha", "c", "z"} & set(point)


def tell_a_number(point: Mapping[str, Array]) -> bool:
    """Whether weights tell a number that is searched for: of a few kernels some number fits."""
    weights = [np.atleast_2d(x) for name, x in point.items() if name in WEIGHTS]
    return any(np.sum((x > PRESENT * np.max(x)).any(axis=0)) > MOST_FITTED for x in weights)

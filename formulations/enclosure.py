"""An interval that holds the optimal value, and the point at which its ends were computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cvxkernel.formulations.errors import ContradictionError
from cvxkernel.formulations.inputs import Array

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Enclosure:
    """lower ≤ optimum ≤ upper, in the paper's sense and sign.

    `value` is the paper's objective at the feasible point in `variables`: the upper end of a
    minimization, the lower end of a maximization, as doubles compute it.
    `open` says in words what of the problem is not determined or not proved, so that both ends
    depend on a choice that the answer holds; None where everything is.
    """

    value: float
    lower: float
    upper: float
    variables: Mapping[str, Array]
    open: str | None = None

    def __post_init__(self) -> None:
        for end in ("value", "lower", "upper"):
            object.__setattr__(self, end, float(getattr(self, end)))  # never a numpy scalar
        lower, upper = ordered(self.lower, self.upper)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @property
    def width(self) -> float:
        """(upper - lower) / max(|upper|, tiny)"""
        return relative_width(self.lower, self.upper)

    def meets(self, other: Enclosure) -> bool:
        """Whether the two intervals have a point in common."""
        return self.lower <= other.upper and other.lower <= self.upper

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.value, -self.upper, -self.lower, self.variables, self.open)


def ordered(lower: float, upper: float) -> tuple[float, float]:
    """Both ends; one that is not a number is not known. ContradictionError if they exclude all."""
    lower = -np.inf if np.isnan(lower) else lower
    upper = np.inf if np.isnan(upper) else upper
    if lower > upper:
        raise ContradictionError(lower, upper)
    return lower, upper


def relative_width(lower: float, upper: float) -> float:
    """(upper - lower) / max(|upper|, tiny), infinite where an end is missing."""
    if not (np.isfinite(lower) and np.isfinite(upper)):
        return np.inf
    return (upper - lower) / max(abs(upper), TINY)

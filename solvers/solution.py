"""What every solver returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cvxkernel.formulations.enclosure import Enclosure, relative_width
from cvxkernel.formulations.inputs import Array

CROSSING = 1e-9  # relative: what the rounding of a method's own ends may come to
Progress = Callable[[str], None]  # told in a line what a solver is doing


@dataclass(frozen=True)
class Step:
    """One iteration of an iterative solver: the best ends so far and the seconds they took.

    The ends are in the solver's own arithmetic, with no allowance for rounding. Where it has made
    them cross by no more than rounding does they are exchanged; by more, neither is known.
    """

    iteration: int
    lower: float
    upper: float
    seconds: float

    def __post_init__(self) -> None:
        lower, upper = self.lower, self.upper
        if not lower <= upper:
            size = max(abs(lower), abs(upper))
            crossed = lower - upper <= CROSSING * size < np.inf
            lower, upper = (upper, lower) if crossed else (-np.inf, np.inf)
        object.__setattr__(self, "lower", float(lower))
        object.__setattr__(self, "upper", float(upper))

    @property
    def width(self) -> float:
        """(upper - lower) / max(|upper|, tiny)"""
        return relative_width(self.lower, self.upper)


@dataclass(frozen=True)
class Solution:
    """lower ≤ optimum ≤ upper, the paper's objective and variables there, and who found them.

    `status` is "optimal": the enclosure was within the tolerance asked for. Anything else raises,
    unless another rule of stopping was asked for, which is then told.
    `promises` is what an answer to a program that is not convex promises beyond the enclosure,
    which is then of the optimum at what the method has fixed; `status` says so.
    `attempts` tells of the solvers that were tried before this one, and why each was passed over.
    `rigorous` is true when the two ends come from ball arithmetic; `digits` then holds the optimum
    to as many digits as were asked for, every one proved. `open` says in words what of the problem
    is not determined or not proved: then the answer is never called rigorous.
    `notes` tells of kernels that are not quite semidefinite, and what is meant by them.
    """

    formulation: str
    value: float
    lower: float
    upper: float
    variables: Mapping[str, Array]
    solver: str
    iterations: int | None
    seconds: float
    status: str = "optimal"
    rigorous: bool = False
    history: tuple[Step, ...] = ()
    attempts: Mapping[str, str] | None = None
    digits: str | None = None
    promises: Mapping[str, Any] | None = None
    open: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """(upper - lower) / max(|upper|, tiny)"""
        return relative_width(self.lower, self.upper)

    @classmethod
    def at(cls, id: str, enclosure: Enclosure, solver: str, **told: Any) -> Solution:
        """The solution whose ends, value and variables are those of an enclosure."""
        return cls(
            formulation=id,
            value=enclosure.value,
            lower=enclosure.lower,
            upper=enclosure.upper,
            variables=enclosure.variables,
            open=enclosure.open,
            solver=solver,
            **told,
        )

    @property
    def enclosure(self) -> Enclosure:
        """The same interval and point, without who found it."""
        return Enclosure(self.value, self.lower, self.upper, self.variables, self.open)

"""The interval that holds the optimum, and the averages of dual points it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.mirror_descent.algorithms import Dual


@dataclass
class Averages:
    """Of dual points, by weight: over all, and over about the last half."""

    total: list[tuple[Dual | None, float, int]] = field(default_factory=list)
    count: int = 0

    def add(self, dual: Dual, weight: float, *, fresh: bool) -> list[Dual]:
        """The averages with one more dual point."""
        if fresh:
            self.total, self.count = [], 0
        self.count += 1
        if not self.total:
            self.total.append((None, 0.0, 0))  # over all
        if len(self.total) == 1 or self.count >= 2 * self.total[-1][2]:
            self.total = [self.total[0], *self.total[1:][-1:], (None, 0.0, self.count)]
        self.total = [_more(part, dual, weight) for part in self.total]
        return [part[0] for part in self.total[:2] if part[0] is not None]


def _more(
    part: tuple[Dual | None, float, int], dual: Dual, weight: float
) -> tuple[Dual, float, int]:
    mean, total, since = part
    if mean is None or total == 0:
        return dual, weight, since
    share = weight / (total + weight)
    moved = tuple(a + share * (b - a) for a, b in zip(mean, dual, strict=True))
    return (moved[0], moved[1], moved[2]), total + weight, since


@dataclass
class Interval:
    """The best value and the best bound so far, and where they are reached."""

    lower: float = -np.inf
    upper: float = np.inf
    best: tuple[Array, Array] = field(init=False)  # x and an α for its upper end
    dual: Dual = field(init=False)

    @property
    def gap(self) -> float:
        """upper - lower, or all of the upper end while there is no lower one above zero."""
        return self.upper - max(self.lower, 0.0)

    def offer(self, value: float, x: Array, alpha: Array) -> None:
        """A feasible point."""
        if value < self.upper or not np.isfinite(self.upper):
            self.upper, self.best = value, (x, alpha)

    def bound(self, value: float, dual: Dual) -> None:
        """A dual point."""
        if value > self.lower or not np.isfinite(self.lower):
            self.lower, self.dual = value, dual

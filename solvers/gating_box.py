r"""The least J over a box of gatings, by branch and bound: two kernels, points on a line.

The gates depend on a = v₁ - v₂ and c = v₁₀ - v₂₀ alone. On a box of them `bounds.box_bound` gives a
number below J at any α; the α that solves (7) in its middle is a good one. The box whose number is
lowest is halved, across the side along which ⟨v, x⟩ + v₀ changes more, until the gap is closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.gonen2008 import Gated, Localized
from cvxkernel.formulations.gonen2008.bounds import box_bound
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import deadline
from cvxkernel.solvers.method import Progress
from cvxkernel.solvers.svm import svm

REACH = 10.0  # of ⟨v, x⟩ + v₀ on the points: gates from 5e-5 to 1 - 5e-5


@dataclass(frozen=True)
class Least:
    """lower ≤ least J on the box ≤ upper, which is J at (a, c); how many boxes were looked at."""

    lower: float
    upper: float
    a: float
    c: float
    boxes: int


@dataclass(frozen=True)
class GatingBox:
    """All gatings with a₋ ≤ v₁ - v₂ ≤ a₊ and c₋ ≤ v₁₀ - v₂₀ ≤ c₊."""

    a_low: float
    a_high: float
    c_low: float
    c_high: float

    @classmethod
    def around(cls, problem: Localized, gatings: list[tuple[float, float]]) -> GatingBox:
        """The box that lets ⟨v, x⟩ + v₀ go from -10 to 10 between the points, and holds these."""
        x = problem.X[:, 0]
        middle, half = (x.max() + x.min()) / 2, max((x.max() - x.min()) / 2, 1e-6)
        a = float(max(REACH / half, *(abs(a) for a, _ in gatings), 0.0))
        c = float(max(REACH * (1 + abs(middle) / half), *(abs(c) for _, c in gatings), 0.0))
        return cls(-a, a, -c, c)

    @property
    def middle(self) -> tuple[float, float]:
        """Its (a, c)."""
        return (self.a_low + self.a_high) / 2, (self.c_low + self.c_high) / 2

    def halves(self, size: float) -> tuple[GatingBox, GatingBox]:
        """Across the side along which ax + c changes more, for |x| up to `size`."""
        a, c = self.middle
        if (self.a_high - self.a_low) * size >= self.c_high - self.c_low:
            return (
                GatingBox(self.a_low, a, self.c_low, self.c_high),
                GatingBox(a, self.a_high, self.c_low, self.c_high),
            )
        return (
            GatingBox(self.a_low, self.a_high, self.c_low, c),
            GatingBox(self.a_low, self.a_high, c, self.c_high),
        )

    def least(
        self,
        problem: Localized,
        *,
        gap: float = 1e-3,
        boxes: int = 2000,
        progress: Progress | None = None,
    ) -> Least:
        """Bounds on the least J here, as near as `gap` (relative) or as so many boxes allow."""
        size = max(float(np.abs(problem.X).max()), 1e-6)
        order = count()  # boxes with the same bound are taken in turn
        view = look(problem, self, None)
        middle, seen = self.middle, 1
        upper = view.above
        heap = [(view.below, next(order), self, view.alpha)]
        while seen < boxes and not deadline.passed():
            lower = heap[0][0]
            if upper - lower <= gap * abs(upper):
                break
            worst, _, box, alpha = heappop(heap)
            for half in box.halves(size):
                view = look(problem, half, alpha)
                seen += 1
                if view.above < upper:
                    upper, middle = view.above, half.middle
                heappush(heap, (max(view.below, worst), next(order), half, view.alpha))
            if progress is not None and seen % 100 < 2:
                progress(f"gating box: {seen} boxes, least J between {lower:.6g} and {upper:.6g}")
        return Least(heap[0][0], upper, *middle, seen)


def difference(at: Gated) -> tuple[float, float]:
    """(v₁ - v₂, v₁₀ - v₂₀)"""
    return float(at.V[0, 0] - at.V[1, 0]), float(at.v0[0] - at.v0[1])


def gating(a: float, c: float) -> tuple[Array, Array]:
    """The V and v0 with these differences."""
    return np.array([[a / 2], [-a / 2]]), np.array([c / 2, -c / 2])


@dataclass(frozen=True, eq=False)
class Look:
    """A number below J on all of a box, one above J in its middle, the α both are made with."""

    below: float
    above: float
    alpha: Array


def look(problem: Localized, box: GatingBox, near: Array | None) -> Look:
    """At the α that solves (7) in the middle, started from one nearby."""
    at = problem.at(*gating(*box.middle))
    alpha = svm(at.K_eta, at.y, at.C, start=near)
    enclosure = formulation("gonen2008-eq7").enclose(at, {"alpha": alpha})
    alpha, corners = enclosure.variables["alpha"], (box.a_low, box.a_high, box.c_low, box.c_high)
    return Look(box_bound(DOUBLES, problem, alpha, corners).lower, enclosure.upper, alpha)

"""What a proof is: a judge of points, the interval it proves, and an answer examined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from flint import arb

from cvxkernel.formulations.arithmetic import BALLS, Tensor
from cvxkernel.formulations.arithmetic.balls import Proof, exact, excess
from cvxkernel.formulations.formulation import Formulation

Point = Mapping[str, Any]  # doubles, or balls where doubles are not enough
STATIONARITY = "stationarity"  # the violation by which a program that is not convex is judged


class Judge(Protocol):
    """A problem in balls: what any point proves of its optimum, in the sense of a formulation.

    A point is repaired first, so that it is feasible exactly.
    """

    def better(self, point: Point) -> Iterator[Point]:
        """Points with both kinds of symbols, made from this one; the last is the best."""

    def examine(self, point: Point) -> Examination:
        """What it violates, the feasible point made of it, and the objectives there."""


@dataclass(frozen=True)
class Negated:
    """Minus the program of another judge."""

    judge: Judge

    def better(self, point: Point) -> Iterator[Point]:
        """The same points."""
        return self.judge.better(point)

    def examine(self, point: Point) -> Examination:
        """The same violations and point; the objectives change sign and side."""
        found = self.judge.examine(point)
        other = {"upper": "lower", "lower": "upper"}
        return replace(found, objectives={other[s]: -f for s, f in found.objectives.items()})


@dataclass(frozen=True)
class Examination:
    """An answer as it stands, in balls.

    `violations` by the label of the constraint, relative to the size of what it compares;
    `repaired` is a feasible point made from the symbols that were given, and holds a symbol only if
    a violation or an objective depends on it; `objectives` holds the exact objective there, on the
    side of the optimum on which it lies: "upper" or "lower". `unproved` are the labels of
    violations that rest on a number that is only near.
    """

    violations: dict[str, arb] = field(default_factory=dict)
    repaired: dict[str, Any] = field(default_factory=dict)
    objectives: dict[str, Proof] = field(default_factory=dict)
    unproved: set[str] = field(default_factory=set)

    def raised(
        self, point: Point, symbol: str, label: str, least: Tensor, size: Tensor | None = None
    ) -> Tensor:
        """A symbol of the point raised to what it has to be at least; where it is none, that.

        What it lacks is the violation, relative to the size of `least` or another; of two under one
        label the worse one counts.
        """
        if symbol not in point:
            return least
        given = exact(point[symbol]).reshape(*least.shape)
        short = excess((least - given).max().number, (least.max() if size is None else size).number)
        self.violations[label] = short.max(self.violations.get(label, short))
        raised = self.repaired[symbol] = BALLS.maximum(least, given)
        return raised

    def below(self, objective: Proof) -> None:
        """Another objective from below: of two the worse one counts."""
        other = self.objectives.get("lower", objective)
        ends = [(one.lower, one.upper) for one in (objective, other)]
        low, high = (a if a < b else b for a, b in zip(*ends, strict=True))
        self.objectives["lower"] = Proof(low, high)


def prove(form: Formulation, judge: Judge, problem: Any, point: Point) -> Proof:
    """The best ends over the point and those made from it."""
    with np.errstate(over="ignore", invalid="ignore"):  # hints in doubles: no proof rests on them
        best: Proof = form.ends(BALLS, problem, point)
        for better in judge.better(point):
            best = best.narrowed(form.ends(BALLS, problem, better))
    return best

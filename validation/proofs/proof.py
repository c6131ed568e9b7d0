"""What a proof is: a judge of points, the interval it proves, an answer examined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from flint import arb

from cvxkernel.validation import balls

Point = Mapping[str, Any]  # doubles, or balls where doubles are not enough
STATIONARITY = "stationarity"  # the violation by which a program that is not convex is judged


class Judge(Protocol):
    """A problem in balls: what any point proves of its optimum, in the sense of a formulation.

    A point is repaired first, so that it is feasible exactly. An end is infinite where the symbols
    it needs are missing.
    """

    def upper(self, point: Point) -> arb:
        """A number not below the optimum."""

    def lower(self, point: Point) -> arb:
        """A number not above the optimum."""

    def better(self, point: Point) -> Iterator[Point]:
        """Points with both kinds of symbols, made from this one; the last is the best."""

    def examine(self, point: Point) -> Examination:
        """What it violates, the feasible point made of it, and the objectives there."""


@dataclass(frozen=True)
class Negated:
    """Minus the program of another judge."""

    judge: Judge

    def upper(self, point: Point) -> arb:
        """Minus the lower end."""
        return -self.judge.lower(point)

    def lower(self, point: Point) -> arb:
        """Minus the upper end."""
        return -self.judge.upper(point)

    def better(self, point: Point) -> Iterator[Point]:
        """The same points."""
        return self.judge.better(point)

    def examine(self, point: Point) -> Examination:
        """The same violations and point; the objectives change sign and side."""
        found = self.judge.examine(point)
        other = {"upper": "lower", "lower": "upper"}
        return replace(found, objectives={other[s]: -f for s, f in found.objectives.items()})


@dataclass(frozen=True)
class Proof:
    """lower ≤ optimum ≤ upper: exact numbers (balls of radius zero), or infinite."""

    lower: arb
    upper: arb

    @classmethod
    def of(cls, *holders: arb) -> Proof:
        """The smallest interval around balls, each of which holds the number or a bound of it."""
        lower = -balls.largest([-x.lower() for x in holders])
        return cls(lower.lower(), balls.largest([x.upper() for x in holders]).upper())

    def __neg__(self) -> Proof:
        return Proof(-self.upper, -self.lower)

    @property
    def width(self) -> float:
        """(upper - lower)/|upper|, at most."""
        if not (self.lower.is_finite() and self.upper.is_finite()):
            return float("inf")
        if self.upper.is_zero():
            return 0.0 if self.lower.is_zero() else float("inf")
        with balls.precision():
            return balls.above((self.upper - self.lower) / abs(self.upper))

    def digits(self, most: int = 1000) -> str:
        """The optimum to at most so many significant digits, those that are proved, to one unit."""
        bits = int(64 + 4 * most)
        with balls.precision(bits):
            return str(self.lower.union(self.upper).str(most, radius=False))


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

    def below(self, objective: Proof) -> None:
        """Another objective from below: of two the worse one counts."""
        other = self.objectives.get("lower", objective)
        ends = [(one.lower, one.upper) for one in (objective, other)]
        low, high = (a if a < b else b for a, b in zip(*ends, strict=True))
        self.objectives["lower"] = Proof(low, high)


def prove(judge: Judge, point: Point) -> Proof:
    """The best ends over the point and those made from it."""
    lower, upper = judge.lower(point), judge.upper(point)
    for better in judge.better(point):
        low, high = judge.lower(better), judge.upper(better)
        lower, upper = (low if low > lower else lower), (high if high < upper else upper)
    return Proof(lower, upper)

"""Which programs have the same optimal value, and which lie above: judged by their enclosures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.solvers import solve
from cvxkernel.solvers.solution import Progress


@dataclass(frozen=True)
class Equivalence:
    """Programs whose values agree, a semi-infinite one's with its sign changed.

    The value of `above`, where there is one, is not below theirs.
    """

    name: str
    same: tuple[str, ...]
    above: str | None = None
    classes: int = 2

    @property
    def ids(self) -> tuple[str, ...]:
        """Every program that takes part."""
        return self.same if self.above is None else (*self.same, self.above)

    def statement(self) -> str:
        """What is claimed, in one line."""
        signed = [("-" if _negated(id) else "") + id for id in self.same]
        return " = ".join(signed) + (f" ≤ {self.above}" if self.above else "")


EQUIVALENCES = (
    Equivalence(
        "two classes, λ given",
        ("ye2008-thm2.1", "ye2008-thm2.2", "ye2008-thm2.3"),
    ),
    Equivalence(
        "many classes, λ given",
        ("ye2008-eq29", "ye2008-eq29-single", "ye2008-thm3.2", "ye2008-thm3.3"),
        above="ye2008-thm3.1",
        classes=3,
    ),
    Equivalence(
        "two classes, λ learned",
        ("ye2008-eq41", "ye2008-eq43", "ye2008-eq44"),
    ),
    Equivalence(
        "many classes, λ learned",
        ("ye2008-eq45-single", "ye2008-eq46", "ye2008-eq47"),
        above="ye2008-eq45",
        classes=3,
    ),
)


@dataclass(frozen=True)
class Verdict:
    """The enclosures of one equivalence on one instance, signs aligned."""

    equivalence: Equivalence
    instance: str
    enclosures: Mapping[str, Enclosure]

    @property
    def holds(self) -> bool:
        """All of `same` share a point; `above` does not lie below it."""
        same = [self.enclosures[id] for id in self.equivalence.same]
        low, high = max(e.lower for e in same), min(e.upper for e in same)
        above = self.equivalence.above
        return low <= high and (above is None or self.enclosures[above].upper >= low)

    @property
    def spread(self) -> float:
        """How far apart the values of `same` can be at most, relatively."""
        same = [self.enclosures[id] for id in self.equivalence.same]
        low, high = min(e.lower for e in same), max(e.upper for e in same)
        return (high - low) / max(abs(high), abs(low))


def verdict(
    equivalence: Equivalence,
    data: Mapping[str, Any],
    instance: str = "",
    *,
    tol: float = 1e-6,
    progress: Progress | None = None,
) -> Verdict:
    """Solve every program of an equivalence on the data and compare the enclosures."""
    enclosures = {}
    for id in equivalence.ids:
        problem = formulation(id).make(data)
        found = solve(id, problem, tol=tol, progress=progress).enclosure
        enclosures[id] = -found if _negated(id) else found
    return Verdict(equivalence, instance, enclosures)


def verify(
    instances: Mapping[str, Mapping[int, Mapping[str, Any]]], *, progress: Progress | None = None
) -> Iterator[Verdict]:
    """Every equivalence on every instance, which is given for two and for three classes."""
    for name, by_classes in instances.items():
        for equivalence in EQUIVALENCES:
            yield verdict(equivalence, by_classes[equivalence.classes], name, progress=progress)


def _negated(id: str) -> bool:
    return formulation(id).kind == "SILP"

r"""A problem in units in which a solver does well, and the way back.

Solvers stop on absolute tolerances. A problem is homogeneous: with σ the size of its data, numbers
divided by σ to the powers that `Units` declares make a problem whose optimum is that of the first
over a power of σ, and whose points are the first's, each symbol over σ to its own power:

    Units(size, S=1, C=-1, rho=-3, alpha=-1, K=1)    # S/σ, Cσ, ρσ³; and back: α/σ, Kσ

One declaration is the scaling and the way back. A paper declares its own in `units/<paper>.py`, in
a table `UNITS` by the class of the problem or by the id; what it does not declare is solved as it
is. A declaration that is no power of one σ is a class with `scaled(problem)` and
`restored(problem, unit, point)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from cvxkernel.formulations.catalogue import PAPERS
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.problem import with_numbers


class Scaling(Protocol):
    """There and back."""

    def scaled(self, problem: Any) -> Any:
        """The problem in its units."""

    def restored(self, problem: Any, unit: Any, point: Point) -> Point:
        """A point of `unit`, which is `scaled(problem)`, as one of the problem."""


class Units:
    """The powers of σ = size(problem) that the fields of a problem and its symbols carry."""

    def __init__(self, size: Callable[[Any], float], **powers: int) -> None:
        self.size, self.powers = size, powers

    def scaled(self, problem: Any) -> Any:
        """Every field over σ to its power."""
        sigma = self.size(problem)
        changes = {
            field.name: getattr(problem, field.name) / sigma ** self.powers[field.name]
            for field in fields(problem)
            if self.powers.get(field.name)
        }
        return with_numbers(problem, **changes)

    def restored(self, problem: Any, unit: Any, point: Point) -> Point:
        """Every symbol times σ to its power."""
        sigma = self.size(problem)
        return {
            symbol: value * sigma ** self.powers.get(symbol, 0) for symbol, value in point.items()
        }


class AsItIs:
    """No units are declared, or none are wanted."""

    def scaled(self, problem: Any) -> Any:
        """The problem."""
        return problem

    def restored(self, problem: Any, unit: Any, point: Point) -> Point:
        """The point."""
        return point


@cache
def _declared() -> dict[Any, Scaling]:
    every: dict[Any, Scaling] = {}
    for paper in PAPERS:
        name = f"{__name__}.{paper}"
        if find_spec(name) is not None:
            every |= import_module(name).UNITS
    return every


def of(form: Formulation) -> Scaling:
    """What is declared for an id, or for the class of its problem."""
    known = _declared()
    return known.get(form.id) or known.get(form.problem) or AsItIs()

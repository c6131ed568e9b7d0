r"""The units of Ye, Ji and Chen (2008): a and H times a scale, the values times its square.

Solvers stop on absolute tolerances. What they are given is not a problem: nothing that judges an
answer takes it, and `restored` brings a point of it back to the problem that it was made from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.ye2008.bounds import value
from cvxkernel.formulations.ye2008.data import Near, Scatter, TwoClasses
from cvxkernel.formulations.ye2008.programs import Discriminant
from cvxkernel.solvers.units import Scaling

P = TypeVar("P", bound=TwoClasses)


@dataclass(frozen=True, eq=False)
class Scaled:
    """What the programs are made of, with a and H multiplied by `scale`; all else is `problem`'s.

    It has no labels, of which every end of an enclosure would make its own a and H.
    """

    problem: Any
    scale: float

    @cached_property
    def a(self) -> Array:
        """scale·a"""
        a: Array = self.scale * self.problem.a
        return a

    @cached_property
    def H(self) -> Array:
        """scale·H"""
        H: Array = self.scale * self.problem.H
        return H

    def __getattr__(self, name: str) -> Any:
        if name in ("y", "problem", "scale"):
            raise AttributeError(f"a problem in units for a solver has no {name}")
        return getattr(self.problem, name)


def computing(problem: P, kernels: Array, **changes: float) -> P:
    """The same problem with other kernels, which are what is computed with."""
    made = with_numbers(problem, kernels=kernels, **changes)
    made.__dict__["near"] = Near(kernels, np.zeros(len(kernels)))
    return made


class DiscriminantUnits:
    """Kernels of equal centred trace; a and H scaled to the value (1/4λ)^power at equal weights.

    Value and t = 4λ·value cannot both be near 1 when λ is small. The QCQPs want it of t (power 1),
    the LMIs are best in between (power ½): at λ = 1e-8 the widths fall from 1e-1 to below 1e-7.
    """

    # Of the scale of a and H; θ goes by the ratio of the traces.
    powers: ClassVar[dict[str, int]] = {"t": 2, "T": 2, "gamma": 2, "beta": 1}

    def __init__(self, *, binary: bool, power: float) -> None:
        self.binary, self.power = binary, power

    def scaled(self, problem: Scatter) -> Scaled:
        """The program's numbers there."""
        if isinstance(problem, Discriminant):
            trace, target = 1.0, max(1.0, 1 / (4 * problem.lam)) ** self.power
        else:
            trace, target = float(problem.n), 1.0
        equal = 1.0 / (len(problem.r) * problem.r)
        known = value(DOUBLES, problem, equal, binary=self.binary)
        at_equal_weights = float(known.mid)
        if not known.is_finite():  # not definite in doubles: the enclosure will tell
            target = at_equal_weights = 1.0
        made = computing(problem, problem.near.kernels * (trace / problem.traces)[:, None, None])
        return Scaled(made, float(np.sqrt(target / at_equal_weights)))

    def restored(self, problem: Scatter, unit: Scaled, point: Point) -> Point:
        """θᵢ by the ratio of the traces; t and β by the scale."""
        ratio = unit.r / problem.r
        return {
            symbol: x * ratio if symbol == "theta" else x / unit.scale ** self.powers.get(symbol, 0)
            for symbol, x in point.items()
        }


UNITS: dict[type | str, Scaling] = {
    id: DiscriminantUnits(binary=form.binary, power=0.5 if form.kind == "SDP" else 1.0)
    for id, form in CATALOGUE.items()
    if form.paper == "ye2008"
}

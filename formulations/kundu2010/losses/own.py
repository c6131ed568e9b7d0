r"""A loss of the caller's own, without a conjugate: it is conjugated by numbers.

Every X of a problem is K - S with ‖K‖_F ≤ trace K = τ, so that ‖X‖_F ≤ R = τ + ‖S‖_F, and ⟨W, X⟩ -
ρL(X) matters on this ball alone. Wherever G ∈ ∂L(Z), L(X) ≥ L(Z) + ⟨G, X - Z⟩, and there

    (ρL)*(W) ≤ ρ(⟨G, Z⟩ - L(Z)) + R‖W - ρG‖_F

A conic solver finds the Z where it is least, W/ρ being the G that is sought; what it leaves is
charged in the last term. Nobody has proved that L is convex, that G is its subgradient, or what L
is beyond the doubles it returns: the answer says so, and is not called rigorous.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cvxpy as cp
import numpy as np

from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.losses.loss import Loss

ACCURACY = 1e-8  # of a conic solver: how far its G may be from a subgradient, relative to L
ROOM = 1e-12  # relative: R is not too small


@dataclass(frozen=True, eq=False)
class Own(Loss):
    """A convex loss of symmetric matrices, in three ways that say the same.

    called  : its name, in messages
    at      : X (n, n) to the number L(X)
    slope   : X to a subgradient there, (n, n)
    written : a CVXPY expression of X to a convex one, L(X)
    reach   : the R above; a problem sets it
    """

    called: str
    at: Callable[[Array], float]
    slope: Callable[[Array], Array]
    written: Callable[[Any], Any]
    reach: float = np.inf

    def __str__(self) -> str:
        return self.called

    def within(self, reach: float) -> Own:
        """The same on a ball."""
        return replace(self, reach=(1 + ROOM) * reach)

    @property
    def open(self) -> str:
        """Why no end is proved that rests on it."""
        return (
            f"the loss {self.called} is the caller's own: its values, subgradients and convexity"
            " are taken as they came, and its conjugate is a number that a solver found"
        )

    def expression(self, X: Any) -> Any:
        """As it is written."""
        return self.written(X)

    def value(self, F: Arithmetic, X: Tensor) -> Tensor:
        """At the middle, and as much as the slope there lets it change, twice."""
        middle = np.asarray(X.mid, dtype=np.float64)
        value, steep = self.number(middle), float(np.linalg.norm(self.subgradient(middle)))
        off = F.norm(X - F.exact(middle)) * (2 * steep) + X.mid.size * EPS * abs(value)
        return F.between(F.exact((value - off).lower), F.exact((value + off).upper))

    def conjugate(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """From above, on the ball; infinite where no solver has an answer."""
        if not rho > 0:
            return F.exact(self.reach) * F.norm(W)
        ends = [self._end(F, W, rho, *pair) for pair in self._touching(np.asarray(W.mid) / rho)]
        return min(ends, key=lambda end: float(end.upper), default=F.inf)

    def _end(self, F: Arithmetic, W: Tensor, rho: float, Z: Array, G: Array) -> Tensor:
        """ρ(⟨G, Z⟩ - L(Z)) + R‖W - ρG‖, and what G may be off by."""
        weight, value, inner = F.exact(rho), self.value(F, F.exact(Z)), F.inner(G, Z)
        charge = ACCURACY * (abs(value) + abs(inner)) + F.norm(W - weight * G) * self.reach / weight
        return weight * (inner - value + charge)

    def _touching(self, slope: Array) -> list[tuple[Array, Array]]:
        """Z and G: the multiplier at the solution, and the caller's own subgradient there."""
        problem, given, Z, same = self._conjugation(len(slope))
        given.value = (slope + slope.T) / 2
        try:
            problem.solve(solver="CLARABEL", max_threads=1)
        except cp.SolverError:
            return []
        if Z.value is None or same.dual_value is None:
            return []
        point, G = (Z.value + Z.value.T) / 2, (same.dual_value + same.dual_value.T) / 2
        return [(point, G), (point, self.subgradient(point))]

    def _conjugation(self, n: int) -> tuple[cp.Problem, cp.Parameter, cp.Variable, Any]:
        """Minimize L(Z) - ⟨G, X⟩ over Z = X in the ball: the multiplier of Z = X is in ∂L(Z)."""
        if n not in self._made:
            given = cp.Parameter((n, n))
            Z, X = cp.Variable((n, n)), cp.Variable((n, n), symmetric=True)
            same = X - Z == 0
            objective = self.written(Z) - cp.sum(cp.multiply(given, X))
            ball = cp.norm(X, "fro") <= self.reach
            problem = cp.Problem(cp.Minimize(objective), [same, ball])
            self._made[n] = problem, given, Z, same
        return self._made[n]

    @cached_property
    def _made(self) -> dict[int, tuple[cp.Problem, cp.Parameter, cp.Variable, Any]]:
        """By n: compiled once."""
        return {}

    def gauge(self, F: Arithmetic, W: Tensor, rho: float) -> None:
        """On a ball every W has a conjugate."""

    def inside(self, F: Arithmetic, W: Tensor, rho: float) -> Tensor:
        """Symmetric."""
        return (W + W.T) / 2

    def number(self, X: Array) -> float:
        """As given."""
        return float(self.at(X))

    def subgradient(self, X: Array) -> Array:
        """As given, symmetric."""
        g = np.asarray(self.slope(X), dtype=np.float64)
        return (g + g.T) / 2

    def prox(self, X: Array, t: float) -> Array:
        """By a conic solver."""
        D = cp.Variable(X.shape, symmetric=True)
        near = cp.sum_squares(cp.vec(D - X, order="C")) / 2
        problem = cp.Problem(cp.Minimize(self.written(D) + near / t))
        problem.solve(solver="CLARABEL", max_threads=1)
        made: Array = X if D.value is None else (D.value + D.value.T) / 2
        return made

    def rough(self, size: int) -> float:
        """Not known: it is not smoothed."""
        return 0.0

    def steepest(self, reach: float, size: int) -> float:
        """Not known."""
        raise InputError("lip", "the norms seen so far, for a loss of the caller's own", "known")

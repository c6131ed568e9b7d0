"""(1) and (3): the support vector machine on a given kernel, which is inside all the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cvxkernel.formulations import inputs, semidefinite, svm
from cvxkernel.formulations.chen2009.programs import (
    KernelMachine,
    Machine,
    RegularizedMachine,
    RobustMachine,
)
from cvxkernel.formulations.enclosure import EPS, Bounded, Enclosure, rounding
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array

AnyMachine = Machine | RegularizedMachine | RobustMachine | KernelMachine


def vector(problem: AnyMachine, point: Point, symbol: str, missing: Array | None = None) -> Array:
    """The symbol (n,) of the point; `missing`, or zeros, where it holds none."""
    n = problem.n
    default = np.zeros(n) if missing is None else missing
    return inputs.weights(symbol, point[symbol], (n,)) if symbol in point else default


def feasible_alpha(problem: AnyMachine, point: Point) -> Array:
    """α in the box with αᵀy = 0."""
    return svm.repair(vector(problem, point, "alpha"), problem.y, problem.C)


@encloses("chen2009-eq1")
def eq1(problem: Machine, point: Point) -> Enclosure:
    """(1) at α from below; from above the primal that belongs to it."""
    alpha, Q = feasible_alpha(problem, point), svm.signed(problem.y, problem.K)
    slack = float(semidefinite.slack(problem.K))
    low, down = svm.value(Q, alpha, slack)
    high, up = svm.upper(Q, problem.y, problem.C, alpha, slack)
    return Enclosure(low, low - down, high + up, {"alpha": alpha})


@encloses("chen2009-eq3")
def eq3(problem: RegularizedMachine, point: Point) -> Enclosure:
    """2η times (1) at α from below; from above (3) at the best of a few c."""
    alpha, y, eta, C = feasible_alpha(problem, point), problem.y, problem.eta, problem.C
    Q, slack = svm.signed(y, problem.K), float(semidefinite.slack(problem.K))
    low, down = svm.value(Q, alpha, slack)
    # (3) at c = yv is 2η times the primal of (1) at v
    candidates = [y * vector(problem, point, "c"), alpha]
    candidates += [svm.on_margin(Q, y, C, alpha, small) for small in svm.FREE]
    values = [(svm.hinge_bound(Q, y, C, v, slack), v) for v in candidates]
    (high, up), v = min(values, key=lambda value: sum(value[0]))
    best = primal(problem.K, y, y * v).point
    variables = {**{symbol: best[symbol] for symbol in ("c", "b", "xi")}, "alpha": alpha}
    return Enclosure(
        2 * eta * high, 2 * eta * (low - down), 2 * eta * (high + up) * (1 + 4 * EPS), variables
    )


class Primal(NamedTuple):
    """c in the feature space of K, with its best b: the SVM's two terms and their allowances."""

    losses: Bounded  # 1ᵀξ
    form: Bounded  # cᵀKc
    point: dict[str, Array]  # c, z = Kc, b and ξ

    def value(self, loss: float, ridge: float) -> Bounded:
        """loss·1ᵀξ + ridge·cᵀKc"""
        total = loss * self.losses[0] + ridge * self.form[0]
        return total, loss * self.losses[1] + ridge * self.form[1]


def primal(K: Array, y: Array, c: Array, b: float | None = None) -> Primal:
    """1ᵀξ and cᵀKc for z = Kc, ξ = max(0, 1 - Y(z + b1)), at the b given or of the least 1ᵀξ."""
    n = len(y)
    z = K @ c
    b = svm.offset(y * z, y) if b is None else b
    xi = np.maximum(0.0, 1 - y * (z + b))
    made_of = 1 + np.abs(K) @ np.abs(c) + abs(b)
    near = y * (z + b) < 1 + rounding(n, 1.0) * made_of  # only these can add to the sum
    losses = float(xi.sum()), rounding(n, float(np.sum(near * made_of)))
    form = float(c @ z), rounding(n, float(np.abs(c) @ np.abs(K) @ np.abs(c)))
    return Primal(losses, form, {"c": c, "z": z, "b": np.array(b), "xi": xi})


def best_primal(K: Array, y: Array, c: Array, loss: float, ridge: float) -> Primal:
    """Of c and a few multiples of it, the one of the least loss·1ᵀξ + ridge·cᵀKc.

    A solver leaves the margins of its support vectors a little short of 1, which is dear where the
    loss is: c is taken as it is; so much longer that none of those within a thousandth of 1 is
    short; and, where it separates the classes, so long that no sample is.
    """
    machines = [primal(K, y, c)]
    z, b = machines[0].point["z"], float(machines[0].point["b"])
    made_of = 1 + np.abs(K) @ np.abs(c) + abs(b)
    up, down = float(z[y > 0].min()), float(z[y < 0].max())
    for offset, band in ((b, 1e-3), (-(up + down) / 2, 1.0)):
        margins = y * (z + offset) - 2 * rounding(len(y), 1.0) * made_of
        least = float(margins[margins > 1 - band].min(initial=1.0))
        if 0 < least < np.inf and (band < 1 or (margins > 0).all()):
            machines.append(primal(K, y, c / least, offset / least))
    return min(machines, key=lambda machine: sum(machine.value(loss, ridge)))

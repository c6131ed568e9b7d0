"""(1) and (3): the support vector machine on a given kernel, which is inside all the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.chen2009.programs import Machine, RegularizedMachine
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.inputs import Array

SHORTEST = 1e-100  # a margin: below it no multiple is tried
TOLD = 1e-12  # relative: objectives that differ by more are told apart by doubles
UNIT = 2.0**-50  # what a margin may lose to rounding where it is made 1, relative


@encloses("chen2009-eq1")
def eq1(F: Arithmetic, problem: Machine, point: Point) -> Any:
    """(1) at α from below; from above the primal that belongs to it."""
    y, C, Q = problem.y, problem.C, F.signed(problem.y, F.kernels(problem.K)[0])
    alpha = svm.feasible(F, given(F, point, "alpha", np.zeros(problem.n)), y, C)
    low, high = svm.value(F, Q, alpha), svm.upper(F, Q, y, C, alpha)
    return F.enclosure(low, low, high, {"alpha": alpha})


class Regularized:
    """(3) in the box [0, 1]: with α = t/(2ηn) it is 1/n times (1) with K/(2ηn) and C = 1."""

    def __init__(self, F: Arithmetic, problem: RegularizedMachine) -> None:
        self.F, self.y, self.n = F, problem.y, problem.n
        self.ratio = 2 * F.exact(problem.eta) * problem.n  # t = 2ηnα, and v = 2ηn·Yc
        self.Q = F.signed(problem.y, F.kernels(problem.K)[0]) / self.ratio

    def box(self, alpha: Any) -> Tensor:
        """t of an α made feasible."""
        return svm.feasible(self.F, self.F.exact(alpha) * self.ratio, self.y, 1.0)

    def value(self, t: Tensor) -> Tensor:
        """2η·1ᵀα - ηvᵀKv"""
        return svm.value(self.F, self.Q, t) / self.n

    def bound(self, v: Any) -> Tensor:
        """(3) at c = Yv/(2ηn) and its best b."""
        return svm.hinge_bound(self.F, self.Q, self.y, 1.0, v) / self.n


@encloses("chen2009-eq3")
def eq3(F: Arithmetic, problem: RegularizedMachine, point: Point) -> Any:
    """2η times (1) at α from below; from above (3) at the best of a few c."""
    at, y, zero = Regularized(F, problem), problem.y, np.zeros(problem.n)
    t = at.box(given(F, point, "alpha", zero))
    tried = [t.point(), (y * given(F, point, "c", zero) * at.ratio).point()]
    tried += [F.exact(svm.on_margin(at.Q.mid, y, 1.0, t.mid, small)) for small in svm.FREE]
    high, v = min(((at.bound(v), v) for v in tried), key=lambda end: end[0].upper)
    image = at.Q @ v
    b = svm.kink(F, image, y)
    xi = (1 - image - b * y).positive()
    variables = {"c": y * v / at.ratio, "b": b, "xi": xi, "alpha": t / at.ratio}
    return F.enclosure(high, at.value(t), high, variables)


class Primal(NamedTuple):
    """loss·1ᵀξ + ridge·cᵀKc at c and a b: what it comes to, cᵀKc, and c, z = Kc, b and ξ."""

    value: Tensor
    form: Tensor
    point: dict[str, Tensor]


def best_primal(F: Arithmetic, K: Tensor, y: Array, c: Any, loss: Any, ridge: Any) -> Primal:
    """The least of c at its best b, and of a few multiples of both.

    A solver leaves the margins of its support vectors a little short of 1, which is dear where the
    loss is: c is taken as it is; so much longer that none of those within a thousandth of 1 is
    short; and, where it separates the classes, so long that no sample is.
    """
    c, loss, ridge = F.exact(c).point(), F.exact(loss), F.exact(ridge)
    z = K @ c
    form, b = F.inner(c, z).positive(), svm.kink(F, y * z, y)
    middle = F.exact(-(float(z.mid[y > 0].min()) + float(z.mid[y < 0].max())) / 2)
    multiples = [(F.exact(1.0), b)]
    for offset, band in ((b, 1e-3), (middle, 1.0)):
        margins = F.exact((y * (z + offset)).lower).mid
        least = float(margins[margins > 1 - band].min(initial=1.0))
        if SHORTEST < least < 1 and (band < 1 or (margins > 0).all()):
            room = UNIT * (1 + float(np.abs(z.mid).max()) + abs(float(offset.mid)))
            multiples.append((F.exact((1 + room) / least), offset))
    made = []
    for x, offset in _nearly_least(multiples, z.mid, y, float(loss.mid), float((ridge * form).mid)):
        xi = (1 - x * (y * (z + offset))).positive()
        square = x * x * form
        made.append((loss * xi.sum() + ridge * square, square, x, offset, xi))
    value, square, x, offset, xi = min(made, key=lambda one: one[0].upper)
    return Primal(value, square, {"c": x * c, "z": x * z, "b": x * offset, "xi": xi})


def _nearly_least(
    multiples: list[tuple[Tensor, Tensor]], z: Array, y: Array, loss: float, form: float
) -> list[tuple[Tensor, Tensor]]:
    """Those that doubles do not tell from the best."""
    values = []
    for x, b in multiples:
        short = np.maximum(0.0, 1 - float(x.mid) * y * (z + float(b.mid)))
        values.append(loss * float(short.sum()) + float(x.mid) ** 2 * form)
    least = min(values)
    return [m for m, v in zip(multiples, values, strict=True) if not v > least * (1 + TOLD)]

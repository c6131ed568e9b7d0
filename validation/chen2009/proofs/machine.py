r"""chen2009 in balls: (1), and (3) as a machine in the box [0, 1].

With α = t/(2ηn), (3) is 1/n times the machine of Q/(2ηn) with C = 1, and c = yt/(2ηn): no number of
it is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import arb

from cvxkernel.formulations import chen2009
from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import Proof, column, excess, inner, numbers
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.machine import Machine
from cvxkernel.validation.proofs.proof import Examination, Point


class Dual(Machine):
    """(1)"""

    def __init__(self, problem: chen2009.Machine) -> None:
        Q = svm.signed(problem.y, balls.kernel(problem.K))
        super().__init__(Q, problem.y, problem.C)


class Primal:
    """(3): c, b and ξ from above, α from below."""

    def __init__(self, problem: chen2009.RegularizedMachine) -> None:
        self.y, self.n = problem.y, problem.n
        self.ratio = 2 * arb(problem.eta) * self.n  # t = 2ηnα
        Q = svm.signed(self.y, balls.kernel(problem.K))
        self.machine = Machine(Q / self.ratio, self.y, 1.0)

    def box(self, alpha: Any) -> list[arb]:
        """t of α"""
        return [x * self.ratio for x in numbers(alpha)]

    def dual(self, t: list[arb]) -> arb:
        """The dual value at t"""
        return svm.value(self.machine.Q, t) / self.n

    def image(self, v: list[arb]) -> list[arb]:
        """diag(y)Kc"""
        return list((self.machine.Q * column(v)).entries())

    # -- As a judge ---------------------------------------------------------------------------

    def lower(self, point: Point) -> arb:
        """The dual at α; c is as good where it is y times one."""
        if "alpha" not in point:
            return arb.neg_inf()
        low = self.dual(self.machine.feasible(self.box(point["alpha"]))).lower()
        return low if low > 0 else arb(0)

    def upper(self, point: Point) -> arb:
        """The primal at c and its best b, or at the c that belongs to α."""
        ends = [arb.pos_inf()]
        if "alpha" in point:
            ends.append(self.machine.upper({"alpha": self.box(point["alpha"])}) / self.n)
        if "c" in point:
            v = self.coefficients(point["c"])
            high = self.machine.primal(v, svm.offset(column(self.image(v)), self.y))
            ends.append(high / self.n)
        return -balls.largest([-end.upper() for end in ends if not end.is_nan()]).lower()

    def coefficients(self, c: Any) -> list[arb]:
        """v with c = yv/(2ηn)"""
        return [x * int(s) * self.ratio for x, s in zip(numbers(c), self.y, strict=True)]

    def better(self, point: Point) -> Iterator[Point]:
        """What the machine makes of α."""
        given = {"alpha": self.box(point["alpha"])} if "alpha" in point else {}
        for better in self.machine.better(given):
            yield {"alpha": [x / self.ratio for x in numbers(better["alpha"])]}

    def examine(self, point: Point) -> Examination:
        """ξ raised to what the margins ask for, b the best where there is none."""
        found = Examination()
        if "c" in point:
            v = self.coefficients(point["c"])
            image = self.image(v)
            b = numbers(point.get("b", svm.offset(column(image), self.y)))[0]
            margins = [m + b * int(s) for m, s in zip(image, self.y, strict=True)]
            xi = [(1 - m).nonnegative_part() for m in margins]
            if "xi" in point:
                given = numbers(point["xi"])
                size = [abs(x) for x in (*given, *margins, arb(1))]
                short = [1 - m - x for m, x in zip(margins, given, strict=True)]
                found.violations["margin"] = excess(balls.largest(short), balls.largest(size))
                found.violations["slack"] = excess(
                    balls.largest([-x for x in given]), balls.largest(size)
                )
                xi = [x.max(least) for x, least in zip(given, xi, strict=True)]
            w = column(v)
            value = (inner(w, self.machine.Q * w) / 2 + balls.total(xi)) / self.n
            found.objectives["upper"] = Proof.of(value)
            found.repaired.update({"c": point["c"], "b": b, "xi": xi})
        if "alpha" in point:
            t = self.box(point["alpha"])
            found.violations.update(svm.off_box(t, self.y, 1.0))
            t = self.machine.feasible(t)
            found.objectives["lower"] = Proof.of(self.dual(t))
            found.repaired["alpha"] = [x / self.ratio for x in t]
        return found

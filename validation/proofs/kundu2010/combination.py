"""(10) itself."""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.kundu2010 import Combination
from cvxkernel.validation import balls
from cvxkernel.validation.balls import matrix
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.kundu2010.omega import Omega
from cvxkernel.validation.proofs.kundu2010.points import off_simplex, on_simplex, smallest, stack
from cvxkernel.validation.proofs.proof import (
    Examination,
    Point,
    Proof,
    numbers,
)


class Kernels:
    """(10) itself: α from below, xᵢ from above."""

    def __init__(self, problem: Combination) -> None:
        self.problem, self.y, self.C = problem, problem.y, problem.C
        M = [svm.signed(self.y, balls.symmetric(matrix(K))) for K in problem.kernels]
        eps = [(-balls.lambda_min(M_i)).max(arb(0)).upper() for M_i in M]
        self.omega = Omega(M, self.y, self.C, eps)

    def lower(self, point: Point) -> arb:
        """The objective at α and its best γ; that of α = 0 at least."""
        if "alpha" not in point:
            return arb.neg_inf()
        low = self.omega.value(svm.feasible(numbers(point["alpha"]), self.y, self.C))
        return low.lower() if low > 0 else arb(0)

    def upper(self, point: Point) -> arb:
        """The bound at x, or at what belongs to α."""
        every = [self.omega.upper(point[symbol]) for symbol in ("x", "alpha") if symbol in point]
        return smallest(every)

    def better(self, point: Point) -> Iterator[Point]:
        """The point in doubles with all its symbols, and α polished."""
        found = CATALOGUE["kundu2010-eq10"].enclose(self.problem, point).variables
        yield found
        alpha = self.omega.polished(found["alpha"])
        if alpha is not None:
            yield {"alpha": alpha, "x": stack(self.omega.spread(alpha))}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced, with the γ given, or the best where there is none."""
        found = Examination()
        if "alpha" in point:
            found.violations.update(svm.off_box(point["alpha"], self.y, self.C))
            alpha = svm.feasible(numbers(point["alpha"]), self.y, self.C)
            found.repaired["alpha"] = alpha
            value = self.omega.value(alpha)
            if "gamma" in point:
                found.violations.update(off_simplex(point["gamma"]))
                gamma = found.repaired["gamma"] = on_simplex(point["gamma"])
                shares = zip(self.omega.roots(alpha), gamma, strict=True)
                forms = [
                    r * r / g if g > 0 else arb.pos_inf() for r, g in shares if not r.is_zero()
                ]
                value = balls.total(alpha) - balls.total(forms) / 2
            if value.is_finite():
                found.objectives["lower"] = Proof.of(value)
        if "x" in point:
            found.repaired["x"] = point["x"]  # any will do
            found.objectives["upper"] = Proof.of(self.omega.bound(self.omega.given(point["x"])))
        return found

"""(10) itself."""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import Proof, numbers
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.kundu2010 import Combination
from cvxkernel.validation.kundu2010.proofs.omega import Omega
from cvxkernel.validation.kundu2010.proofs.points import off_simplex, on_simplex, smallest, stack
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point


class Kernels:
    """(10) itself: α from below, xᵢ from above."""

    def __init__(self, problem: Combination) -> None:
        self.problem, self.y, self.C = problem, problem.y, problem.C
        M = [svm.signed(self.y, K) for K in balls.kernels(problem.kernels)]
        self.omega = Omega(M, self.y, self.C)

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
        """α clipped and balanced, with the γ given, or the best where there is none.

        An x that is one α is another point from below.
        """
        found = Examination()
        if "alpha" in point:
            found.violations.update(svm.off_box(point["alpha"], self.y, self.C))
            alpha = svm.feasible(numbers(point["alpha"]), self.y, self.C)
            found.repaired["alpha"] = alpha
            gamma = None
            if "gamma" in point:
                found.violations.update(off_simplex(point["gamma"]))
                gamma = found.repaired["gamma"] = on_simplex(point["gamma"])
            found.objectives["lower"] = self.omega.value_at(alpha, gamma)
        if "x" in point:
            found.repaired["x"] = point["x"]
            if self.omega.several(point["x"]):
                high = self.omega.bound(self.omega.given(point["x"]))
                found.objectives["upper"] = Proof.of(high)
            else:
                alpha = svm.feasible(numbers(point["x"]), self.y, self.C)
                found.repaired["x"] = alpha
                found.violations.update(svm.off_box(point["x"], self.y, self.C, "x "))
                found.below(self.omega.value_at(alpha, None))
        return found

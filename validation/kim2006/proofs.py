"""kim2006 judged: answers examined in balls."""

from __future__ import annotations

from collections.abc import Iterator

from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Proof, exact, excess, off_simplex
from cvxkernel.formulations.formulation import given
from cvxkernel.formulations.kim2006 import KernelFisher
from cvxkernel.formulations.kim2006.bounds import Bounds
from cvxkernel.validation.proofs.proof import Examination, Point


class FisherJudge:
    """The bounds in balls."""

    def __init__(self, problem: KernelFisher) -> None:
        self.bounds = Bounds(BALLS, problem)

    def better(self, point: Point) -> Iterator[Point]:
        """None: the ends at a point are at the best u of its weights."""
        return iter(())

    def examine(self, point: Point) -> Examination:
        """θ clipped and scaled, t raised to what the matrix inequality asks for; u as it is."""
        found, bounds, lam = Examination(), self.bounds, self.bounds.lam
        start = bounds.start()
        if "theta" in point:
            found.violations.update(off_simplex(point["theta"], list(bounds.ones.x)))
            theta = found.repaired["theta"] = bounds.weights(point)
            high, over = bounds.value(theta, bounds.best(theta, start))
            low, top = high - over, BALLS.inner(theta, start.forms)  # aᵀGa
            if "t" in point:  # the objective (aᵀGa - t)/λ is at most F₁*
                claimed = (top - exact(point["t"]).reshape()) / lam
                best = BALLS.between(low, high)
                found.violations["lmi"] = excess(((claimed - best) * lam).number, abs(top).number)
                low, high = BALLS.minimum(claimed, low), BALLS.minimum(claimed, high)
                found.repaired["t"] = top - lam * BALLS.between(low, high)
            found.objectives["lower"] = Proof.of(low.number, high.number)
        if "u" in point:
            u = found.repaired["u"] = given(BALLS, point, "u", start.u)
            found.objectives["upper"] = Proof.of(bounds.bound(bounds.seen(u)).number)
        return found


JUDGES = {"kim2006": FisherJudge}

"""kim2006 judged: answers examined in balls."""

from __future__ import annotations

from collections.abc import Iterator

from cvxkernel.formulations.arithmetic import BALLS, Arithmetic, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import Proof, exact, excess, off_simplex
from cvxkernel.formulations.formulation import given
from cvxkernel.formulations.kim2006 import KernelFisher
from cvxkernel.formulations.kim2006.bounds import Bounds, Seen
from cvxkernel.validation.proofs.proof import Examination, Point

F: Arithmetic = BALLS
SMALL = 2.0**-60  # of the value: what a gradient may cost


class FisherJudge:
    """The bounds in balls."""

    def __init__(self, problem: KernelFisher) -> None:
        self.bounds = Bounds(F, problem)

    def better(self, point: Point) -> Iterator[Point]:
        """The weights with their best u."""
        theta = self.bounds.weights(point)
        yield {"theta": theta, "u": self.best(theta).u}

    def best(self, theta: Tensor) -> Seen:
        """Near the minimizer of q; by elimination where doubles do not lead there."""
        at = self.bounds.best(theta, self.bounds.start())
        high, over = self.bounds.value(theta, at)
        if over < SMALL * high:
            return at
        JG = self.bounds.within(F.combination(theta, self.bounds.G))
        M = F.shifted(self.bounds.within(JG.T), self.bounds.lam)
        u = balls.solution(M.matrix.mid(), (JG @ self.bounds.a).matrix.mid())
        return self.bounds.seen(exact(u))

    def examine(self, point: Point) -> Examination:
        """θ clipped and scaled, t raised to what the matrix inequality asks for; u as it is."""
        found, bounds, lam = Examination(), self.bounds, self.bounds.lam
        start = bounds.start()
        if "theta" in point:
            found.violations.update(off_simplex(point["theta"], list(bounds.ones.x)))
            theta = found.repaired["theta"] = bounds.weights(point)
            high, over = bounds.value(theta, self.best(theta))
            low, top = high - over, F.inner(theta, start.forms)  # aᵀGa
            if "t" in point:  # the objective (aᵀGa - t)/λ is at most F₁*
                claimed = (top - exact(point["t"]).reshape()) / lam
                best = F.between(low, high)
                found.violations["lmi"] = excess(((claimed - best) * lam).number, abs(top).number)
                low, high = F.minimum(claimed, low), F.minimum(claimed, high)
                found.repaired["t"] = top - lam * F.between(low, high)
            found.objectives["lower"] = Proof.of(low.number, high.number)
        if "u" in point:
            u = found.repaired["u"] = given(F, point, "u", start.u)
            found.objectives["upper"] = Proof.of(bounds.bound(bounds.seen(u)).number)
        return found


JUDGES = {"kim2006": FisherJudge}

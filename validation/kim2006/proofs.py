"""kim2006 judged: polished by Newton's method on the active set, and answers examined."""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb, arb_mat

from cvxkernel.formulations import weights
from cvxkernel.formulations.arithmetic import BALLS, Arithmetic, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import Proof, exact, excess, off_simplex
from cvxkernel.formulations.formulation import given
from cvxkernel.formulations.kim2006 import KernelFisher
from cvxkernel.formulations.kim2006.bounds import Bounds, Seen
from cvxkernel.validation.proofs import simplex
from cvxkernel.validation.proofs.proof import Examination, Point
from cvxkernel.validation.proofs.simplex import Hessian

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
        yield {"theta": self.polished(theta)}

    def polished(self, theta: Tensor) -> Tensor:
        """Weights nearer to the optimum, by Newton's method on the active set.

        -λF₁* has the gradient -vᵀGᵢv and the Hessian 2⟨JGᵢv, M⁻¹JGⱼv⟩, M = λI + JGJ.
        """

        def derivatives(w: list[arb]) -> tuple[list[arb], Hessian]:
            bounds, M = self.bounds, self.system(exact(w))
            at = bounds.seen(exact(balls.solution(M, self.right(exact(w)))))
            images = [bounds.within(image).point() for image in at.images]

            def hessian(active: list[int]) -> list[list[arb]]:
                inverse = [exact(balls.solution(M, images[i].matrix)) for i in active]
                return [[2 * F.inner(images[i], Z).number.mid() for Z in inverse] for i in active]

            return [(-form).number.mid() for form in at.forms], hessian

        made = simplex.polished(derivatives, list(theta.x))
        return weights.simplex(F, exact(made), self.bounds.ones)

    def system(self, theta: Tensor) -> arb_mat:
        """M = λI + JGJ at these weights"""
        JG = self.bounds.within(F.combination(theta, self.bounds.G))
        M: arb_mat = F.shifted(self.bounds.within(JG.T), self.bounds.lam).matrix.mid()
        return M

    def right(self, theta: Tensor) -> arb_mat:
        """JGa"""
        Ga = F.combination(theta, self.bounds.G) @ self.bounds.a
        JGa: arb_mat = self.bounds.within(Ga).matrix.mid()
        return JGa

    def best(self, theta: Tensor) -> Seen:
        """Near the minimizer of q; by elimination where doubles do not lead there."""
        at = self.bounds.best(theta, self.bounds.start())
        high, over = self.bounds.value(theta, at)
        if over < SMALL * high:
            return at
        u = balls.solution(self.system(theta), self.right(theta))
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


class EpigraphJudge(FisherJudge):
    """The same bounds, u and t the program's own variables."""

    def examine(self, point: Point) -> Examination:
        """u as it is, t raised to the largest form there; θ clipped and scaled."""
        found = super().examine({symbol: x for symbol, x in point.items() if symbol != "t"})
        if "u" in point:
            at = self.bounds.seen(found.repaired["u"])
            t = found.raised(point, "t", "quad", at.forms.max())
            found.objectives["upper"] = Proof.of((at.square + t / self.bounds.lam).number)
        return found


JUDGES = {"kim2006": FisherJudge, "kim2006-epigraph": EpigraphJudge}

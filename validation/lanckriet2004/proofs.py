"""lanckriet2004 judged: polished by Newton's method on the active set, and answers examined."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Proof, exact, off_simplex
from cvxkernel.formulations.lanckriet2004.bounds import Bounds
from cvxkernel.formulations.lanckriet2004.data import Margin
from cvxkernel.formulations.weights import simplex
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point
from cvxkernel.validation.proofs.saddle import Saddle


class MarginJudge:
    """The bounds in balls."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds, self.y, self.top = bounds, bounds.y, bounds.top
        self.r = list(bounds.r.x)

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of it: a saddle in α and the weights μᵢrᵢ, which sum to c."""
        alpha = np.asarray(point.get("alpha", np.ones(len(self.y))), dtype=float)
        mu = np.asarray(point.get("mu", [1 / float(r) for r in self.r]), dtype=float)
        if alpha.max(initial=0.0) > 0 and mu.min() >= 0 and mu.sum() > 0:
            r, c, p = self.bounds.r, self.bounds.c, len(self.r)
            G = [BALLS.signed(self.y, K).matrix for K in self.bounds.K]
            terms, ridge = [{0: Q / s} for Q, s in zip(G, self.r, strict=True)], self.bounds.ridge
            E = np.ones((1, p))
            saddle = Saddle(self.y[None], self.top, terms, np.zeros(p), E, c[None], ridge.number)
            at = saddle.polished(alpha[None], mu * r.mid)
            if not at.free.any():  # every α at a border: the weight goes to the largest form
                at.w = c * (np.arange(p) == saddle.seen(at)[1].mid.argmax())
            if at.unknowns.is_finite():
                yield {"alpha": at.alpha[0], "mu": at.w / r}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced, t raised; μ clipped and scaled, the machine solved there."""
        found = Examination()
        if "alpha" in point:
            alpha = svm.examined(found, point, self.y, self.top)
            b, shares, square = self.bounds.terms(alpha)
            top = found.raised(point, "t", "quad", shares.max())
            value = 2 * b - square - self.bounds.c * top
            found.objectives["lower"] = Proof.of(value.number)
        if "mu" in point:
            wrong = off_simplex(point["mu"], self.r, self.bounds.c.number)
            found.violations.update({f"mu {label}": x for label, x in wrong.items()})
            mu = simplex(BALLS, exact(point["mu"]), self.bounds.r, self.bounds.c)
            found.repaired["mu"] = mu
            half = svm.optimum(self.bounds.combined(mu), self.y, self.top)
            found.objectives["upper"] = Proof.of(2 * half.lower, 2 * half.upper)
        return found


def _judge(problem: Margin, *, squared: bool) -> MarginJudge:
    return MarginJudge(Bounds(BALLS, problem, squared=squared))


JUDGES = {
    "lanckriet2004-sm1": partial(_judge, squared=False),
    "lanckriet2004-sm2": partial(_judge, squared=True),
    "lanckriet2004-sm2c": partial(_judge, squared=True),
}

"""lanckriet2004 judged: polished by Newton's method on the active set, and answers examined."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Proof, exact, excess, off_simplex
from cvxkernel.formulations.lanckriet2004.bounds import Bounds
from cvxkernel.formulations.lanckriet2004.data import Margin
from cvxkernel.formulations.svm import feasible
from cvxkernel.formulations.weights import simplex
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point


class SoftMarginJudge:
    """The bounds in balls."""

    def __init__(self, problem: Margin, *, squared: bool) -> None:
        self.bounds = Bounds(BALLS, problem, squared=squared)
        self.y, self.top, self.r = problem.y, self.bounds.top, list(self.bounds.r.x)

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of it."""
        alpha = np.asarray(point.get("alpha", np.ones(len(self.y))), dtype=float)
        mu = np.asarray(point.get("mu", [1 / float(r) for r in self.r]), dtype=float)
        if alpha.max(initial=0.0) > 0 and mu.min() >= 0 and mu.sum() > 0:
            G = [BALLS.signed(self.y, K).matrix for K in self.bounds.K]
            ridge = self.bounds.ridge.number
            polished = svm.polished(G, self.r, self.y, self.top, alpha, mu, ridge=ridge)
            if polished is not None:
                yield {"alpha": exact(polished[0]), "mu": exact(polished[1])}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced, t raised; μ clipped and scaled, the machine solved there."""
        found = Examination()
        if "alpha" in point:
            found.violations.update(svm.off_box(point["alpha"], self.y, self.top))
            alpha = feasible(BALLS, exact(point["alpha"]), self.y, self.top)
            found.repaired["alpha"] = alpha
            b, shares, square = self.bounds.terms(alpha)
            top = shares.max()
            if "t" in point:
                t = exact(point["t"])
                found.violations["quad"] = excess((top - t).number, top.number)
                found.repaired["t"] = top = BALLS.maximum(top, t)
            value = 2 * b - square - self.bounds.c * top
            found.objectives["lower"] = Proof.of(value.number)
        if "mu" in point:
            wrong = off_simplex(point["mu"], self.r, self.bounds.c.number)
            found.violations.update({f"mu {label}": x for label, x in wrong.items()})
            mu = simplex(BALLS, exact(point["mu"]), self.bounds.r, self.bounds.c)
            found.repaired["mu"] = mu
            half = svm.optimum(self.bounds.combined(mu).matrix, self.y, self.top)
            found.objectives["upper"] = Proof.of(2 * half.lower, 2 * half.upper)
        return found


JUDGES = {
    "lanckriet2004-sm1": partial(SoftMarginJudge, squared=False),
    "lanckriet2004-sm2": partial(SoftMarginJudge, squared=True),
    "lanckriet2004-sm2c": partial(SoftMarginJudge, squared=True),
}

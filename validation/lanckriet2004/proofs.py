r"""lanckriet2004 in balls, polished by Newton's method on the active set.

The soft margins are twice a support vector machine with Q = Σᵢ μᵢG(Kᵢ) (sm2: + I/C; sm2c: + μ₀I).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.formulations.lanckriet2004.data import Margin
from cvxkernel.validation import balls
from cvxkernel.validation.balls import Proof, column, excess, inner, numbers, off_simplex, simplex
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point


class Balls:
    """The G(Kᵢ), rᵢ, c and the box, from the doubles of a problem."""

    def __init__(self, problem: Margin, *, squared: bool) -> None:
        self.y, self.n = problem.y, problem.n
        self.G = [svm.signed(self.y, K) for K in balls.kernels(problem.kernels)]
        self.ridge = arb(0)
        self.top = np.inf
        if not isinstance(problem, SoftMargin):
            self.G.insert(0, balls.identity(self.n))
        elif squared:
            self.ridge = 1 / arb(problem.C)
        else:
            self.top = problem.C
        self.r = [G.trace() for G in self.G]
        self.c = balls.total(self.r)

    def forms(self, alpha: list[arb]) -> list[arb]:
        """αᵀG(Kᵢ)α/rᵢ"""
        a = column(alpha)
        return [inner(a, G * a) / r for G, r in zip(self.G, self.r, strict=True)]

    def objective(self, alpha: list[arb]) -> arb:
        """The objective at a feasible α, or at its multiple of the largest objective."""
        b = balls.total(alpha)
        a = column(alpha)
        q = self.c * balls.largest(self.forms(alpha)) + self.ridge * inner(a, a)
        best = 2 * b - q
        if np.isfinite(self.top) or not (b > 0 and q > 0):
            return best.lower().max(arb(0))
        return (b * b / q).lower()

    def combined(self, mu: list[arb]) -> arb_mat:
        """Q"""
        return balls.combination(mu, self.G) + balls.identity(self.n) * self.ridge

    # -- As a judge ---------------------------------------------------------------------------

    def lower(self, point: Point) -> arb:
        """The objective at α."""
        if "alpha" not in point:
            return arb.neg_inf()
        return self.objective(svm.feasible(point["alpha"], self.y, self.top))

    def upper(self, point: Point) -> arb:
        """Twice the support vector machine's bound at the weights μ; α helps to find it."""
        if "mu" not in point:
            return arb.pos_inf()
        Q = self.combined(simplex(point["mu"], self.r, self.c))
        alpha = svm.feasible(point.get("alpha", np.ones(self.n)), self.y, self.top)
        return (2 * svm.upper(Q, self.y, self.top, alpha)).upper()

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of it."""
        alpha = np.asarray(point.get("alpha", np.ones(self.n)), dtype=float)
        mu = np.asarray(point.get("mu", [1 / float(r) for r in self.r]), dtype=float)
        yield {"alpha": alpha, "mu": mu}
        if alpha.max(initial=0.0) > 0 and mu.min() >= 0 and mu.sum() > 0:
            polished = svm.polished(self.G, self.r, self.y, self.top, alpha, mu, ridge=self.ridge)
            if polished is not None:
                yield {"alpha": polished[0], "mu": polished[1]}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced, t raised; μ clipped and scaled, the machine solved there."""
        found = Examination()
        if "alpha" in point:
            found.violations.update(svm.off_box(point["alpha"], self.y, self.top))
            alpha = found.repaired["alpha"] = svm.feasible(point["alpha"], self.y, self.top)
            a, top = column(alpha), balls.largest(self.forms(alpha))
            if "t" in point:
                t = numbers(point["t"])[0]
                found.violations["quad"] = excess(top - t, top)
                found.repaired["t"] = top = top.max(t)
            value = 2 * balls.total(alpha) - self.ridge * inner(a, a) - self.c * top
            found.objectives["lower"] = Proof.of(value)
        if "mu" in point:
            wrong = off_simplex(point["mu"], self.r, self.c)
            found.violations.update({f"mu {label}": x for label, x in wrong.items()})
            found.repaired["mu"] = mu = simplex(point["mu"], self.r, self.c)
            half = svm.optimum(self.combined(mu), self.y, self.top)
            found.objectives["upper"] = Proof.of(2 * half.lower, 2 * half.upper)
        return found


JUDGES = {
    "lanckriet2004-sm1": partial(Balls, squared=False),
    "lanckriet2004-sm2": partial(Balls, squared=True),
    "lanckriet2004-sm2c": partial(Balls, squared=True),
}

"""(5) judged: α from below, β with the machine solved there from above."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Proof, exact, off_simplex
from cvxkernel.formulations.kundu2010 import Budgeted
from cvxkernel.formulations.kundu2010.bounds import Budget
from cvxkernel.formulations.svm import feasible
from cvxkernel.formulations.weights import simplex
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point

LABELS = {"nonneg": "beta", "budget": "trace"}  # as the constraints of the program are called


class BudgetJudge:
    """The bounds in balls."""

    def __init__(self, problem: Budgeted) -> None:
        self.problem, self.bounds = problem, Budget(BALLS, problem)
        self.r = list(self.bounds.r.x)

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of it: lanckriet2004-sm1 where the traces add up to τ."""
        problem, at = self.problem, self.bounds
        alpha = np.asarray(point.get("alpha", np.ones(problem.n)), dtype=float)
        beta = np.asarray(point.get("beta", 1 / problem.r), dtype=float)
        if alpha.max(initial=0.0) > 0 and beta.min() >= 0 and beta.sum() > 0:
            ratio = (at.c / at.r.sum()).number
            G = [BALLS.signed(at.y, K).matrix * ratio for K in at.K]
            r = [trace * ratio for trace in self.r]
            made = svm.polished(G, r, at.y, problem.C, alpha, beta / float(ratio))
            if made is not None:
                yield {"alpha": exact(made[0]), "beta": exact([ratio * mu for mu in made[1]])}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced; β clipped and scaled, the machine solved there."""
        found, at = Examination(), self.bounds
        if "alpha" in point:
            found.violations.update(svm.off_box(point["alpha"], at.y, at.top))
            alpha = found.repaired["alpha"] = feasible(BALLS, exact(point["alpha"]), at.y, at.top)
            total, shares, _ = at.terms(alpha)
            found.objectives["lower"] = Proof.of((total - at.c * shares.max() / 2).number)
        if "beta" in point:
            wrong = off_simplex(point["beta"], self.r, at.c.number)
            found.violations.update({LABELS.get(key, key): x for key, x in wrong.items()})
            beta = found.repaired["beta"] = simplex(BALLS, exact(point["beta"]), at.r, at.c)
            half = svm.optimum(at.combined(beta).matrix, at.y, at.top)
            found.objectives["upper"] = Proof.of(half.lower, half.upper)
        return found

"""(8) judged, in the eigenbasis of K: the part of k off the range of K is what it violates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Proof, exact, numbers
from cvxkernel.formulations.chen2009 import bounds
from cvxkernel.validation.chen2009.proofs.kernel import short_of
from cvxkernel.validation.proofs.proof import Examination, Point

CUTS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5)  # of the largest eigenvalue: where k is cut off


class ColumnJudge:
    """The bounds in balls."""

    def __init__(self, problem: Any, *, kind: type[bounds.Column]) -> None:
        self.problem, self.bounds = problem, kind(BALLS, problem)

    def better(self, point: Point) -> Iterator[Point]:
        """The best μ to the working precision, by Newton's steps: kᵀK†k = ψ + μ/2 at k(μ)."""
        at, mu = self.bounds, exact(bounds.multiplier(self.problem))
        if not mu > 0:
            return
        kept = at.low.mid > 0
        d, square = 2 * at.low[kept], 2 * at.low[kept] * at.sigma[kept].square()
        for _ in range(BALLS.bits.bit_length() - 4):
            below = d + mu
            excess = 2 * (square / below.square()).sum() - at.psi - mu / 2
            slope = -4 * (square / (below.square() * below)).sum() - 0.5
            mu = (mu - excess / slope).point()
        if mu > 0:
            yield {"r": at.psi + mu / 2}

    def examine(self, point: Point) -> Examination:
        """k brought into the range of K and r raised, or the least where there is none."""
        found, at = Examination(), self.bounds
        if "k" not in point:
            return found
        k, r = exact(point["k"]), exact(numbers(point["r"])[0]) if "r" in point else None
        kappa, largest = at.V.T @ k, float(at.low.mid.max(initial=0.0))
        made = []
        for cut in CUTS:
            kept = at.low.mid > cut * largest
            cropped = BALLS.where(kept, kappa, 0.0)
            made.append((*at.value(cropped, r), cropped))
        value, above, kappa = min(made, key=lambda one: float(one[0].number.upper()))
        found.repaired["k"] = at.V @ kappa
        last = above.point() if r is None else r
        K = BALLS.kernels(self.problem.K)[0]
        whole = np.block([[K.x, k.x[:, None]], [k.x[None], np.asarray([[last.number]])]])
        found.violations["lmi"] = short_of(exact(whole))
        if r is not None:
            found.repaired["r"] = above
        found.objectives["upper"] = Proof.of(at.whole(value).number)
        return found

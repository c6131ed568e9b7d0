r"""(2), (7) and its dual judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.arithmetic import BALLS, balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    Tensor,
    asymmetry,
    exact,
    excess,
    numbers,
)
from cvxkernel.formulations.chen2009 import bounds, spectrum
from cvxkernel.validation.chen2009.proofs import newton
from cvxkernel.validation.chen2009.proofs.machine import margins
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.machine import Machine
from cvxkernel.validation.proofs.proof import Examination, Point


def short_of(A: Tensor) -> Any:
    """How far A is from A ⪰ 0, relative to its norm."""
    whole = balls.symmetric(A.matrix)
    return excess(-balls.least_eigenvalue(whole), balls.norm(whole))


class KernelJudge:
    """The bounds of (2) or of (7) in balls."""

    def __init__(self, problem: Any) -> None:
        self.problem, self.y, self.bounds = problem, problem.y, bounds.free(BALLS, problem)

    def machine(self, K: Tensor) -> Any:
        """Q of the machine at K in which C = 1: its optimum is 1/loss of that at K."""
        return BALLS.signed(self.y, K * self.bounds.top)

    def better(self, point: Point) -> Iterator[Point]:
        """α, K and W by Newton's method, or α of the machine at S where K = S.

        Without an α it begins at that of the machine at K or at S₊.
        """
        at = self.bounds
        K = exact(point["K"]) if "K" in point else exact(spectrum.clip(self.problem.S))
        if "alpha" in point:
            alpha = at.box(point["alpha"])
        else:
            K = at.raised(K)
            t = Machine(self.machine(K), self.y, 1.0).start()
            alpha = at.box(exact(t) * at.top)
            yield {"alpha": alpha.point(), "K": K}
        if len(self.y) > newton.MOST:
            return
        made = newton.free_point(at, alpha.mid, float(BALLS.norm(K - at.S).mid))
        if made is not None:
            yield made
        elif semidefinite.exactly(self.problem.S):
            *_, shares = Machine(self.machine(at.S), self.y, 1.0).better({})
            yield {"alpha": shares["alpha"] * at.top}

    def examine(self, point: Point) -> Examination:
        """K and W raised, z = Kc, and ξ, u, v raised to what they have to be."""
        found = Examination()
        if "K" in point:
            self.examine_kernel(point, found)
        if "alpha" in point:
            self.examine_dual(point, found)
        return found

    def examine_kernel(self, point: Point, found: Examination) -> None:
        """The upper side: at c or z, or at the best there is for K."""
        at, given = self.bounds, exact(point["K"])
        K = found.repaired["K"] = at.raised(given)
        found.violations["lmi"] = short_of(given)
        found.violations["symmetry"] = asymmetry(given.matrix)
        distance = BALLS.norm(K - at.S)
        if "v" in point:
            v, own = exact(numbers(point["v"])[0]), BALLS.norm(given - at.S)
            found.violations["ball"] = excess((own - v).number, own.number)
            distance = found.repaired["v"] = BALLS.maximum(distance, v)
        cost = at.cost(distance)
        if not {"c", "z"} & set(point):
            half = svm.optimum(self.machine(K), self.y, 1.0)
            ends = [(at.loss * exact(x) + cost).number for x in (half.lower, half.upper)]
            found.objectives["upper"] = Proof.of(*ends)
            return
        own_z = exact(point["z"]) if "z" in point else None
        if "c" in point:
            c = found.repaired["c"] = exact(point["c"])
        else:
            c = exact(bounds.coefficients(K.mid, np.asarray(own_z.mid)))  # type: ignore[union-attr]
        z = K @ c
        form = BALLS.inner(c, z)
        if own_z is not None:
            found.repaired["z"] = z
            off = BALLS.norm(own_z - z).number
            found.violations["z = Kc"] = excess(off, BALLS.norm(z).number)
        form = found.raised(point, "u", "lmi", form)
        xi = margins(point, z, self.y, found, own=own_z)
        value = at.loss * xi.sum() + at.ridge * form + cost
        found.objectives["upper"] = Proof.of(value.number)

    def examine_dual(self, point: Point, found: Examination) -> None:
        """The lower side: at W, or at the best there is for α."""
        at = self.bounds
        shares = exact(point["alpha"]) / at.top
        found.violations.update(svm.off_box(shares, self.y, 1.0))
        alpha = at.box(point["alpha"])
        if "W" in point:
            W, v = exact(point["W"]), self.y * alpha
            found.violations["W lmi"] = short_of(W - at.ridge * (v[:, None] * v))
            found.violations["W symmetry"] = asymmetry(W.matrix)
            if isinstance(at, bounds.Kernel):
                over = BALLS.norm(W) - at.gamma
                found.violations["W ball"] = excess(over.number, at.gamma.number)
            value, alpha, found.repaired["W"] = at.dual(alpha, W)
            found.objectives["lower"] = Proof.of(value.number)
        else:  # the minimum over K ⪰ 0 is at most its objective at the K that belongs to α
            tau = None
            if "K" in point:
                tau = float(BALLS.norm(exact(point["K"]) - at.S).mid) or None
            dual = at.best(alpha, tau)
            K, v, alpha = at.raised(dual.K), self.y * dual.alpha, dual.alpha
            machine = 2 * at.ridge * alpha.sum() - at.ridge * BALLS.inner(v, K @ v)
            most = machine + at.cost(BALLS.norm(K - at.S))
            found.objectives["lower"] = Proof.of(dual.value.number, most.number)
        found.repaired["alpha"] = alpha

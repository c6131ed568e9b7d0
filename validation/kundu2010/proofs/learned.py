"""(4), (6) and (7): polished, and answers examined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb

from cvxkernel.formulations.arithmetic import BALLS, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import Proof, asymmetry, exact, excess
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.formulations.kundu2010.bounds import Bounds, shares
from cvxkernel.formulations.svm import feasible
from cvxkernel.validation.kundu2010.proofs.omega import examined, machine, value_at
from cvxkernel.validation.kundu2010.proofs.polish import polish
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point

ROUGH = 1e-2  # a wider enclosure tells nothing of the active sets


class LearnedJudge:
    """The bounds in balls; α is in A, γ in Δ."""

    def __init__(self, problem: Similarities | Spectra, *, id: str, kind: type[Bounds]) -> None:
        self.bounds, self.form, self.problem = kind(BALLS, problem), CATALOGUE[id], problem
        self.y, self.C, self.m = problem.y, problem.C, problem.m
        self.symbol, self.dual = kind.symbol, kind.dual

    def better(self, point: Point) -> Iterator[Point]:
        """The point in doubles with all its symbols; polished, or the machine there alone."""
        enclosure = self.form.enclose(self.problem, point)
        found = enclosure.variables
        yield found
        known = isinstance(self.problem.loss, str)  # L1, L2 or L3: the equations of no other
        polished = polish(self.bounds, dict(found)) if known and enclosure.width <= ROUGH else None
        if polished is not None:
            yield polished
            return
        omega = self.bounds.omega(self.learned(found))
        for alpha in machine(omega):
            yield {**found, "x": BALLS.stack(omega.points(alpha)) if self.bounds.weighed else alpha}

    def stacked(self, given: Any) -> Tensor:
        """What is learned, as a stack."""
        return exact(given).reshape(*self.bounds.shape)

    def learned(self, point: Point) -> list[Tensor]:
        """What is learned, made feasible."""
        return [one.feasible for one in self.bounds.repaired(self.stacked(point[self.symbol]))]

    def examine(self, point: Point) -> Examination:
        """What is learned made feasible and Ω there, from above at x; α, γ and Wᵢ in the dual.

        Without γ the one of α at what is learned is taken, and another may be better.
        α without Wᵢ is measured by what it lacks of Ω at what is learned, and so is an x that is
        one α.
        """
        found = Examination()
        if self.symbol in point:
            self.examine_learned(point, found)
        alone = self.bounds.weighed and self.m > 1 and "gamma" not in point
        if "alpha" in point and self.dual in point and (not alone or self.symbol in point):
            W = self.bounds.inside(point[self.dual])
            size = self.problem.S.shape[: len(self.bounds.shape)]
            found.violations.update(self.off_dual(exact(point[self.dual]).reshape(*size)))
            found.repaired[self.dual] = BALLS.stack(W).mid.reshape(np.shape(point[self.dual]))
            alpha, gamma = examined(found, point, self.y, self.C)
            if gamma is None:
                gamma = shares(BALLS, np.ones(self.m))
                if alone:  # ∝ √qᵢ: the best, were what is learned
                    gamma = shares(BALLS, self.bounds.omega(self.learned(point)).gamma(alpha))
            low = self.bounds.bound(alpha, gamma, W).number
            found.objectives["lower"] = Proof.of(low)
            if alone or not low.is_finite():  # another γ may be better
                least = low.lower() if low.is_finite() else arb.neg_inf()
                found.objectives["lower"] = Proof(least, arb.pos_inf())
        if "U" in point:  # the problem's by now
            found.repaired["U"] = point["U"]
        return found

    def examine_learned(self, point: Point, found: Examination) -> None:
        """The upper side: the loss, and Ω at the best point there is or at the one given."""
        learned = self.learned(point)
        found.violations.update(self.off(self.stacked(point[self.symbol])))
        found.repaired[self.symbol] = BALLS.stack(learned).mid.reshape(np.shape(point[self.symbol]))
        omega, cost = self.bounds.omega(learned), self.bounds.cost(learned).number
        points = [feasible(BALLS, a, self.y, self.C) for a in machine(omega)]
        low = balls.largest([omega.value(a).number.lower() for a in points])
        high = -balls.largest(
            [-self.bounds.margin(omega, a.point()).number.upper() for a in points]
        )
        found.objectives["upper"] = Proof.of(cost + low, cost + high)
        best, size = low.union(high), abs(cost + low)
        x = exact(point["x"]) if "x" in point else None
        if x is not None and x.ndim == 2:
            found.repaired["x"] = point["x"]
            found.objectives["upper"] = Proof.of(cost + omega.upper(x).number)
        elif x is not None:
            own = svm.examined(found, point, self.y, self.C, "x")
            found.violations["x optimal"] = excess(best - omega.value(own).number, size)
        if "alpha" in point and self.dual not in point:
            value = value_at(omega, *examined(found, point, self.y, self.C))
            short = best - value.lower.union(value.upper)
            found.violations["alpha optimal"] = excess(short, size)

    def off(self, given: Tensor) -> dict[str, arb]:
        """How far kernels are from K = Kᵀ, K ⪰ 0, trace K = τ; spectra from μ ≥ 0, Σμ = τ."""
        tau = self.bounds.tau.number
        found: dict[str, arb] = {}
        for x in (given[i] for i in range(len(given))):
            if x.ndim == 2:
                A = balls.symmetric(x.matrix)
                least, size, total = balls.least_eigenvalue(A), balls.norm(A), A.trace()
                now = {"symmetry": asymmetry(x.matrix), "psd": excess(-least, size)}
            else:
                least, size, total = (f.number for f in (x.min(), abs(x).max(), x.sum()))
                now = {"spectrum": excess(-least, size)}
            now["trace"] = abs(total - tau) / tau
            found = {label: off.max(found.get(label, off)) for label, off in now.items()}
        return found

    def off_dual(self, W: Tensor) -> dict[str, arb]:
        """How far Wᵢ are from the domain of the conjugate, relative to the larger size."""
        rho = arb(self.problem.rho)
        losses = enumerate(self.bounds.losses)
        every = [loss.gauge(BALLS, W[i], self.problem.rho) for i, loss in losses]
        sizes = [size.number for size in every if size is not None]
        most = balls.largest(sizes or [arb(0)])
        return {self.dual: excess(most - rho, most.max(rho))} if sizes else {}

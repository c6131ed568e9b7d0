"""What (4), (6) and (7) share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import Proof, column, excess, numbers
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.validation.kundu2010.proofs.omega import Omega
from cvxkernel.validation.kundu2010.proofs.points import (
    doubles,
    off_simplex,
    on_simplex,
    smallest,
    stack,
)
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point


class Learned(ABC):
    """What (4), (6) and (7) share; α is in A, γ in Δ."""

    id: str
    symbol: str  # of what is learned
    dual: str  # of the subgradients of the loss
    weighed = True  # by γ

    def __init__(self, problem: Similarities | Spectra) -> None:
        self.problem, self.y, self.n, self.C = problem, problem.y, problem.n, problem.C
        self.m = problem.m
        self.rho, self.tau = arb(problem.rho), arb(problem.tau)

    @abstractmethod
    def feasible(self, given: Any) -> list[arb_mat]:
        """The matrices, or spectra, of which the objective is taken."""

    @abstractmethod
    def kernels(self, learned: list[arb_mat]) -> list[arb_mat]:
        """K, or K₁, …, K_m"""

    @abstractmethod
    def cost(self, learned: list[arb_mat]) -> arb:
        """ρΣᵢL(Kᵢ - Sᵢ) or ρΣᵢ‖μᵢ - λᵢ‖"""

    @abstractmethod
    def least(self, a: arb_mat, gamma: list[arb], W: list[arb_mat]) -> arb:
        """What remains of the Lagrangian beside 1ᵀα, at its least: minus infinity at worst."""

    @abstractmethod
    def inside(self, W: Any) -> list[arb_mat]:
        """Wᵢ in the domain of the conjugate."""

    def omega(self, learned: list[arb_mat]) -> Omega:
        """Ω of the kernels, ω where there is one."""
        M = [svm.signed(self.y, K) for K in self.kernels(learned)]
        return Omega(M, self.y, self.C)

    def alpha(self, point: Point) -> list[arb]:
        """α ∈ A"""
        return svm.feasible(numbers(point["alpha"]), self.y, self.C)

    def gamma(self, point: Point) -> list[arb]:
        """γ ∈ Δ; equal shares where there is none."""
        return on_simplex(point.get("gamma", np.full(self.m, 1.0)))

    def bound(self, alpha: list[arb], gamma: list[arb], W: list[arb_mat]) -> arb:
        """The objective of the dual."""
        a = column(x * int(s) for x, s in zip(alpha, self.y, strict=True))
        return balls.total(alpha) + self.least(a, gamma, W)

    # -- As a judge ---------------------------------------------------------------------------

    def lower(self, point: Point) -> arb:
        """The dual at α, γ and the Wᵢ."""
        if "alpha" not in point or self.dual not in point:
            return arb.neg_inf()
        low = self.bound(self.alpha(point), self.gamma(point), self.inside(point[self.dual]))
        return low.lower() if low.is_finite() else arb.neg_inf()

    def upper(self, point: Point) -> arb:
        """The objective at what is learned, Ω from above at x or at α."""
        if self.symbol not in point:
            return arb.pos_inf()
        learned = self.feasible(point[self.symbol])
        omega = self.omega(learned)
        given = [point[symbol] for symbol in ("x", "alpha") if symbol in point]
        end = smallest([omega.upper(x) for x in (*given, np.zeros(self.n))]) + self.cost(learned)
        return end.upper() if end.is_finite() else arb.pos_inf()

    def better(self, point: Point) -> Iterator[Point]:
        """The point in doubles with all its symbols; and the machine there, polished."""
        found = CATALOGUE[self.id].enclose(self.problem, point).variables
        yield found
        omega = self.omega(self.feasible(found[self.symbol]))
        for x in omega.machine():
            yield {self.symbol: found[self.symbol], "x": stack(omega.spread(x))}

    def examine(self, point: Point) -> Examination:
        """What is learned made feasible and Ω there, from above at x; α, γ and Wᵢ in the dual.

        Without γ the one of α at what is learned is taken, and another may be better.
        α without Wᵢ is measured by what it lacks of Ω at what is learned, and so is an x that is
        one α.
        """
        found = Examination()
        if self.symbol in point:
            self.examine_learned(point, found)
        alone = self.weighed and self.m > 1 and "gamma" not in point
        if "alpha" in point and self.dual in point and (not alone or self.symbol in point):
            W = self.inside(point[self.dual])
            found.violations.update(self.off_dual(point[self.dual]))
            found.repaired[self.dual] = doubles(W, point[self.dual])
            alpha, gamma = self.examine_machine(point, found)
            if gamma is None and alone:  # ∝ √qᵢ: the best, were what is learned
                roots = self.omega(self.feasible(point[self.symbol])).roots(alpha)
                gamma = on_simplex([x.mid() for x in roots])
            low = self.bound(alpha, gamma or self.gamma(point), W)
            found.objectives["lower"] = Proof.of(low)
            if alone or not low.is_finite():  # another γ may be better
                least = low.lower() if low.is_finite() else arb.neg_inf()
                found.objectives["lower"] = Proof(least, arb.pos_inf())
        return found

    def examine_learned(self, point: Point, found: Examination) -> None:
        """The upper side: the loss, and Ω at the best point there is or at the one given."""
        learned = self.feasible(point[self.symbol])
        found.violations.update(self.off(point[self.symbol]))
        found.repaired[self.symbol] = doubles(learned, point[self.symbol])
        omega, cost = self.omega(learned), self.cost(learned)
        points = [svm.feasible(a, self.y, self.C) for a in omega.machine()]
        low = balls.largest([omega.value(a).lower() for a in points])
        high = smallest([omega.upper(stack(omega.spread(a))) for a in points])
        found.objectives["upper"] = Proof.of(cost + low, cost + high)
        best, size = low.union(high), abs(cost + low)
        if "x" in point and omega.several(point["x"]):
            found.repaired["x"] = point["x"]
            found.objectives["upper"] = Proof.of(cost + omega.bound(omega.given(point["x"])))
        elif "x" in point:
            x = found.repaired["x"] = svm.feasible(numbers(point["x"]), self.y, self.C)
            found.violations.update(svm.off_box(point["x"], self.y, self.C, "x "))
            found.violations["x optimal"] = excess(best - omega.value(x), size)
        if "alpha" in point and self.dual not in point:
            value = omega.value_at(*self.examine_machine(point, found))
            short = best - value.lower.union(value.upper)
            found.violations["alpha optimal"] = excess(short, size)

    def examine_machine(
        self, point: Point, found: Examination
    ) -> tuple[list[arb], list[arb] | None]:
        """α and γ made feasible."""
        found.violations.update(svm.off_box(point["alpha"], self.y, self.C))
        alpha = found.repaired["alpha"] = self.alpha(point)
        if "gamma" not in point:
            return alpha, None
        found.violations.update(off_simplex(point["gamma"]))
        gamma = found.repaired["gamma"] = self.gamma(point)
        return alpha, gamma

    @abstractmethod
    def off(self, given: Any) -> dict[str, arb]:
        """How far what is learned is from its constraints."""

    @abstractmethod
    def off_dual(self, W: Any) -> dict[str, arb]:
        """How far Wᵢ are from the domain of the conjugate."""

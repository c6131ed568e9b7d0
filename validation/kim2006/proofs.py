r"""kim2006 in balls. With q(u) = (a - Ju)ᵀG(a - Ju) + λuᵀu one has λF₁*(G) = min_u q(u), and

min q ≥ q(u) - ‖∇q(u)/2‖²/μ,   λ ≤ μ ≤ λ_min(λI + JGJ)  any u: a lower end at any weights
F₁* ≤ uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ                  any u: an upper end
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    excess,
    inner,
    matrix,
    numbers,
    off_simplex,
    simplex,
)
from cvxkernel.formulations.kim2006 import KernelFisher, best_u
from cvxkernel.validation.proofs.proof import Examination, Point


class Balls:
    """a, J and the kernels, from the doubles of a problem."""

    def __init__(self, problem: KernelFisher) -> None:
        self.problem, self.n, self.lam = problem, problem.n, arb(problem.lam)
        positive = problem.y == problem.y.max()
        size = {True: int(positive.sum()), False: int((~positive).sum())}
        self.a = balls.column(arb(1) / size[True] if s else arb(-1) / size[False] for s in positive)
        self.J = arb_mat(
            [
                [
                    (arb(i == j) - arb(1) / size[s]) / arb(size[s]).sqrt() if s == t else arb(0)
                    for j, t in enumerate(positive)
                ]
                for i, s in enumerate(positive)
            ]
        )
        self.K = balls.kernels(problem.kernels)

    def weights(self, point: Point) -> list[arb]:
        """θ clipped and scaled to Σθᵢ = 1."""
        return simplex(point.get("theta", np.ones(len(self.K))), [arb(1)] * len(self.K))

    def system(self, theta: list[arb]) -> tuple[arb_mat, arb_mat]:
        """G and λI + JGJ"""
        G = balls.combination(theta, self.K)
        return G, balls.symmetric(self.J * G * self.J) + balls.identity(self.n) * self.lam

    def best(self, theta: list[arb]) -> arb_mat:
        """u near the minimizer of q, refined: the residual in balls, the step in doubles.

        Where M is singular in doubles the step is made in balls, too; where in balls, none is.
        """
        G, M = self.system(theta)
        right = self.J * (G * self.a)
        u = matrix(best_u(self.problem, np.array([float(x) for x in theta])))
        for _ in range(2):
            u = (u + _step(M, right - M * u)).mid()
        return u

    # -- As a judge ---------------------------------------------------------------------------

    def value(self, theta: list[arb]) -> Proof:
        """F₁* = min q/λ at feasible weights: at most q(u)/λ, and less by at most ‖∇q/2‖²/μλ."""
        G, M = self.system(theta)
        least = balls.lambda_min(M)
        if not least > self.lam:  # JGJ ⪰ 0: a kernel is the one that its balls hold
            least = self.lam
        u = self.best(theta)
        v = self.a - self.J * u
        gradient = u * self.lam - self.J * (G * v)
        q = inner(v, G * v) + self.lam * inner(u, u)
        return Proof.of((q - inner(gradient, gradient) / least) / self.lam, q / self.lam)

    def bound(self, u: Any) -> arb:
        """uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ"""
        u = u if isinstance(u, arb_mat) else matrix(np.asarray(u, dtype=float).reshape(self.n, 1))
        v = self.a - self.J * u
        top = balls.largest([inner(v, K * v) for K in self.K])
        return inner(u, u) + top / self.lam

    def lower(self, point: Point) -> arb:
        """min q/λ at the weights θ."""
        return self.value(self.weights(point)).lower if "theta" in point else arb.neg_inf()

    def upper(self, point: Point) -> arb:
        """The bound at u."""
        return self.bound(point["u"]).upper() if "u" in point else arb.pos_inf()

    def better(self, point: Point) -> Iterator[Point]:
        """The weights with their best u."""
        theta = self.weights(point)
        yield {"theta": theta, "u": self.best(theta)}

    def examine(self, point: Point) -> Examination:
        """θ clipped and scaled, t raised to what the matrix inequality asks for; u as it is."""
        found = Examination()
        if "theta" in point:
            found.violations.update(off_simplex(point["theta"], [arb(1)] * len(self.K)))
            theta = found.repaired["theta"] = self.weights(point)
            found.objectives["lower"] = value = self.value(theta)
            if "t" in point:  # the objective (aᵀGa - t)/λ is at most F₁*
                t, top = numbers(point["t"])[0], inner(self.a, self.system(theta)[0] * self.a)
                claimed, best = (top - t) / self.lam, value.lower.union(value.upper)
                found.violations["lmi"] = excess((claimed - best) * self.lam, abs(top))
                low = -balls.largest([-claimed, -value.lower])
                high = -balls.largest([-claimed, -value.upper])
                found.objectives["lower"] = Proof.of(low, high)
                found.repaired["t"] = top - self.lam * low.union(high)
        if "u" in point:
            found.repaired["u"] = point["u"]
            found.objectives["upper"] = Proof.of(self.bound(point["u"]))
        return found


def _step(M: arb_mat, right: arb_mat) -> arb_mat:
    """M⁻¹right about, or zero."""
    try:
        made = np.linalg.solve(balls.doubles(M), balls.doubles(right))
        if np.isfinite(made).all():
            return matrix(made)
    except np.linalg.LinAlgError:
        pass
    try:
        found = M.solve(right).mid()
    except ZeroDivisionError:
        return right * 0
    return found if all(x.is_finite() for x in found.entries()) else right * 0


JUDGES = {"kim2006": Balls}

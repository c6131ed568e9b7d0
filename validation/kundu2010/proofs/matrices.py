"""(4) and (6): kernels are learned."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import asymmetry, excess, inner, matrix
from cvxkernel.formulations.kundu2010 import Similarities
from cvxkernel.validation.kundu2010.proofs.learned import Learned
from cvxkernel.validation.kundu2010.proofs.points import ball, clip, outside, spectahedron


class Matrices(Learned):
    """(4) and (6): kernels of trace τ."""

    symbol, dual = "K", "W"

    def __init__(self, problem: Similarities) -> None:
        super().__init__(problem)
        self.loss = problem.loss
        self.S = [matrix(S) for S in problem.S]

    def matrices(self, given: Any) -> list[arb_mat]:
        """n × n matrices, as many as there are."""
        return [matrix(A) for A in np.reshape(np.asarray(given, dtype=float), (-1, self.n, self.n))]

    def feasible(self, given: Any) -> list[arb_mat]:
        """Kᵢ + εI ⪰ 0, scaled to the trace τ."""
        return [spectahedron(A, self.tau) for A in self.matrices(given)]

    def kernels(self, learned: list[arb_mat]) -> list[arb_mat]:
        """Themselves."""
        return learned

    def cost(self, learned: list[arb_mat]) -> arb:
        """ρΣᵢL(Kᵢ - Sᵢ)"""
        K = learned if len(learned) == self.m else learned * self.m
        return self.rho * balls.total(
            self.distance(K_i - S) for K_i, S in zip(K, self.S, strict=True)
        )

    def distance(self, X: arb_mat) -> arb:
        """L(X)"""
        if self.loss == "L1":
            return balls.total(abs(x) for x in X.entries())
        return balls.norm(X) if self.loss == "L2" else inner(X, X)

    def inside(self, W: Any) -> list[arb_mat]:
        """Clipped for L1, scaled for L2; zero where ρ is."""
        every = self.matrices(W)
        if self.loss == "L1":
            return [clip(A, self.rho) for A in every]
        if self.loss == "L2":
            return [ball(A, self.rho) for A in every]
        return every if self.rho > 0 else [A * 0 for A in every]

    def off_dual(self, W: Any) -> dict[str, arb]:
        """From |W| ≤ ρ for L1, from ‖W‖ ≤ ρ for L2; W = 0 where ρ is."""
        every = self.matrices(W)
        sizes = [balls.largest([abs(x) for x in A.entries()]) for A in every]
        if self.loss == "L2":
            sizes = [balls.norm(A) for A in every]
        elif self.loss == "L3" and self.rho > 0:
            return {}
        return {"W": outside(balls.largest(sizes), self.rho)}

    def paid(self, W: list[arb_mat]) -> arb:
        """Σᵢ ⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)"""
        total = balls.total(inner(A, S) for A, S in zip(W, self.S, strict=True))
        if self.loss == "L3" and self.rho > 0:
            total += balls.total(inner(A, A) for A in W) / (4 * self.rho)
        return total

    def off(self, given: Any) -> dict[str, arb]:
        """From K = Kᵀ and K ⪰ 0, relative to its norm, and from trace K = τ."""
        out = {"symmetry": arb(0), "psd": arb(0), "trace": arb(0)}
        for A in self.matrices(given):
            out["symmetry"] = out["symmetry"].max(asymmetry(A))
            A = balls.symmetric(A)
            size = balls.norm(A)
            out["psd"] = out["psd"].max(excess(-balls.least_eigenvalue(A), size))
            out["trace"] = out["trace"].max(abs(A.trace() - self.tau) / self.tau)
        return out


class Single(Matrices):
    """(4)"""

    id, weighed = "kundu2010-eq4", False

    def least(self, a: arb_mat, gamma: list[arb], W: list[arb_mat]) -> arb:
        """τλ_min(ΣᵢWᵢ - ½aaᵀ) less what the Wᵢ cost"""
        X = balls.symmetric(sum(W[1:], W[0])) - a * a.transpose() / 2
        return self.tau * balls.lambda_min(X) - self.paid(W)


class Several(Matrices):
    """(6), with the Ω of (10)"""

    id = "kundu2010-eq6"

    def least(self, a: arb_mat, gamma: list[arb], W: list[arb_mat]) -> arb:
        """τΣᵢλ_min(Wᵢ - aaᵀ/(2γᵢ)) less what the Wᵢ cost"""
        if not all(g > 0 for g in gamma):
            return arb.neg_inf()
        outer = a * a.transpose()
        ends = [
            balls.lambda_min(balls.symmetric(A) - outer / (2 * g))
            for A, g in zip(W, gamma, strict=True)
        ]
        return self.tau * balls.total(ends) - self.paid(W)

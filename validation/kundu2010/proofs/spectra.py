"""(7): spectra are learned, at the eigenvectors of the similarities."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import column, excess, inner, matrix, simplex
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.kundu2010 import Spectra
from cvxkernel.validation.kundu2010.proofs.learned import Learned
from cvxkernel.validation.kundu2010.proofs.points import ball, outside, smallest
from cvxkernel.validation.proofs.proof import Examination, Point


class Eigenvectors(Learned):
    """(7), with the Ω of (10): spectra of sum τ."""

    id, symbol, dual = "kundu2010-eq7", "mu", "w"

    def __init__(self, problem: Spectra) -> None:
        super().__init__(problem)
        pairs = [basis.enclosed(ctx.prec) for basis in problem.bases]
        found = [pair for pair in pairs if pair is not None]
        if len(found) < len(pairs):
            came = f"{problem.n} samples: {problem.open}"
            raise InputError("S", "similarities whose eigenvectors can be enclosed", came)
        self.lam, self.V = [column(lam) for lam, _ in found], [U for _, U in found]

    def examine(self, point: Point) -> Examination:
        """As every other; the U of an answer is the problem's by now."""
        found = super().examine(point)
        if "U" in point:
            found.repaired["U"] = point["U"]
        return found

    def rows(self, given: Any) -> list[arb_mat]:
        """A column for every similarity."""
        return [matrix(row) for row in np.reshape(np.asarray(given, dtype=float), (-1, self.n))]

    def feasible(self, given: Any) -> list[arb_mat]:
        """μᵢ ≥ 0, scaled to the sum τ"""
        one = [arb(1)] * self.n
        return [column(simplex(row.entries(), one, self.tau)) for row in self.rows(given)]

    def kernels(self, learned: list[arb_mat]) -> list[arb_mat]:
        """Kᵢ = Σⱼ μᵢⱼvᵢⱼvᵢⱼᵀ"""
        out = []
        for V, mu in zip(self.V, learned, strict=True):
            weights = mu.entries()
            scaled = arb_mat([[x * w for x, w in zip(r, weights, strict=True)] for r in V.tolist()])
            out.append(scaled * V.transpose())
        return out

    def cost(self, learned: list[arb_mat]) -> arb:
        """ρΣᵢ‖μᵢ - λᵢ‖"""
        pairs = zip(learned, self.lam, strict=True)
        return self.rho * balls.total(balls.norm(mu - lam) for mu, lam in pairs)

    def inside(self, W: Any) -> list[arb_mat]:
        """‖wᵢ‖ ≤ ρ"""
        return [ball(row, self.rho) for row in self.rows(W)]

    def off_dual(self, W: Any) -> dict[str, arb]:
        """From ‖wᵢ‖ ≤ ρ"""
        return {"w": outside(balls.largest([balls.norm(row) for row in self.rows(W)]), self.rho)}

    def least(self, a: arb_mat, gamma: list[arb], W: list[arb_mat]) -> arb:
        """Σᵢ τminⱼ(wᵢⱼ - (vᵢⱼᵀa)²/(2γᵢ)) - wᵢᵀλᵢ"""
        if not all(g > 0 for g in gamma):
            return arb.neg_inf()
        total = arb(0)
        for w, lam, V, g in zip(W, self.lam, self.V, gamma, strict=True):
            images = (V.transpose() * a).entries()
            ends = [x - z * z / (2 * g) for x, z in zip(w.entries(), images, strict=True)]
            total += self.tau * smallest(ends) - inner(w, lam)
        return total

    def off(self, given: Any) -> dict[str, arb]:
        """From μ ≥ 0, relative to its largest entry, and from Σμ = τ."""
        out = {"spectrum": arb(0), "trace": arb(0)}
        for row in self.rows(given):
            x = row.entries()
            size = balls.largest([abs(v) for v in x])
            out["spectrum"] = out["spectrum"].max(excess(balls.largest([-v for v in x]), size))
            out["trace"] = out["trace"].max(abs(balls.total(x) - self.tau) / self.tau)
        return out

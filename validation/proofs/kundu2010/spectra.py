"""(7): spectra are learned, at the eigenvectors of the similarities."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import acb_mat, arb, arb_mat, ctx

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Spectra
from cvxkernel.validation import balls
from cvxkernel.validation.balls import column, inner, matrix
from cvxkernel.validation.proofs.kundu2010.learned import Learned
from cvxkernel.validation.proofs.kundu2010.points import ball, smallest
from cvxkernel.validation.proofs.proof import (
    excess,
    simplex,
)

SAME = 1e-6  # an eigenvector farther than this from that of the doubles is another one


class Eigenvectors(Learned):
    """(7), with the Ω of (10): spectra of sum τ."""

    id, symbol, dual = "kundu2010-eq7", "mu", "w"

    def __init__(self, problem: Spectra) -> None:
        super().__init__(problem)
        pairs = [eigen(*each) for each in zip(problem.S, problem.lam, problem.V, strict=True)]
        self.lam, self.V = [p[0] for p in pairs], [p[1] for p in pairs]

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


def eigen(S: Array, lam: Array, V: Array) -> tuple[arb_mat, arb_mat]:
    """λ and V enclosed where eigenvalues are simple and V is near; else the doubles, exactly."""
    taken = matrix(lam), matrix(V)
    with balls.precision(2 * ctx.prec):
        try:
            values, R = acb_mat(balls.symmetric(matrix(S))).eig(right=True)
        except ValueError:
            return taken
        order = sorted(range(len(lam)), key=lambda j: float(values[j].real.mid()))
        vectors = []
        for j, like in zip(order, V.T, strict=True):
            # Eigenvectors of a simple real eigenvalue are real but for a complex factor.
            z = [R[i, j] for i in range(len(lam))]
            lead = int(np.argmax(np.abs(like)))
            if z[lead].contains(0):
                return taken
            v = column((x / z[lead]).real for x in z)
            v = v / balls.norm(v) * (1 if like[lead] > 0 else -1)
            if not balls.norm(v - matrix(like)) < SAME:
                return taken
            vectors.append(v.entries())
        return column(values[j].real for j in order), arb_mat(vectors).transpose()

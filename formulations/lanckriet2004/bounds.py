r"""A lower value for any feasible α, an upper bound for any weights μ: no programs.

Lower: the objective at α, t = maxᵢ αᵀG(Kᵢ)α/rᵢ. Upper: for μ ≥ 0 with μᵀr = c, c·t ≥ αᵀQα with
Q = Σᵢ μᵢG(Kᵢ) (sm2: + I/C; sm2c: + μ₀I), so the optimum is at most that of 2αᵀ1 - αᵀQα, twice
that of the support vector machine with the matrix Q: `svm` has its bounds. Where μᵀr = cτ with
τ > 1, μ/τ is within the budget, and the optimum with Q/τ is at most τ times that with Q, since α/τ
is feasible with α. In sm2 and sm2c the box is infinite, and the best multiple of α is free:
max_x 2xb - x²q = b²/q.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004.data import Margin
from cvxkernel.formulations.lanckriet2004.programs import SoftMargin
from cvxkernel.formulations.weights import overspent, simplex, with_identity


class Bounds:
    """The Kᵢ, their traces r and c = Σᵢ rᵢ; the ridge of sm2; the top of the box."""

    def __init__(self, F: Arithmetic, problem: Margin, *, squared: bool) -> None:
        self.F, self.problem, self.y = F, problem, problem.y
        self.K = F.kernels(problem.kernels)
        self.ridge, self.top = F.exact(0.0), np.inf
        self.identity = not isinstance(problem, SoftMargin)
        if not isinstance(problem, SoftMargin):
            self.K.insert(0, F.exact(np.eye(problem.n)))
        elif squared:
            self.ridge = 1 / F.exact(problem.C)
        else:
            self.top = problem.C
        self.r = F.stack([K.trace() for K in self.K])
        self.c = self.r.sum()

    def terms(self, alpha: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """b = 1ᵀα, the αᵀG(Kᵢ)α/rᵢ, t the largest, and αᵀα·ridge: it is 2b - ct - the last."""
        F, v = self.F, alpha * self.y
        forms = F.forms(self.K, v[None])[:, 0]
        return alpha.sum(), forms / self.r, F.inner(alpha, alpha) * self.ridge

    def value(self, alpha: Any) -> tuple[Tensor, Tensor, Tensor]:
        """The objective at α made feasible, or at a multiple of it; that α, and t.

        In a box the multiple is clipped. It is looked at where the objective may rise on the way.
        """
        F, alpha = self.F, svm.feasible(self.F, alpha, self.y, self.top)
        b, shares, square = self.terms(alpha)
        t, dearest = shares.max(), int(shares.mid.argmax())
        q = self.c * t + square
        best = 2 * b - q, alpha, t
        if not (b > 0 and q > 0):  # zero where all that α sees of the kernels is constant
            boxed = np.isfinite(self.top) and best[0] > 0
            return best if boxed else (F.exact(0.0), 0.0 * alpha, F.exact(0.0))
        x = float(b.mid / q.mid)
        if not np.isfinite(self.top):
            return b * b / q, F.exact(x) * alpha, F.exact(x) * x * t
        more = svm.feasible(F, x * alpha.mid, self.y, self.top)
        if not self.slope(alpha.mid, dearest) @ (more.mid - alpha.mid) > 0:
            return best
        b, shares, square = self.terms(more)
        t = shares.max()
        value = 2 * b - self.c * t - square
        return (value, more, t) if value.lower > best[0].lower else best

    def slope(self, alpha: Array, i: int) -> Array:
        """2 - (2c/rᵢ)G(Kᵢ)α at the dearest i: the objective, which is concave, rises by no more."""
        with np.errstate(all="ignore"):
            image = self.y * (self.K[i].mid @ (self.y * alpha)) * (2 * self.c.mid)
            slope: Array = 2 - image / self.r.mid[i]
        return slope

    def weights(self, mu: Any) -> list[Tensor]:
        """μ clipped at zero and scaled to μᵀr = c; for sm2c also with a small share of identity."""
        mu = simplex(self.F, mu, self.r, self.c)
        return list(with_identity(self.F, mu, self.r, self.c)) if self.identity else [mu]

    def combined(self, mu: Tensor) -> Tensor:
        """Q"""
        Q = self.F.signed(self.y, self.F.combination(mu, self.K))
        return self.F.shifted(Q, self.ridge)

    def upper(self, mu: Tensor, alpha: Tensor, low: Tensor) -> Tensor:
        """Twice the bound of the machine with Q, near α, for weights within the budget."""
        half = svm.upper(self.F, self.combined(mu), self.y, self.top, alpha, low.point() / 2)
        return 2 * half * overspent(self.F, mu, self.r, self.c)


@encloses("lanckriet2004-sm1", squared=False)
@encloses("lanckriet2004-sm2", "lanckriet2004-sm2c", squared=True)
def enclose(F: Arithmetic, problem: Margin, point: Point, *, squared: bool) -> Any:
    """The objective at the best multiple of α, and the least bound of the weights tried."""
    bounds = Bounds(F, problem, squared=squared)
    low, alpha, t = bounds.value(given(F, point, "alpha", np.ones(problem.n)))
    tried = bounds.weights(given(F, point, "mu", 1.0 / problem.r))
    uppers = [bounds.upper(mu, alpha, low) for mu in tried]
    high = svm.least(F, uppers)
    mu = tried[uppers.index(high)]
    return F.enclosure(low, low, high, {"alpha": alpha, "t": t, "mu": mu})

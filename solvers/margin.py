r"""The soft margin programs of Lanckriet et al. (2004) as functions on the simplex.

With wᵢ = μᵢrᵢ/c on the unit simplex and Aᵢ = (c/rᵢ)G(Kᵢ) all three ask for the least of

    J(w) = max 2αᵀ1 - αᵀQα  over  0 ≤ α ≤ C, αᵀy = 0,   Q = A₀ + Σᵢ wᵢAᵢ

twice a support vector machine. In sm1 A₀ = 0; in sm2 A₀ = I/C; in sm2c the identity is one of the
kernels; the last two have no box. J is convex. By the theorem of the envelope, and because on the
samples F with 0 < αᵢ < C the KKT conditions say [Q_FF y_F; y_Fᵀ 0][dα; db] = -[(Aⱼα)_F; 0]dwⱼ,

    ∂J/∂wᵢ = -αᵀAᵢα,   ∂²J/∂wᵢ∂wⱼ = 2(Aᵢα)_Fᵀ P (Aⱼα)_F,   P = Q_FF⁻¹ - Q_FF⁻¹yyᵀQ_FF⁻¹/yᵀQ_FF⁻¹y,

the second as long as F stays. Each evaluation is one support vector machine, from the active set
of the last, and one pass over the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004 import JointMargin
from cvxkernel.formulations.ye2008.data import combined
from cvxkernel.solvers.box import borders
from cvxkernel.solvers.svm import svm

ANSWERS = frozenset({"lanckriet2004-sm1", "lanckriet2004-sm2", "lanckriet2004-sm2c"})


class MarginFunction:
    """J and its derivatives, in units where Q has the trace n, or less where C would be below 1."""

    def __init__(self, form: Formulation, problem: Any) -> None:
        self.kernels, self.y = problem.kernels, problem.y
        self.joint = isinstance(problem, JointMargin)
        C: float = problem.C if form.id == "lanckriet2004-sm1" else np.inf
        # α is `scale` times the α used here, and so is J; C is C/scale, Q is scale·Q.
        self.scale: float = min(problem.n / problem.c, C)
        self.top: float = C / self.scale
        self.ridge: float = self.scale / problem.C if form.id == "lanckriet2004-sm2" else 0.0
        self.mu = problem.c / problem.r  # of each kernel alone
        self.factors = self.scale * self.mu  # Aᵢ = factorᵢ·G(Kᵢ)
        self.r, self.p = problem.r, len(self.mu)

    def at(self, w: Array, near: MarginEvaluation | None = None) -> MarginEvaluation:
        """One support vector machine, from the active set of one nearby; one pass."""
        y, n = self.y, len(self.y)
        shares = (w * self.factors)[1:] if self.joint else w * self.factors
        K = combined(self.kernels, shares)
        diagonal = self.ridge + (w[0] * self.factors[0] if self.joint else 0.0)
        K.flat[:: n + 1] += diagonal
        top = self.top
        if not np.isfinite(top):
            # αᵢ ≤ αᵀ1 = J: wherever J falls the box is of no effect.
            fell = near is not None and near.value > 0  # else lost at the end of the doubles
            top = 2 * near.value / self.scale if near is not None and fell else n / diagonal
        alpha = svm(K, y, top, start=None if near is None else near.alpha)
        images = (self.kernels.reshape(-1, n) @ (y * alpha)).reshape(-1, n) * y
        images *= self.factors[-len(images) :, None]
        if self.joint:
            images = np.concatenate([self.factors[0] * alpha[None], images])
        forms: Array = images @ alpha
        image: Array = w @ images + self.ridge * alpha  # Qα
        total, form = float(alpha.sum()), float(alpha @ image)
        return MarginEvaluation(
            w=w,
            value=self.scale * (2 * total - form),
            bound=self.scale * self.lower(alpha, forms),
            upper=self.scale * self.upper(alpha, image),
            gradient=-self.scale * forms,
            alpha=alpha,
            images=images,
            K=K,
            phi=self,
        )

    def lower(self, alpha: Array, forms: Array) -> float:
        """2αᵀ1 - αᵀA₀α - maxᵢ αᵀAᵢα at the best multiple of α in the box."""
        total = float(alpha.sum())
        form = self.ridge * float(alpha @ alpha) + float(forms.max())
        x = min(total / max(form, TINY), self.top / max(float(alpha.max()), TINY))
        return 2 * x * total - x * x * form

    def upper(self, v: Array, image: Array) -> float:
        """vᵀQv + 2C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ); without a box v is scaled to have no such i."""
        y, form = self.y, float(v @ image)
        if np.isfinite(self.top):
            losses = np.maximum(0.0, 1 - image - bounds.offset(image, y) * y)
            return form + 2 * self.top * float(losses.sum())
        margin = float(image[y > 0].min() + image[y < 0].min()) / 2
        return form / margin**2 if margin > 0 else np.inf

    def point(self, evaluation: MarginEvaluation) -> Point:
        """α and μ as the program has them."""
        return {"alpha": self.scale * evaluation.alpha, "mu": self.mu * evaluation.w}

    def ahead(self, evaluation: MarginEvaluation) -> Point | None:
        """None: the α at other weights is a machine's own."""
        return None


@dataclass
class MarginEvaluation:
    """A point, its machine and its derivatives."""

    w: Array
    value: float
    bound: float
    upper: float
    gradient: Array
    alpha: Array
    images: Array  # A₁α, …, A_pα
    K: Array
    phi: MarginFunction

    @property
    def gap(self) -> float:
        """(upper - bound)/upper"""
        return (self.upper - self.bound) / self.upper if np.isfinite(self.upper) else np.inf

    def hessian(self) -> Array:
        """2(Aᵢα)_Fᵀ P (Aⱼα)_F: with LLᵀ = Q_FF, of the L⁻¹(Aᵢα)_F less their parts along L⁻¹y."""
        at_top, at_zero = borders(self.alpha, self.phi.top)
        free = ~(at_top | at_zero)
        y = self.phi.y[free]
        Q = bounds.signed(y, self.K[np.ix_(free, free)])
        solved = solve_triangular(
            _factor(Q), np.c_[self.images[:, free].T, y], lower=True, check_finite=False
        )
        along = solved[:, -1] / max(float(np.linalg.norm(solved[:, -1])), TINY)
        rest = solved[:, :-1] - np.outer(along, along @ solved[:, :-1])
        H: Array = 2 * self.phi.scale * rest.T @ rest
        return H


def _factor(Q: Array) -> Array:
    """A Cholesky factor of Q, with as little of the identity as makes it definite in doubles."""
    size = float(Q.diagonal().max(initial=TINY))
    for share in (0.0, *np.logspace(-14, 0, 8)):
        shifted = Q.copy()
        shifted.flat[:: len(Q) + 1] += share * size
        try:
            L: Array = cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
            return L
        except LinAlgError:
            pass
    raise LinAlgError("the kernels are not semidefinite")

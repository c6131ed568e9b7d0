r"""Minus the ratio of Kim, Magnani and Boyd (2006), as a function that Newton's method minimizes.

    -F₁*(θ) = -min_u (uᵀu + (a - Ju)ᵀG(θ)(a - Ju)/λ),   u = (λI + JGJ)⁻¹JGa,   v = a - Ju

is convex in θ, with the gradient -vᵀGᵢv/λ and the Hessian (2/λ)(JGᵢv)ᵀ(λI + JGJ)⁻¹(JGⱼv). The bound
at u is -(uᵀu + maxᵢ vᵀGᵢv/λ).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kim2006.bounds import system, within
from cvxkernel.formulations.kim2006.programs import KernelFisher
from cvxkernel.solvers.weights import SIMPLEX, Region

ANSWERS = frozenset({"kim2006", "kim2006-epigraph"})


class FisherFunction:
    """-F₁* and its derivatives."""

    region: Region = SIMPLEX
    unit = -1.0

    def __init__(self, problem: KernelFisher) -> None:
        self.problem, self.p = problem, problem.p

    def at(self, w: Array, near: FisherEvaluation | None = None) -> FisherEvaluation:
        """One factorization, one pass over the kernels; a state nearby is of no use."""
        problem, y, lam = self.problem, self.problem.y, self.problem.lam
        G, solve = system(problem, w)
        u = solve(within(y, G @ problem.a))
        v = problem.a - within(y, u)
        images: Array = (problem.near.kernels @ v)[:, :, 0]
        forms: Array = images @ v[:, 0] / lam
        square = float(np.sum(u**2))
        return FisherEvaluation(
            w=w,
            value=-square - float(w @ forms),
            bound=-square - float(forms.max()),
            gradient=-forms,
            u=u,
            images=within(y, images.T).T,
            solve=solve,
            lam=lam,
        )

    def near(self, start: Point) -> Array:
        """θ"""
        return inputs.weights("theta", start["theta"], (self.p,))

    def point(self, evaluation: FisherEvaluation) -> Point:
        """θ and u."""
        return {"theta": evaluation.w, "u": evaluation.u}

    def ahead(self, evaluation: FisherEvaluation, w: Array) -> Point | None:
        """The point at w, to first order in d = w - its own: u + Σᵢ dᵢ(λI + JGJ)⁻¹JGᵢv.

        The enclosure charges the square of what is left of ∇q there, and needs no factorization.
        """
        rest = (w - evaluation.w) @ evaluation.images
        return {"theta": w, "u": evaluation.u + evaluation.solve(rest[:, None])}


@dataclass
class FisherEvaluation:
    """A point, its u and its derivatives."""

    w: Array
    value: float
    bound: float
    gradient: Array
    u: Array
    images: Array  # JG₁v, …, JG_pv
    solve: Callable[[Array], Array]
    lam: float

    @property
    def upper(self) -> float:
        """-F₁*"""
        return self.value

    @property
    def gap(self) -> float:
        """(value - bound)/|bound|"""
        return (self.value - self.bound) / -self.bound if self.bound < 0 else np.inf

    def hessian(self) -> Array:
        """(2/λ)(JGᵢv)ᵀ(λI + JGJ)⁻¹(JGⱼv)"""
        H: Array = 2 / self.lam * self.images @ self.solve(self.images.T)
        return (H + H.T) / 2

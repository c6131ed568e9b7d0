r"""Between λ of (3) and β of (10), and the percentages of the paper's tables.

v(β), the optimum of (11), is convex, falls on [0, k/2] and is flat beyond; that of Theorem 3.1 is
min over β of v(β) + λβ. So β belongs to λ when -λ is a slope of v at β, and the solution for one
gives the other:

    β = Ω at the weights of λ,    λ = (B - A)/k at the α of β

with A and B of `bounds`: the lower bound Σₜ αᵗᵀe - ½((1 - c)A + cB), c = 2β/k, has the slope
-(B - A)/k in β. Neither is unique (v may have a kink, or be straight for a while; every large λ
belongs to β = 0): what is promised is that the two problems have a solution in common, and that is
enclosed. On either way the interval keeps its width, up to rounding, or becomes narrower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import ParameterError
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.tang2009 import bounds
from cvxkernel.formulations.tang2009.data import MultiLabelled
from cvxkernel.formulations.tang2009.programs import Regularized, Shared


@dataclass(frozen=True)
class Bridge:
    """A problem with λ and one with β that share a solution, and the enclosures of both optima.

    The optimum at λ is the optimum at β plus λβ.
    """

    regularized: Regularized
    shared: Shared
    at_lam: Enclosure
    at_beta: Enclosure

    @property
    def lam(self) -> float:
        """The price of kernel difference."""
        return self.regularized.lam

    @property
    def beta(self) -> float:
        """The most kernel difference allowed."""
        return self.shared.beta


def to_beta(problem: Regularized, point: Point) -> Bridge:
    """The β whose solution a λ has, read off the solution: Ω at its weights."""
    beta = min(bounds.omega(bounds.weights(DOUBLES, problem, point).mid), problem.k / 2)
    return bridge(problem, Shared(problem.kernels, problem.Y, problem.C, beta), point)


def to_lam(problem: Shared, point: Point) -> Bridge:
    """The λ whose solution a β has, read off the solution: (B - A)/k at its α."""
    ends = bounds.Bounds(DOUBLES, problem)
    A, B = ends.extremes(ends.alphas(point)[0])
    idle = problem.beta > problem.most
    lam = 0.0 if idle else max(float((B - A).mid), 0.0) / problem.k
    return bridge(Regularized(problem.kernels, problem.Y, problem.C, lam), problem, point)


def bridge(regularized: Regularized, shared: Shared, point: Point) -> Bridge:
    """Both problems, enclosed at one point."""
    at_lam = bounds.enclose_regularized(DOUBLES, regularized, point)
    return Bridge(regularized, shared, at_lam, bounds.enclose_shared(DOUBLES, shared, point))


def prohibitive(problem: MultiLabelled) -> float:
    """A λ from which on no kernel difference is worth its price: twice the largest Σₜ αᵗᵀe.

    B ≤ kA, and A ≤ 2 Σₜ αᵗᵀe where the optimum is not below zero, so that B - kλ ≤ A for the α of
    the Same model once kλ ≥ 2(k - 1) Σₜ αᵗᵀe.
    """
    plus = (problem.Y > 0).sum(axis=1)
    return 4 * float(np.minimum(plus, problem.n - plus).sum()) * problem.C


def beta_of_share(share: float, k: int) -> float:
    """The β at which k labels share at least this part of the kernel: Σᵢ ζᵢ ≥ share.

    "60 %" of the paper's tables is `beta_of_share(0.6, k)`; all of it is Same, none Independent.
    """
    if not 0 <= inputs.weights("share", share, ()).item() <= 1:
        raise ParameterError("share", "a part between 0 and 1", f"{share:g}")
    return k / 2 * (1 - float(share))

"""(10): α polished, and answers examined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb

from cvxkernel.formulations.arithmetic import BALLS, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    exact,
    excess,
    numbers,
)
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Combination
from cvxkernel.formulations.kundu2010.bounds import Omega, shares
from cvxkernel.solvers.mkl import mkl
from cvxkernel.validation.proofs import newton, svm
from cvxkernel.validation.proofs.newton import State, alone
from cvxkernel.validation.proofs.proof import Examination, Point


def value_at(omega: Omega, alpha: Tensor, gamma: Tensor | None) -> Proof:
    """1ᵀα - ½Σᵢ qᵢ/γᵢ, at the best γ where there is none; infinite where γᵢ is zero."""
    if gamma is None:
        return Proof.of(omega.value(alpha).number)
    total = alpha.sum()
    shared = list(zip(omega.forms(alpha).x, gamma.x, strict=True))
    if any(g.is_zero() and q > 0 for q, g in shared):
        return Proof(arb.neg_inf(), arb.neg_inf())
    if not all(g > 0 or q.is_zero() for q, g in shared):
        return Proof(arb.neg_inf(), total.number.upper())
    forms = balls.total(q / g for q, g in shared if not q.is_zero())
    return Proof.of(total.number - forms / 2)


def off_simplex(given: Any) -> dict[str, arb]:
    """From γ ≥ 0 and from Σγᵢ ≤ 1."""
    every = numbers(given)
    size = balls.largest([abs(x) for x in every])
    return {
        "gamma": excess(balls.largest([-x for x in every]), size),
        "simplex": (balls.total(every) - 1).nonnegative_part(),
    }


def examined(found: Examination, point: Point, y: Array, C: float) -> tuple[Tensor, Tensor | None]:
    """α and γ made feasible."""
    alpha = svm.examined(found, point, y, C)
    if "gamma" not in point:
        return alpha, None
    found.violations.update(off_simplex(point["gamma"]))
    gamma = found.repaired["gamma"] = shares(BALLS, point["gamma"])
    return alpha, gamma


def machine(omega: Omega) -> Iterator[Tensor]:
    """α near the optimum, in doubles; and what Newton's method makes of it."""
    alpha, _ = mkl(BALLS.stack([BALLS.signed(omega.y, M) for M in omega.M]).mid, omega.y, omega.C)
    yield exact(alpha)
    better = polished(omega, alpha)
    if better is not None:
        yield better


def polished(omega: Omega, alpha: Array) -> Tensor | None:
    """Newton's method for 1ᵀα - ½(Σᵢ√qᵢ)²; no proof rests on it.

    rᵢ = √qᵢ, gᵢ = Mᵢα/rᵢ, R = Σrᵢ, g = Σgᵢ: ∇ = 1 - Rg, -∇² = ggᵀ + RΣᵢ(Mᵢ - gᵢgᵢᵀ)/rᵢ.
    A multiple of y in Mᵢα is b's: Dᵢ takes the place of Mᵢ.
    """

    def conditions(alpha: Tensor, theta: Tensor) -> State:
        forms, images = omega.seen([alpha] * len(omega.M))
        r = forms.sqrt()
        G = [image / root for image, root in zip(images, r.x, strict=True)]
        R, g = r.sum(), sum(G[1:], G[0])
        bend = np.outer(g.mid, g.mid)
        for M, g_i, root in zip(middles, G, r.x, strict=True):
            bend += (M - np.outer(g_i.mid, g_i.mid)) * (R / root).mid
        return alone(R * g, bend)

    middles = [M.mid for _, M in omega.levelled]
    if not (omega.forms(alpha) > 0).all():
        return None
    made = newton.polished(conditions, omega.y, exact(omega.C), alpha, np.zeros(0))
    return None if made is None else made[0]


class CombinationJudge:
    """(10) itself: α from below, xᵢ from above."""

    def __init__(self, problem: Combination) -> None:
        self.problem, self.y, self.C = problem, problem.y, problem.C
        M = [BALLS.signed(self.y, K) for K in BALLS.kernels(problem.kernels)]
        self.omega = Omega(BALLS, M, self.y, self.C)

    def better(self, point: Point) -> Iterator[Point]:
        """The point in doubles with all its symbols, and α polished."""
        found = CATALOGUE["kundu2010-eq10"].enclose(self.problem, point).variables
        yield found
        alpha = polished(self.omega, found["alpha"])
        if alpha is not None:
            yield {"alpha": alpha}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced, with the γ given, or the best where there is none.

        An x that is one α is another point from below.
        """
        found = Examination()
        if "alpha" in point:
            ends = value_at(self.omega, *examined(found, point, self.y, self.C))
            found.objectives["lower"] = ends
        if "x" in point:
            found.repaired["x"] = point["x"]
            x = exact(point["x"])
            if x.ndim == 2:
                found.objectives["upper"] = Proof.of(self.omega.upper(x).number)
            else:
                alpha = svm.examined(found, point, self.y, self.C, "x")
                found.below(value_at(self.omega, alpha, None))
        return found

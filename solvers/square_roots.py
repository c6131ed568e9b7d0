r"""The multiple kernel problem (10) of Kundu et al. (2010), as a function that Newton minimizes.

With θᵢ = 1/γᵢ it is the largest J(θ) of `margin` over γ in the simplex. J is concave in γ, since
αᵀAᵢα/γᵢ is convex in both; with qᵢ = αᵀAᵢα and the H of `margin`

    ∂J/∂γᵢ = qᵢ/2γᵢ²,   ∂²J/∂γᵢ∂γⱼ = Hᵢⱼ/γᵢ²γⱼ² - [i = j]qᵢ/γᵢ³

by the chain rule; or as the Schur complement in α of the second derivatives of 1ᵀα - ½Σᵢ αᵀAᵢα/γᵢ,
which are -Q, Aᵢα/γᵢ² and -qᵢ/γᵢ³. From below, the best γ at α: 1ᵀα - ½(Σᵢ √qᵢ)². From above, with
xᵢ = α/γᵢ, ½maxᵢ qᵢ/γᵢ² + C Σⱼ max(0, 1 - (Qα)ⱼ - byⱼ).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh

from cvxkernel.formulations import inputs
from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Combination
from cvxkernel.solvers.margin import MachineEvaluation, MarginEvaluation, WeightsFunction
from cvxkernel.solvers.weights import SIMPLEX, Region

ANSWERS = frozenset({"kundu2010-eq10"})
LEAST = 0.1  # of what γᵢ was
FLOOR = 1e-10  # γ is kept above it: Σᵢ Kᵢ/γᵢ has to stay a matrix of doubles


class SquareRootsFunction:
    """-J in γ, and its derivatives."""

    region: Region = SIMPLEX

    def __init__(self, problem: Combination) -> None:
        self.p = problem.m
        ones = np.ones(problem.m)
        self.machine = WeightsFunction("gamma", ones, problem, problem.C)
        self.unit = -self.machine.unit

    def at(self, w: Array, near: SquareRootsEvaluation | None = None) -> SquareRootsEvaluation:
        """One machine, from the active set of one nearby; the first moves to its own best γ.

        A γᵢ that is zero would stay so: α is then where qᵢ is zero. None falls by more than a part.
        """
        if near is not None:
            least = np.where(near.q > 0, near.gamma * LEAST, 0.0)
            if (w < least).any():
                w = np.maximum(w, least)
                w = w / w.sum()
        gamma = np.maximum(w, FLOOR)
        at = self.machine.at(1 / gamma, None if near is None else near.at)
        found = SquareRootsEvaluation(w, gamma, at, self)
        root = np.sqrt(found.q)
        if near is not None or not root.any():
            return found
        return self.at(root / root.sum(), found)

    def near(self, start: Point) -> Array:
        """γ; the first machine begins at α."""
        self.machine.begin(start)
        return inputs.weights("gamma", start["gamma"], (self.p,))

    def point(self, evaluation: SquareRootsEvaluation) -> Point:
        """α and γ, x = α/γᵢ."""
        alpha = self.machine.scale * evaluation.machine.alpha
        return {"alpha": alpha, "gamma": evaluation.gamma, "x": alpha / evaluation.gamma[:, None]}

    def ahead(self, evaluation: SquareRootsEvaluation, w: Array) -> Point | None:
        """None: the α at other weights is a machine's own."""
        return None


@dataclass
class SquareRootsEvaluation:
    """A point, its machine and its derivatives."""

    w: Array
    gamma: Array
    at: MarginEvaluation
    phi: SquareRootsFunction

    @property
    def machine(self) -> MachineEvaluation:
        """At θ = 1/γ."""
        return self.at.machines[0]

    @property
    def q(self) -> Array:
        """αᵀAᵢα"""
        return np.maximum(self.machine.forms, 0.0)

    @property
    def value(self) -> float:
        """-J"""
        return -self.machine.value

    @property
    def gradient(self) -> Array:
        """-qᵢ/2γᵢ²"""
        return -self.q / (2 * self.gamma**2)

    @cached_property
    def upper(self) -> float:
        """Minus 1ᵀα - ½(Σᵢ √qᵢ)², at the best multiple of α in the box."""
        alpha, root = self.machine.alpha, float(np.sqrt(self.q).sum())
        total, top = float(alpha.sum()), self.phi.machine.top
        x = min(total / max(root**2, TINY), top / max(float(alpha.max()), TINY))
        return -max(x * total - (x * root) ** 2 / 2, total - root**2 / 2)

    @cached_property
    def bound(self) -> float:
        """Minus ½maxᵢ qᵢ/γᵢ² + C Σⱼ max(0, 1 - (Qα)ⱼ - byⱼ)"""
        y, image = self.machine.y, self.machine.image
        losses = np.maximum(0.0, 1 - image - bounds.offset(image, y) * y)
        return float(self.gradient.min()) - self.phi.machine.top * float(losses.sum())

    @property
    def gap(self) -> float:
        """(upper - bound)/|bound|"""
        return (self.upper - self.bound) / -self.bound if self.bound < 0 else np.inf

    def hessian(self) -> Array:
        """[i = j]qᵢ/γᵢ³ - Hᵢⱼ/γᵢ²γⱼ², semidefinite but for rounding."""
        inverse = self.gamma**-2.0
        H = np.diag(self.q / self.gamma**3) - inverse[:, None] * self.machine.hessian * inverse
        eig, V = eigh(H)
        out: Array = (V * np.maximum(eig, 0.0)) @ V.T
        return out

r"""Newton's method over weights; here for the exact programs of Ye, Ji and Chen (2008).

With wᵢ = θᵢrᵢ on the unit simplex all of them ask for the least of

    φ(w) = ⟨H, X⟩,   MX = H,   M = M₀ + Σᵢ wᵢAᵢ

where M₀ = I, Aᵢ = G̃ᵢ/(λrᵢ) with λ given, and M₀ = 0, Aᵢ = G̃ᵢ/rᵢ, A₀ = I/n with λ learned. Then

    ∂φ/∂wᵢ = -⟨X, AᵢX⟩,   ∂²φ/∂wᵢ∂wⱼ = 2⟨AᵢX, M⁻¹AⱼX⟩.

A step minimizes the quadratic model over the whole simplex (a quadratic program in p unknowns),
with more curvature where φ did not fall as it should. Each evaluation is one Cholesky factor.
The gradient is also the gap: β = 2X is the paper's (20), and the bound it gives is

    φ(w)²/(⟨X, M₀X⟩ + maxᵢ ⟨X, AᵢX⟩) ≤ min φ.

The programs of Lanckriet et al. (2004), Rakotomamonjy et al. (2008) and Tang, Chen and Ye (2009)
are such functions too, with support vector machines for the factorization and, in the last, other
weights than those of the simplex: `margin`, `weights`. So are minus the ratio of Kim et al. (2006),
`fisher`, and (10) of Kundu et al. (2010), `square_roots`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import LinAlgError

from cvxkernel.formulations import inputs
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import Discriminant
from cvxkernel.formulations.ye2008.data import combined, solver
from cvxkernel.solvers import fisher, margin, square_roots
from cvxkernel.solvers.column_generation import ANSWERS as SEMI_INFINITE
from cvxkernel.solvers.method import Iterative, State, Step
from cvxkernel.solvers.weights import SIMPLEX, Region, model

# Not thm3.1 and eq45: diag(t) ⪰ S(θ) is another function of θ, that of `barrier`.
DISCRIMINANT = SEMI_INFINITE | {
    *("ye2008-thm2.1", "ye2008-thm2.2", "ye2008-eq29", "ye2008-eq29-single", "ye2008-thm3.2"),
    *("ye2008-eq41", "ye2008-eq43", "ye2008-eq45-single", "ye2008-eq46"),
}
SUFFICIENT = 1e-4  # of the decrease that the model promises
LEAST_DAMPING = 1e-2  # in units of the mean curvature; below it there is none
# The least share of A₀ where λ is learned: it costs at most as much, and M is as definite.
OFF_BORDER = 1e-11
TRIALS = 20  # of a step, each with four times the damping of the last


class Evaluation(Protocol):
    """A function at weights w: its value, both ends of its minimum, and its derivatives."""

    w: Array

    @property
    def value(self) -> float:
        """That of the function, with what its region asks for."""

    @property
    def gradient(self) -> Array:
        """The first derivatives of the function alone."""

    @property
    def bound(self) -> float:
        """Not above the minimum."""

    @property
    def upper(self) -> float:
        """Not below the minimum."""

    @property
    def gap(self) -> float:
        """Their distance, relative to the value."""

    def hessian(self) -> Array:
        """The second derivatives."""


class Function(Protocol):
    """A convex function of p weights in a region; the paper's objective is `unit` times it."""

    region: Region
    p: int
    unit: float

    def at(self, w: Array, near: Any = None) -> Evaluation:
        """Its evaluation, which one nearby may make cheaper."""

    def near(self, start: Point) -> Array:
        """The weights of a point of a problem nearby, as they are."""

    def point(self, evaluation: Any) -> Point:
        """The paper's symbols there."""

    def ahead(self, evaluation: Any, w: Array) -> Point | None:
        """The same at weights nearby, to first order, where that is cheap."""


class DiscriminantFunction:
    """φ and its derivatives, kernels read as they lie in memory."""

    region: Region = SIMPLEX

    def __init__(self, problem: Any, *, binary: bool, unit: float = 1.0) -> None:
        self.H: Array = problem.a if binary else problem.H
        self.n, self.joint = len(self.H), not isinstance(problem, Discriminant)
        self.kernels = problem.near.kernels
        self.offsets = problem.offsets
        scale = 1.0 if self.joint else problem.lam
        self.weights = 1 / (scale * problem.traces)  # Aᵢ = weightᵢ·G̃ᵢ
        self.r, self.p, self.unit = problem.r, len(problem.r), unit

    def system(self, w: Array) -> Array:
        """M; in the joint programs plus a multiple of eeᵀ, which no X sees."""
        n = self.n
        shares = (w[1:] if self.joint else w) * self.weights
        M = combined(self.kernels, shares)
        M -= shares @ self.offsets
        means = M.mean(axis=1)
        M -= means[:, None]
        M -= means - means.mean()
        M.flat[:: n + 1] += w[0] / n if self.joint else 1.0
        if self.joint:
            M += np.trace(M) / n**2
        return M

    def images(self, X: Array) -> Array:
        """A₁X, …, A_pX, with A₀X first in the joint programs: one pass over the kernels."""
        n, k = X.shape
        B = X - X.mean(axis=0)
        Y = (self.kernels.reshape(-1, n) @ B).reshape(-1, n, k)
        Y -= Y.mean(axis=1, keepdims=True)  # (G - c·eeᵀ)PX = GPX
        Y *= self.weights[:, None, None]
        return np.concatenate([X[None] / n, Y]) if self.joint else Y

    def at(self, w: Array, near: Any = None) -> DiscriminantEvaluation:
        """One factorization, one pass over the kernels; a state nearby is of no use."""
        if self.joint:  # at the border X is noise where the kernels are singular
            w = (1 - OFF_BORDER) * w + OFF_BORDER * np.eye(len(w))[0]
        solve = solver(self.system(w), w[0] / self.n if self.joint else 1.0)
        X = solve(self.H)
        images = self.images(X)
        gradient: Array = -np.einsum("nk,pnk->p", X, images)
        return DiscriminantEvaluation(w, float(np.sum(self.H * X)), X, solve, images, gradient)

    def near(self, start: Point) -> Array:
        """w = θ ∘ r"""
        w: Array = inputs.weights("theta", start["theta"], self.r.shape) * self.r
        return w

    def point(self, evaluation: DiscriminantEvaluation) -> Point:
        """θ, and X, half of the β of (20)."""
        return {"theta": evaluation.w / self.r, "X": evaluation.X}

    def ahead(self, evaluation: DiscriminantEvaluation, w: Array) -> Point | None:
        """The point at w, to first order in d = w - its own: X - Σᵢ dᵢM⁻¹AᵢX.

        At the model's minimum its gap is of second order, and with λ given its enclosure needs no
        factorization.
        """
        if self.joint:
            return None
        d = w - evaluation.w
        X = evaluation.X - np.einsum("p,npk->nk", d, evaluation.solved)
        return {"theta": w / self.r, "X": X}


@dataclass
class DiscriminantEvaluation:
    """A point, its factor and its derivatives."""

    w: Array
    value: float
    X: Array
    solve: Callable[[Array], Array]
    images: Array
    gradient: Array

    @cached_property
    def solved(self) -> Array:
        """M⁻¹A₁X, …, M⁻¹A_pX, as (n, p, k)."""
        p, n, k = self.images.shape
        flat = self.images.transpose(1, 0, 2).reshape(n, p * k)
        return self.solve(flat).reshape(n, p, k)

    @property
    def bound(self) -> float:
        """φ²/(⟨X, M₀X⟩ + maxᵢ⟨X, AᵢX⟩)"""
        rest = self.value + float(self.w @ self.gradient)  # ⟨X, M₀X⟩
        return self.value**2 / (rest - float(self.gradient.min()))

    @property
    def upper(self) -> float:
        """φ itself."""
        return self.value

    @property
    def gap(self) -> float:
        """(φ - bound)/φ"""
        return (self.value - self.bound) / self.value

    def hessian(self) -> Array:
        """2⟨AᵢX, M⁻¹AⱼX⟩"""
        H: Array = 2 * np.einsum("pnk,nqk->pq", self.images, self.solved, optimize=True)
        return (H + H.T) / 2


@dataclass
class NewtonState(State):
    """Where it is, the best so far, and how much curvature the next step adds."""

    form: Formulation
    problem: Any
    phi: Function
    w: Array  # where it begins
    at: Evaluation | None = None
    best: Evaluation | None = None
    bound: float = -np.inf
    least: float = np.inf
    damping: float = 0.0


@dataclass(frozen=True)
class Newton(Iterative[NewtonState]):
    """The hyper-parameters: the relative gap to reach, and how long to try."""

    name = "newton"
    answers = first = DISCRIMINANT | margin.ANSWERS | fisher.ANSWERS | square_roots.ANSWERS
    warm = True
    patience = 5

    max_iterations: int = 100

    def init(self, form: Formulation, problem: Any, start: Point | None) -> NewtonState:
        """Equal weights, or those of a problem nearby."""
        phi = function(form, problem)
        w = phi.region.equal(phi.p)
        if start is not None:
            w = phi.region.nearest(phi.near(start))
        return NewtonState(form, problem, phi, w)

    def step(self, state: NewtonState) -> bool:
        """The function where it begins; after that the point ahead, if that will do, or a step."""
        if state.at is None:
            try:
                return self.reached(state, state.phi.at(state.w))
            except LinAlgError:  # another problem's weights may be none for this one
                return self.reached(state, state.phi.at(state.phi.region.equal(state.phi.p)))
        at, phi = state.at, state.phi
        if at.gap <= self.tol / 2:
            return False
        near, H = at.gap**2 <= self.tol / 2, at.hessian()
        lowest = None  # of the model
        if near or not state.damping:
            lowest = phi.region.minimum(H, at.gradient, at.w)
        ahead = phi.ahead(at, lowest) if near and lowest is not None else None
        if ahead is not None:
            enclosure = state.form.enclose(state.problem, ahead)
            if enclosure.width <= self.tol:
                state.lower, state.upper = enclosure.lower, enclosure.upper
                state.enclosure = enclosure
                return True
        moved = self.moved(state, at, H, lowest)
        return moved is not None and self.reached(state, moved)

    def reached(self, state: NewtonState, at: Evaluation) -> bool:
        """Both ends there, if they are the best."""
        state.at = at
        state.best = at if state.best is None or at.gap <= state.best.gap else state.best
        state.bound, state.least = max(state.bound, at.bound), min(state.least, at.upper)
        bound, least = state.phi.unit * state.bound, state.phi.unit * state.least
        state.lower, state.upper = min(bound, least), max(bound, least)
        return True

    def closed(self, state: NewtonState, last: Step) -> bool:
        """By the gap where it is: half of the width asked for is for rounding."""
        assert state.at is not None
        return state.enclosure is not None or state.at.gap <= self.tol / 2

    def point(self, state: NewtonState) -> Point:
        """That of the least gap."""
        return state.phi.point(state.best)

    def moved(
        self, state: NewtonState, at: Evaluation, H: Array, lowest: Array | None
    ) -> Evaluation | None:
        """The model's lowest point in the region; its curvature is raised until φ falls enough.

        Where the active set of a support vector machine changes on the way, φ has more curvature
        than here: the damping is what the next step begins with.
        """
        w, damping, region = at.w, state.damping, state.phi.region
        slopes = region.slopes(at.gradient)
        size = float(np.trace(H)) / len(w) or float(slopes.max())
        for _ in range(TRIALS):
            target = lowest
            if damping or target is None:
                target = region.minimum(H + damping * size * np.eye(len(w)), at.gradient, w)
            d = target - w
            promised = region.price(w) - region.price(target) - model(H, slopes, d)
            try:
                trial = state.phi.at(target, at)
            except LinAlgError:  # singular on the border, where λ is learned
                damping = max(4 * damping, LEAST_DAMPING)
                continue
            kept = (at.value - trial.value) / promised if promised > 0 else 0.0
            # At the end φ no longer shows a difference, and the gap does.
            closing = trial.gap <= at.gap / 2
            if kept > 0.75 or closing:
                damping = damping / 4 if damping > LEAST_DAMPING else 0.0
            elif kept < 0.25:
                damping = max(4 * damping, LEAST_DAMPING)
            if kept > SUFFICIENT or closing:
                state.damping = damping
                return trial
        return None


def function(form: Formulation, problem: Any) -> Function:
    """What a program asks for the least of, on the simplex."""
    if form.id in margin.ANSWERS:
        return margin.function(form, problem)
    if form.id in square_roots.ANSWERS:
        return square_roots.SquareRootsFunction(problem)
    if form.id in fisher.ANSWERS:
        return fisher.FisherFunction(problem)
    unit = -1.0 if form.kind == "SILP" else 1.0  # these maximize minus φ
    return DiscriminantFunction(problem, binary=form.binary, unit=unit)

r"""Newton's method on the simplex, for the exact programs of Ye, Ji and Chen (2008).

With wᵢ = θᵢrᵢ on the unit simplex all of them ask for the least of

    φ(w) = ⟨H, X⟩,   MX = H,   M = M₀ + Σᵢ wᵢAᵢ

where M₀ = I, Aᵢ = G̃ᵢ/(λrᵢ) with λ given, and M₀ = 0, Aᵢ = G̃ᵢ/rᵢ, A₀ = I/n with λ learned. Then

    ∂φ/∂wᵢ = -⟨X, AᵢX⟩,   ∂²φ/∂wᵢ∂wⱼ = 2⟨AᵢX, M⁻¹AⱼX⟩.

A step minimizes the quadratic model over the whole simplex (a quadratic program in p unknowns),
with more curvature where φ did not fall as it should. Each evaluation is one Cholesky factor.
The gradient is also the gap: β = 2X is the paper's (20), and the bound it gives is

    φ(w)²/(⟨X, M₀X⟩ + maxᵢ ⟨X, AᵢX⟩) ≤ min φ.

The programs of Lanckriet et al. (2004) are such functions too, with a support vector machine for
the factorization: `margin`. So is minus the ratio of Kim et al. (2006): `fisher`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import LinAlgError, eigh

from cvxkernel.formulations import inputs
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import Discriminant
from cvxkernel.formulations.ye2008.data import combined, solver
from cvxkernel.solvers import fisher, margin
from cvxkernel.solvers.column_generation import ANSWERS as SEMI_INFINITE
from cvxkernel.solvers.method import Iterative, State, Step

# Not thm3.1 and eq45: diag(t) ⪰ S(θ) is another function of θ, that of `barrier`.
DISCRIMINANT = SEMI_INFINITE | {
    *("ye2008-thm2.1", "ye2008-thm2.2", "ye2008-eq29", "ye2008-eq29-single", "ye2008-thm3.2"),
    *("ye2008-eq41", "ye2008-eq43", "ye2008-eq45-single", "ye2008-eq46"),
}
SUFFICIENT = 1e-4  # of the decrease that the model promises
LEAST_DAMPING = 1e-2  # in units of the mean curvature; below it there is none
TRIALS = 20  # of a step, each with four times the damping of the last


class Evaluation(Protocol):
    """A function at weights w: its value, both ends of its minimum, and its derivatives."""

    w: Array
    value: float
    gradient: Array

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
    """A convex function on the simplex; w = θ ∘ r."""

    r: Array
    p: int

    def at(self, w: Array, near: Any = None) -> Evaluation:
        """Its evaluation, which one nearby may make cheaper."""

    def point(self, evaluation: Any) -> Point:
        """The paper's symbols there."""

    def ahead(self, evaluation: Any) -> Point | None:
        """The same at the minimum of the quadratic model, where that is cheap."""


class DiscriminantFunction:
    """φ and its derivatives, kernels read as they lie in memory."""

    def __init__(self, problem: Any, *, binary: bool) -> None:
        self.H: Array = problem.a if binary else problem.H
        self.n, self.joint = len(self.H), not isinstance(problem, Discriminant)
        self.kernels = problem.near.kernels
        self.offsets = problem.offsets
        scale = 1.0 if self.joint else problem.lam
        self.weights = 1 / (scale * problem.traces)  # Aᵢ = weightᵢ·G̃ᵢ
        self.r, self.p = problem.r, len(problem.r)

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
        solve = solver(self.system(w), w[0] / self.n if self.joint else 1.0)
        X = solve(self.H)
        images = self.images(X)
        gradient: Array = -np.einsum("nk,pnk->p", X, images)
        return DiscriminantEvaluation(w, float(np.sum(self.H * X)), X, solve, images, gradient)

    def point(self, evaluation: DiscriminantEvaluation) -> Point:
        """θ, and X, half of the β of (20)."""
        return {"theta": evaluation.w / self.r, "X": evaluation.X}

    def ahead(self, evaluation: DiscriminantEvaluation) -> Point | None:
        """The point at the model's minimum w + d, to first order in d: X - Σᵢ dᵢM⁻¹AᵢX.

        Its gap is of second order, and with λ given its enclosure needs no factorization.
        """
        if self.joint:
            return None
        w = evaluation.w
        d = model_minimum(evaluation.hessian(), evaluation.gradient, w) - w
        X = evaluation.X - np.einsum("p,npk->nk", d, evaluation.solved)
        return {"theta": (w + d) / self.r, "X": X}


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
    """Where it is, the best so far, and how much curvature the next step adds.

    `sign` is -1 where the paper maximizes what is minus the function.
    """

    form: Formulation
    problem: Any
    phi: Function
    w: Array  # where it begins
    sign: float
    at: Evaluation | None = None
    best: Evaluation | None = None
    bound: float = -np.inf
    least: float = np.inf
    damping: float = 0.0


@dataclass(frozen=True)
class Newton(Iterative[NewtonState]):
    """The hyper-parameters: the relative gap to reach, and how long to try."""

    name = "newton"
    answers = DISCRIMINANT | margin.ANSWERS | fisher.ANSWERS
    first = answers - SEMI_INFINITE
    after = SEMI_INFINITE
    warm = True
    patience = 5

    max_iterations: int = 100

    def init(self, form: Formulation, problem: Any, start: Point | None) -> NewtonState:
        """Equal weights, or those of a problem nearby, `theta` or `mu`."""
        phi = function(form, problem)
        w = np.full(phi.p, 1 / phi.p)
        if start is not None:
            symbol = "theta" if "theta" in start else "mu"
            given = inputs.weights(symbol, start[symbol], phi.r.shape) * phi.r
            near = np.maximum(given, 0.0)
            w = near / near.sum() if near.any() else w
        sign = -1.0 if form.kind == "SILP" or form.id in fisher.ANSWERS else 1.0
        return NewtonState(form, problem, phi, w, sign)

    def step(self, state: NewtonState) -> bool:
        """The function where it begins; after that the point ahead, if that will do, or a step."""
        if state.at is None:
            try:
                return self.reached(state, state.phi.at(state.w))
            except LinAlgError:  # another problem's weights may be none for this one
                return self.reached(state, state.phi.at(np.full(state.phi.p, 1 / state.phi.p)))
        gap = state.at.gap
        if gap <= self.tol / 2:
            return False
        ahead = state.phi.ahead(state.at) if gap**2 <= self.tol / 2 else None
        if ahead is not None:
            enclosure = state.form.enclose(state.problem, ahead)
            if enclosure.width <= self.tol:
                state.lower, state.upper = enclosure.lower, enclosure.upper
                state.enclosure = enclosure
                return True
        moved = self.moved(state, state.at)
        return moved is not None and self.reached(state, moved)

    def reached(self, state: NewtonState, at: Evaluation) -> bool:
        """Both ends there, if they are the best."""
        state.at = at
        state.best = at if state.best is None or at.gap <= state.best.gap else state.best
        state.bound, state.least = max(state.bound, at.bound), min(state.least, at.upper)
        bound, least = state.sign * state.bound, state.sign * state.least
        state.lower, state.upper = min(bound, least), max(bound, least)
        return True

    def closed(self, state: NewtonState, last: Step) -> bool:
        """By the gap where it is: half of the width asked for is for rounding."""
        assert state.at is not None
        return state.enclosure is not None or state.at.gap <= self.tol / 2

    def point(self, state: NewtonState) -> Point:
        """That of the least gap."""
        return state.phi.point(state.best)

    def moved(self, state: NewtonState, at: Evaluation) -> Evaluation | None:
        """The best point of the model on the simplex; its curvature is raised until φ falls enough.

        Where the active set of a support vector machine changes on the way, φ has more curvature
        than here: the damping is what the next step begins with.
        """
        H, w, damping = at.hessian(), at.w, state.damping
        slopes = at.gradient - at.gradient.min()  # Σdᵢ = 0
        size = float(np.trace(H)) / len(w) or float(slopes.max())
        for _ in range(TRIALS):
            target = model_minimum(H + damping * size * np.eye(len(w)), at.gradient, w)
            d = target - w
            promised = -float(slopes @ d + d @ H @ d / 2)
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
        return margin.MarginFunction(form, problem)
    if form.id in fisher.ANSWERS:
        return fisher.FisherFunction(problem)
    return DiscriminantFunction(problem, binary=form.binary)


def model_minimum(H: Array, g: Array, w: Array) -> Array:
    """The v ≥ 0, Σvᵢ = 1, of least gᵀ(v - w) + ½(v - w)ᵀH(v - w), by the primal active-set method.

    It starts from the support of w. Curvatures below 1e-13 of the largest are raised to that:
    among kernels that are nearly equal the step hardly matters.
    """
    p, scale = len(w), float(np.abs(H).max()) or float(np.abs(g).max()) or 1.0
    eig, V = eigh(H / scale)
    F = (V * np.maximum(eig, 1e-13)) @ V.T
    g = g / scale
    v, S = w.copy(), w > 0
    for _ in range(4 * p):
        m = int(S.sum())
        if m == 0:
            break
        kkt = np.ones((m + 1, m + 1))
        kkt[:m, :m], kkt[m, m] = F[np.ix_(S, S)], 0.0
        solved = np.linalg.solve(kkt, np.append(F[S] @ w - g[S], 1.0))
        d = np.zeros(p)
        d[S] = solved[:m] - v[S]
        falling = S & (v + d < 0)
        if falling.any():  # as far as the first weight that reaches zero, which leaves
            ratio = np.where(falling, v / np.where(falling, -d, 1.0), np.inf)
            first = int(np.argmin(ratio))
            v = np.maximum(v + ratio[first] * d, 0.0)
            v[first], S[first] = 0.0, False
            continue
        v = v + d
        slopes = F @ (v - w) + g + solved[m]  # zero on S, and not negative elsewhere at a minimum
        worst = int(np.argmin(np.where(S, np.inf, slopes))) if m < p else 0
        if m == p or slopes[worst] >= -1e-15 * float(np.abs(g).max()):
            break
        S[worst] = True
    total = float(v.sum())
    if not 0 < total < np.inf:  # scales too far apart for the model to be seen: the best vertex
        v, total = np.eye(p)[int(np.argmin(g))], 1.0
    out: Array = v / total
    return out

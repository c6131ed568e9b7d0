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
from time import perf_counter
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh

from cvxkernel.formulations import inputs
from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import Discriminant
from cvxkernel.formulations.ye2008.data import solver
from cvxkernel.solvers import deadline, fisher, margin
from cvxkernel.solvers.solution import Progress, Solution, Step

RESTRICTED = ("ye2008-thm3.1", "ye2008-eq45")  # diag(t) ⪰ S(θ) is another function of θ
DISCRIMINANT = frozenset(
    id for id, form in CATALOGUE.items() if form.paper == "ye2008" and id not in RESTRICTED
)
ANSWERS = DISCRIMINANT | margin.ANSWERS | fisher.ANSWERS
SUFFICIENT = 1e-4  # of the decrease that the model promises
LEAST_DAMPING = 1e-2  # in units of the mean curvature; below it there is none
TRIALS = 20  # of a step, each with four times the damping of the last
PATIENCE = 5  # iterations without a narrower gap


class Function:
    """φ and its derivatives, kernels read as they lie in memory."""

    def __init__(self, problem: Any, *, binary: bool) -> None:
        self.n, self.joint = problem.n, not isinstance(problem, Discriminant)
        self.H = problem.a if binary else problem.H
        self.kernels = problem.near.kernels
        self.offsets = problem.offsets
        scale = 1.0 if self.joint else problem.lam
        self.weights = 1 / (scale * problem.traces)  # Aᵢ = weightᵢ·G̃ᵢ
        self.r, self.p = problem.r, len(problem.r)

    def system(self, w: Array) -> Array:
        """M; in the joint programs plus a multiple of eeᵀ, which no X sees."""
        n = self.n
        shares = (w[1:] if self.joint else w) * self.weights
        M = margin.combined(self.kernels, shares)
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

    def at(self, w: Array, near: State | None = None) -> State:
        """One factorization, one pass over the kernels; a state nearby is of no use."""
        solve = solver(self.system(w), w[0] / self.n if self.joint else 1.0)
        X = solve(self.H)
        images = self.images(X)
        gradient: Array = -np.einsum("nk,pnk->p", X, images)
        return State(w, float(np.sum(self.H * X)), X, solve, images, gradient)

    def point(self, state: State) -> Point:
        """θ, and X, half of the β of (20)."""
        return {"theta": state.w / self.r, "X": state.X}

    def ahead(self, state: State) -> Point | None:
        """The point at the model's minimum w + d, to first order in d: X - Σᵢ dᵢM⁻¹AᵢX.

        Its gap is of second order, and with λ given its enclosure needs no factorization.
        """
        if self.joint:
            return None
        d = model_minimum(state.hessian(), state.gradient, state.w) - state.w
        X = state.X - np.einsum("p,npk->nk", d, state.solved)
        return {"theta": (state.w + d) / self.r, "X": X}


@dataclass
class State:
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


@dataclass(frozen=True)
class Newton:
    """The hyper-parameters: the relative gap to reach, and how long to try."""

    tol: float = 1e-6
    max_iterations: int = 100

    def solve(
        self, id: str, problem: Any, *, progress: Progress | None = None, start: Point | None = None
    ) -> Solution:
        """Solve a program of `ANSWERS`; raises SolverError when the gap stays above `tol`.

        `start` holds the weights of a problem nearby, `theta` or `mu`.
        """
        form = formulation(id)
        if form.id not in ANSWERS:
            raise InputError("solver", f"a conic solver for {id}", "newton")
        form.require(problem)
        try:
            return self.iterate(form, problem, progress, start)
        except LinAlgError as error:
            raise SolverError(id, {"newton": f"failed ({error})"}) from error

    def iterate(
        self, form: Formulation, problem: Any, progress: Progress | None, start: Point | None
    ) -> Solution:
        """Step after step until the gap is closed, and the enclosure at the best of them."""
        id, began, phi = form.id, perf_counter(), function(form, problem)
        state = self.start(phi, start)
        history: list[Step] = []
        enclosure: Enclosure | None = None
        best = state
        bound, upper, damping = -np.inf, np.inf, 0.0
        sign = -1.0 if form.kind == "SILP" or form.id in fisher.ANSWERS else 1.0
        while True:
            bound, upper = max(bound, state.bound), min(upper, state.upper)
            low, high = sorted((sign * bound, sign * upper))
            history.append(Step(len(history) + 1, low, high, perf_counter() - began))
            width = state.gap
            best = state if width <= best.gap else best
            if progress is not None:
                progress(f"{id}: iteration {len(history)}, relative gap {width:.1e}")
            spent = len(history) >= self.max_iterations or deadline.passed()
            stalled = len(history) > PATIENCE and history[-PATIENCE - 1].width <= history[-1].width
            if width <= self.tol / 2 or spent or stalled:
                break
            ahead = phi.ahead(state) if width**2 <= self.tol / 2 else None
            if ahead is not None:
                enclosure = form.enclose(problem, ahead)
                if enclosure.width <= self.tol:
                    ends = enclosure.lower, enclosure.upper
                    history.append(Step(len(history) + 1, *ends, perf_counter() - began))
                    break
            moved, damping = self.step(phi, state, damping)
            if moved is None:
                break
            state = moved
        if enclosure is None or enclosure.width > self.tol:
            enclosure = form.enclose(problem, phi.point(best))
        if not enclosure.width <= self.tol:
            why = f"relative width {enclosure.width:.1e} above {self.tol:.1e}"
            told = f"{why} after {len(history)} iterations"
            raise SolverError(id, {"newton": told}, enclosure, limit=deadline.reached())
        return Solution.at(
            id,
            enclosure,
            "newton",
            iterations=len(history),
            seconds=perf_counter() - began,
            history=tuple(history),
        )

    def start(self, phi: Any, point: Point | None) -> Any:
        """At the weights given, or at equal ones."""
        r, equal = phi.r, np.full(phi.p, 1 / phi.p)
        if point is None:
            return phi.at(equal)
        symbol = "theta" if "theta" in point else "mu"
        w = np.maximum(inputs.weights(symbol, point[symbol], r.shape) * r, 0.0)
        try:
            return phi.at(w / w.sum() if w.any() else equal)
        except LinAlgError:  # another problem's weights may be none for this one
            return phi.at(equal)

    def step(self, phi: Any, state: Any, damping: float) -> tuple[Any, float]:
        """The best point of the model on the simplex; its curvature is raised until φ falls enough.

        Also returns the damping to begin with next time: where the active set of a support vector
        machine changes on the way, φ has more curvature than here.
        """
        H, w = state.hessian(), state.w
        slopes = state.gradient - state.gradient.min()  # Σdᵢ = 0
        size = float(np.trace(H)) / len(w) or float(slopes.max())
        for _ in range(TRIALS):
            target = model_minimum(H + damping * size * np.eye(len(w)), state.gradient, w)
            d = target - w
            promised = -float(slopes @ d + d @ H @ d / 2)
            try:
                trial = phi.at(target, state)
            except LinAlgError:  # singular on the border, where λ is learned
                damping = max(4 * damping, LEAST_DAMPING)
                continue
            kept = (state.value - trial.value) / promised if promised > 0 else 0.0
            # At the end φ no longer shows a difference, and the gap does.
            closing = trial.gap <= state.gap / 2
            if kept > 0.75 or closing:
                damping = damping / 4 if damping > LEAST_DAMPING else 0.0
            elif kept < 0.25:
                damping = max(4 * damping, LEAST_DAMPING)
            if kept > SUFFICIENT or closing:
                return trial, damping
        return None, damping


def function(form: Formulation, problem: Any) -> Any:
    """What a program of `ANSWERS` asks for the least of, on the simplex."""
    if form.id in margin.ANSWERS:
        return margin.Function(form, problem)
    if form.id in fisher.ANSWERS:
        return fisher.Function(problem)
    return Function(problem, binary=form.binary)


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

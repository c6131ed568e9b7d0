r"""The logarithmic barrier for Theorem 3.1 and (45) of Ye, Ji and Chen (2008).

With w on the simplex as in `newton`, S(w) = HᵀM(w)⁻¹H and F = diag(t) - S(w), the least Σⱼtⱼ with
F ⪰ 0 is the limit, as μ falls to zero, of the minima over (w, t) of the convex

    Σⱼ tⱼ - μ log det F - μ Σᵢ log wᵢ

each of which is within (k + p)μ of it. With Z = μF⁻¹, of diagonal 1 at a minimum, and Bᵢ = XᵀAᵢX,

    ∂/∂tⱼ = 1 - Zⱼⱼ,   ∂/∂wᵢ = -⟨Z, Bᵢ⟩ - μ/wᵢ
    ∂²/∂t² = Z∘Z/μ,   ∂²/∂tⱼ∂wᵢ = (ZBᵢZ)ⱼⱼ/μ
    ∂²/∂wᵢ∂wⱼ = ⟨ZBᵢZ, Bⱼ⟩/μ + 2⟨AᵢXZ, M⁻¹AⱼX⟩ + (μ/wᵢ²)δᵢⱼ.

Newton's method goes along; an evaluation is one Cholesky factor of M and one of the k×k matrix F.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import deadline, newton
from cvxkernel.solvers.solution import Progress, Solution

ANSWERS = frozenset(newton.RESTRICTED)
SUFFICIENT = 1e-4  # of the decrease that the model promises
CENTRED = 0.1  # half the square of the Newton decrement, in units of μ, at which μ falls
CENTRED_LAST = 1e-10  # the same at the last μ
FALL = 0.1  # of μ
SHARE = 0.02  # of the width asked for: what (k + p)μ is in the end


@dataclass
class State:
    """A point (w, t) inside, and what Newton's method needs there."""

    t: Array
    at: newton.State
    inverse: Array  # F⁻¹
    logarithms: float  # log det F + Σᵢ log wᵢ

    def merit(self, mu: float) -> float:
        """Σⱼ tⱼ - μ(log det F + Σᵢ log wᵢ)"""
        return float(self.t.sum()) - mu * self.logarithms


@dataclass(frozen=True)
class Barrier:
    """The hyper-parameters: the relative width to reach, and how many steps to take."""

    tol: float = 1e-6
    max_iterations: int = 300

    def solve(self, id: str, problem: Any, *, progress: Progress | None = None) -> Solution:
        """Solve thm3.1 or eq45; raises SolverError where the enclosure stays wider than `tol`."""
        form = formulation(id)
        if form.id not in ANSWERS:
            raise InputError("solver", f"a conic solver for {id}", "barrier")
        form.require(problem)
        began = perf_counter()
        try:
            point, steps = self.minimum(problem, progress)
        except LinAlgError as error:
            raise SolverError(id, {"barrier": f"failed ({error})"}) from error
        enclosure = form.enclose(problem, point)
        if not enclosure.width <= self.tol:
            why = f"relative width {enclosure.width:.1e} above {self.tol:.1e}"
            told = {"barrier": f"{why} after {steps} steps"}
            raise SolverError(id, told, enclosure, limit=deadline.reached())
        seconds = perf_counter() - began
        return Solution.at(id, enclosure, "barrier", iterations=steps, seconds=seconds)

    def minimum(self, problem: Any, progress: Progress | None) -> tuple[Point, int]:
        """θ, t and Z near the optimum, and the number of steps."""
        phi = newton.Function(problem, binary=False)
        equal = phi.at(np.full(phi.p, 1 / phi.p))
        size = equal.value
        phi.H = phi.H / np.sqrt(size)  # in units where the traces of S are near 1
        k = phi.H.shape[1]
        state = inside(phi, equal.w, np.full(k, 2.0))
        assert state is not None  # S ⪯ trace(S)·I = I
        mu, steps, before = 1.0 / (k + phi.p), 0, np.inf
        while steps < self.max_iterations and not deadline.passed():
            moved, decrement = step(phi, state, mu)
            steps += 1
            if progress is not None and steps % 10 == 1:
                progress(f"{problem.n} samples, step {steps}, μ = {mu:.1e}")
            state = state if moved is None else moved
            last = (k + phi.p) * mu <= SHARE * self.tol * float(state.t.sum())
            # A Z that is to be scaled to a unit diagonal has to have one to half the digits.
            spent = moved is None or before / 2 <= decrement <= CENTRED * mu
            if last and (spent or decrement <= CENTRED_LAST * mu):
                break
            before = decrement
            if not last and (moved is None or decrement <= CENTRED * mu):
                mu, before = FALL * mu, np.inf
        Z = state.inverse / np.sqrt(np.outer(*(state.inverse.diagonal(),) * 2))
        return {"theta": state.at.w / phi.r, "t": size * state.t, "Z": Z}, steps


def inside(phi: newton.Function, w: Array, t: Array) -> State | None:
    """The state at (w, t), or None where it is not inside."""
    if not (w > 0).all():
        return None
    at = phi.at(w)
    S = phi.H.T @ at.X
    try:
        L = cholesky(np.diag(t) - (S + S.T) / 2, lower=True)
    except LinAlgError:
        return None
    inverse: Array = cho_solve((L, True), np.eye(len(t)))
    logarithms = 2 * float(np.log(L.diagonal()).sum()) + float(np.log(w).sum())
    return State(t, at, inverse, logarithms)


def step(phi: newton.Function, state: State, mu: float) -> tuple[State | None, float]:
    """One damped Newton step, None where none falls; and the decrease that the model promises."""
    at, p, k = state.at, phi.p, len(state.t)
    Z = mu * state.inverse
    B = np.einsum("nk,pnl->pkl", at.X, at.images)
    ZBZ = Z @ B @ Z
    gradient = np.concatenate([-np.einsum("kl,pkl->p", Z, B) - mu / at.w, 1 - Z.diagonal()])
    hessian = np.empty((p + k, p + k))
    hessian[:p, :p] = np.einsum("pkl,qkl->pq", ZBZ, B) / mu + np.diag(mu / at.w**2)
    hessian[:p, :p] += 2 * np.einsum("pnk,nqk->pq", at.images @ Z, at.solved, optimize=True)
    hessian[p:, p:] = Z * Z / mu
    hessian[:p, p:] = np.einsum("pkk->pk", ZBZ) / mu
    hessian[p:, :p] = hessian[:p, p:].T
    # In units of w; Σᵢ dwᵢ = 0.
    units = np.concatenate([at.w, np.ones(k)])
    kkt = np.zeros((p + k + 1, p + k + 1))
    kkt[:-1, :-1] = (hessian + hessian.T) / 2 * np.outer(units, units)
    kkt[-1, :p] = kkt[:p, -1] = at.w
    d = units * solution(kkt, np.append(-gradient * units, 0.0))[:-1]
    promised = -float(gradient @ d) / 2
    falling = d[:p] < 0
    longest = float((-at.w[falling] / d[:p][falling]).min(initial=np.inf))
    length = min(1.0, 0.99 * longest)
    before = state.merit(mu)
    seen = 8 * EPS * (float(state.t.sum()) + mu * abs(state.logarithms))  # no smaller change is
    for _ in range(40):
        w = at.w + length * d[:p]
        moved = inside(phi, w / w.sum(), state.t + length * d[p:])
        if moved is not None and before - moved.merit(mu) > SUFFICIENT * length * promised - seen:
            return moved, promised
        length /= 2
    return None, promised


def solution(A: Array, b: Array) -> Array:
    """x with Ax = b; the shortest where A is singular in doubles."""
    try:
        return np.asarray(np.linalg.solve(A, b), dtype=np.float64)
    except LinAlgError:
        return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], dtype=np.float64)

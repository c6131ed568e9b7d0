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

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.method import Iterative, State, Step
from cvxkernel.solvers.newton import DiscriminantEvaluation, DiscriminantFunction

SUFFICIENT = 1e-4  # of the decrease that the model promises
CENTRED = 0.1  # half the square of the Newton decrement, in units of μ, at which μ falls
CENTRED_LAST = 1e-10  # the same at the last μ
FALL = 0.1  # of μ
SHARE = 0.1  # of the width asked for: what (k + p)μ is in the end; less leaves Z to rounding


@dataclass
class Inside:
    """A point (w, t) inside, and what Newton's method needs there."""

    t: Array
    at: DiscriminantEvaluation
    inverse: Array  # F⁻¹
    logarithms: float  # log det F + Σᵢ log wᵢ

    def merit(self, mu: float) -> float:
        """Σⱼ tⱼ - μ(log det F + Σᵢ log wᵢ)"""
        return float(self.t.sum()) - mu * self.logarithms


@dataclass
class BarrierState(State):
    """Where it is on the way, in units where the traces of S are near 1: `size` takes t back."""

    phi: DiscriminantFunction
    size: float
    inside: Inside
    mu: float
    before: float = np.inf  # what the model promised of the last step at this μ
    centred: bool = False  # at the last μ: there is nothing left to win
    lower: float = field(default=0.0, kw_only=True)  # S ⪰ 0; a bound is the enclosure's


@dataclass(frozen=True)
class Barrier(Iterative[BarrierState]):
    """The hyper-parameters: the relative width to reach, and how many steps to take."""

    name = "barrier"
    answers = first = frozenset({"ye2008-thm3.1", "ye2008-eq45"})
    counted = "step"

    max_iterations: int = 300

    def init(self, form: Formulation, problem: Any, start: Point | None) -> BarrierState:
        """Equal weights, and a t above S there."""
        phi = DiscriminantFunction(problem, binary=False)
        equal = phi.at(np.full(phi.p, 1 / phi.p))
        phi.H = phi.H / np.sqrt(equal.value)
        k = phi.H.shape[1]
        begin = inside(phi, equal.w, np.full(k, 2.0))
        assert begin is not None  # S ⪯ trace(S)·I = I
        return BarrierState(phi, equal.value, begin, 1.0 / (k + phi.p))

    def step(self, state: BarrierState) -> bool:
        """One of Newton's steps, and a smaller μ where it was near the minimum of this one."""
        if state.centred:
            return False
        mu, both = state.mu, len(state.inside.t) + state.phi.p
        moved, decrement = step(state.phi, state.inside, mu)
        state.inside = state.inside if moved is None else moved
        state.upper = min(state.upper, state.size * float(state.inside.t.sum()))
        near = decrement <= CENTRED * mu
        if both * mu <= SHARE * self.tol * float(state.inside.t.sum()):
            # A Z that is to be scaled to a unit diagonal has to have one to half the digits.
            spent = moved is None or (near and state.before / 2 <= decrement)
            state.centred = spent or decrement <= CENTRED_LAST * mu
            state.before = decrement
        elif moved is None or near:
            state.mu, state.before = FALL * mu, np.inf
        else:
            state.before = decrement
        return True

    def closed(self, state: BarrierState, last: Step) -> bool:
        """At the end of the way."""
        return state.centred

    def point(self, state: BarrierState) -> Point:
        """θ, t, and Z scaled to a unit diagonal."""
        F = state.inside.inverse
        Z = F / np.sqrt(np.outer(F.diagonal(), F.diagonal()))
        return {
            "theta": state.inside.at.w / state.phi.r,
            "t": state.size * state.inside.t,
            "Z": Z,
        }

    def line(self, state: BarrierState, last: Step) -> str:
        """How far μ has come."""
        return f"step {last.iteration}, μ = {state.mu:.1e}"


def inside(phi: DiscriminantFunction, w: Array, t: Array) -> Inside | None:
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
    return Inside(t, at, inverse, logarithms)


def step(phi: DiscriminantFunction, state: Inside, mu: float) -> tuple[Inside | None, float]:
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

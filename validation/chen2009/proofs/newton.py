r"""(2), (7) and (12) polished: Newton's method on the conditions of the optimum, in balls.

With v = Yα, and numbers θ that say how far K is from S, `validation.proofs.newton` has

    image = YKv,   g(α, θ) = 0,   K = K(α, θ)

    (2)            K = (S + vvᵀ/(4ρ))₊
    (7)            K = (S + (ητ/γ)vvᵀ)₊                      ‖K - S‖ = τ
    (12) clip      k = λ∘a₀ + sλ²∘w², w = Uᵀv                η‖λ∘w²‖ = γ;  the same for flip
    (12) spectrum  k = max(λ + s·w², 0) where λ ≠ 0          η‖k - λ‖ = γs
    (12) both      a = (r₂a_clip + r₁a_flip + r₁r₂q/γ)/(r₁ + r₂), q = ηλ∘w²
                                                             ‖a - a_clip‖ = r₁, ‖a - a_flip‖ = r₂
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.arithmetic import BALLS, balls
from cvxkernel.formulations.arithmetic.balls import Tensor, exact
from cvxkernel.formulations.chen2009 import bounds, spectrum
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.dual_ascent import differences, hessian
from cvxkernel.validation.proofs.newton import Conditions, State, alone, polished

MOST = 100  # samples


def parts(at: bounds.Free, alpha: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
    """d and V of M = S + s·vvᵀ."""
    v = at.y * alpha
    M = at.S + s * (v[:, None] * v)
    d, V = balls.eigenvectors(balls.symmetric(M.matrix).mid())
    return exact(d), exact(V)


def weight(at: bounds.Free, theta: Tensor) -> Tensor:
    """s, of vvᵀ in M."""
    return 1 / (4 * at.rho) if isinstance(at, bounds.Robust) else theta[0]


def kernel(at: bounds.Free) -> Conditions:
    """Those of (2), θ = (); of (7), θ = (s,) with s = ητ/γ."""

    def conditions(alpha: Tensor, theta: Tensor) -> State:
        s = weight(at, theta)
        d, V = parts(at, alpha, s)
        v = at.y * alpha
        w = V.T @ v
        image = at.y * (V @ (d.positive() * w))
        m, U, x, t = d.mid, V.mid, w.mid, float(s.mid)
        H = np.outer(at.y, at.y) * hessian(m, U, v.mid, 1 / (4 * t))
        if not isinstance(at, bounds.Kernel):
            return alone(image, H)
        # In the basis V, K - S is diag(d₋) + s·wwᵀ.
        minus = (-d).positive()
        cross, pull = BALLS.inner(minus, w.square()), s * w.square().sum()
        norm = (minus.square().sum() + 2 * s * cross + pull.square()).sqrt()
        tau = s * at.gamma / at.ridge
        ratio, size = float((at.gamma / at.ridge).mid), float(norm.mid) or TINY
        Omega = differences(m)
        P = Omega * (np.diag(np.maximum(-m, 0.0)) + t * np.outer(x, x)) / size
        A = at.y * (U @ (x * (Omega @ x**2)))
        B = at.y * (2 * t * (U @ (P @ x)))
        D = float(x @ P @ x) - ratio
        g = BALLS.stack([norm - tau])
        return State(image, g, H, A[:, None], B[None], np.array([[D]]))

    return conditions


def free_point(at: bounds.Free, alpha: Array, tau: float) -> dict[str, Tensor] | None:
    """α, W and K of (2) or (7) to the working precision, from doubles; not for (7) at K = S."""
    theta, problem = np.zeros(0), at.problem
    if isinstance(at, bounds.Kernel):
        theta = np.array([problem.eta * tau / problem.gamma])
        if not theta[0] > TINY:
            return None
    made = polished(kernel(at), at.y, at.top, alpha, theta)
    if made is None or not weight(at, made[1]) > 0:
        return None
    s, v = weight(at, made[1]), at.y * made[0]
    d, V = parts(at, made[0], s)
    W = at.ridge * (v[:, None] * v) + (at.ridge / s) * BALLS.composed(V, (-d).positive())
    return {"alpha": made[0], "W": W.point(), "K": BALLS.composed(V, d.positive()).point()}


# -- (12) ------------------------------------------------------------------------------------------


def spectral(at: bounds.Spectrum) -> Conditions:
    """Those of (12), θ = (s,) or (r₁, r₂)."""
    problem, lam, U = at.problem, at.lam.point(), at.U.point()
    kept = problem.Lam != 0
    clip, flip = spectrum.a_clip(problem.Lam), spectrum.a_flip(problem.Lam)
    eta, gamma = float(at.ridge.mid), float(at.gamma.mid)
    L, YU = problem.Lam, at.y[:, None] * U.mid

    def conditions(alpha: Tensor, theta: Tensor) -> State:
        w = U.T @ (at.y * alpha)
        square = w.square()
        x2 = square.mid
        if problem.h == "both":
            r1, r2 = theta[0], theta[1]
            q = at.ridge * (lam * square)
            a = middle(at, r1, r2, q)
            k = (lam * a).positive()
            g = BALLS.stack([BALLS.norm(a - clip) - r1, BALLS.norm(a - flip) - r2])
            x, z = float(r1.mid), float(r2.mid)
            turn = x * z / (gamma * (x + z))
            bend = eta * L**2 * turn
            # ∂a/∂r₁ and ∂a/∂r₂
            change = [(flip - a.mid + z * q.mid / gamma) / (x + z),
                      (clip - a.mid + x * q.mid / gamma) / (x + z)]  # fmt: skip
            along = np.stack([L * change[0], L * change[1]], axis=1)
            units = np.stack([(a.mid - clip) / x, (a.mid - flip) / z])
            slope = units * (eta * L * turn)
            corner = units @ np.stack(change, axis=1) - np.eye(2)
        elif problem.h == "spectrum":
            s = theta[0]
            k = BALLS.where(kept, (lam + s * square).positive(), 0.0)
            on = np.where(kept & (k.mid > 0), 1.0, 0.0)
            away = k - lam
            norm = BALLS.norm(away)
            g = BALLS.stack([norm - s * at.gamma / at.ridge])
            unit = away.mid / float(norm.mid)
            bend, along = float(s.mid) * on, (x2 * on)[:, None]
            slope = (unit * bend)[None]
            corner = np.array([[float(unit @ (x2 * on)) - gamma / eta]])
        else:
            s, pull = theta[0], lam * square
            k = (lam * at.centres[0] + s * lam * pull).positive()
            norm = BALLS.norm(pull)
            g = BALLS.stack([norm - at.gamma / at.ridge])
            bend, along = float(s.mid) * L**2, (L**2 * x2)[:, None]
            slope, corner = (L**2 * x2 / float(norm.mid))[None], np.zeros((1, 1))
        image = at.y * (U @ (k * w))
        x = w.mid
        H = (YU * (k.mid + 2 * bend * x2)) @ YU.T
        return State(image, g, H, (YU * x) @ along, (slope * (2 * x)) @ YU.T, corner)

    return conditions


def middle(at: bounds.Spectrum, r1: Tensor, r2: Tensor, q: Tensor) -> Tensor:
    """The a of h = both at the distances r₁ and r₂."""
    clip, flip = at.centres
    made: Tensor = (r2 * clip + r1 * flip + r1 * r2 * q / at.gamma) / (r1 + r2)
    return made


def spectrum_point(at: bounds.Spectrum, alpha: Array, a: Array) -> dict[str, Tensor] | None:
    """α and a of (12) to the working precision, from doubles; not where a is a centre of h."""
    problem, L = at.problem, at.problem.Lam
    if problem.h == "both":
        theta = np.array([np.linalg.norm(a - c) for c in at.centres])
    elif problem.h == "spectrum":
        theta = np.array([np.linalg.norm(L * (a - 1)) * problem.eta / problem.gamma])
    else:
        pull = L * (problem.basis.U.T @ (problem.y * alpha)) ** 2
        theta = np.array([pull @ (a - at.centres[0]) / max(float(pull @ pull), TINY)])
    if not (theta > 0).all():
        return None
    made = polished(spectral(at), at.y, at.top, alpha, theta)
    if made is None or not (made[1].mid > 0).all():
        return None
    return {"alpha": made[0], "a": _modification(at, *made)}


def _modification(at: bounds.Spectrum, alpha: Tensor, theta: Tensor) -> Tensor:
    """a"""
    lam = at.lam.point()
    square = (at.U.point().T @ (at.y * alpha)).square()
    if at.problem.h == "both":
        return middle(at, theta[0], theta[1], at.ridge * (lam * square))
    if at.problem.h == "spectrum":
        kept = at.problem.Lam != 0
        k = (lam + theta[0] * square).positive()
        return BALLS.where(kept, k / BALLS.where(kept, lam, 1.0), 1.0)
    made: Tensor = theta[0] * lam * square + at.centres[0]
    return made

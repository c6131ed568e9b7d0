r"""(2), (7) and (12) polished: Newton's method on the conditions of the optimum, in balls.

With F the free samples, v = Yα, and numbers θ that say how far K is from S,

    Y(Kv + b1) = 1 on F,  yᵀα = 0,  g(α, θ) = 0,   K = K(α, θ)

    (2)            K = (S + vvᵀ/(4ρ))₊
    (7)            K = (S + (ητ/γ)vvᵀ)₊                      ‖K - S‖ = τ
    (12) clip      k = λ∘a₀ + sλ²∘w², w = Uᵀv                η‖λ∘w²‖ = γ;  the same for flip
    (12) spectrum  k = max(λ + s·w², 0) where λ ≠ 0          η‖k - λ‖ = γs
    (12) both      a = (r₂a_clip + r₁a_flip + r₁r₂q/γ)/(r₁ + r₂), q = ηλ∘w²
                                                             ‖a - a_clip‖ = r₁, ‖a - a_flip‖ = r₂

The residuals are balls, the derivatives doubles: a step gains as many digits as those have. No
proof rests on the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import BALLS, balls
from cvxkernel.formulations.arithmetic.balls import Tensor, exact
from cvxkernel.formulations.chen2009 import bounds, spectrum
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.dual_ascent import differences, hessian

MOST = 100  # samples
BORDER = 1e-6  # of the box: nearer to its border a sample is taken as there
ROUNDS = 8  # of active sets


class State(NamedTuple):
    """YKv and g in balls; their derivatives in α and in θ in doubles."""

    image: Tensor
    g: Tensor
    H: Array  # of the image in α
    A: Array  # of the image in θ
    B: Array  # of g in α
    D: Array  # of g in θ


Conditions = Callable[[Tensor, Tensor], State]


def polished(
    conditions: Conditions, y: Array, top: Tensor, alpha: Array, theta: Array
) -> tuple[Tensor, Tensor] | None:
    """α and θ from doubles near them; None where that does not end at an optimum."""
    C = float(top.mid)
    if not alpha.max() > 0:
        return None
    image = conditions(exact(alpha), exact(theta)).image.mid
    gap = 1 - image - svm.offset(image, y) * y
    # A sample is free unless its margin is farther from 1 than its α from the border; or unless
    # that is there to a few digits.
    for low, high in (
        (alpha < -gap * alpha.max(), C - alpha < gap * C),
        (alpha < BORDER * C, C - alpha < BORDER * C),
    ):
        made = _on_sets(conditions, y, top, exact(alpha), exact(theta), ~low & ~high, high)
        if made is not None:
            return made
    return None


def _on_sets(
    conditions: Conditions, y: Array, top: Tensor, at: Tensor, more: Tensor, free: Any, high: Any
) -> tuple[Tensor, Tensor] | None:
    """From one choice of active sets to that of the optimum."""
    C = float(top.mid)
    for _ in range(ROUNDS):
        at = BALLS.where(high, top, BALLS.where(free, at, 0.0))
        solved = _solved(conditions, y, at, more, free)
        if solved is None:
            return None
        at, more, gap = solved
        below, over = free & (at.mid < 0), free & (at.mid > C)
        small = 1e-12 * (1 + np.abs(gap))
        wrong = ~free & np.where(high, gap < -small, gap > small)
        if not (below | over | wrong).any():
            return at, more
        high = (high | over) & ~wrong
        free = (free & ~below & ~over) | (wrong if not (below | over).any() else False)
    return None


def _solved(
    conditions: Conditions, y: Array, alpha: Tensor, theta: Tensor, free: Any
) -> tuple[Tensor, Tensor, Array] | None:
    """Newton's steps with these samples free, and what their margins lack at the end."""
    size, n, m = float(alpha.mid.max()), int(free.sum()), len(theta)
    before, e = np.inf, int(n > 0)  # with no sample free nothing tells b
    b: Any = None
    for _ in range(6 + BALLS.bits // 16):
        if not (size > 0 and (theta.mid > TINY).all()):
            return None
        at = conditions(alpha, theta)
        b = svm.kink(BALLS, at.image, y) if b is None else b
        gap = (1 - at.image - b * y).point()
        balance = np.full(e, -(y * alpha).sum().mid)
        rest = np.concatenate([gap.mid[free], balance, -at.g.mid])
        scale = np.concatenate([np.full(n, size), np.ones(e), np.abs(theta.mid)])
        J = np.zeros((n + e + m, n + e + m))
        J[:n, :n], J[:n, n : n + e] = at.H[np.ix_(free, free)], y[free, None][:, :e]
        J[n : n + e, :n] = y[None, free][:e]
        J[:n, n + e :], J[n + e :, :n], J[n + e :, n + e :] = at.A[free], at.B[:, free], at.D
        J *= scale
        level = np.abs(J).max(axis=1, initial=0.0)
        level[level == 0] = 1.0
        if not np.isfinite(J).all() or not np.isfinite(rest).all():
            return None
        d = np.linalg.lstsq(J / level[:, None], rest / level, rcond=1e-14)[0]
        moved = float(np.abs(d).max(initial=0.0))
        step = d * scale
        alpha, theta = (alpha + _at(free, step[:n])).point(), (theta + step[n + e :]).point()
        b = (b + float(step[n : n + e].sum())).point()
        if moved < 2.0 ** (24 - BALLS.bits) or (before < 1e-6 and moved > before / 4):
            break
        before = moved
    return (alpha, theta, gap.mid) if moved < 1e-14 else None


def _alone(image: Tensor, H: Array) -> State:
    """Where there is no θ."""
    none = np.zeros((0, len(H)))
    return State(image, exact(np.zeros(0)), H, none.T, none, np.zeros((0, 0)))


def _at(mask: Any, values: Array) -> Array:
    out = np.zeros(len(mask))
    out[mask] = values
    return out


# -- (2) and (7) -----------------------------------------------------------------------------------


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
            return _alone(image, H)
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

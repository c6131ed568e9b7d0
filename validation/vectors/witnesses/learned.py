"""Points of the programs that learn the kernel: factors above, α with W = κvvᵀ + BBᵀ below."""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from scipy.linalg import eigh, eigvalsh
from scipy.optimize import brentq, minimize_scalar

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.chen2009.programs import KernelMachine, NewSample, RobustMachine
from cvxkernel.formulations.errors import ParameterError
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import LOSSES, losses
from cvxkernel.formulations.kundu2010.programs import Combination, Similarities
from cvxkernel.validation.vectors.decimals import balanced, shares, texts
from cvxkernel.validation.vectors.witnesses.machines import above, offset, polished

INSIDE = 1 - 1e-14  # of a ball: so much do decimals leave


def factor(K: Array) -> Array:
    """F with FFᵀ the positive part of K; one column of zeros where there is none."""
    eig, V = eigh((K + K.T) / 2)
    kept = eig > 1e-15 * max(float(eig[-1]), 0.0)
    F: Array = V[:, kept] * np.sqrt(eig[kept]) if kept.any() else np.zeros((len(K), 1))
    return F


def robust(problem: RobustMachine, point: Point) -> dict[str, Any]:
    """chen2009 (2): W = ½vvᵀ + 2ρM₋ with M = S + vvᵀ/(4ρ)."""
    y, C, rho = problem.y, Fraction(problem.C), problem.rho
    alpha = np.clip(point["alpha"], 0.0, problem.C)
    v = y * alpha
    B = np.sqrt(2 * rho) * factor(-(problem.S + np.outer(v, v) / (4 * rho)))
    return {**_primal(problem, point, float(C)), "alpha": balanced(alpha, y, C), "B": texts(B)}


def free(problem: KernelMachine, point: Point) -> dict[str, Any]:
    """chen2009 (7): W = ηvvᵀ + (γ/τ)M₋ with M = S + (ητ/γ)vvᵀ at the best τ, in the ball."""
    y, eta, gamma, S = problem.y, problem.eta, problem.gamma, problem.S
    C = 1 / (2 * Fraction(eta) * problem.n)
    alpha = np.clip(point["alpha"], 0.0, float(C))
    v = y * alpha

    def at(log: float) -> tuple[float, Array, float]:
        tau = float(np.exp(log))
        B = np.sqrt(gamma / tau) * factor(-(S + (eta * tau / gamma) * np.outer(v, v)))
        W = eta * np.outer(v, v) + B @ B.T
        scale = min(1.0, gamma / max(float(np.linalg.norm(W)), 1e-300))
        value = 2 * eta * np.sqrt(scale) * alpha.sum() - scale * float(np.sum(W * S))
        return value, B, scale

    near = np.log(max(float(np.linalg.norm(point["K"] - S)), 1e-12 * float(np.linalg.norm(S))))
    found = minimize_scalar(
        lambda x: -at(x)[0], bounds=(near - 2, near + 2), method="bounded", options={"xatol": 1e-14}
    )
    _, B, scale = max(at(near), at(float(found.x)), key=lambda made: made[0])
    scale *= INSIDE
    below = {"alpha": balanced(np.sqrt(scale) * alpha, y, C), "B": texts(np.sqrt(scale) * B)}
    return {**_primal(problem, point, float(C)), **below}


def _primal(problem: RobustMachine | KernelMachine, point: Point, C: float) -> dict[str, Any]:
    """F, g and b: z = Fg is Kc for the machine on K."""
    K = np.asarray(point["K"])
    F = factor(K)
    _, c, b = above(F @ F.T, problem.y, C, np.clip(point["alpha"], 0.0, C))
    return {"F": texts(F), "g": texts(F.T @ c), "b": texts(b)}


def sample(problem: NewSample, point: Point) -> dict[str, Any]:
    """chen2009 (8): x = Σ vᵢσᵢ/(dᵢ + ν) with xᵀKx = ψ + ν, p = s - Kx; or ν = 0."""
    d, V = eigh(problem.K)
    d = np.where(d > 1e-13 * max(float(d[-1]), 0.0), d, 0.0)
    sigma, kept = V.T @ problem.s, d > 0

    def short(nu: float) -> float:
        return float(np.sum(sigma[kept] ** 2 * d[kept] / (d[kept] + nu) ** 2)) - problem.psi - nu

    nu = 0.0
    if not kept.any() or short(0.0) > 0:
        high = 1.0 + abs(problem.psi) + float(np.abs(sigma).max())
        while short(high) > 0:
            high *= 2
        nu = float(brentq(short, 0.0, high, xtol=1e-300, rtol=1e-15)) if short(0.0) > 0 else 0.0
        nu = nu or max(-problem.psi, 0.0)
    if nu == 0 and not semidefinite.exactly(as_it_came(problem.K)):
        # No vector is known to be in the null space: the price of a small ν against that of K's
        # slack, which ν divides.
        off = float(np.finfo(float).eps) * float(np.trace(problem.K)) * float(sigma @ sigma)
        nu = float(np.sqrt(off / max(abs(problem.psi), 1e-8)))
    x = np.zeros(problem.n)
    x[kept] = sigma[kept] / (d[kept] + nu)
    x = V @ x
    if nu > 0:
        return {"x": texts(x, 17), "p": texts(problem.s - problem.K @ x, 17), "nu": texts(nu, 17)}
    null = _null(problem.K)
    p = ["0"] * problem.n
    if null:
        N = np.array(null, dtype=float)
        t = np.linalg.lstsq(N.T, problem.s, rcond=None)[0]
        exact = [Fraction(u) for u in texts(t)]
        rows = zip(*null, strict=True)
        p = [_text(sum(map(mul, exact, row), Fraction(0))) for row in rows]
    return {"x": texts(x, 17), "p": p, "nu": "0"}


def as_it_came(K: Array) -> Array:
    """The matrix that a problem holds as K, before it was made semidefinite."""
    known = semidefinite.held(K)
    return K if known is None else known.came


def _null(K: Array) -> list[list[int]]:
    """Integer vectors that span the null space of K, exactly."""
    from flint import fmpq, fmpq_mat

    n = len(K)
    rows = [[fmpq(*x.as_integer_ratio()) for x in row] for row in K.tolist()]
    reduced, rank = fmpq_mat(rows).rref()
    lead = [next(j for j in range(n) if reduced[i, j] != 0) for i in range(rank)]
    out = []
    for free in (j for j in range(n) if j not in lead):
        v = [Fraction(0)] * n
        v[free] = Fraction(1)
        for i, j in enumerate(lead):
            v[j] = -Fraction(int(reduced[i, free].p), int(reduced[i, free].q))
        common = int(np.lcm.reduce([x.denominator for x in v], dtype=object))
        out.append([int(x * common) for x in v])
    return out


def _text(x: Fraction) -> str:
    """A decimal fraction in full."""
    places = 0
    while (x * 10**places).denominator != 1:
        places += 1
    return f"{int(x * 10**places)}e-{places}" if places else str(int(x))


# -- Several kernels -------------------------------------------------------------------------------


def split(problem: Any, K: Array, alpha: Array, gamma: Array) -> tuple[Array, Array, float]:
    """cᵢ = c/γᵢ and b above Ω, and the γ at which all cᵢᵀKᵢcᵢ are the same."""
    y, C = problem.y, problem.C
    best: tuple[float, Array, Array, float] = (np.inf, np.zeros((len(K), len(y))), gamma, 0.0)
    for _ in range(6):
        safe = np.maximum(gamma, 1e-14)
        Q = np.einsum("i,ijk->jk", 1 / safe, K)
        for c in polished(Q, y, C, alpha):
            each = c / safe[:, None]
            f = np.einsum("ijk,ik->j", K, each)
            b = offset(y, f)
            longest = max(float(x @ A @ x) for x, A in zip(each, K, strict=True))
            value = longest / 2 + C * float(np.maximum(0.0, 1 - y * (f + b)).sum())
            if value < best[0]:
                best = value, each, gamma, b
        c = best[1][0] * np.maximum(best[2][0], 1e-14)
        root = np.sqrt(np.maximum([c @ A @ c for A in K], 0.0))
        gamma = root / root.sum() if root.sum() > 0 else gamma
    return best[1], best[2], best[3]


def combination(problem: Combination, point: Point) -> dict[str, Any]:
    """kundu2010 (10)."""
    alpha, gamma = np.asarray(point["alpha"]), np.maximum(point["gamma"], 0.0)
    c, _, b = split(problem, problem.kernels, alpha, gamma / gamma.sum())
    x = np.asarray(point.get("x", c))
    if x.ndim == 2:  # a point of its own for every kernel
        own = problem.y * x
        f = np.einsum("ijk,ik->j", problem.kernels, own)
        at = offset(problem.y, f)

        def value(each: Array, b: float) -> float:
            f = np.einsum("ijk,ik->j", problem.kernels, each)
            longest = max(float(z @ A @ z) for z, A in zip(each, problem.kernels, strict=True))
            return longest / 2 + problem.C * float(np.maximum(0.0, 1 - problem.y * (f + b)).sum())

        c, b = min((c, b), (own, at), key=lambda pair: value(*pair))
    made = {"alpha": balanced(alpha, problem.y, Fraction(problem.C)), "c": texts(c), "b": texts(b)}
    a = problem.y * np.clip(alpha, 0.0, problem.C)
    root = np.sqrt(np.maximum([a @ A @ a for A in problem.kernels], 0.0))
    gamma = root + 1e-15 * root.sum() if root.sum() > 0 else gamma  # the best for α
    return {**made, "gamma": shares(gamma, 25)}


def kernels(problem: Similarities, point: Point) -> dict[str, Any]:
    """kundu2010 (4) and (6): Fᵢ and gᵢ above, Wᵢ and μᵢ below."""
    if not isinstance(problem.loss, str):
        expected = f"one of {', '.join(LOSSES)} in a certificate"
        raise ParameterError("loss", expected, losses.told(problem.loss)[:60])
    one = np.ndim(point["K"]) == 2
    K = np.asarray(point["K"])[None] if one else np.asarray(point["K"])
    y, tau, rho, n = problem.y, problem.tau, problem.rho, problem.n
    alpha = np.clip(point["alpha"], 0.0, problem.C)
    gamma = np.ones(1) if one else np.maximum(point["gamma"], 1e-12)
    gamma = gamma / gamma.sum()
    F = [factor(A) for A in K]
    t = np.array([tau / np.sum(A * A) for A in F])
    K = np.stack([s * (A @ A.T) for s, A in zip(t, F, strict=True)])
    c, _, b = split(problem, K, alpha, gamma)
    g = [s * (A.T @ x) for s, A, x in zip(t, F, c, strict=True)]
    W = (point["W"] + np.transpose(point["W"], (0, 2, 1))) / 2
    if problem.loss == "L1":
        W = np.clip(W, -rho * INSIDE, rho * INSIDE)
    elif problem.loss == "L2":
        size = np.sqrt((W * W).sum(axis=(1, 2), keepdims=True))
        W = W * np.minimum(1.0, rho * INSIDE / np.maximum(size, 1e-300))
    a = y * alpha
    mu = []
    for A, s in zip([W.sum(axis=0)] if one else W, gamma, strict=True):
        rest = A - np.outer(a, a) / (2 * s)
        mu.append(float(eigvalsh(rest)[0]) - 1e-14 * n * float(np.abs(rest).max()))
    made = {"alpha": balanced(alpha, y, Fraction(problem.C)), "mu": texts(mu), "b": texts(b)}
    weights = {} if one else {"gamma": shares(gamma)}
    points = {"F": [texts(A) for A in F], "g": [texts(x) for x in g], "W": texts(W)}
    return {**made, **weights, **points}

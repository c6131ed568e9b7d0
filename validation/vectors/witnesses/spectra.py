"""Points of the programs in eigenvectors, and the eigenvectors to as many digits as they take."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import brentq

from cvxkernel.formulations.chen2009.programs import SpectrumMachine
from cvxkernel.formulations.eigenbasis import Basis
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.programs import Spectra
from cvxkernel.validation.vectors.decimals import balanced, shares, texts
from cvxkernel.validation.vectors.witnesses.learned import INSIDE, split
from cvxkernel.validation.vectors.witnesses.machines import above

BITS, PLACES = 192, 40  # of eigenvectors that are no decimals


def eigenvectors(S: Array, basis: Basis, key: str = "S") -> dict[str, Any]:
    """U and λ as decimals: exactly, where they are decimals, or else to 40 places."""
    rounded = np.round(basis.U * 2.0**20) / 2.0**20
    image, n = S @ rounded, len(S)
    lam = np.sum(rounded * image, axis=0)
    if (rounded.T @ rounded == np.eye(n)).all() and (image == rounded * lam).all():
        return {"U": texts(rounded, 17), "lam": texts(lam, 17)}
    if basis.open is not None:
        raise InputError(key, "eigenvectors that are determined", basis.open)
    found = basis.enclosed(BITS)
    if found is None:
        raise InputError(key, "eigenvectors that can be enclosed", f"a matrix of {n} rows")
    lam_balls, U = found
    rows = [[_text(U[i, j]) for j in range(n)] for i in range(n)]
    return {"U": rows, "lam": [_text(x) for x in lam_balls]}


def _text(x: Any) -> str:
    return str(x.mid().str(PLACES, radius=False)) if x != 0 else "0"


def modification(problem: SpectrumMachine, point: Point) -> dict[str, Any]:
    """chen2009 (12): a, z and b above; α and w below."""
    basis, y, eta = problem.basis, problem.y, problem.eta
    lam, U, n = basis.lam, basis.U, problem.n
    C = 1 / (2 * Fraction(eta) * n)
    sign = np.sign(lam)
    own = np.asarray(point["a"])
    a = np.where(sign * own > 0, own, 0.0)
    a = np.where(lam == 0, {"clip": np.ones(n), "both": own}.get(problem.h, np.zeros(n)), a)
    k = np.maximum(lam * a, 0.0)
    alpha = np.clip(point["alpha"], 0.0, float(C))
    _, c, b = above((U * k) @ U.T, y, float(C), alpha)
    z = k * (U.T @ c)
    w, scale = _multipliers(problem, alpha, a)
    scale *= INSIDE
    below = {"alpha": balanced(np.sqrt(scale) * alpha, y, C), "w": texts(scale * w)}
    return {**eigenvectors(problem.S, basis), "a": texts(a), "z": texts(z), "b": texts(b), **below}


def _multipliers(problem: SpectrumMachine, alpha: Array, a: Array) -> tuple[Array, float]:
    """The w of the largest bound at α, and the multiple of α² and w that is feasible."""
    lam, gamma = problem.basis.lam, problem.gamma
    sign = np.sign(lam)
    v = problem.y * alpha
    image = np.abs(problem.basis.U.T @ v) + 1e-15 * float(np.linalg.norm(v))  # decimals are off
    q = problem.eta * image**2 * (1 + 1e-13)
    if problem.h == "spectrum":
        q = np.where(lam == 0, 0.0, q)

        def w(t: float) -> Array:
            return np.maximum(q, -lam * t)

        size = float(np.linalg.norm(w(0.0)))
        if size >= gamma or not (lam < 0).any():
            return w(0.0)[None], min(1.0, gamma / size)
        high = gamma / float(np.abs(lam[lam < 0]).min()) * 2
        short = lambda t: float(np.linalg.norm(w(t))) - gamma  # noqa: E731
        return w(float(brentq(short, 0.0, high, xtol=1e-300, rtol=1e-15)))[None], 1.0
    total = lam * q + sign * 1e-15 * gamma
    if problem.h != "both":
        return total[None], min(1.0, gamma / max(float(np.linalg.norm(total)), 1e-300))
    starts = (np.where(lam >= 0, 1.0, 0.0), sign)
    best: tuple[float, Array, float] = (-np.inf, np.stack([total / 2, total / 2]), 1.0)
    options = [np.stack([total / 2, total / 2])]
    for i in (0, 1):
        away = a - starts[i]
        if np.linalg.norm(away) > 0:
            own = gamma * away / np.linalg.norm(away)
            both = [total - own, own] if i else [own, total - own]
            options.append(np.stack(both))
    for W in options:
        scale = min(1.0, gamma / max(float(np.linalg.norm(W, axis=1).max()), 1e-300))
        cost = sum(float(w @ s) for w, s in zip(W, starts, strict=True))
        value = 2 * problem.eta * np.sqrt(scale) * float(alpha.sum()) - scale * cost
        best = max(best, (value, W, scale), key=lambda made: made[0])
    return best[1], best[2]


def spectra(problem: Spectra, point: Point) -> dict[str, Any]:
    """kundu2010 (7): μ, π and b above; α, γ and w below."""
    y, tau, rho = problem.y, problem.tau, problem.rho
    mu, alpha = np.maximum(point["mu"], 0.0), np.clip(point["alpha"], 0.0, problem.C)
    mu = mu * (tau / mu.sum(axis=1, keepdims=True))
    gamma = np.maximum(point["gamma"], 1e-12)
    gamma = gamma / gamma.sum()
    V = problem.V
    K = np.einsum("ijk,ik,ilk->ijl", V, mu, V)
    c, _, b = split(problem, K, alpha, gamma)
    pi = mu * np.einsum("ijk,ij->ik", V, c)
    w = np.asarray(point["w"])
    size = np.linalg.norm(w, axis=1, keepdims=True)
    w = w * np.minimum(1.0, rho * INSIDE / np.maximum(size, 1e-300))
    bases = [eigenvectors(S, basis, f"S[{i}]") for i, (S, basis) in
             enumerate(zip(problem.S, problem.bases, strict=True))]  # fmt: skip
    shared = [shares(row / tau, 25) for row in mu]
    kept = np.array([[float(x) > 0 for x in row] for row in shared])
    return {
        **{key: [each[key] for each in bases] for key in ("U", "lam")},
        "shares": shared,
        "pi": texts(np.where(kept, pi, 0.0)),
        "b": texts(b),
        "alpha": balanced(alpha, y, Fraction(problem.C)),
        "gamma": shares(gamma),
        "W": texts(w),
    }

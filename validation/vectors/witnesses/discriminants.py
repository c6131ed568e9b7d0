"""Points of the discriminants: shares of the budget and X above, β below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, eigvalsh

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kim2006.programs import KernelFisher
from cvxkernel.formulations.ye2008.programs import Discriminant
from cvxkernel.validation.vectors.decimals import shares, texts

RAISED = 1e-10  # relative: what rounding and the kernels' slack take from diag(s) ⪰ EᵀM⁻¹E
LEAST_IDENTITY = 1e-13  # its share in the joint programs: it costs as much of the value


def scatter(problem: Any, point: Point) -> dict[str, Any]:
    """ye2008, but for the restricted programs."""
    E, f = _class_columns(problem, binary=np.ndim(point["beta"]) == 1)
    w, M, G = _system(problem, point)
    X = _solve(M, E)
    own = np.asarray(point["beta"]).reshape(E.shape) / np.sqrt(f)
    beta = _best_scale(problem, G, (2 * X, own), E, f)
    return {"shares": shares(w, 25), "X": texts(X, 17), "beta": texts(beta)}


def restricted(problem: Any, point: Point) -> dict[str, Any]:
    """(32) and (45): s above and Z below besides."""
    E, f = _class_columns(problem, binary=False)
    w, M, G = _system(problem, point)
    X = _solve(M, E)
    S = (E.T @ X + X.T @ E) / 2
    s = np.maximum(np.asarray(point["t"]) / f, S.diagonal())
    root = np.sqrt(s)
    s = s * max(1.0, float(eigvalsh(S / np.outer(root, root))[-1])) * (1 + RAISED)
    s = s + _slack(problem, w, X)
    eig, V = eigh((point["Z"] + point["Z"].T) / 2)
    R = (V * np.sqrt(np.maximum(eig, 0.0))) @ V.T
    R = R / np.linalg.norm(R, axis=1, keepdims=True)
    Z = (1 - 1e-14) * np.sqrt(f)[:, None] * R
    EZ = E @ Z
    beta = _best_scale(problem, G, (2 * _solve(M, EZ), point["beta"]), EZ, np.ones(len(f)))
    made = {"shares": shares(w, 25), "X": texts(X, 17), "beta": texts(beta)}
    return {**made, "s": texts(s, 17), "Z": texts(Z, 17)}


def _slack(problem: Any, w: Array, X: Array) -> float:
    """What kernels that are not semidefinite themselves take from diag(s) ⪰ EᵀM⁻¹E, twice over."""
    known = semidefinite.held(problem.kernels)
    came = problem.kernels if known is None else known.came
    if all(semidefinite.exactly(K) for K in came):
        return 0.0
    joint = not isinstance(problem, Discriminant)
    off = 1e-15 * np.linalg.norm(came, axis=(1, 2)) * problem.n / problem.traces
    sigma = float(w[joint:] @ off) * (problem.n + 1) / (1.0 if joint else problem.lam)
    theta = float(w[0]) / problem.n if joint else 1.0
    square = float(np.sum(X * X))
    return float(2 * sigma * square * (1 + 2 * sigma / theta))


def _class_columns(problem: Any, *, binary: bool) -> tuple[Array, Array]:
    """P times the indicators of the classes, and the factors f."""
    E = (problem.y[:, None] == problem.classes).astype(float)
    sizes = E.sum(axis=0)
    E -= E.mean(axis=0)
    if binary:
        return E[:, 1:], np.array([(problem.n / sizes.prod()) ** 2])
    return E, problem.n / sizes


def _system(problem: Any, point: Point) -> tuple[Array, Array, Array]:
    """The shares, M, and the G̃ᵢ/rᵢ; of the identity a little at least."""
    n, G = problem.n, problem.centred / problem.traces[:, None, None]
    r = problem.r if not isinstance(problem, Discriminant) else problem.traces
    w = np.maximum(point["theta"], 0.0) * r
    w = w / w.sum()
    if isinstance(problem, Discriminant):
        return w, np.eye(n) + np.tensordot(w, G, axes=1) / problem.lam, G
    w[0] = max(w[0], LEAST_IDENTITY)
    w = w / w.sum()
    return w, w[0] / n * np.eye(n) + np.tensordot(w[1:], G, axes=1), G


def _solve(M: Array, B: Array) -> Array:
    """M⁻¹B, refined."""
    factor = cho_factor((M + M.T) / 2, lower=True)
    X: Array = cho_solve(factor, B)
    for _ in range(2):
        X = X + cho_solve(factor, B - M @ X)
    return X


def _best_scale(problem: Any, G: Array, betas: Sequence[Array], E: Array, f: Array) -> Array:
    """The β of the best bound, at its best multiple: b/(2q) for the bound cb - c²q of cβ."""
    made: list[tuple[float, Array]] = []
    for B in betas:
        b, square = float(np.sum(f * B * E)), float(np.sum(f * B * B))
        forms = np.array([np.sum(f * B * (A @ B)) for A in G])
        if isinstance(problem, Discriminant):
            q = square / 4 + forms.max() / (4 * problem.lam)
        else:
            q = max(square / problem.n, forms.max()) / 4
        made.append((b * b / q, B * (b / (2 * q))) if b > 0 and q > 0 else (0.0, 0 * B))
    return max(made, key=lambda pair: pair[0])[1]


def fisher(problem: KernelFisher, point: Point) -> dict[str, Any]:
    """kim2006: u in the units of the checker, divided by the roots of the sizes of the classes."""
    sizes = np.array([(problem.y == label).sum() for label in problem.y])
    w = np.maximum(point["theta"], 0.0)
    w = w / w.sum()
    a, K, lam = problem.a[:, 0], problem.near.kernels, problem.lam
    D = np.eye(problem.n) - (problem.y[:, None] == problem.y) / sizes
    G = np.tensordot(w, K, axes=1)
    u = _solve(lam * np.diag(sizes) + D @ G @ D, (D @ (G @ a))[:, None])[:, 0]
    own = np.asarray(point["u"]).ravel() / np.sqrt(sizes)

    def value(x: Array) -> float:
        v = a - D @ x
        return float(sizes @ x**2 + max(v @ A @ v for A in K) / lam)

    return {"shares": shares(w), "u": texts(min(u, own, key=value)), "u_below": texts(u, 17)}

"""Points of support vector machines: α for the end below, c and b for the end above."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lstsq

from cvxkernel.formulations.chen2009.programs import Machine, RegularizedMachine
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.gonen2008.programs import Gated
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.programs import Budgeted
from cvxkernel.formulations.lanckriet2004.programs import SoftMargin
from cvxkernel.formulations.tang2009.programs import Separate, Shared
from cvxkernel.validation.vectors.decimals import balanced, shares, texts

FREE = (1e-3, 1e-5, 1e-7, 1e-9)  # of the largest α and of C: nearer to the border is at the border


class Primal(NamedTuple):
    """c and b, with the objective there."""

    value: float
    c: Array
    b: float


def offset(y: Array, f: Array) -> float:
    """The b of the least Σᵢ max(0, 1 - yᵢ(fᵢ + b)): it is one of the yᵢ - fᵢ."""
    kinks = y - f
    return float(np.sort(kinks)[int((y > 0).sum()) - 1])


def polished(K: Array, y: Array, C: float, alpha: Array, ridge: float = 0.0) -> Iterator[Array]:
    """c = Yα, and c with every free sample on the margin: yᵢ((Kc)ᵢ + b) = 1 - ridge·αᵢ, 1ᵀc = 0."""
    yield y * alpha
    for small in FREE:
        free = (alpha > small * alpha.max()) & (alpha < (1 - small) * C)
        c = y * np.where(alpha >= (1 - small) * C, C, 0.0)
        m = int(free.sum())
        if m == 0:
            continue
        system = np.zeros((m + 1, m + 1))
        system[:m, :m] = K[np.ix_(free, free)] + ridge * np.eye(m)
        system[:m, m] = system[m, :m] = 1.0
        right = np.append(y[free] - K[free] @ c, -c.sum())
        found = lstsq(system, right, check_finite=False)[0]
        found += lstsq(system, right - system @ found, check_finite=False)[0]
        c[free] = found[:m]
        yield c


def above(K: Array, y: Array, C: float, alpha: Array) -> Primal:
    """The best c and b of a few for ½cᵀKc + C·1ᵀξ."""
    best = Primal(np.inf, np.zeros(len(y)), 0.0)
    for c in polished(K, y, C, alpha):
        f = K @ c
        b = offset(y, f)
        free = y * c < (1 - 1e-6) * C
        least = float((y * (f + b))[free].min(initial=1.0))
        for x in {1.0, (1 + 1e-16) / least if least > 0.5 else 1.0}:
            lost = np.maximum(0.0, 1 - x * y * (f + b)).sum()
            made = Primal(float(x * x * c @ f / 2 + C * lost), x * c, x * b)
            best = min(best, made, key=lambda p: p.value)
    return best


def below(K: Array, y: Array, C: float, alpha: Array) -> Array:
    """The best α of a few for 1ᵀα - ½αᵀYKYα."""

    def value(a: Array) -> float:
        a = np.clip(a, 0.0, C)
        return float(a.sum() - (y * a) @ K @ (y * a) / 2 - C * abs(a @ y))

    return max((y * c for c in polished(K, y, C, alpha)), key=value)


def machine(problem: Machine | RegularizedMachine, point: Point) -> dict[str, Any]:
    """chen2009 (1) and (3)."""
    C = (
        1 / (2 * Fraction(problem.eta) * problem.n)
        if isinstance(problem, RegularizedMachine)
        else Fraction(problem.C)
    )
    return single(problem.K, problem.y, C, point["alpha"])


def gated(problem: Gated, point: Point) -> dict[str, Any]:
    """gonen2008 (7)."""
    return single(problem.K_eta, problem.y, Fraction(problem.C), point["alpha"])


def single(K: Array, y: Array, C: Fraction, alpha: Array) -> dict[str, Any]:
    """α, c and b of one machine."""
    _, c, b = above(K, y, float(C), alpha)
    alpha = below(K, y, float(C), alpha)
    return {"alpha": balanced(alpha, y, C), "c": texts(c), "b": texts(b)}


def labels(problem: Any, point: Point) -> dict[str, Any]:
    """tang2009: a machine for each label."""
    k, C = problem.k, Fraction(problem.C)
    alpha, machines = np.asarray(point["alpha"]), np.asarray(point.get("machines", point["alpha"]))
    made: dict[str, Any] = {"alpha": [], "c": [], "b": []}
    theta = np.eye(k)
    if not isinstance(problem, Separate):
        theta = point["theta"] if "theta" in point else point["zeta"] + point["gamma"]
        theta = theta / theta.sum(axis=1, keepdims=True)
        if isinstance(problem, Shared):
            theta = _within(theta, problem.beta)
        elif _omega(theta) < 1e-9 * k:
            theta = np.repeat(theta.mean(axis=0)[None], k, axis=0)
        made["theta"] = [shares(row) for row in theta]
    for t in range(k):
        y, K = problem.Y[t], np.tensordot(theta[t], problem.kernels, axes=1)
        _, c, b = above(K, y, float(C), machines[t])
        own = below(K, y, float(C), alpha[t]) if isinstance(problem, Separate) else alpha[t]
        made["alpha"].append(balanced(own, y, C))
        made["c"].append(texts(c))
        made["b"].append(texts(b))
    return made


def one_label(problem: Any, point: Point) -> dict[str, Any]:
    """rakotomamonjy2008: tang2009's (11) with one label."""
    alpha, d = np.asarray(point["alpha"]), np.asarray(point["d"])
    return labels(problem.one_label, {"alpha": alpha[None], "theta": d[None]})


def _omega(theta: Array) -> float:
    return float(len(theta) * (1 - theta.min(axis=0).sum()) / 2)


def _within(theta: Array, beta: float) -> Array:
    """The weights drawn to their mean until Ω is below β by more than decimals are off."""
    mean, omega = theta.mean(axis=0), _omega(theta)
    most = beta * (1 - 1e-13) - 1e-15 * len(theta) if beta > 0 else 0.0
    if omega <= max(most, 0.0):
        return theta
    moved: Array = mean + (theta - mean) * (max(most, 0.0) / omega)
    return moved


def margin(problem: Any, point: Point) -> dict[str, Any]:
    """lanckriet2004: the weights as shares of the budget, α, and a primal point."""
    joint = not isinstance(problem, SoftMargin)
    K, y, n = problem.kernels, problem.y, problem.n
    r = np.trace(K, axis1=1, axis2=2)
    c = float(r.sum()) + n * joint
    mu, alpha = np.maximum(point["mu"], 0.0), np.asarray(point["alpha"])
    w = mu * (np.append(n, r) if joint else r) / c
    squared = joint or "squared" in point
    w = _some_identity(w) if joint else w
    Q = np.tensordot(c * w[joint:] / r, K, axes=1)
    C = None if squared else Fraction(problem.C)
    made = {"shares": shares(w, 25), "alpha": balanced(alpha, y, C)}
    if not squared:
        _, v, b = above(Q, y, problem.C, alpha)
        return {**made, "c": texts(v), "b": texts(b)}
    ridge = c * w[0] / n if joint else 1 / problem.C
    best = Primal(np.inf, alpha, 0.0)
    for v in polished(Q, y, np.inf, alpha, ridge):
        f = Q @ v
        b = _squared_offset(y, f)
        lost = np.maximum(0.0, 1 - y * (f + b))
        best = min(best, Primal(float(v @ f + lost @ lost / ridge), v, b), key=lambda p: p.value)
    return {**made, "c": texts(best.c), "b": texts(best.b)}


def budgeted(problem: Budgeted, point: Point) -> dict[str, Any]:
    """kundu2010 (5): shares βᵢrᵢ/τ, α, and a primal point."""
    w = np.maximum(point["beta"], 0.0) * problem.r / problem.tau
    Q = np.tensordot(problem.tau * w / problem.r, problem.kernels, axes=1)
    alpha = np.asarray(point["alpha"])
    _, c, b = above(Q, problem.y, problem.C, alpha)
    made = {"shares": shares(w, 25), "alpha": balanced(alpha, problem.y, Fraction(problem.C))}
    return {**made, "c": texts(c), "b": texts(b)}


def _some_identity(w: Array) -> Array:
    """At least 1e-13 of the identity: it costs as much of the value."""
    w = w / w.sum()
    w[0] = max(w[0], 1e-13)
    shared: Array = w / w.sum()
    return shared


def _squared_offset(y: Array, f: Array) -> float:
    """The b of the least Σᵢ max(0, 1 - yᵢ(fᵢ + b))²."""
    order = np.sort(y - f)  # the samples that lose change there
    for low, high in zip(np.append(-np.inf, order), np.append(order, np.inf), strict=True):
        middle = np.clip((low + high) / 2, order[0] - 1, order[-1] + 1)
        losing = y * (f + middle) < 1
        if losing.any():
            b = float(np.mean((y - f)[losing]))
            if low <= b <= high:
                return b
    return offset(y, f)

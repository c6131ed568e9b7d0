"""Both ends at a point of any kind: it is repaired, and what it lacks is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from cvxkernel.formulations import eigenbasis, inputs, semidefinite, svm
from cvxkernel.formulations.enclosure import Bounded, Enclosure
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.bounds.duals import (
    eq4_bound,
    eq4_response,
    eq6_bound,
    eq6_response,
    eq7_bound,
    eq7_response,
    subgradients,
)
from cvxkernel.formulations.kundu2010.bounds.feasible import (
    balanced,
    combine,
    dual_ball,
    gamma_repair,
    signed,
    simplex,
    spectahedron,
)
from cvxkernel.formulations.kundu2010.bounds.omega import forms, omega_upper, omega_value
from cvxkernel.formulations.kundu2010.bounds.values import eq4_value, eq6_value, eq7_value
from cvxkernel.formulations.kundu2010.programs import Combination, Similarities, Spectra


def _alpha(problem: Similarities | Spectra | Combination, point: Point) -> Array:
    given = inputs.weights("alpha", point.get("alpha", np.full(problem.n, 0.5)), (problem.n,))
    return svm.repair(given, problem.y, problem.C)


def _gamma(
    problem: Similarities | Spectra | Combination, point: Point, M: Array, alpha: Array
) -> list[Array]:
    """The γ that is given, the one that is best for α at these kernels, and the centre of Δ."""
    every = [balanced(forms(M, alpha)[0]), np.full(problem.m, 1.0 / problem.m)]
    if "gamma" not in point:
        return every
    return [gamma_repair(inputs.weights("gamma", point["gamma"], (problem.m,))), *every]


def _xs(problem: Similarities | Spectra | Combination, point: Point, alpha: Array) -> list[Array]:
    """Where ω or Ω is bounded from above: at the x given, at α, at zero.

    x is an α, (n,), made for the upper end alone; or xᵢ of shape (m, n), about α/γᵢ.
    """
    every = [alpha, np.zeros(problem.n)]
    if "x" not in point:
        return every
    given = inputs.array("x", point["x"])
    if given.ndim < 2:
        x = inputs.weights("x", given, (problem.n,))
        return [svm.repair(x, problem.y, problem.C), *every]
    return [inputs.weights("x", given, (problem.m, problem.n)), *every]


def _lowest(values: Iterable[tuple[Bounded, Array, Array]]) -> tuple[Bounded, Array, Array]:
    """The least value with its allowance, and where."""
    return min(values, key=lambda value: sum(value[0]))


def _highest(lower: Iterable[tuple[Bounded, Array, Array]]) -> tuple[Bounded, Array, Array]:
    """The largest bound less its allowance, and where."""
    return max(lower, key=lambda bound: bound[0][0] - bound[0][1])


# The optimal K is singular, and bounds of second order take definite matrices: these shares of
# (τ/n)I are mixed into it.
SHARES = (0.0, 1e-8)


def _mixed(K: Array, centre: Array) -> Iterator[Array]:
    for share in SHARES:
        yield (1 - share) * K + share * centre


def _kernels(problem: Similarities, point: Point, shape: tuple[int, ...]) -> Array:
    start = problem.S.mean(axis=0) if len(shape) == 2 else problem.S
    given = inputs.weights("K", point["K"], shape) if "K" in point else start
    return spectahedron(given, problem.tau)


def _given(
    problem: Similarities | Spectra, point: Point, symbol: str, shape: tuple[int, ...]
) -> list[Array]:
    if symbol not in point:
        return []
    return [dual_ball(problem, inputs.weights(symbol, point[symbol], shape))]


@encloses("kundu2010-eq4", "kundu2010-alg1", "kundu2010-alg1-printed")
def eq4_enclosure(problem: Similarities, point: Point) -> Enclosure:
    """K of the point, (4) there from above; from below at its α and the best of a few Wᵢ."""
    n, m = problem.n, problem.m
    K, alpha = _kernels(problem, point, (n, n)), _alpha(problem, point)
    centre = np.eye(n) * (problem.tau / n)
    (high, up), K, x = _lowest(
        (eq4_value(problem, X, x), X, x)
        for X in _mixed(K, centre)
        for x in _xs(problem, point, alpha)
        if x.ndim == 1
    )
    W = _given(problem, point, "W", (m, n, n))
    W.append(subgradients(problem, K - problem.S))
    response = eq4_response(problem, alpha, K)
    W += [] if response is None else [subgradients(problem, response - problem.S)]
    W.append(np.zeros((m, n, n)))
    (low, down), _, W_best = _highest((eq4_bound(problem, alpha, w), alpha, w) for w in W)
    point = {"K": K, "alpha": alpha, "W": W_best, "x": x}
    return Enclosure(high, low - down, high + up, point)


@encloses("kundu2010-eq6", "kundu2010-alg2", "kundu2010-alg2-printed")
def eq6_enclosure(problem: Similarities, point: Point) -> Enclosure:
    """K₁, …, K_m of the point, (6) there; from below at α, a few γ and a few Wᵢ."""
    n, m = problem.n, problem.m
    K, alpha = _kernels(problem, point, (m, n, n)), _alpha(problem, point)
    centre = np.eye(n) * (problem.tau / n)
    (high, up), K, x = _lowest(
        (eq6_value(problem, X, x), X, x)
        for X in _mixed(K, centre)
        for x in _xs(problem, point, alpha)
    )
    M = signed(problem.y, K)
    W = _given(problem, point, "W", (m, n, n))
    W.append(subgradients(problem, K - problem.S))
    W.append(np.zeros((m, n, n)))
    lower = []
    for gamma in _gamma(problem, point, M, alpha):
        response = eq6_response(problem, alpha, gamma, K)
        answers = [] if response is None else [subgradients(problem, response - problem.S)]
        for w in (*W, *answers):
            lower.append((eq6_bound(problem, alpha, gamma, w), gamma, w))
    (low, down), gamma, w = _highest(lower)
    point = {"K": K, "alpha": alpha, "gamma": gamma, "W": w, "x": x}
    return Enclosure(high, low - down, high + up, point)


def _framed(problem: Spectra, point: Point) -> tuple[Spectra, Point, str | None]:
    """An answer in its own eigenbases: μ and w follow their order, and signs do not matter."""
    if "U" not in point:
        return problem, point, None
    if problem.U is None:
        return replace(problem, U=point["U"]), point, None
    U = inputs.weights("U", point["U"], problem.S.shape)
    moved = {symbol: point[symbol].copy() for symbol in ("mu", "w") if symbol in point}
    for i in range(problem.m):
        order, _ = eigenbasis.matched(problem.U[i], eigenbasis.checked(U[i], problem.S[i]))
        for symbol in moved:
            moved[symbol][i] = point[symbol][i][order]
    return problem, {**point, **moved, "U": problem.U}, None


@encloses("kundu2010-eq7", "kundu2010-alg3", "kundu2010-alg3-printed", frame=_framed)
def eq7_enclosure(problem: Spectra, point: Point) -> Enclosure:
    """μ of the point, (7) there; from below at α, a few γ and a few wᵢ."""
    shape = (problem.m, problem.n)
    given = inputs.weights("mu", point["mu"], shape) if "mu" in point else problem.lam
    mu, alpha = simplex(given, problem.tau), _alpha(problem, point)
    (high, up), mu, x = _lowest(
        (eq7_value(problem, X, x), X, x)
        for X in _mixed(mu, np.full(shape, problem.tau / problem.n))
        for x in _xs(problem, point, alpha)
    )
    M = signed(problem.y, combine(problem, mu))
    W = _given(problem, point, "w", shape)
    W += [subgradients(problem, mu - problem.lam), np.zeros(shape)]
    lower = []
    for gamma in _gamma(problem, point, M, alpha):
        response = eq7_response(problem, alpha, gamma, mu)
        answers = [] if response is None else [subgradients(problem, response - problem.lam)]
        for w in (*W, *answers):
            lower.append((eq7_bound(problem, alpha, gamma, w), gamma, w))
    (low, down), gamma, w = _highest(lower)
    point = {"mu": mu, "alpha": alpha, "gamma": gamma, "w": w, "x": x, "U": problem.V}
    return Enclosure(high, low - down, high + up, point, problem.open)


@encloses("kundu2010-eq10")
def eq10_enclosure(problem: Combination, point: Point) -> Enclosure:
    """(10) at α, from above at x or at α."""
    alpha, M = _alpha(problem, point), signed(problem.y, problem.kernels)
    off = semidefinite.slack(problem.kernels)
    low, down = omega_value(M, alpha, off)
    (high, up), _, x = _lowest(
        (omega_upper(M, problem.y, problem.C, x, off), M, x) for x in _xs(problem, point, alpha)
    )
    gamma = balanced(forms(M, alpha)[0])
    if low - down < 0:  # α = 0 is feasible
        low, down, alpha = 0.0, 0.0, np.zeros(problem.n)
    return Enclosure(low, low - down, high + up, {"alpha": alpha, "gamma": gamma, "x": x})

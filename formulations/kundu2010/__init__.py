"""Kundu, Tankasali, Bhattacharyya and Ben-Tal (2010). NIPS 23.

Learning kernels from several similarity matrices under any convex loss.

`Similarities(S, y, C, rho, tau, loss)` holds (4) and (6), `Spectra(S, y, C, rho, tau)` holds (7),
`Combination(kernels, y, C)` holds (10), and (5). An algorithm has the program of what it solves;
`solvers.MirrorDescent` runs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import eigenbasis, inputs, semidefinite, svm
from cvxkernel.formulations.enclosure import Bounded, Enclosure
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import bounds
from cvxkernel.formulations.kundu2010.prediction import columns, nearest
from cvxkernel.formulations.kundu2010.programs import (
    LOSSES,
    Combination,
    Similarities,
    Spectra,
    scaled,
)
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.program import Program

# -- Both ends at a point of any kind -------------------------------------------------------------


def _alpha(problem: Spectra | Combination, point: Point) -> Array:
    given = inputs.weights("alpha", point.get("alpha", np.full(problem.n, 0.5)), (problem.n,))
    return svm.repair(given, problem.y, problem.C)


def _gamma(problem: Spectra | Combination, point: Point, M: Array, alpha: Array) -> list[Array]:
    """The γ that is given, the one that is best for α at these kernels, and the centre of Δ."""
    every = [bounds.balanced(bounds.forms(M, alpha)[0]), np.full(problem.m, 1.0 / problem.m)]
    if "gamma" not in point:
        return every
    return [bounds.gamma_repair(inputs.weights("gamma", point["gamma"], (problem.m,))), *every]


def _xs(problem: Spectra | Combination, point: Point, alpha: Array) -> list[Array]:
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


def _best(ends: Iterable[tuple[Bounded, Array, Array]]) -> tuple[Bounded, Array, Array]:
    return min(ends, key=lambda end: sum(end[0]))


# The optimal K is singular, and bounds of second order take definite matrices: these shares of
# (τ/n)I are mixed into it.
SHARES = (0.0, 1e-8)


def _mixed(K: Array, centre: Array) -> Iterator[Array]:
    for share in SHARES:
        yield (1 - share) * K + share * centre


def _kernels(problem: Similarities, point: Point, shape: tuple[int, ...]) -> Array:
    start = problem.S.mean(axis=0) if len(shape) == 2 else problem.S
    given = inputs.weights("K", point["K"], shape) if "K" in point else start
    return bounds.spectahedron(given, problem.tau)


def _given(problem: Spectra, point: Point, symbol: str, shape: tuple[int, ...]) -> list[Array]:
    if symbol not in point:
        return []
    return [bounds.dual_ball(problem, inputs.weights(symbol, point[symbol], shape))]


def _eq4(problem: Similarities, point: Point) -> Enclosure:
    n, m = problem.n, problem.m
    K, alpha = _kernels(problem, point, (n, n)), _alpha(problem, point)
    centre = np.eye(n) * (problem.tau / n)
    (high, up), K, x = _best(
        (bounds.eq4_value(problem, X, x), X, x)
        for X in _mixed(K, centre)
        for x in _xs(problem, point, alpha)
        if x.ndim == 1
    )
    W = _given(problem, point, "W", (m, n, n))
    W.append(bounds.subgradients(problem, K - problem.S))
    response = bounds.eq4_response(problem, alpha, K)
    W += [] if response is None else [bounds.subgradients(problem, response - problem.S)]
    W.append(np.zeros((m, n, n)))
    (low, down), W_best = max(
        ((bounds.eq4_bound(problem, alpha, w), w) for w in W),
        key=lambda end: end[0][0] - end[0][1],
    )
    point = {"K": K, "alpha": alpha, "W": W_best, "x": x}
    return Enclosure(high, low - down, high + up, point)


def _eq6(problem: Similarities, point: Point) -> Enclosure:
    n, m = problem.n, problem.m
    K, alpha = _kernels(problem, point, (m, n, n)), _alpha(problem, point)
    centre = np.eye(n) * (problem.tau / n)
    (high, up), K, x = _best(
        (bounds.eq6_value(problem, X, x), X, x)
        for X in _mixed(K, centre)
        for x in _xs(problem, point, alpha)
    )
    M = bounds.signed(problem.y, K)
    W = _given(problem, point, "W", (m, n, n))
    W.append(bounds.subgradients(problem, K - problem.S))
    W.append(np.zeros((m, n, n)))
    ends = []
    for gamma in _gamma(problem, point, M, alpha):
        response = bounds.eq6_response(problem, alpha, gamma, K)
        answers = [] if response is None else [bounds.subgradients(problem, response - problem.S)]
        for w in (*W, *answers):
            ends.append((bounds.eq6_bound(problem, alpha, gamma, w), gamma, w))
    (low, down), gamma, w = max(ends, key=lambda end: end[0][0] - end[0][1])
    point = {"K": K, "alpha": alpha, "gamma": gamma, "W": w, "x": x}
    return Enclosure(high, low - down, high + up, point)


def _eq7(problem: Spectra, point: Point) -> Enclosure:
    shape = (problem.m, problem.n)
    given = inputs.weights("mu", point["mu"], shape) if "mu" in point else problem.lam
    mu, alpha = bounds.simplex(given, problem.tau), _alpha(problem, point)
    (high, up), mu, x = _best(
        (bounds.eq7_value(problem, X, x), X, x)
        for X in _mixed(mu, np.full(shape, problem.tau / problem.n))
        for x in _xs(problem, point, alpha)
    )
    M = bounds.signed(problem.y, bounds.combine(problem, mu))
    W = _given(problem, point, "w", shape)
    W += [bounds.subgradients(problem, mu - problem.lam), np.zeros(shape)]
    ends = []
    for gamma in _gamma(problem, point, M, alpha):
        response = bounds.eq7_response(problem, alpha, gamma, mu)
        answers = [] if response is None else [bounds.subgradients(problem, response - problem.lam)]
        for w in (*W, *answers):
            ends.append((bounds.eq7_bound(problem, alpha, gamma, w), gamma, w))
    (low, down), gamma, w = max(ends, key=lambda end: end[0][0] - end[0][1])
    point = {"mu": mu, "alpha": alpha, "gamma": gamma, "w": w, "x": x, "U": problem.V}
    return Enclosure(high, low - down, high + up, point, problem.open)


def _eq10(problem: Combination, point: Point) -> Enclosure:
    alpha, M = _alpha(problem, point), bounds.signed(problem.y, problem.kernels)
    off = semidefinite.slack(problem.kernels)
    low, down = bounds.omega_value(M, alpha, off)
    (high, up), _, x = _best(
        (bounds.omega_upper(M, problem.y, problem.C, x, off), M, x)
        for x in _xs(problem, point, alpha)
    )
    gamma = bounds.balanced(bounds.forms(M, alpha)[0])
    if low - down < 0:  # α = 0 is feasible
        low, down, alpha = 0.0, 0.0, np.zeros(problem.n)
    return Enclosure(low, low - down, high + up, {"alpha": alpha, "gamma": gamma, "x": x})


# -- Points read off solved programs --------------------------------------------------------------


def _from_eq4(problem: Similarities, program: Program) -> Point:
    """α = -2u from the multiplier [U u; uᵀ t] of the lmi, t = ½; Wᵢ from the differences'."""
    point = {"K": program.value("K"), "alpha": -2 * program.dual("lmi")[: problem.n, problem.n]}
    return _with_W(problem, program, point)


def _from_eq6(problem: Similarities, program: Program) -> Point:
    """α = -2uᵢ and γᵢ = 2tᵢ from the multipliers [Uᵢ uᵢ; uᵢᵀ tᵢ] of the lmi."""
    n = problem.n
    Z = program.dual("lmi")
    gamma = 2 * Z[:, n, n]
    K = np.stack([program.value(f"K{i + 1}") for i in range(problem.m)])
    # Where γᵢ is small its uᵢ is: the mean over i with weights γᵢ is as good as the best of them.
    alpha = np.average(-2 * Z[:, :n, n], axis=0, weights=np.maximum(gamma, 1e-9))
    return _with_W(problem, program, {"K": K, "alpha": alpha, "gamma": gamma})


def _with_W(problem: Similarities, program: Program, point: dict[str, Array]) -> Point:
    """∂(ρL)(Dᵢ) ∋ -(multiplier of Dᵢ = Kᵢ - Sᵢ)"""
    if problem.loss != "L3":
        shape = (problem.m, problem.n, problem.n)
        point["W"] = -program.dual("difference").reshape(shape)
    return point


def _from_eq7(problem: Spectra, program: Program) -> Point:
    """α and wᵢ from the multipliers of the equations, γᵢ twice that of the i-th quad."""
    shape = (problem.m, problem.n)
    return {
        "mu": program.value("mu"),
        "alpha": -program.dual("split"),
        "gamma": 2 * program.dual("quad").reshape(problem.m),
        "w": -program.dual("difference").reshape(shape),
    }


def _from_eq10(problem: Combination, program: Program) -> Point:
    """xᵢ with Fᵢxᵢ the multiplier of zᵢ = Fᵢα: wᵢ = Fᵢᵀ(multiplier), ‖multiplier‖² ≤ s."""
    x = np.zeros((problem.m, problem.n))
    some = [i for i in range(problem.m) if len(problem.F[i])]
    family = program.constraints["image"]
    assert not isinstance(family, cp.Constraint)
    for i, constraint in zip(some, family, strict=True):
        u = -np.asarray(constraint.dual_value).reshape(-1)  # of a maximization
        x[i] = np.linalg.lstsq(problem.F[i], u, rcond=None)[0]
    return {"alpha": program.value("alpha"), "gamma": program.value("gamma"), "x": x}


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


# -- Units ----------------------------------------------------------------------------------------


def _kappa(problem: Spectra) -> float:
    """The size of K or of S, whichever is larger, as a power of two, which loses no digit.

    Measured: units in which the entries of K are near 1 take every solver further than units in
    which the optimum is.
    """
    size = max(float(np.abs(problem.S).max()), problem.tau / problem.n)
    return float(2.0 ** np.round(np.log2(size)))


def _unit(problem: Any) -> Any:
    return scaled(problem, _kappa(problem))


def _restore(problem: Spectra, unit: Spectra, point: Point) -> Point:
    """K and μ by κ, α by 1/κ, Wᵢ by 1/κ²; γ as it is."""
    kappa = problem.tau / unit.tau
    powers = {"K": 1, "mu": 1, "alpha": -1, "x": -1, "W": -2, "w": -2}
    return {symbol: part * kappa ** powers.get(symbol, 0) for symbol, part in point.items()}


def _unit10(problem: Combination) -> Combination:
    """Kernels of which the largest has trace n, and C to match."""
    kappa = max(float(np.trace(K)) for K in problem.kernels) / problem.n
    kappa = float(2.0 ** np.round(np.log2(kappa))) if kappa > 0 else 1.0
    return with_numbers(problem, kernels=problem.kernels / kappa, C=problem.C * kappa)


def _restore10(problem: Combination, unit: Combination, point: Point) -> Point:
    kappa = unit.C / problem.C
    powers = {"alpha": -1, "x": -1, "gamma": 0}
    return {symbol: part * kappa ** powers[symbol] for symbol, part in point.items()}


# -- The formulations -----------------------------------------------------------------------------

# Measured: with a matrix for a variable SCS is as fast as Clarabel, a thousand times tighter, and
# the only one to end at n = 100; CVXOPT takes a hundred times as long.
ASK = ("MOSEK", "SCS", "CLARABEL", "SDPA", "CVXOPT")

_PROBLEM: dict[str, Any] = {
    "unit": _unit,
    "restore": _restore,
    "sense": "minimize",
    "ask": ASK,
}

EQ4 = Formulation(
    id="kundu2010-eq4",
    where="(4)",
    kind="SDP",
    statement="min ω(K) + ρΣᵢL(K - Sᵢ), K ⪰ 0, trace K = τ",
    problem=Similarities,
    keys=("S", "y", "C", "rho", "tau", "loss"),
    program=Similarities.eq4,
    recover=_from_eq4,
    enclose=_eq4,
    **_PROBLEM,
)
EQ6 = Formulation(
    id="kundu2010-eq6",
    where="(6), (10)",
    kind="SDP",
    statement="min Ω(K₁, …, K_m) + ρΣᵢL(Kᵢ - Sᵢ), Kᵢ ⪰ 0, trace Kᵢ = τ, with the Ω of (10)",
    problem=Similarities,
    keys=("S", "y", "C", "rho", "tau", "loss"),
    program=Similarities.eq6,
    recover=_from_eq6,
    enclose=_eq6,
    stacked=("x",),
    **_PROBLEM,
)
EQ7 = Formulation(
    id="kundu2010-eq7",
    where="(7), (10)",
    kind="SOCP",
    statement="min Ω(K₁, …, K_m) + ρΣᵢ‖μᵢ - λᵢ‖₂, Kᵢ = Σⱼμᵢⱼvᵢⱼvᵢⱼᵀ, μᵢ ≥ 0, Σⱼμᵢⱼ = τ",
    problem=Spectra,
    keys=("S", "y", "C", "rho", "tau"),
    optional=("U",),
    frame=_framed,
    program=Spectra.eq7,
    recover=_from_eq7,
    enclose=_eq7,
    stacked=("x",),
    **_PROBLEM,
)
EQ10 = Formulation(
    id="kundu2010-eq10",
    where="(10)",
    kind="SOCP",
    sense="maximize",
    statement="max 1ᵀα - ½Σᵢ αᵀYKᵢYα/γᵢ, γ ≥ 0, Σᵢγᵢ ≤ 1, αᵀy = 0, 0 ≤ α ≤ C",
    problem=Combination,
    keys=("kernels", "y", "C"),
    program=Combination.eq10,
    recover=_from_eq10,
    enclose=_eq10,
    stacked=("x",),
    unit=_unit10,
    restore=_restore10,
)


def _algorithm(number: int, name: str, of: Formulation, printed: bool) -> Formulation:
    return replace(
        of,
        id=f"kundu2010-alg{number}" + ("-printed" if printed else ""),
        where=f"Algorithm {number} ({name})" + (", as printed" if printed else ""),
        # First order: a thousandth is the promise. The printed text ends away from the optimum.
        width=None if printed else 1e-3,
    )


FORMULATIONS = (
    EQ4,
    EQ6,
    EQ7,
    EQ10,
    *(
        _algorithm(number, name, of, printed)
        for printed in (False, True)
        for number, name, of in ((1, "ESKL", EQ4), (2, "EMKL", EQ6), (3, "REKL", EQ7))
    ),
)

__all__ = [
    "FORMULATIONS",
    "LOSSES",
    "Combination",
    "Similarities",
    "Spectra",
    "bounds",
    "columns",
    "nearest",
]

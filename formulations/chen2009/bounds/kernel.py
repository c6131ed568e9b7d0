"""(2) and (7): the kernel is any matrix K ⪰ 0, near S."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh, eigvalsh

from cvxkernel.formulations import inputs
from cvxkernel.formulations import semidefinite as kernels
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.chen2009.bounds.machine import best_primal, feasible_alpha, vector
from cvxkernel.formulations.chen2009.programs import KernelMachine, RobustMachine
from cvxkernel.formulations.enclosure import EPS, Bounded, Enclosure, quadratic, rounding
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array

ROOT = 1e-14  # relative accuracy of τ, the rest is charged
EVALUATIONS, BORDER = 25, 3  # eigendecompositions at most, in search of τ
FARTHEST = np.log(1e3)  # how far one of its steps may lead


Value = tuple[Bounded, dict[str, Array]]  # with its allowance, and the point


class Dual(NamedTuple):
    """A feasible α, what it is worth, and the W and K that belong to it."""

    value: Bounded
    alpha: Array
    W: Array
    K: Array


@encloses("luss2007")
def eq2(problem: RobustMachine, point: Point) -> Enclosure:
    """The dual of the inner minimum at α from below; from above (6) at K and c."""
    dual = robust_value(problem, feasible_alpha(problem, point))
    values = [(robust_bound(problem, K, c), K) for K, c in _candidates(problem, point, dual)]
    ((high, up), best), K = min(values, key=lambda value: sum(value[0][0]))
    low, down = dual.value
    variables = {"alpha": dual.alpha, "K": K, **best}
    return Enclosure(low, low - down, high + up, variables)


@encloses("chen2009-eq7")
def eq7(problem: KernelMachine, point: Point) -> Enclosure:
    """(7) at K and c from above; from below its dual at α."""
    dual, ((high, up), best), K = _both_ends(problem, point)
    low, down = dual.value
    return Enclosure(high, low - down, high + up, {**best, "K": K, "alpha": dual.alpha})


@encloses("chen2009-eq7-dual")
def eq7_dual(problem: KernelMachine, point: Point) -> Enclosure:
    """The same, for an answer to the dual."""
    dual, ((high, up), best), K = _both_ends(problem, point)
    low, down = dual.value
    variables = {"alpha": dual.alpha, "W": dual.W, "K": K, "z": best["z"]}
    return Enclosure(low, low - down, high + up, variables)


def _both_ends(problem: KernelMachine, point: Point) -> tuple[Dual, Value, Array]:
    """The dual at α, and the least value with its K."""
    tau = None
    if "K" in point:  # its distance from S is where to look for τ
        K = inputs.weights("K", point["K"], (problem.n, problem.n))
        size = float(np.linalg.norm(problem.S))
        tau = float(np.clip(np.linalg.norm(K - problem.S), 1e-12 * size, 1e12 * size))
    dual = kernel_bound(problem, feasible_alpha(problem, point), tau)
    values = [(kernel_value(problem, K, c), K) for K, c in _candidates(problem, point, dual)]
    return dual, *min(values, key=lambda value: sum(value[0][0]))


def _candidates(
    problem: RobustMachine | KernelMachine, point: Point, dual: Dual
) -> Iterator[tuple[Array, Array]]:
    """K and c: those given and those that belong to α, in all combinations."""
    n = problem.n
    matrices = [semidefinite(dual.K)]
    if kernels.exactly(problem.S):  # at no distance, however much a distance costs
        matrices.append(problem.S)
    if "K" in point:
        matrices.append(semidefinite(inputs.weights("K", point["K"], (n, n))))
    for K in matrices:
        yield K, problem.y * dual.alpha
        if "z" in point:
            yield K, coefficients(K, vector(problem, point, "z"))


def semidefinite(K: Array) -> Array:
    """K symmetric, plus the multiple of the identity that makes it semidefinite beyond rounding."""
    K = (K + K.T) / 2
    d = eigvalsh(K)
    shift = max(0.0, rounding(len(K), float(np.abs(d).max())) - float(d[0]))
    return K + shift * np.eye(len(K)) if shift else K


def distance(K: Array, S: Array) -> Bounded:
    """‖K - S‖_F, and the allowance for its rounding."""
    if K is S:
        return 0.0, 0.0
    d = float(np.linalg.norm(K - S))
    return d, rounding(len(K), d) + EPS * float(np.linalg.norm(np.abs(K) + np.abs(S)))


def coefficients(K: Array, z: Array) -> Array:
    """c = K†z, where the eigenvalues of K that are zero to rounding are not inverted."""
    d, V = spectrum.eigen(K)
    kept = d > 0
    c: Array = V[:, kept] @ ((z @ V[:, kept]) / d[kept])
    return c


def split(S: Array, v: Array, s: float) -> tuple[Array, Array]:
    """M₊ and M₋ of M = S + s·vvᵀ = M₊ - M₋."""
    lam, U = eigh((S + S.T) / 2 + s * np.outer(v, v))
    return spectrum.compose(np.maximum(lam, 0.0), U), spectrum.compose(np.maximum(-lam, 0.0), U)


def above(rank_one: float, v: Array, rest: Array) -> Array:
    """rank_one·vvᵀ + rest, plus the multiple of the identity that rounding of either may take."""
    magnitude = rank_one * float(v @ v) + float(np.linalg.norm(rest))
    W: Array = rank_one * np.outer(v, v) + rest + rounding(len(v), magnitude) * np.eye(len(v))
    return W


def inner(W: Array, S: Array) -> Bounded:
    """⟨W, S⟩, and the allowance for its rounding."""
    return float(np.sum(W * S)), rounding(W.size, float(np.sum(np.abs(W) * np.abs(S))))


# -- (2): the robust machine -----------------------------------------------------------------------


def robust_value(problem: RobustMachine, alpha: Array) -> Dual:
    """min over K ⪰ 0 of g(α, K) + ρ‖K - S‖², through its dual at W = ½vvᵀ + 2ρM₋."""
    rho, v = problem.rho, problem.y * alpha
    K, rest = split(problem.S, v, 1 / (4 * rho))
    W = above(0.5, v, 2 * rho * rest)
    form, slack = inner(W, problem.S)
    square, total = float(np.sum(W * W)) / (4 * rho), float(alpha.sum())
    slack += rounding(W.size, square) + rounding(problem.n, total)
    return Dual((total - form - square, slack), alpha, W, K)


def robust_bound(problem: RobustMachine, K: Array, c: Array) -> Value:
    """C·1ᵀξ + ½cᵀKc + ρ‖K - S‖² at any K ⪰ 0 and any c."""
    machine = best_primal(K, problem.y, c, problem.C, 0.5)
    d, slack = distance(K, problem.S)
    total, allowance = machine.value(problem.C, 0.5)
    total, allowance = (
        total + problem.rho * d * d,
        allowance + problem.rho * (2 * d + slack) * slack,
    )
    return (total, allowance), {**machine.point, "u": np.array(machine.form[0])}


# -- (7): the kernel matrix learned ----------------------------------------------------------------


def kernel_bound(problem: KernelMachine, alpha: Array, tau: float | None = None) -> Dual:
    """2η·1ᵀα - ⟨W, S⟩ at the best W for α; `tau` is where the search for ‖K - S‖ starts.

    Or at W = ηvvᵀ itself, which is best where S ⪰ 0, and which nothing but vᵀSv is charged for.
    """
    eta, gamma = problem.eta, problem.gamma
    square = eta * float(alpha @ alpha) * (1 + rounding(problem.n, 1.0))
    if square > gamma:  # W ⪰ ηvvᵀ alone is outside the ball
        alpha = alpha * np.sqrt(gamma / square)
    v = problem.y * alpha
    plain = _plain_bound(problem, alpha)
    least = negative_part(problem.S)
    if not least > 0:
        return plain
    K, rest = _at_distance(problem, v, least, tau)
    W = above(eta, v, gamma * rest)
    norm = float(np.linalg.norm(W)) * (1 + rounding(problem.n, 1.0))
    x2 = min(1.0, gamma / norm) if norm > 0 else 1.0  # W·x² and α·x are feasible
    W, alpha = W * x2, alpha * np.sqrt(x2)
    form, slack = inner(W, problem.S)
    total = 2 * eta * float(alpha.sum())
    at_best = Dual((total - form, slack + rounding(problem.n, total)), alpha, W, K)
    return max(at_best, plain, key=lambda dual: dual.value[0] - dual.value[1])


def _plain_bound(problem: KernelMachine, alpha: Array) -> Dual:
    """2η·1ᵀα - ηvᵀSv for ηαᵀα ≤ γ, and S₊."""
    eta, S, v = problem.eta, problem.S, problem.y * alpha
    form, slack = quadratic(S, v[:, None])
    total = 2 * eta * float(alpha.sum())
    value = total - eta * form, eta * slack + rounding(problem.n, total)
    return Dual(value, alpha, eta * np.outer(v, v), split(S, v, 0.0)[0])


@per_array
def negative_part(S: Array) -> float:
    """‖S₋‖, as doubles give it: zero for no more than S that has no eigenvalue below zero."""
    return float(np.linalg.norm(np.minimum(eigvalsh((S + S.T) / 2), 0.0)))


def _at_distance(
    problem: KernelMachine, v: Array, least: float, tau: float | None
) -> tuple[Array, Array]:
    """K_τ = M₊ and M₋/τ of M = S + (ητ/γ)vvᵀ, at the τ with ‖K_τ - S‖ = τ to rounding.

    ‖S₋‖ ≤ ‖K_τ - S‖ ≤ τη|v|²/γ + ‖S₋‖, so that ‖S₋‖ ≤ τ ≤ ‖S₋‖/(1 - η|v|²/γ).
    """
    ratio = problem.eta / problem.gamma

    def at(x: float) -> tuple[float, Array, Array]:
        tau = float(np.exp(x))
        K, rest = split(problem.S, v, ratio * tau)
        rest /= tau
        size = float(np.linalg.norm(ratio * np.outer(v, v) + rest))
        return float(np.log(size)) if size > 0 else 0.0, K, rest

    # log‖K_τ - S‖ - log τ decreases in log τ with a slope between -1 and 0: the first step has
    # slope -1, the others are the secant's.
    room = max(1 - ratio * float(v @ v), EPS)
    low, high = float(np.log(least)), float(np.log(least / room)) + 1e-9
    x = low if not tau else float(np.clip(np.log(tau), low, high))
    h, K, rest = at(x)
    best, slope = (abs(h), K, rest), -1.0
    # On the border of the ball the root is at infinity, or everywhere: the caller's factor serves.
    for _ in range(EVALUATIONS if room > 1e-6 else BORDER):
        if abs(h) <= ROOT:
            break
        step = float(np.clip(-h / min(slope, -1e-6), -FARTHEST, FARTHEST))
        step = float(np.clip(x + step, low - 1e-9, high)) - x
        if step == 0:
            break
        x, before = x + step, h
        h, K, rest = at(x)
        if abs(h) < best[0]:
            best = (abs(h), K, rest)
        elif abs(h) <= 1e-12:
            break
        slope = (h - before) / step
    return best[1], best[2]


def kernel_value(problem: KernelMachine, K: Array, c: Array) -> Value:
    """(1/n)·1ᵀξ + ηcᵀKc + γ‖K - S‖ at any K ⪰ 0 and any c."""
    machine = best_primal(K, problem.y, c, 1 / problem.n, problem.eta)
    d, slack = distance(K, problem.S)
    total, allowance = machine.value(1 / problem.n, problem.eta)
    point = {**machine.point, "u": np.array(machine.form[0]), "v": np.array(d)}
    return (total + problem.gamma * d, allowance + problem.gamma * slack), point

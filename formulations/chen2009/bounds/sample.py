"""(8): the column of a test sample."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from cvxkernel.formulations import inputs, semidefinite
from cvxkernel.formulations.chen2009.bounds.kernel import distance
from cvxkernel.formulations.chen2009.programs import AugmentedSample, NewSample
from cvxkernel.formulations.enclosure import Bounded, Enclosure, rounding
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array


@encloses("chen2009-eq8-qcqp")
def eq8_qcqp(problem: NewSample, point: Point) -> Enclosure:
    """At the k that belongs to the multiplier of r from above; from below the Lagrangian there."""
    (low, down), ((high, up), k, r) = _both_ends(problem, point)
    return Enclosure(high, max(low - down, 0.0), high + up, {"k": k, "r": np.array(r)})


@encloses("chen2009-eq8")
def eq8(problem: AugmentedSample, point: Point) -> Enclosure:
    """The same with ‖K - S‖² added, under the square root."""
    (low, down), ((high, up), k, r) = _both_ends(problem, point)
    d, slack = distance(problem.K, problem.S)
    slack += float(semidefinite.slack(problem.K)) * np.sqrt(problem.n)  # K stands for K₊
    value = float(np.sqrt(d * d + high))
    lower = float(np.sqrt(max(d - slack, 0.0) ** 2 + max(low - down, 0.0)))
    upper = float(np.sqrt((d + slack) ** 2 + high + up))
    return Enclosure(value, min(lower, value), max(upper, value), {"k": k, "r": np.array(r)})


def _both_ends(problem: NewSample, point: Point) -> tuple[Bounded, tuple[Bounded, Array, float]]:
    """(8) without the constant and the square root, at the best μ and at 2(r - ψ) of an r given."""
    every = {0.0, multiplier(problem)}
    if "r" in point:  # where ψ is large r = ψ + μ/2 has no digit of μ left
        r = inputs.weights("r", point["r"], (1,)).item()
        every.add(max(2 * (r - problem.psi), 0.0))
    low = max((column_bound(problem, mu) for mu in every), key=lambda bound: bound[0] - bound[1])
    high = min((column_value(problem, mu) for mu in every), key=lambda value: sum(value[0]))
    return low, high


def column(problem: NewSample, mu: float) -> tuple[Array, Array, float]:
    """k(μ) = Vκ with κ = 2d/(2d + μ)∘Vᵀs, which minimizes the Lagrangian of (8); κ; r = kᵀK†k.

    K = V diag(d)Vᵀ; d is at its low end, with which k is feasible for any other.
    """
    d, V = problem.eigen.low, problem.eigen.V
    sigma, kept = V.T @ problem.s, d > 0
    kappa = np.zeros_like(d)
    kappa[kept] = sigma[kept] * (2 * d[kept] / (2 * d[kept] + mu))
    return V @ kappa, kappa, float(np.sum(kappa[kept] ** 2 / d[kept]))


def multiplier(problem: NewSample) -> float:
    """The μ ≥ 0 of the largest bound: kᵀK†k = ψ + μ/2 at k(μ), zero where s is consistent."""
    d, psi = problem.eigen.low, problem.psi
    d, sigma2 = d[d > 0], ((problem.eigen.V.T @ problem.s) ** 2)[d > 0]

    def excess(x: float) -> float:
        mu = float(np.exp(x))
        return float(np.sum(sigma2 * 4 * d / (2 * d + mu) ** 2)) - psi - mu / 2

    most = max(float(np.sum(sigma2 / d)) if len(d) else 0.0, abs(psi), float(problem.s @ problem.s))
    if not most > 0 or not np.isfinite(most):
        return 0.0
    # kᵀK†k falls in μ and μ/2 rises: one crossing, sought by its logarithm
    top = float(np.log(2 * most)) + 1
    bottom = top - 300.0
    if excess(bottom) <= 0:
        return 0.0
    return float(np.exp(brentq(excess, bottom, top, xtol=1e-15, rtol=1e-14)))


def column_value(problem: NewSample, mu: float) -> tuple[Bounded, Array, float]:
    """2‖k - s‖² + (r - ψ)² at k(μ) and the best r."""
    n, s, psi, error = problem.n, problem.s, problem.psi, problem.eigen.error
    made = float(np.linalg.norm(s))
    if _consistent(problem):
        return (0.0, 0.0), s, psi
    k, kappa, least = column(problem, mu)
    r = max(least * (1 + rounding(n, 2.0)), psi, 0.0)
    away = k - s
    total = 2 * float(away @ away) + (r - psi) ** 2
    near = error * float(np.linalg.norm(kappa)) + rounding(n, made)  # k from the exact V
    slack = 4 * float(np.linalg.norm(away)) * near + 2 * near**2
    slack += rounding(n, total) + 2 * abs(r - psi) * rounding(1, abs(r) + abs(psi))
    return (total, slack if total else 0.0), k, r


def _consistent(problem: NewSample) -> bool:
    """Whether k = s and r = ψ are feasible: K is definite and sᵀK⁻¹s ≤ ψ, rounding and all."""
    d, n, s = problem.eigen.low, problem.n, problem.s
    if not (d > 0).all():
        return not s.any() and problem.psi >= 0
    near = problem.eigen.error * float(np.linalg.norm(s))
    sigma = np.abs(problem.eigen.V.T @ s) + near + rounding(n, float(np.linalg.norm(s)))
    return float(np.sum(sigma**2 / d)) * (1 + rounding(n, 2.0)) <= problem.psi


def column_bound(problem: NewSample, mu: float) -> Bounded:
    r"""min over k and r of the Lagrangian, d at its high end:

    Σᵢ 2σᵢ²μ/(2dᵢ + μ) - μψ - μ²/4,  σ = Vᵀs,  with 2σᵢ² where dᵢ = 0: off the range of K.
    """
    _, d, V, error = problem.eigen
    sigma, size = V.T @ problem.s, float(np.linalg.norm(problem.s))
    shares = np.divide(mu, 2 * d + mu, out=np.ones_like(d), where=d > 0)
    terms = 2 * sigma**2 * shares
    total = float(terms.sum()) - mu * problem.psi - mu * mu / 4
    made = float(terms.sum()) + mu * abs(problem.psi) + mu * mu / 4
    # σ is off by `near` in each entry, from the exact V and from rounding
    near = error * size + rounding(problem.n, size)
    moved = 2 * float((2 * np.abs(sigma) + near) @ shares) * near
    return total, rounding(problem.n, made) + moved

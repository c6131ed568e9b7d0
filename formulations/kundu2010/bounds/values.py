"""(4), (6) and (7) from above: the objective at a feasible point."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.enclosure import Bounded, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.bounds.feasible import combine, signed
from cvxkernel.formulations.kundu2010.bounds.omega import omega_points, omega_upper
from cvxkernel.formulations.kundu2010.programs import Similarities, Spectra


def loss(problem: Similarities, K: Array) -> Bounded:
    """ρ Σᵢ L(Kᵢ - Sᵢ), K one matrix or m of them, and what K's rounding may change in it."""
    X = K - problem.S
    n, tau = problem.n, problem.tau
    size = np.sqrt((X * X).sum(axis=(1, 2)))
    if problem.loss == "L1":
        total, slope = float(np.abs(X).sum()), float(n * problem.m)
    elif problem.loss == "L2":
        total, slope = float(size.sum()), float(problem.m)
    else:
        total, slope = float((X * X).sum()), 2 * float(size.sum())
    allowance = rounding(n * n, total) + rounding(n, 2 * tau) * slope
    return problem.rho * total, problem.rho * allowance


def eq4_value(problem: Similarities, K: Array, v: Array) -> Bounded:
    """(4) at K ⪰ 0 of trace τ; the support vector machine from above, at v."""
    margin, slack = svm.upper(signed(problem.y, K), problem.y, problem.C, v)
    rest, more = loss(problem, K)
    return margin + rest, slack + more


def eq6_value(problem: Similarities, K: Array, x: Array) -> Bounded:
    """(6) at K₁, …, K_m ⪰ 0 of trace τ; Ω from above, at x of shape (m, n), or (n,) for an α."""
    margin, slack = omega_upper(signed(problem.y, K), problem.y, problem.C, x)
    rest, more = loss(problem, K)
    return margin + rest, slack + more


def eq7_value(problem: Spectra, mu: Array, x: Array) -> Bounded:
    """(7) at μ₁, …, μ_m ≥ 0 of sum τ; Ω from above, at x of shape (m, n), or (n,) for an α."""
    M = signed(problem.y, combine(problem, mu))
    margin, slack = omega_upper(M, problem.y, problem.C, x)
    total = float(np.sqrt(((mu - problem.lam) ** 2).sum(axis=1)).sum())
    more = rounding(problem.n, total + problem.m * problem.tau)
    more += float(np.sqrt(problem.n)) * sum(basis.off for basis in problem.bases)
    slack += _turned(problem, M, mu, x)
    return margin + problem.rho * total, slack + problem.rho * more


def _turned(problem: Spectra, M: Array, mu: Array, x: Array) -> float:
    """What the exact vᵢⱼ may change in Ω at x: each Kᵢ by 2.1‖V - V*‖·maxⱼ μᵢⱼ at most."""
    off = np.array([2.1 * basis.error for basis in problem.bases]) * mu.max(axis=1)
    sizes = np.linalg.norm(x if x.ndim == 2 else omega_points(M, x), axis=1)
    hinges = problem.C * float(np.sqrt(problem.n)) * float(off @ sizes)
    return float((off * sizes**2).max()) / 2 + hinges

r"""Both ends for any α and any weights: plain numpy, no programs.

For α with αᵗ in S(t) let A = maxᵢ Σₜ Gᵢᵗ(α) and B = Σₜ maxᵢ Gᵢᵗ(α), so that A ≤ B ≤ kA. With
c = 1 - Σᵢ ζᵢ, the share of the kernel that a label has for itself, the least of
Σₜ D(αᵗ, Σᵢ (ζᵢ + γᵢᵗ)Gᵢ) over ζ and γ of that share puts ζ on one kernel and each γᵗ on one, and is

    Σₜ αᵗᵀe - ½((1 - c)A + cB).

It falls with c. With the price λΩ = ½kλc the best c is 0 or 1:  Σₜ αᵗᵀe - ½ max(A, B - kλ); under
Ω ≤ β it is the largest, c = 2β/k. Either number is a lower bound of the minimum over the weights.
Upper: at any weights k support vector machines are left, whose bounds `svm` has. The kernels are
the Gᵢ₊, within εᵢ of the doubles: Gᵢᵗ(α) is off by at most εᵢ‖αᵗ‖², and Σᵢ θᵢᵗGᵢ by Σᵢ θᵢᵗεᵢ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cvxkernel.formulations import semidefinite, svm
from cvxkernel.formulations.enclosure import Bounded, quadratic, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009.programs import MultiLabelled


def repair(problem: MultiLabelled, alpha: Array) -> Array:
    """Each αᵗ clipped to the box, then its heavier class scaled down until αᵗᵀyᵗ = 0."""
    rows = zip(alpha, problem.Y, strict=True)
    return np.stack([svm.repair(a, y, problem.C) for a, y in rows])


def forms(problem: MultiLabelled, alpha: Array) -> tuple[Array, Array]:
    """Gᵢᵗ(α) (8) as (k, p), and the allowances for their rounding and for what Gᵢ is off."""
    v = problem.Y * alpha
    pairs = np.array([[quadratic(G, v_t[:, None]) for G in problem.kernels] for v_t in v])
    squares = (v * v).sum(axis=1)
    return pairs[..., 0], pairs[..., 1] + np.outer(squares, semidefinite.slack(problem.kernels))


def extremes(problem: MultiLabelled, alpha: Array) -> tuple[float, float, float]:
    """A, B, and an allowance for the rounding of either."""
    G, slack = forms(problem, alpha)
    return float(G.sum(axis=0).max()), float(G.max(axis=1).sum()), float(slack.max(axis=1).sum())


def value(problem: MultiLabelled, alpha: Array, lam: float) -> Bounded:
    """Σₜ αᵗᵀe - ½ max(A, B - kλ): the objective of Theorem 3.1."""
    A, B, slack = extremes(problem, alpha)
    total, k = float(alpha.sum()), problem.k
    magnitude = total + (B + k * lam if B - k * lam > A else A)
    s = max(A, B - k * lam)
    return total - s / 2, slack / 2 + rounding(problem.n, magnitude)


def bound(problem: MultiLabelled, alpha: Array, beta: float) -> Bounded:
    """Σₜ αᵗᵀe - ½((1 - c)A + cB), c = 2β/k: below (9) for every weights with Ω ≤ β."""
    A, B, slack = extremes(problem, alpha)
    total, c = float(alpha.sum()), min(1.0, 2 * beta / problem.k)
    s = (1 - c) * A + c * B
    return total - s / 2, slack / 2 + rounding(problem.n, total + s)


def combined(problem: MultiLabelled, theta: Array) -> Array:
    """Σᵢ θᵢᵗGᵢ for every label, as (k, n, n)."""
    K: Array = np.tensordot(theta, problem.kernels, axes=1)
    return K


def slacks(problem: MultiLabelled, theta: Array) -> list[float]:
    """Of the Σᵢ θᵢᵗGᵢ."""
    return [semidefinite.mixed(row, problem.kernels) for row in theta]


def machines(
    problem: MultiLabelled, kernels: Array, alpha: Array, slack: Sequence[float]
) -> list[Bounded]:
    """For each label an upper bound of its machine with its own kernel, at v = αᵗ."""
    rows = zip(kernels, problem.Y, alpha, slack, strict=True)
    return [svm.upper(svm.signed(y, K), y, problem.C, a, e) for K, y, a, e in rows]


# -- Weights ------------------------------------------------------------------------------------


def simplex(theta: Array) -> Array:
    """Weights (k, p) clipped at zero, each row scaled to sum 1; a row of zeros becomes uniform."""
    theta = np.maximum(theta, 0.0)
    theta = theta / np.maximum(theta.max(axis=1, keepdims=True), np.finfo(float).tiny)
    total = theta.sum(axis=1, keepdims=True)
    return np.where(total > 0, theta / np.where(total > 0, total, 1.0), 1.0 / theta.shape[1])


def parts(theta: Array) -> tuple[Array, Array]:
    """ζᵢ = minₜ θᵢᵗ and γ = θ - ζ: of all parts of θ the ones with the least Ω."""
    zeta = theta.min(axis=0)
    return zeta, theta - zeta


def omega(theta: Array) -> float:
    """Ω = ½ Σₜ Σᵢ γᵢᵗ (7), the least that θ allows."""
    return float(parts(theta)[1].sum()) / 2


def within(theta: Array, beta: float) -> Array:
    """θ, or where Ω exceeds β the nearest point to it on the way to its mean over the labels.

    With (1 - x)θᵗ + x·mean θ the parts γ shrink by 1 - x: so does Ω.
    """
    Omega = omega(theta)
    if Omega <= beta:
        return theta
    mean = theta.mean(axis=0)
    return simplex(mean + (theta - mean) * (beta / Omega))

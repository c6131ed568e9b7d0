r"""Both ends of (5) and (7) at a gating, and a lower bound over a box of gatings: plain numpy.

At a gating: any α in the box with αᵀy = 0 gives a lower value; from above the two bounds of `svm`
with Q = Σ_m diag(yη_m)K_mdiag(yη_m), the first of which is the primal (5) at the w_m that (6) makes
of α.

Over a box of gatings, two kernels and points on a line: η₁(x) = σ(z), η₂(x) = σ(-z) with
z = ax + c, a = v₁ - v₂, c = v₁₀ - v₂₀, and σ the logistic function. For every feasible α,

    J(a, c) ≥ 1ᵀα - ½q(a, c),   q = η₁ᵀA₁η₁ + η₂ᵀA₂η₂,   A_m = diag(αy)K_mdiag(αy),

so that a number above q on the box bounds J from below there. With the ranges lᵢ ≤ η₁(xᵢ) ≤ hᵢ,
which corners of the box attain, there are three:

    signs     Σᵢⱼ max of (A₁)ᵢⱼη₁ᵢη₁ⱼ at (l, l) or (h, h), and as much for η₂
    centre    q₀ + 2|A₁η₁ - A₂η₂|ᵀρ + ρᵀ|A₁ + A₂|ρ  at the middle of [l, h], ρ its half length
    Taylor    q(a₀, c₀) + |∂q/∂a|rₐ + |∂q/∂c|r_c + ½ max of the second derivative

In the last, along (hₐ, h_c) with δᵢ = xᵢhₐ + h_c,

    q″ = 2(σ′δ)ᵀ(A₁ + A₂)(σ′δ) + 2Σᵢ(A₁η₁ - A₂η₂)ᵢσ″ᵢδᵢ².

It is of second order in the size of the box around a stationary point.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from cvxkernel.formulations import inputs, semidefinite, svm
from cvxkernel.formulations.enclosure import Bounded, Enclosure, rounding
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.gonen2008.data import Points
from cvxkernel.formulations.gonen2008.programs import Gated, Localized
from cvxkernel.formulations.inputs import Array

SLOPE, BEND = 0.25, 1 / (6 * np.sqrt(3.0))  # the largest σ′ and |σ″|


def gates(problem: Gated) -> tuple[Array, Array]:
    """η_m(xᵢ) = 1/Σ_k exp(z_k - z_m), as (p, n), and how far rounding of z may have moved it."""
    z = problem.X @ problem.V.T + problem.v0  # (n, p)
    size = np.abs(problem.X) @ np.abs(problem.V).T + np.abs(problem.v0)
    error = 2 * rounding(problem.d + 1, float(size.max()))  # of a difference of two z
    apart = z.T[None, :, :] - z.T[:, None, :]  # (m, k, i): z_k - z_m
    others = ~np.eye(problem.p, dtype=bool)[:, :, None]
    with np.errstate(over="ignore"):
        low, eta, high = (
            1 / (1 + np.sum(np.where(others, np.exp(apart + shift), 0.0), axis=1))
            for shift in (error, 0.0, -error)
        )
    return eta, high - low


def combined(problem: Gated) -> tuple[Array, float]:
    """Q = Σ_m diag(yη_m)K_mdiag(yη_m), and its slack.

    What K_m is off counts η² times; entry by entry, and then in the Frobenius norm, there is what
    the rounding of the gates and of Q itself does.
    """
    eta, radius = gates(problem)
    Q, moved = np.zeros((problem.n, problem.n)), np.zeros((problem.n, problem.n))
    slack, last = 0.0, semidefinite.gamma(problem.p + 4)
    for e, r, K, off in zip(
        eta, radius, problem.kernels, semidefinite.slack(problem.kernels), strict=True
    ):
        D = problem.y * e
        Q += D[:, None] * (K + K.T) / 2 * D
        more = np.outer(r, e) + np.outer(e, r) + np.outer(r, r) + last * np.outer(e, e)
        moved += np.abs(K) * more
        slack += float((e + r).max()) ** 2 * off
    return Q, slack + float(np.linalg.norm(moved))


def repair(problem: Points, alpha: Array, Q: Array) -> Array:
    """α clipped and balanced, then scaled by the best x the box allows: x = 1ᵀα/αᵀQα."""
    alpha = svm.repair(alpha, problem.y, problem.C)
    total, form = float(alpha.sum()), float(alpha @ Q @ alpha)
    if not total > 0:
        return alpha
    most = problem.C / float(alpha.max())
    scaled: Array = alpha * (min(most, total / form) if form > 0 else most)
    return np.minimum(scaled, problem.C)


def primal(problem: Points, Q: Array, alpha: Array, b: float) -> Bounded:
    """(5) at w_m = Σᵢ αᵢyᵢη_m(xᵢ)Φ_m(xᵢ) of (6), b, and ξᵢ = max(0, 1 - yᵢf(xᵢ))."""
    image = Q @ alpha + b * problem.y  # yᵢf(xᵢ)
    form = float(alpha @ Q @ alpha)
    losses = float(np.maximum(0.0, 1 - image).sum())
    made_of = np.abs(Q) @ np.abs(alpha) + abs(b) + 1
    magnitude = float(np.abs(alpha) @ made_of) + problem.C * float(made_of.sum())
    return form / 2 + problem.C * losses, rounding(problem.n, magnitude)


def box_bound(problem: Points, alpha: Array, box: tuple[float, float, float, float]) -> float:
    """A number below J(a, c) for all a in [a₋, a₊], c in [c₋, c₊]; α is any feasible point."""
    if (problem.p, problem.d) != (2, 1):
        raise ValueError("a box of gatings needs two kernels and points on a line")
    a_low, a_high, c_low, c_high = box
    x, beta = problem.X[:, 0], alpha * problem.y
    A1, A2 = (np.outer(beta, beta) * (K + K.T) / 2 for K in problem.kernels)
    low = np.minimum(a_low * x, a_high * x) + c_low
    high = np.maximum(a_low * x, a_high * x) + c_high
    l, h = expit(low), expit(high)
    l2, h2 = expit(-high), expit(-low)  # of η₂, not as 1 - η₁: it may be tiny

    signs = _signs(A1, l, h) + _signs(A2, l2, h2)

    middle, radius = (l + h) / 2, (h - l) / 2
    e1, e2 = middle, (l2 + h2) / 2
    size = np.abs(A1 + A2)
    linear = np.abs(A1 @ e1 - A2 @ e2)
    centre = float(e1 @ A1 @ e1 + e2 @ A2 @ e2 + 2 * linear @ radius + radius @ size @ radius)

    a0, c0 = (a_low + a_high) / 2, (c_low + c_high) / 2
    r_a, r_c = (a_high - a_low) / 2, (c_high - c_low) / 2
    s1, s2 = expit(a0 * x + c0), expit(-a0 * x - c0)
    slope = 2 * s1 * s2 * (A1 @ s1 - A2 @ s2)
    delta = np.abs(x) * r_a + r_c
    # σ′ = η₁η₂ and σ″ = η₁η₂(η₂ - η₁) on the box, by the ranges of η₁ and η₂.
    steep = np.minimum(SLOPE, h * h2)
    bend = np.minimum(BEND, steep * np.maximum(np.abs(h2 - l), np.abs(l2 - h)))
    weight = np.abs(A1 @ e1 - A2 @ e2) + size @ radius
    second = 2 * float((steep * delta) @ size @ (steep * delta))
    second += 2 * float(weight @ (bend * delta**2))
    taylor = float(s1 @ A1 @ s1 + s2 @ A2 @ s2)
    taylor += abs(float(slope @ x)) * r_a + abs(float(slope.sum())) * r_c + second / 2

    off = float(semidefinite.slack(problem.kernels).sum()) * float(alpha @ alpha)  # gates are ≤ 1
    total, q = float(alpha.sum()), min(signs, centre, taylor) + off
    magnitude = total + float(h @ np.abs(A1) @ h + h2 @ np.abs(A2) @ h2)
    # The gates are rounded too: an error of z in the last place moves σ(z) by at most as much.
    worst = 1 + float(np.abs(np.r_[low, high]).max())
    return total - q / 2 - rounding(problem.n, magnitude) * worst


def _signs(A: Array, low: Array, high: Array) -> float:
    """Σᵢⱼ Aᵢⱼηᵢηⱼ with every positive term at the upper ends, every negative one at the lower."""
    return float(high @ np.maximum(A, 0.0) @ high + low @ np.minimum(A, 0.0) @ low)


# -- Enclosures: any point repaired, and both ends of the optimum computed there -----------------


@encloses("gonen2008-eq7")
def enclose_gated(problem: Gated, point: Point) -> Enclosure:
    """(7), whose value is the lower end."""
    (low, down), (high, up), variables = _machine(problem, point)
    return Enclosure(low, low - down, high + up, variables)


@encloses("gonen2008-alg1")
def enclose_localized(problem: Localized, point: Point) -> Enclosure:
    """J at the gating of the point, equal gates where it has none: an upper bound of the least."""
    at = problem.at(point.get("V"), point.get("v0"))
    (low, down), (high, up), variables = _machine(at, point)
    return Enclosure(high, low - down, high + up, {**variables, "V": at.V, "v0": at.v0})


def _machine(problem: Gated, point: Point) -> tuple[Bounded, Bounded, dict[str, Array]]:
    """Both bounds of (7), and (α, b): w_m follows from α by (6), ξ from both."""
    given = point.get("alpha", np.full(problem.n, problem.C))
    alpha = inputs.weights("alpha", given, (problem.n,))
    Q, slack = combined(problem)
    alpha = repair(problem, alpha, Q)
    upper = svm.upper(Q, problem.y, problem.C, alpha, slack)
    b = np.array(svm.offset(Q @ alpha, problem.y))
    return svm.value(Q, alpha, slack), upper, {"alpha": alpha, "b": b}

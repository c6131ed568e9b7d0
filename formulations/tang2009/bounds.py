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

from cvxkernel.formulations import inputs, semidefinite, svm
from cvxkernel.formulations.enclosure import Bounded, Enclosure, quadratic, rounding
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009.data import MultiLabelled
from cvxkernel.formulations.tang2009.programs import Regularized, Separate, Shared

NEARLY_SAME = 1e-4  # of Ω/k: a large λ charges what a solver leaves of γ; the mean has none


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


# -- Enclosures: any point repaired, and both ends of the optimum computed there -----------------


def alphas(problem: MultiLabelled, point: Point) -> tuple[Array, Array]:
    """α for the lower end and for the upper, each row in S(t).

    An iterative method has two of them: the mixture `alpha` that no weights beat, and `machines`,
    those of its best weights. Where one is missing the other is taken.
    """
    shape = (problem.k, problem.n)
    given = [
        repair(problem, inputs.weights(symbol, point[symbol], shape))
        for symbol in ("alpha", "machines")
        if symbol in point
    ]
    given = given or [repair(problem, np.full(shape, problem.C))]
    return given[0], given[-1]


def weights(problem: MultiLabelled, point: Point) -> Array:
    """θ of a point, or ζ + γ, each row on the simplex."""
    k, p = problem.k, problem.p
    if "theta" in point:
        return simplex(inputs.weights("theta", point["theta"], (k, p)))
    theta = np.zeros((k, p))
    for symbol, shape in (("zeta", (p,)), ("gamma", (k, p))):
        if symbol in point:
            theta = theta + np.maximum(inputs.weights(symbol, point[symbol], shape), 0.0)
    return simplex(theta)


@encloses("tang2009-eq2")
def enclose_separate(problem: Separate, point: Point) -> Enclosure:
    """(2): Σₜ D(αᵗ, 𝒢ᵗ), and the sum of the machines' upper bounds."""
    alpha, _ = alphas(problem, point)
    slack = semidefinite.slack(problem.kernels).tolist()
    rows = zip(problem.kernels, problem.Y, alpha, slack, strict=True)
    low, down = np.sum([svm.value(svm.signed(y, K), a, e) for K, y, a, e in rows], axis=0)
    high, up = np.sum(machines(problem, problem.kernels, alpha, slack), axis=0)
    return Enclosure(low, low - down, high + up, {"alpha": alpha})


@encloses("tang2009-thm3.1")
def enclose_qcqp(problem: Regularized, point: Point) -> Enclosure:
    """Theorem 3.1, whose value is the lower end."""
    alpha, v = alphas(problem, point)
    low, down = value(problem, alpha, problem.lam)
    (high, up), theta = _price(problem, weights(problem, point), v)
    zeta, gamma = parts(theta)
    G, _ = forms(problem, alpha)
    s0, s_t = G.sum(axis=0).max(), G.max(axis=1)
    s = max(s0, s_t.sum() - problem.k * problem.lam)
    epigraph = {"s": np.array(s), "s0": np.array(s0), "s_t": s_t}
    variables = {"alpha": alpha, **epigraph, "zeta": zeta, "gamma": gamma}
    return Enclosure(low, low - down, high + up, variables)


@encloses("tang2009-eq3-sdp")
def enclose_minimum(problem: Regularized, point: Point) -> Enclosure:
    """(3), whose value is the upper end."""
    alpha, v = alphas(problem, point)
    low, down = value(problem, alpha, problem.lam)
    (high, up), theta = _price(problem, weights(problem, point), v)
    zeta, gamma = parts(theta)
    variables = {"zeta": zeta, "gamma": gamma, "alpha": alpha}
    return Enclosure(high, low - down, high + up, variables)


@encloses("tang2009-eq11")
def enclose_shared(problem: Shared, point: Point) -> Enclosure:
    """(11), whose value is the upper end: weights of Ω ≤ β, and gᵗ that no cut exceeds."""
    alpha, v = alphas(problem, point)
    theta = within(weights(problem, point), problem.beta)
    low, down = bound(problem, alpha, problem.beta)
    kernels, slack = combined(problem, theta), slacks(problem, theta)
    uppers = np.array(machines(problem, kernels, v, slack))
    high, up = uppers.sum(axis=0)
    zeta, gamma = parts(theta)
    variables = {"theta": theta, "zeta": zeta, "gamma": gamma, "g": uppers[:, 0]}
    variables |= {"alpha": alpha, "machines": v}
    return Enclosure(high, low - down, high + up, variables)


def _price(problem: Regularized, theta: Array, alpha: Array) -> tuple[Bounded, Array]:
    """λΩ + the machines' upper bounds, at these weights or, where Ω is small, at their mean."""
    prices = []
    for beta in (problem.k, 0.0) if omega(theta) < NEARLY_SAME * problem.k else (problem.k,):
        near = within(theta, beta)
        kernels, slack = combined(problem, near), slacks(problem, near)
        high, up = np.sum(machines(problem, kernels, alpha, slack), axis=0)
        price = problem.lam * omega(near)
        prices.append(((high + price, up + rounding(problem.k * problem.p, price)), near))
    return min(prices, key=lambda priced: sum(priced[0]))

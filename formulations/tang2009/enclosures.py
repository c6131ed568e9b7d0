"""Any point repaired, and both ends of the optimum computed there from the data alone."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations import inputs, semidefinite
from cvxkernel.formulations.enclosure import Bounded, Enclosure, rounding
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.svm import signed, value
from cvxkernel.formulations.tang2009 import bounds
from cvxkernel.formulations.tang2009.programs import MultiLabelled, Regularized, Separate, Shared

NEARLY_SAME = 1e-4  # of Ω/k: a large λ charges what a solver leaves of γ; the mean has none


def alphas(problem: MultiLabelled, point: Point) -> tuple[Array, Array]:
    """α for the lower end and for the upper, each row in S(t).

    An iterative method has two of them: the mixture `alpha` that no weights beat, and `machines`,
    those of its best weights. Where one is missing the other is taken.
    """
    shape = (problem.k, problem.n)
    given = [
        bounds.repair(problem, inputs.weights(symbol, point[symbol], shape))
        for symbol in ("alpha", "machines")
        if symbol in point
    ]
    given = given or [bounds.repair(problem, np.full(shape, problem.C))]
    return given[0], given[-1]


def weights(problem: MultiLabelled, point: Point) -> Array:
    """θ of a point, or ζ + γ, each row on the simplex."""
    k, p = problem.k, problem.p
    if "theta" in point:
        return bounds.simplex(inputs.weights("theta", point["theta"], (k, p)))
    parts = np.zeros((k, p))
    for symbol, shape in (("zeta", (p,)), ("gamma", (k, p))):
        if symbol in point:
            parts = parts + np.maximum(inputs.weights(symbol, point[symbol], shape), 0.0)
    return bounds.simplex(parts)


def enclose_separate(problem: Separate, point: Point) -> Enclosure:
    """(2): Σₜ D(αᵗ, 𝒢ᵗ), and the sum of the machines' upper bounds."""
    alpha, _ = alphas(problem, point)
    slack = semidefinite.slack(problem.kernels).tolist()
    rows = zip(problem.kernels, problem.Y, alpha, slack, strict=True)
    low, down = np.sum([value(signed(y, K), a, e) for K, y, a, e in rows], axis=0)
    high, up = np.sum(bounds.machines(problem, problem.kernels, alpha, slack), axis=0)
    return Enclosure(low, low - down, high + up, {"alpha": alpha})


def enclose_qcqp(problem: Regularized, point: Point) -> Enclosure:
    """Theorem 3.1, whose value is the lower end."""
    alpha, machines = alphas(problem, point)
    low, down = bounds.value(problem, alpha, problem.lam)
    (high, up), theta = _price(problem, weights(problem, point), machines)
    zeta, gamma = bounds.parts(theta)
    G, _ = bounds.forms(problem, alpha)
    s0, s_t = G.sum(axis=0).max(), G.max(axis=1)
    s = max(s0, s_t.sum() - problem.k * problem.lam)
    epigraph = {"s": np.array(s), "s0": np.array(s0), "s_t": s_t}
    variables = {"alpha": alpha, **epigraph, "zeta": zeta, "gamma": gamma}
    return Enclosure(low, low - down, high + up, variables)


def enclose_minimum(problem: Regularized, point: Point) -> Enclosure:
    """(3), whose value is the upper end."""
    alpha, machines = alphas(problem, point)
    low, down = bounds.value(problem, alpha, problem.lam)
    (high, up), theta = _price(problem, weights(problem, point), machines)
    zeta, gamma = bounds.parts(theta)
    variables = {"zeta": zeta, "gamma": gamma, "alpha": alpha}
    return Enclosure(high, low - down, high + up, variables)


def enclose_shared(problem: Shared, point: Point) -> Enclosure:
    """(11), whose value is the upper end: weights of Ω ≤ β, and gᵗ that no cut exceeds."""
    alpha, v = alphas(problem, point)
    theta = bounds.within(weights(problem, point), problem.beta)
    low, down = bounds.bound(problem, alpha, problem.beta)
    kernels, slack = bounds.combined(problem, theta), bounds.slacks(problem, theta)
    machines = np.array(bounds.machines(problem, kernels, v, slack))
    high, up = machines.sum(axis=0)
    zeta, gamma = bounds.parts(theta)
    variables = {"theta": theta, "zeta": zeta, "gamma": gamma, "g": machines[:, 0]}
    variables |= {"alpha": alpha, "machines": v}
    return Enclosure(high, low - down, high + up, variables)


def _price(problem: Regularized, theta: Array, alpha: Array) -> tuple[Bounded, Array]:
    """λΩ + the machines' upper bounds, at these weights or, where Ω is small, at their mean."""
    ends = []
    for beta in (problem.k, 0.0) if bounds.omega(theta) < NEARLY_SAME * problem.k else (problem.k,):
        near = bounds.within(theta, beta)
        kernels, slack = bounds.combined(problem, near), bounds.slacks(problem, near)
        machines = bounds.machines(problem, kernels, alpha, slack)
        high, up = np.sum(machines, axis=0)
        price = problem.lam * bounds.omega(near)
        ends.append(((high + price, up + rounding(problem.k * problem.p, price)), near))
    return min(ends, key=lambda end: sum(end[0]))

"""gonen2008-eq5: the primal at a given gating, by its own variables."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.solvers import solve
from cvxkernel.validation import check

EQ5 = CATALOGUE["gonen2008-eq5"]


@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
@pytest.mark.parametrize("C", [1e-3, 10.0])
def test_strong_duality_at_the_gating(kind, C, gated):
    problem = gated(10, 2, kind, seed=4, C=C)
    primal, dual = solve("gonen2008-eq5", problem), solve("gonen2008-eq7", problem)
    machine = solve("gonen2008-eq5", problem, solver="svm")
    assert primal.enclosure.meets(dual.enclosure)
    assert primal.enclosure.meets(machine.enclosure)


def test_the_objective_is_the_printed_one(gated):
    """At any c, by features: Φ_m(xᵢ) a row of a root of K_m."""
    problem, rng = gated(8, 2, "random", seed=1), np.random.default_rng(3)
    for scale in (0.01, 1.0):
        c = scale * rng.normal(size=(2, 8))
        lam, U = np.linalg.eigh(problem.kernels)
        Phi = U * np.sqrt(np.maximum(lam, 0.0))[:, None, :]
        w = np.einsum("mij,mi->mj", Phi, c)
        f = sum(problem.eta[m] * (Phi[m] @ w[m]) for m in range(2))
        y, found = problem.y, check("gonen2008-eq5", problem, c=c, b=0.3, why=False)
        xi = np.maximum(0.0, 1 - y * (f + 0.3))
        value = (w**2).sum() / 2 + problem.C * xi.sum()
        off = float(found.sides["upper"].distance.lower) + float(found.optimum.lower)
        assert off == pytest.approx(value, rel=1e-7)


def test_degenerate_gatings_and_kernels(gated, contains):
    K = gated(8, 1, "low rank", seed=2).kernels
    alone = gated(8, 1, kernels=K / 3)
    equal = gated(8, 3, kernels=np.repeat(K, 3, axis=0), V=np.zeros((3, 2)), v0=np.zeros(3))
    assert solve("gonen2008-eq5", equal).enclosure.meets(solve("gonen2008-eq5", alone).enclosure)
    nothing = gated(8, 2, kernels=np.zeros((2, 8, 8)), C=3.0)
    assert contains(solve("gonen2008-eq5", nothing).enclosure, 3.0 * 2 * 4)
    rounded = gated(8, 2, kernels=np.round(gated(8, 2, "gaussian").kernels, 9))
    saturated = gated(8, 2, "random", V=1e3 * np.ones((2, 2)) * [[1], [-1]])
    for problem in (rounded, saturated):
        one, other = solve("gonen2008-eq5", problem), solve("gonen2008-eq7", problem)
        assert one.enclosure.meets(other.enclosure)


def test_any_point_encloses_in_both_arithmetics(gated):
    problem, rng = gated(6, 2, "random", seed=3), np.random.default_rng(0)
    best = solve("gonen2008-eq7", problem).enclosure
    for point in ({}, {"c": rng.normal(size=(2, 6))}, {"alpha": rng.random(6)}):
        rough = EQ5.enclose(problem, point)
        exact = EQ5.ends(BALLS, problem, point)
        assert rough.meets(best)
        assert float(exact.lower) <= best.upper
        assert best.lower <= float(exact.upper)


def test_a_margin_that_is_short_is_a_violation(gated):
    problem = gated(8, 2, "random", seed=5)
    answer = dict(solve("gonen2008-eq5", problem).variables)
    assert check("gonen2008-eq5", problem, **answer, why=False).within(1e-6)
    short = {**answer, "xi": 0.0 * answer["xi"], "b": answer["b"] + 0.5}
    assert not check("gonen2008-eq5", problem, **short, why=False).within(1e-3)
    for factor in (0.5, -1.0):
        assert not check("gonen2008-eq5", problem, c=factor * answer["c"], why=False).within(1e-3)

"""Theorem 3.1, (3) and (11) by Newton over the weights: few machines, the optimum of each route."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, SolverError
from cvxkernel.formulations.tang2009 import Regularized, Shared, bounds, prohibitive
from cvxkernel.solvers import Alternation, Newton, conic, margin, solve
from cvxkernel.solvers import svm as machine
from cvxkernel.solvers.weights import SIMPLEX, Sharing
from cvxkernel.validation.instances import random_kernels
from cvxkernel.validation.tang2009.samples import multi_label

KINDS = ("gaussian", "random", "low rank")
THM = "tang2009-thm3.1"
SILP = "tang2009-eq11"


def made(id, n=24, p=5, k=3, *, kind="random", seed=2, **changes):
    return CATALOGUE[id].make({**multi_label(n, p, k, kind=kind, seed=seed), **changes})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [0.0, 1e-9, 0.5, 1.5])
def test_eq11_meets_the_alternation_at_every_beta(beta, kind):
    problem = made(SILP, kind=kind, beta=beta)
    found = Newton(tol=1e-8).solve(SILP, problem)
    assert found.width <= 1e-8
    assert found.iterations <= 12
    assert found.enclosure.meets(Alternation().solve(SILP, problem).enclosure)
    assert bounds.omega(found.variables["theta"]) <= beta


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lam", [0.0, 1e-8, 0.3, 3.0, 1e8])
@pytest.mark.parametrize("id", [THM, "tang2009-eq3-sdp"])
def test_the_price_meets_the_cone(id, lam, kind):
    problem = made(id, 12, 3, kind=kind, lam=lam)
    found = Newton(tol=1e-8).solve(id, problem)
    assert found.width <= 1e-8
    assert found.enclosure.meets(conic(id, problem).enclosure)


@pytest.mark.parametrize("kind", KINDS)
def test_the_price_and_the_bound_are_bridged(kind):
    # β = Ω at the solution of λ: the optimum at λ is the one at β plus λβ
    priced = solve(THM, made(THM, 40, 6, kind=kind, lam=0.3), tol=1e-9)
    beta = float(priced.variables["gamma"].sum()) / 2
    shared = solve(SILP, made(SILP, 40, 6, kind=kind, beta=beta), tol=1e-9)
    assert priced.solver == shared.solver == "newton"
    assert shared.upper + 0.3 * beta == pytest.approx(priced.lower, rel=1e-7)


@pytest.mark.parametrize("C", [1e-6, 1e-2, 1e2, 1e6])
def test_over_the_range_of_C(C):
    for kind in KINDS:
        problem = made(SILP, 40, 6, kind=kind, C=C, beta=0.6)
        found = Newton().solve(SILP, problem)
        assert found.width <= 1e-6
        assert found.enclosure.meets(Alternation().solve(SILP, problem).enclosure)


def degenerate(case):
    data = multi_label(24, 4, 3, seed=7)
    K, Y, n = data["kernels"], data["Y"], 24
    if case == "one kernel":
        K = K[2:3]
    elif case == "equal kernels":
        K = np.repeat(K[2:3], 4, axis=0)
    elif case == "every kernel twice":
        K = np.concatenate([K, K])
    elif case == "rank two":
        K = n * random_kernels(n, 4, rank=2)
    elif case == "nine digits":
        K = np.round(K, 9)
    elif case == "sizes apart":
        K = K * np.logspace(-6, 6, 4)[:, None, None]
    elif case == "one label":
        Y = Y[:1]
    elif case == "equal labels":
        Y = np.repeat(Y[:1], 3, axis=0)
    elif case == "opposite labels":
        Y = np.concatenate([Y, -Y])
    else:
        assert case == "a zero kernel"
        K = np.concatenate([K, np.zeros((1, n, n))])
    return {"kernels": K, "Y": Y}


CASES = (
    "one kernel",
    "equal kernels",
    "every kernel twice",
    "rank two",
    "nine digits",
    "sizes apart",
    "one label",
    "equal labels",
    "opposite labels",
    "a zero kernel",
)


@pytest.mark.parametrize("case", CASES)
def test_degenerate_data(case):
    data = degenerate(case)
    k = len(data["Y"])
    for C in (1e-3, 1.0, 1e3):
        for beta in (0.0, k / 5, k / 2, 1e3 * k):
            problem = Shared(**data, C=C, beta=beta)
            found = Newton().solve(SILP, problem)
            assert found.width <= 1e-6
            assert found.enclosure.meets(other_route(SILP, problem))
        for lam in (1e-8, 0.3 * C, 1e8):
            problem = Regularized(**data, C=C, lam=lam)
            found = Newton().solve(THM, problem)
            assert found.width <= 1e-6
            assert found.enclosure.meets(other_route(THM, problem))


def other_route(id, problem):
    try:
        return Alternation(max_iterations=60).solve(id, problem).enclosure
    except SolverError as error:
        return error.best


@pytest.mark.parametrize("kind", KINDS)
def test_the_derivatives_are_those_of_the_value(kind, check_derivatives):
    for problem in (made(SILP, 30, 3, 2, kind=kind), made(THM, 30, 3, 2, kind=kind)):
        phi = margin.LabelsFunction(problem)
        theta = np.random.default_rng(0).dirichlet(3 * np.ones(3), size=2)
        check_derivatives(phi, theta.ravel())
    same = margin.LabelsFunction(made(SILP, 30, 3, 2, kind=kind, beta=0.0))
    assert same.region is SIMPLEX
    check_derivatives(same, theta[0])


@pytest.mark.parametrize("seed", range(12))
def test_the_model_is_minimized_over_the_weights(seed):
    rng = np.random.default_rng(seed)
    k, p = int(rng.integers(2, 5)), int(rng.integers(1, 7))
    beta = (0.3 * k, 1e-6, k / 2)[seed % 3]
    region = Sharing(k, p, beta, lam=(0.0, 0.2, 5.0)[seed // 3 % 3])
    B = rng.normal(size=(k, p, max(1, p - seed % 2)))
    H = region.curvature(B @ B.transpose(0, 2, 1))
    g, w = rng.normal(size=k * p), region.nearest(rng.random(k * p))
    v = region.minimum(H, g, w)
    assert v.min() >= 0
    assert np.allclose(region.labels(v, k).sum(axis=1), 1)
    assert bounds.omega(region.labels(v, k)) <= beta + 1e-15 * k  # of sums near 1
    # The largest of the slopes' linear program over all weights is attained at v: -dearest of
    # minus the slopes is their least over the region, with the price.
    slopes = region.labels(H @ (v - w) + g, k)
    least = -region.dearest(-2 * slopes)
    there = float(np.sum(slopes * region.labels(v, k))) + region.price(v)
    assert there == pytest.approx(least, abs=1e-7 * (1 + np.abs(slopes).max()))


def test_the_dearest_weights_are_a_vertex():
    rng = np.random.default_rng(0)
    for lam in (0.0, 0.1, 2.0):
        region = Sharing(3, 4, 0.9, lam)
        forms = rng.random((3, 4))
        best = -np.inf
        for i in range(4):
            for own in np.ndindex(4, 4, 4):
                for c in (0.0, 0.6):
                    theta = (1 - c) * np.eye(4)[[i] * 3] + c * np.eye(4)[list(own)]
                    value = float(np.sum(theta * forms)) / 2 - region.price(theta.ravel())
                    best = max(best, value)
        assert region.dearest(forms) == pytest.approx(best, rel=1e-12)


def test_machines_are_asked_only_where_weights_move(monkeypatch):
    problem = made(SILP, 60, 8, 4, beta=0.8)
    asked = []

    def counted(*given, **options):
        asked.append(options)
        return machine.svm(*given, **options)

    monkeypatch.setattr(margin, "svm", counted)
    phi = margin.LabelsFunction(problem)
    at = phi.at(phi.region.equal(phi.p))
    assert len(asked) == 4
    w = at.w.copy()
    w[:8] = phi.region.labels(w, 4)[0][::-1] * 0.5
    w[0] += 0.5
    assert len(phi.at(w, at).machines) == 4
    assert len(asked) == 5  # one label moved
    asked.clear()
    found = Newton().solve(SILP, problem)
    assert len(asked) <= 4 * found.iterations + 8  # a trial that is not taken, or two


def test_a_rough_machine_costs_width_not_truth(monkeypatch):
    problem = made(SILP)
    expected = Newton(tol=1e-9).solve(SILP, problem).enclosure
    rng = np.random.default_rng(0)

    def rough(K, y, C, *, start=None):
        alpha = machine.svm(K, y, C) * (1 + 0.03 * rng.normal(size=len(y)))
        return machine.bounds.repair(alpha, y, C)

    monkeypatch.setattr(margin, "svm", rough)
    with pytest.raises(SolverError, match="relative width") as caught:
        Newton().solve(SILP, problem)
    assert caught.value.best.meets(expected)
    assert caught.value.best.width > 1e-6


def test_a_price_that_nothing_is_worth_is_one_kernel_for_all():
    problem = made(THM)
    most = prohibitive(problem)
    same = Newton(tol=1e-9).solve(SILP, made(SILP, beta=0.0)).enclosure
    for lam in (0.5 * most, most, 1e3 * most):
        found = Newton(tol=1e-8).solve(THM, replace(problem, lam=lam))
        assert not found.variables["gamma"].any()
        assert found.enclosure.meets(same)


def test_it_starts_from_the_weights_of_any_id():
    for id in (THM, "tang2009-eq3-sdp", SILP):
        problem = made(id)
        cold = Newton().solve(id, problem)
        warm = Newton().solve(id, problem, start=cold.variables)
        assert warm.iterations < cold.iterations
        assert warm.enclosure.meets(cold.enclosure)

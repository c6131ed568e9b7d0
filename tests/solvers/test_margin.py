"""lanckriet2004 by Newton on the simplex: a machine a step, the optimum of the conic route."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from cvxkernel.formulations import CATALOGUE, SolverError
from cvxkernel.solvers import METHODS, Newton, conic, margin, solve
from cvxkernel.solvers import svm as machine
from cvxkernel.validation.instances import gaussian_kernels, instance, random_kernels

KINDS = ("gaussian", "random", "low rank")
IDS = tuple(sorted(margin.MARGIN))
SM1 = "lanckriet2004-sm1"


def made(id, n=20, p=5, *, kind="gaussian", seed=0, **changes):
    data = instance(n, p, 2, kind=kind, seed=seed)
    data["kernels"] = data["kernels"] * (1 if kind == "gaussian" else n)  # of unit mean diagonal
    return CATALOGUE[id].make({**data, **changes})


def check(found, expected, tol):
    assert found.width <= tol
    assert found.solver == "newton"
    assert found.enclosure.meets(expected)
    assert found.iterations == len(found.history)
    slack = 1e-9 * expected.upper  # the history is in the solver's own arithmetic
    best = -np.inf, np.inf
    for step in found.history:
        assert step.lower <= expected.upper + slack
        assert step.upper >= expected.lower - slack
        assert step.lower >= best[0] - slack
        assert step.upper <= best[1] + slack
        best = step.lower, step.upper


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", IDS)
def test_it_agrees_with_the_conic_route(id, kind):
    for seed in range(2):
        problem = made(id, kind=kind, seed=seed)
        found = Newton(tol=1e-9).solve(id, problem)
        check(found, conic(id, problem).enclosure, 1e-9)
        assert found.iterations <= 10


@pytest.mark.parametrize("C", [1e-6, 1e-2, 0.1, 1e2, 1e6])
@pytest.mark.parametrize("id", IDS[:2])
def test_over_the_range_of_C(id, C):
    for kind in KINDS:
        problem = made(id, 40, 8, kind=kind, C=C)
        found = Newton(tol=1e-7).solve(id, problem)
        assert found.width <= 1e-7
        assert found.iterations <= 15
        if C < 1e6:  # where the cone is not asked too much
            check(found, conic(id, problem).enclosure, 1e-7)


def degenerate(case, n=24, p=6):
    rng = np.random.default_rng(7)
    data = instance(n, p, 2, seed=7)
    K, y = data["kernels"], data["y"]
    if case == "one kernel":
        return K[2:3], y
    if case == "equal kernels":
        return np.repeat(K[2][None], p, axis=0), y
    if case == "every kernel twice":
        return np.concatenate([K, K]), y
    if case == "rank one":
        V = rng.normal(size=(p, n)) + 0.5 * y
        return V[:, :, None] * V[:, None, :], y
    if case == "separable":
        return np.stack([np.outer(y, y) + s * random_kernels(n, 1)[0] for s in (1e-3, 1.0)]), y
    if case == "two samples of one class":
        return n * random_kernels(n, p), np.where(np.arange(n) < 2, 1.0, -1.0)
    if case == "labels of no meaning":
        return n * random_kernels(n, p, rank=5), np.sign(rng.normal(size=n))
    assert case == "sizes apart"
    return K * np.logspace(-9, 9, p)[:, None, None], y


CASES = (
    "one kernel",
    "equal kernels",
    "every kernel twice",
    "rank one",
    "separable",
    "two samples of one class",
    "labels of no meaning",
    "sizes apart",
)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("id", IDS)
def test_degenerate_data(id, case):
    K, y = degenerate(case)
    for C in (1e-3, 1.0, 1e3) if id != "lanckriet2004-sm2c" else (1.0,):
        problem = CATALOGUE[id].make({"kernels": K, "y": y, "C": C})
        found = Newton().solve(id, problem)
        try:
            expected = conic(id, problem).enclosure
        except SolverError as error:  # the cone is at its limits before Newton is
            expected = error.best
        check(found, expected, 1e-6)
        if len(K) == 1 and id != "lanckriet2004-sm2c":
            assert found.iterations == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", IDS)
def test_the_derivatives_are_those_of_the_value(id, kind, check_derivatives):
    problem = made(id, 30, 4, kind=kind, seed=1)
    phi = margin.function(CATALOGUE[id], problem)
    w = np.random.default_rng(0).dirichlet(3 * np.ones(phi.p))
    check_derivatives(phi, w)


@pytest.mark.parametrize("p", [10, 50])
def test_breast_cancer_takes_few_machines(p, monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:400]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    data = {"kernels": gaussian_kernels(X, p), "y": 2.0 * y[:400] - 1, "C": 1.0}
    problem = CATALOGUE[SM1].make(data)
    asked = []

    def counted(*given, **options):
        asked.append("machine")
        return machine.svm(*given, **options)

    def cold(*given, libsvm=machine._libsvm):
        asked.append("libsvm")
        return libsvm(*given)

    monkeypatch.setattr(margin, "svm", counted)
    monkeypatch.setattr(machine, "_libsvm", cold)
    found = solve(SM1, problem)
    assert found.solver == "newton"
    assert found.width <= 1e-6
    assert found.iterations <= 8
    assert asked.count("machine") <= 8
    assert asked.count("libsvm") <= 2  # the others start from an active set nearby


def test_a_rough_machine_costs_width_not_truth(monkeypatch):
    problem = made(SM1, kind="random")
    expected = conic(SM1, problem).enclosure
    rng = np.random.default_rng(0)

    def rough(K, y, C, *, start=None):
        alpha = machine.svm(K, y, C) * (1 + 0.03 * rng.normal(size=len(y)))
        return machine.bounds.repair(alpha, y, C)

    monkeypatch.setattr(margin, "svm", rough)
    with pytest.raises(SolverError, match="relative width") as caught:
        Newton().solve(SM1, problem)
    assert caught.value.best.meets(expected)
    assert caught.value.best.width > 1e-6


def test_what_it_cannot_reach_is_an_error_with_the_best_enclosure():
    problem = made(SM1)
    with pytest.raises(SolverError, match="after 2 iterations") as caught:
        Newton(max_iterations=2).solve(SM1, problem)
    assert caught.value.best.meets(conic(SM1, problem).enclosure)


def test_where_it_fails_the_panel_is_asked_unless_it_was_named(monkeypatch):
    problem = made(SM1)
    assert solve(SM1, problem).solver == "newton"

    @dataclass(frozen=True)
    class Short(Newton):
        max_iterations: int = 2

    monkeypatch.setitem(METHODS, "newton", Short)
    found = solve(SM1, problem)
    assert found.solver not in METHODS
    assert found.width <= 1e-6
    assert "after 2 iterations" in found.attempts["newton"]
    with pytest.raises(SolverError, match="after 2 iterations"):
        solve(SM1, problem, solver="newton")
    with pytest.raises(SolverError, match="newton: relative width") as caught:
        solve(SM1, problem, tol=1e-30)
    assert len(caught.value.attempts) > 1
    assert caught.value.best.width <= 1e-6

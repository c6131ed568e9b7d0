"""The alternation of section 4: true ends at every iteration, whoever is inexact."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from cvxkernel.formulations import CATALOGUE, SolverError
from cvxkernel.formulations import errors as e
from cvxkernel.formulations.tang2009 import Regularized, Shared
from cvxkernel.solvers import Alternation, alternation, solve
from cvxkernel.solvers import svm as machine
from cvxkernel.validation.tang2009.samples import multi_label

ID = "tang2009-eq11"


def problem(n=24, p=5, k=3, *, kind="random", beta=0.5, C=1.0, seed=2):
    data = multi_label(n, p, k, kind=kind, seed=seed)
    return Shared(data["kernels"], data["Y"], C, beta)


@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
@pytest.mark.parametrize("beta", [0.0, 0.5, 1.5])
def test_the_ends_close_monotonically_on_the_optimum(kind, beta):
    made = problem(kind=kind, beta=beta)
    found = Alternation().solve(ID, made)
    lower, upper = np.array([(s.lower, s.upper) for s in found.history]).T
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) <= 0).all()
    assert lower.max() <= found.upper
    assert upper.min() >= found.lower
    assert found.width <= 1e-6
    assert found.iterations == len(found.history)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.5])
def test_as_printed_it_reaches_the_same(beta):
    made = problem(beta=beta)
    printed = Alternation(stabilized=False, split=False).solve(ID, made)
    assert printed.enclosure.meets(Alternation().solve(ID, made).enclosure)


@pytest.mark.parametrize(("kind", "C"), [("gaussian", 10.0), ("random", 1.0)])
def test_n_300_k_6_p_15_to_1e_5_within_100_iterations(kind, C):
    made = problem(300, 15, 6, kind=kind, beta=0.6, C=C, seed=0)
    with threadpool_limits(1):  # threads that wait for a busy core would be what is measured
        found = Alternation(tol=1e-5).solve(ID, made)
    assert found.width <= 1e-5
    assert found.iterations <= 100


def test_inexact_machines_are_charged(monkeypatch):
    made = problem()
    exact = Alternation(tol=1e-8).solve(ID, made)
    rng = np.random.default_rng(0)

    def rough(K, y, C, *, start=None):
        alpha = machine.svm(K, y, C) * (1 + 0.03 * rng.normal(size=len(y)))
        return machine.bounds.repair(alpha, y, C)

    monkeypatch.setattr(alternation, "svm", rough)
    with pytest.raises(SolverError) as caught:
        Alternation(tol=1e-6, max_iterations=40).solve(ID, made)
    best = caught.value.best
    assert best.lower <= exact.upper
    assert best.upper >= exact.lower
    assert best.width > 1e-6  # what is inexact does not look optimal
    # Without the charge the upper end would lie below the optimum.
    state = Alternation().init(CATALOGUE[ID], made, None)
    for _ in range(10):
        Alternation().step(state)
    assert state.scale * state.value < exact.lower
    assert state.upper >= exact.lower


def test_a_wrong_linear_program_costs_width_not_truth(monkeypatch):
    made = problem()
    exact = Alternation().solve(ID, made)
    rng = np.random.default_rng(0)

    def wrong(cuts, beta, scale, lam):
        J, k, p = cuts.shape
        return rng.dirichlet(np.ones(p), size=k), rng.dirichlet(np.ones(J), size=k)

    monkeypatch.setattr(alternation, "master", wrong)
    with pytest.raises(SolverError) as caught:
        Alternation(max_iterations=30).solve(ID, made)
    assert caught.value.best.lower <= exact.lower
    assert caught.value.best.upper >= exact.upper


def test_it_tells_where_it_stopped():
    with pytest.raises(SolverError, match="after 2 iterations") as caught:
        Alternation(max_iterations=2).solve(ID, problem())
    exact = Alternation().solve(ID, problem())
    assert caught.value.best.meets(exact.enclosure)


def test_labels_that_fail_apart_are_told_together():
    made = problem(beta=1.5)
    exact = Alternation().solve(ID, made)
    with pytest.raises(SolverError, match=r"label 1: .* after 2 iterations") as caught:
        Alternation(max_iterations=2).solve(ID, made)
    assert caught.value.best.meets(exact.enclosure)
    assert caught.value.best.variables["theta"].shape == (3, 5)


def test_one_label_and_one_kernel():
    one = solve(ID, problem(p=1))
    assert one.iterations <= 2
    assert np.array_equal(one.variables["theta"], np.ones((3, 1)))
    assert solve(ID, problem(k=1, beta=0.5)).enclosure.meets(
        solve(ID, problem(k=1, beta=0.0)).enclosure
    )


def test_equal_kernels_and_extreme_parameters():
    made = problem()
    equal = Shared(np.repeat(made.kernels[:1], 4, axis=0), made.Y, 1.0, 0.5)
    alone = Shared(made.kernels[:1], made.Y, 1.0, 0.5)
    assert solve(ID, equal).enclosure.meets(solve(ID, alone).enclosure)
    for C in (1e-6, 1e6):
        for s in (1e-8, 1e8):
            assert solve(ID, Shared(s * made.kernels, made.Y, C, 0.5)).width <= 1e-6
    tiny = Shared(made.kernels, made.Y, 1.0, 1e-12)
    assert solve(ID, tiny).enclosure.meets(
        solve(ID, Shared(made.kernels, made.Y, 1.0, 0)).enclosure
    )


def test_only_where_there_are_weights_to_learn(tmp_path):
    made = problem()
    other = Regularized(made.kernels, made.Y, 1.0, 0.3)
    with pytest.raises(e.InputError, match=r"^problem: "):
        Alternation().solve(ID, other)
    with pytest.raises(e.InputError, match=r"^solver: "):
        Alternation().solve("tang2009-eq2", other)
    with pytest.raises(e.InputError, match=r"^solver: expected alternation for tang2009-eq11"):
        solve(ID, made, solver="clarabel")

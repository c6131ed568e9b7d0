"""Algorithm 1 and what it promises; the least J over a box of gatings."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.svm import SVC

from cvxkernel.formulations import CATALOGUE, SolverError, kernels
from cvxkernel.formulations import errors as e
from cvxkernel.formulations.gonen2008 import Localized
from cvxkernel.solvers import GatingDescent, solve
from cvxkernel.solvers.gating_box import GatingBox, gating
from cvxkernel.solvers.svm import svm
from cvxkernel.validation.gonen2008.samples import gauss4
from cvxkernel.validation.instances import random_kernels, sample

ALG1, EQ7 = CATALOGUE["gonen2008-alg1"], CATALOGUE["gonen2008-eq7"]
STATUS = "optimal at the gating"


def localized(n=14, p=3, kind="gaussian", seed=0) -> Localized:
    return ALG1.make(sample("gonen2008-alg1", n, p, kind=kind, seed=seed))


def random_localized(seed) -> Localized:
    rng = np.random.default_rng(seed)
    n, p, d = int(rng.integers(5, 11)), int(rng.integers(2, 4)), int(rng.integers(1, 5))
    K = n * random_kernels(n, p, rank=int(rng.integers(1, n + 1)), seed=seed)
    y = np.where(rng.permutation(n) % 2, 1.0, -1.0)
    return Localized(K, y, rng.normal(size=(n, d)), float(10 ** rng.uniform(-2, 2)))


def on_a_line(seed, n=8) -> Localized:
    rng = np.random.default_rng(seed)
    K = n * random_kernels(n, 2, rank=3, seed=seed)
    y = np.where(rng.permutation(n) % 2, 1.0, -1.0)
    return Localized(K, y, rng.normal(size=(n, 1)), 10.0)


# -- Algorithm 1 -----------------------------------------------------------------------------------


def test_the_fixed_step_is_algorithm_1_line_by_line():
    problem, method = localized(12, 3, "random"), GatingDescent(search=False, iterations=6, mu=0.01)
    V, v0 = method.start(problem, 0)
    found = list(method.path(problem, V, v0))
    assert len(found) == 7
    for iterate in found:
        assert np.allclose(iterate.at.V, V, rtol=0, atol=1e-7)
        assert np.allclose(iterate.at.v0, v0, rtol=0, atol=1e-7)
        z = V @ problem.X.T + v0[:, None]
        eta = np.exp(z) / np.exp(z).sum(axis=0)
        K = np.einsum("mi,mij,mj->ij", eta, problem.kernels, eta)  # line 3
        model = SVC(C=problem.C, kernel="precomputed", tol=1e-9).fit(K, problem.y)  # line 4
        signed = np.zeros(problem.n)
        signed[model.support_] = model.dual_coef_[0]
        T = np.einsum("ki,kij,kj->kij", eta * signed, problem.kernels, eta * signed)
        D = np.eye(3)[:, :, None] - eta[:, None, :]  # (m, k, i): δᵏ_m - η_m(xᵢ)
        DX = D[..., None] * problem.X
        both = D[:, :, :, None] + D[:, :, None, :]
        v0 = v0 + 0.01 / 2 * np.einsum("kij,mkij->m", T, both)  # line 5
        both = DX[:, :, :, None] + DX[:, :, None, :]
        V = V + 0.01 / 2 * np.einsum("kij,mkijd->md", T, both)  # line 6


def test_the_papers_steps_and_how_many():
    method = GatingDescent(search=False)
    assert (method.mu, method.iterations) == (0.01, 50)
    found = solve("gonen2008-alg1", localized(8, 2), solver="localized_fixed")
    assert found.iterations == 50
    assert len(found.history) == 51
    assert found.solver == "localized_fixed"


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_with_a_line_search_the_objective_never_rises(first):
    moved = 0
    for seed in range(first, first + 50):
        problem, method = random_localized(seed), GatingDescent(iterations=5, starts=1)
        path = [iterate.J for iterate in method.path(problem, *method.start(problem, 0))]
        for now, then in pairwise(path):
            assert then.upper <= now.lower
        moved += len(path) - 1
    assert moved >= 100


def test_the_papers_step_may_rise_and_says_so():
    # "can not be greater than the current one due to the use of gradient-descent": with the step
    # and the largest C of section 4 it is.
    X, y = gauss4(40, seed=0)
    K = 40 * kernels.unit_trace(np.stack([kernels.linear(X), kernels.polynomial(X, 2)]))
    problem = Localized(K, y, X, 100.0)
    found = GatingDescent(search=False, iterations=10, starts=1).solve("gonen2008-alg1", problem)
    assert found.promises["monotone"] is False
    assert found.promises["rises"] > 0
    ends = [(step.lower, step.upper) for step in found.history]
    assert found.promises["rises"] == sum(then[0] > now[1] for now, then in pairwise(ends))
    searched = GatingDescent(iterations=10, starts=1).solve("gonen2008-alg1", problem)
    assert (searched.promises["monotone"], searched.promises["rises"]) == (True, 0)


# -- What is promised ------------------------------------------------------------------------------


def test_every_start_is_reported_and_the_best_kept(solved):
    _, found = solved("gonen2008-alg1")
    starts = found.promises["starts"]
    assert len(starts) == 5
    best = int(np.argmin([s["upper"] for s in starts]))
    assert found.promises["start"] == best
    assert starts[best]["lower"] <= found.upper
    assert found.lower <= starts[best]["upper"]
    assert max(s["lower"] for s in starts) > 1.1 * found.upper  # not convex: they end differently
    assert found.promises["monotone"] is True
    assert found.status == STATUS


def test_the_same_seed_gives_the_same_answer_and_another_another():
    problem = localized(10, 2)
    one, two, other = (
        GatingDescent(seed=seed, starts=2, iterations=5).solve("gonen2008-alg1", problem)
        for seed in (3, 3, 4)
    )
    assert np.array_equal(one.variables["V"], two.variables["V"])
    assert one.promises == two.promises
    assert not np.array_equal(one.variables["V"], other.variables["V"])


def test_the_answer_is_the_machine_at_its_gating(solved):
    problem, found = solved("gonen2008-alg1")
    at = problem.at(found.variables["V"], found.variables["v0"])
    again = solve("gonen2008-eq7", at)
    assert again.enclosure.meets(found.enclosure)
    dV, dv0 = at.gradient(again.variables["alpha"])
    residual = np.sqrt((dV**2).sum() + (dv0**2).sum())
    assert residual == pytest.approx(found.promises["stationarity"], rel=1e-3, abs=1e-6)


def test_no_small_move_of_a_stationary_gating_lowers_the_objective():
    problem = localized(12, 2, "low rank", seed=1)
    found = GatingDescent(iterations=2000, starts=1).solve("gonen2008-alg1", problem)
    assert found.promises["stationarity"] < 1e-3
    rng = np.random.default_rng(0)
    for _ in range(20):
        V = found.variables["V"] + 1e-2 * rng.normal(size=(2, 2))
        v0 = found.variables["v0"] + 1e-2 * rng.normal(size=2)
        at = problem.at(V, v0)
        moved = EQ7.enclose(at, {"alpha": svm(at.K_eta, at.y, at.C)})
        assert moved.upper > found.lower - 1e-2 * found.promises["stationarity"] * 10


def test_a_tolerance_nobody_meets_tells_the_enclosure():
    method = GatingDescent(tol=1e-30, starts=1, iterations=2)
    with pytest.raises(SolverError, match="localized: relative width") as caught:
        method.solve("gonen2008-alg1", localized(8, 2))
    assert caught.value.best.width < 1e-9


@pytest.mark.parametrize("name", ["CLARABEL", "svm", "column_generation"])
def test_no_other_solver_answers_it(name):
    with pytest.raises(e.InputError, match=r"^solver: "):
        solve("gonen2008-alg1", localized(8, 2), solver=name)


def test_the_svm_answers_machines_alone():
    with pytest.raises(e.InputError, match=r"^solver: "):
        solve(
            "lanckriet2004-sm1",
            CATALOGUE["lanckriet2004-sm1"].make(sample("lanckriet2004-sm1")),
            solver="svm",
        )
    problem = EQ7.make(sample("gonen2008-eq7"))
    with pytest.raises(SolverError, match="svm: relative width"):
        solve("gonen2008-eq7", problem, solver="svm", tol=1e-30)


def test_the_command_line_shows_the_promises(tmp_path, run):
    rng = np.random.default_rng(0)
    _, y = gauss4(8, seed=1)
    data = {"kernels": 8 * random_kernels(8, 2), "X": rng.normal(size=(8, 1)), "y": y, "C": 1.0}
    np.savez(tmp_path / "line.npz", **data)
    told = run("solve", "gonen2008-alg1", tmp_path / "line.npz", "--json").json["promises"]
    assert set(told) == {
        "enclosed", "stationarity", "monotone", "rises", "start", "starts", "least",
    }  # fmt: skip
    assert told["least"]["lower"] <= told["least"]["upper"]
    out = run("solve", "gonen2008-alg1", tmp_path / "line.npz").out
    for word in (STATUS, "stationarity", "monotone", "least"):
        assert word in out


# -- A box of gatings ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_the_least_over_a_box_is_below_a_grid_and_every_start(seed):
    problem = on_a_line(seed)
    found = GatingDescent(starts=3).solve("gonen2008-alg1", problem)
    told = found.promises["least"]
    assert told["lower"] <= min(s["upper"] for s in found.promises["starts"])
    assert told["lower"] <= told["upper"] <= found.upper
    box = GatingBox(*told["v1 - v2"], *told["v10 - v20"])
    for a in np.linspace(box.a_low, box.a_high, 5):
        for c in np.linspace(box.c_low, box.c_high, 5):
            at = problem.at(*gating(a, c))
            J = EQ7.enclose(at, {"alpha": svm(at.K_eta, at.y, at.C)})
            assert J.upper >= told["lower"]


def test_a_small_box_is_closed_and_its_least_found():
    problem = on_a_line(1)
    box = GatingBox(-2.0, 2.0, -2.0, 2.0)
    least = box.least(problem, gap=1e-3, boxes=20_000)
    assert 0 <= least.upper - least.lower <= 1e-3 * least.upper
    grid = [
        EQ7.enclose(at, {"alpha": svm(at.K_eta, at.y, at.C)}).value
        for a in np.linspace(-2, 2, 9)
        for c in np.linspace(-2, 2, 9)
        for at in [problem.at(*gating(a, c))]
    ]
    assert least.lower <= min(grid) <= 1.2 * least.upper

"""Algorithm 1 for section 3.2: line by line, never up with a search, and by scikit-learn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.svm import SVR, OneClassSVM

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.gonen2008 import LocalizedOneClass, LocalizedRegression
from cvxkernel.solvers import GatingDescent
from cvxkernel.solvers.estimators import KernelBank, LocalizedOneClassSVM, LocalizedSVR
from cvxkernel.validation import check, rigorous
from cvxkernel.validation.instances import random_kernels, sample

REGRESSION, ONE = "gonen2008-alg1-regression", "gonen2008-alg1-oneclass"


def problem(id, n=9, p=2, seed=0, rank=None):
    rng = np.random.default_rng(seed)
    K, X = n * random_kernels(n, p, rank=rank, seed=seed), rng.normal(size=(n, 2))
    if id == ONE:
        return LocalizedOneClass(K, X, 0.4)
    return LocalizedRegression(K, np.sin(2 * X[:, 0]) + np.abs(X[:, 1]), X, 5.0, 0.1)


def by_libsvm(at, K):
    """The coefficients of line 4."""
    if isinstance(at, LocalizedOneClass):
        model = OneClassSVM(kernel="precomputed", nu=at.nu, tol=1e-10).fit(K)
        scale = at.nu * at.n
    else:
        model, scale = SVR(kernel="precomputed", C=at.C, epsilon=at.epsilon, tol=1e-10), 1.0
        model.fit(K, at.y)
    beta = np.zeros(at.n)
    beta[model.support_] = model.dual_coef_[0] / scale
    return beta


@pytest.mark.parametrize("id", [REGRESSION, ONE])
def test_the_fixed_step_is_algorithm_1_line_by_line(id):
    at, method = problem(id, p=3), GatingDescent(search=False, iterations=4, mu=0.05)
    V, v0 = method.start(at, 0)
    for iterate in method.path(at, V, v0):
        assert np.allclose(iterate.at.V, V, rtol=0, atol=1e-6)
        assert np.allclose(iterate.at.v0, v0, rtol=0, atol=1e-6)
        z = V @ at.X.T + v0[:, None]
        eta = np.exp(z) / np.exp(z).sum(axis=0)
        K = np.einsum("mi,mij,mj->ij", eta, at.kernels, eta)  # line 3
        beta = by_libsvm(at, K)
        T = np.einsum("ki,kij,kj->kij", eta * beta, at.kernels, eta * beta)
        D = np.eye(3)[:, :, None] - eta[:, None, :]  # (m, k, i): δᵏ_m - η_m(xᵢ)
        DX = D[..., None] * at.X
        v0 = v0 + 0.05 / 2 * np.einsum("kij,mkij->m", T, D[:, :, :, None] + D[:, :, None, :])
        both = DX[:, :, :, None] + DX[:, :, None, :]
        V = V + 0.05 / 2 * np.einsum("kij,mkijd->md", T, both)  # lines 5 and 6


@pytest.mark.parametrize("id", [REGRESSION, ONE])
@pytest.mark.parametrize("rank", [None, 2])
def test_with_a_line_search_the_objective_never_rises(id, rank):
    moved = 0
    for seed in range(4):
        at, method = problem(id, 7, seed=seed, rank=rank), GatingDescent(iterations=5, starts=1)
        path = [iterate.J for iterate in method.path(at, *method.start(at, 0))]
        for now, then in pairwise(path):
            assert then.upper <= now.lower
        moved += len(path) - 1
    assert moved >= 4


@pytest.mark.parametrize(("id", "n", "seed"), [(REGRESSION, 8, 0), (ONE, 7, 1)])
def test_an_answer_is_proved_and_judged(id, n, seed):
    at = CATALOGUE[id].make(sample(id, n, 2, kind="random", seed=seed))
    found = GatingDescent(starts=1).solve(id, at)
    assert found.promises["monotone"]
    proved = rigorous.enclose(id, at, **found.variables)
    assert proved.meets(found.enclosure)
    assert proved.width <= 1e-15
    told = check(id, at, value=found.value, **found.variables, why=False)
    assert told.within(1e-6)
    symbol = next(iter(found.variables))
    off = {**found.variables, symbol: 0.9 * found.variables[symbol]}
    assert not check(id, at, **off, why=False).within(1e-6)
    moved = {**found.variables, "V": 0 * found.variables["V"], "v0": 0 * found.variables["v0"]}
    assert not check(id, at, **moved, why=False).within(1e-6)  # no stationary gating


def test_lines_localized_in_two_places_meet_a_kink():
    """Copies of a linear kernel: what one line cannot do, two do."""
    X = np.linspace(-1, 1, 12)[:, None]
    y = np.abs(X[:, 0])
    bank = KernelBank(["linear", "linear"], trace="n")
    two = LocalizedSVR(bank, C=100.0, epsilon=0.02, iterations=20).fit(X, y)
    assert two.lower_ <= two.upper_
    assert two.score(X, y) > 0.95
    assert SVR(kernel="linear", C=100.0, epsilon=0.02).fit(X, y).score(X, y) < 0.2
    assert two.gates(X).sum(axis=1) == pytest.approx(np.ones(12))


def test_one_class_leaves_out_what_is_far():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(15, 2)) + 4, rng.normal(size=(15, 2)) - 4])
    kernels = [("gaussian", {"sigma": 2.0}), ("gaussian", {"sigma": 4.0})]
    model = LocalizedOneClassSVM(kernels, nu=0.2, iterations=5).fit(X)
    assert (model.predict(X) == -1).mean() <= 0.2 <= len(model.support_) / 30
    assert (
        model.predict([[4.0, 4.0], [-4.0, -4.0], [9.0, -9.0], [0.0, 20.0]]) == [1, 1, -1, -1]
    ).all()
    f = model.decision_function(X)
    assert model.score_samples(X) - model.offset_ == pytest.approx(f)

"""libsvm's answer, polished and repaired: feasible, optimal to doubles, never trusted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.kernels import gaussian
from cvxkernel.solvers import svm as solver
from cvxkernel.solvers.box import balanced, violation
from cvxkernel.solvers.svm import svm
from cvxkernel.validation import instance

KINDS = ("gaussian", "random", "low rank")


def ends(K, y, C, alpha):
    Q = bounds.nearest(bounds.signed(y, K))
    feasible = bounds.feasible(DOUBLES, alpha, y, C)
    low, high = bounds.value(DOUBLES, Q, feasible), bounds.upper(DOUBLES, Q, y, C, alpha)
    return low.lower, high.upper


@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_feasible_and_enclosed(kind, C):
    data = instance(40, 3, 2, kind=kind, seed=4)
    for K in (*data["kernels"], 30 * data["kernels"].mean(axis=0)):
        alpha = svm(K, data["y"], C)
        assert 0 <= alpha.min() <= alpha.max() <= C
        assert abs(alpha @ data["y"]) <= 1e-13 * alpha.sum()
        low, high = ends(K, data["y"], C, alpha)
        assert low <= high
        assert high - low <= 1e-9 * abs(high)


def test_a_start_nearby_needs_no_libsvm(monkeypatch):
    data = instance(40, 3, 2, kind="random", seed=4)
    K, y = 30 * data["kernels"][0], data["y"]
    alpha = svm(K, y, 1.0)
    monkeypatch.setattr(solver, "_libsvm", lambda *_: pytest.fail("libsvm was asked"))
    again = svm(K * (1 + 1e-9), y, 1.0, start=alpha)
    assert np.allclose(again, alpha, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_from_another_kernel_needs_no_libsvm_either(kind, monkeypatch):
    # Many samples change sides, all at once; a box that is far away does not matter.
    data = instance(80, 3, 2, kind=kind, seed=4)
    K, y = data["kernels"] / np.trace(data["kernels"], axis1=1, axis2=2)[:, None, None], data["y"]
    one, other = 80 * (K[0] + K[1] / 2), 80 * (K[0] / 2 + K[1])
    for C in (1.0, 1e6, np.inf):
        alpha = svm(one, y, min(C, 1e9))
        with monkeypatch.context() as patch:
            patch.setattr(solver, "_libsvm", lambda *_: pytest.fail("libsvm was asked"))
            found = svm(other, y, C, start=alpha)
        changed = (found > 0) != (alpha > 0)
        assert changed.sum() >= 2
        assert violation(bounds.signed(y, other), y, C, found) <= 1e-9


def test_every_sample_at_the_border_is_an_active_set_too(monkeypatch):
    K, y = np.eye(6), np.array([1.0, -1.0] * 3)
    monkeypatch.setattr(solver, "_libsvm", lambda *_: pytest.fail("libsvm was asked"))
    assert np.array_equal(svm(K, y, 0.5, start=np.full(6, 0.5)), np.full(6, 0.5))


def test_a_useless_start_is_not_believed():
    data = instance(30, 3, 2, kind="random", seed=2)
    K, y = 30 * data["kernels"][0], data["y"]
    rng = np.random.default_rng(0)
    expected = ends(K, y, 1.0, svm(K, y, 1.0))
    for start in (np.zeros(30), np.ones(30), rng.random(30), rng.normal(size=30)):
        found = ends(K, y, 1.0, svm(K, y, 1.0, start=start))
        assert found[1] - found[0] <= 1e-9
        assert found[0] <= expected[1]
        assert expected[0] <= found[1]


def test_a_rough_answer_of_libsvm_is_polished_or_at_least_enclosed(monkeypatch):
    data = instance(40, 3, 2, kind="gaussian", seed=1)
    y = data["y"]
    exact = [ends(K, y, 1.0, svm(K, y, 1.0)) for K in data["kernels"]]
    monkeypatch.setattr(solver, "TOLERANCE", 0.5)
    for K, (low, high) in zip(data["kernels"], exact, strict=True):
        rough = ends(K, y, 1.0, svm(K, y, 1.0))
        assert rough[0] <= high
        assert rough[1] >= low


def test_the_violation_is_zero_at_an_optimum_and_not_elsewhere():
    data = instance(30, 3, 2, kind="random", seed=2)
    K, y = 30 * data["kernels"][0], data["y"]
    Q, alpha = bounds.signed(y, K), svm(K, y, 1.0)
    assert violation(Q, y, 1.0, alpha) <= 1e-9
    assert violation(Q, y, 1.0, 0.9 * alpha) > 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_the_offset_is_the_best_of_all_kinks(seed):
    rng = np.random.default_rng(seed)
    y = np.sign(rng.normal(size=15))
    y[:2] = 1, -1
    image = rng.normal(size=15)
    total = [np.maximum(0, 1 - image - b * y).sum() for b in y * (1 - image)]
    b = bounds.offset(image, y)
    assert np.maximum(0, 1 - image - b * y).sum() == pytest.approx(min(total), rel=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_an_offset_that_is_one_of_many_is_that_of_libsvm(seed):
    rng = np.random.default_rng(seed)
    y = np.tile([1.0, -1.0], 8)
    K = gaussian(rng.normal(size=(16, 2)), 1.0) / 16
    model = SVC(kernel="precomputed", C=0.5).fit(K, y)
    assert len(model.support_) == 16  # all of them at C
    b = bounds.offset(bounds.signed(y, K) @ np.full(16, 0.5), y)
    assert b == pytest.approx(float(model.intercept_[0]), abs=1e-7)  # its rows are single


def test_what_is_at_a_border_stays_there_where_a_start_is_balanced():
    y = np.array([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0])
    near = np.array([2.1, 2.0, 0.5, -0.1, 2.0, 1.2, 0.7, 0.0])  # extrapolated: over and under
    alpha = balanced(near, y, 2.0)
    assert abs(y @ alpha) <= 1e-15
    assert alpha[[0, 1, 4]] == pytest.approx(2.0, abs=1e-14)
    assert (alpha[[3, 7]] == 0).all()
    assert np.abs(alpha - np.clip(near, 0.0, 2.0)).max() <= 0.2 + 1e-12
    assert (balanced(np.array([2.0, 2.0, 2.0, 0.0, 2.0, 0.0, 0.0, 0.0]), y, 2.0) <= 2.0).all()

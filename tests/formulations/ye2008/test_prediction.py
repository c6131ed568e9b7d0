"""The classifier: its direction, its ratios, its predictions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvxkernel.formulations import kernels
from cvxkernel.formulations.errors import InputError, ParameterError, ShapeError
from cvxkernel.formulations.ye2008 import RKDA, Discriminant, JointDiscriminant
from cvxkernel.solvers import solve
from cvxkernel.validation.instances import blobs, gaussian_kernels, random_kernels


def problem_of(n, k, *, seed=0, d=4):
    X, y = blobs(n, k, d=d, seed=seed)
    return X, Discriminant(np.stack([kernels.linear(X), kernels.gaussian(X, 3.0)]), y, 0.1)


@given(seed=st.integers(0, 10**6), lam=st.sampled_from([1e-3, 0.1, 10.0]))
def test_two_classes_give_the_maximizer_of_6(seed, lam):
    # Appendix A: w* = (1/λ) φ(X)(I - P(λI + PGP)⁻¹PG)a, up to its scale; compared through φ(X)ᵀw.
    _, problem = problem_of(14, 2, seed=seed)
    theta = np.array([0.3, 0.7])
    G = np.tensordot(theta, problem.kernels, axes=1)
    P, a = np.eye(14) - 1 / 14, problem.a
    printed = G @ (a - P @ np.linalg.solve(lam * np.eye(14) + P @ G @ P, P @ G @ a))
    ours = G @ P @ RKDA.fit(problem, theta, lam).A
    assert ours.shape[1] == 1
    cosine = (printed.T @ ours).item() / np.linalg.norm(printed) / np.linalg.norm(ours)
    assert abs(cosine) == pytest.approx(1, abs=1e-8)


def test_the_direction_maximizes_6_in_the_feature_space():
    X, problem = problem_of(20, 2, seed=2)
    y, lam = problem.y, 0.5
    fitted = RKDA.fit(problem, np.array([1.0, 0.0]), lam)  # the linear kernel alone: φ(x) = x
    w = X.T @ (fitted.A - fitted.A.mean(axis=0))
    difference = X[y == 2].mean(axis=0) - X[y == 1].mean(axis=0)
    total = 20 * np.cov(X.T, bias=True)

    def F2(w):
        return (w @ difference) ** 2 / (w @ (total + lam * np.eye(4)) @ w)

    best = F2(w[:, 0])
    assert best == pytest.approx(F2(np.linalg.solve(total + lam * np.eye(4), difference)), rel=1e-9)
    rng = np.random.default_rng(0)
    assert all(F2(w[:, 0] + 0.1 * rng.normal(size=4) * np.abs(w).max()) <= best for _ in range(20))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_ratios_sum_to_25(k, tolerances):
    _, problem = problem_of(18, k, seed=k)
    theta, lam = np.array([0.4, 0.6]), 0.2
    G = np.tensordot(theta, problem.kernels, axes=1)  # full rank by its Gaussian part
    P = np.eye(18) - 1 / 18
    S_t = G @ P @ G + lam * G
    S_b = G @ problem.H @ problem.H.T @ G
    fitted = RKDA.fit(problem, theta, lam)
    assert fitted.ratios.sum() == pytest.approx(np.trace(np.linalg.solve(S_t, S_b)), rel=1e-7)
    assert len(fitted.ratios) == k - 1
    # F₄* = F₅* (Lemma 3.1) and, summed over the classes, (10): trace HᵀH less the value of (29)
    M = np.eye(18) + P @ G @ P / lam
    value = np.trace(problem.H.T @ np.linalg.solve(M, problem.H))
    expected = np.sum(problem.H**2) - value
    assert fitted.ratios.sum() == pytest.approx(expected, rel=tolerances.rounding)


@pytest.mark.parametrize("k", [2, 3])
def test_the_columns_are_normalized_as_the_docstring_says(k, tolerances):
    _, problem = problem_of(18, k, seed=5)
    theta, lam = np.array([0.4, 0.6]), 0.2
    fitted = RKDA.fit(problem, theta, lam)
    P = np.eye(18) - 1 / 18
    G = P @ np.tensordot(theta, problem.kernels, axes=1) @ P
    A = fitted.A
    metric = A.T @ (G @ G + lam * G) @ A  # Wᵀ(Σ + λI)W with W = φPA
    assert metric == pytest.approx(np.eye(k - 1), abs=tolerances.rounding)
    between = A.T @ G @ problem.H @ problem.H.T @ G @ A
    assert between == pytest.approx(np.diag(fitted.ratios), abs=tolerances.rounding)


@pytest.mark.parametrize("k", [2, 4])
def test_learned_weights_classify_new_points_far_above_chance(k):
    X, y = blobs(120, k, d=5, seed=7)
    train, test = np.arange(120) < 60, np.arange(120) >= 60
    sigmas = (0.5, 3.0, 30.0)
    K = np.stack([kernels.gaussian(X[train], s) for s in sigmas])
    cross = np.stack([kernels.gaussian(X[test], s, X[train]) for s in sigmas])
    problem = JointDiscriminant(K, y[train])
    theta = solve("ye2008-eq46", problem).variables["theta"]
    fixed = solve("ye2008-thm3.2", Discriminant(K, y[train], 1e-2)).variables["theta"]
    for weights, lam in ((theta[1:], theta[0]), (fixed, 1e-2)):
        if lam <= 0:
            continue
        fitted = RKDA.fit(problem, weights, lam)
        accuracy = np.mean(fitted.predict(cross) == y[test])
        assert accuracy > 1 / k + 0.3
        assert set(fitted.predict(cross)) <= set(y)


def test_training_points_are_transformed_as_they_were_fitted(tolerances):
    _, problem = problem_of(16, 3, seed=1)
    fitted = RKDA.fit(problem, np.array([0.5, 0.5]), 0.1)
    Z = fitted.transform(problem.kernels)
    assert Z.mean(axis=0) == pytest.approx(np.zeros(2), abs=tolerances.rounding)
    for label, centroid in zip(fitted.classes, fitted.centroids, strict=True):
        assert Z[problem.y == label].mean(axis=0) == pytest.approx(centroid, abs=1e-10)
    one_by_one = np.vstack([fitted.transform(problem.kernels[:, [j]]) for j in range(16)])
    assert one_by_one == pytest.approx(Z, abs=tolerances.rounding)


def test_the_order_of_the_training_points_does_not_matter():
    X, y = blobs(30, 3, seed=4)
    new = blobs(12, 3, seed=4)[0] + 0.1
    order = np.random.default_rng(1).permutation(30)
    predicted = []
    for rows in (np.arange(30), order):
        problem = Discriminant(gaussian_kernels(X[rows], 2), y[rows], 1.0)
        cross = np.stack([kernels.gaussian(new, s, X[rows]) for s in np.logspace(-1, 2, 2)])
        predicted.append(RKDA.fit(problem, np.array([0.1, 0.9]), 1e-3).predict(cross))
    assert np.array_equal(*predicted)


def test_wrong_shapes_and_parameters_are_refused():
    _, problem = problem_of(12, 2)
    theta = np.array([0.5, 0.5])
    with pytest.raises(ShapeError, match="theta"):
        RKDA.fit(problem, np.ones(3), 0.1)
    with pytest.raises(ParameterError, match="lam"):
        RKDA.fit(problem, theta, -1.0)
    flat = Discriminant(np.stack([np.outer(problem.y, problem.y)] * 2), problem.y, 1.0)
    with pytest.raises(ParameterError, match="lam"):  # rank one, and nothing added
        RKDA.fit(flat, theta, 0.0)
    fitted = RKDA.fit(problem, theta, 0.1)
    for bad in (np.ones((5, 12)), np.ones((3, 5, 12)), np.ones((2, 5, 11)), np.ones((2, 12))):
        with pytest.raises(ShapeError, match="kernels"):
            fitted.predict(bad)
    with pytest.raises(InputError, match="kernels"):
        fitted.transform(np.full((2, 1, 12), np.nan))


def test_kernels_of_rank_one_still_classify():
    y = np.repeat([0.0, 1.0], 5)
    K = np.stack([np.outer(2 * y - 1, 2 * y - 1), random_kernels(10, 1)[0]])
    fitted = RKDA.fit(Discriminant(K, y, 1.0), np.array([1.0, 0.0]), 1e-3)
    assert np.array_equal(fitted.predict(K), y)


def test_a_learned_lam_may_be_zero():
    _, problem = problem_of(15, 3, seed=4)
    theta = np.array([0.2, 0.8])  # the Gaussian kernel is definite
    ratios = [RKDA.fit(problem, theta, lam).ratios for lam in (1e-10, 0.0)]
    assert ratios[0] == pytest.approx(ratios[1], abs=1e-6)
    assert ratios[1] == pytest.approx([15.0, 15.0])  # B_K is nΣ_K on the span of H

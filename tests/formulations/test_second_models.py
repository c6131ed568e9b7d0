"""Roundabout second models: the same optimum by another road, inside the enclosure of the first.

None of them shares a line with the programs: least squares and scatter matrices in explicit feature
spaces, libsvm, scalar minimization, cvxpy's `matrix_frac` and eigen-factors.
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize, minimize_scalar
from sklearn.svm import SVC

from cvxkernel.formulations import CATALOGUE
from cvxkernel.validation import instance
from cvxkernel.validation.instances import blobs


@pytest.fixture
def agrees(tolerances):
    def check(enclosure, number):
        slack = tolerances.second_model * abs(number)
        return enclosure.lower - slack <= number <= enclosure.upper + slack

    return check


def centring(n):
    return np.eye(n) - np.ones((n, n)) / n


def two_class_vector(y):
    a = np.where(y > 0, 1.0, -1.0)
    a[y > 0] /= (y > 0).sum()
    a[y < 0] /= (y < 0).sum()
    return a


def one_hot(y):
    """P times the normalized indicator of each class: another way to write (24)."""
    E = (y[:, None] == np.unique(y)).astype(float)
    return centring(len(y)) @ (E / np.sqrt(E.mean(axis=0)))


def on_the_simplex(function, p):
    """The least of a smooth convex function on the simplex, by SLSQP from its middle."""
    found = minimize(
        function,
        np.full(p, 1 / p),
        method="SLSQP",
        bounds=[(0, 1)] * p,
        constraints=LinearConstraint(np.ones(p), 1, 1),
        options={"ftol": 1e-13, "maxiter": 500},
    )
    w = np.maximum(found.x, 0)
    return function(w / w.sum())


@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
def test_thm2_1_by_ridge_regression_over_the_simplex(kind, optimum, agrees):
    # (12): the optimum of Theorem 2.1 is the least value of regularized least squares, here through
    # the eigenvectors of the combined kernel.
    data = instance(14, 3, 2, kind=kind)
    P, a, lam = centring(14), two_class_vector(data["y"]), data["lam"]
    G = np.array([P @ K @ P / np.trace(P @ K @ P) for K in data["kernels"]])

    def least_squares(w):
        eig, V = np.linalg.eigh(np.tensordot(w, G, axes=1))
        return float(np.sum((V.T @ a) ** 2 / (1 + np.maximum(eig, 0) / lam)))

    found = on_the_simplex(least_squares, 3)
    for id in ("ye2008-thm2.1", "ye2008-thm2.3"):
        assert agrees(optimum(id, data), found)


@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
def test_thm2_2_with_eigen_factors_and_one_maximum(kind, optimum, agrees):
    data = instance(14, 3, 2, kind=kind)
    P, a, lam = centring(14), two_class_vector(data["y"]), data["lam"]
    terms, beta = [], cp.Variable(14)
    for K in data["kernels"]:
        eig, V = np.linalg.eigh(P @ K @ P)
        F = (V * np.sqrt(np.maximum(eig, 0) / eig.sum())).T
        # β scaled by √λ: (1/4λ)βᵀG̃β becomes ¼bᵀG̃b
        terms.append(cp.sum_squares(F @ beta))
    objective = (
        np.sqrt(lam) * (a @ beta) - lam / 4 * cp.sum_squares(beta) - cp.max(cp.hstack(terms)) / 4
    )
    found = cp.Problem(cp.Maximize(1e3 * objective)).solve(solver=cp.CLARABEL) / 1e3
    assert agrees(optimum("ye2008-thm2.2", data), found)


@pytest.mark.parametrize("kind", ["gaussian", "random"])
def test_eq29_by_matrix_fractions(kind, optimum, agrees):
    data = instance(12, 3, 3, kind=kind)
    P, H = centring(12), one_hot(data["y"])
    w = cp.Variable(3, nonneg=True)
    G = [P @ K @ P / np.trace(P @ K @ P) for K in data["kernels"]]
    # λM = λI + ΣwᵢG̃ᵢ/rᵢ, so that the entries are near 1
    M = data["lam"] * np.eye(12) + sum(w[i] * (G[i] + G[i].T) / 2 for i in range(3))
    total = sum(cp.matrix_frac(H[:, j], M) for j in range(3))
    problem = cp.Problem(cp.Minimize(total / 100), [cp.sum(w) == 1])
    found = 100 * data["lam"] * problem.solve(solver=cp.CLARABEL)
    for id in ("ye2008-eq29", "ye2008-eq29-single"):
        assert agrees(optimum(id, data), found)


@pytest.mark.parametrize("kind", ["gaussian", "random"])
def test_eq43_and_eq46_by_minimizing_over_the_simplex(kind, optimum, agrees):
    for id, k in (("ye2008-eq43", 2), ("ye2008-eq46", 3)):
        data = instance(12, 2, k, kind=kind)
        P = centring(12)
        h = two_class_vector(data["y"])[:, None] if k == 2 else one_hot(data["y"])
        G = [np.eye(12) / 12, *(P @ K @ P / np.trace(P @ K @ P) for K in data["kernels"])]

        def inverse(w, G=G, h=h):
            # The pseudo-inverse on the complement of e, where h lives
            M = np.tensordot(w, G, axes=1)
            return float(np.trace(h.T @ np.linalg.lstsq(M, h, rcond=1e-14)[0]))

        assert agrees(optimum(id, data), on_the_simplex(inverse, 3))


def test_thm3_1_by_its_own_dual(optimum, agrees):
    # max over Z ⪰ 0, diag Z = 1 and θ by hand: for given θ the restricted program is
    # min Σtⱼ, diag(t) ⪰ HᵀM(θ)⁻¹H, a k by k program; θ by a scalar search.
    data = instance(12, 2, 3, kind="random")
    P, H, lam = centring(12), one_hot(data["y"]), data["lam"]
    G = [P @ K @ P / np.trace(P @ K @ P) for K in data["kernels"]]
    Z, S = cp.Variable((3, 3), PSD=True), cp.Parameter((3, 3), symmetric=True)
    small = cp.Problem(cp.Maximize(cp.sum(cp.multiply(S, Z))), [cp.diag(Z) == 1])

    def restricted(w):
        M = np.eye(12) + (w * G[0] + (1 - w) * G[1]) / lam
        S.value = H.T @ np.linalg.solve(M, H)
        S.value = (S.value + S.value.T) / 2
        return small.solve(solver=cp.CLARABEL)

    found = minimize_scalar(restricted, bounds=(0, 1), options={"xatol": 1e-6}).fun
    assert agrees(optimum("ye2008-thm3.1", data), found)


def svm_dual(K, y, C):
    """max 2αᵀ1 - αᵀG(K)α over the box and αᵀy = 0: twice what libsvm maximizes."""
    fitted = SVC(kernel="precomputed", C=C, tol=1e-10).fit(K, y)
    signed = np.zeros(len(y))
    signed[fitted.support_] = fitted.dual_coef_[0]
    return 2 * np.abs(signed).sum() - signed @ K @ signed


@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
@pytest.mark.parametrize("kind", ["gaussian", "random"])
def test_sm1_by_libsvm_and_a_scalar_search(kind, C, optimum, agrees):
    data = {**instance(14, 2, 2, kind=kind, seed=2), "C": C}
    K, y = data["kernels"], data["y"]
    r = np.trace(K, axis1=1, axis2=2)

    def inner(w):  # the least over μ = w c/r₁, (1 - w) c/r₂
        return svm_dual(r.sum() * (w * K[0] / r[0] + (1 - w) * K[1] / r[1]), y, C)

    found = minimize_scalar(inner, bounds=(0, 1), options={"xatol": 1e-9}).fun
    found = min(found, inner(0.0), inner(1.0))
    assert agrees(optimum("lanckriet2004-sm1", data), found)


def nonnegative_least(Q, y):
    """max 2αᵀ1 - αᵀQα over α ≥ 0, αᵀy = 0, by SLSQP with its gradient."""
    n = len(y)
    found = minimize(
        lambda v: v @ Q @ v - 2 * v.sum(),
        np.ones(n),
        jac=lambda v: 2 * Q @ v - 2,
        method="SLSQP",
        bounds=[(0, None)] * n,
        constraints=LinearConstraint(y[None], 0, 0),
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return -found.fun


@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_sm2_and_sm2c_by_active_sets_and_a_scalar_search(C, optimum, agrees):
    data = {**instance(12, 2, 2, kind="random", seed=2), "C": C}
    K, y = data["kernels"], data["y"]
    G = np.outer(y, y) * K / np.trace(K, axis1=1, axis2=2)[:, None, None]
    c = float(np.trace(K, axis1=1, axis2=2).sum())

    def sm2(w):
        return nonnegative_least(c * (w * G[0] + (1 - w) * G[1]) + np.eye(12) / C, y)

    found = minimize_scalar(sm2, bounds=(0, 1), options={"xatol": 1e-9}).fun
    assert agrees(optimum("lanckriet2004-sm2", data), min(found, sm2(0.0), sm2(1.0)))

    one = {"kernels": K[:1], "y": y}
    c_one = float(np.trace(K[0])) + 12

    def sm2c(w):
        return nonnegative_least(c_one * (w * np.eye(12) / 12 + (1 - w) * G[0]), y)

    found = minimize_scalar(sm2c, bounds=(0, 1), options={"xatol": 1e-9}).fun
    assert agrees(optimum("lanckriet2004-sm2c", one), min(found, sm2c(0.0), sm2c(1.0)))


@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_kim2006_in_the_feature_space(lam, optimum, agrees):
    # (2) with Kim's denominator S⁺ + S⁻ + λI, the features [√θ₁X₁, √θ₂X₂] explicit.
    X, y = blobs(14, 2, d=6, seed=3)
    y = 2 * y - 3
    parts = X[:, :3], 2 * X[:, 3:]

    def ratio(w):
        F = np.hstack([np.sqrt(w) * parts[0], np.sqrt(1 - w) * parts[1]])
        plus, minus = F[y > 0], F[y < 0]
        d = plus.mean(axis=0) - minus.mean(axis=0)
        within = np.cov(plus.T, bias=True) + np.cov(minus.T, bias=True)
        return -float(d @ np.linalg.solve(within + lam * np.eye(6), d))

    found = minimize_scalar(ratio, bounds=(0, 1), options={"xatol": 1e-9}).fun
    found = -min(found, ratio(0.0), ratio(1.0))
    data = {"kernels": np.stack([F @ F.T for F in parts]), "y": y, "lam": lam}
    assert agrees(optimum("kim2006", data), found)
    # and the printed (4) with the printed J
    theta = np.array([0.3, 0.7])
    problem = CATALOGUE["kim2006"].make(data)
    G = np.tensordot(theta, problem.kernels, axes=1)
    J, a = problem.J, problem.a
    inner = np.linalg.solve(lam * np.eye(14) + J @ G @ J, J @ G @ a)
    assert (a.T @ G @ (a - J @ inner)).item() / lam == pytest.approx(-ratio(0.3), rel=1e-8)

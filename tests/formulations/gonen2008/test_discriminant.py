"""The discriminant of localized kernels."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import kernels
from cvxkernel.formulations.gonen2008 import Discriminant, Gated, gates, support
from cvxkernel.solvers import solve
from cvxkernel.validation.instances import blobs


def fitted(spread=1.0, n=30):
    X, y = blobs(n, 2, d=2, seed=8)
    y = 2 * y - 3
    bases = [
        lambda Z, W: kernels.linear(Z, W) / 50,
        lambda Z, W: kernels.polynomial(Z, 2, W) / 100,
        lambda Z, W: kernels.gaussian(Z, 1.0, W),
    ]
    rng = np.random.default_rng(0)
    V, v0 = spread * rng.normal(size=(3, 2)), spread * rng.normal(size=3)
    problem = Gated(np.stack([k(X, X) for k in bases]), y, X, 5.0, V, v0)
    alpha = solve("gonen2008-eq7", problem, solver="svm").variables["alpha"]
    return problem, alpha, bases


def test_the_discriminant_is_the_printed_sum(tolerances):
    problem, alpha, bases = fitted()
    f = Discriminant.fit(problem, alpha, bases)
    Z = np.random.default_rng(1).normal(size=(7, 2))
    there, here = problem.eta, gates(Z, problem.V, problem.v0)
    for j, z in enumerate(Z):
        total = f.b
        for i in range(problem.n):
            for m in range(3):
                K = bases[m](z[None], problem.X[i][None])[0, 0]
                total += alpha[i] * problem.y[i] * here[m, j] * K * there[m, i]
        assert f(Z)[j] == pytest.approx(total, rel=1e-6)


def test_free_support_vectors_lie_on_the_margin(tolerances):
    problem, alpha, bases = fitted()
    f = Discriminant.fit(problem, alpha, bases)(problem.X)
    free = (alpha > 1e-6 * problem.C) & (alpha < problem.C * (1 - 1e-6))
    assert free.any()
    assert (problem.y * f)[free] == pytest.approx(1, abs=tolerances.stationarity)


def test_what_a_threshold_leaves_out_is_small_and_saves_evaluations():
    problem, alpha, bases = fitted(spread=4.0)
    f = Discriminant.fit(problem, alpha, bases)
    Z = np.random.default_rng(2).normal(size=(200, 2))
    for threshold in (1e-6, 1e-3, 1e-2):
        left = sum(np.abs(k(Z, f.X)) @ np.abs(f.weights) for k in bases)
        assert (np.abs(f(Z, threshold=threshold) - f(Z)) <= threshold * left).all()
        assert f.evaluations(Z, threshold=threshold) < f.evaluations(Z)
    assert f.evaluations(Z, threshold=1e-2) < 0.7 * f.evaluations(Z)
    assert f.evaluations(Z) == 3 * 200 * support(alpha, problem.C).sum()


def test_kernels_are_asked_only_where_both_gates_are_above():
    problem, alpha, bases = fitted(spread=4.0)
    asked = []

    def counting(K):
        return lambda Z, W: (asked.append(len(Z) * len(W)), K(Z, W))[1]

    f = Discriminant.fit(problem, alpha, [counting(k) for k in bases])
    Z = np.random.default_rng(2).normal(size=(50, 2))
    f(Z, threshold=0.05)
    assert sum(asked) == f.evaluations(Z, threshold=0.05)

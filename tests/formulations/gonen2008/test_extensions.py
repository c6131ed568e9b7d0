"""Section 3.2 at a gating: regression and one class, enclosed; degenerate and extreme instances."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.svm import SVR, OneClassSVM

from cvxkernel.formulations import CATALOGUE, SolverError
from cvxkernel.formulations import errors as e
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES
from cvxkernel.formulations.gonen2008 import (
    Discriminant,
    GatedOneClass,
    GatedRegression,
    LocalizedOneClass,
    bounds,
)
from cvxkernel.solvers import GatingDescent
from cvxkernel.solvers.extension import coefficients, one_class, regression
from cvxkernel.validation.instances import random_kernels
from cvxkernel.validation.slips import explain

REGRESSION, ONE = "gonen2008-alg1-regression", "gonen2008-alg1-oneclass"
TIGHT = {"tol_gap_abs": 1e-13, "tol_gap_rel": 1e-10, "tol_feas": 1e-11}


def data(n=10, p=2, *, seed=0, rank=None):
    rng = np.random.default_rng(seed)
    K, X = n * random_kernels(n, p, rank=rank, seed=seed), rng.normal(size=(n, 2))
    gating = rng.normal(size=(p, 2)), rng.normal(size=p)
    return K, X, np.sin(2 * X[:, 0]) + np.abs(X[:, 1]), gating


def numbers(at: GatedRegression | GatedOneClass):
    """Its coefficients and both ends of J there."""
    beta = coefficients(at)
    low, high, _, _ = bounds.extended(DOUBLES, at).ends(beta)
    return beta, float(low.lower), float(high.upper)


def as_written(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it may call itself inaccurate: the value is compared
        program.problem.solve(solver="CLARABEL", **TIGHT)
    return program.problem.value


def held(at, tol=2e-6):
    """Both programs have the value that is enclosed, and the enclosure is narrow."""
    _, low, high = numbers(at)
    size = max(abs(low), abs(high))
    assert low <= high
    assert high - low <= 1e-9 * size
    for program in (at.dual(), at.primal()):
        assert low - tol * size <= as_written(program) <= high + tol * size
    return low, high


@pytest.mark.parametrize("rank", [None, 3])
@pytest.mark.parametrize(
    ("C", "epsilon"), [(1.0, 0.1), (1e-3, 0.1), (100.0, 0.1), (1.0, 0.0), (1.0, 1.3)]
)
def test_regression_is_enclosed(rank, C, epsilon):
    K, X, y, gating = data(rank=rank)
    at = GatedRegression(K, y, X, C, epsilon, *gating)
    _, high = held(at)
    # By libsvm, whose objective is read off its coefficients.
    model = SVR(kernel="precomputed", C=C, epsilon=epsilon, tol=1e-8).fit(at.K_eta, y)
    beta = np.zeros(10)
    beta[model.support_] = model.dual_coef_[0]
    value = y @ beta - epsilon * np.abs(beta).sum() - beta @ at.K_eta @ beta / 2
    assert value == pytest.approx(high, rel=1e-6)


@pytest.mark.parametrize("rank", [None, 3])
@pytest.mark.parametrize("nu", [1e-9, 0.2, 0.35, 0.5, 0.99, 1.0])
def test_one_class_is_enclosed(rank, nu):
    K, X, _, gating = data(rank=rank, seed=1)
    at = GatedOneClass(K, X, nu, *gating)
    _, high = held(at)
    if nu in (1e-9, 1.0):  # libsvm has no answer
        return
    model = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-8).fit(at.K_eta)
    alpha = np.zeros(10)
    alpha[model.support_] = model.dual_coef_[0] / (nu * 10)  # libsvm's add up to νn
    assert -alpha @ at.K_eta @ alpha / 2 == pytest.approx(high, rel=1e-6)


def test_closed_forms():
    K, X, y, gating = data(6)
    # A tube that holds everything, no kernel at all: w = 0.
    wide = GatedRegression(K, y, X, 1.0, 1e3, *gating)
    assert numbers(wide)[1:] == (0.0, 0.0)
    nothing = GatedRegression(0 * K, y, X, 2.0, 0.0, *gating)
    _, low, high = numbers(nothing)
    least = 2.0 * np.abs(y - np.median(y)).sum()
    assert low <= least * (1 + 1e-12)
    assert least * (1 - 1e-12) <= high <= least * (1 + 1e-9)
    # ν = 1 leaves one point: all are 1/n.
    every = GatedOneClass(K, X, 1.0, *gating)
    assert numbers(every)[0] == pytest.approx(np.full(6, 1 / 6))
    assert every.K_eta.sum() / -72 == pytest.approx(numbers(every)[2], rel=1e-12)
    # Two points of one kernel of rank one: the nearer to the origin has it all.
    Phi = np.array([1.0, 3.0])
    alone = GatedOneClass(np.outer(Phi, Phi)[None], X[:2], 1e-6, gating[0][:1], gating[1][:1])
    beta, low, high = numbers(alone)
    assert beta == pytest.approx([1.0, 0.0], abs=1e-9)
    assert low <= -0.5 + 1e-12
    assert high >= -0.5 - 1e-12


@pytest.mark.parametrize("make", ["regression", "one class"])
def test_one_kernel_and_equal_kernels(make):
    K, X, y, _ = data(8, 1)
    zero = np.zeros((3, 2)), np.zeros(3)

    def of(K, V, v0):
        if make == "regression":
            return GatedRegression(K, y, X, 2.0, 0.1, V, v0)
        return GatedOneClass(K, X, 0.4, V, v0)

    one = held(of(K / 3, *(part[:1] for part in zero)))
    same = held(of(np.repeat(K, 3, axis=0), *zero))  # Σ(1/3)²K
    assert max(one[0], same[0]) <= min(one[1], same[1]) + 1e-12 * abs(one[1])


def test_one_class_around_the_origin_says_nothing_and_is_told():
    """0 is in the convex hull of the points: w = 0, J = 0, which no relative width is of."""
    X = np.array([[1.0, 0.0], [-1.0, 0.5], [0.3, -1.0], [-0.4, 0.2], [0.1, 0.9]])
    K = np.stack([X @ X.T, 2 * X @ X.T])
    at = LocalizedOneClass(K, X, 0.2)
    low, high = numbers(at.at())[1:]
    assert -1e-12 <= low <= 0.0 <= high <= 1e-12
    there = GatingDescent(starts=1, spread=0.0, iterations=0, polish=0)
    with pytest.raises(SolverError, match="relative width") as caught:
        there.solve(ONE, at)
    assert caught.value.best.lower <= 0.0 <= caught.value.best.upper


@pytest.mark.parametrize("copies", [2, 3, 4, 5])
@pytest.mark.parametrize("trace", [1.0, 10.0])
def test_copies_of_a_kernel_at_both_traces(copies, trace):
    """p = 2 … 5 copies, as in section 4, of trace 1 and of trace n."""
    K, X, y, _ = data(10, 1, seed=2)
    rng = np.random.default_rng(copies)
    V, v0 = rng.normal(size=(copies, 2)), rng.normal(size=copies)
    stack = np.repeat(K / np.trace(K[0]) * trace, copies, axis=0)
    held(GatedRegression(stack, y, X, 10.0, 0.05, V, v0), tol=5e-6)
    at = GatedOneClass(stack, X, 0.3, V, v0)
    _, low, high = numbers(at)
    assert high - low <= 1e-9 * abs(high)
    assert as_written(at.dual()) == pytest.approx(high, abs=1e-8)  # what a cone is asked for


def test_identical_samples_and_crisp_gates():
    K, X, y, (V, v0) = data(4, 2, rank=2)
    pairs = np.repeat(np.arange(4), 2)
    K, X, y = K[:, pairs][:, :, pairs], X[pairs], y[pairs]
    shifted = y + np.tile([0.0, 0.5], 4)  # two numbers at one point
    for crisp in (1.0, 1e4):
        for numbers_at in (y, shifted):
            held(GatedRegression(K, numbers_at, X, 3.0, 0.1, crisp * V, v0))
        held(GatedOneClass(K, X, 0.6, crisp * V, v0))


@pytest.mark.parametrize("id", [REGRESSION, ONE])
def test_any_point_encloses_in_both_arithmetics(id):
    K, X, y, (V, v0) = data(7, 2, rank=3, seed=3)
    at = CATALOGUE[id].make({"kernels": K, "X": X, "y": y, "C": 2.0, "epsilon": 0.1, "nu": 0.45})
    symbol = next(iter(CATALOGUE[id].symbols))
    best, low, high = numbers(at.at(V, v0))
    rng = np.random.default_rng(0)
    points = [best, 0.5 * best, -best, np.zeros(7), rng.normal(size=7), 1e30 * rng.normal(size=7)]
    points += [best * (1 + 1e-8 * rng.normal(size=7)), np.ones(7), np.eye(7)[2]]
    for beta in points:
        point = {"V": V, "v0": v0, symbol: beta}
        rough, exact = CATALOGUE[id].enclose(at, point), CATALOGUE[id].ends(BALLS, at, point)
        assert rough.lower <= high
        assert low <= rough.upper
        assert float(exact.lower) <= high
        assert low <= float(exact.upper)
        made = np.asarray(rough.variables[symbol])
        assert made.sum() == pytest.approx(float(id == ONE), abs=1e-9)


@pytest.mark.parametrize("id", [REGRESSION, ONE])
def test_the_gradient_is_the_printed_sum(id, tolerances):
    n, p = 5, 3
    K, X, y, gating = data(n, p, seed=4)
    at = GatedRegression(K, y, X, 1.0, 0.1, *gating) if id == REGRESSION else (
        GatedOneClass(K, X, 0.5, *gating)
    )  # fmt: skip
    beta, eta = np.random.default_rng(0).normal(size=n), at.eta
    dV, dv0 = np.zeros((p, 2)), np.zeros(p)
    for m, i, j, k in np.ndindex(p, n, n, p):
        term = beta[i] * beta[j] * eta[k, i] * K[k, i, j] * eta[k, j]
        left, right = float(m == k) - eta[m, i], float(m == k) - eta[m, j]
        dv0[m] -= term * (left + right) / 2
        dV[m] -= term * (X[i] * left + X[j] * right) / 2
    found = at.gradient(beta)
    assert found[0] == pytest.approx(dV, rel=tolerances.rounding)
    assert found[1] == pytest.approx(dv0, rel=tolerances.rounding)


def test_the_predictor_is_the_sum_of_8_and_meets_its_tube():
    _, X, y, (V, v0) = data(12, 2)
    functions = [lambda A, B: A @ B.T, lambda A, B: (A @ B.T + 1) ** 2]
    K = np.stack([k(X, X) for k in functions])
    at = GatedRegression(K, y, X, 5.0, 0.2, V, v0)
    beta = regression(at)
    f = Discriminant.fit(at, beta, functions)
    assert f(X) == pytest.approx(at.K_eta @ beta + f.b, rel=1e-6, abs=1e-6)
    free = (np.abs(beta) > 1e-6) & (np.abs(beta) < 5.0 * (1 - 1e-6))
    assert free.any()
    assert np.abs(y - f(X))[free] == pytest.approx(0.2, abs=1e-6)  # on the border of the tube
    assert (np.abs(y - f(X))[np.abs(beta) < 1e-9] <= 0.2 + 1e-9).all()
    one = GatedOneClass(K, X, 0.4, V, v0)
    alpha = one_class(one)
    g = Discriminant.fit(one, alpha, functions)(X)
    outside, used = (g < -1e-9).mean(), (alpha > 1e-9).mean()
    assert outside <= 0.4 <= used


@pytest.mark.parametrize(
    ("id", "change", "key", "error"),
    [
        (REGRESSION, {"epsilon": -0.1}, "epsilon", e.ParameterError),
        (REGRESSION, {"y": np.ones(9)}, "y", e.ShapeError),
        (REGRESSION, {"y": np.full(10, np.nan)}, "y", e.NotFiniteError),
        (REGRESSION, {"C": 0.0}, "C", e.ParameterError),
        (REGRESSION, {"kernels": np.eye(10)[None]}, "kernels", e.ShapeError),
        (ONE, {"nu": 0.0}, "nu", e.ParameterError),
        (ONE, {"nu": 1.5}, "nu", e.ParameterError),
        (ONE, {"X": np.ones((9, 2))}, "X", e.ShapeError),
    ],
)
def test_what_is_wrong_is_named(id, change, key, error):
    K, X, y, _ = data()
    given = {"kernels": K, "X": X, "y": y, "C": 1.0, "epsilon": 0.1, "nu": 0.5, **change}
    with pytest.raises(error) as caught:
        CATALOGUE[id].make(given)
    assert caught.value.key == key


@pytest.mark.parametrize(
    ("id", "change", "kind"),
    [
        (REGRESSION, {"epsilon": 0.1}, "ε"),
        (REGRESSION, {"C": 20.0}, "nC"),
        (REGRESSION, {"gates": 0.5}, "equal gates"),
        (ONE, {"nu": 0.7}, "ν"),
        (ONE, {"scale": 3.0}, "factor of α"),
        (ONE, {"gates": 0.5}, "equal gates"),
    ],
)
def test_slips_are_told(id, change, kind):
    K, X, y, (V, v0) = data()
    given = {"kernels": K, "X": X, "y": y, "C": 2.0, "epsilon": 0.2, "nu": 0.3}
    form = CATALOGUE[id]
    right = form.make(given)
    slipped = form.make({**given, **{k: x for k, x in change.items() if k in given}}).at(V, v0)
    if "gates" in change:
        slipped.__dict__["eta"] = np.full((2, 10), change["gates"])
    symbol = next(iter(form.symbols))
    beta = change.get("scale", 1.0) * numbers(slipped)[0]
    found = explain(form, right, {symbol: beta, "V": V, "v0": v0}, None)
    assert kind in {slip.kind for slip in found}

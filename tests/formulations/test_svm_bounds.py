"""The bounds of one support vector machine where its matrix is singular."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigvalsh

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES
from cvxkernel.formulations.arithmetic.doubles import Tensor
from cvxkernel.solvers.svm import svm
from cvxkernel.validation.tang2009.samples import multi_label


def value(Q, alpha, slack=0.0):
    return bounds.value(DOUBLES, Tensor(Q, 0.0, slack), alpha)


def upper(Q, y, C, alpha, slack=None, bound=bounds.upper):
    """From above; without a slack Q stands for the nearest semidefinite matrix."""
    matrix = bounds.nearest(Q) if slack is None else Tensor(Q, 0.0, slack)
    return bound(DOUBLES, matrix, y, C, alpha).upper


def machine(C, seed=0):
    data = multi_label(24, 1, 1, kind="low rank", seed=seed)
    K, y = data["kernels"][0], data["Y"][0]
    return bounds.signed(y, K), y, svm(K, y, C)


@pytest.mark.parametrize("C", [1.0, 300.0])
@pytest.mark.parametrize("seed", range(3))
def test_an_error_costs_its_square_on_the_margin(C, seed):
    Q, y, alpha = machine(C, seed)
    optimum, low = upper(Q, y, C, alpha), value(Q, alpha).lower
    assert low <= optimum <= low + 1e-9 * low
    free = (alpha > 1e-6 * C) & (alpha < (1 - 1e-6) * C)
    rng = np.random.default_rng(seed)
    error = np.where(free, rng.normal(size=24), 0.0) * alpha.min(where=free, initial=C)
    gaps = []
    for size in (1e-3, 1e-4):
        rough = bounds.repair(alpha + size * error, y, C)
        high = upper(Q, y, C, rough)
        assert low <= high <= upper(Q, y, C, rough, bound=bounds.hinge_bound)
        gaps.append(max(high - optimum, 1e-12 * optimum))
    assert gaps[1] <= gaps[0] / 30 or gaps[1] <= 1e-9 * optimum


@pytest.mark.parametrize("shift", [0.0, 1e-9, 0.1])  # singular, nearly so, well conditioned
def test_a_bordered_system_is_solved_however_it_is_conditioned(shift):
    Q, y, alpha = machine(1.0)
    Q = Q + shift * np.eye(24)
    right = np.append(Q @ alpha + 0.5 * y, y @ alpha)
    x = bounds.bordered(Q, y, right, np.zeros(25))
    assert np.abs(np.append(Q @ x[:24] + x[24] * y, y @ x[:24]) - right).max() <= 1e-9
    assert np.isnan(bounds.bordered(Q, y, right * np.inf, np.zeros(25))).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_holds_from_anywhere(seed):
    Q, y, alpha = machine(10.0, seed)
    low = value(Q, alpha).lower
    rng = np.random.default_rng(seed)
    for v in (rng.random(24), 10 * np.ones(24), np.zeros(24), np.eye(24)[0], 1e8 * rng.random(24)):
        for point in (v, bounds.repair(v, y, 10.0)):
            assert upper(Q, y, 10.0, point) >= low


@pytest.mark.parametrize("C", [1e4, 1e5])
def test_a_singular_matrix_is_not_charged_for_a_box_far_away(C):
    # Separable, so that α is of the margin's size; ½εnC² would be a multiple of the optimum.
    rng = np.random.default_rng(0)
    y = np.sign(rng.normal(size=24))
    V = np.c_[y, rng.normal(size=(24, 5))]
    Q, alpha = bounds.signed(y, V @ V.T), svm(V @ V.T, y, C)
    assert alpha.max() < 10
    low = value(Q, alpha).lower
    assert low <= upper(Q, y, C, alpha) <= low * (1 + 1e-7)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("slack", [1e-9, 1e-3])
def test_both_ends_are_of_every_kernel_within_the_slack(C, slack):
    Q, y, alpha = machine(C)
    ends = []
    rng = np.random.default_rng(0)
    for _ in range(4):  # the doubles, as far off as they may be
        E = rng.normal(size=Q.shape)
        E = E + E.T
        off = Q + slack / np.abs(eigvalsh(E)).max() * E
        v = svm(off * np.outer(y, y), y, C)
        low = bounds.value(
            DOUBLES, Tensor(off, 0.0, slack), bounds.feasible(DOUBLES, v, y, C)
        ).lower
        points = (v, alpha, rng.random(24))
        highs = [upper(off, y, C, x, slack, bound) for bound in BOUNDS for x in points]
        assert all(value(Q, alpha).lower <= high for high in highs)
        ends.append((low, min(highs)))
    high = upper(Q, y, C, alpha)
    assert all(low <= high for low, _ in ends)
    # and no wider than the slack asks for: ½ε‖α‖² below, at most ε‖v‖(‖α‖ + ½‖v‖) above
    assert all(high - low <= 5 * slack * C * max(high, 24 * C) + 1e-7 * high for low, high in ends)


BOUNDS = (bounds.hinge_bound, bounds.quadratic_bound, bounds.upper)


@pytest.mark.parametrize("C", [1.0, 30.0])
def test_a_definite_matrix_is_bounded_by_its_inverse_within_the_slack(C):
    Q, y, _ = machine(C)
    Q = Q + 0.1 * np.eye(24)
    K = Q * np.outer(y, y)
    exact = svm(K, y, C)
    optimum = value(Q, exact).lower
    for slack in (1e-10, 1e-6, 1e-4):
        for sign in (1.0, -1.0):
            off = Q + sign * slack * np.eye(24)
            high = upper(off, y, C, exact, slack, bounds.quadratic_bound)
            assert optimum <= high <= optimum + 5 * slack * float(exact @ exact) + 1e-9 * optimum
    assert upper(Q, y, C, exact, 0.05, bounds.quadratic_bound) == np.inf


def test_a_matrix_without_a_slack_is_the_nearest_semidefinite_one():
    # diag(1, -s) stands for diag(1, 0): with α = (a, a), 2a - ½a² is largest at C
    y, C, s = np.array([1.0, -1.0]), 0.5, 1e-3
    for v in (np.zeros(2), np.full(2, C)):
        assert upper(np.diag([1.0, -s]), y, C, v) >= 2 * C - C**2 / 2
    assert upper(np.diag([1.0, -s]), y, C, v) <= 2 * C - C**2 / 2 + 3 * s


@pytest.mark.parametrize("F", [DOUBLES, BALLS])
def test_without_a_box_equal_samples_have_an_end(F):
    # x = 1, 1, -1, -1: Q = eeᵀ, and ½w² is least at w = 1.
    Q, y = np.ones((4, 4)), np.array([1.0, 1.0, -1.0, -1.0])
    assert not bounds.quadratic_bound(F, F.exact(Q), y, np.inf, np.full(4, 0.25)).is_finite()
    for alpha in (np.full(4, 0.25), np.full(4, 1e-3), np.array([0.5, 0.0, 0.5, 0.0])):
        high = bounds.upper(F, F.exact(Q), y, np.inf, alpha)
        assert 0.5 <= high.upper <= 0.5 * (1 + 1e-12)
    # Equal samples of both classes: there is no optimum, and nothing above it.
    both = bounds.signed(y, np.ones((4, 4)))
    assert bounds.upper(F, F.exact(both), y, np.inf, np.ones(4)).upper == np.inf


def test_without_a_box_every_kernel_within_the_slack_is_bounded():
    Q, y, v = np.ones((4, 4)), np.array([1.0, 1.0, -1.0, -1.0]), np.array([0.1, 0.3, 0.2, 0.4])
    for slack in (1e-9, 1e-3):
        # The margin may be less by slack/2: e is an eigenvector.
        low = 0.5 / (1 - slack / 4)
        assert low <= upper(Q, y, np.inf, v, slack) <= low * (1 + 4 * slack)
    assert upper(Q, y, np.inf, v, 2.0) == np.inf


def test_without_a_box_a_definite_matrix_has_both():
    Q, y, alpha = machine(1.0)
    definite = Q + np.eye(24)
    highs = [upper(definite, y, np.inf, alpha, bound=bound) for bound in BOUNDS]
    assert highs[2] <= min(highs[:2]) < np.inf


@pytest.mark.parametrize("F", [DOUBLES, BALLS])
def test_a_point_beyond_doubles_is_worth_nothing_and_raises_nothing(F):
    Q, y = F.exact(1e90 * np.eye(3)), np.array([1.0, -1.0, 1.0])
    with np.errstate(all="ignore"):
        alpha = F.exact(np.full(3, 1e300)) * 1e5
        found = bounds.quadratic_bound(F, Q, y, np.inf, alpha)
    assert not found.upper < 1e-90  # the optimum is above

"""Ball arithmetic: what is claimed of matrices and numbers is true for certain."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import balls


@pytest.fixture(autouse=True)
def _precision():
    with balls.precision():
        yield


def test_doubles_are_exact_numbers():
    A = np.array([[0.1, -1e-300], [3.0, 1e17 + 2]])
    for ball, x in zip(balls.entries(balls.matrix(A)), A.ravel(), strict=True):
        assert ball.is_exact()
        assert Fraction(int(ball.fmpq().p), int(ball.fmpq().q)) == Fraction(float(x))
    assert balls.matrix(np.arange(3.0)).ncols() == 1


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_the_smallest_eigenvalue_is_bounded_from_below_and_nearly_reached(n, seed):
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.normal(size=(n, n)))[0]
    for spectrum in (
        rng.normal(size=n),
        np.zeros(n),
        np.ones(n),
        10.0 ** rng.integers(-16, 1, size=n),
        -np.ones(n),
    ):
        A = (V * spectrum) @ V.T
        A = (A + A.T) / 2
        bound = balls.lambda_min(balls.matrix(A))
        least = float(np.linalg.eigvalsh(A)[0])
        assert float(bound) <= least + 1e-15 * n
        assert float(bound) >= least - 1e-12 * n * max(1.0, np.abs(A).max())


def test_a_smallest_eigenvalue_that_is_known_exactly():
    # [[2, 1], [1, 2]] has 1; the bound is below it, for certain.
    bound = balls.lambda_min(arb_mat([[2, 1], [1, 2]]))
    assert bound <= 1
    assert bound > 1 - 1e-13


def test_what_is_not_finite_proves_nothing():
    assert not balls.lambda_min(arb_mat([[arb.nan()]])).is_finite()


def test_rounding_outwards():
    third = arb(1) / 3
    assert Fraction(balls.below(third)) < Fraction(1, 3) < Fraction(balls.above(third))
    assert balls.below(arb(0.5)) == balls.above(arb(0.5)) == 0.5
    assert balls.below(arb.neg_inf()) == -np.inf
    assert balls.above(arb.pos_inf()) == np.inf
    assert balls.below(-third) < -1 / 3 <= balls.above(-third)


def test_the_precision_is_put_back():
    from flint import ctx

    before = ctx.prec
    with balls.precision(777):
        assert ctx.prec == 777
    assert ctx.prec == before


def test_a_combination_skips_exact_zeros_and_is_symmetric():
    A = np.array([[1.0, 2.0], [0.0, 1.0]])
    C = balls.combination([arb(0), arb(2)], [np.full((2, 2), np.nan), A])
    assert balls.doubles(C).tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_eigenvalues_beyond_doubles():
    with balls.precision():
        A = balls.matrix(np.array([[1.0, 2.0], [2.0, 1.0]])) * arb(10) ** 400
        for found in (balls.lambda_min(A), balls.least_eigenvalue(A), balls.sharp_lambda_min(A)):
            assert abs(found / arb(10) ** 400 + 1) < 1e-6
        assert balls.lambda_min(A) <= -(arb(10) ** 400)

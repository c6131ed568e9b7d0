"""Whether a matrix of doubles is positive semidefinite, decided to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations.semidefinite import exactly

LAST = 2.0**-52  # of a double between 1 and 2


@pytest.mark.parametrize("n", [2, 5, 12])
def test_singular_matrices_of_integers(n):
    rng = np.random.default_rng(n)
    A = rng.integers(-3, 4, size=(n, n // 2)).astype(float)
    assert exactly(A @ A.T)
    assert exactly(np.zeros((n, n)))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    assert exactly(np.outer(y, y))
    assert not exactly(np.outer(y, y) - LAST * np.eye(n))


def test_one_bit_decides():
    assert exactly(np.array([[1.0, 1.0], [1.0, 1.0]]))
    assert exactly(np.array([[1.0, 1.0], [1.0, 1.0 + LAST]]))
    assert not exactly(np.array([[1.0, 1.0], [1.0, 1.0 - LAST / 2]]))
    assert not exactly(np.array([[1.0, 1.0 + LAST], [1.0 + LAST, 1.0]]))


def test_a_zero_pivot_needs_a_zero_row():
    assert exactly(np.diag([1.0, 0.0, 2e-300]))
    assert not exactly(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert not exactly(np.array([[0.0, 1e-300], [1e-300, 1.0]]))
    assert not exactly(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1e-20], [0.0, 1e-20, 1.0]]))


def test_what_is_not_symmetric_is_not_semidefinite():
    assert not exactly(np.array([[1.0, 0.5], [0.5 + LAST, 1.0]]))

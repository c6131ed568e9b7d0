"""The nearest semidefinite matrix in balls, against matrices whose spectrum is known exactly."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb
from scipy.linalg import hadamard

from cvxkernel.formulations import CATALOGUE, semidefinite
from cvxkernel.formulations.arithmetic import balls

SPECTRA = {
    "definite": [8.0, 4, 4, 2, 1, 1, 1, 0.5],
    "one below zero": [8.0, 4, 4, 2, 1, 1, 1, -(2.0**-30)],
    "repeated": [8.0, 8, 8, 2.0**-28, 2.0**-28, -(2.0**-28), -(2.0**-28), -(2.0**-28)],
    "singular": [8.0, 8, 0, 0, 0, 0, 0, 0],
    "nearly repeated": [8.0, 8 + 2.0**-40, 0, 2.0**-40, -(2.0**-40), -(2.0**-41), 0, 0],
    "zero": [0.0] * 8,
}


@pytest.mark.parametrize("bits", [64, 128, 512])
@pytest.mark.parametrize("name", SPECTRA)
def test_it_is_enclosed_to_the_working_precision(name, bits):
    d, H = np.array(SPECTRA[name]), hadamard(8).astype(float)
    K, plus = (H * d / 8) @ H.T, (H * np.maximum(d, 0) / 8) @ H.T  # sums of powers of two: exact
    with balls.precision(bits):
        found = balls.positive_part(balls.matrix(K))
        assert found.contains(balls.matrix(plus))
        radius = max(float(x.rad()) for x in found.entries())
        assert radius <= 2.0 ** (16 - bits)


def test_an_indefinite_matrix_far_from_a_kernel_is_projected_too():
    # [[0, 1], [1, 0]] has the eigenvalues ±1: half of [[1, 1], [1, 1]] is nearest.
    with balls.precision(200):
        found = balls.positive_part(balls.matrix(np.array([[0.0, 1.0], [1.0, 0.0]])))
        assert found.contains(balls.matrix(np.full((2, 2), 0.5)))
        assert max(float(x.rad()) for x in found.entries()) <= 1e-50


def test_what_came_is_taken_not_what_is_held_and_its_mean_with_its_transpose():
    K = np.eye(4)
    K[0, 1], K[1, 0] = 2.0**-40, 3 * 2.0**-40
    problem = CATALOGUE["chen2009-eq1"].make({"K": K, "y": [1, -1, 1, -1], "C": 1.0})
    with balls.precision():
        found = balls.kernel(problem.K)
        assert found[0, 1] == found[1, 0] == arb(2.0**-39)
        assert balls.kernel(problem.K) is found
    with balls.precision(300):
        assert balls.kernel(problem.K) is not found


@pytest.mark.parametrize("digits", [8, 9, 12])
def test_the_doubles_of_a_problem_are_within_their_slack_of_it(digits):
    X = np.random.default_rng(digits).normal(size=(12, 2))
    K = np.round(np.exp(-((X[:, None] - X) ** 2).sum(-1) / 1e4), digits)
    held = semidefinite.hold(K)
    with balls.precision():
        off = balls.norm(balls.matrix(held) - balls.kernel(held))  # at least the spectral norm
        assert off <= float(semidefinite.slack(held)) * 4  # of rank below 16
        assert float(semidefinite.held(held).least) < 0

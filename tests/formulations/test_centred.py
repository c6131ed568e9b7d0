"""Centred kernels in doubles hold what balls make of them, however large the mean that goes."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb

from cvxkernel.formulations.arithmetic import BALLS, DOUBLES, balls


def holds(found, true) -> bool:
    ends = zip(np.ravel(found.lower), np.ravel(true.x), np.ravel(found.upper), strict=True)
    return all(arb(float(a)) <= x and x <= arb(float(b)) for a, x, b in ends)


@pytest.mark.parametrize("mean", [0.0, 1.0, 1e8])
@pytest.mark.parametrize(("n", "k"), [(3, 3), (30, 1), (140, 2), (300, 1)])
def test_what_is_made_of_centred_kernels_holds_what_balls_make(n, k, mean):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(2, n, n))
    K = A @ A.transpose(0, 2, 1) / n
    K = (K + K.transpose(0, 2, 1)) / 2 + mean
    B, w = rng.normal(size=(n, k)) + rng.normal(), rng.uniform(size=2)
    with balls.precision(200):
        found = DOUBLES.centred(K, K, np.zeros(2), False)
        true = [BALLS.exact(balls.centred(balls.matrix(G))) for G in K]
        for G, exact in zip(found, true, strict=True):
            assert holds(G.trace(), exact.trace())
            image, other = G @ B, exact @ B
            assert holds(image, other)
            assert holds(DOUBLES.inner(B, image), BALLS.inner(B, other))
            assert G.trace().rad <= 1e-13 * G.trace().mid  # also where the mean is 1e8
        M = DOUBLES.combination(w, found)
        assert balls.norm(balls.matrix(M.mid) - BALLS.combination(w, true).matrix) <= arb(M.off)
        assert M.off <= 1e-11 * np.linalg.norm(M.mid)


def test_matrices_near_a_kernel_are_charged_for_slack_and_rounding():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 8))
    K, N = A @ A.T, rng.normal(size=(8, 8))
    N = 1e-6 * (N + N.T)
    B = rng.normal(size=(8, 2))
    (G,) = DOUBLES.centred(K[None], K[None] + N, np.array([np.linalg.norm(N, 2)]), True)
    P = np.eye(8) - 1 / 8
    assert np.linalg.norm(P @ K @ P @ B - (G @ B).mid) <= (G @ B).off
    assert G.trace().lower <= np.trace(P @ K @ P) <= G.trace().upper


def test_a_part_of_a_matrix_is_no_better_known_than_the_whole():
    x = DOUBLES.exact(np.eye(4)) * 1.0
    known = DOUBLES.tensor(x.mid, 0.0, 0.5)  # 0.5 in the spectral norm: ½I is such an error
    assert known[:, :2].off >= 0.5 * np.sqrt(2)  # a part that is not square: Frobenius
    assert known[:2, :2].off == 0.5
    assert known[[0, 0]].off == 0.0
    picked = known[np.arange(4), np.arange(4)]
    assert picked.off == 0.0
    assert (picked.radius >= 0.5).all()
    repeated = known[0] + np.zeros((4, 1))
    assert repeated.off == 0.0
    assert (repeated.radius >= 0.5).all()

"""K₊ beyond the last digit of K: products in twice the digits, and a slack that is one."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import kernels, semidefinite
from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.sharp import PRODUCT, Pair, pair, product, sharp

X = np.random.default_rng(3).normal(size=(9, 3))


def planted(*eigenvalues):
    V = np.linalg.qr(np.random.default_rng(1).normal(size=(len(eigenvalues),) * 2))[0]
    K = (V * np.array(eigenvalues)) @ V.T
    return (K + K.T) / 2


MATRICES = {
    "wide": kernels.gaussian(X, 1e4),
    "nearly constant": kernels.gaussian(X, 1e6),
    "low rank": X @ X.T,
    "single precision": kernels.gaussian(X, 300.0).astype(np.float32).astype(float),
    "nine digits": np.round(kernels.gaussian(X, 300.0), 9),
    "planted": planted(1, 0.3, 1e-8, 1e-12, 1e-15, -1e-15, 0, 0),
    "large": 1e12 * (X @ X.T),
}


def test_a_product_has_twice_the_digits():
    rng = np.random.default_rng(0)
    A = Pair(rng.normal(size=(7, 5)), 1e-17 * rng.normal(size=(7, 5)))
    B = pair(rng.normal(size=(5, 4)) * 10.0 ** rng.integers(-8, 8, size=(5, 1)))
    C = product(A, B)
    with balls.precision(300):
        exact = (balls.matrix(A.high) + balls.matrix(A.low)) * balls.matrix(B.high)
        off = balls.doubles(exact - balls.matrix(C.high) - balls.matrix(C.low))
    assert np.abs(off).max() <= PRODUCT * 5 * np.abs(A.high).max() * np.abs(B.high).max()
    # one product of doubles has not
    assert np.abs(C.low).max() > 2.0**-60 * np.abs(C.high).min()


@pytest.mark.parametrize("name", MATRICES)
def test_the_correction_is_within_its_slack_of_the_nearest_matrix(name):
    K = MATRICES[name]
    found = sharp(K)
    assert found is not None
    held = semidefinite.hold(K.copy())
    assert found.slack <= float(semidefinite.slack(held)) / 2
    with balls.precision(256):
        off = balls.kernel(held) - balls.matrix(K) - balls.matrix(found.N)
        assert balls.norm(off) <= found.slack


def test_nothing_is_said_of_a_matrix_that_is_not_symmetric():
    K = MATRICES["wide"].copy()
    K[0, 1] += 1e-15
    assert sharp(K) is None

"""Numbers at the ends of what is accepted: answered, or told not to be, by this package's errors."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.validation import check, rigorous


def fisher(diagonal, lam):
    """kim2006 with one diagonal kernel, y = (1, -1, 1), in 200 digits."""
    with mp.workdps(200):
        G, half = mp.diag([mp.mpf(float(x)) for x in diagonal]), mp.mpf(1) / 2
        a = mp.matrix([half, -1, half])
        J = mp.matrix([[half, 0, -half], [0, 0, 0], [-half, 0, half]]) / mp.sqrt(2)
        M = mp.mpf(lam) * mp.eye(3) + J * G * J
        right = J * G * a
        rest = (right.T * mp.lu_solve(M, right))[0]
        return ((a.T * G * a)[0] - rest) / mp.mpf(lam)


@pytest.mark.parametrize("diagonal", [(0, 1e9, 1e9), (0, 0, 1e12), (1e-12, 1e9, 1e9), (1e9, 0, 0)])
def test_a_system_that_is_singular_in_doubles_is_solved_in_balls(diagonal):
    data = {"kernels": np.diag(diagonal)[None], "y": [1.0, -1.0, 1.0], "lam": 1e-9}
    problem = CATALOGUE["kim2006"].make(data)
    found, truth = rigorous.solve("kim2006", problem), fisher(diagonal, 1e-9)
    assert found.lower <= truth <= found.upper
    assert check("kim2006", problem, theta=[1.0]).within(1e-6)

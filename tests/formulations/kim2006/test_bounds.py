"""Both ends are charged for what they are summed from, also where a class mean cancels."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations.arithmetic import BALLS, DOUBLES, balls
from cvxkernel.formulations.kim2006 import KernelFisher, bound


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e9])
@pytest.mark.parametrize("seed", range(20))
def test_no_upper_end_is_below_the_number_it_stands_for(seed, offset):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(2, 7, 7))
    problem = KernelFisher(B @ B.transpose(0, 2, 1), np.repeat([1.0, -1.0], [4, 3]), 1e-8)
    u = rng.normal(size=7) + offset * rng.normal()
    value = bound(DOUBLES, problem, u)
    with balls.precision():
        exact = bound(BALLS, problem, u).number
    assert value.lower <= balls.above(exact)
    assert balls.below(exact) <= value.upper

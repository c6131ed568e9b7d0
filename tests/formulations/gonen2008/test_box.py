"""The bound of a box of gatings."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, svm
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES, balls
from cvxkernel.formulations.gonen2008 import bounds
from cvxkernel.solvers.svm import svm as machine

EQ7 = CATALOGUE["gonen2008-eq7"]


def J_at(problem, a, c, alpha=None):
    at = problem.at([[a / 2], [-a / 2]], [c / 2, -c / 2])
    alpha = machine(at.K_eta, at.y, at.C) if alpha is None else alpha
    return EQ7.enclose(at, {"alpha": alpha})


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_of_a_box_is_below_everything_in_it(seed, on_a_line):
    problem, rng = on_a_line(seed)
    for half in (4.0, 0.5, 0.05, 1e-3):
        a0, c0 = 3 * rng.normal(size=2)
        solved = J_at(problem, a0, c0).variables["alpha"]
        box = (a0 - half, a0 + half, c0 - half, c0 + half)
        for alpha in (solved, svm.repair(10 * rng.random(problem.n), problem.y, problem.C)):
            bound = bounds.box_bound(DOUBLES, problem, alpha, box).lower
            for a in np.linspace(*box[:2], 5):
                for c in np.linspace(*box[2:], 5):
                    # at this α already, and so at the best
                    at = problem.at([[a], [0.0]], [c, 0.0])
                    Q = bounds.combined(DOUBLES, at)
                    assert bound <= svm.value(DOUBLES, Q, alpha).upper


def test_the_bound_of_a_small_box_is_of_the_order_of_its_size(on_a_line):
    problem, rng = on_a_line(3)
    a0, c0 = rng.normal(size=2)
    found = J_at(problem, a0, c0)
    gaps = []
    for half in (1e-1, 1e-2, 1e-3):
        box = (a0 - half, a0 + half, c0 - half, c0 + half)
        low = bounds.box_bound(DOUBLES, problem, found.variables["alpha"], box).lower
        gaps.append(found.value - low)
    assert gaps[0] > 5 * gaps[1] > 25 * gaps[2] > 0
    alone = bounds.box_bound(DOUBLES, problem, found.variables["alpha"], (a0, a0, c0, c0))
    assert alone.lower == pytest.approx(found.value, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_in_doubles_holds_that_in_balls(seed, on_a_line):
    problem, rng = on_a_line(seed)
    alpha = 10 * rng.random(problem.n)
    for half in (1e3, 1.0, 0.0):
        a, c = rng.normal(size=2)
        box = (a - half, a + half, c - half, c + half)
        with balls.precision():
            found, exact = (bounds.box_bound(F, problem, alpha, box) for F in (DOUBLES, BALLS))
        # The α of each is repaired by itself, and is the same but for rounding.
        size = alpha.sum() * (1 + alpha.sum() * problem.kernels.max())
        assert found.lower - 1e-15 * size <= float(exact.mid) <= found.upper + 1e-15 * size
        assert found.upper - found.lower <= 1e-13 * size


def test_a_box_needs_two_kernels_and_a_line(gated):
    problem = gated()
    with pytest.raises(ValueError, match="two kernels"):
        bounds.box_bound(DOUBLES, problem, np.zeros(14), (0, 1, 0, 1))

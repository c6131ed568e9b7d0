"""The bound of a box of gatings."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, svm
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
            bound = bounds.box_bound(problem, alpha, box)
            for a in np.linspace(*box[:2], 5):
                for c in np.linspace(*box[2:], 5):
                    # at this α already, and so at the best
                    at = problem.at([[a], [0.0]], [c, 0.0])
                    Q, _ = bounds.combined(at)
                    assert bound <= svm.value(Q, alpha)[0]


def test_the_bound_of_a_small_box_is_of_the_order_of_its_size(on_a_line):
    problem, rng = on_a_line(3)
    a0, c0 = rng.normal(size=2)
    found = J_at(problem, a0, c0)
    gaps = []
    for half in (1e-1, 1e-2, 1e-3):
        box = (a0 - half, a0 + half, c0 - half, c0 + half)
        gaps.append(found.value - bounds.box_bound(problem, found.variables["alpha"], box))
    assert gaps[0] > 5 * gaps[1] > 25 * gaps[2] > 0
    assert bounds.box_bound(problem, found.variables["alpha"], (a0, a0, c0, c0)) == pytest.approx(
        found.value, rel=1e-9
    )


def test_a_box_needs_two_kernels_and_a_line(gated):
    problem = gated()
    with pytest.raises(ValueError, match="two kernels"):
        bounds.box_bound(problem, np.zeros(14), (0, 1, 0, 1))

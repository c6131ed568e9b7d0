"""kundu2010-eq5: the kernels given, their weights learned; half of lanckriet2004-sm1."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.chen2009 import Machine
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.kundu2010 import Budgeted
from cvxkernel.solvers import conic, solve
from cvxkernel.validation import check
from cvxkernel.validation.instances import sample

EQ5 = CATALOGUE["kundu2010-eq5"]


def problem(kind="random", n=9, m=3, **changes):
    return EQ5.make({**sample("kundu2010-eq5", n, m, kind=kind, seed=2), **changes})


@pytest.mark.parametrize(("tau", "C"), [(1e-6, 1e3), (9.0, 1.0), (1e6, 1e-3), (1e6, 1e3)])
def test_newton_the_cone_and_the_soft_margin_agree(tau, C):
    at = problem("gaussian", tau=tau, C=C)
    newton, cone = solve("kundu2010-eq5", at), conic("kundu2010-eq5", at)
    twice = solve("lanckriet2004-sm1", at.margin())
    assert newton.enclosure.meets(cone.enclosure)
    assert twice.lower <= 2 * newton.upper * (1 + 1e-12)  # the margin's kernels are rounded
    assert 2 * newton.lower <= twice.upper * (1 + 1e-12)


def test_one_kernel_is_the_machine_at_trace_tau():
    at = problem(m=1, tau=5.0)
    scaled = at.kernels[0] * (5.0 / np.trace(at.kernels[0]))
    found = solve("kundu2010-eq5", at)
    alone = solve("chen2009-eq1", Machine(scaled, at.y, at.C))
    assert found.lower <= alone.upper * (1 + 1e-12)
    assert alone.lower <= found.upper * (1 + 1e-12)
    assert found.variables["beta"] @ at.r == pytest.approx(5.0)


def test_what_does_not_change_it():
    at = problem("low rank")
    one = solve("kundu2010-eq5", at).enclosure
    order = np.random.default_rng(1).permutation(at.n)
    for other in (
        problem("low rank", kernels=at.kernels[::-1]),
        problem("low rank", kernels=np.concatenate([at.kernels, at.kernels[:1]])),
        problem("low rank", kernels=at.kernels * np.array([8.0, 1.0, 0.25])[:, None, None]),
        problem("low rank", kernels=at.kernels[:, order][:, :, order], y=at.y[order]),
        problem("low rank", kernels=np.round(at.kernels, 9)),
    ):
        found = solve("kundu2010-eq5", other)
        near = 1e-7 * one.upper  # nine digits
        assert found.lower <= one.upper + near
        assert one.lower <= found.upper + near
    four = solve("kundu2010-eq5", problem("low rank", tau=4 * at.tau, C=at.C / 4))
    assert 4 * four.lower <= one.upper
    assert one.lower <= 4 * four.upper


def test_the_diagonal_has_a_closed_form():
    """K = I alone: α = min(C, n/τ) for balanced classes, ω = n(α - ½ατ/n·α)."""
    y = np.tile([1.0, -1.0], 3)
    for C, tau in ((10.0, 3.0), (0.5, 3.0), (1.0, 6.0)):
        a = min(C, 6 / tau)
        expected = 6 * (a - a * a * tau / 12)
        found = solve("kundu2010-eq5", Budgeted(np.eye(6)[None], y, C, tau))
        assert found.lower - 1e-9 <= expected <= found.upper + 1e-9


def test_answers_are_judged():
    at = problem()
    answer = dict(solve("kundu2010-eq5", at).variables)
    assert check("kundu2010-eq5", at, **answer, why=False).within(1e-6)
    told = check("kundu2010-eq5", at, beta=2 * answer["beta"], why=False)
    assert float(told.violations["trace"].lower) == pytest.approx(1.0, rel=1e-6)
    assert not check("kundu2010-eq5", at, beta=answer["beta"][::-1], why=False).within(1e-4)
    with pytest.raises(InputError, match="kernels"):
        problem(kernels=np.zeros((1, 9, 9)))

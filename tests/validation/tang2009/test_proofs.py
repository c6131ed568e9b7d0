"""tang2009 in balls: corners, every part of an answer, and problems whose optimum is explicit."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations.tang2009 import Regularized, Shared, to_beta
from cvxkernel.solvers import solve
from cvxkernel.validation import check, enclose, rigorous
from cvxkernel.validation.tang2009.samples import multi_label

QCQP, SDP, SILP = "tang2009-thm3.1", "tang2009-eq3-sdp", "tang2009-eq11"


@pytest.fixture(scope="module")
def data():
    return multi_label(12, 3, 3, kind="random", seed=4)


def regularized(data, lam):
    return Regularized(data["kernels"], data["Y"], data["C"], lam)


def shared(data, beta):
    return Shared(data["kernels"], data["Y"], data["C"], beta)


@pytest.mark.parametrize("lam", [0.0, 0.02, 0.3, 1e5])
def test_the_three_programs_have_one_optimum_to_every_digit_proved(data, lam):
    problem = regularized(data, lam)
    found = solve(QCQP, problem)
    qcqp = enclose(QCQP, problem, **found.variables)
    assert qcqp.width <= 1e-14
    sdp = enclose(SDP, problem, **solve(SDP, problem).variables)
    assert sdp.width <= 1e-14
    assert sdp.meets(qcqp)
    bridge = to_beta(problem, found.variables)
    silp = enclose(SILP, bridge.shared, **found.variables)
    price = bridge.lam * bridge.beta
    # β is read off weights that are as good as the doubles' enclosure tells.
    assert silp.lower + price <= found.upper
    assert silp.upper + price >= qcqp.lower


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_shares_from_same_to_independent(data, share):
    problem = shared(data, share * len(data["Y"]) / 2)
    found = rigorous.solve(SILP, problem, digits=25)
    assert found.rigorous
    assert solve(SILP, problem).enclosure.meets(found.enclosure)


def test_all_at_the_border_has_its_optimum_at_a_corner():
    # C so small that every α is C: the optimum is explicit, and one kernel has all the weight.
    data = multi_label(12, 2, 1, kind="random", seed=1)
    Y = np.array([[1.0, -1.0] * 6])
    problem = Regularized(data["kernels"], Y, 1e-4, 0.1)
    form = max(float(Y[0] @ K @ Y[0]) for K in problem.kernels)
    value = 12e-4 - form * 1e-8 / 2
    found = enclose(QCQP, problem, zeta=[0.5, 0.5])
    assert found.width <= 1e-14
    assert found.lower <= value * (1 + 1e-14)
    assert found.upper >= value * (1 - 1e-14)


def test_every_part_of_an_answer_is_judged(data):
    problem = regularized(data, 0.02)
    found = solve(QCQP, problem, tol=1e-9)
    point = dict(found.variables)
    assert check(QCQP, problem, value=found.value, **point).within(1e-7)
    for symbol, wrong, label in (
        ("alpha", point["alpha"] * np.linspace(1, 2, 12), "balance"),
        ("alpha", np.abs(point["alpha"]) + problem.C, "box"),
        ("s", point["s"] * 0.9, "shared and specific"),
        ("s0", point["s0"] * 0.5, "quad0"),
        ("s_t", point["s_t"] * 0.5, "quad"),
        ("zeta", point["zeta"] * 1.5, "budget"),
        ("gamma", point["gamma"] - 0.1, "gamma nonneg"),
    ):
        told = check(QCQP, problem, why=False, **{**point, symbol: wrong})
        assert told.violations[label].lower > 1e-3, label
        assert told.verdict() == "not within"
        # The point made of it is feasible: its objectives enclose the optimum.
        assert told.sides["lower"].objective.lower <= found.upper
        assert told.sides["upper"].objective.upper >= found.lower


def test_a_share_beyond_beta_is_a_violation(data):
    problem = shared(data, 0.2)
    found = solve(SILP, problem, tol=1e-8)
    theta, g = found.variables["theta"], found.variables["g"]
    assert check(SILP, problem, theta=theta, g=g).within(1e-6)
    loose = solve(SILP, shared(data, 1.5), tol=1e-8).variables["theta"]
    told = check(SILP, problem, why=False, theta=loose, g=0.9 * g)
    assert told.violations["difference"].lower > 1e-2
    assert told.violations["cuts"].lower > 1e-2
    assert told.sides["upper"].objective.upper >= found.lower


def test_a_gamma_that_is_noise_violates_nothing(data):
    """One kernel for all labels: what a solver leaves of γ is compared with the weights."""
    problem = regularized(data, 1e3)
    found = solve(QCQP, problem, tol=1e-9).variables
    noise = found["gamma"] - 1e-9
    told = check(QCQP, problem, why=False, zeta=found["zeta"] + 1e-9, gamma=noise)
    assert told.violations["gamma nonneg"].upper < 1e-8
    assert told.within(1e-6)

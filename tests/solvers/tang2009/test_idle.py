"""β from k/2 on: (10) asks for nothing, and the problem is that of k separate labels."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cvxkernel import certify, check
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.tang2009 import Shared, bounds, to_beta, to_lam
from cvxkernel.solvers import solve
from cvxkernel.validation import rigorous
from cvxkernel.validation.instances import sample
from cvxkernel.validation.vectors import checker

ID = "tang2009-eq11"


def problem(kind, beta, k=2):
    data = sample(ID, 12, 3, kind=kind, seed=5)
    return Shared(data["kernels"], data["Y"][:k], 1.0, beta)


@pytest.mark.parametrize(
    ("kind", "k", "solver"),
    [("random", 1, "newton"), ("low rank", 2, "newton"), ("gaussian", 2, "alternation")],
)
def test_the_optimum_is_that_of_each_label_alone(kind, k, solver):
    at = problem(kind, 0.0, k)
    alone = [solve(ID, Shared(at.kernels, at.Y[[t]], 1.0, 0.0)) for t in range(k)]
    for beta in (np.nextafter(k / 2, 9), 1e6):
        found = solve(ID, problem(kind, beta, k), solver=solver)
        assert found.width <= 1e-6
        assert found.lower <= sum(s.upper for s in alone)
        assert found.upper >= sum(s.lower for s in alone)


def test_both_ends_at_any_point_do_not_see_how_idle():
    rng = np.random.default_rng(0)
    at = [bounds.Bounds(DOUBLES, problem("random", beta)) for beta in (1.0, 3.0, 1e6)]
    for _ in range(5):
        alpha = at[0].feasible(rng.random((2, 12)))
        theta = bounds.simplex(DOUBLES, rng.random((2, 3)))
        values = {float(b.value(alpha).mid) for b in at}
        uppers = {float(b.upper(theta, b.machines(b.combined(theta), alpha)).upper) for b in at}
        assert len(values) == len(uppers) == 1


def test_it_is_judged_proved_and_certified():
    made = problem("random", 5.0)
    found = solve(ID, made)
    assert check(ID, made, theta=found.variables["theta"]).within(1e-6)
    assert rigorous.solve(ID, made, digits=12).enclosure.meets(found.enclosure)
    certificate = json.dumps(certify(ID, made))
    checker.check(json.loads(certificate, parse_float=str, parse_int=str))


def test_between_lam_and_beta():
    at = problem("random", 40.0)
    found = solve(ID, at)
    there = to_lam(at, found.variables)
    assert there.lam == 0  # the optimum of (11) does not fall any more
    assert there.at_lam.meets(found.enclosure)
    back = to_beta(there.regularized, found.variables)
    assert back.beta <= 1
    assert back.at_beta.meets(found.enclosure)

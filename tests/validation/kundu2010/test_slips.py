"""Slips in kundu2010: each committed by solving the slipped problem, and named."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers import solve
from cvxkernel.validation import check
from cvxkernel.validation.instances import sample

SLIPS = {
    "ρ left out": {"rho": 1.0},
    "C/n": {"C": 1 / 12},
    "2ρ": {"rho": 2.0},
    "other loss": {"loss": "L3"},
    "τ = 1": {"tau": 1.0},
}


def committed(id, kind, changed):
    """The problem, and the answer of one who solved another."""
    data = sample(id, 12, 2, kind="low rank", seed=3) | {"loss": "L2"}
    changed = {k: v * data[k] if kind == "2ρ" else v for k, v in changed.items()}
    form = CATALOGUE[id]
    wrong = solve(id, form.make({**data, **changed}), tol=1e-6)
    return form.make(data), wrong.variables


@pytest.mark.parametrize("id", ["kundu2010-eq4", "kundu2010-eq6"])
@pytest.mark.parametrize("kind", SLIPS)
def test_a_committed_slip_is_named(kind, id):
    problem, answer = committed(id, kind, SLIPS[kind])
    found = check(id, problem, **answer)
    assert not found.within(1e-4)
    assert kind in {slip.kind for slip in found.slips}, found.slips


@pytest.mark.parametrize("id", ["kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq7"])
def test_an_optimal_answer_gets_none(id):
    problem, answer = committed(id, "none", {})
    found = check(id, problem, **answer)
    assert found.within(1e-5)
    assert not found.slips


def test_rho_left_out_of_algorithm_3_as_printed():
    # What the paper prints is the slip: its iterates tend to the point of ρ = 1.
    data = sample("kundu2010-eq7", 12, 2, kind="gaussian", seed=1)
    form = CATALOGUE["kundu2010-eq7"]
    wrong = solve("kundu2010-eq7", form.make({**data, "rho": 1.0})).variables
    found = check("kundu2010-eq7", form.make(data), **wrong)
    assert not found.within(1e-4)
    assert "ρ left out" in {slip.kind for slip in found.slips}
    assert np.isfinite(found.optimum.lower)

"""Theorem 3.1, (3) and (2) by machines and the alternation: the same optimum as by a cone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, SolverError
from cvxkernel.solvers import METHODS, Newton, solve
from cvxkernel.solvers import conic as panel
from cvxkernel.validation.instances import sample


@pytest.mark.parametrize("lam", [0.0, 1e-8, 1.0, 1e8])
@pytest.mark.parametrize("id", ["tang2009-thm3.1", "tang2009-eq3-sdp"])
def test_the_alternation_pays_for_kernel_difference(id, lam):
    problem = CATALOGUE[id].make({**sample(id, 12, 3), "lam": lam})
    found = solve(id, problem, solver="alternation")
    assert found.solver == "alternation"
    assert found.width <= 1e-6
    assert found.enclosure.meets(panel(id, problem).enclosure)
    lowers = np.array([step.lower for step in found.history])
    assert (np.diff(lowers) >= 0).all()


@pytest.mark.parametrize("id", ["tang2009-thm3.1", "tang2009-eq3-sdp"])
def test_an_answer_has_the_symbols_of_its_id_whatever_the_route(id):
    problem = CATALOGUE[id].make(sample(id, 10, 2))
    own = set(CATALOGUE[id].enclose(problem, {}).variables)
    for solver in ("alternation", "conic"):
        assert set(solve(id, problem, solver=solver).variables) == own


def test_the_alternation_starts_from_an_answer_of_any_id():
    for id in ("tang2009-eq3-sdp", "tang2009-eq11"):
        problem = CATALOGUE[id].make(sample(id, 10, 2))
        cold = solve(id, problem, solver="alternation")
        warm = solve(id, problem, solver="alternation", start=cold.variables)
        assert warm.iterations < cold.iterations
        assert warm.enclosure.meets(cold.enclosure)


def test_a_panel_that_fails_is_followed_by_the_method(monkeypatch):
    def fails(id, problem, **options):
        raise SolverError(id, {"SCS": "slow"})

    monkeypatch.setattr("cvxkernel.solvers.route.conic", fails)
    id = "chen2009-eq1"
    found = solve(id, CATALOGUE[id].make(sample(id, 10, 2)))
    assert found.solver == "svm"
    assert found.attempts == {"SCS": "slow"}
    with pytest.raises(SolverError):  # who names a solver gets no other
        solve(id, CATALOGUE[id].make(sample(id, 10, 2)), solver="conic")


def test_newton_that_fails_is_followed_by_the_alternation(monkeypatch):
    @dataclass(frozen=True)
    class Short(Newton):
        max_iterations: int = 1

    monkeypatch.setitem(METHODS, "newton", Short)
    for id in ("tang2009-thm3.1", "tang2009-eq3-sdp", "tang2009-eq11"):
        found = solve(id, CATALOGUE[id].make(sample(id, 10, 2)))
        assert found.solver == "alternation"
        assert "after 1 iterations" in found.attempts["newton"]


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_kernels_of_every_scale_have_their_machines(C):
    data = sample("tang2009-eq2", 10, 2)
    data["kernels"] = data["kernels"] * np.array([1e12, 1.0])[:, None, None]
    found = solve("tang2009-eq2", CATALOGUE["tang2009-eq2"].make({**data, "C": C}))
    assert found.solver == "svm"
    assert found.width <= 1e-6

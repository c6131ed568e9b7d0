"""`literal`: the panel is given the printed program in the numbers of the problem, nothing else."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

import cvxpy as cp
import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations import CATALOGUE, InputError, SolverError
from cvxkernel.solvers import solve
from cvxkernel.solvers.isolated import Isolated
from cvxkernel.validation import rigorous
from cvxkernel.validation.instances import sample

IDS = ["ye2008-thm2.2", "tang2009-thm3.1", "chen2009-eq7", "kim2006-epigraph", "lanckriet2004-sm1"]


@pytest.fixture
def posed(monkeypatch):
    """The programs that the panel is given, in turn."""
    seen = []

    class Seen(Isolated):
        def __init__(self, problem):
            seen.append(problem)
            super().__init__(problem)

    monkeypatch.setattr(import_module("cvxkernel.solvers.conic"), "Isolated", Seen)
    return seen


def problem_of(id, **changes):
    data = {**sample(id, 8, 2, kind="random", seed=3), **changes}
    for key in {"kernels", "S"} & set(data):
        data[key] = data[key] * 3.7  # no size is 1
    return CATALOGUE[id].make(data)


def numbers(program):
    """All that a solver is given: c, A, b and P."""
    data = program.get_problem_data(cp.CLARABEL)[0]
    parts = [data[key] for key in ("P", "c", "A", "b") if data.get(key) is not None]
    return [np.asarray(x.todense() if hasattr(x, "todense") else x) for x in parts]


def same(one, other):
    pairs = zip(numbers(one), numbers(other), strict=True)
    return all(a.shape == b.shape and np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("id", IDS)
def test_the_numbers_are_those_given_and_the_optimum_is_the_same(id, posed):
    problem = problem_of(id)
    written = CATALOGUE[id].program(problem).problem
    literal = solve(id, problem, solver="conic", literal=True, tol=1e-5)
    assert all(same(asked, written) for asked in posed)
    posed.clear()
    scaled = solve(id, problem, solver="conic")
    assert not any(same(asked, written) for asked in posed)
    assert literal.enclosure.meets(scaled.enclosure)


def test_the_lam_of_tang2009_is_cut_unless_it_is_literal(posed):
    problem = problem_of("tang2009-thm3.1", lam=1e9)
    for literal in (False, True):
        with suppress(SolverError):  # of a number like this
            solve("tang2009-thm3.1", problem, solver="clarabel", literal=literal)
    cut, given = (max(float(np.abs(x).max()) for x in numbers(posed[i])) for i in (0, -1))
    assert cut < 1e6
    assert given >= 1e9


def test_an_objective_far_from_one_is_not_weighed_where_it_is_literal(posed):
    problem = problem_of("lanckriet2004-sm1", C=1e-9)
    with pytest.raises(SolverError):
        solve("lanckriet2004-sm1", problem, solver="clarabel", literal=True, tol=1e-30)
    written = CATALOGUE["lanckriet2004-sm1"].program(problem)
    written.problem.solve(solver="CLARABEL")
    assert abs(written.problem.value) < 1e-6
    assert len(posed) == 1
    assert same(posed[0], written.problem)


@pytest.mark.parametrize("solver", [None, "newton"])
@pytest.mark.parametrize("by", [solve, cvxkernel.solve, rigorous.solve, rigorous.answer])
def test_only_the_panel_is_literal(by, solver):
    problem = problem_of("ye2008-thm2.2")
    with pytest.raises(InputError, match=r"^solver: expected conic or one of the panel"):
        by("ye2008-thm2.2", problem, solver=solver, literal=True)


@pytest.mark.parametrize("more", [{}, {"rigorous": True}, {"digits": 8}])
def test_the_front_door_hands_it_on(more, posed):
    problem = problem_of("ye2008-thm2.2")
    cvxkernel.solve("ye2008-thm2.2", problem, solver="conic", literal=True, tol=1e-5, **more)
    written = CATALOGUE["ye2008-thm2.2"].program(problem).problem
    assert posed
    assert all(same(asked, written) for asked in posed)


@pytest.mark.parametrize("more", [[], ["--rigorous"]])
def test_so_does_the_command_line(more, posed, run, tmp_path):
    data = sample("ye2008-thm2.2", 8, 2, kind="random", seed=3)
    np.savez(tmp_path / "problem.npz", **data)
    asked = ["solve", "ye2008-thm2.2", tmp_path / "problem.npz", "--literal", "--json", *more]
    done = run(*asked, "--solver", "conic", "--tol", "1e-5")
    assert done.status == 0, done.err
    written = CATALOGUE["ye2008-thm2.2"].program(CATALOGUE["ye2008-thm2.2"].make(data)).problem
    assert posed
    assert all(same(one, written) for one in posed)
    assert run(*asked).status == 2

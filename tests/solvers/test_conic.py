"""The panel accepts an answer on its enclosure, never on the solver's status."""

from __future__ import annotations

import os
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, InputError, SolverError
from cvxkernel.solvers import PANEL, conic, solve
from cvxkernel.solvers.isolated import quiet
from cvxkernel.solvers.panel import Member, order
from cvxkernel.validation import instance

STACKED = ("ye2008", "kim2006", "lanckriet2004")  # a stack of kernels, y, λ, C
CONIC = [id for id, form in CATALOGUE.items() if form.kind != "SILP" and form.paper in STACKED]
ID = "ye2008-thm2.2"


@pytest.fixture(scope="module")
def problem():
    return CATALOGUE[ID].make(instance(14, 3, 2, kind="gaussian"))


@pytest.fixture
def panel(monkeypatch):
    """`panel(SCS={"max_iters": 5})`: members with other options, for this test."""

    def change(**options):
        for name, changed in options.items():
            monkeypatch.setitem(PANEL, name, replace(PANEL[name], options=(changed,)))

    return change


@pytest.fixture
def during(monkeypatch):
    """`during("CLARABEL", act)`: `act(problem, solve)` in place of that solver's solve."""
    original = cp.Problem.solve

    def install(name, act):
        def patched(self, *args, **kwargs):
            if kwargs.get("solver") != name:
                return original(self, *args, **kwargs)
            return act(self, lambda: original(self, *args, **kwargs))

        monkeypatch.setattr(cp.Problem, "solve", patched)

    return install


def test_a_loose_answer_is_refused_and_the_next_solver_asked(problem, panel):
    panel(SCS={"max_iters": 5})
    solution = conic(ID, problem, solvers=["SCS", "CLARABEL"])
    assert solution.solver == "CLARABEL"
    assert set(solution.attempts) == {"SCS"}
    assert "relative width" in solution.attempts["SCS"]
    assert solution.width <= 1e-6
    assert solution.status == "optimal"


def test_loose_tolerances_that_satisfy_the_solver_do_not_satisfy_us(problem, panel):
    # SCS calls this optimal.
    panel(SCS={"eps_abs": 0.1, "eps_rel": 0.1})
    with pytest.raises(SolverError) as caught:
        conic(ID, problem, solvers=["SCS"])
    assert list(caught.value.attempts) == ["SCS"]
    assert "relative width" in caught.value.attempts["SCS"]


def test_a_wrong_answer_called_optimal_is_refused(problem, during):
    def lie(self, answer):
        found = answer()
        for variable in self.variables():
            variable.save_value(variable.value * 1.3 + 0.1)
        for constraint in self.constraints:
            for dual in constraint.dual_variables:
                dual.save_value(np.flip(dual.value) + 1.0)
        self._status = cp.OPTIMAL
        return found

    during("CLARABEL", lie)
    with pytest.raises(SolverError, match="CLARABEL: relative width"):
        conic(ID, problem, solvers=["CLARABEL"], tol=1e-9)


def test_a_right_answer_called_inaccurate_is_accepted(problem, during):
    def hesitate(self, answer):
        found = answer()
        self._status = cp.OPTIMAL_INACCURATE
        return found

    during("CLARABEL", hesitate)
    assert conic(ID, problem, solvers=["CLARABEL"]).solver == "CLARABEL"


@pytest.mark.parametrize(
    "error",
    [
        cp.error.SolverError("gave up"),
        ArithmeticError("gave up"),
        ValueError("gave up"),
        np.linalg.LinAlgError("gave up"),
        ZeroDivisionError("gave up"),
        RuntimeError("gave up"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_a_solver_that_raises_is_passed_over_and_told(problem, during, error):
    def fail(self, answer):
        raise error

    during("CLARABEL", fail)
    solution = conic(ID, problem, solvers=["CLARABEL", "SCS"])
    assert solution.solver == "SCS"
    assert "gave up" in solution.attempts["CLARABEL"]


def test_a_program_is_made_once_for_all_options_of_a_solver(problem, during, monkeypatch, tmp_path):
    asked, made, form = tmp_path / "asked", [], CATALOGUE[ID]

    def fail(self, answer):
        with asked.open("a") as told:  # from a process of its own
            told.write(f"{os.getpid()} {id(self)}\n")
        answer()
        raise RuntimeError("gave up")

    def make(problem):
        made.append(form.program(problem))
        return made[-1]

    during("CLARABEL", fail)
    monkeypatch.setitem(CATALOGUE, ID, replace(form, program=make))
    solution = conic(ID, problem, solvers=["CLARABEL", "SCS"])
    lines = asked.read_text().splitlines()
    assert len(lines) == len(PANEL["CLARABEL"].options)
    assert len(set(lines)) == 1  # one process, which holds what is compiled
    assert int(lines[0].split()[1]) == id(made[0].problem)
    assert [solution.solver, len(made)] == ["SCS", 2]


def test_a_solver_without_a_solution_is_passed_over(problem, during):
    def nothing(self, answer):
        answer()
        self._status = cp.INFEASIBLE
        return np.inf

    during("CLARABEL", nothing)
    with pytest.raises(SolverError, match="CLARABEL: status infeasible"):
        conic(ID, problem, solvers=["CLARABEL"])


def test_an_answer_of_nan_is_refused(problem, during):
    def spoil(self, answer):
        found = answer()
        for variable in self.variables():
            variable.save_value(np.full(variable.shape, np.nan))
        return found

    during("CLARABEL", spoil)
    with pytest.raises(SolverError, match="CLARABEL: answer not finite"):
        conic(ID, problem, solvers=["CLARABEL"])


def test_an_unavailable_solver_is_told_and_not_asked(problem, monkeypatch):
    monkeypatch.setitem(PANEL, "SDPA", Member("SDPA", "no-such-package", "semidefinite"))
    solution = conic(ID, problem, solvers=["SDPA", "CLARABEL"])
    assert solution.solver == "CLARABEL"
    assert "not installed" in solution.attempts["SDPA"]
    assert "panel" in solution.attempts["SDPA"]


def test_installed_but_unknown_to_cvxpy(monkeypatch):
    monkeypatch.setattr(cp, "installed_solvers", lambda: ["CLARABEL"])
    assert PANEL["CLARABEL"].unavailable() is None
    assert "CVXPY cannot load it" in PANEL["SCS"].unavailable()


def test_no_solver_at_all_names_each_and_why(problem, monkeypatch):
    for name in PANEL:
        monkeypatch.setitem(PANEL, name, Member(name, "no-such-package", ""))
    with pytest.raises(SolverError) as caught:
        conic(ID, problem)
    assert set(caught.value.attempts) == set(PANEL)
    for name in PANEL:
        assert f"{name}: not installed" in str(caught.value)


def test_a_tolerance_below_rounding_is_met_by_nobody(problem):
    with pytest.raises(SolverError) as caught:
        conic(ID, problem, tol=1e-30)
    assert set(caught.value.attempts) == set(order(CATALOGUE["ye2008-thm2.2"], 14))


def test_the_order_holds_the_whole_panel():
    for form in CATALOGUE.values():
        for n in (5, 60, 1000):
            assert sorted(order(form, n)) == sorted(PANEL)


def test_semi_infinite_programs_are_not_conic():
    problem = CATALOGUE["ye2008-thm2.3"].make(instance(8, 2, 2, kind="random"))
    with pytest.raises(InputError, match="column_generation"):
        conic("ye2008-thm2.3", problem)


def test_solve_names_the_solvers_it_knows(problem):
    with pytest.raises(InputError, match="CLARABEL") as caught:
        solve(ID, problem, solver="SIMPLEX")
    assert caught.value.key == "solver"
    assert solve(ID, problem, solver="clarabel").solver == "CLARABEL"


def test_progress_tells_who_is_asked(problem):
    told = []
    conic(ID, problem, solvers=["CLARABEL"], progress=told.append)
    assert told == [f"{ID}: CLARABEL, n = 14"]


# -- Solvers × formulations --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gaussian", "random"])
@pytest.mark.parametrize("id", CONIC)
def test_whoever_answers_gives_the_same_optimum(id, kind, tolerances):
    k = 3 if id.startswith("ye2008") and not CATALOGUE[id].binary else 2
    problem = CATALOGUE[id].make(instance(10, 3, k, kind=kind, seed=4))
    found, refused = {}, {}
    for name, member in PANEL.items():
        if member.unavailable() is not None:
            continue
        try:
            found[name] = conic(id, problem, solvers=[name])
        except SolverError as error:  # refused, with a reason: that is allowed to any one solver
            refused |= error.attempts
    assert found, refused
    assert all(refused.values())
    for solution in found.values():
        assert solution.lower <= solution.value <= solution.upper
        assert solution.width <= tolerances.width
        assert solution.solver in PANEL
        assert all(solution.enclosure.meets(other.enclosure) for other in found.values())


def test_what_a_solver_prints_reaches_nobody(capfd):
    with quiet():
        print("from Python")
        os.write(1, b"from compiled code\n")
    print("after")
    assert capfd.readouterr().out == "after\n"

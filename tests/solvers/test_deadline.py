"""A limit ends what is waited for, and the error holds the best enclosure so far."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cvxkernel import solvers
from cvxkernel.formulations import CATALOGUE, InputError, SolverError
from cvxkernel.solvers import METHODS, conic, deadline, route, solve
from cvxkernel.solvers.method import Step
from cvxkernel.solvers.path import path
from cvxkernel.validation import check, rigorous
from cvxkernel.validation.instances import sample

NO_TIME = 1e-9  # seconds
FINEST = 1e-30  # a relative width that nobody reaches
EACH = {  # an id for every method that iterates
    "newton": "ye2008-thm2.1",
    "column_generation": "ye2008-thm2.3",
    "alternation": "tang2009-eq11",
    "dual_ascent": "luss2007",
    "spectrum_ascent": "chen2009-eq12",
    "response_ascent": "kundu2010-alg3",
    "mirror_descent": "kundu2010-alg2",
    "mirror_descent-paper": "kundu2010-alg2",
    "barrier": "ye2008-thm3.1",
    "localized": "gonen2008-alg1",
}


def problem_of(id):
    return CATALOGUE[id].make(sample(id, 8, 2, kind="random"))


# -- The clock ---------------------------------------------------------------------------------


def test_without_a_limit_there_is_no_end():
    assert deadline.left() == math.inf
    assert deadline.limit() is None
    assert not deadline.passed()
    with deadline.within(None), deadline.share(3):
        assert deadline.left() == math.inf


def test_the_nearer_limit_holds_and_is_told():
    with deadline.within(1000.0):
        with deadline.within(10.0):
            assert deadline.left() <= 10.0
            assert deadline.limit() == 10.0
            with deadline.within(500.0):
                assert deadline.left() <= 10.0
                assert deadline.limit() == 10.0
        assert 10.0 < deadline.left() <= 1000.0
    assert deadline.limit() is None


def test_nobody_takes_all_while_others_wait():
    with deadline.within(1000.0):
        with deadline.share(3):
            assert deadline.left() <= 500.0
            assert deadline.limit() == 1000.0  # what was asked for
        with deadline.share(1):
            assert deadline.left() > 900.0


def test_a_limit_ends_with_what_it_was_put_on():
    with pytest.raises(RuntimeError), deadline.within(NO_TIME):  # noqa: PT012
        while not deadline.passed():
            pass
        raise RuntimeError
    assert not deadline.passed()


# -- Methods -----------------------------------------------------------------------------------


def test_every_method_that_iterates_is_here():
    assert set(METHODS) == {*EACH, "svm", "localized_fixed"}


@pytest.mark.parametrize("name", EACH)
def test_a_method_ends_with_the_best_it_has(name):
    id = EACH[name]
    problem = problem_of(id)
    with pytest.raises(SolverError, match="within the limit of 1e-09 s") as caught:
        solve(id, problem, solver=name, tol=FINEST, limit=NO_TIME)
    assert caught.value.limit == NO_TIME
    best = caught.value.best
    if name != "localized":  # whose enclosure is at a gating
        assert best.meets(solve(id, problem).enclosure)
    assert f"the optimum lies in [{best.lower:.17g}" in str(caught.value)


def test_when_the_method_has_no_time_left_the_panel_is_told_too():
    problem = problem_of("ye2008-thm2.1")
    with pytest.raises(SolverError) as caught:
        solve("ye2008-thm2.1", problem, tol=FINEST, limit=NO_TIME)
    assert "newton" in caught.value.attempts
    assert caught.value.attempts["CLARABEL"] == "no time left"
    assert math.isfinite(caught.value.best.width)


@pytest.mark.parametrize("id", [id for id, form in CATALOGUE.items() if form.kind != "nonconvex"])
def test_something_is_known_of_every_id_without_any_time(id):
    problem = problem_of(id)
    with pytest.raises(SolverError) as caught:
        solve(id, problem, tol=FINEST, limit=NO_TIME)
    assert caught.value.limit == NO_TIME
    assert caught.value.best is not None


def test_a_limit_that_is_not_reached_changes_nothing():
    problem = problem_of("ye2008-thm2.1")
    one, two = solve("ye2008-thm2.1", problem), solve("ye2008-thm2.1", problem, limit=1e4)
    assert (one.lower, one.upper, one.iterations) == (two.lower, two.upper, two.iterations)


@pytest.mark.parametrize("limit", [0, -1.0, math.nan])
def test_a_limit_that_is_none_is_refused(limit):
    problem = problem_of("ye2008-thm2.1")
    for call in (solve, rigorous.solve):
        with pytest.raises(InputError) as caught:
            call("ye2008-thm2.1", problem, limit=limit)
        assert caught.value.key == "limit"


# -- path, proofs, check, the command line -----------------------------------------------------


def test_the_limit_of_a_path_is_for_each_value():
    problem = problem_of("ye2008-thm2.1")
    assert len(list(path("ye2008-thm2.1", problem, "lam", [0.1, 0.2], limit=1e4))) == 2
    with pytest.raises(SolverError, match="within the limit"):
        list(path("ye2008-thm2.1", problem, "lam", [0.1], tol=FINEST, limit=NO_TIME))


def test_a_proof_that_has_no_time_left_holds_what_was_proved():
    problem = problem_of("ye2008-thm2.1")
    with pytest.raises(SolverError, match="within the limit") as caught:
        rigorous.solve("ye2008-thm2.1", problem, digits=300, limit=NO_TIME)
    assert caught.value.best.meets(solve("ye2008-thm2.1", problem).enclosure)


def test_a_check_uses_what_is_known_by_then():
    problem = problem_of("ye2008-thm2.1")
    optimum = solve("ye2008-thm2.1", problem)
    theta = optimum.variables["theta"]
    hurried = check("ye2008-thm2.1", problem, theta=theta, limit=NO_TIME, why=False)
    assert hurried.optimum.lower <= optimum.upper
    assert optimum.lower <= hurried.optimum.upper


def test_on_the_command_line(run, tmp_path):
    path = tmp_path / "problem.npz"
    np.savez(path, **sample("ye2008-thm2.1", 8, 2, kind="random"))
    assert run("solve", "ye2008-thm2.1", path, "--limit", 1e4, "--json").status == 0
    late = run("solve", "ye2008-thm2.1", path, "--limit", NO_TIME, "--tol", 1e-90)
    assert late.status == 3
    assert "within the limit of 1e-09 s" in late.err
    assert "the optimum lies in [" in late.err
    assert run("solve", "ye2008-thm2.1", path, "--limit", 0).status == 2


def test_between_two_mirror_descents_the_panel_has_time_of_its_own(monkeypatch):
    """Whatever the first one takes of its share: half of what is left then is the panel's."""
    had = {}

    def descends(self, id, problem, *, progress=None, start=None):
        had.setdefault("first", deadline.left())
        deadline._END.set(deadline.monotonic() if "panel" not in had else deadline._END.get())
        raise SolverError(id, {"mirror_descent": "none"})

    def panel(id, problem, **options):
        had["panel"] = deadline.left()
        raise SolverError(id, {"conic": "none"})

    monkeypatch.setattr(solvers.MirrorDescent, "solve", descends)
    monkeypatch.setattr(route, "conic", panel)
    with pytest.raises(SolverError):
        solve("kundu2010-eq6", problem_of("kundu2010-eq6"), limit=1000.0)
    assert 490 < had["first"] <= 500
    assert 490 < had["panel"] <= 500


# -- Units and steps ---------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [0.0, 1e-80, 1e-6, 1e6])
def test_luss2007_is_solved_at_every_scale_of_the_similarities(scale):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    y = np.where(np.arange(6) % 2 == 0, 1.0, -1.0)
    problem = CATALOGUE["luss2007"].make({"S": scale * (A + A.T), "y": y, "C": 1.0, "rho": 1.0})
    literal = conic("luss2007", problem)
    own = solve("luss2007", problem)
    assert own.enclosure.meets(literal.enclosure)
    assert all(step.lower <= step.upper for step in own.history)


def test_the_ends_of_a_step_never_cross():
    rounded = Step(1, 1.0 + 1e-15, 1.0, 0.0)
    assert (rounded.lower, rounded.upper) == (1.0, 1.0 + 1e-15)
    assert Step(1, 1.0, 2.0, 0.0).width == 0.5
    for ends in ((2.0, 1.0), (1e-300, -1e-300), (np.nan, 1.0), (np.inf, 1.0)):
        assert Step(1, *ends, 0.0).lower == -np.inf
        assert Step(1, *ends, 0.0).upper == np.inf

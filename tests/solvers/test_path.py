"""A path gives what its problems give alone, for less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.formulations.errors import ParameterError, SolverError
from cvxkernel.solvers import path as paths
from cvxkernel.solvers import solve
from cvxkernel.solvers.path import path
from cvxkernel.validation.instances import instance, sample

SWEPT = (
    ("ye2008-thm2.2", "lam", 1e-5, 1.0),
    ("ye2008-eq29", "lam", 1.0, 1e-4),
    ("lanckriet2004-sm1", "C", 0.01, 10.0),
    ("luss2007", "rho", 0.01, 10.0),
    ("luss2007", "C", 0.1, 10.0),
    ("chen2009-eq7", "gamma", 0.01, 1.0),
    ("chen2009-eq7-dual", "eta", 0.01, 1.0),
    ("chen2009-eq12", "gamma", 0.01, 1.0),
    ("tang2009-eq11", "beta", 0.1, 1.4),
    ("kim2006", "lam", 1e-3, 1.0),
)


@pytest.mark.parametrize(("id", "key", "first", "last"), SWEPT)
def test_a_path_meets_its_problems_solved_alone(id, key, first, last):
    problem = CATALOGUE[id].make(sample(id, 12, 3))
    values = np.geomspace(first, last, 5).tolist()
    along = list(path(id, problem, key, values))
    assert len(along) == len(values)
    for value, solution in zip(values, along, strict=True):
        alone = solve(id, replace(problem, **{key: value}))
        assert solution.width <= 1e-6
        assert solution.enclosure.meets(alone.enclosure)


@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
def test_a_path_takes_fewer_factorizations(kind):
    id = "ye2008-thm3.2"
    problem = CATALOGUE[id].make(instance(40, 6, 3, kind=kind))
    values = np.geomspace(1e-5, 1.0, 30).tolist()
    along = sum(s.iterations for s in path(id, problem, "lam", values))
    alone = sum(solve(id, replace(problem, lam=value)).iterations for value in values)
    assert along <= 0.75 * alone


def test_values_may_repeat_and_fall():
    problem = CATALOGUE["ye2008-thm2.2"].make(sample("ye2008-thm2.2", 12, 3))
    found = list(path("ye2008-thm2.2", problem, "lam", [1.0, 1.0, 0.1, 1.0, 1e-6, 1e4]))
    assert found[0].enclosure.meets(found[3].enclosure)
    assert all(s.width <= 1e-6 for s in found)


def test_solutions_come_in_the_order_given_whatever_it_is():
    id = "lanckriet2004-sm1"
    problem = CATALOGUE[id].make(sample(id, 12, 3))
    values = [3.0, 0.1, 3.0, 0.2, 0.4, 0.8, 1e-3, 1.6]
    for value, solution in zip(values, path(id, problem, "C", values), strict=True):
        alone = solve(id, replace(problem, C=value))
        assert solution.width <= 1e-6
        assert solution.enclosure.meets(alone.enclosure)
    (only,) = path(id, problem, "C", [3.0])
    assert only.enclosure.meets(solve(id, replace(problem, C=3.0)).enclosure)


def test_who_fails_fails_at_its_own_place(monkeypatch):
    id, started = "ye2008-thm2.2", []

    def fails_at_a_tenth(id, made, *, start, **options):
        started.append(start)
        if made.lam == 0.1:
            raise SolverError(id, {"newton": "asked to"})
        return solve(id, made, start=start, **options)

    monkeypatch.setattr(paths, "solve", fails_at_a_tenth)
    problem = CATALOGUE[id].make(sample(id, 12, 3))
    found = path(id, problem, "lam", [1.0, 0.5, 0.1, 0.05])
    assert [next(found).width <= 1e-6 for _ in range(2)] == [True, True]
    with pytest.raises(SolverError, match="asked to"):
        next(found)
    assert started[0] is None
    assert set(started[1]) == set(CATALOGUE[id].symbols)


LINE = {"theta": np.array([1.0, 2.0]), "t": np.array(3.0)}
SLOPE = {"theta": np.array([0.5, -1.0]), "t": np.array(2.0)}


@pytest.mark.parametrize(
    ("values", "along"),
    [
        ((1.0, 2.0, 4.0, 8.0), lambda x: x),
        ((8.0, 4.0, 2.0, 1.0), lambda x: x),
        ((1.0, 2.0, 4.0, 8.0), lambda x: 1 / x),
        ((0.1, 3.0, 2.0, 2.5), lambda x: 1 / x),
    ],
)
def test_a_line_in_the_number_or_in_its_reciprocal_is_followed(values, along):
    points = [{symbol: LINE[symbol] + along(x) * SLOPE[symbol] for symbol in LINE} for x in values]
    ahead = paths._ahead(list(zip(values[:3], points[:3], strict=True)), values[3])
    for symbol, point in points[3].items():
        assert ahead[symbol] == pytest.approx(point, rel=1e-12)


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ((1.0, 1.0, 2.0, 3.0), None),  # the same twice
        ((1.0, 2.0, 2.0, 3.0), None),
        ((1.0, 2.0, 2.1, 9.0), None),  # far away
        ((0.0, 1.0, 2.0, 3.0), None),  # no reciprocal
        ((1.0, 2.0, 3.0, 4.0), "theta"),  # that one of them did not have
    ],
)
def test_elsewhere_the_last_point_is_where_to_start(values, missing):
    points = [{symbol: LINE[symbol] + x * SLOPE[symbol] for symbol in LINE} for x in values]
    points[0].pop(missing, None)
    ahead = paths._ahead(list(zip(values[:3], points[:3], strict=True)), values[3])
    assert (ahead["theta"] == points[2]["theta"]).all()


def test_a_start_may_be_far_off_but_not_of_another_shape():
    problem = CATALOGUE["ye2008-thm2.2"].make(sample("ye2008-thm2.2", 12, 3))
    cold = solve("ye2008-thm2.2", problem)
    for theta in (np.zeros(3), np.array([-1.0, 1e30, 1e-30]), cold.variables["theta"]):
        found = solve("ye2008-thm2.2", problem, start={"theta": theta})
        assert found.enclosure.meets(cold.enclosure)
    assert found.iterations < cold.iterations
    with pytest.raises(InputError, match="theta"):
        solve("ye2008-thm2.2", problem, start={"theta": np.ones(4)})


def test_what_cannot_be_followed_is_refused_before_anything_is_solved():
    problem = CATALOGUE["ye2008-thm2.2"].make(sample("ye2008-thm2.2", 12, 3))
    with pytest.raises(InputError, match="one of lam"):
        list(path("ye2008-thm2.2", problem, "C", [1.0]))
    told = []
    with pytest.raises(ParameterError, match="lam"):
        list(path("ye2008-thm2.2", problem, "lam", [1.0, -1.0], progress=told.append))
    assert not told


def test_the_command_line_follows_a_key_that_the_file_need_not_have(tmp_path, run):
    data = sample("ye2008-thm2.2", 12, 3)
    del data["lam"]
    file = tmp_path / "problem.npz"
    np.savez(file, **data)
    done = run("path", "ye2008-thm2.2", file, "--along", "lam", "--values", "1e-3:1:3")
    assert done.status == 0, done.err
    assert done.out.count("newton") == 3
    for values in ("1:2", "a,b", "0:1:3", ""):
        failed = run("path", "ye2008-thm2.2", file, "--along", "lam", "--values", values)
        assert failed.status == 2
        assert failed.err.startswith("cvxkernel: values: ")
    assert run("path", "ye2008-eq41", file, "--along", "lam", "--values", "1").status == 2

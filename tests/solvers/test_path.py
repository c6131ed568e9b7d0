"""A path gives what its problems give alone, for less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.formulations.errors import ParameterError
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

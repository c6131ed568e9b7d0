"""The benchmark measures the same enclosures, and records what does not finish."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers import PANEL, solve
from cvxkernel.validation.bench import TABLE_16, Limits, Size, measure
from cvxkernel.validation.instances import sample

SIZE = Size(n=16, p=3, k=3)


def test_a_route_is_measured_in_a_process_of_its_own():
    row = measure("ye2008-thm3.3", "column_generation", SIZE, tol=1e-6, limits=Limits(seconds=120))
    here = solve(row.id, CATALOGUE[row.id].make(SIZE.data()))
    assert row.failure is None
    assert (row.width, row.iterations) == (here.width, here.iterations)
    assert row.megabytes > 0


def test_a_route_that_takes_too_long_is_ended_and_recorded():
    row = measure("ye2008-thm3.1", "SCS", SIZE, tol=1e-6, limits=Limits(seconds=0.01))
    assert row.seconds is None
    assert row.failure == "not within 0.01 s"


def test_a_route_that_cannot_answer_says_why():
    row = measure("ye2008-thm3.2", "CLARABEL", SIZE, tol=1e-30, limits=Limits(seconds=120))
    assert row.seconds is None
    assert "above 1.0e-30" in row.failure


def test_the_routes_are_the_programs_of_table_16():
    assert [CATALOGUE[id].kind for id in TABLE_16] == ["SILP", "QCQP", "SDP"]


def test_a_race_times_every_route_to_one_problem_file(tmp_path, run, monkeypatch):
    panel = {name: PANEL[name] for name in ("SCS", "CLARABEL")}  # a process for each
    monkeypatch.setattr("cvxkernel.validation.bench.routes.PANEL", panel)
    path = tmp_path / "problem.npz"
    np.savez(path, **sample("kundu2010-alg1", 9, 2))
    done = run("race", "kundu2010-alg1", path, "--json", "--limit", "60")
    assert done.status == 0, done.err
    rows = {row["solver"]: row for row in done.json["rows"]}
    assert set(rows) == {"mirror_descent", *panel}
    for name in ("mirror_descent", "SCS"):
        assert rows[name]["width"] <= 1e-2
        assert rows[name]["seconds"] > 0
    assert run("race", "kundu2010-alg1", tmp_path / "nowhere.npz").status == 2

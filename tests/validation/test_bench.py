"""The benchmark measures the same enclosures, and records what does not finish."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers import PANEL, solve
from cvxkernel.validation.bench import (
    GROUPS,
    TABLE_16,
    Labels,
    Limits,
    Size,
    Target,
    growth,
    measure,
    suites,
)
from cvxkernel.validation.bench.targets import path_and_cold, worst
from cvxkernel.validation.bench.unproved import unproved
from cvxkernel.validation.instances import sample

SIZE = Size(n=16, p=3, k=3)


def test_a_route_is_measured_in_a_process_of_its_own():
    row = measure("ye2008-thm3.3", "column_generation", SIZE, tol=1e-6, limits=Limits(seconds=120))
    here = solve(row.id, CATALOGUE[row.id].make(SIZE.data()), solver=row.solver)
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
    assert set(rows) == {"response_ascent", "mirror_descent", "mirror_descent-paper", *panel}
    for name in ("mirror_descent", "SCS"):
        assert rows[name]["width"] <= 1e-2
        assert rows[name]["seconds"] > 0
    assert run("race", "kundu2010-alg1", tmp_path / "nowhere.npz").status == 2


def test_growth_is_the_slope_at_the_three_largest_sizes():
    sizes = [10, 20, 40, 80]
    assert growth(sizes, [9.0, 4.0, 32.0, 256.0]) == pytest.approx(3.0)
    assert growth(sizes[:2], [1.0, 2.0]) is None


def test_a_sweep_asks_no_more_who_has_failed_and_counts_its_units(run, monkeypatch):
    monkeypatch.setattr("cvxkernel.validation.bench.routes.PANEL", {"SCS": PANEL["SCS"]})
    sizes = ([(12, 2, 2), (16, 2, 2)], ("lanckriet2004",))
    monkeypatch.setitem(suites.SWEEPS, "n", sizes)
    done = run("bench", "n", "--json", "--tol", "1e-8", "--threads", "2")
    assert done.status == 0, done.err
    assert done.json["threads"] == 2
    rows = [row["measurement"] | {"n": row["n"]} for row in done.json["rows"]]
    assert [row["n"] for row in rows if row["solver"] == "newton"] == [12, 16]
    for row in rows:
        if row["failure"] is None:
            assert row["width"] <= 1e-8
            assert row["unit"] == "SVM"
            assert min(row["one"], row["read"], row["seconds"], row["megabytes"]) > 0
    monkeypatch.setitem(suites.SWEEPS, "n", sizes)
    nobody = run("bench", "n", "--json", "--tol", "1e-30", "--limit", "20")
    assert [row["n"] for row in nobody.json["rows"]] == [12, 12]  # each was asked once
    assert "above 1.0e-30" in nobody.json["rows"][0]["measurement"]["failure"]


@pytest.mark.parametrize("along", [Target("x", 3.0, at_most=2.0), Target("x", None)])
def test_a_target_that_is_missed_or_not_measured_is_not_met(along):
    assert not along.met
    assert Target("x", 3.0, at_least=2.0).met
    assert Target("x", 1.0, at_most=2.0).met


def test_a_path_is_timed_beside_cold_solves(monkeypatch):
    values = np.geomspace(1e-5, 1.0, 30).tolist()
    found = path_and_cold("ye2008-thm3.2", "lam", values, Size(14, 3, 3), shared=True)
    (along,), (cold,) = next(found).values(), next(found).values()
    assert along[1] < cold[1]  # iterations


def test_what_the_bench_does_not_know_is_refused(run, monkeypatch):
    assert run("bench", "q").status == 2
    assert run("bench", "n", "--family", "ye2009").status == 2
    monkeypatch.setattr("cvxkernel.validation.bench.mklpy.find_spec", lambda name: None)
    absent = run("bench", "peers")
    assert absent.status == 2
    assert "MKLpy" in absent.err


def test_labels_are_counted_in_the_machines_of_all_of_them():
    made = [Labels(20, 3, 2, kind, beta=0.5) for kind in ("gaussian", "random")]
    found = worst("", "tang2009-eq11", made, Limits(seconds=60), at_most=1e9)
    assert found.met
    assert "one machine of every label" in found.told
    cut = worst("", "tang2009-eq11", made, Limits(seconds=0.01), at_most=1e9)
    assert cut.ratio is None
    assert not cut.met


def test_targets_may_be_asked_for_by_group(run, monkeypatch):
    monkeypatch.setitem(GROUPS, "paths", lambda limits: iter([Target("a path", 0.3, at_most=0.4)]))
    done = run("bench", "targets", "--family", "paths", "--json")
    assert done.status == 0, done.err
    assert [row["what"] for row in done.json["rows"]] == ["a path"]
    assert run("bench", "targets", "--family", "ye2009").status == 2


@pytest.mark.parametrize("id", [id for id, form in CATALOGUE.items() if not form.fixed])
def test_without_radii_the_same_bounds_have_nearly_the_same_ends(id):
    # The measurement replaces operations of the arithmetic by name: each of them is still there.
    form = CATALOGUE[id]
    problem = form.make(sample(id, 8, 2))
    proved = form.enclose(problem, {})
    with unproved():
        plain = form.enclose(problem, {})
    assert (plain.lower, plain.upper) == pytest.approx((proved.lower, proved.upper), rel=1e-9)
    assert (plain.lower, plain.upper) != (proved.lower, proved.upper)

"""Export, a solver elsewhere, check: no hand in between."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest
import scs

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers.export.conic_form import conic_form
from cvxkernel.validation.instances import sample

ID = "ye2008-thm2.1"
CSDP = shutil.which("csdp")


@pytest.fixture
def exported(run, tmp_path):
    """`exported(id)`: the problem file, and the program in SDPA's format beside it."""

    def get(id=ID, n=8, **given):
        np.savez(tmp_path / "problem.npz", **{**sample(id, n, 2), **given})
        out = tmp_path / "program.dat-s"
        done = run("export", id, tmp_path / "problem.npz", "--format", "sdpa", "--out", out)
        assert done.status == 0
        assert done.out.split() == [str(out), str(tmp_path / "program.map.json")]
        return tmp_path / "problem.npz", out

    return get


needs_csdp = pytest.mark.skipif(CSDP is None, reason="csdp is not installed (coinor-csdp)")
# Every finite program; algorithms have that of a theorem or an equation.
FINITE = [
    id
    for id, form in CATALOGUE.items()
    if form.kind not in ("SILP", "nonconvex") and "-alg" not in id
]
# Their numbers are far apart, and csdp does not scale: it says that it fails.
BEYOND_CSDP = {"ye2008-thm2.2", "ye2008-thm3.2", "chen2009-eq8-qcqp"}


@needs_csdp
@pytest.mark.parametrize("id", FINITE)
def test_csdp_solves_what_was_exported(id, run, exported):
    problem, program = exported(id, n=5)
    solution = program.with_suffix(".sol")
    solved = subprocess.run([CSDP, program, solution], check=False, capture_output=True)
    done = run("check", id, problem, solution, "--tol", "1e-6", "--json")
    assert (solved.returncode != 0) == (done.status == 1) == (id in BEYOND_CSDP), done
    if id == ID:  # a solution of another problem is not one of this
        np.savez(problem, **sample(id, 5, 2, seed=1))
        assert run("check", id, problem, solution, "--tol", "1e-6", "--json").status == 1


@needs_csdp
def test_where_csdp_fails_its_answer_is_refused(run, exported):
    id = "ye2008-thm2.2"
    problem, program = exported(id, lam=5e-4)
    solution = program.with_suffix(".sol")
    assert subprocess.run([CSDP, program, solution], capture_output=True).returncode != 0
    done = run("check", id, problem, solution, "--tol", "1e-6", "--json")
    assert done.status == 1
    sides = json.loads(done.out)["sides"]
    assert min(side["relative"][0] for side in sides.values()) > 0.1


@pytest.mark.parametrize("id", [ID, "ye2008-thm3.2", "chen2009-eq12", "rakotomamonjy2008"])
def test_x_and_y_of_scs_are_read_through_the_map(id, run, exported, tmp_path):
    problem, program = exported(id, lam=1.0)
    form = CATALOGUE[id]
    made = conic_form(form, form.make(dict(np.load(problem))))
    cones = made.map.cones
    cone = {"z": cones.zero, "l": cones.nonnegative}
    cone |= {"q": list(cones.second_order), "s": list(cones.semidefinite)}
    data = {"A": made.A, "b": made.b, "c": made.c}
    options = {"eps_abs": 1e-11, "eps_rel": 1e-11, "max_iters": 100_000, "verbose": False}
    found = scs.solve(data, cone, **options)
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({key: found[key].tolist() for key in "xy"}))
    map = program.with_suffix(".map.json")
    done = run("check", id, problem, answer, "--map", map, "--tol", "1e-6", "--json")
    assert done.status == 0, done.out + done.err


HOSTILE = {
    "": "an empty file",
    "1 2\n": "3 numbers in its first line; came 2",
    "1 2 a\n": "could not convert",
    "1 2 nan\n": "came nan at [2]",
    "1 2 3\n1 1 1\n": "a line cut short",
    "1 2 3\n3 1 1 1 0.5\n": "came matrix 3, block 1",
    "1 2 3\n2 7 1 1 0.5\n": "came matrix 2, block 7",
    "1 2 3\n2 1 1 99 0.5\n": "came 1, 99",
    "1 2 3\n2 1 1.5 2 0.5\n": "whole numbers for matrix, block, i and j",
    "1 2 3\n2 2 1 1 inf\n": "y: expected",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_file_that_is_no_solution_is_told_in_a_line(text, run, exported):
    problem, program = exported()
    solution = program.with_suffix(".sol")
    solution.write_text(text)
    done = run("check", ID, problem, solution)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert HOSTILE[text] in done.err


def test_a_map_that_is_none_of_this_problem_is_told_in_a_line(run, exported, tmp_path):
    problem, program = exported()
    solution, map = program.with_suffix(".sol"), program.with_suffix(".map.json")
    solution.write_text("1 2 3\n")
    text = map.read_text()
    for wrong, line in {
        text.replace(ID, "ye2008-eq41"): "map: expected that of ye2008-thm2.1; came that of ye2008",
        text.replace('"length": 3', '"length": 2'): "a place beyond its 2",
        text.replace('"length": 3', '"length": -1'): "-1 for a size",
        text.replace('"symbols"', '"symbol"'): "one without 'symbols'",
        text.replace('"lmi"', '"LMI"'): "map: expected that of ye2008-thm2.1 for this problem",
        text.replace('"at": [1, 2]', '"at": [1, 2, 0]'): "do not match",
        "[]": "program.map.json: expected",
    }.items():
        assert wrong != text
        map.write_text(wrong)
        done = run("check", ID, problem, solution)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), done.err
        assert line in done.err
    map.unlink()
    assert "(--map FILE); came nothing there" in run("check", ID, problem, solution).err
    map.write_text(text)
    np.savez(problem, **sample(ID, 9, 3))
    assert "for this problem; came one of" in run("check", ID, problem, solution).err
    (tmp_path / "answer.json").write_text('{"theta": [1, 2]}')
    done = run("check", ID, problem, tmp_path / "answer.json", "--map", map)
    assert done.err == "cvxkernel: x: expected x and y, the solver's; came theta\n"

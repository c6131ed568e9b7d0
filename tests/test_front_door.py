"""What `import cvxkernel` gives, and how objects show themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations import CATALOGUE, InputError, SolverError
from cvxkernel.validation.instances import sample

ID = "ye2008-thm2.2"


@pytest.fixture
def data():
    return sample(ID, 8, 2)


def test_importing_it_imports_nothing():
    heavy = ["cvxpy", "numpy", "scipy", "flint", "sklearn", "rich", "typer"]
    code = f"import cvxkernel, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there():
    assert set(cvxkernel.__all__) <= set(dir(cvxkernel))
    for name in cvxkernel.__all__:
        assert getattr(cvxkernel, name) is not None
    with pytest.raises(AttributeError, match="No cvxkernel attribute solv"):
        _ = cvxkernel.solv
    assert cvxkernel.catalogue().keys() == CATALOGUE.keys()


def test_a_mapping_keywords_a_file_and_a_problem_are_one(data, tmp_path):
    np.savez(tmp_path / "problem.npz", **data)
    wanted = {key: data[key] for key in CATALOGUE[ID].keys}
    made = cvxkernel.problem(ID, data)
    solutions = [
        cvxkernel.solve(ID, data),
        cvxkernel.solve(ID, **wanted),
        cvxkernel.solve(ID, tmp_path / "problem.npz"),
        cvxkernel.solve(ID, made),
    ]
    assert len({(s.lower, s.upper) for s in solutions}) == 1
    assert cvxkernel.solve(ID, data, rigorous=True).rigorous
    for answer in (solutions[0], dict(solutions[0].variables)):
        assert cvxkernel.check(ID, data, answer).within()
    assert cvxkernel.check(ID, made, theta=solutions[0].variables["theta"]).within(1e-6)


def test_what_is_wrong_is_said_by_key(data):
    with pytest.raises(InputError, match=r"^lamda: expected one of the keys"):
        cvxkernel.problem(ID, data, lamda=1.0)
    with pytest.raises(InputError, match=r"^lam: expected a problem, or keywords; came both"):
        cvxkernel.problem(ID, cvxkernel.problem(ID, data), lam=1.0)
    with pytest.raises(InputError, match=r"^problem: expected a mapping, a file .*; came int"):
        cvxkernel.problem(ID, 3)
    with pytest.raises(InputError, match=r"^answer: expected a mapping"):
        cvxkernel.check(ID, data, 3.0)
    with pytest.raises(SolverError):
        cvxkernel.solve(ID, data, tol=1e-90)


def test_verbose_tells_nothing_of_what_is_quick(data, capsys):
    cvxkernel.solve(ID, data, verbose=True)
    assert capsys.readouterr() == ("", "")


def test_objects_show_themselves(data):
    made = cvxkernel.problem(ID, data)
    solution = cvxkernel.solve(ID, made)
    wrong = cvxkernel.check(ID, made, theta=np.array([1.0, 3.0]))
    program = made.thm2_2()
    for shows, words in (
        (made, ["kernels", "2×8×8, from", "lam"]),
        (solution, [ID, "relative width", "theta", "newton"]),
        (wrong, ["not within 1e-06", "optimum", "explained by"]),
        (program, ["maximize", "beta", "quad"]),
    ):
        assert "\n" not in repr(shows)
        assert len(repr(shows)) < 300
        text, page = str(shows), shows._repr_html_()
        for word in words:
            assert word in text
            assert word in page
        assert page.startswith("<table>")


@pytest.mark.parametrize("id", CATALOGUE)
def test_every_problem_and_program_shows_itself(id):
    form = CATALOGUE[id]
    made = form.make(sample(id, 6, 2))
    assert type(made).__name__ in repr(made)
    assert all(len(line) < 1000 for line in str(made).splitlines())
    if form.kind not in ("SILP", "nonconvex"):
        program = form.program(made)
        assert all(label in str(program) for label in program.constraints)


def test_show_list_and_version_on_the_command_line(run):
    assert run("--version").out.strip() == f"cvxkernel {cvxkernel.__version__}"
    for id in ("ye2008-thm2.2", "kundu2010-alg1", "chen2009-eq12"):
        told = run("show", id).out
        assert all(key in told for key in CATALOGUE[id].keys)
        assert all(symbol in told for symbol in CATALOGUE[id].symbols)
    few = run("list", "--paper", "tang2009", "--json").json["formulations"]
    assert {row["paper"] for row in few} == {"tang2009"}
    kinds = run("list", "--kind", "SDP", "--json").json["formulations"]
    assert {row["class"] for row in kinds} == {"SDP"}
    rows = run("list").out.splitlines()
    assert all(sum(id in row.split() for row in rows) == 1 for id in CATALOGUE)
    wrong = run("list", "--paper", "nobody")
    assert wrong.status == 2
    assert "one of ye2008" in wrong.err


def test_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[1] / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 3
    exec(compile("\n".join(blocks), "README.md", "exec"), {})
    assert "Solution of ye2008-thm2.2" in capsys.readouterr().out

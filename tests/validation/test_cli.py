"""The command line: contract, exit status, one line on stderr."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers import METHODS, PANEL, promise
from cvxkernel.solvers.panel import Member
from cvxkernel.validation import instance
from cvxkernel.validation.instances import sample

KINDS = ["gaussian", "random"]
COMMAND = [sys.executable, "-c", "from cvxkernel.validation.cli import main; main()"]


@pytest.fixture(scope="session")
def problems(tmp_path_factory):
    """A problem file of each kind, for two and for three classes."""
    folder = tmp_path_factory.mktemp("problems")
    paths = {}
    for kind in KINDS:
        for k in (2, 3):
            paths[kind, k] = folder / f"{kind}{k}.npz"
            np.savez(paths[kind, k], **instance(16, 4, k, kind=kind, seed=6))
    return paths


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", CATALOGUE)
def test_solve_answers_every_id_within_what_it_promises(id, kind, tmp_path, run, contract):
    data = sample(id, 16, 4, kind=kind, seed=6)
    np.savez(tmp_path / "problem.npz", **data)
    status, out, err = done = run("solve", id, tmp_path / "problem.npz", "--json")
    assert status == 0, err
    answer = done.json
    convex = CATALOGUE[id].kind != "nonconvex"
    assert tuple(answer) == (contract if convex else (*contract, "promises"))
    assert answer["formulation"] == id
    width = promise(id)  # 1e-6 but for what is of first order, or promises nothing
    if width is None:
        assert "stopped" in answer["status"]
    else:
        assert answer["status"] == ("optimal" if convex else "optimal at the gating")
    assert answer["rigorous"] is ("open" not in answer or answer["open"] is None)
    assert answer["lower"] <= answer["value"] <= answer["upper"]
    assert width is None or answer["upper"] - answer["lower"] <= width * abs(answer["upper"])
    assert answer["seconds"] >= 0
    assert answer["solver"] in {*PANEL, *METHODS}
    assert out.count("\n") == 1
    # What it prints is enough to enclose the optimum again.
    problem = CATALOGUE[id].make(data)
    again = CATALOGUE[id].enclose(problem, {k: np.array(v) for k, v in answer["variables"].items()})
    assert again.lower <= answer["upper"]
    assert again.upper >= answer["lower"]


def test_the_variables_carry_the_papers_symbols(problems, run):
    expected = {
        "ye2008-thm2.1": ({"theta": (4,), "t": ()}),
        "ye2008-thm2.2": ({"beta": (16,), "t": ()}),
        "ye2008-thm2.3": ({"theta": (4,), "gamma": ()}),
        "ye2008-eq29": ({"theta": (4,), "t": (3,)}),
        "ye2008-eq29-single": ({"theta": (4,), "T": (3, 3)}),
        "ye2008-eq46": ({"beta": (16, 3), "t": ()}),
        "ye2008-eq47": ({"theta": (5,), "gamma": ()}),
        "kim2006": ({"theta": (4,), "t": ()}),
        "lanckriet2004-sm1": ({"alpha": (16,), "t": ()}),
    }
    for id, symbols in expected.items():
        classes = 3 if id.startswith("ye2008") and not CATALOGUE[id].binary else 2
        variables = run("solve", id, problems["random", classes], "--json").json["variables"]
        for symbol, shape in symbols.items():
            assert np.shape(variables[symbol]) == shape, (id, symbol)


def test_the_value_is_the_papers_objective_at_the_printed_point(problems, run):
    data = instance(16, 4, 2, kind="random", seed=6)
    K, y = data["kernels"], data["y"]
    found = run("solve", "lanckriet2004-sm1", problems["random", 2], "--json").json
    alpha, t = np.array(found["variables"]["alpha"]), found["variables"]["t"]
    r = np.trace(K, axis1=1, axis2=2)
    forms = [(alpha * y) @ K_i @ (alpha * y) / r_i for K_i, r_i in zip(K, r, strict=True)]
    assert max(forms) == pytest.approx(t, rel=1e-9)
    assert 2 * alpha.sum() - r.sum() * t == pytest.approx(found["value"], rel=1e-9)
    assert abs(alpha @ y) < 1e-9
    assert alpha.min() >= 0
    assert alpha.max() <= 1

    found = run("solve", "ye2008-thm2.2", problems["random", 2], "--json").json
    beta, t = np.array(found["variables"]["beta"]), found["variables"]["t"]
    problem = CATALOGUE["ye2008-thm2.2"].make(data)
    forms = [beta @ G @ beta / r_i for G, r_i in zip(problem.G, problem.r, strict=True)]
    assert max(forms) == pytest.approx(t, rel=1e-8)
    objective = -beta @ beta / 4 + beta @ problem.a[:, 0] - t / (4 * problem.lam)
    assert objective == pytest.approx(found["value"], rel=1e-8)


def test_a_table_for_people(problems, run):
    status, out, err = run("solve", "ye2008-thm2.3", problems["random", 2])
    assert status == 0, err
    for word in ("value", "lower", "upper", "relative width", "theta", "newton"):
        assert word in out


def test_history_on_request(problems, run):
    done = run("solve", "ye2008-thm2.3", problems["random", 2], "--json", "--history")
    steps = done.json["history"]
    assert len(steps) == done.json["iterations"]
    assert set(steps[0]) == {"iteration", "lower", "upper", "seconds"}


def test_a_solver_by_name(problems, run):
    done = run("solve", "ye2008-thm2.2", problems["random", 2], "--json", "--solver", "scs")
    assert done.json["solver"] == "SCS"


# -- Bad input: exit 2 ----------------------------------------------------------------------------


def one_line(done, *, status, key):
    assert done.status == status
    assert done.out == ""
    # A progress line may precede what is said after more than a second of work, which is not input.
    *progress, line = done.err.splitlines()
    assert not progress or status == 3
    assert line.startswith(f"cvxkernel: {key}")
    assert "Traceback" not in done.err


def test_an_unknown_id_names_the_nearest(problems, run):
    done = run("solve", "ye2008-thm22", problems["random", 2])
    one_line(done, status=2, key="ID")
    assert "ye2008-thm2.2" in done.err


def test_an_unknown_id_is_told_before_the_file_is_read(tmp_path, run):
    one_line(run("solve", "kim2005", tmp_path / "nowhere.npz"), status=2, key="ID")


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"kernels": np.ones((3, 3))}, "kernels"),
        ({"kernels": np.stack([np.eye(16), np.triu(np.ones((16, 16)))])}, "kernels[1]"),
        ({"kernels": np.stack([np.eye(16), np.eye(16) - 0.5])}, "kernels[1]"),
        ({"kernels": np.stack([np.eye(16), 0 * np.eye(16)])}, "kernels[1]"),
        ({"kernels": np.full((1, 16, 16), np.nan)}, "kernels"),
        ({"y": np.ones(16)}, "y"),
        ({"y": np.arange(16) % 3}, "y"),
        ({"y": np.ones(15)}, "y"),
        ({"lam": 0.0}, "lam"),
        ({"lam": np.inf}, "lam"),
    ],
)
def test_bad_data_in_a_good_file(change, key, tmp_path, run):
    path = tmp_path / "bad.npz"
    np.savez(path, **{**instance(16, 2, 2), **change})
    one_line(run("solve", "ye2008-thm2.2", path, "--json"), status=2, key=key)


def test_more_bad_data(tmp_path, run):
    path = tmp_path / "bad.npz"
    np.savez(path, **{**instance(16, 2, 2), "C": -1.0})
    one_line(run("solve", "lanckriet2004-sm1", path), status=2, key="C")
    np.savez(path, **{**instance(16, 2, 2), "y": np.arange(16) % 2})
    one_line(run("solve", "lanckriet2004-sm2c", path), status=2, key="y")


def test_an_unknown_or_unsuitable_solver(problems, run):
    path = problems["random", 2]
    one_line(run("solve", "ye2008-thm2.2", path, "--solver", "simplex"), status=2, key="solver")
    one_line(run("solve", "ye2008-thm2.3", path, "--solver", "scs"), status=2, key="solver")
    done = run("solve", "kim2006", path, "--solver", "column_generation")
    one_line(done, status=2, key="solver")


def test_an_unknown_command_and_a_missing_argument_are_bad_input(run):
    assert run("solv").status == 2
    assert run("solve", "kim2006").status == 2
    assert "Traceback" not in run("solve", "--tol", "abc").err


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not an archive"])
def test_a_bad_file_through_a_real_process(content, tmp_path):
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    done = subprocess.run(
        [*COMMAND, "solve", "ye2008-thm2.1", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("cvxkernel: bad.npz: expected")


def test_an_answer_through_a_real_process(problems, contract):
    done = subprocess.run(
        [*COMMAND, "solve", "ye2008-thm2.2", str(problems["gaussian", 2]), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert tuple(json.loads(done.stdout)) == contract


# -- No solver: exit 3 ----------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["ye2008-thm2.2", "ye2008-thm2.3", "lanckriet2004-sm2"])
def test_a_tolerance_nobody_meets(id, problems, run):
    done = run("solve", id, problems["random", 2], "--tol", "1e-30", "--json")
    one_line(done, status=3, key=id)
    names = ["column_generation"] if id == "ye2008-thm2.3" else list(PANEL)
    for name in names:
        assert f"{name}: " in done.err


@pytest.mark.parametrize("id", ["kundu2010-eq10", "kim2006"])
def test_no_solver_at_all(id, problems, run, monkeypatch):
    """Ids that have a method of their own, without that."""
    for name in PANEL:
        monkeypatch.setitem(PANEL, name, Member(name, "no-such-package", ""))
    done = run("solve", id, problems["random", 2], "--solver", "conic")
    one_line(done, status=3, key=id)
    for name in PANEL:
        assert f"{name}: not installed" in done.err


# -- list, solvers, verify ------------------------------------------------------------------------


def test_list(run):
    rows = run("list", "--json").json["formulations"]
    assert [row["id"] for row in rows] == list(CATALOGUE)
    for row in rows:
        assert {"id", "class", "paper", "where", "keys", "statement"} <= set(row)
        assert row["class"] in {"QP", "SOCP", "SDP", "QCQP", "SILP", "nonconvex"}
    status, out, _ = run("list")
    assert status == 0
    assert "lanckriet2004" in out


def test_solvers(run):
    rows = {row["solver"]: row for row in run("solvers", "--json").json["solvers"]}
    assert set(rows) == set(PANEL)
    assert rows["CLARABEL"]["ready"] is True
    assert rows["CLARABEL"]["why"] is None
    for row in rows.values():
        assert row["ready"] is (row["why"] is None)
    status, out, _ = run("solvers")
    assert status == 0
    assert "CLARABEL" in out

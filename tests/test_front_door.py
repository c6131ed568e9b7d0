"""What `import cvxkernel` gives, and how objects show themselves."""

from __future__ import annotations

import inspect
import io
import json
import os
import pty
import subprocess
import sys
import warnings
from contextlib import suppress
from html import escape
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import cvxkernel
from cvxkernel.formulations import CATALOGUE, InputError, SolverError
from cvxkernel.validation.bench import starts
from cvxkernel.validation.cli import index, plain
from cvxkernel.validation.cli.app import out
from cvxkernel.validation.instances import sample
from cvxkernel.validation.ledger import ERRATA, LEDGER, REMARKS, judge

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


# -- Objects show themselves -----------------------------------------------------------------------


def test_objects_show_themselves(data):
    made = cvxkernel.problem(ID, data)
    solution = cvxkernel.solve(ID, made)
    wrong = cvxkernel.check(ID, made, theta=np.array([1.0, 3.0]))
    claim = next(claim for claim in LEDGER.values() if claim.erratum)
    for shows, words in (
        (made, ["kernels", "2×8×8, from", "lam"]),
        (solution, [ID, "relative width", "theta", "newton", CATALOGUE[ID].statement]),
        (wrong, ["not within 1e-06", "optimum", "explained by", CATALOGUE[ID].statement]),
        (made.thm2_2(), ["maximize    -¼βᵀβ + βᵀa - (1/4λ) t", "beta", "quad"]),
        (CATALOGUE[ID], [ID, "t ≥ (1/rᵢ) βᵀG̃ᵢβ", "kernels, y, lam", "theta (p)"]),
        (claim, [claim.id, claim.statement, claim.quote, claim.correction or ""]),
        (judge(ID), [ID, "holds", LEDGER[ID].statement, "off by, printed"]),
        (ERRATA[claim.erratum], [claim.erratum, ERRATA[claim.erratum].holds]),
        (next(iter(REMARKS.values())), [next(iter(REMARKS.values())).text]),
    ):
        assert "\n" not in repr(shows)
        assert len(repr(shows)) < 300
        text, page = str(shows), shows._repr_html_()
        for word in words:
            assert word in text
            assert escape(word) in page
        assert page.endswith("</table>")
        assert "<pre class='maths'" in page or not shows.mathematics()


def test_every_claim_erratum_and_remark_shows_itself():
    for one in (*LEDGER.values(), *ERRATA.values(), *REMARKS.values()):
        assert one.id in repr(one)
        assert "\n" not in repr(one)
        assert str(one).startswith(one.headline())


def test_a_failing_assertion_prints_the_judgement(data, tmp_path):
    np.savez(tmp_path / "problem.npz", **data)
    (tmp_path / "test_mine.py").write_text(
        f"import cvxkernel\n\ndef test_mine():\n"
        f"    assert cvxkernel.check({ID!r}, 'problem.npz', theta=[1.0, 3.0]).within(1e-6)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"<Judgement of {ID}: not within 1e-06, off by 0." in done.stdout
    assert "violates budget by" in done.stdout


# -- Progress --------------------------------------------------------------------------------------


def test_verbose_tells_nothing_of_what_is_quick(data, capsys):
    cvxkernel.solve(ID, data, verbose=True)
    assert capsys.readouterr() == ("", "")


SLOW = """
import time
from cvxkernel.validation import progress
from cvxkernel.validation.door import _told

progress.PATIENCE = 0.1
with _told(True) as line:
    line("asking somebody")
    time.sleep(1.5)
"""


def test_verbose_shows_progress_in_a_terminal():
    terminal, ours = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=ours, stderr=ours) as process:
        os.close(ours)
        shown = b""
        with suppress(OSError):  # the terminal is closed with the process
            while part := os.read(terminal, 4096):
                shown += part
    os.close(terminal)
    assert process.returncode == 0
    assert b"asking somebody (1 s)" in shown


def test_verbose_shows_progress_in_a_notebook():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SLOW)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the client's own
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    shown = "".join(output.get("text", "") for output in notebook.cells[0].outputs)
    assert "\rasking somebody (1 s)" in shown


@pytest.mark.parametrize("id", CATALOGUE)
def test_every_problem_and_program_shows_itself(id):
    form = CATALOGUE[id]
    made = form.make(sample(id, 6, 2))
    assert type(made).__name__ in repr(made)
    assert all(len(line) < 1000 for line in str(made).splitlines())
    if form.kind not in ("SILP", "nonconvex"):
        program = form.program(made)
        assert all(label in str(program) for label in program.constraints)


# -- The command line ------------------------------------------------------------------------------


def test_the_index_is_what_is_registered():
    anew = "python -m cvxkernel.validation.cli.index"
    assert index.read() == json.loads(json.dumps(index.made())), f"to write it anew: {anew}"
    pages = {row["page"] for row in index.read()["formulations"]}
    assert all((Path(__file__).parents[1] / "docs" / f"{page}.md").exists() for page in pages)


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("list",), ("show", ID), ("solve", "--help")]
)
def test_what_needs_no_solver_imports_none(arguments):
    code = (
        "import sys; from cvxkernel.validation.cli import command; command();"
        "print([m for m in ('cvxpy', 'numpy', 'rich.console', 'flint') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_how_soon_it_answers_is_measured():
    rows = {row.what: row for row in starts(runs=1)}
    assert rows["import cvxpy"].ratio == 1.0
    assert rows["import cvxpy"].met is None
    assert {"cvxkernel --help", "cvxkernel --version", "cvxkernel list"} < set(rows)
    assert all(row.met == (row.ratio <= 0.25) for row in rows.values() if row.at_most is not None)


def test_a_shell_is_told_what_it_may_offer():
    def offered(*words):
        code = "from cvxkernel.validation.cli import main; main()"
        asked = {"_CVXKERNEL_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words)}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **asked, "COMP_CWORD": str(len(words) - 1)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.split()

    assert offered("cvxkernel", "so") == ["solve", "solvers"]
    assert offered("cvxkernel", "show", "ye2008-thm2") == [f"ye2008-thm2.{i}" for i in (1, 2, 3)]
    assert offered("cvxkernel", "list", "--kind", "S") == ["SDP", "SILP", "SOCP"]
    assert offered("cvxkernel", "solve", ID, "x.npz", "--solver", "n") == ["newton"]
    assert offered("cvxkernel", "verify", "--paper", "k") == ["kundu2010"]


def given(monkeypatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


def test_standard_input_is_a_file(data, tmp_path, run, monkeypatch):
    np.savez(tmp_path / "p.npz", **data)
    savemat(tmp_path / "p.mat", data)
    plain = {key: np.asarray(value).tolist() for key, value in data.items()}
    (tmp_path / "p.json").write_text(json.dumps(plain))
    answers = set()
    for name in ("p.npz", "p.mat", "p.json"):
        given(monkeypatch, (tmp_path / name).read_bytes())
        done = run("solve", ID, "-", "--json")
        assert done.status == 0
        answers.add(done.json["value"])
    assert len(answers) == 1
    given(monkeypatch, done.out.encode())
    assert run("check", ID, tmp_path / "p.npz", "-").status == 0
    for came, words in ((b"", "an empty file"), (b"\x80\x04", "a pickle"), (b"[]", "a list")):
        given(monkeypatch, came)
        refused = run("solve", ID, "-")
        assert refused.status == 2
        assert words in refused.err
    assert "where PROBLEM is standard input" in run("check", ID, "-", "-").err
    monkeypatch.setattr(sys, "stdin", None)
    assert "came none" in run("solve", ID, "-").err


def test_a_terminal_without_greek_letters():
    for encoding in ("ascii", "latin-1"):
        code = "import sys; from cvxkernel.validation.cli import command; sys.exit(command())"
        done = subprocess.run(
            [sys.executable, "-c", code, "show", "ye2008-thm2.1"],
            env={**os.environ, "PYTHONIOENCODING": encoding},
            capture_output=True, check=True,
        )  # fmt: skip
        told = done.stdout.decode(encoding)
        assert "?" not in told
        assert "I + (1/lambda) Sigma_i theta_iG~_i" in told
    spelt = "Σᵢ θᵢᵀG̃² ≥ ½λ …ö".encode("ascii", plain.NAME).decode()
    assert spelt == "Sigma_i theta_i'G~^2 >= 1/2lambda ...o"
    every = {
        c
        for form in CATALOGUE.values()
        for c in form.statement + (inspect.getdoc(form.program) or "")
    }
    every |= {
        c for claim in LEDGER.values() for c in f"{claim.statement}{claim.quote}{claim.correction}"
    }
    assert not [c for c in every if not c.isascii() and not c.isspace() and "?" in plain.letters(c)]


def test_a_narrow_terminal_cuts_lines(monkeypatch, capsys, run):
    monkeypatch.setattr(type(out), "width", 30)
    lines = run("list").out.splitlines()
    assert max(map(len, lines[:43])) == 30
    assert all(line.endswith("…") for line in lines[:15])
    told = run("verify", "--claim", ID).out
    assert "ye2008: 1 claims, 1 holds" in " ".join(told.split())


def test_verify_says_first_how_long_and_how_many(run):
    done = run("verify", "--claim", ID)
    assert done.err.startswith("1 claim, about ")
    assert done.out.startswith("1 claim: 1 holds, 0 imprecise, 0 fails")
    failing = next(claim.id for claim in LEDGER.values() if claim.printed == "fails")
    (row,) = run("verify", "--claim", failing, "--json").json["claims"]
    assert row["worst"] is None or row["worst"] > row["tolerance"]  # of what is printed
    assert row["worst corrected"] <= row["tolerance corrected"]


def test_show_list_and_version_on_the_command_line(run):
    assert run("--version").out.strip() == f"cvxkernel {cvxkernel.__version__}"
    for id, form in CATALOGUE.items():
        told = run("show", id).out
        for words in (
            *form.keys,
            *form.optional,
            *form.symbols,
            form.where,
            *index.formulations()[id]["asked"],
        ):
            assert words in told
        assert all(
            line.strip() in told for line in (inspect.getdoc(form.program) or "").splitlines()
        )
        assert run("show", id, "--json").json["id"] == id
    assert run("show", "chen2009-eq2").out.startswith("luss2007")
    assert "nearest: ye2008-thm2.1" in run("show", "ye2008-thm21").err
    few = run("list", "--paper", "tang2009", "--json").json["formulations"]
    assert {row["paper"] for row in few} == {"tang2009"}
    kinds = run("list", "--kind", "sdp", "--json").json["formulations"]
    assert {row["class"] for row in kinds} == {"SDP"}
    rows = run("list").out.splitlines()
    assert all(sum(id in row.split() for row in rows) == 1 for id in CATALOGUE)
    wrong = run("list", "--paper", "nobody")
    assert wrong.status == 2
    assert "one of ye2008" in wrong.err

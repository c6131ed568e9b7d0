"""Arguments that mean nothing are refused in one line that names them; and how errors end."""

from __future__ import annotations

import errno
import importlib
import json

import numpy as np
import pytest

from cvxkernel.formulations import SolverError
from cvxkernel.validation import cli, rigorous
from cvxkernel.validation.bench import Limits
from cvxkernel.validation.bench.process import alone
from cvxkernel.validation.cli.app import out
from cvxkernel.validation.instances import sample

ID = "ye2008-thm2.2"


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    path = tmp_path_factory.mktemp("arguments") / "problem.npz"
    np.savez(path, **sample(ID, 9, 2))
    return path


def refused(done, key, came=""):
    assert done.status == 2, done
    assert done.out == ""
    assert done.err.startswith(f"cvxkernel: {key}: expected ")
    assert f"; came {came}" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--n", 1), ("--n", -5), ("--n", 10**9), ("--p", 0), ("--k", 1), ("--k", 481)),
        *(("--lam", -1), ("--lam", 0), ("--lam", "inf"), ("--lam", "nan")),
        *(("--tol", 0), ("--tol", -1), ("--tol", "nan"), ("--tol", "inf")),
        *(("--limit", 0), ("--limit", -1), ("--limit", "inf"), ("--limit", 10**9)),
        *(("--memory", 0), ("--memory", "nan"), ("--memory", 10**9)),
        *(("--threads", 0), ("--threads", 10**9), ("--family", "ye2008")),
    ],
)
def test_a_bench_of_nothing(option, value, run):
    refused(run("bench", "table16", option, value), option)


def test_every_bench_refuses_a_tolerance_that_is_none(run):
    for what in ("targets", "n", "p", "k", "programs", "peers"):
        refused(run("bench", what, "--tol", "-1"), "--tol", -1)
    refused(run("bench", "p", "--family", "luss2007"), "--family", "'luss2007'")


@pytest.mark.parametrize("option", ["--tol", "--limit", "--memory", "--threads"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_race_over_no_distance(option, value, problem, run):
    refused(run("race", ID, problem, option, value), option, value)


@pytest.mark.parametrize("command", ["verify", "errata", "gauss4"])
@pytest.mark.parametrize("seed", [-1, 2**40])
def test_a_seed_that_is_none(command, seed, run):
    refused(run(command, "--seed", seed), "--seed", seed)


@pytest.mark.parametrize(
    "values",
    ["1e-5:1:100000000000", "1:2:0", "0:1:3", "nan:1:3", "1:inf:3", "1:2", "1:2:1.5", "", ",", "a"],
)
def test_a_path_of_no_values_or_of_too_many(values, problem, run):
    done = run("path", ID, problem, "--along", "lam", "--values", values)
    refused(done, "values", repr(values))


def test_an_end_of_a_path_out_of_range_is_told_the_range(problem, run):
    done = run("path", ID, problem, "--along", "lam", "--values", "1e-300:1:3")
    refused(done, "values", repr("1e-300:1:3"))
    assert "for both ends a positive number between 1e-100 and 1e+100" in done.err


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_value_that_fails_does_not_take_the_others_along(form, problem, run, monkeypatch):
    steps = importlib.import_module("cvxkernel.solvers.path")
    answers = iter([steps.solve, steps.solve])

    def fails(id, made, **options):
        answer = next(answers, None)
        if answer is None:
            raise SolverError(id, {"nobody": "is there"})
        return answer(id, made, **options)

    monkeypatch.setattr(steps, "solve", fails)
    done = run("path", ID, problem, "--along", "lam", "--values", "0.125,0.25,0.5", *form)
    assert done.status == 3
    assert "nobody: is there" in done.err
    assert "0.125" in done.out
    assert "0.25" in done.out


@pytest.mark.parametrize("value", [True, False])
def test_a_claimed_value_is_a_number(value, problem, tmp_path, run):
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"value": value}))
    refused(run("check", ID, problem, answer), "value", str(value).lower())


def test_claims_and_reports(tmp_path, run):
    refused(run("verify", "--jobs", 0), "--jobs", 0)
    wrong = run("verify", "--paper", "tang2009", "--claim", "ye2008-eq2")
    refused(wrong, "--claim", "'ye2008-eq2', of ye2008")
    # said before anything is computed
    refused(run("verify", "--report", tmp_path), "--report", tmp_path)
    refused(run("verify", "--report", tmp_path / "no" / "x"), "--report", tmp_path)


@pytest.mark.parametrize("digits", [0, 1001])
def test_digits(digits, problem, run):
    refused(run("solve", ID, problem, "--digits", digits), "--digits", digits)


# -- Errors that nobody foresaw -------------------------------------------------------------------


def raising(error):
    def solve(*arguments, **options):
        raise error

    return solve


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("division by zero"), SystemExit(1), np.linalg.LinAlgError("no")]
)
def test_an_unforeseen_error_is_no_failed_claim(error, problem, run, monkeypatch):
    monkeypatch.setattr(rigorous, "answer", raising(error))
    done = run("solve", ID, problem)
    assert done.status == 70
    assert done.err.count("\n") == 1
    assert f"unforeseen {type(error).__name__}: {error}" in done.err
    assert "report" in done.err
    assert cli.TRACEBACK in done.err
    monkeypatch.setenv(cli.TRACEBACK, "1")
    done = run("solve", ID, problem)
    assert done.status == 70
    assert done.err.startswith("Traceback")


def test_memory_that_runs_out_is_no_answer(problem, run, monkeypatch):
    monkeypatch.setattr(rigorous, "answer", raising(MemoryError()))
    done = run("solve", ID, problem)
    assert done.status == 3
    assert done.err.startswith("cvxkernel: memory: expected")


@pytest.mark.parametrize(("name", "command"), [("line", "list"), ("print", "solvers")])
def test_output_that_cannot_be_written(name, command, run, monkeypatch):
    monkeypatch.setattr(out, name, raising(OSError(errno.ENOSPC, "full")))
    done = run(command)
    assert done.status == 74
    assert done.err.startswith("cvxkernel: output: expected")
    monkeypatch.setattr(out, name, raising(BrokenPipeError(errno.EPIPE, "gone")))
    assert run(command) == (74, "", "")


def test_a_route_that_breaks_says_how_and_not_that_memory_was_short():
    found = alone(Limits(seconds=60), map, json.loads, ['{"seconds": 1.0}', "nothing"])
    assert found.pop("failure").startswith("JSONDecodeError: ")
    assert found == {"seconds": 1.0}

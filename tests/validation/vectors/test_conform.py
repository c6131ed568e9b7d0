"""Anybody's program through the vectors, and the plugin of pytest."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cvxkernel.validation.vectors import shipped

PROGRAM = """
import json, sys, time
problem, answer, how = sys.argv[1:]
tests = {{json.dumps(t["problem"], sort_keys=True): t for t in json.load(open({vectors!r}))}}
test = tests[json.dumps(json.load(open(problem)), sort_keys=True)]
good = test["answer"]
if how == "crash":
    sys.exit("out of luck")
if how == "sleep":
    time.sleep(60)
if how == "slip" and test["slips"]:
    good = test["slips"][int(len(test["slips"]) > 2) * 2]["answer"]
if how == "value":
    good = {{"value": good["value"]}}
if how == "alpha":
    good = {{"alpha": [2 * x for x in good["variables"]["alpha"]]}}
if how == "words":
    good = {{"value": "many"}}
json.dump(good, open(answer, "w"))
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answers two tests of chen2009-eq1 from the vectors themselves, in one way or another."""
    import json

    tests = shipped.tests("chen2009-eq1")[:2]
    monkeypatch.setattr(shipped, "tests", lambda id: tests)
    vectors = tmp_path / "vectors.json"
    vectors.write_text(json.dumps(tests), encoding="utf-8")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(vectors=str(vectors)), encoding="utf-8")
    return path


def conform(run, program, how, *options):
    command = (sys.executable, program, "{problem}", "{answer}", how)
    return run("conform", "--id", "chen2009-eq1", *options, "--", *command)


@pytest.mark.parametrize(
    ("how", "outcome", "reason"),
    [
        ("right", "right", ""),
        ("value", "right", ""),
        ("slip", "wrong", "C/n in place of C"),
        ("alpha", "wrong", "α"),
        ("words", "wrong", "value"),
        ("crash", "crashed", "status 1: out of luck"),
    ],
)
def test_outcomes(run, program, how, outcome, reason):
    found = conform(run, program, how, "--json")
    assert found.status == (0 if outcome == "right" else 1)
    told = found.json
    assert told["counts"][outcome] == 2
    assert all(reason in o["reason"] for o in told["outcomes"])


def test_time_runs_out(run, program):
    found = conform(run, program, "sleep", "--timeout", "0.5", "--json")
    assert found.json["counts"]["timed out"] == 2


def test_reports(run, program, tmp_path):
    xml, page = tmp_path / "junit.xml", tmp_path / "page.html"
    found = conform(run, program, "slip", "--junit", xml, "--html", page)
    assert found.status == 1
    assert "2 wrong" in found.out
    suite = ElementTree.parse(xml).getroot()[0]
    assert suite.attrib["failures"] == "2"
    assert "C/n in place of C" in suite[0][0].attrib["message"]
    assert "C/n in place of C" in page.read_text(encoding="utf-8")


def test_commands_that_cannot_be_run(run):
    assert run("conform", "--id", "chen2009-eq1", "--", "true").status == 2
    found = run("conform", "--id", "chen2009-eq1", "--", "not-there", "{problem}", "{answer}")
    assert found.status == 2
    assert "not-there" in found.err
    assert run("conform", "--id", "gonen2008-alg1", "--", "a", "{problem}", "{answer}").status == 2


PLUGGED = """
import numpy as np
import pytest

@pytest.mark.cvxkernel("chen2009-eq3")
def test_right(vector):
    assert isinstance(vector.problem["K"], np.ndarray)
    vector.check(vector.test["answer"]["variables"])
    vector.check(vector.test["answer"]["value"])

@pytest.mark.cvxkernel("chen2009-eq3")
def test_slipped(vector):
    n = len(vector.problem["y"])
    slip = [s for s in vector.test["slips"] if s["flag"] == "eta_double"]
    if not slip:
        pytest.skip("no slips here")
    vector.check(value=slip[0]["answer"]["value"])

def test_without():
    pass
"""


def test_the_plugin_of_pytest(tmp_path):
    import subprocess

    path = tmp_path / "test_mine.py"
    path.write_text(PLUGGED, encoding="utf-8")
    options = [
        "-p",
        "cvxkernel.validation.vectors.plugin",
        "--strict-markers",
        "-p",
        "no:cacheprovider",
    ]
    command = [sys.executable, "-m", "pytest", "-q", *options, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    count = len(shipped.tests("chen2009-eq3"))
    assert f"{count + 1} passed" in found.stdout, found.stdout
    assert "wrong: 2η in place of η" in found.stdout
    assert "optimum" in found.stdout

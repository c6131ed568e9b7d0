"""What a table says, the tests of significance, the data sets, and the two commands."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import f as f_distribution

from cvxkernel.formulations.errors import FileError, InputError
from cvxkernel.validation.studies import data as sets
from cvxkernel.validation.studies import study
from cvxkernel.validation.studies.gonen2008 import GRID, best_C
from cvxkernel.validation.studies.protocol import five_by_two, halves, per_class, wilcoxon_worse
from cvxkernel.validation.studies.study import Cell

FOLDER = os.environ.get(sets.FOLDER)


def test_a_difference_is_in_standard_errors():
    cell = Cell("m", "d", "accuracy", 80.0, 6.0, 83.0, 4.0, 16)
    assert cell.error == 1.0
    assert cell.difference(9) == pytest.approx(3 / np.sqrt(1 + 4))
    assert Cell("m", "d", "accuracy", None, None, 83.0, 4.0, 16).difference(9) is None
    assert Cell("m", "d", "accuracy", 80.0, None, 83.0, 1e-14, 16).difference(9) is None
    assert Cell("m", "d", "accuracy", 80.0, None, 83.0, 4.0, 16).difference(16) == pytest.approx(
        3 / np.sqrt(2)
    )


def test_the_f_test_is_alpaydins():
    # p = 2 in every first half, 0 in every second: Σp² = 20, Σs² = 5·2 = 10, F = 20/(2·10) = 1
    ours, theirs = np.tile([2.0, 0.0], 5), np.zeros(10)
    assert five_by_two(ours, theirs) == pytest.approx(f_distribution.sf(1.0, 10, 5))
    assert five_by_two(theirs, theirs) == 1.0
    assert five_by_two(theirs + 1, theirs) == 0.0


def test_wilcoxon_is_one_sided():
    low = np.arange(10.0)
    assert wilcoxon_worse(low + 1 + low / 100, low) < 0.01
    assert wilcoxon_worse(low, low + 1 + low / 100) > 0.9
    assert wilcoxon_worse(low, low) == 1.0


def test_splits_are_of_the_size_asked_and_depend_on_the_seed_alone():
    train, test = halves(10, 0.8, 3)
    assert sorted([*train, *test]) == list(range(10))
    assert len(train) == 8
    assert np.array_equal(halves(10, 0.8, 3)[0], train)
    y = np.repeat([0, 1, 2], [5, 7, 9])
    assert np.unique(y[per_class(y, 4, 0)], return_counts=True)[1].tolist() == [4, 4, 4]


def test_C_is_chosen_by_the_validation_halves_together():
    tests = [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]
    halves = [
        {"validation": [50, 60, 70, 10, 20], "test": tests[0], "SV by C": [9, 8, 7, 6, 5]},
        {"validation": [50, 90, 60, 10, 20], "test": tests[1], "SV by C": [9, 8, 7, 6, 5]},
    ]
    chosen = best_C(halves)
    assert [c["accuracy"] for c in chosen] == [2, 7]
    assert {c["C"] for c in chosen} == {GRID[1]}


def test_generators_have_the_printed_means():
    X, y = sets.ringnorm(20_000)
    assert X[y == 1].std() == pytest.approx(2, abs=0.02)
    assert X[y == -1].mean() == pytest.approx(2 / np.sqrt(20), abs=0.02)
    X, y = sets.twonorm(20_000)
    assert X[y == 1].mean() == pytest.approx(2 / np.sqrt(20), abs=0.02)
    X, y = sets.waveform(20_000)
    # class 0 mixes the triangles around 11 and 15: at 11, u·6 + (1-u)·2 is 4 on the average
    assert X[y == 0][:, 10].mean() == pytest.approx(4, abs=0.1)
    assert X[y == 2][:, 10].mean() == pytest.approx(2, abs=0.1)  # around 15 and 7: 2 and 2


@pytest.mark.parametrize("name", [n for n, s in sets.SOURCES.items() if s.make])
def test_what_is_made_is_as_documented(name):
    told = sets.state(name, None)
    assert told["state"] == "as documented"
    assert sets.SOURCES[name].note in told["where"]


@pytest.mark.skipif(not FOLDER, reason="CVXKERNEL_DATA names no folder of data sets")
@pytest.mark.parametrize("name", [n for n, s in sets.SOURCES.items() if not s.make])
def test_the_folder_is_as_documented(name):
    assert sets.state(name, Path(FOLDER))["state"] in ("as documented", "missing")


def test_a_wrong_file_is_told(tmp_path):
    y = np.repeat([-1, 1], [97, 111])
    np.savez(tmp_path / "sonar.npz", X=np.zeros((208, 60)), y=y)
    assert sets.state("sonar", tmp_path)["state"] == "other values"
    np.savez(tmp_path / "sonar.npz", X=np.zeros((208, 60)), y=-y)
    assert "class counts" in sets.state("sonar", tmp_path)["why"]
    np.savez(tmp_path / "sonar.npz", data=y)
    with pytest.raises(FileError, match="the keys X and y"):
        sets.load("sonar", tmp_path)
    (tmp_path / "sonar.npz").write_bytes(b"not a zip")
    assert sets.state("sonar", tmp_path)["state"] == "wrong"
    (tmp_path / "sonar.npz").unlink()
    assert sets.state("sonar", tmp_path)["state"] == "missing"
    with pytest.raises(InputError, match="NAME"):
        sets.load("iris", tmp_path)


def test_the_commands(run, tmp_path, monkeypatch):
    monkeypatch.delenv(sets.FOLDER, raising=False)
    store = str(tmp_path / "store.jsonl")
    listed = run("study", "--list", "--json", "--store", store)
    states = {row["study"]: row["state"] for row in listed.json["studies"]}
    rows = {row["study"]: row for row in listed.json["studies"]}
    assert states["ye2008-table9"] == "0 of 240 fits"
    assert rows["ye2008-table9"]["documented"] == "30 of 30"
    assert rows["ye2008-table2"]["no data"] == ["sonar"]
    assert "Amazon: not found" in rows["chen2009-table1"]["missing"]
    assert rows["tang2009-table3"]["documented"] == "no data"
    shown = run("study", "--list", "--store", store).out
    assert all(id in shown for id in rows)
    done = run("study", "ye2008-table9", "--splits", "2", "--method", "QCQP_θ", "--store", store)
    assert done.status == 0, done.err
    assert "2 splits" in done.out
    assert "(98.12)" in done.out
    listed = run("study", "--list", "--json", "--store", store)
    assert {r["study"]: r["state"] for r in listed.json["studies"]}[
        "ye2008-table9"
    ] == "2 of 240 fits"
    for wrong, says in (
        (["study", "ye2008-table99"], "NAME"),
        (["study", "ye2008-table9", "--only", "sonar"], "--only"),
        (["study", "ye2008-table9", "--method", "SVM"], "--method"),
        (["study", "ye2008-table2", "--store", store], "--data"),
        (["study", "ye2008-table2", "--store", store, "--data", str(tmp_path / "no")], "--data"),
        (["data", "iris"], "NAME"),
    ):
        failed = run(*wrong)
        assert failed.status == 2
        assert says in failed.err
        assert len(failed.err.strip().splitlines()) == 1
    known = run("data", "--json")
    assert known.status == 0
    by_name = {row["data"]: row for row in known.json["data"]}
    assert by_name["wine"]["state"] == "as documented"
    assert by_name["sonar"]["state"] == "missing"
    assert "Amazon" in known.json["not to be had"]


def test_a_summary_is_what_the_pages_read(run, tmp_path):
    told = run(
        "study", "ye2008-table9", "--splits", "2", "--method", "SILP_θ", "--json",
        "--store", str(tmp_path / "store.jsonl"),
    ).json  # fmt: skip
    row = next(c for c in told["cells"] if c["method"] == "SILP_θ")
    printed = study("ye2008-table9").printed["SILP_θ", "wine:3", "accuracy"]
    assert (row["printed"], row["printed deviation"]) == printed
    assert row["splits"] == 2
    json.dumps(told)

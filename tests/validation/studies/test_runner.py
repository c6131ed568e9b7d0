"""Fits on this machine and on a cluster: all of them, once each, whoever dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cvxkernel.formulations.errors import InputError
from cvxkernel.validation.studies import studies, study
from cvxkernel.validation.studies.data import load
from cvxkernel.validation.studies.runner import pending, perform, run
from cvxkernel.validation.studies.store import Store

ROWS = ["QCQP_θ", "SILP_θ"]  # of wine, which scikit-learn has


def without_times(records):
    kept = ("data", "method", "split", "measures", "error")
    return sorted(({k: r.get(k) for k in kept} for r in records), key=lambda r: json.dumps(r))


def wine(tmp_path, splits=3):
    table = study("ye2008-table9")
    fits = table.fits(splits, None, ROWS)
    return table, Store(tmp_path / "store.jsonl"), fits, {"wine": load("wine", None)}


def test_nothing_is_done_twice(tmp_path):
    table, store, fits, data = wine(tmp_path)
    assert run(table, store, fits[:3], data) == 3
    seen = []
    assert run(table, store, fits, data, report=seen.append) == 3
    assert run(table, store, fits, data) == 0
    assert pending(table, store, fits) == []
    assert [(r["method"], r["split"]) for r in seen] == [(f.method, f.split) for f in fits[3:]]
    assert Counter((r["method"], r["split"]) for r in store.records()).most_common(1)[0][1] == 1


def test_processes_come_to_the_same_numbers(tmp_path):
    table, store, fits, data = wine(tmp_path)
    run(table, store, fits, data)
    other = Store(tmp_path / "other.jsonl")
    run(table, other, fits, data, jobs=2)
    assert without_times(store.records()) == without_times(other.records())
    assert table.cells(store.records()) == table.cells(other.records())


def broken(fit, data):
    raise np.linalg.LinAlgError("singular")


def test_a_fit_that_fails_is_stored_with_its_error(tmp_path):
    table, store, fits, data = wine(tmp_path, 1)
    run(replace(table, measure=broken), store, fits, data)
    records = list(store.records())
    assert all("singular" in r["error"] for r in records)
    cell = table.cells(records)["QCQP_θ", "wine:3", "accuracy"]
    assert (cell.mean, cell.failures) == (None, 1)


def test_every_record_says_what_it_came_from(tmp_path):
    table, _, fits, data = wine(tmp_path, 1)
    record = perform(table.measure, fits[0], data["wine"])
    assert record["width"] <= 1e-4
    assert record["measures"]["weights"]
    assert {"python", "cvxkernel", "numpy"} <= set(record["versions"])


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_whose_worker_is_killed_finishes(tmp_path):
    distributed = pytest.importorskip("distributed")
    table, store, fits, data = wine(tmp_path, 4)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        with distributed.Client(cluster) as client:
            client.wait_for_workers(2)
            pids = list(client.run(os.getpid).values())
        killed = []

        def kill_one(record):
            if not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        done = run(table, store, fits, data, cluster=cluster.scheduler_address, report=kill_one)
    assert killed
    assert done == len(fits) == 8
    alone = Store(tmp_path / "alone.jsonl")
    run(table, alone, fits, data)
    assert without_times(store.records()) == without_times(alone.records())


def test_no_cluster_is_one_line(tmp_path):
    pytest.importorskip("distributed")
    table, store, fits, data = wine(tmp_path, 1)
    with pytest.raises(InputError, match="--cluster"):
        run(table, store, fits, data, cluster="nowhere")


def command(*arguments):
    return [sys.executable, "-c", "from cvxkernel.validation.cli import main; main()", *arguments]


def table_of(text):
    told = json.loads(text)
    return [
        {k: v for k, v in told.items() if k in ("cells", "sentences", "study", "fits", "widest")}
    ]


def test_a_study_that_was_killed_goes_on_and_ends_with_the_same_table(tmp_path):
    store = tmp_path / "killed.jsonl"
    rows = [part for row in ROWS for part in ("--method", row)]
    asked = ["study", "ye2008-table9", "--splits", "6", *rows, "--json"]
    begun = subprocess.Popen(
        command(*asked, "--store", str(store)),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(list(Store(store).records())) < 2:
        time.sleep(0.02)
    os.killpg(begun.pid, signal.SIGKILL)
    begun.wait()
    before = list(Store(store).records())
    assert 2 <= len(before) < 12
    again = subprocess.run(
        command(*asked, "--store", str(store)), capture_output=True, text=True, check=True
    )
    after = list(Store(store).records())
    assert after[: len(before)] == before
    assert len(after) == 12
    whole = subprocess.run(
        command(*asked, "--store", str(tmp_path / "whole.jsonl")),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert table_of(again.stdout) == table_of(whole.stdout)


def test_every_study_is_well_formed():
    known = studies()
    assert len(known) >= 20
    for id, one in known.items():
        assert one.id == id
        assert len({fit.key for fit in one.fits(2)}) == len(one.fits(2))
        for method, case, measure in one.printed:
            assert method in one.methods
            assert measure in (*one.columns, *one.details)
            assert case in (*one.data, *one.missing)
        assert one.choices
        cells = one.cells([])
        assert all(s.agrees(cells) is None for s in one.sentences)

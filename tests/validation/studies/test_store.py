"""The store: nothing is lost, nothing is read twice, half a line does no harm."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from cvxkernel.formulations.errors import FileError
from cvxkernel.validation.studies.store import Store


def record(split, **more):
    return {"study": "s", "data": "d", "method": "m", "split": split, "measures": {}} | more


WRITER = """
import sys
from pathlib import Path
from cvxkernel.validation.studies.store import Store
start = int(sys.argv[2])
for i in range(start, start + 50):
    Store(Path(sys.argv[1])).append(
        {"study": "s", "data": "d", "method": "m", "split": i, "measures": {"note": "θ" * 200}}
    )
"""


def test_what_was_written_is_read_in_its_order(tmp_path):
    store = Store(tmp_path / "new" / "store.jsonl")
    assert list(store.records()) == []
    for i in range(3):
        store.append(record(i, measures={"accuracy": 1 / 3}))
    assert [r["split"] for r in store.records()] == [0, 1, 2]
    assert next(store.records())["measures"]["accuracy"] == 1 / 3


@pytest.mark.parametrize("keep", [1, 7, 40])
def test_a_line_that_was_not_finished_is_not_read_and_spoils_no_other(tmp_path, keep):
    store = Store(tmp_path / "store.jsonl")
    store.append(record(0))
    whole = json.dumps(record(1)) + "\n"
    with store.path.open("a") as file:
        file.write(whole[:keep])  # killed while writing
    store.append(record(2))
    assert [r["split"] for r in store.records()] == [0, 2]


def test_two_processes_may_write_at_once(tmp_path):
    path = tmp_path / "store.jsonl"
    asked = [[sys.executable, "-c", WRITER, str(path), start] for start in ("0", "100")]
    writers = [subprocess.Popen(each) for each in asked]
    assert [writer.wait() for writer in writers] == [0, 0]
    splits = sorted(r["split"] for r in Store(path).records())
    assert splits == [*range(50), *range(100, 150)]


def test_foreign_lines_are_left_alone(tmp_path):
    store = Store(tmp_path / "store.jsonl")
    store.path.write_bytes(b'[1, 2]\n{"study": 1}\nnull\n\xff\xfe\n')
    store.append(record(4))
    assert [r["split"] for r in store.records()] == [4]


def test_a_place_that_cannot_be_written_to_is_one_line(tmp_path):
    with pytest.raises(FileError, match="--store"):
        Store(tmp_path).append(record(0))

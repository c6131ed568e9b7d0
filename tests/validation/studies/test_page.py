"""The page of the studies: what is committed is what a study prints, however far it was run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cvxkernel.validation.studies import studies

STORED = sorted((Path(__file__).resolve().parents[3] / "docs" / "studies").glob("*.json"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_stored_table_is_of_a_study_as_it_stands(path):
    told = json.loads(path.read_text("utf-8"))
    study = studies()[path.stem]
    assert told["study"] == study.id
    assert told["command"] == f"cvxkernel study {study.id} --json"
    assert told["choices"] == list(study.choices)
    assert [quote for quote, _ in told["sentences"]] == [s.quote for s in study.sentences]
    cells = study.cells([])
    assert len(told["cells"]) == len(cells)
    for cell in told["cells"]:
        empty = cells[cell["method"], cell["data"], cell["measure"]]
        assert cell["printed"] == pytest.approx(empty.printed, abs=1e-4)
        assert (cell["mean"] is None) == (cell["splits"] == 0)
    assert told["widest"] <= 1e-3
    assert any(cell["splits"] >= 2 for cell in told["cells"])

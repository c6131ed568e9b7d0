"""The pages of the studies: every number is read from what is committed, however far it was run."""

from __future__ import annotations

import json
import re

import pytest

from cvxkernel.formulations.catalogue import PAPERS
from cvxkernel.validation.notebooks import DOCS
from cvxkernel.validation.studies import studies, study, unrun
from cvxkernel.validation.studies import summary as summaries
from cvxkernel.validation.studies.summary import cells, counted, near, stored, summary, verdicts

STORED = sorted(path.stem for path in summaries.STORED.glob("*.json"))


@pytest.mark.parametrize("id", STORED)
def test_a_stored_table_is_of_a_study_as_it_stands(id):
    told, one = stored(id), study(id)
    assert told["study"] == one.id
    assert told["command"] == f"cvxkernel study {one.id} --json"
    of, empty = cells(one, told), one.cells([])
    assert of.keys() == empty.keys()
    assert counted(of) != "–"
    for cell in told["cells"]:
        key = cell["method"], cell["data"], cell["measure"]
        if key not in empty:  # a data set that nobody can have
            assert cell["splits"] == 0
            continue
        assert cell["printed"] == pytest.approx(empty[key].printed, abs=1e-4)
        difference = of[key].difference(one.splits)
        if difference is not None and cell["measure"] in one.columns:  # of four digits
            assert difference == pytest.approx(cell["difference"], rel=0.02, abs=0.02)
        if "values" in cell:
            known = [x for x in cell["values"] if x is not None]
            assert len(known) == cell["splits"]
            assert sum(known) / max(len(known), 1) == pytest.approx(cell["mean"] or 0, abs=2e-4)
    assert told["widest"] <= 1e-3


@pytest.mark.parametrize("id", STORED)
def test_a_verdict_is_that_of_the_numbers(id):
    told, one = stored(id), study(id)
    before, found = dict(told["sentences"]), verdicts(one, told)
    assert list(found) == [s.quote for s in one.sentences]
    for quote, verdict in found.items():
        assert before.get(quote) in (verdict, None)


def test_a_verdict_changes_with_the_numbers():
    told, one = stored("tang2009-table5"), study("tang2009-table5")
    quote = "Same Model outperforms Independent Model (usps:2%)"
    assert verdicts(one, told)[quote] is True
    same = next(c for c in told["cells"] if (c["method"], c["data"]) == ("Same", "usps:2%"))
    same["mean"] = 10.0
    assert verdicts(one, told)[quote] is False
    same |= {"mean": None, "splits": 0}
    told["sentences"] = []
    assert verdicts(one, told)[quote] is None


def test_a_summary_is_read_as_it_was_written(monkeypatch, tmp_path):
    one = study("ye2008-table9")
    records = [
        {"study": one.id, "data": "wine:3", "method": m, "split": i, "seconds": 1.0,
         "versions": {}, "width": 1e-5,
         "measures": {"accuracy": 90.0 + i, "weights": [0.2] * 10}}
        for m in one.methods[:6] for i in range(3)
    ]  # fmt: skip
    monkeypatch.setattr(summaries, "STORED", tmp_path)
    (tmp_path / f"{one.id}.json").write_text(json.dumps(summary(one, records)))
    told = stored(one.id)
    assert (
        cells(one, told)["SILP_θ", "wine:3", "accuracy"]
        == one.cells(records)["SILP_θ", "wine:3", "accuracy"]
    )
    assert cells(one, told)["SILP_θ", "wine:3", "θ3"].mean == pytest.approx(0.1)
    assert counted(cells(one, told)) == "3"
    assert near(one, cells(one, told))[1] == 6
    assert stored("ye2008-table2") is None


def test_every_paper_has_a_page_that_types_no_number_of_a_study():
    links = (DOCS / "studies.md").read_text("utf-8")
    for paper in PAPERS:
        if not any(one.paper == paper for one in studies().values()):
            continue
        page = (DOCS / f"studies-{paper}.md").read_text("utf-8")
        assert f'paper("{paper}")' in page
        assert f"studies-{paper}" in links
        _, _, body = page.partition("\n# ")
        assert not re.search(r"\d\.\d", body)
    assert {one.paper for one in unrun()} <= {one.paper for one in studies().values()}

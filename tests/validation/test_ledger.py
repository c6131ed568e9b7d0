"""The ledger: verdicts that follow from the evidence, claims that turn red where they should."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from cvxkernel.formulations import CATALOGUE, Enclosure, InputError
from cvxkernel.formulations.errors import SolverError
from cvxkernel.validation import ledger, report
from cvxkernel.validation.ledger import (
    ERRATA,
    LEDGER,
    PICTURES,
    REMARKS,
    Evidence,
    Finding,
    Verdict,
    caused,
    counts,
    judge,
    observe,
    select,
)
from cvxkernel.validation.ledger.claim import (
    at_most,
    equal,
    identity,
    missing,
    not_above,
    solved,
    worst,
)

GOOD, BAD = Finding(1e-9, 1e-6), Finding(1e-3, 1e-6)


# -- Findings ------------------------------------------------------------------------------------


def test_equality_is_judged_by_the_widths():
    a, b = Enclosure(1.0, 0.999, 1.001, {}), Enclosure(1.0015, 1.0005, 1.0025, {})
    assert equal(a, b).holds
    assert not equal(a, Enclosure(1.1, 1.099, 1.101, {})).holds
    assert equal(a, Enclosure(0.5, 0.4999, 0.5001, {}), factor=2.0).holds
    assert not equal(a, Enclosure(0.5, 0.4999, 0.5001, {})).holds


def test_an_inequality_fails_only_beyond_the_widths():
    a, b = Enclosure(1.0, 0.999, 1.001, {}), Enclosure(2.0, 1.999, 2.001, {})
    assert not_above(a, b).holds
    assert not not_above(b, a).holds
    assert not_above(a, a).holds


def test_an_identity_is_judged_by_its_rounding():
    assert identity([0.1 + 0.2], [0.3], n=2).holds
    assert not identity([0.3001], [0.3], n=2).holds
    assert identity([1e-17], [0.0], n=2, magnitude=1.0).holds


def test_a_solve_may_lose_the_digits_of_its_condition():
    assert solved([1 + 1e-12], [1.0], [[1.0, 0.0], [0.0, 1e-6]]).holds
    assert not solved([1 + 1e-12], [1.0], [[1.0, 0.0], [0.0, 1.0]]).holds


def test_not_above_up_to_rounding():
    assert at_most(1.0, 1.0, n=1).holds
    assert at_most(1e-17, 0.0, n=3, magnitude=1.0).holds
    assert not at_most(1e-9, 0.0, n=3, magnitude=1.0).holds


def test_the_worst_is_the_nearest_to_failing():
    assert worst([GOOD, BAD]) is BAD
    assert GOOD.margin == pytest.approx(1e-3)


# -- Verdicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "correction", "evidence", "as_recorded"),
    [
        ("holds", None, Evidence(GOOD), True),
        ("holds", None, Evidence(BAD), False),
        ("fails", "this", Evidence(BAD, GOOD), True),
        ("fails", "this", Evidence(GOOD, GOOD), False),
        ("fails", "this", Evidence(BAD, BAD), False),
        ("fails", "this", Evidence(BAD), False),
        ("fails", None, Evidence(BAD), True),
        ("imprecise", "this", Evidence(BAD, GOOD), True),
        ("imprecise", "this", Evidence(GOOD, GOOD), False),
    ],
)
def test_a_verdict_is_as_recorded_or_not(printed, correction, evidence, as_recorded):
    claim = replace(next(iter(LEDGER.values())), printed=printed, correction=correction)
    assert Verdict(claim, 0, evidence, 0.0).as_recorded is as_recorded


# -- The claims -----------------------------------------------------------------------------------


@pytest.fixture
def found_once(once, monkeypatch):
    """The evidence of a claim, gathered by one test of a run and read by the others."""
    gather = ledger._evidence

    def shared(id, seed):
        return once(f"evidence-{id}-{seed}", lambda: gather(id, seed))

    monkeypatch.setattr(ledger, "_evidence", shared)


@pytest.mark.parametrize("id", LEDGER)
@pytest.mark.usefixtures("found_once")
def test_every_verdict_is_as_recorded(id):
    found = judge(id)
    assert found.as_recorded, found.evidence


@pytest.mark.parametrize("id", LEDGER)
def test_a_claim_leads_to_its_paper_and_back(id):
    claim = LEDGER[id]
    assert claim.where
    assert claim.quote
    assert claim.statement
    assert claim.how
    assert (claim.printed == "holds") is (claim.correction is None)
    assert (claim.printed == "fails") is (claim.erratum is not None)
    for program in claim.programs:
        assert program in CATALOGUE


PAPERS = os.environ.get("CVXKERNEL_PAPERS")


@pytest.mark.skipif(PAPERS is None, reason="CVXKERNEL_PAPERS names no folder with the papers")
@pytest.mark.parametrize("id", LEDGER)
def test_a_quotation_stands_in_the_paper(id):
    claim = LEDGER[id]
    paper = Path(PAPERS) / f"{claim.paper}.md"
    if not paper.exists():
        pytest.skip(f"no text of {claim.paper}")
    text = plain(paper.read_text("utf-8"))
    for words in claim.quote.split("…"):
        assert plain(words) in text


def plain(text):
    """Letters and digits alone, in small letters: a transcription's marks are not the paper's.

    θ₆ is what TeX writes \\theta_6.
    """
    text = unicodedata.normalize("NFKC", text).replace("θ", "theta").replace("λ", "lambda")
    return re.sub(r"[\W_]+", "", text).lower()


@pytest.mark.parametrize("id", ERRATA)
def test_an_erratum_is_a_cause_and_is_seen_without_the_package(id, capsys):
    erratum = ERRATA[id]
    assert erratum.where
    assert erratum.printed
    assert erratum.holds
    assert caused(erratum)
    assert all(claim.paper == erratum.paper for claim in caused(erratum))
    assert len(erratum.code.splitlines()) <= 12
    assert "cvxkernel" not in erratum.code
    exec(compile(erratum.code, id, "exec"), {})
    for line in capsys.readouterr().out.splitlines():
        printed, true = map(float, line.split())
        assert abs(printed - true) > 0.01 * max(abs(printed), abs(true))  # to be seen by eye


def test_every_claim_that_fails_has_its_cause():
    assert {claim.erratum for claim in LEDGER.values()} - {None} == set(ERRATA)


def test_every_snippet_belongs_to_an_erratum():
    names = {id.partition("-")[2].replace("-", "_").replace(".", "_") for id in ERRATA}
    root = Path(report.__file__).parent
    assert {path.stem for path in root.glob("*/errata/*.py")} - {"__init__"} == names


@pytest.mark.parametrize("id", REMARKS)
def test_a_remark_holds(id):
    remark = REMARKS[id]
    assert remark.where
    assert remark.text
    assert remark.how
    assert id not in LEDGER
    assert observe(id).holds


def test_what_hangs_on_a_glyph_is_counted_apart():
    found = [Verdict(c, 0, Evidence(GOOD if c.printed == "holds" else BAD), 0.0)
             for c in LEDGER.values()]  # fmt: skip
    count = counts(found)
    assert sum(count.values()) == len(LEDGER)
    glyphs = [c for e in ERRATA.values() if e.transcribed for c in caused(e)]
    assert count["as transcribed"] == len(glyphs)


@pytest.mark.parametrize("paper", ["gonen2008", "kundu2010"])
def test_the_claims_of_a_paper_whose_pictures_show_them_are_imported_first(paper):
    name = f"cvxkernel.validation.{paper}.claims"
    subprocess.run([sys.executable, "-c", f"import {name}"], check=True, timeout=120)


def test_no_answer_is_no_evidence(monkeypatch):
    def unanswered(seed):
        raise SolverError("ye2008-thm2.2", {"nobody": "no answer"})

    for id in ("ye2008-thm2.2", "ye2008-thm3.1-close"):
        monkeypatch.setitem(LEDGER.things, id, replace(LEDGER[id], test=unanswered))
        assert not judge(id).as_recorded


@pytest.mark.parametrize("seed", [1, 2])
def test_other_seeds_give_the_same_verdicts(seed):
    explicit = [c.id for c in LEDGER.values() if not c.programs]  # nothing is solved for these
    assert len(explicit) >= 15
    for id in explicit:
        assert judge(id, seed).as_recorded, id


def test_several_processes_find_the_same():
    claims = [c for c in LEDGER.values() if not c.programs][:6]  # two blocks
    found = list(ledger.verify(claims, jobs=2))
    assert [verdict.claim.id for verdict in found] == [claim.id for claim in claims]
    assert all(verdict.as_recorded for verdict in found)


def test_every_claim_is_on_a_page_of_the_docs():
    named = set()
    for page in (Path(__file__).parents[2] / "docs").glob("*.md"):
        for call in re.findall(r"^claims\((.*?)\)$", page.read_text("utf-8"), re.M | re.S):
            named |= set(re.findall(r'"([^"]+)"', call))
    assert named - set(REMARKS) == set(LEDGER)


def test_selection():
    assert select() == list(LEDGER.values())
    assert all(c.paper == "ye2008" for c in select("ye2008"))
    assert [c.id for c in select(claim="ye2008-thm2.2")] == ["ye2008-thm2.2"]
    with pytest.raises(InputError, match=r"--paper: expected one of .*ye2008"):
        select("ye2009")
    with pytest.raises(InputError, match=r"--claim: expected the id of a claim.*ye2008-thm2\.2"):
        select(claim="ye2008-thm22")


# -- The report -----------------------------------------------------------------------------------


def test_the_report_is_one_light_page_without_dead_links():
    # Whatever was found: as many verdicts as there are claims, of all kinds.
    found = [
        Verdict(
            claim,
            0,
            Evidence(GOOD if claim.printed == "holds" else BAD, GOOD if claim.correction else None),
            0.0,
        )
        for claim in LEDGER.values()
    ]
    page = report.html(found)
    assert len(page.encode()) < 3e6
    anchors = re.findall(r'\bid="([^"]+)"', page)
    links = re.findall(r'href="([^"]+)"', page)
    assert {link[1:] for link in links if link.startswith("#")} <= set(anchors)
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"(src|url)\s*[=(]\s*[\"']?http", page)
    for id in LEDGER:
        assert anchors.count(id) == 1
    for id in ERRATA:
        assert anchors.count(f"erratum-{id}") == 1
    for id in REMARKS:
        assert anchors.count(f"remark-{id}") == 1
    for id, picture in PICTURES.items():
        assert f'<figure id="{id}">' in page
        assert set(picture.claims) <= set(LEDGER)


# -- The command line -----------------------------------------------------------------------------


def test_verify_tells_a_claim(run, tmp_path):
    page = tmp_path / "ledger.html"
    done = run("verify", "--claim", "ye2008-eq4", "--json", "--report", page)
    assert done.status == 0, done.err
    (row,) = done.json["claims"]
    keys = {"id", "paper", "where", "statement", "printed", "corrected", "worst", "tolerance"}
    assert keys <= set(row)
    assert (row["printed"], row["corrected"]) == ("fails", "holds")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert 'href="#ye2008-eq4"' in text
    assert 'id="ye2008-eq4"' in text
    assert "http" not in text.replace("http://www.w3.org", "")  # names of XML, not addresses
    table = run("verify", "--claim", "ye2008-eq4")
    assert "1 claim: 0 holds, 0 imprecise, 1 fails, 0 as transcribed" in " ".join(table.out.split())
    assert LEDGER["ye2008-eq4"].erratum in table.out


def test_a_row_tells_the_place_and_what_holds(run):
    for id in ("tang2009-consistently", "tang2009-bio"):
        claim, told = LEDGER[id], run("verify", "--claim", id).out
        cells = [line.split("│")[1] for line in told.splitlines() if line.startswith("│")]
        words = " ".join(" ".join(cells).split())
        assert f"{id}: {claim.where}" in words
        assert (f"what holds: {claim.correction}" in words) is (claim.correction is not None)
        assert (f"remark: {claim.remark}" in words) is (claim.remark is not None)


def test_a_statement_that_lacks_its_constraint_does_not_hold():
    found = missing("quad")
    assert not found.holds
    assert found.margin == float("inf")


def test_verify_exits_1_where_a_verdict_is_not_the_recorded_one(run, monkeypatch):
    claim = replace(LEDGER["ye2008-thm2.2"], test=lambda seed: Evidence(BAD))
    monkeypatch.setitem(LEDGER.things, claim.id, claim)
    done = run("verify", "--claim", claim.id)
    assert done.status == 1
    assert "0 verdicts as recorded" in " ".join(done.out.split())


@pytest.mark.usefixtures("found_once")
def test_errata_shows_a_counterexample(run):
    done = run("errata", "--paper", "ye2008", "--jobs", 1, "--json")
    assert done.status == 0
    rows = {row["id"]: row for row in done.json["errata"]}
    assert set(rows) == {id for id, erratum in ERRATA.items() if erratum.paper == "ye2008"}
    one = ERRATA[LEDGER["ye2008-eq4"].erratum]
    assert {claim["id"] for claim in rows[one.id]["claims"]} == {c.id for c in caused(one)}
    assert all(claim["numbers"] for claim in rows[one.id]["claims"])
    assert all("judge(" in claim["run"] for claim in rows[one.id]["claims"])
    json.dumps(rows)
    table = run("errata", "--claim", "ye2008-eq4")
    assert "what holds" in table.out
    assert one.code in table.out  # to be copied as it stands
    assert "1 errata, and 0 as transcribed." in table.out


def test_a_report_that_cannot_be_written_is_one_line(run, tmp_path):
    done = run("verify", "--claim", "ye2008-thm2.2", "--report", tmp_path / "no" / "page.html")
    assert done.status == 2
    assert done.err.count("\n") == 1

"""The shipped test vectors: complete, frozen, made again bit for bit, and told apart."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import pytest

import cvxkernel
from cvxkernel.validation.vectors import build, instances, shipped, slips

MOST_BYTES = 5_000_000


def test_at_least_ten_tests_each_and_five_megabytes_in_all():
    for id in shipped.ids():
        tests = shipped.tests(id)
        assert len(tests) >= 10
        assert len({test["id"] for test in tests}) == len(tests)
        flags = {flag for test in tests for flag in test["flags"]}
        assert {"Ordinary", "Tiny", "Unbalanced", "RealData"} <= flags
        assert flags & {"RankDeficient", "Duplicated", "RepeatedEigenvalues"}
    sizes = [(shipped.HERE / "data" / f"{id}.json").stat().st_size for id in shipped.ids()]
    assert sum(sizes) <= MOST_BYTES


@pytest.mark.parametrize("id", shipped.ids())
def test_made_again_bit_for_bit(id):
    text = (shipped.HERE / "data" / f"{id}.json").read_text(encoding="utf-8")
    assert build.text(build.make(id, build.recorded(json.loads(text)))) == text


@pytest.mark.parametrize("id", ["ye2008-thm2.2", "lanckriet2004-sm2", "kim2006"])
def test_made_anew_they_have_the_same_problems_and_optima(id):
    old, new = shipped.vectors(id), build.make(id)
    for before, after in zip(old["groups"], new["groups"], strict=True):
        for one, other in zip(before["tests"], after["tests"], strict=True):
            assert one["problem"] == other["problem"]
            (a, b), (c, d) = (map(Fraction, t["optimum"]) for t in (one, other))
            assert a <= d
            assert c <= b
            assert [s["flag"] for s in one["slips"]] == [s["flag"] for s in other["slips"]]


def test_slips_are_told_apart_and_every_formulation_has_some():
    for id in shipped.ids():
        tests = shipped.tests(id)
        some = [test for test in tests if test["slips"]]
        assert "-alg" in id or len(some) >= 3
        for test in some:
            values = [(Fraction(1), test["optimum"])]
            values += [
                (Fraction(s["factor"]), s.get("optimum", test["optimum"])) for s in test["slips"]
            ]
            ends = [sorted(f * Fraction(x) for x in optimum) for f, optimum in values]
            for (a, b), (c, d) in combinations(ends, 2):
                assert b < c or d < a, test["id"]


def test_every_flag_has_its_note_and_is_an_identifier():
    for id in shipped.ids():
        vectors = shipped.vectors(id)
        used = {flag for t in shipped.tests(id) for flag in t["flags"]}
        used |= {slip["flag"] for t in shipped.tests(id) for slip in t["slips"]}
        assert used == set(vectors["notes"])
        assert all(flag.isidentifier() for flag in used)
    notes = {**instances.NOTES, **slips.NOTES}
    assert {f for id in shipped.ids() for f in shipped.vectors(id)["notes"]} <= set(notes)


@pytest.mark.parametrize("id", [id for id in shipped.ids() if "-alg" not in id])
def test_answers_are_right_and_slipped_answers_are_not(id):
    test = shipped.tests(id)[0]
    slip = next(s for s in test["slips"] if "optimum" in s and "formulation" not in s)
    for right, answer in ((True, test["answer"]), (False, slip["answer"])):
        given = {**answer["variables"], "value": answer["value"]}
        judged = cvxkernel.check(id, test["problem"], given, why=False)
        assert judged.verdict(1e-6) == ("within" if right else "not within")


def test_the_command_writes_what_is_shipped(run, tmp_path):
    assert run("vectors", tmp_path, "--id", "chen2009-eq1", "--again").status == 0
    for name in (
        "checker.py",
        "problem.schema.json",
        "vectors.m",
        "vectors.R",
        "chen2009-eq1.json",
    ):
        assert (tmp_path / name).is_file()
    own = (shipped.HERE / "data" / "chen2009-eq1.json").read_bytes()
    assert (tmp_path / "chen2009-eq1.json").read_bytes() == own
    assert run("vectors", tmp_path, "--id", "gonen2008-alg1").status == 2
    assert run("vectors", tmp_path / "checker.py").status == 2

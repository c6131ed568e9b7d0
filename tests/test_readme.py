"""Every block of the README is executed here or by .ci/run, and shows what it prints."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from cvxkernel.validation import progress

TOP = Path(__file__).parents[1]
TEXT = (TOP / "README.md").read_text("utf-8")
BLOCK = re.compile(r"(?:<!-- ci:(\w+) -->\n)?```(\w+)\n(.*?)```", re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
FRAME = re.compile(r"[\s│┃─━┌┐└┘├┤┬┴┼┏┓┗┛┡┩╇┳]+")  # what moves with the width of a number
VARIES = ("seconds", "relative width", "leaves")
SAME = 1e-6  # the data are the same doubles; the ends are not, from one BLAS to another


def blocks() -> Iterator[tuple[str, str, str]]:
    """The mark for CI, the language, the text."""
    yield from BLOCK.findall(TEXT)


def same(shown: str, printed: str) -> None:
    """The same words in the same order; numbers that are the same, but for times and widths."""
    lines = zip(shown.strip().splitlines(), printed.strip().splitlines(), strict=True)
    for one, other in lines:
        words = [FRAME.sub(" ", NUMBER.sub("#", line)).strip() for line in (one, other)]
        assert words[0] == words[1]
        if any(word in one for word in VARIES):
            continue
        for a, b in zip(NUMBER.findall(one), NUMBER.findall(other), strict=True):
            assert float(a) == pytest.approx(float(b), rel=SAME, abs=1e-12)


def test_every_block_runs_and_shows_its_output(tmp_path, monkeypatch, capsys, run):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "PATIENCE", 600.0)  # a loaded machine shows a line of progress
    names: dict[str, object] = {}
    printed, seen = "", []
    for mark, language, text in blocks():
        seen.append(language)
        if language == "python":
            assert not printed, "what the block before has printed is not shown"
            capsys.readouterr()
            exec(compile(text, "README.md", "exec"), names)
            printed = capsys.readouterr().out
        elif language == "text":
            same(text, printed)
            printed = ""
        elif language == "console":
            line, _, shown = text.partition("\n")
            name, *arguments = shlex.split(line.removeprefix("$ "))
            assert name == "cvxkernel"
            done = run(*arguments)
            assert done.err == ""
            same(shown, done.out)
        elif language == "sh":
            assert f"readme {mark})" in (TOP / ".ci" / "run").read_text()
        else:
            assert language == "bibtex"
    assert not printed
    assert {"python", "text", "console", "sh", "bibtex"} == set(seen)


def test_what_it_cites_is_this_package():
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    cited = next(text for _, language, text in blocks() if language == "bibtex")
    citation = (TOP / "CITATION.cff").read_text("utf-8")
    for words in (f"version = {{{project['version']}}}", f"license = {{{project['license']}}}"):
        assert words in cited
    assert re.search(r"title   = \{(.+?)\}", cited).group(1) in citation
    assert f"version: {project['version']}\n" in citation
    assert f"python-%E2%89%A5%20{project['requires-python'].removeprefix('>=')}-" in TEXT
    assert f"license-{project['license'].replace('-', '--')}-" in TEXT


def test_links_open():
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert len(links) > 10
    for link in links:
        assert link.startswith("https://img.shields.io/badge/") or (TOP / link).exists()


def test_the_programs_are_counted(run):
    rows = run("list", "--json").json["formulations"]
    papers = {"ye2008": 15, "tang2009": 4, "chen2009": 7, "kundu2010": 11, "gonen2008": 5}
    for paper, number in papers.items():
        assert sum(row["paper"] == paper for row in rows) == number
        line = next(line for line in TEXT.splitlines() if f"docs/{paper}.md" in line)
        assert re.search(rf": {number}\b", line)
    others = {"luss2007", "kim2006", "lanckriet2004"}
    assert sum(row["paper"] in others for row in rows) == 2 + 5

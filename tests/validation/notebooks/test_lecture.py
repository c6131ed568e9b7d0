"""The lecture is an hour, and whoever cannot see a picture is told what is in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cvxkernel.validation import notebooks

LECTURE = Path(__file__).parents[3] / "docs" / "lecture" / "index.md"


def test_the_notes_of_the_slides_add_up_to_an_hour():
    cells = re.compile(r"^```\{code-cell\}.*?^```$", re.M | re.S)
    first, *slides = re.split(r"^## ", cells.sub("", LECTURE.read_text("utf-8")), flags=re.M)
    slides = ["# " + first.split("# ", 1)[1], *slides]
    assert 35 <= len(slides) <= 45
    notes = [re.findall(r":::\{revealjs-notes\}\n(\d+) min\. \S", slide) for slide in slides]
    assert [len(told) for told in notes] == [1] * len(slides)
    assert sum(int(minutes) for (minutes,) in notes) == 60


@pytest.mark.parametrize("path", [*notebooks.pages().values(), LECTURE], ids=lambda p: p.stem)
def test_every_picture_is_told_in_words(path):
    for cell in re.findall(
        r"^```\{code-cell\}[^\n]*\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S
    ):
        if re.search(r"^(plt\.show\(\)|(run = )?(picture|figure_1)\()", cell, re.M):
            assert re.search(r"^ +alt: \S.{20,}", cell, re.M), cell[:200]
        if re.search(r"^moving\(", cell, re.M):
            assert re.search(r'\balt="\S.{20,}', cell), cell[:200]

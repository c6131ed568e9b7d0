"""Every exercise stands on its paper's page, with a cell to fill and a solution that is run."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from runpy import run_path

import pytest

from cvxkernel.validation import notebooks
from cvxkernel.validation.exercises import EXERCISES

PAPERS = ("ye2008", "tang2009", "chen2009", "kundu2010", "gonen2008")


def ids(paper):
    return [id for id in EXERCISES if id.startswith(paper)]


@pytest.mark.parametrize("paper", PAPERS)
def test_each_is_asked_on_the_page_and_solved_there(paper):
    cells = notebooks.notebook(notebooks.pages()[paper].read_text("utf-8"))["cells"]
    titles = [re.match(r"### Exercise (\d+)", cell["source"]) for cell in cells]
    starts = [i for i, title in enumerate(titles) if title]
    assert [int(titles[i][1]) for i in starts] == list(range(1, len(starts) + 1))
    assert [f"{paper}-{number}" for number in range(1, len(starts) + 1)] == ids(paper)
    assert len(starts) >= 6
    for id, at in zip(ids(paper), starts, strict=True):
        to_fill, solution = cells[at + 1 : at + 3]
        name = re.match(r"(\w+) = \.\.\.", to_fill["source"])[1]
        assert to_fill["source"].endswith(f'\njudge("{id}", {name});')
        assert solution["metadata"]["tags"] == ["hide-input"]  # folded on the page, and run
        assert f'assert judge("{id}", ' in solution["source"]


@pytest.mark.parametrize("paper", PAPERS)
def test_each_judge_meets_a_right_answer_and_two_wrong_ones(paper):
    tested = run_path(str(Path(__file__).with_name(f"test_{paper}.py")))
    assert list(tested["RIGHT"]) == ids(paper)
    wrong = Counter(id for id, *_ in tested["WRONG"])
    assert set(wrong) == set(ids(paper))
    assert min(wrong.values()) >= 2

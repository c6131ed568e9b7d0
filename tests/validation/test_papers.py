"""Every paper has the same shape in this room."""

from __future__ import annotations

from pathlib import Path

import pytest

from cvxkernel.formulations.catalogue import CATALOGUE, PAPERS
from cvxkernel.validation import papers
from cvxkernel.validation.instances import sample
from cvxkernel.validation.papers import PARTS, home, part
from cvxkernel.validation.proofs import JUDGES

ROOM = Path(papers.__file__).parent
NAMES = {
    "samples": ("sample",),
    "slips": ("measure", "variants", "answers"),
    "proofs": ("JUDGES",),
    "claims": ("CLAIMS",),
    "errata": ("ERRATA",),
    "pictures": ("PICTURES",),
}


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_has_the_same_parts_as_the_others(paper):
    parts = {path.stem for path in (ROOM / paper).iterdir()} - {"__init__", "__pycache__"}
    assert parts == set(PARTS) == set(NAMES)
    for module, names in NAMES.items():
        for name in names:
            assert hasattr(part(paper, module), name)


def test_what_names_a_paper_is_the_catalogue():
    folders = {path.parent.name for path in ROOM.glob("*/samples.py")}
    assert folders == set(PAPERS)


@pytest.mark.parametrize("id", CATALOGUE)
def test_every_id_has_a_home_a_judge_and_a_sample(id):
    paper = home(CATALOGUE[id])
    assert paper in PAPERS
    assert JUDGES[id] is part(paper, "proofs").JUDGES[id]
    assert CATALOGUE[id].make(sample(id, 9, 2)).n == 9


@pytest.mark.parametrize("paper", PAPERS)
def test_no_paper_has_judges_claims_or_pictures_of_another(paper):
    assert all(home(CATALOGUE[id]) == paper for id in part(paper, "proofs").JUDGES)
    things = (*part(paper, "claims").CLAIMS, *part(paper, "errata").ERRATA)
    assert all(thing.paper == paper for thing in things)

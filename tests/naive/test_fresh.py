"""Right answers that nothing was tuned with, of other programs: none is rejected.

A naive program is a line of `cases`, run here; programs not written here were run once, and
`foreign.json` holds what they answered, by which command.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cvxkernel
from cvxkernel.formulations import CATALOGUE
from naive import cases

FOREIGN = json.loads((Path(__file__).parent / "foreign.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", cases.RIGHT)
def test_no_right_answer_is_rejected(name):
    id, kind, seed, program, _ = cases.RIGHT[name]
    problem = cases.problem(id, seed, kind)
    known = {*CATALOGUE[id].symbols, "value"}
    answer = {symbol: x for symbol, x in program(problem).items() if symbol in known}
    assert cvxkernel.check(id, problem, answer, why=False).within()


@pytest.mark.parametrize("run", FOREIGN, ids=lambda run: run["name"])
def test_no_right_answer_of_a_program_not_written_here_is_rejected(run):
    problem = cases.problem(run["formulation"], run["seed"], run["instance"])
    assert cvxkernel.check(run["formulation"], problem, run["answer"], why=False).within()

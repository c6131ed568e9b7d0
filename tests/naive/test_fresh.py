"""Answers of other programs: no right one is rejected, the mistakes in the wrong ones are named.

A naive program is a line of `cases`, run here; programs not written here were run once, and
`foreign.json` holds what they answered, by which command.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations import CATALOGUE
from cvxkernel.validation.inaccuracy import inaccuracy
from cvxkernel.validation.instances import sample
from naive import cases

FOREIGN = json.loads((Path(__file__).parent / "foreign.json").read_text(encoding="utf-8"))


def judged(case, why):
    id, kind, seed, program, _ = case
    problem = cases.problem(id, seed, kind)
    known = {*CATALOGUE[id].symbols, "value"}
    answer = {symbol: x for symbol, x in program(problem).items() if symbol in known}
    return cvxkernel.check(id, problem, answer, tol=1e-6 if why else None, why=why)


@pytest.mark.parametrize("name", cases.RIGHT)
def test_no_right_answer_is_rejected(name):
    assert judged(cases.RIGHT[name], why=False).within()


@pytest.mark.parametrize("name", cases.WRONG)
def test_the_mistakes_are_named(name):
    found = judged(cases.WRONG[name], why=True)
    assert found.verdict() == "not within"
    kinds = cases.WRONG[name][-1]
    named = found.slips[:1]
    assert {kind for slip in named for kind in slip.parts or (slip.kind,)} == kinds, found


@pytest.mark.parametrize("run", FOREIGN, ids=lambda run: run["name"])
def test_no_right_answer_of_a_program_not_written_here_is_rejected(run):
    problem = cases.problem(run["formulation"], run["seed"], run["instance"])
    assert cvxkernel.check(run["formulation"], problem, run["answer"], why=False).within()


@pytest.mark.parametrize("id", ["ye2008-thm2.2", "rakotomamonjy2008"])
def test_a_problem_in_which_all_weights_are_nearly_optimal_explains_none(id):
    """With 1/λ, or C/n, of such a size the objective is nearly linear in what is learned."""
    symbol = {"ye2008-thm2.2": "theta", "rakotomamonjy2008": "d"}[id]
    data = sample(id, 14, 3, seed=3) | {"lam": 1e-3, "C": 1e-3}
    problem = CATALOGUE[id].make(data)
    weights = np.array([0.5, 0.3, 0.2]) / getattr(problem, "r", 1.0)
    found = cvxkernel.check(id, problem, {symbol: weights}).slips
    assert {slip.kind for slip in found} <= {"stopped early"}


def test_a_kernel_alone_is_not_told_to_have_been_stopped():
    """It is optimal for some problem: only a dual point beside it would make the gap its own."""
    problem = cases.problem("luss2007", 918, "gauss")
    K = cvxkernel.solve("luss2007", CATALOGUE["luss2007"].make(problem)).variables["K"]
    form, point = CATALOGUE["luss2007"], {"K": K + 0.005 * np.eye(len(K))}
    found = cvxkernel.check("luss2007", problem, point, tol=1e-6, why=False)
    assert found.verdict() == "not within"
    assert max(x.upper for x in found.violations.values()) < 1e-6
    assert max(side.relative.upper for side in found.sides.values()) < 1e-2
    assert not inaccuracy(found, form, form.make(problem), point)


@pytest.mark.parametrize(("id", "symbol"), [("ye2008-thm2.2", "theta"), ("rakotomamonjy2008", "d")])
def test_no_number_is_read_into_the_weights_of_a_few_kernels(id, symbol):
    """Wherever a method has stopped, some ridge or some width fits them: that explains nothing."""
    data = sample(id, 14, 3, seed=1)
    problem = CATALOGUE[id].make(data)
    best = cvxkernel.solve(id, problem).variables[symbol]
    both = np.argsort(best)[-2:]
    for share in (0.4, 0.6):
        weights = np.zeros(3)
        weights[both] = share, 1 - share
        weights /= getattr(problem, "r", 1.0)
        found = cvxkernel.check(id, problem, {symbol: weights})
        assert not [slip for slip in found.slips if slip.parameter is not None]

"""Slips where chen2009 learns a kernel, committed: the package solves another problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.chen2009 import KernelMachine, RobustMachine, SpectrumMachine, spectrum
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.solvers import solve
from cvxkernel.validation.check import check
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.slips import explain

N = 12
DATA = {kind: similarity(N, kind=kind, seed=3) for kind in ("random", "low rank")}


def problems(kind):
    S, y = DATA[kind]
    return {
        "luss2007": RobustMachine(S, y, 0.4, 0.7),
        "chen2009-eq7": KernelMachine(S, y, 0.04, 0.05),
        "chen2009-eq7-dual": KernelMachine(S, y, 0.04, 0.05),
        "chen2009-eq12": SpectrumMachine(S, y, 0.04, 0.02, "spectrum"),
    }


def numbers(**changes):
    def commit(id, problem):
        made = {k: f(problem) for k, f in changes.items()}
        solution = solve(id, with_numbers(problem, **made), tol=1e-7)
        return dict(solution.variables), solution.value

    return commit


def told(change):
    """The right answer, told wrongly."""

    def commit(id, problem):
        solution = solve(id, problem, tol=1e-7)
        return change(dict(solution.variables), solution.value, problem)

    return commit


def squared(id, problem):
    """(7) with γ‖K-S‖², which is 2η·(2) with ρ = γ/(2η)."""
    other = RobustMachine(problem.S, problem.y, problem.C, problem.gamma / (2 * problem.eta))
    solution = solve("luss2007", other, tol=1e-7)
    kept = {k: solution.variables[k] for k in ("alpha", "K", "z")}
    return kept, 2 * problem.eta * solution.value


ROBUST, SEVEN, TWELVE = ("luss2007",), ("chen2009-eq7", "chen2009-eq7-dual"), ("chen2009-eq12",)
SLIPS = {
    "C/n": (ROBUST, numbers(C=lambda p: p.C / N)),
    "nC": (ROBUST, numbers(C=lambda p: p.C * N)),
    "½C": (ROBUST, numbers(C=lambda p: p.C / 2)),
    "2ρ": (ROBUST, numbers(rho=lambda p: 2 * p.rho)),
    "½ρ": (ROBUST, numbers(rho=lambda p: p.rho / 2)),
    "1/ρ": (ROBUST, numbers(rho=lambda p: 1 / p.rho)),
    "2η": ((*SEVEN, *TWELVE), numbers(eta=lambda p: 2 * p.eta)),
    "½η": ((*SEVEN, *TWELVE), numbers(eta=lambda p: p.eta / 2)),
    "η/n": ((*SEVEN, *TWELVE), numbers(eta=lambda p: p.eta / N)),
    "2γ": ((*SEVEN, *TWELVE), numbers(gamma=lambda p: 2 * p.gamma)),
    "½γ": ((*SEVEN, *TWELVE), numbers(gamma=lambda p: p.gamma / 2)),
    "nγ": (SEVEN, numbers(gamma=lambda p: N * p.gamma)),
    "square of the norm": (SEVEN, squared),
    "S modified": ((*ROBUST, *SEVEN), numbers(S=lambda p: spectrum.flip(p.S))),
    "sign of S": ((*ROBUST, *SEVEN), numbers(S=lambda p: -p.S)),
    "sign of α": (
        (*ROBUST, *SEVEN, *TWELVE),
        told(lambda v, value, p: ({**v, "alpha": v["alpha"] * p.y}, value)),
    ),
    "factor of α": (
        (*SEVEN, *TWELVE),
        told(lambda v, value, p: ({**v, "alpha": 2 * p.eta * v["alpha"]}, value)),
    ),
    "factor of the value": ((*ROBUST, *SEVEN, *TWELVE), told(lambda v, value, p: (v, 2 * value))),
}
PAIRS = [(slip, id) for slip, (ids, _) in SLIPS.items() for id in ids]
COMMITTED = [(*pair, kind) for pair, kind in zip(PAIRS, list(DATA) * len(PAIRS), strict=False)]


def explained(slip, id, kind):
    problem = problems(kind)[id]
    point, value = SLIPS[slip][1](id, problem)
    form = CATALOGUE[id]
    known = form.enclose(problem, {}).variables
    return explain(form, problem, {k: v for k, v in point.items() if k in known}, value)


def test_nine_of_ten_committed_slips_are_named():
    missed = [(slip, id, kind) for slip, id, kind in COMMITTED
              if slip not in [found.kind for found in explained(slip, id, kind)]]  # fmt: skip
    assert len(missed) <= 0.1 * len(COMMITTED), missed


@pytest.mark.parametrize("id", ["luss2007", "chen2009-eq7", "chen2009-eq12"])
def test_another_h_or_number_is_told_by_check(id):
    problem = problems("random")[id]
    if id == "chen2009-eq12":
        other, name = replace(problem, h="flip"), "other h"
    elif id == "luss2007":
        other, name = with_numbers(problem, rho=2 * problem.rho), "2ρ"
    else:
        other, name = with_numbers(problem, gamma=2 * problem.gamma), "2γ"
    solution = solve(id, other, tol=1e-7)
    found = check(id, problem, value=solution.value, **solution.variables)
    assert found.verdict() == "not within"
    assert name in [slip.kind for slip in found.slips]


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("id", ["luss2007", "chen2009-eq7", "chen2009-eq7-dual", "chen2009-eq12"])
def test_an_optimal_answer_has_none(id, kind):
    problem = problems(kind)[id]
    solution = solve(id, problem, tol=1e-7)
    assert explain(CATALOGUE[id], problem, solution.variables, solution.value) == []
    if id != "chen2009-eq12":
        alone = {"alpha": np.asarray(solution.variables["alpha"])}
        assert explain(CATALOGUE[id], problem, alone, None) == []

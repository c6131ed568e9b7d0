"""The judges of the exercises of tang2009: one right answer and two wrong ones each."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations.tang2009 import Regularized
from cvxkernel.solvers import solve
from cvxkernel.validation.exercises import EXERCISES, judge
from cvxkernel.validation.exercises.tang2009 import NEAR, optimum, problem, same, same_from


def bound(choose, charge=3):
    at = problem()

    def end(alpha):
        forms = np.array(
            [[(a * y) @ G @ (a * y) for G in at.kernels] for a, y in zip(alpha, at.Y, strict=True)]
        )
        return alpha.sum() - choose(max(sum(forms)), sum(map(max, forms)) - charge * at.lam) / 2

    return end


def spread(theta):
    return np.maximum(theta - theta.mean(axis=0), 0).sum() / 2


def difference():
    return np.sum(optimum().variables["gamma"]) / 2


RIGHT = {
    "tang2009-1": lambda: optimum().value,
    "tang2009-2": lambda: lambda theta: len(theta) / 2 * (1 - theta.min(axis=0).sum()),
    "tang2009-3": lambda: lambda mu, nu: 2 * mu[None] + 2 * nu,
    "tang2009-4": lambda: bound(max),
    "tang2009-5": lambda: lambda part, k: k / 2 - k * part / 2,
    "tang2009-6": lambda: 1.005 * same_from(),
}
WRONG = [
    ("tang2009-1", lambda: optimum().value - problem().lam * difference(), "part of (3)"),
    ("tang2009-1", lambda: 1.01 * optimum().value, "above what is proved"),
    ("tang2009-2", lambda: lambda theta: (theta - theta.min(axis=0)).sum(), "one half"),
    ("tang2009-2", lambda: spread, "mean"),
    ("tang2009-3", lambda: lambda mu, nu: mu + nu, "one half"),
    ("tang2009-3", lambda: lambda mu, nu: 2 * nu, "θ = ζ + γ"),
    ("tang2009-4", lambda: bound(min), "as each; at one of the points it is above"),
    ("tang2009-4", lambda: bound(max, 1), "B - kλ"),
    ("tang2009-5", lambda: lambda part, k: k * (1 - part), "one half"),
    ("tang2009-5", lambda: lambda part, k: k * part / 2, "not shared"),
    ("tang2009-6", lambda: 3 * same_from(), "pay together"),
    ("tang2009-6", lambda: 1.02 * same_from(), "above"),
]


@pytest.mark.parametrize("id", [id for id in EXERCISES if id.startswith("tang2009")])
def test_a_right_answer_is_right(id, capsys):
    assert judge(id, RIGHT[id]())
    assert capsys.readouterr().out == f"{id}: right.\n"


@pytest.mark.parametrize(("id", "answer", "reason"), WRONG)
def test_a_wrong_answer_is_told_why(id, answer, reason, capsys):
    assert not judge(id, answer())
    assert reason in capsys.readouterr().out


def test_the_price_lies_between_the_ends_that_are_told():
    at, lam, (_, alike) = problem(), same_from(), same()
    for share, partial in ((1 - NEAR, True), (1 + NEAR, False)):
        priced = Regularized(at.kernels, at.Y, at.C, share * lam)
        found = solve("tang2009-thm3.1", priced, tol=1e-9)
        assert (found.upper < alike.lower) is partial
        assert found.enclosure.meets(alike.enclosure) is not partial

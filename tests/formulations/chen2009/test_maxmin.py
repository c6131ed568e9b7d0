"""luss2007-maxmin: the printed max-min over α, its inner minimum by K*(α)."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.chen2009 import RobustMachine
from cvxkernel.formulations.svm import repair
from cvxkernel.solvers import conic, solve
from cvxkernel.validation import check
from cvxkernel.validation.instances import sample

MAXMIN = CATALOGUE["luss2007-maxmin"]


def printed(at: RobustMachine, alpha: np.ndarray) -> float:
    """1ᵀα - ½αᵀYK*Yα + ρ‖K* - S‖²"""
    K, v = at.K_star(alpha), at.y * alpha
    return float(alpha.sum() - v @ K @ v / 2 + at.rho * ((K - at.S) ** 2).sum())


def problem(kind: str, **changes: object) -> RobustMachine:
    made: RobustMachine = MAXMIN.make({**sample("luss2007", 9, 1, kind=kind, seed=3), **changes})
    return made


@pytest.mark.parametrize(("kind", "rho"), [("gaussian", 1e-2), ("random", 0.5), ("low rank", 50.0)])
def test_both_forms_have_one_optimum(kind: str, rho: float) -> None:
    at = problem(kind, rho=rho)
    one, other = solve("luss2007-maxmin", at), solve("luss2007", at)
    cone = conic("luss2007-maxmin", at)
    assert one.enclosure.meets(other.enclosure)
    assert one.enclosure.meets(cone.enclosure)
    value = printed(at, one.variables["alpha"])
    assert value == pytest.approx(one.value, rel=1e-9)


def test_the_lower_end_is_the_printed_objective_at_any_alpha() -> None:
    at, rng = problem("random"), np.random.default_rng(1)
    best = solve("luss2007-maxmin", at)
    for scale in (1e-3, 0.3, 1.0):
        alpha = repair(scale * at.C * rng.random(at.n), at.y, at.C)
        found = MAXMIN.enclose(at, {"alpha": alpha})
        assert found.lower == pytest.approx(printed(at, alpha), rel=1e-9, abs=1e-12)
        assert found.lower <= best.upper


def test_the_objective_is_concave_and_K_star_the_minimum() -> None:
    at, rng = problem("gaussian"), np.random.default_rng(2)
    for _ in range(5):
        a, b = (repair(at.C * rng.random(at.n), at.y, at.C) for _ in range(2))
        assert printed(at, (a + b) / 2) >= (printed(at, a) + printed(at, b)) / 2 - 1e-12
        v = at.y * a
        for _ in range(5):
            B = rng.normal(size=(at.n, at.n))
            K = at.K_star(a) + 0.01 * B @ B.T
            value = a.sum() - v @ K @ v / 2 + at.rho * ((K - at.S) ** 2).sum()
            assert value >= printed(at, a) - 1e-12


def test_degenerate_similarities() -> None:
    for S in (np.zeros((9, 9)), -np.eye(9), np.eye(9), np.round(problem("random").S, 9)):
        at = problem("random", S=S)
        one, other = solve("luss2007-maxmin", at), solve("luss2007", at)
        assert one.enclosure.meets(other.enclosure)


def test_answers_are_judged() -> None:
    at = problem("random")
    answer = dict(solve("luss2007-maxmin", at).variables)
    assert check("luss2007-maxmin", at, **answer, why=False).within(1e-6)
    assert check("luss2007-maxmin", at, alpha=answer["alpha"], why=False).within(1e-5)
    assert not check("luss2007-maxmin", at, alpha=0.7 * answer["alpha"], why=False).within(1e-3)
    assert not check(
        "luss2007-maxmin", at, alpha=answer["alpha"], W=0 * answer["W"], why=False
    ).within(1e-3)

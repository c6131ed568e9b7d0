"""A caller's loss without a conjugate: enclosed through a number that is charged, not rigorous."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.kundu2010 import Similarities, losses
from cvxkernel.solvers.mirror_descent import PaperDescent
from cvxkernel.validation.kundu2010.samples import similarities

LOGISTIC = losses.Own(
    "Σ log(2 + 2cosh xⱼₖ)",
    lambda X: float(np.logaddexp(0, X).sum() + np.logaddexp(0, -X).sum()),
    lambda X: np.tanh(X / 2),
    lambda X: cp.sum(cp.logistic(X) + cp.logistic(-X)),
)


def copy(loss: losses.Loss) -> losses.Own:
    """A loss whose conjugate is known, as if it were not."""
    return losses.Own("a copy", loss.number, loss.subgradient, loss.expression)


KNOWN = {
    "L3": losses.LOSSES["L3"],
    "nuclear": losses.Eigenvalues(losses.Absolute()),
    "huber": losses.Huber(0.5),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_numerical_conjugate_is_the_known_one_and_not_below(name: str) -> None:
    loss, rng = KNOWN[name], np.random.default_rng(5)
    own = copy(loss).within(30.0)
    for rho in (0.3, 4.0):
        for _ in range(3):
            X = rng.normal(size=(4, 4))
            W = DOUBLES.exact(rho * loss.subgradient((X + X.T) / 2))
            expected = loss.conjugate(DOUBLES, loss.inside(DOUBLES, W, rho), rho)
            found = own.conjugate(DOUBLES, W, rho)
            assert expected.lower <= found.upper <= expected.upper + 1e-4 * rho
    outside = DOUBLES.exact(9.0 * np.eye(4))
    if name != "L3":  # on the ball it is finite: ⟨W, X⟩ - ρL(X) at X = RI/2
        assert own.conjugate(DOUBLES, outside, 0.3).upper >= 9 * 60 - 0.3 * loss.number(
            15 * np.eye(4)
        )
    assert own.conjugate(DOUBLES, outside, 0.0).upper >= 30 * 18


@pytest.mark.parametrize("id", ["kundu2010-eq4", "kundu2010-eq6"])
@pytest.mark.parametrize("name", ["nuclear", "huber"])
def test_a_copy_has_the_optimum_of_what_it_copies(name: str, id: str) -> None:
    S, y = similarities(6, 2, kind="random", seed=3)
    given = (S, y, 1.0, 0.2, 6.0)
    known = cvxkernel.solve(id, Similarities(*given, KNOWN[name]), solver="conic", tol=1e-6)
    found = cvxkernel.solve(id, Similarities(*given, copy(KNOWN[name])), solver="conic", tol=1e-4)
    assert known.rigorous
    assert not found.rigorous
    assert found.open is not None
    assert "a copy" in found.open
    assert found.enclosure.meets(known.enclosure)


def test_a_new_loss_and_one_for_each_similarity() -> None:
    S, y = similarities(6, 2, kind="random", seed=3)
    for loss in (LOGISTIC, [LOGISTIC, "L3"]):
        at = Similarities(S, y, 1.0, 0.2, 6.0, loss)
        cone = cvxkernel.solve("kundu2010-eq4", at, solver="conic", tol=1e-4)
        paper = PaperDescent(tol=5e-2, max_iterations=400).solve("kundu2010-eq4", at)
        assert cone.enclosure.meets(paper.enclosure)
        assert not cone.rigorous
        assert not paper.rigorous


def test_its_lipschitz_constant_is_not_known() -> None:
    S, y = similarities(6, 2, kind="random", seed=3)
    at = Similarities(S, y, 1.0, 0.2, 6.0, LOGISTIC)
    with pytest.raises(InputError, match="caller's own"):
        PaperDescent(lip="known").solve("kundu2010-eq4", at)

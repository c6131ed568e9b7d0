"""The paper's own steps: under their proven bound at every t, and told by their name."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations.kundu2010 import Similarities
from cvxkernel.solvers.mirror_descent import ALGORITHMS, PaperDescent, mirror, printed_step
from cvxkernel.solvers.mirror_descent.steps import Lip
from cvxkernel.validation.kundu2010.samples import DESCENTS, descents, similarities

STEPS = 60


@pytest.mark.parametrize(("number", "name", "lip", "loss", "rho"), DESCENTS)
def test_true_steps_stay_under_their_proven_bound(
    number: int, name: str, lip: Lip, loss: object, rho: float
) -> None:
    problem = descents(name, loss, rho)
    optimum = cvxkernel.solve(f"kundu2010-{name}", problem, solver="conic", tol=1e-6)
    method = PaperDescent(lip=lip)
    best = np.inf
    for it in islice(method.iterates(ALGORITHMS[number](problem)), STEPS):
        best = min(best, it.value)
        assert best - optimum.upper <= it.proven
    assert best < np.inf


def test_the_answer_tells_which_it_is() -> None:
    S, y = similarities(8, 2, kind="random", seed=2)
    problem = Similarities(S, y, 1.0, 0.1, 8.0, "L3")
    paper = cvxkernel.solve("kundu2010-eq4", problem, solver="mirror_descent-paper", tol=5e-2)
    own = cvxkernel.solve("kundu2010-eq4", problem, solver="mirror_descent", tol=5e-2)
    assert (paper.solver, own.solver) == ("mirror_descent-paper", "mirror_descent")
    assert paper.enclosure.meets(own.enclosure)


def test_the_pairing_of_the_printed_step_is_a_choice() -> None:
    g = np.diag([3.0, 1.0, 2.0])[None]
    lam = np.array([[0.7, 0.2, 0.1]])
    made = {}
    for order in ("ascending", "descending"):
        values, K = printed_step(lam, g, 0.5, 1.0, order=order)
        assert K.trace(axis1=1, axis2=2) == pytest.approx(1.0)
        assert np.sort(np.linalg.eigvalsh(K)[0]) == pytest.approx(np.sort(values[0]))
        made[order] = K
    assert np.abs(made["ascending"] - made["descending"]).max() > 0.1
    # Paired as the first λ meets the first axis it is the true step, where all commute.
    true, _ = mirror(np.log(lam) - 0.5 * np.diagonal(g, axis1=1, axis2=2), 1.0)
    assert np.abs(made["ascending"] - np.diag(true[0])).max() > 0.1

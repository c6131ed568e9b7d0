"""The barrier for (32) and (45): the panel's optimum, and what the panel does not reach."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.solvers import solve
from cvxkernel.solvers.barrier import Barrier, inside, step
from cvxkernel.solvers.newton import DiscriminantFunction
from cvxkernel.validation.instances import sample

IDS = ("ye2008-thm3.1", "ye2008-eq45")


@pytest.mark.parametrize("id", IDS)
def test_it_agrees_with_the_panel(id):
    for kind in ("gaussian", "random"):
        problem = CATALOGUE[id].make(sample(id, 12, 3, kind=kind) | {"lam": 0.1})
        found, panel = solve(id, problem), solve(id, problem, solver="CLARABEL")
        assert found.solver == "barrier", found.attempts
        assert found.width <= 1e-6
        assert found.enclosure.meets(panel.enclosure)


def test_the_last_digits_of_the_data_do_not_decide_whether_it_answers():
    rng, data = np.random.default_rng(0), dict(sample("ye2008-eq45", 12, 3))
    K = data["kernels"]
    for _ in range(6):
        E = 1e-15 * rng.normal(size=K.shape)
        problem = CATALOGUE["ye2008-eq45"].make(data | {"kernels": K * (1 + E + E.mT)})
        assert solve("ye2008-eq45", problem, solver="barrier").width <= 1e-6


def test_a_step_is_newtons():
    # For d with Hd = -g on the simplex, (slope along d)²/(curvature along d) = dᵀHd.
    problem = CATALOGUE["ye2008-thm3.1"].make(sample("ye2008-thm3.1", 9, 3) | {"lam": 0.1})
    phi, mu = DiscriminantFunction(problem, binary=False), 0.3
    state = inside(phi, np.array([0.2, 0.5, 0.3]), np.full(phi.H.shape[1], 40.0))
    moved, promised = step(phi, state, mu)
    dw, dt = moved.at.w - state.at.w, moved.t - state.t
    h = 1e-3
    near = [inside(phi, state.at.w + s * dw, state.t + s * dt).merit(mu) for s in (h, -h)]
    slope = (near[0] - near[1]) / (2 * h)
    curvature = (near[0] + near[1] - 2 * state.merit(mu)) / h**2
    assert slope**2 / curvature == pytest.approx(2 * promised, rel=1e-4)


@pytest.mark.parametrize("lam", [1e-8, 1e-3, 1e6])
def test_degenerate_data_are_ordinary(lam):
    rng = np.random.default_rng(2)
    B = rng.normal(size=(15, 4))
    stack = np.stack([B @ B.T, np.diag((np.arange(15) % 3 == 0).astype(float)), np.eye(15)])
    for y in (np.arange(15.0), np.arange(15.0) == 0, np.arange(15) % 5.0):
        data = {"kernels": stack, "y": y.astype(float), "lam": lam}
        assert Barrier().solve("ye2008-thm3.1", CATALOGUE["ye2008-thm3.1"].make(data)).width <= 1e-6


def test_other_programs_are_refused():
    problem = CATALOGUE["ye2008-eq29"].make(sample("ye2008-eq29", 9, 2) | {"lam": 0.1})
    with pytest.raises(InputError, match="solver"):
        Barrier().solve("ye2008-eq29", problem)

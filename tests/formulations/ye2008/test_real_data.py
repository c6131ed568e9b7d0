"""UCI sonar with the ten Gaussian kernels of the paper, of the folder CVXKERNEL_DATA."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, kernels
from cvxkernel.formulations.ye2008 import RKDA, Discriminant
from cvxkernel.solvers import solve
from cvxkernel.validation.ye2008.samples import SIGMAS


@pytest.fixture(scope="module")
def sonar(shared_data):
    path = shared_data / "sonar.npz"
    if not path.is_file():
        pytest.skip(f"no file {path}")
    with np.load(path) as file:
        X, y = file["X"], file["y"].astype(float)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = (X / X.std(axis=0))[order], y[order]
    train, test = slice(0, 60), slice(60, None)
    return {
        "kernels": np.stack([kernels.gaussian(X[train], s) for s in SIGMAS]),
        "cross": np.stack([kernels.gaussian(X[test], s, X[train]) for s in SIGMAS]),
        "y": y[train],
        "y_test": y[test],
        "lam": 5e-4,
        "C": 1.0,
    }


def test_three_routes_to_one_optimum(sonar, optimum, tolerances):
    qcqp, silp = optimum("ye2008-thm2.2", sonar), optimum("ye2008-thm2.3", sonar)
    assert max(qcqp.width, silp.width) <= tolerances.width
    assert qcqp.meets(silp)
    joint = optimum("ye2008-eq43", sonar)
    assert joint.meets(optimum("ye2008-eq44", sonar))


def test_the_weights_of_sm1_share_out_ten(sonar, tolerances):
    for id, total in (("sm1", 10), ("sm2", 10), ("sm2c", 11)):
        form = CATALOGUE[f"lanckriet2004-{id}"]
        solution = solve(form.id, form.make(sonar))
        assert solution.width <= tolerances.width
        # unit diagonal: μᵀr = c says so exactly
        assert solution.variables["mu"].sum() == pytest.approx(total, rel=tolerances.rounding)


def test_the_learned_kernel_classifies_the_rest(sonar):
    problem = Discriminant(sonar["kernels"], sonar["y"], 5e-4)
    theta = solve("ye2008-thm2.3", problem).variables["theta"]
    fitted = RKDA.fit(problem, theta, 5e-4)
    assert np.mean(fitted.predict(sonar["cross"]) == sonar["y_test"]) > 0.65

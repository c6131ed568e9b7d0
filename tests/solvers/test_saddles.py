"""(4) and (6) where one term of the objective is all of it: two samples, and a number for a kernel.

With S = 0 and y = (1, -1) the best K is ½τI - k(J - I), 0 ≤ k ≤ ½τ: exchanging the samples leaves
the problem as it is, and the mean of two kernels is no worse. α is (t, t), t ≤ C, and

    ω = max over t ≤ C of 2t - ½t²(τ + 2k),   ‖K‖₁ = τ + 2k,   ‖K‖² = ½τ² + 2k²
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cvxkernel.formulations.errors import SolverError
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.solvers import conic, solve

PARAMETERS = [
    (1.0, 0.3, 1.0),
    (1e8, 1e8, 1e-6),
    (1e8, 1e-8, 1e6),
    (1e-8, 1e8, 1e8),
    (1e-8, 1e-8, 1e-8),
    (1e8, 1e8, 1e8),
]


def objective(k, C, rho, tau, loss):
    t = np.minimum(C, 2 / (tau + 2 * k))
    norm = {"L1": tau + 2 * k, "L2": np.sqrt(tau**2 / 2 + 2 * k * k), "L3": tau**2 / 2 + 2 * k * k}
    return 2 * t - t * t * (tau + 2 * k) / 2 + rho * norm[loss]


def least(C, rho, tau, loss):
    """The least objective, convex in k: the interval is narrowed about the best of its points."""
    low, high = 0.0, tau / 2
    for _ in range(12):
        k = np.linspace(low, high, 101)
        best = int(np.argmin(objective(k, C, rho, tau, loss)))
        low, high = k[max(best - 1, 0)], k[min(best + 1, 100)]
    return float(objective(k, C, rho, tau, loss).min())


@pytest.mark.parametrize("loss", ["L1", "L2", "L3"])
@pytest.mark.parametrize(("C", "rho", "tau"), PARAMETERS)
def test_two_samples_without_a_similarity(C, rho, tau, loss, tolerances):
    problem = Similarities(np.zeros((1, 2, 2)), [1, -1], C, rho, tau, loss)
    optimum = least(C, rho, tau, loss)
    for id in ("kundu2010-eq4", "kundu2010-eq6"):
        found = solve(id, problem)
        assert found.width <= tolerances.width
        assert found.lower <= optimum * (1 + 1e-12)
        assert found.upper >= optimum * (1 - 1e-12)


def test_what_the_panel_calls_unbounded_is_answered_in_a_few_steps(tolerances):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(5, 5))
    problem = Spectra(((A + A.T) / 2)[None], [1, -1, 1, -1, 1], 1e8, 1e8, 1e-6)
    with pytest.raises(SolverError):
        conic("kundu2010-eq7", problem, solvers=["CLARABEL"])
    found = solve("kundu2010-eq7", problem)
    assert found.solver == "mirror_descent"
    assert found.width <= tolerances.width


@pytest.mark.parametrize("loss", ["L1", "L2", "L3"])
def test_plain_similarities_are_ordinary_input(loss, tolerances):
    y = np.array([1.0, -1.0, -1.0, -1.0])
    plain = np.stack([np.zeros((4, 4)), -np.eye(4), np.outer(y, y)])
    for S, id in product((plain[:1], plain[1:2], plain), ("kundu2010-eq4", "kundu2010-eq6")):
        found = solve(id, Similarities(S, y, 1.0, 0.1, 4.0, loss))
        assert found.width <= tolerances.width

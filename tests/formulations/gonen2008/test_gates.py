"""The gates and the combined kernel: as printed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvxkernel.formulations import kernels, svm
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES, balls
from cvxkernel.formulations.gonen2008 import bounds, gates
from cvxkernel.solvers import solve


def test_the_gates_are_the_printed_softmax(tolerances, gated):
    problem = gated()
    z = np.array(
        [[v @ x + c for x in problem.X] for v, c in zip(problem.V, problem.v0, strict=True)]
    )
    assert problem.eta == pytest.approx(np.exp(z) / np.exp(z).sum(axis=0), rel=tolerances.rounding)
    found = bounds.gates(DOUBLES, problem)
    assert found.mid == pytest.approx(problem.eta, rel=tolerances.rounding)
    assert (found.radius <= 1e-13 * found.mid).all()


def test_the_gates_depend_on_differences_alone(tolerances, gated):
    problem = gated()
    moved = gates(problem.X, problem.V + np.array([3.0, -2.0]), problem.v0 + 7)
    assert moved == pytest.approx(problem.eta, rel=1e-10)
    assert problem.eta.sum(axis=0) == pytest.approx(1, rel=tolerances.rounding)


def test_gates_of_any_size_are_gates(gated):
    problem = gated(V=1e80 * np.ones((3, 2)) * np.array([[1], [0], [-1]]))
    assert np.isin(problem.eta, (0.0, 1.0)).all()
    found = bounds.gates(DOUBLES, problem)
    assert (found.lower <= problem.eta).all()
    assert (found.upper >= problem.eta).all()
    assert found.radius.max() <= 1e-15
    assert solve("gonen2008-eq7", problem).width <= 1e-7


def test_the_combined_kernel_is_the_printed_sum(tolerances, gated):
    problem = gated(9)
    eta, K = problem.eta, problem.kernels
    printed = [
        [sum(eta[m, i] * K[m, i, j] * eta[m, j] for m in range(3)) for j in range(9)]
        for i in range(9)
    ]
    assert problem.K_eta == pytest.approx(np.array(printed), rel=tolerances.rounding)
    Q = bounds.combined(DOUBLES, problem).mid
    assert pytest.approx(svm.signed(problem.y, problem.K_eta), abs=tolerances.rounding) == Q


@pytest.mark.parametrize("spread", [0.0, 1e-8, 1.0, 30.0, 700.0, 1e5, 1e30, 1e90])
def test_the_gates_and_the_kernel_in_doubles_hold_those_in_balls(spread, gated):
    made = gated(9)
    problem = gated(9, V=spread * made.V, v0=made.v0)
    with balls.precision(2000):
        for found, exact in (
            (bounds.gates(DOUBLES, problem), bounds.gates(BALLS, problem)),
            (bounds.combined(DOUBLES, problem).spread(), bounds.combined(BALLS, problem)),
        ):
            assert ((exact - found.mid).upper <= found.radius).all()
            assert ((found.mid - exact).upper <= found.radius).all()
    assert found.radius.max() <= 1e-13 * max(1.0, min(spread, 1e5)) * np.abs(found.mid).max()


@given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.0, 0.1, 1.0, 30.0]))
def test_the_combined_kernel_is_a_gram_matrix(seed, spread, random_gated):
    # K_m = R_mᵀR_m gives K_η = FᵀF with F the stack of the R_mD_m.
    rng = np.random.default_rng(seed)
    problem = random_gated(rng, 8, 3, 2, spread=spread)
    F = np.concatenate(
        [kernels.factor(K) * eta for K, eta in zip(problem.kernels, problem.eta, strict=True)]
    )
    allowed = 50 * np.finfo(float).eps * problem.kernels.max()
    assert np.abs(F.T @ F - problem.K_eta).max() <= allowed
    assert np.linalg.eigvalsh(problem.K_eta)[0] >= -8 * allowed
    # The paper asks for gates that are not negative; a congruence needs no sign.
    signed = sum(
        (s * eta)[:, None] * K * (s * eta)
        for s, eta, K in zip(rng.normal(size=(3, 8)), problem.eta, problem.kernels, strict=True)
    )
    assert np.linalg.eigvalsh(signed)[0] >= -50 * 8 * allowed


def test_constant_gates_give_squared_weights(tolerances, gated):
    v0 = np.array([0.3, -1.0, 2.0])
    problem = gated(V=np.zeros((3, 2)), v0=v0)
    eta = np.exp(v0) / np.exp(v0).sum()
    expected = np.tensordot(eta**2, problem.kernels, axes=1)
    assert problem.K_eta == pytest.approx(expected, rel=tolerances.rounding)
    # The weights add up to one before they are squared: "similar to", not the convex combination.
    assert (eta**2).sum() < 0.99

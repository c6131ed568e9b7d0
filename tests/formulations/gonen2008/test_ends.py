"""(5) and (7) at a gating: both ends, by conic solvers and by a machine."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, kernels, lanckriet2004, svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.gonen2008 import bounds
from cvxkernel.solvers import solve, units
from cvxkernel.validation.instances import sample

KINDS = ("gaussian", "random", "low rank")
EQ7 = CATALOGUE["gonen2008-eq7"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("spread", [0.0, 1.0, 20.0])
def test_eq5_and_eq7_are_enclosed_to_1e_7(kind, C, spread, gated):
    made = gated(20, 3, kind, seed=3, C=C)
    problem = gated(20, 3, kind, seed=3, C=C, V=spread * made.V, v0=spread * made.v0)
    by_svm = solve("gonen2008-eq7", problem, solver="svm", tol=1e-7)
    by_conic = solve("gonen2008-eq7", problem, tol=1e-7)
    assert by_svm.enclosure.meets(by_conic.enclosure)
    # (5) at the α and b of the answer: feasible, and no further from (7) than 1e-7.
    Q, y = bounds.combined(DOUBLES, problem), problem.y
    alpha, b = by_svm.variables["alpha"], float(by_svm.variables["b"])
    low, image = svm.value(DOUBLES, Q, alpha).lower, Q @ alpha
    high = svm.primal(DOUBLES, DOUBLES.inner(alpha, image), image, y, problem.C, b).upper
    assert 0 <= high - low <= 1e-7 * high


@pytest.mark.parametrize("kind", KINDS)
def test_the_primal_program_has_the_value_of_the_dual(kind, tolerances, gated):
    problem = units.of(EQ7).scaled(gated(12, 3, kind, seed=5))
    primal, dual = problem.eq5(), problem.eq7()
    for program in (primal, dual):
        program.problem.solve(solver=cp.CLARABEL, tol_gap_rel=1e-9, tol_feas=1e-9)
    enclosure = EQ7.enclose(problem, {"alpha": dual.value("alpha")})
    assert enclosure.width <= 1e-7
    assert primal.problem.value == pytest.approx(enclosure.value, rel=1e-7)
    # (6): the multiplier of the margins is α, and the w_m are made of it.
    alpha = np.abs(primal.dual("margin"))
    assert EQ7.enclose(problem, {"alpha": alpha}).width <= tolerances.width
    for m in range(problem.p):
        w = kernels.factor(problem.kernels[m]) @ (alpha * problem.y * problem.eta[m])
        assert primal.value(f"w{m + 1}") == pytest.approx(w, abs=tolerances.stationarity)


def test_one_kernel_is_an_ordinary_machine(gated):
    problem = gated(p=1)
    assert np.array_equal(problem.K_eta, problem.kernels[0])
    plain = lanckriet2004.SoftMargin(problem.kernels, problem.y, problem.C)
    twice = solve("lanckriet2004-sm1", plain)
    found = solve("gonen2008-eq7", problem)
    assert 2 * found.lower <= twice.upper
    assert twice.lower <= 2 * found.upper


def test_equal_kernels_with_equal_gates_are_one_kernel_divided(contains, gated):
    K = sample("gonen2008-eq7", 14, 1)["kernels"]
    problem = gated(kernels=np.repeat(K, 3, axis=0), V=np.zeros((3, 2)), v0=np.zeros(3))
    alone = gated(p=1, kernels=K / 3)
    assert solve("gonen2008-eq7", problem).enclosure.meets(solve("gonen2008-eq7", alone).enclosure)


@pytest.mark.parametrize("solver", [None, "svm"])
def test_a_kernel_that_says_nothing_leaves_the_hinges(solver, contains, gated):
    # K_η = 0: every sample of the smaller class, and as much of the larger, is at C.
    problem = gated(p=2, kernels=np.zeros((2, 14, 14)), C=3.0)
    few = min((problem.y > 0).sum(), (problem.y < 0).sum())
    assert contains(solve("gonen2008-eq7", problem, solver=solver).enclosure, 3.0 * 2 * few)


@pytest.mark.parametrize("scale", [1e-50, 1e-6, 1e6, 1e50])
def test_the_units_of_the_kernels_do_not_matter(scale, gated):
    problem = gated()
    one = solve("gonen2008-eq7", problem, solver="svm")
    scaled = gated(kernels=scale * problem.kernels, C=problem.C / scale)
    for solver in (None, "svm"):
        found = solve("gonen2008-eq7", scaled, solver=solver, tol=1e-7)
        assert found.lower * scale <= one.upper * (1 + 1e-10)
        assert found.upper * scale >= one.lower * (1 - 1e-10)

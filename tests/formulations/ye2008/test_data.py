"""G̃, r, a and H of ye2008; S(β), argmin and restricted master of its semi-infinite programs."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.errors import InputError, LabelError
from cvxkernel.formulations.kim2006 import KernelFisher
from cvxkernel.formulations.ye2008 import Discriminant, JointDiscriminant
from cvxkernel.solvers import units
from cvxkernel.solvers.column_generation import master
from cvxkernel.validation import instance, rigorous
from cvxkernel.validation.instances import random_kernels

SAMPLES = np.array([3.0, 1, 1, 2, 3, 1, 1, 2, 1, 3, 3])  # 5, 2 and 4 samples, in no order


@pytest.fixture(scope="module")
def fixed():
    return Discriminant(random_kernels(11, 3, seed=1), SAMPLES, 0.05)


@pytest.fixture(scope="module")
def joint():
    return JointDiscriminant(random_kernels(11, 3, seed=1), SAMPLES)


def test_a_of_3_in_the_order_of_the_labels(tolerances):
    y = np.array([-1.0, 1, 1, -1, 1])
    a = Discriminant(random_kernels(5, 1), y, 1.0).a
    assert a[:, 0] == pytest.approx([-1 / 2, 1 / 3, 1 / 3, -1 / 2, 1 / 3], rel=1e-15)
    assert a.sum() == pytest.approx(0, abs=tolerances.rounding)


def test_a_needs_two_classes(fixed):
    with pytest.raises(LabelError, match="y: expected exactly two classes"):
        fixed.a  # noqa: B018


def test_H_of_24_with_the_size_of_class_i(fixed):
    n, H = 11, fixed.H
    for i, (label, n_i) in enumerate([(1.0, 5), (2.0, 2), (3.0, 4)]):
        for j in range(n):
            inside = np.sqrt(n / n_i) - np.sqrt(n_i / n)
            expected = inside if SAMPLES[j] == label else -np.sqrt(n_i / n)
            assert H[j, i] == pytest.approx(expected, rel=1e-14)


def test_H_is_centred_and_weighs_the_binary_problems(fixed, tolerances):
    assert np.abs(fixed.H.sum(axis=0)).max() < tolerances.rounding
    for i, label in enumerate(fixed.classes):
        # (n - nᵢ)√(nᵢ/n) a⁽ⁱ⁾, a⁽ⁱ⁾ the vector (3) of class i against the rest
        n_i = int((label == SAMPLES).sum())
        against_rest = Discriminant(fixed.kernels, np.where(label == SAMPLES, 1.0, -1.0), 1.0)
        weight = (11 - n_i) * np.sqrt(n_i / 11)
        assert weight * against_rest.a[:, 0] == pytest.approx(fixed.H[:, i], abs=1e-13)


def test_the_printed_n_j_would_not_be_centred(fixed):
    # (24) as printed: n_j, the size of the class of sample j, in place of n_i.
    sizes = {label: (label == SAMPLES).sum() for label in fixed.classes}
    n_j = np.array([sizes[label] for label in SAMPLES])
    printed = np.stack(
        [np.where(c == SAMPLES, np.sqrt(11 / n_j), 0) - np.sqrt(n_j / 11) for c in fixed.classes],
        axis=1,
    )
    assert np.abs(printed.sum(axis=0)).max() > 0.1


def test_r_is_the_trace_of_the_centred_kernel(fixed, joint, tolerances):
    P = np.eye(11) - 1 / 11
    expected = [np.trace(P @ K @ P) for K in fixed.kernels]
    assert fixed.r == pytest.approx(expected, rel=tolerances.rounding)
    # r₀ = trace(I) = n, not n - 1: G̃₀ is not centred.
    assert joint.r == pytest.approx([11, *expected], rel=tolerances.rounding)
    assert np.array_equal(joint.G[0], np.eye(11))


def test_r_of_an_almost_constant_kernel_keeps_its_digits():
    K = random_kernels(11, 1, seed=4)[0]
    problem = Discriminant((K + 1e6)[None], SAMPLES, 1.0)
    # The doubles K + 1e6 carry 1e-10 of error themselves; no more may be lost.
    P = np.eye(11) - 1 / 11
    assert problem.r[0] == pytest.approx(np.trace(P @ ((K + 1e6) - 1e6) @ P), abs=1e-8)


def test_kernels_and_SAMPLEScannot_be_changed_afterwards(fixed):
    with pytest.raises(ValueError, match="read-only"):
        fixed.kernels[0, 0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        fixed.y[0] = 1.0
    with pytest.raises(AttributeError):
        fixed.lam = 2.0


def test_the_array_passed_in_stays_writable_and_apart():
    K, y = random_kernels(6, 2), np.array([0.0, 0, 0, 1, 1, 1])
    problem = Discriminant(K, y, 1.0)
    K[:] = 0.0
    y[:] = 7.0
    assert problem.kernels.any()
    assert problem.k == 2


# -- The semi-infinite programs ---------------------------------------------------------------


@given(seed=st.integers(0, 10**6))
def test_S_is_18_and_38_term_by_term(fixed, seed):
    beta = np.random.default_rng(seed).normal(size=(11, 3))
    P = np.eye(11) - 1 / 11
    for i, (K, S_i) in enumerate(zip(fixed.kernels, fixed.S(beta, fixed.H), strict=True)):
        expected = 0.0
        for b, h in zip(beta.T, fixed.H.T, strict=True):
            quad = b @ P @ K @ P @ b
            expected += fixed.r[i] / 4 * (b @ b) + quad / (4 * 0.05) - fixed.r[i] * (b @ h)
        assert S_i == pytest.approx(expected, rel=1e-11, abs=1e-11)


@given(seed=st.integers(0, 10**6))
def test_S_below_47_term_by_term(joint, seed):
    beta = np.random.default_rng(seed).normal(size=(11, 3))
    S = joint.S(beta, joint.H)
    for G, r, S_i in zip(joint.G, joint.r, S, strict=True):
        expected = sum(b @ G @ b / 4 - r * (b @ h) for b, h in zip(beta.T, joint.H.T, strict=True))
        assert S_i == pytest.approx(expected, rel=1e-11, abs=1e-11)


@given(seed=st.integers(0, 10**6))
def test_argmin_is_stationary_for_20(fixed, joint, seed):
    rng = np.random.default_rng(seed)
    for problem in (fixed, joint):
        theta = rng.dirichlet(np.ones(len(problem.r))) / problem.r
        beta = problem.argmin(theta, problem.H)
        least = theta @ problem.S(beta, problem.H)
        for _ in range(5):
            nearby = beta + rng.normal(size=beta.shape) * 10.0 ** rng.integers(-3, 1)
            assert theta @ problem.S(nearby, problem.H) >= least - 1e-12 * abs(least)


def test_argmin_solves_the_printed_system(fixed, tolerances):
    theta = np.array([0.2, 0.3, 0.5]) / fixed.r
    M = np.eye(11) / 2 + np.tensordot(theta, fixed.G, axes=1) / (2 * fixed.lam)
    beta = fixed.argmin(theta, fixed.H)
    assert pytest.approx(fixed.H, abs=tolerances.rounding) == M @ beta
    # and the least of ΣθᵢSᵢ is minus the value of (11) at these weights
    value = np.trace(fixed.H.T @ np.linalg.solve(2 * M, fixed.H))
    assert theta @ fixed.S(beta, fixed.H) == pytest.approx(-value, rel=tolerances.rounding)


@pytest.mark.parametrize("kind", ["fixed", "joint"])
def test_the_restricted_master_is_the_linear_program_of_column_generation(kind, request):
    problem = request.getfixturevalue(kind)
    rng = np.random.default_rng(0)
    thetas = rng.dirichlet(np.ones(len(problem.r)), size=5) / problem.r
    B = [problem.argmin(theta, problem.H) for theta in thetas]
    program = problem.thm3_3(B) if kind == "fixed" else problem.eq47(B)
    program.problem.solve(solver=cp.HIGHS)
    gamma = float(program.value("gamma"))
    cuts = np.array([problem.S(beta, problem.H) / problem.r for beta in B])
    w, nu, found = master(cuts, abs(cuts.max()))
    assert found == pytest.approx(gamma, rel=1e-7)  # HiGHS promises 1e-7 on the literal rows
    assert w.sum() == pytest.approx(1)
    assert nu.sum() == pytest.approx(1)
    # Both ends of the linear program, evaluated: min over the cuts at w, max over the weights at ν.
    assert (cuts @ w).min() == pytest.approx((nu @ cuts).max(), rel=1e-8)
    # A relaxation of the maximum: it lies above minus the optimum.
    assert (
        gamma
        >= max(float(t @ problem.S(b, problem.H)) for t, b in zip(thetas, B, strict=True)) - 1e-7
    )


def test_the_binary_masters_use_a():
    data = instance(10, 3, 2, kind="random")
    for problem, name in (
        (Discriminant(data["kernels"], data["y"], 0.05), "thm2_3"),
        (JointDiscriminant(data["kernels"], data["y"]), "eq44"),
    ):
        theta = 1 / (len(problem.r) * problem.r)
        beta = problem.argmin(theta, problem.a)
        program = getattr(problem, name)([beta])
        program.problem.solve(solver=cp.HIGHS)
        # With one cut, all the weight goes to the largest Sᵢ/rᵢ.
        best = (problem.S(beta, problem.a) / problem.r).max()
        assert float(program.value("gamma")) == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("name", ["thm2_1", "thm2_2", "thm2_3"])
def test_binary_programs_refuse_three_classes(fixed, name):
    arguments = ([fixed.H],) if name == "thm2_3" else ()
    with pytest.raises(LabelError, match="exactly two classes"):
        getattr(fixed, name)(*arguments)


@pytest.mark.parametrize("name", ["eq41", "eq43", "eq44"])
def test_joint_binary_programs_refuse_three_classes(joint, name):
    arguments = ([joint.H],) if name == "eq44" else ()
    with pytest.raises(LabelError, match="exactly two classes"):
        getattr(joint, name)(*arguments)


def test_a_problem_holds_the_papers_data_and_nothing_else(fixed, joint):
    kernels = fixed.kernels
    for make in (
        lambda: Discriminant(kernels, SAMPLES, 0.05, scale=3.0),
        lambda: JointDiscriminant(kernels, SAMPLES, scale=3.0),
        lambda: KernelFisher(kernels, np.sign(SAMPLES - 1.5), 0.05, scale=3.0),
    ):
        with pytest.raises(TypeError, match="scale"):
            make()
    for problem in (fixed, joint):
        assert not hasattr(problem, "scale")


def test_what_a_solver_is_given_is_no_problem(fixed):
    form = CATALOGUE["ye2008-eq29"]
    unit = units.of(form).scaled(fixed)
    assert np.array_equal(unit.H, unit.scale * fixed.H)
    assert unit.scale != 1
    with pytest.raises(InputError, match="expected a Discriminant"):
        form.require(unit)
    with pytest.raises(InputError, match="expected a Discriminant"):
        rigorous.enclose("ye2008-eq29", unit)
    with pytest.raises(AttributeError, match="no y"):
        form.enclose(unit, {})

"""Weights and dual points read off a solved program: they satisfy the KKT lines they cite."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.lanckriet2004 import JointMargin, SoftMargin
from cvxkernel.solvers import units
from cvxkernel.validation import instance

STACKED = ("ye2008", "kim2006", "lanckriet2004")  # a stack of kernels, y, λ, C
EVERY = [id for id, form in CATALOGUE.items() if form.paper in STACKED]
QUAD = [id for id in EVERY if CATALOGUE[id].kind == "QCQP"]
LMI = ["ye2008-thm2.1", "ye2008-eq29", "ye2008-eq29-single", "ye2008-eq41", "ye2008-eq45-single"]
RESTRICTED = ["ye2008-thm3.1", "ye2008-eq45"]
TIGHT = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


@pytest.fixture(scope="module")
def unit_solution():
    """The problem in its own units, and the literal program solved there."""

    def get(id, kind="random", **changes):
        form = CATALOGUE[id]
        k = 3 if form.paper == "ye2008" and not form.binary else 2
        problem = units.of(form).scaled(form.make({**instance(12, 3, k, kind=kind), **changes}))
        program = form.program(problem)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program.problem.solve(solver=cp.CLARABEL, **TIGHT)
        return problem, program

    return get


def system(problem, theta):
    """M(θ) of (8) or (41), from the problem's own matrices."""
    M = np.tensordot(theta, problem.G, axes=1)
    return np.eye(problem.n) + M / problem.lam if hasattr(problem, "lam") else M


def class_vectors(id, problem):
    return problem.a if CATALOGUE[id].binary else problem.H


@pytest.mark.parametrize("id", [id for id in QUAD if id.startswith("ye2008")])
def test_weights_from_the_multipliers_of_the_quadratic_constraints(id, unit_solution, tolerances):
    problem, program = unit_solution(id)
    theta, beta = problem.weights_from_quad(program), program.value("beta")
    h = class_vectors(id, problem)
    assert theta.min() >= -tolerances.stationarity * theta.max()
    # ∂L/∂t = 0: the budget
    assert theta @ problem.r == pytest.approx(1, abs=tolerances.stationarity)
    # ∂L/∂β = 0: hⱼ = ½M(θ)βⱼ, the linear system of (20)
    residual = h - system(problem, theta) @ beta / 2
    assert np.linalg.norm(residual) <= tolerances.stationarity * np.linalg.norm(h)
    # complementarity: weight only where the constraint binds
    forms = np.array([np.sum(beta * (G @ beta)) for G in problem.G]) / problem.r
    t = float(program.value("t"))
    assert np.abs(theta * problem.r * (t - forms)).max() <= tolerances.stationarity * t


@pytest.mark.parametrize("id", LMI)
def test_beta_from_the_dual_matrix_of_the_lmi(id, unit_solution, tolerances):
    problem, program = unit_solution(id)
    theta, beta = program.value("theta"), problem.beta_from_lmi(program)
    h = class_vectors(id, problem)
    assert beta.shape == h.shape
    assert theta @ problem.r == pytest.approx(1, abs=tolerances.stationarity)
    residual = h - system(problem, theta) @ beta / 2
    assert np.linalg.norm(residual) <= tolerances.stationarity * np.linalg.norm(h)
    # strong duality of the two programs: bound(β) is the optimum
    b = float(np.sum(beta * h))
    assert b / 2 == pytest.approx(program.problem.value, rel=tolerances.stationarity)


@pytest.mark.parametrize("id", RESTRICTED)
def test_the_restricted_dual(id, unit_solution, tolerances):
    problem, program = unit_solution(id)
    Z, beta = problem.restricted_from_lmi(program)
    # ∂L/∂tⱼ = 0
    assert Z.diagonal() == pytest.approx(np.ones(problem.k), abs=tolerances.stationarity)
    eig, V = np.linalg.eigh(Z)
    assert eig[0] >= -tolerances.stationarity
    # With R the root of Z the rest is (34) with H replaced by HR: stationary in β. Z is singular
    # (the columns of H add up to nothing, weighted), so the residual is taken times R.
    root = V * np.sqrt(np.maximum(eig, 0)) @ V.T
    theta = program.value("theta")
    residual = (problem.H @ root - system(problem, theta) @ beta / 2) @ root
    assert np.linalg.norm(residual) <= tolerances.stationarity * np.linalg.norm(problem.H)
    # complementarity of diag(t) ⪰ S with Z
    t = program.value("t")
    S = problem.H.T @ np.linalg.solve(system(problem, theta), problem.H)
    assert np.sum(Z * (np.diag(t) - S)) == pytest.approx(0, abs=tolerances.stationarity * t.sum())


def test_kim2006_u_from_the_dual_matrix(unit_solution, tolerances):
    problem, program = unit_solution("kim2006")
    u = problem.u_from_lmi(program)
    G = np.tensordot(program.value("theta"), problem.kernels, axes=1)
    J, a = problem.J, problem.a
    # ∇q = 0: (λI + JGJ)u = JGa
    right = J @ G @ a
    residual = problem.lam * u + J @ G @ J @ u - right
    assert np.linalg.norm(residual) <= tolerances.stationarity * np.linalg.norm(right)
    v = a - J @ u
    forms = np.array([(v.T @ K @ v).item() for K in problem.kernels])
    bound = (u.T @ u).item() + forms.max() / problem.lam
    assert bound == pytest.approx(program.problem.value, rel=tolerances.stationarity)


@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("id", [id for id in QUAD if id.startswith("lanckriet2004")])
def test_margin_weights_from_the_multipliers(id, C, unit_solution, tolerances):
    problem, program = unit_solution(id, C=C)
    mu, alpha = problem.weights_from_quad(program), program.value("alpha")
    assert mu.min() >= -tolerances.stationarity * mu.max()
    # ∂L/∂t = 0: μᵀr = c
    assert mu @ problem.r == pytest.approx(problem.c, rel=tolerances.stationarity)
    # ∂L/∂α: 2(1 - Qα) - by is zero on free points, ≤ 0 at zero, ≥ 0 at C
    Q = np.tensordot(mu, problem.G, axes=1)
    if id == "lanckriet2004-sm2":
        Q = Q + np.eye(problem.n) / problem.C
    gap = 2 * (1 - Q @ alpha)
    top = problem.C if id == "lanckriet2004-sm1" else np.inf
    small = 1e-5 * alpha.max()
    free = (alpha > small) & (alpha < top - small)
    b = (
        -float(program.dual("balance"))
        if free.sum() == 0
        else float(np.mean((gap * problem.y)[free]))
    )
    rest = gap - b * problem.y
    slack = tolerances.stationarity * 10
    assert np.abs(rest[free]).max(initial=0.0) <= slack
    assert rest[alpha <= small].max(initial=0.0) <= slack
    assert rest[alpha >= top - small].min(initial=0.0) >= -slack
    # the soft margin dual with ΣμᵢKᵢ has the same value
    assert 2 * alpha.sum() - alpha @ Q @ alpha == pytest.approx(
        program.problem.value, rel=tolerances.stationarity
    )


@pytest.mark.parametrize("id", [id for id in EVERY if CATALOGUE[id].kind != "SILP"])
@pytest.mark.parametrize("kind", ["gaussian", "low rank"])
def test_what_is_recovered_encloses_tightly(id, kind, unit_solution):
    unit, program = unit_solution(id, kind)
    form = CATALOGUE[id]
    k = 3 if form.paper == "ye2008" and not form.binary else 2
    problem = form.make(instance(12, 3, k, kind=kind))
    point = units.of(form).restored(problem, unit, form.recover(unit, program))
    # A solver may stop short on a hard instance, but not by much: the widths that the panel refuses
    # are of order 1e-6.
    assert form.enclose(problem, point).width <= 1e-4


def test_unit_diagonal_kernels_share_out_p(solved, tolerances):
    # The weights of the paper's Tables 2 to 5: they sum to p, p and p + 1.
    for id, total in (("sm1", 3), ("sm2", 3), ("sm2c", 4)):
        problem, solution = solved(f"lanckriet2004-{id}", "gaussian")
        assert isinstance(problem, SoftMargin | JointMargin)
        assert solution.variables["mu"].sum() == pytest.approx(total, rel=tolerances.rounding)


@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("id", [id for id in EVERY if CATALOGUE[id].kind != "SILP"])
def test_the_literal_program_has_the_enclosed_value(id, C, optimum, tolerances):
    # The enclosure repairs what it is given, so a wrong constant could hide behind it: here the
    # objective of the program itself, in the units of the paper, as the solver reports it.
    k = 3 if id.startswith("ye2008") and not CATALOGUE[id].binary else 2
    data = {**instance(12, 3, k, kind="random"), "lam": C, "C": C}
    data["kernels"] = data["kernels"] * np.array([2.0, 10.0, 5.0])[:, None, None]
    found = optimum(id, data)
    program = CATALOGUE[id].program(CATALOGUE[id].make(data))
    program.problem.solve(solver=cp.CLARABEL)
    slack = tolerances.stationarity * abs(found.upper)
    assert found.lower - slack <= program.problem.value <= found.upper + slack

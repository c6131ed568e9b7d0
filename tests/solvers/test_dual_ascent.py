"""Newton's ascent on the dual over α: derivatives, both ends throughout, hard parameters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from cvxkernel.formulations import CATALOGUE, InputError, SolverError, svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.chen2009 import KernelMachine, RobustMachine, bounds, spectrum
from cvxkernel.solvers import DualAscent, conic, solve
from cvxkernel.solvers.box import quadratic_program, violation
from cvxkernel.solvers.dual_ascent import (
    Ascended,
    bent,
    cross,
    curvature,
    distances,
    rate,
    spread,
)
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.instances import sample

KINDS = ("gaussian", "random", "low rank")


def ends(Q, y, C, alpha):
    Q, alpha = svm.nearest(Q), svm.feasible(DOUBLES, alpha, y, C)
    return svm.value(DOUBLES, Q, alpha).lower, svm.upper(DOUBLES, Q, y, C, alpha).upper


def gradient(problem, alpha):
    return 1 - problem.y * (problem.K_star(alpha) @ (problem.y * alpha))


@pytest.mark.parametrize("rho", [0.02, 0.5, 20.0])
def test_the_derivatives_are_those_of_the_dual(rho):
    S, y = similarity(9, kind="random")
    problem, rng = RobustMachine(S, y, 1.0, rho), np.random.default_rng(0)
    alpha = rng.random(9)

    def at(x):
        return Ascended.of(problem, x, 0.0)

    error = check_grad(lambda x: at(x).value, lambda x: gradient(problem, x), alpha)
    assert error <= 1e-5 * np.linalg.norm(gradient(problem, alpha))
    assert np.allclose(1 - at(alpha).image, gradient(problem, alpha), atol=1e-9)
    for d in rng.normal(size=(3, 9)):
        step = 1e-5
        up, down = gradient(problem, alpha + step * d), gradient(problem, alpha - step * d)
        assert np.allclose((up - down) / (2 * step), -bent(at(alpha)) @ d, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("x", [0.5, 2.0])
def test_the_derivatives_in_the_distance_are_those_of_the_dual(x):
    S, y = similarity(9, kind="random")
    problem, alpha = KernelMachine(S, y, 0.1, 0.2), np.random.default_rng(0).random(9)
    s, step = spread(problem, x), 1e-5
    at, up, down = (Ascended.of(problem, alpha, x + e) for e in (0.0, step, -step))
    assert np.isclose(at.at.s, s)

    def difference(name):  # in s, of which x is the logarithm but for a constant
        return (name(up) - name(down)) / (up.at.s - down.at.s)

    assert np.linalg.norm(at.at.K - S) ** 2 == pytest.approx(at.at.square, rel=1e-12)
    assert difference(lambda one: one.at.square) == pytest.approx(2 * s * at.at.turn, rel=1e-6)
    assert difference(lambda one: one.value) == pytest.approx(-at.at.square / (4 * s * s), rel=1e-6)
    assert difference(rate) == pytest.approx(curvature(at), rel=1e-6)
    assert np.allclose(difference(lambda one: -one.image), cross(at), rtol=1e-5, atol=1e-8)


def test_the_quadratic_program_is_a_support_vector_machine_at_q_1():
    S, y = similarity(20, kind="random")
    Q = svm.signed(y, spectrum.clip(S) + 0.1 * np.eye(20))
    alpha = quadratic_program(Q, np.ones(20), y, 0.7)
    low, high = ends(Q, y, 0.7, alpha)
    assert high - low <= 1e-7


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", sorted(DualAscent.answers))
def test_it_meets_the_conic_solvers_and_narrows_at_every_iteration(id, kind, tolerances):
    problem = CATALOGUE[id].make(sample(id, 18, 1, kind=kind, seed=1))
    solution = DualAscent(tol=1e-8).solve(id, problem)
    assert solution.width <= 1e-8
    assert solution.solver == "dual_ascent"
    assert len(solution.history) == solution.iterations
    assert solution.enclosure.meets(conic(id, problem).enclosure)
    lower, upper = (
        np.array([getattr(s, end) for s in solution.history]) for end in ("lower", "upper")
    )
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) <= 0).all()
    slack = tolerances.rounding * abs(solution.value)
    assert (lower <= solution.upper + slack).all()
    assert (upper >= solution.lower - slack).all()


@pytest.mark.parametrize("kind", KINDS)
def test_steps_of_both_are_fewer_than_those_of_one_after_the_other(kind, monkeypatch):
    data = sample("chen2009-eq7", 18, 1, kind=kind, seed=1) | {"gamma": 0.01}
    problem, method = CATALOGUE["chen2009-eq7"].make(data), DualAscent(tol=1e-9)
    together = method.solve("chen2009-eq7", problem).iterations
    monkeypatch.setattr(DualAscent, "joined", lambda *_: None)
    assert together <= 2 / 3 * method.solve("chen2009-eq7", problem).iterations


@pytest.mark.parametrize("second", [1e-3, 1.0, 1e2])
@pytest.mark.parametrize("first", [1e-4, 1e-2, 1.0, 1e4])
def test_small_and_large_parameters(first, second, tolerances):
    S, y = similarity(12, kind="random")
    robust = solve("luss2007", RobustMachine(S, y, C=second, rho=first))
    kernel = solve("chen2009-eq7", KernelMachine(S, y, eta=0.01 * second, gamma=first))
    assert max(robust.width, kernel.width) <= tolerances.width


def semidefinite(rng):
    return spectrum.clip(similarity(12, kind="random")[0]) + 0.01 * np.eye(12)


def singular(rng):
    return spectrum.clip(similarity(12, kind="random")[0])


def one_negative(rng):
    Q = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    S = (Q * np.r_[-2.0, np.linspace(0.1, 3, 11)]) @ Q.T
    return (S + S.T) / 2


def negative(rng):
    return -semidefinite(rng)


def repeated(rng):
    return np.eye(12)[::-1].copy()


def large(rng):
    return 1e6 * similarity(12, kind="random")[0]


def small(rng):
    return 1e-6 * similarity(12, kind="random")[0]


# With S ⪰ 0 or one negative eigenvalue the ball ηαᵀα ≤ γ may bind; with S ⪰ 0 and γ large K = S.
@pytest.mark.parametrize("gamma", [1e-3, 0.05, 10.0])
@pytest.mark.parametrize(
    "make", [semidefinite, singular, one_negative, negative, repeated, large, small]
)
def test_similarities_at_the_edge(make, gamma, tolerances):
    S, y = make(np.random.default_rng(0)), similarity(12)[1]
    for eta in (1e-3, 0.1):
        assert solve("chen2009-eq7", KernelMachine(S, y, eta, gamma)).width <= tolerances.width
    assert solve("luss2007", RobustMachine(S, y, 1.0, gamma)).width <= tolerances.width


def test_with_a_semidefinite_similarity_and_a_large_gamma_the_kernel_is_the_similarity(tolerances):
    S, y = semidefinite(None), similarity(12)[1]
    kernel = solve("chen2009-eq7", KernelMachine(S, y, 0.01, 10.0))
    plain = solve("chen2009-eq3", CATALOGUE["chen2009-eq3"].make({"K": S, "y": y, "eta": 0.01}))
    assert kernel.enclosure.meets(plain.enclosure)
    assert np.linalg.norm(kernel.variables["K"] - S) <= 1e-6 * np.linalg.norm(S)


def test_the_ball_in_the_dual_can_bind():
    """S ⪰ 0 and γ small: K = S + s·vvᵀ, W = ηvvᵀ with ηαᵀα = γ."""
    S, y = semidefinite(None), similarity(12)[1]
    solution = solve("chen2009-eq7", KernelMachine(S, y, 0.01, 1e-3))
    alpha, K = solution.variables["alpha"], solution.variables["K"]
    assert 0.01 * alpha @ alpha == pytest.approx(1e-3, rel=1e-4)
    eig = np.linalg.eigvalsh(K - S)
    assert eig[-1] > 100 * np.abs(eig[:-1]).max()


def test_too_few_iterations_are_told_with_the_best_enclosure():
    problem = CATALOGUE["chen2009-eq7"].make(sample("chen2009-eq7", 16, 1, kind="gaussian"))
    with pytest.raises(SolverError, match="after 2 iterations") as caught:
        DualAscent(max_iterations=2).solve("chen2009-eq7", problem)
    assert caught.value.best is not None
    assert caught.value.best.meets(solve("chen2009-eq7", problem).enclosure)


def test_other_programs_are_refused():
    problem = CATALOGUE["chen2009-eq12"].make(sample("chen2009-eq12", 8, 1))
    with pytest.raises(InputError, match="a conic solver for chen2009-eq12"):
        DualAscent().solve("chen2009-eq12", problem)
    with pytest.raises(InputError, match="a RobustMachine for luss2007"):
        DualAscent().solve("luss2007", problem)


ONE_AGAINST_THE_REST = np.array([1.0, -1.0, -1.0, -1.0, -1.0, -1.0])


def plain_similarities(y):
    n = len(y)
    return {"zero": np.zeros((n, n)), "-I": -np.eye(n), "I": np.eye(n), "yyᵀ": np.outer(y, y)}


@pytest.mark.parametrize("y", [np.array([1.0, -1.0]), ONE_AGAINST_THE_REST], ids=["two", "one"])
@pytest.mark.parametrize("name", ["zero", "-I", "I", "yyᵀ"])
@pytest.mark.parametrize("eta", [1e-6, 1.0])
def test_plain_similarities_are_ordinary_input(name, y, eta, tolerances):
    S = plain_similarities(y)[name]
    for gamma in (1e-2, 1.0, 1e3):
        kernel = solve("chen2009-eq7", KernelMachine(S, y, eta, gamma))
        assert kernel.width <= tolerances.width
        dual = solve("chen2009-eq7-dual", KernelMachine(S, y, eta, gamma))
        assert dual.enclosure.meets(kernel.enclosure)
        assert solve("luss2007", RobustMachine(S, y, 1 / eta, gamma)).width <= tolerances.width


def test_without_any_similarity_the_optimum_is_known():
    # W ⪰ ηvvᵀ alone binds: 2η·max 1ᵀα over α ∈ A, ηαᵀα ≤ γ, with α = t on both of two samples
    for eta, gamma in ((0.1, 0.1), (1.0, 1e-4), (1e-3, 1e3)):
        found = solve("chen2009-eq7", KernelMachine(np.zeros((2, 2)), [1, -1], eta, gamma))
        t = min(np.sqrt(gamma / (2 * eta)), 1 / (4 * eta))
        assert found.lower <= 4 * eta * t * (1 + 1e-15)
        assert found.upper >= 4 * eta * t * (1 - 1e-15)


@pytest.mark.parametrize("n", [2, 3])
def test_small_similarities_of_a_large_scale(n, tolerances):
    y = np.array([1.0, -1.0, 1.0])[:n]
    for seed in range(5):
        A = 1e4 * np.random.default_rng(seed).normal(size=(n, n))
        found = solve("chen2009-eq7", KernelMachine((A + A.T) / 2, y, 0.1, 0.1))
        assert found.width <= tolerances.width


def test_the_distance_is_looked_for_where_it_can_be():
    S, y = similarity(9, kind="random")
    for eta, gamma in ((1e-3, 1e-2), (0.1, 1.0), (1e-2, 1e2)):
        problem = KernelMachine(S, y, eta, gamma)
        low, high = distances(problem, bounds.negative_part(S), float(np.linalg.norm(S)))
        K = solve("chen2009-eq7", problem, tol=1e-8).variables["K"]
        assert np.exp(low) * (1 - 1e-6) <= np.linalg.norm(K - S) <= np.exp(high)


@pytest.mark.parametrize("C", [1.0, 1e4, 1e12])
def test_a_box_far_away_is_no_harm_to_the_quadratic_program(C):
    rng = np.random.default_rng(3)
    A, y = rng.normal(size=(6, 6)), np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    H = np.outer(y, y) * (A @ A.T + np.eye(6))
    alpha = quadratic_program(H, np.ones(6), y, C)
    low, high = ends(H, y, C, alpha)
    assert high - low <= 1e-9 * abs(low)


def test_samples_that_no_kernel_can_tell_apart_end_at_the_box():
    H, y = np.zeros((2, 2)), np.array([1.0, -1.0])
    for C in (1e-6, 1.0, 1e10):
        assert np.array_equal(quadratic_program(H, np.ones(2), y, C), [C, C])


@pytest.mark.parametrize("rank", [3, 12])
def test_a_point_nearby_changes_the_way_to_the_quadratic_program_and_not_its_answer(rank):
    rng = np.random.default_rng(rank)
    y = np.where(np.arange(12) % 2, 1.0, -1.0)
    for trial in range(10):
        B = rng.normal(size=(12, rank))
        H, q = B @ B.T, rng.normal(size=12)
        if trial % 2:
            H, q = np.tile(H[:6, :6], (2, 2)), np.tile(q[:6], 2)  # every sample twice
        near = rng.uniform(-0.5, 1.5, size=12)
        alone, helped = quadratic_program(H, q, y, 0.8), quadratic_program(H, q, y, 0.8, near=near)
        values = [x @ H @ x / 2 - q @ x for x in (alone, helped)]
        assert abs(values[0] - values[1]) <= 1e-8 * (1 + abs(values[0]))
        assert helped.min() >= 0
        assert helped.max() <= 0.8
        assert violation(H, y, 0.8, helped, q) <= 1e-6

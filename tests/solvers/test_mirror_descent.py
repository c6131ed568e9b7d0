"""Mirror descent: the true algorithms reach the conic optimum, the printed ones do not."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, SolverError, svm
from cvxkernel.formulations import errors as e
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.solvers import MirrorDescent, conic, mirror_descent, solve
from cvxkernel.solvers.mirror_descent import ALGORITHMS, mirror, nearest, printed_step
from cvxkernel.validation.instances import sample
from cvxkernel.validation.kundu2010.samples import alternating, similarities

RHO = {"L1": 0.02, "L2": 0.5, "L3": 0.1}
EQUATION = {1: "eq4", 2: "eq6", 3: "eq7"}


def problem_of(number, loss, n=12, m=2, *, kind="random", seed=0):
    S, y = similarities(n, m, kind=kind, seed=seed)
    if number == 3:
        return Spectra(S, y, 1.0, RHO["L2"], float(n))
    return Similarities(S, y, 1.0, RHO[loss], float(n), loss)


CASES = [
    (1, "L1", 16, 3, "random"),
    (1, "L2", 16, 3, "random"),
    (1, "L3", 16, 3, "random"),
    (1, "L1", 8, 1, "gaussian"),
    (1, "L2", 8, 1, "gaussian"),
    (1, "L3", 8, 1, "low rank"),
    (2, "L1", 16, 3, "random"),
    (2, "L2", 16, 3, "random"),
    (2, "L3", 16, 3, "random"),
    (2, "L3", 9, 2, "gaussian"),
    (3, "L2", 16, 3, "low rank"),
    (3, "L2", 9, 2, "gaussian"),
    # One kernel, where (6) is (4).
    (2, "L1", 16, 1, "random"),
    (2, "L1", 10, 1, "low rank"),
    (2, "L2", 10, 1, "gaussian"),
    (3, "L2", 6, 3, "gaussian"),
]


@pytest.mark.parametrize(("number", "loss", "n", "m", "kind"), CASES)
def test_the_true_algorithms_enclose_the_conic_optimum(number, loss, n, m, kind, monkeypatch):
    problem = problem_of(number, loss, n, m, kind=kind, seed=1)
    with monkeypatch.context() as patch:
        patch.setattr("cvxpy.Problem.solve", None)  # no conic solver
        found = solve(f"kundu2010-alg{number}", problem, solver="mirror_descent")
    assert found.status == "optimal"
    assert found.solver == "mirror_descent"
    assert found.width <= 1e-3
    assert found.iterations <= 3000
    exact = conic(f"kundu2010-{EQUATION[number]}", problem)
    assert exact.width <= 1e-6
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper


@pytest.mark.parametrize(
    ("number", "loss"), [*((number, loss) for number in (1, 2) for loss in RHO), (3, "L2")]
)
def test_the_true_algorithms_with_other_parameters(number, loss):
    """C from 0.1 to 10, ρ from 0.01 to 1, τ from n/4 to 4n, all similarities."""
    rng = np.random.default_rng([number, *loss.encode()])
    for seed, kind in enumerate(("gaussian", "random", "low rank")):
        n, m = int(rng.integers(6, 13)), int(rng.integers(1, 4))
        S, y = similarities(n, m, kind=kind, seed=seed)
        C, rho, tau = (
            10 ** rng.uniform(-1, 1),
            10 ** rng.uniform(-2, 0),
            n * 4 ** rng.uniform(-1, 1),
        )
        problem = Spectra(S, y, C, rho, tau)
        if number < 3:
            problem = Similarities(S, y, C, rho, tau, loss)
        id = f"kundu2010-alg{number}"
        cone = conic(f"kundu2010-{EQUATION[number]}", problem).enclosure
        for found in (solve(id, problem), solve(id, problem, solver="mirror_descent")):
            assert found.width <= 1e-3
            assert found.enclosure.meets(cone)
        assert found.solver == "mirror_descent"


def test_kernels_that_become_rank_one_do_not_stop_the_line_search():
    """The inner problem is inexact there, and no step is short enough to look like descent."""
    S, y = similarities(6, 3, kind="low rank", seed=7)
    problem = Similarities(S, y, 0.85, 0.38, 1.62, "L3")
    found = solve("kundu2010-alg2", problem)
    assert found.width <= 1e-3
    assert found.iterations <= 300
    assert found.enclosure.meets(conic("kundu2010-eq6", problem).enclosure)


def test_the_nearest_alpha_of_the_box():
    """None of the random points of A is nearer, and a point of A is its own."""
    rng = np.random.default_rng(0)
    y = np.array([1.0, 1, 1, -1, -1, -1, -1])
    for _ in range(20):
        far = 3 * rng.normal(size=7)
        near = nearest(far, y, 1.5)
        assert abs(near @ y) <= 1e-12
        assert near.min() >= 0
        assert near.max() <= 1.5
        for _ in range(20):
            other = svm.repair(1.5 * rng.random(7), y, 1.5)
            # The angle at a projection is not acute.
            assert (far - near) @ (other - near) <= 1e-10
    assert np.allclose(nearest(near, y, 1.5), near)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_history_narrows_and_the_bounds_hold(number):
    problem = problem_of(number, "L3", 9, 2)
    exact = conic(f"kundu2010-{EQUATION[number]}", problem)
    for step in ("paper", "proof", "horizon", "accelerated"):
        found = run_to(MirrorDescent(step=step, max_iterations=40), number, problem)
        lows, highs = [s.lower for s in found], [s.upper for s in found]
        assert lows == sorted(lows)
        assert highs == sorted(highs, reverse=True)
        best = np.minimum.accumulate([s.value for s in found])
        for s, value in zip(found, best, strict=True):
            assert s.lower <= exact.upper
            assert value >= exact.lower
            # What the steps prove holds at every iteration, whatever the rule.
            assert value - exact.lower <= s.proven * (1 + 1e-9)


def run_to(rule, number, problem):
    history = []
    oracle, ends = ALGORITHMS[number](problem), mirror_descent.Interval()
    averages = mirror_descent.Averages()
    for t, it in enumerate(rule.iterates(oracle, ends), start=1):
        ends.offer(it.value, it.x, it.alpha)
        for mean in averages.add(it.dual, it.weight, fresh=it.fresh):
            ends.bound(*oracle.lower(mean))
        told = (it.value, it.eta, 0.0, 0.0, it.proven)
        history.append(mirror_descent.MirrorStep(t, ends.lower, ends.upper, 0.0, *told))
        if t >= rule.max_iterations:
            return history
    raise AssertionError("the iterates have no end")


def best_of(number, problem, iterations, *, printed=False):
    """The least objective of so many iterations, with the steps of the proof."""
    path = MirrorDescent(step="proof").iterates(ALGORITHMS[number](problem), printed=printed)
    return min(it.value for it, _ in zip(path, range(iterations), strict=False))


def to_digits(digits, rel=1e-5):
    """To the digits given; along a path an inexact support vector machine changes the last."""
    return pytest.approx(digits, rel=rel)


@pytest.mark.parametrize(
    ("loss", "optimum", "stalls", "reaches"),
    [
        ("L3", 28.5510, 33.9441, 28.5638),
        ("L2", 5.3324, 5.8989, 5.4202),
        ("L1", 38.8246, 45.2247, 38.9282),
    ],
)
def test_the_printed_algorithm_1_ends_away_from_the_optimum(loss, optimum, stalls, reaches):
    """n = 12, m = 2: a fifth or a tenth above the optimum, where the true step is much nearer."""
    problem = Similarities(*alternating(12, 2), 1.0, 0.3, 12.0, loss)
    exact = conic("kundu2010-eq4", problem)
    assert exact.width <= 1e-6
    assert abs(exact.value - optimum) <= 1e-4
    printed = solve("kundu2010-alg1-printed", problem)
    assert printed.status == "stopped after 100 iterations"
    assert printed.enclosure.meets(exact.enclosure)
    assert printed.upper == to_digits(stalls)
    halfway, end = (printed.history[t - 1].upper for t in (50, 100))
    assert halfway - end <= 0.01 * (end - exact.value)  # it does not move any more
    # With L1 a path depends on the subgradients chosen at the kinks.
    assert best_of(1, problem, 300) == to_digits(reaches, 1e-4 if loss == "L1" else 1e-5)


def test_the_printed_algorithm_2_ends_away_from_the_optimum():
    """By its step alone; without ρ before the subgradient of the loss at another such point."""
    problem = Similarities(*alternating(10, 2), 1.0, 0.3, 10.0, "L3")
    exact = conic("kundu2010-eq6", problem)
    assert exact.width <= 1e-6
    assert abs(exact.value - 16.9378) <= 1e-4
    assert best_of(2, problem, 200) == to_digits(16.9448)
    assert best_of(2, problem, 50, printed=True) == to_digits(20.0523)
    assert stalled_with_rho(problem, 50) == to_digits(20.7443)
    printed = solve("kundu2010-alg2-printed", problem)
    assert printed.enclosure.meets(exact.enclosure)
    assert printed.upper > 1.1 * exact.upper


def stalled_with_rho(problem, iterations):
    """The best of Algorithm 2 when ρ is put back and only the step is as printed."""
    oracle, lip, values = ALGORITHMS[2](problem), 0.0, []
    lam = np.full((problem.m, problem.n), problem.tau / problem.n)
    K = mirror(oracle.origin(), problem.tau)[0]
    for t in range(1, iterations + 1):
        answer = oracle.ask(K)
        values.append(oracle.upper(K, answer.dual[0]))
        lip = max(lip, float(oracle.sizes(answer.gradient).max()))
        eta = np.sqrt(2 * np.log(problem.n) / t) / lip
        lam, K = printed_step(lam, answer.gradient, eta, problem.tau)
    return min(values)


def test_the_printed_algorithm_3_solves_the_problem_without_rho():
    """Without ρ before ∂ℓ its limit is that of ρ = 1: a stationary point of another problem."""
    problem = Spectra(*alternating(10, 2), 1.0, 0.3, 10.0)
    exact = conic("kundu2010-eq7", problem)
    assert abs(exact.value - 3.55645) <= 1e-5
    assert best_of(3, problem, 200, printed=True) == pytest.approx(3.57212, abs=2e-5)
    last = last_point(problem, 100)
    at_one = Spectra(problem.S, problem.y, problem.C, 1.0, problem.tau)
    other = conic("kundu2010-eq7", at_one)
    ours, theirs = (ALGORITHMS[3](p).upper(last, dual_of(problem, last)) for p in (problem, at_one))
    assert ours / exact.value - 1 > 1e-3
    assert theirs / other.value - 1 < (ours / exact.value - 1)


def last_point(problem, iterations):
    rule = MirrorDescent(step="paper")
    for t, it in enumerate(rule.iterates(ALGORITHMS[3](problem), printed=True), start=1):
        if t == iterations:
            return it.x
    raise AssertionError


def dual_of(problem, mu):
    return ALGORITHMS[3](problem).ask(mu).dual[0]


def test_the_true_and_the_printed_step_agree_where_matrices_commute():
    """From K⁽¹⁾ = (τ/n)I the first step is the same; later ones are not."""
    problem = problem_of(1, "L3", 8)
    rule, oracle = MirrorDescent(step="paper"), ALGORITHMS[1](problem)
    true, printed = rule.iterates(oracle), rule.iterates(oracle, printed=True)
    pairs = [(next(true).x, next(printed).x) for _ in range(4)]
    assert np.allclose(*pairs[0])
    assert np.allclose(*pairs[1])
    assert not np.allclose(*pairs[3], atol=1e-3)


def test_the_mirror_step_is_the_minimizer_of_its_definition():
    """K⁺ minimizes ⟨ηg, K⟩ + B(K, K₀) on the spectahedron: the gap to random points is ≥ 0."""
    rng = np.random.default_rng(0)
    n, tau = 5, 2.0
    H, g = rng.normal(size=(2, 1, n, n))
    H, g = H + H.transpose(0, 2, 1), g + g.transpose(0, 2, 1)
    before, after = mirror(H, tau)[0][0], mirror(H - 0.3 * g, tau)[0][0]

    def objective(K):
        lam = np.linalg.eigvalsh(K)
        entropy = float((lam * np.log(np.maximum(lam, 1e-300))).sum())
        return 0.3 * np.vdot(g, K) + entropy - np.vdot(mirror_descent.logarithm(before[None])[0], K)

    for _ in range(30):
        B = rng.normal(size=(n, n))
        other = B @ B.T * tau / np.trace(B @ B.T)
        assert objective(after) <= objective(other) + 1e-10


def test_no_eigenvalue_underflows():
    H = np.diag([0.0, -2000.0, -4000.0])[None]
    K, log_total = mirror(H, 1.0)
    assert np.isfinite(K).all()
    assert log_total == pytest.approx([0.0])
    back, _ = mirror(H + 4000 * np.eye(3), 1.0)  # a constant changes nothing
    assert np.allclose(K, back)


def test_known_and_seen_lipschitz_constants():
    problem = problem_of(1, "L3", 8)
    oracle = ALGORITHMS[1](problem)
    rule = MirrorDescent(step="paper", lip="known")
    known = oracle.known_lip()
    for _, it in zip(range(20), rule.iterates(oracle), strict=False):
        assert float(oracle.sizes(it.gradient).max()) <= known
    with pytest.raises(e.InputError):
        ALGORITHMS[2](problem).known_lip()


def test_a_gap_that_is_not_reached_raises_with_what_is_known():
    problem = problem_of(1, "L1", 8)
    with pytest.raises(SolverError, match="after 3 iterations") as caught:
        MirrorDescent(tol=1e-9, max_iterations=3).solve("kundu2010-alg1", problem)
    exact = conic("kundu2010-eq4", problem)
    assert caught.value.best.meets(exact.enclosure)


def test_only_its_own_ids():
    problem = CATALOGUE["kundu2010-eq10"].make(sample("kundu2010-eq10", 8, 2))
    with pytest.raises(e.InputError, match="conic"):
        solve("kundu2010-eq10", problem, solver="mirror_descent")


@pytest.mark.parametrize(
    ("loss", "other"),
    [("L3", "luss2007"), ("L2", "chen2009-eq7")],
)
def test_one_similarity_ties_to_the_earlier_programs(loss, other):
    """With τ the trace of the solution without the trace constraint, (4) has its value.

    chen2009-eq7 is 2η times (4) with C = 1/(2ηn), ρ = γ/(2η).
    """
    form = CATALOGUE[other]
    data = sample(other, 12, 1, kind="random")
    free = solve(other, form.make(data), tol=1e-7)
    tau = float(np.trace(free.variables["K"]))
    if other == "luss2007":
        C, rho, factor = data["C"], data["rho"], 1.0
    else:
        eta = data["eta"]
        C, rho, factor = 1 / (2 * eta * 12), data["gamma"] / (2 * eta), 2 * eta
    tied = Similarities(data["S"][None], data["y"], C, rho, tau, loss)
    four = solve("kundu2010-eq4", tied)
    # τ is that of a nearly optimal K: the value moves by what the free program is not optimal by.
    slack = 1e-5 * abs(free.upper)
    assert free.lower - slack <= factor * four.upper
    assert factor * four.lower <= free.upper + slack
    shorter = Similarities(data["S"][None], data["y"], C, rho, tau / 2, loss)
    assert factor * solve("kundu2010-eq4", shorter).lower > free.upper  # the constraint counts

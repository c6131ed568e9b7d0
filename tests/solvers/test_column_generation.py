"""The exchange method: monotone ends, both stopping rules, singular systems, memory."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cvxkernel.formulations import CATALOGUE, InputError, SolverError
from cvxkernel.solvers import METHODS, ColumnGeneration, Newton, conic, solve
from cvxkernel.solvers.column_generation import master
from cvxkernel.validation import instance
from cvxkernel.validation.bench import Size

TWIN = {
    "ye2008-thm2.3": "ye2008-thm2.2",
    "ye2008-thm3.3": "ye2008-thm3.2",
    "ye2008-eq44": "ye2008-eq43",
    "ye2008-eq47": "ye2008-eq46",
}


def problem_of(id, n=16, p=4, *, kind="gaussian", seed=0, **changes):
    k = 2 if CATALOGUE[id].binary or id == "kim2006" else 3
    return CATALOGUE[id].make({**instance(n, p, k, kind=kind, seed=seed), **changes})


def check(solution, tol):
    steps = solution.history
    assert [s.iteration for s in steps] == list(range(1, len(steps) + 1))
    for one, two in pairwise(steps):
        assert one.lower <= two.lower
        assert one.upper >= two.upper
        assert one.seconds <= two.seconds
    assert all(s.lower <= s.upper * (1 - 1e-12) + 1e-15 or s.width < 1e-9 for s in steps)
    assert steps[-1].width <= tol
    assert solution.lower <= solution.value <= solution.upper <= 0
    assert solution.width <= tol
    assert solution.iterations == len(steps)
    assert solution.solver == "column_generation"


@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
@pytest.mark.parametrize("id", TWIN)
def test_the_ends_close_monotonically_on_the_conic_optimum(id, kind):
    problem = problem_of(id, kind=kind)
    solution = ColumnGeneration().solve(id, problem)
    check(solution, 1e-6)
    twin = conic(TWIN[id], CATALOGUE[TWIN[id]].make(as_data(problem)))
    assert (-solution.enclosure).meets(twin.enclosure)
    # Every step encloses the optimum, the last one no better than the certificate says.
    for step in solution.history:
        slack = 1e-9 * abs(solution.lower)
        assert step.lower <= -twin.lower + slack
        assert step.upper >= -twin.upper - slack


def as_data(problem):
    return {"kernels": problem.kernels, "y": problem.y, "lam": getattr(problem, "lam", None)}


@pytest.mark.parametrize("id", TWIN)
def test_a_gap_of_1e_9_is_within_reach(id):
    # With unscaled rows and HiGHS's default tolerances it never gets below 4e-6.
    check(ColumnGeneration(tol=1e-9).solve(id, problem_of(id, kind="random")), 1e-9)


@pytest.mark.parametrize("id", TWIN)
def test_the_papers_rule_22_stops_earlier_and_is_still_enclosed(id):
    problem = problem_of(id, kind="random")
    loose = ColumnGeneration(tol=5e-4, stop="paper").solve(id, problem)
    tight = ColumnGeneration(tol=1e-8).solve(id, problem)
    assert loose.iterations <= tight.iterations
    assert loose.enclosure.meets(tight.enclosure)
    # (22) compares the new cut with the master: when it holds, the gap is of the same size.
    assert loose.width <= 5e-3


def test_the_papers_rule_22_is_what_stops_it():
    # The same iterates as with the gap rule; the first t ≥ 2 with |1 - value/γ⁽ᵗ⁻¹⁾| ≤ ε ends it.
    problem = problem_of("ye2008-thm3.3", kind="random")
    method = ColumnGeneration(tol=5e-4, stop="paper")
    solution = method.solve("ye2008-thm3.3", problem)
    cuts, w, gamma, best, t = [], np.full(4, 0.25), None, -np.inf, 0
    while True:
        t += 1
        S = problem.S(problem.argmin(w / problem.r, problem.H), problem.H) / problem.r
        value = float(w @ S)
        if gamma is not None and abs(1 - value / gamma) <= 5e-4:
            break
        cuts.append(S)
        best = max(best, value)
        w, _, gamma = master(np.array(cuts), -best)
    assert solution.iterations == t


@pytest.mark.parametrize(
    ("id", "kind", "p", "least"),
    [
        ("ye2008-thm2.3", "gaussian", 10, 1.1),
        ("ye2008-thm3.3", "random", 6, 1.5),
        ("ye2008-thm3.3", "low rank", 6, 1.5),
        ("ye2008-eq44", "random", 10, 1.1),
    ],
)
def test_stabilized_it_takes_fewer_iterations(id, kind, p, least):
    problem = problem_of(id, 40, p, kind=kind)
    plain = ColumnGeneration(stabilized=False).solve(id, problem)
    stabilized = ColumnGeneration().solve(id, problem)
    check(plain, 1e-6)
    check(stabilized, 1e-6)
    assert stabilized.enclosure.meets(plain.enclosure)
    assert stabilized.iterations * least <= plain.iterations


def test_rule_22_is_never_stabilized():
    problem = problem_of("ye2008-thm3.3", 24, 5, kind="random")
    one, two = (
        ColumnGeneration(tol=5e-4, stop="paper", stabilized=choice).solve("ye2008-thm3.3", problem)
        for choice in (True, False)
    )
    assert [(s.lower, s.upper) for s in one.history] == [(s.lower, s.upper) for s in two.history]


@pytest.mark.parametrize("id", ["ye2008-eq44", "ye2008-eq47"])
@given(seed=st.integers(0, 10**6), rank=st.integers(1, 3))
@settings(max_examples=6)
def test_singular_systems_of_the_joint_programs(id, seed, rank):
    # Two kernels of low rank: without the identity the system is singular wherever the master goes.
    rng = np.random.default_rng(seed)
    K = np.stack([V @ V.T for V in rng.normal(size=(2, 12, rank))])
    problem = problem_of(id, 12, 2, kernels=K)
    solution = ColumnGeneration().solve(id, problem)
    check(solution, 1e-6)
    assert (-solution.enclosure).meets(conic(TWIN[id], problem).enclosure)


@pytest.mark.parametrize("id", TWIN)
def test_one_kernel_and_equal_kernels(id):
    data = instance(12, 1, 2 if CATALOGUE[id].binary else 3, kind="random")
    for copies in (1, 3):
        K = np.repeat(data["kernels"], copies, axis=0)
        problem = CATALOGUE[id].make({**data, "kernels": K})
        check(ColumnGeneration().solve(id, problem), 1e-6)


@pytest.mark.parametrize("lam", [1e-8, 1e-2, 1e4])
@pytest.mark.parametrize("id", ["ye2008-thm2.3", "ye2008-thm3.3"])
def test_any_lambda(id, lam):
    check(ColumnGeneration().solve(id, problem_of(id, kind="random", lam=lam)), 1e-6)


def test_out_of_iterations_is_an_error_that_says_so():
    problem = problem_of("ye2008-thm3.3", kind="random")
    with pytest.raises(SolverError, match="after 2 iterations") as caught:
        ColumnGeneration(max_iterations=2).solve("ye2008-thm3.3", problem)
    assert "relative width" in caught.value.attempts["column_generation"]


def test_a_gap_below_rounding_is_an_error_too():
    problem = problem_of("ye2008-thm2.3", 8, 2, kind="random")
    with pytest.raises(SolverError, match="column_generation"):
        ColumnGeneration(tol=1e-30).solve("ye2008-thm2.3", problem)


def test_conic_programs_are_not_for_it():
    with pytest.raises(InputError, match="a conic solver"):
        ColumnGeneration().solve("ye2008-thm2.2", problem_of("ye2008-thm2.2"))
    with pytest.raises(InputError, match="conic solver"):
        solve("kim2006", problem_of("kim2006"), solver="column_generation")


def test_newton_is_faster_and_asked_first_and_it_is_asked_where_newton_fails(monkeypatch):
    problem = problem_of("ye2008-eq44")
    assert solve("ye2008-eq44", problem).solver == "newton"

    @dataclass(frozen=True)
    class Short(Newton):
        max_iterations: int = 1

    monkeypatch.setitem(METHODS, "newton", Short)
    solution = solve("ye2008-eq44", problem)
    assert solution.solver == "column_generation"
    assert solution.history


def test_the_master_is_repaired_and_bounded_by_its_dual():
    rng = np.random.default_rng(0)
    for scale in (1e-6, 1.0, 1e6):
        cuts = -scale * rng.uniform(0.5, 2.0, size=(6, 4))
        w, nu, gamma = master(cuts, scale)
        assert w.min() >= 0
        assert nu.min() >= 0
        assert w.sum() == pytest.approx(1)
        assert nu.sum() == pytest.approx(1)
        assert (cuts @ w).min() == pytest.approx(gamma, rel=1e-8)
        assert (nu @ cuts).max() == pytest.approx(gamma, rel=1e-8)


@pytest.mark.parametrize(("kind", "lam", "more"), [("random", 5e-4, 6), ("gaussian", 1e-6, 26)])
def test_memory_stays_below_p_matrices_and_a_few(kind, lam, more):
    """A singular kernel that is made nearer, at a small λ, takes slices of its products."""
    n, p = 200, 5
    data = {**instance(n, p, 4, kind=kind, seed=1), "lam": lam}
    problem = CATALOGUE["ye2008-thm3.3"].make(data)
    small = CATALOGUE["ye2008-thm3.3"].make(instance(8, 2, 3))
    ColumnGeneration().solve("ye2008-thm3.3", small)  # what is imported on first use
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        ColumnGeneration().solve("ye2008-thm3.3", problem)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    kernels = problem.kernels.nbytes
    assert kernels == p * n * n * 8
    assert (problem.near.kernels is problem.kernels) == (kind == "random")
    assert kernels + (peak - before) <= (p + more) * n * n * 8


def test_at_the_size_of_the_papers_table_16():
    # n = 480, k = 8, p = 10, λ = 5e-4: at most 150 iterations, and (p + 6)n² doubles in all.
    size = Size(n=480, p=10, k=8)
    problem = CATALOGUE["ye2008-thm3.3"].make(size.data())
    tracemalloc.start()
    try:
        found = ColumnGeneration(tol=1e-6).solve("ye2008-thm3.3", problem)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.width <= 1e-6
    assert found.iterations <= 150
    assert problem.kernels.nbytes + peak <= (size.p + 6) * size.n**2 * 8

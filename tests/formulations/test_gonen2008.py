"""Localized kernels at a gating: the programs, their enclosures, gradients, the discriminant."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from hypothesis import given
from hypothesis import strategies as st

from cvxkernel.formulations import CATALOGUE, kernels, lanckriet2004, svm
from cvxkernel.formulations import errors as e
from cvxkernel.formulations.gonen2008 import Discriminant, Gated, Localized, bounds, gates, support
from cvxkernel.solvers import solve
from cvxkernel.solvers.svm import svm as machine
from cvxkernel.validation.instances import blobs, random_kernels, sample

KINDS = ("gaussian", "random", "low rank")
EQ7 = CATALOGUE["gonen2008-eq7"]
BITS = 300


def gated(n=14, p=3, kind="gaussian", seed=0, **changes) -> Gated:
    data = {**sample("gonen2008-eq7", n, p, kind=kind, seed=seed), **changes}
    return EQ7.make(data)


def random_gated(rng, n, p, d, *, C=10.0, spread=1.0) -> Gated:
    K = n * random_kernels(n, p, rank=int(rng.integers(2, n + 1)), seed=int(rng.integers(10**6)))
    y = np.where(rng.permutation(n) % 2, 1.0, -1.0)
    V, v0 = spread * rng.normal(size=(p, d)), spread * rng.normal(size=p)
    return Gated(K, y, rng.normal(size=(n, d)), C, V, v0)


# -- The gating and the combined kernel ----------------------------------------------------------


def test_the_gates_are_the_printed_softmax(tolerances):
    problem = gated()
    z = np.array(
        [[v @ x + c for x in problem.X] for v, c in zip(problem.V, problem.v0, strict=True)]
    )
    assert problem.eta == pytest.approx(np.exp(z) / np.exp(z).sum(axis=0), rel=tolerances.rounding)
    assert bounds.gates(problem)[0] == pytest.approx(problem.eta, rel=tolerances.rounding)


def test_the_gates_depend_on_differences_alone(tolerances):
    problem = gated()
    moved = gates(problem.X, problem.V + np.array([3.0, -2.0]), problem.v0 + 7)
    assert moved == pytest.approx(problem.eta, rel=1e-10)
    assert problem.eta.sum(axis=0) == pytest.approx(1, rel=tolerances.rounding)


def test_gates_of_any_size_are_gates():
    problem = gated(V=1e80 * np.ones((3, 2)) * np.array([[1], [0], [-1]]))
    assert np.isin(problem.eta, (0.0, 1.0)).all()
    assert np.array_equal(bounds.gates(problem)[0], problem.eta)
    assert solve("gonen2008-eq7", problem).width <= 1e-7


def test_the_combined_kernel_is_the_printed_sum(tolerances):
    problem = gated(9)
    eta, K = problem.eta, problem.kernels
    printed = [
        [sum(eta[m, i] * K[m, i, j] * eta[m, j] for m in range(3)) for j in range(9)]
        for i in range(9)
    ]
    assert problem.K_eta == pytest.approx(np.array(printed), rel=tolerances.rounding)
    Q, _ = bounds.combined(problem)
    assert pytest.approx(svm.signed(problem.y, problem.K_eta), abs=tolerances.rounding) == Q


@given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.0, 0.1, 1.0, 30.0]))
def test_the_combined_kernel_is_a_gram_matrix(seed, spread):
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


def test_constant_gates_give_squared_weights(tolerances):
    v0 = np.array([0.3, -1.0, 2.0])
    problem = gated(V=np.zeros((3, 2)), v0=v0)
    eta = np.exp(v0) / np.exp(v0).sum()
    expected = np.tensordot(eta**2, problem.kernels, axes=1)
    assert problem.K_eta == pytest.approx(expected, rel=tolerances.rounding)
    # The weights add up to one before they are squared: "similar to", not the convex combination.
    assert (eta**2).sum() < 0.99


# -- Both ends -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("spread", [0.0, 1.0, 20.0])
def test_eq5_and_eq7_are_enclosed_to_1e_7(kind, C, spread):
    made = gated(20, 3, kind, seed=3, C=C)
    problem = gated(20, 3, kind, seed=3, C=C, V=spread * made.V, v0=spread * made.v0)
    by_svm = solve("gonen2008-eq7", problem, solver="svm", tol=1e-7)
    by_conic = solve("gonen2008-eq7", problem, tol=1e-7)
    assert by_svm.enclosure.meets(by_conic.enclosure)
    # (5) at the α and b of the answer: feasible, and no further from (7) than 1e-7.
    Q, moved = bounds.combined(problem)
    alpha = by_svm.variables["alpha"]
    low, down = bounds.value(Q, moved, alpha)
    high, up = bounds.primal(problem, Q, alpha, float(by_svm.variables["b"]))
    assert low - down <= high + up
    assert high + up - (low - down) <= 1e-7 * high


@pytest.mark.parametrize("kind", KINDS)
def test_the_primal_program_has_the_value_of_the_dual(kind, tolerances):
    problem = EQ7.unit(gated(12, 3, kind, seed=5))
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


def test_one_kernel_is_an_ordinary_machine():
    problem = gated(p=1)
    assert np.array_equal(problem.K_eta, problem.kernels[0])
    plain = lanckriet2004.SoftMargin(problem.kernels, problem.y, problem.C)
    twice = solve("lanckriet2004-sm1", plain)
    found = solve("gonen2008-eq7", problem)
    assert 2 * found.lower <= twice.upper
    assert twice.lower <= 2 * found.upper


def test_equal_kernels_with_equal_gates_are_one_kernel_divided(contains):
    K = sample("gonen2008-eq7", 14, 1)["kernels"]
    problem = gated(kernels=np.repeat(K, 3, axis=0), V=np.zeros((3, 2)), v0=np.zeros(3))
    alone = gated(p=1, kernels=K / 3)
    assert solve("gonen2008-eq7", problem).enclosure.meets(solve("gonen2008-eq7", alone).enclosure)


@pytest.mark.parametrize("solver", [None, "svm"])
def test_a_kernel_that_says_nothing_leaves_the_hinges(solver, contains):
    # K_η = 0: every sample of the smaller class, and as much of the larger, is at C.
    problem = gated(p=2, kernels=np.zeros((2, 14, 14)), C=3.0)
    few = min((problem.y > 0).sum(), (problem.y < 0).sum())
    assert contains(solve("gonen2008-eq7", problem, solver=solver).enclosure, 3.0 * 2 * few)


@pytest.mark.parametrize("scale", [1e-50, 1e-6, 1e6, 1e50])
def test_the_units_of_the_kernels_do_not_matter(scale):
    problem = gated()
    one = solve("gonen2008-eq7", problem, solver="svm")
    scaled = gated(kernels=scale * problem.kernels, C=problem.C / scale)
    for solver in (None, "svm"):
        found = solve("gonen2008-eq7", scaled, solver=solver, tol=1e-7)
        assert found.lower * scale <= one.upper * (1 + 1e-10)
        assert found.upper * scale >= one.lower * (1 - 1e-10)


# -- Gradients -----------------------------------------------------------------------------------


def test_the_gradient_is_the_printed_sum(tolerances):
    problem = gated(6, 3, "random")
    alpha = np.random.default_rng(0).random(6)
    n, p, y, X, eta, K = 6, 3, problem.y, problem.X, problem.eta, problem.kernels
    dV, dv0 = np.zeros((p, 2)), np.zeros(p)
    for m in range(p):
        for i in range(n):
            for j in range(n):
                for k in range(p):
                    delta = float(m == k)
                    term = alpha[i] * alpha[j] * y[i] * y[j] * eta[k, i] * K[k, i, j] * eta[k, j]
                    dv0[m] -= term * (delta - eta[m, i] + delta - eta[m, j]) / 2
                    dV[m] -= term * (X[i] * (delta - eta[m, i]) + X[j] * (delta - eta[m, j])) / 2
    found = problem.gradient(alpha)
    assert found[0] == pytest.approx(dV, rel=tolerances.rounding)
    assert found[1] == pytest.approx(dv0, rel=tolerances.rounding)


def J_exact(problem, V, v0, alpha):
    """J in 300 bits: (7) at the gating, with the active set of the double solution α."""
    n, p, C = problem.n, problem.p, arb(problem.C)
    z = [
        [sum((V[m][k] * arb(x[k]) for k in range(problem.d)), v0[m]).exp() for m in range(p)]
        for x in problem.X
    ]
    eta = [[z_m / sum(row, arb(0)) for z_m in row] for row in z]
    y, K = problem.y, problem.kernels
    Q = [
        [
            int(y[i] * y[j])
            * sum((eta[i][m] * arb(K[m, i, j]) * eta[j][m] for m in range(p)), arb(0))
            for j in range(n)
        ]
        for i in range(n)
    ]
    top, zero = alpha >= problem.C * (1 - 1e-9), alpha <= problem.C * 1e-9
    free = [i for i in range(n) if not (top[i] or zero[i])]
    a = [C if top[i] else arb(0) for i in range(n)]
    if free:
        rows = [[Q[i][j] for j in free] + [arb(y[i])] for i in free]
        rows.append([arb(y[j]) for j in free] + [arb(0)])
        right = [[1 - sum((Q[i][j] * a[j] for j in range(n)), arb(0))] for i in free]
        right.append([-sum((arb(y[j]) * a[j] for j in range(n)), arb(0))])
        solved = arb_mat(rows).solve(arb_mat(right))
        for place, i in enumerate(free):
            a[i] = solved[place, 0]
    form = sum((a[i] * Q[i][j] * a[j] for i in range(n) for j in range(n)), arb(0))
    return sum(a, arb(0)) - form / 2


@pytest.mark.parametrize("seed", range(12))
def test_the_gradient_agrees_with_central_differences_in_300_bits(seed):
    rng = np.random.default_rng(seed)
    p, d = 1 + seed % 3, 1 + seed % 4
    problem = random_gated(rng, 8, p, d, C=float(10 ** rng.uniform(-1, 1.5)))
    alpha = machine(problem.K_eta, problem.y, problem.C)
    dV, dv0 = problem.gradient(alpha)
    size = max(np.abs(dV).max(), np.abs(dv0).max())
    before, ctx.prec = ctx.prec, BITS
    try:
        h = arb(10) ** -30
        V, v0 = [[arb(v) for v in row] for row in problem.V], [arb(v) for v in problem.v0]

        def difference(change):
            ends = []
            for step in (h, -h):
                moved_V, moved_v0 = [list(row) for row in V], list(v0)
                change(moved_V, moved_v0, step)
                ends.append(J_exact(problem, moved_V, moved_v0, alpha))
            slope = (ends[0] - ends[1]) / (2 * h)
            assert float(slope.rad()) < 1e-12
            return float(slope.mid())

        for m in range(p):

            def bias(V, v0, step, m=m):
                v0[m] += step

            assert difference(bias) == pytest.approx(dv0[m], rel=1e-6, abs=1e-9 * size + 1e-12)
            for k in range(d):

                def weight(V, v0, step, m=m, k=k):
                    V[m][k] += step

                expected = pytest.approx(dV[m, k], rel=1e-6, abs=1e-9 * size + 1e-12)
                assert difference(weight) == expected
    finally:
        ctx.prec = before


@pytest.mark.parametrize(("spread", "away"), [(1.0, 0.0), (30.0, 0.0), (1.0, 1e7)])
@pytest.mark.parametrize("seed", range(6))
def test_the_enclosure_holds_the_optimum_of_300_bits(seed, spread, away):
    rng = np.random.default_rng(seed + 50)
    C = float(10 ** rng.uniform(-1, 2))
    problem = random_gated(rng, 8, 3, 2, C=C, spread=spread)
    # Far from the origin ⟨v, x⟩ + v₀ loses digits, and the gates with it.
    X, v0 = problem.X + away, problem.v0 - away * problem.V.sum(axis=1)
    problem = Gated(problem.kernels, problem.y, X, C, problem.V, v0)
    alpha = machine(problem.K_eta, problem.y, problem.C)
    found = EQ7.enclose(problem, {"alpha": alpha})
    before, ctx.prec = ctx.prec, BITS
    try:
        V, v0 = [[arb(v) for v in row] for row in problem.V], [arb(v) for v in problem.v0]
        exact = J_exact(problem, V, v0, alpha)  # at the exact gates, not at their roundings
        assert exact.rad() < 1e-30
        assert arb(found.lower) <= exact
        assert exact <= arb(found.upper)
        assert found.width <= (1e-5 if away else 1e-9)
    finally:
        ctx.prec = before


def test_gradients_add_up_to_nothing_over_the_kernels(tolerances):
    # The gates do not change when all v_m do by the same.
    problem = gated(20)
    dV, dv0 = problem.gradient(machine(problem.K_eta, problem.y, problem.C))
    assert np.abs(dV.sum(axis=0)).max() <= tolerances.rounding * np.abs(dV).max()
    assert abs(dv0.sum()) <= tolerances.rounding * np.abs(dv0).max()


# -- A box of gatings ------------------------------------------------------------------------------


def on_a_line(seed, n=8):
    rng = np.random.default_rng(seed)
    K = n * random_kernels(n, 2, rank=int(rng.integers(2, n + 1)), seed=seed)
    y = np.where(rng.permutation(n) % 2, 1.0, -1.0)
    return Localized(K, y, rng.normal(size=(n, 1)), 10.0), rng


def J_at(problem, a, c, alpha=None):
    at = problem.at([[a / 2], [-a / 2]], [c / 2, -c / 2])
    alpha = machine(at.K_eta, at.y, at.C) if alpha is None else alpha
    return EQ7.enclose(at, {"alpha": alpha})


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_of_a_box_is_below_everything_in_it(seed):
    problem, rng = on_a_line(seed)
    for half in (4.0, 0.5, 0.05, 1e-3):
        a0, c0 = 3 * rng.normal(size=2)
        solved = J_at(problem, a0, c0).variables["alpha"]
        box = (a0 - half, a0 + half, c0 - half, c0 + half)
        for alpha in (solved, svm.repair(10 * rng.random(problem.n), problem.y, problem.C)):
            bound = bounds.box_bound(problem, alpha, box)
            for a in np.linspace(*box[:2], 5):
                for c in np.linspace(*box[2:], 5):
                    # at this α already, and so at the best
                    at = problem.at([[a], [0.0]], [c, 0.0])
                    Q, _ = bounds.combined(at)
                    assert bound <= svm.value(Q, alpha)[0]


def test_the_bound_of_a_small_box_is_of_the_order_of_its_size():
    problem, rng = on_a_line(3)
    a0, c0 = rng.normal(size=2)
    found = J_at(problem, a0, c0)
    gaps = []
    for half in (1e-1, 1e-2, 1e-3):
        box = (a0 - half, a0 + half, c0 - half, c0 + half)
        gaps.append(found.value - bounds.box_bound(problem, found.variables["alpha"], box))
    assert gaps[0] > 5 * gaps[1] > 25 * gaps[2] > 0
    assert bounds.box_bound(problem, found.variables["alpha"], (a0, a0, c0, c0)) == pytest.approx(
        found.value, rel=1e-9
    )


def test_a_box_needs_two_kernels_and_a_line():
    problem = gated()
    with pytest.raises(ValueError, match="two kernels"):
        bounds.box_bound(problem, np.zeros(14), (0, 1, 0, 1))


# -- The discriminant ------------------------------------------------------------------------------


def fitted(spread=1.0, n=30):
    X, y = blobs(n, 2, d=2, seed=8)
    y = 2 * y - 3
    bases = [
        lambda Z, W: kernels.linear(Z, W) / 50,
        lambda Z, W: kernels.polynomial(Z, 2, W) / 100,
        lambda Z, W: kernels.gaussian(Z, 1.0, W),
    ]
    rng = np.random.default_rng(0)
    V, v0 = spread * rng.normal(size=(3, 2)), spread * rng.normal(size=3)
    problem = Gated(np.stack([k(X, X) for k in bases]), y, X, 5.0, V, v0)
    alpha = solve("gonen2008-eq7", problem, solver="svm").variables["alpha"]
    return problem, alpha, bases


def test_the_discriminant_is_the_printed_sum(tolerances):
    problem, alpha, bases = fitted()
    f = Discriminant.fit(problem, alpha, bases)
    Z = np.random.default_rng(1).normal(size=(7, 2))
    there, here = problem.eta, gates(Z, problem.V, problem.v0)
    for j, z in enumerate(Z):
        total = f.b
        for i in range(problem.n):
            for m in range(3):
                K = bases[m](z[None], problem.X[i][None])[0, 0]
                total += alpha[i] * problem.y[i] * here[m, j] * K * there[m, i]
        assert f(Z)[j] == pytest.approx(total, rel=1e-6)


def test_free_support_vectors_lie_on_the_margin(tolerances):
    problem, alpha, bases = fitted()
    f = Discriminant.fit(problem, alpha, bases)(problem.X)
    free = (alpha > 1e-6 * problem.C) & (alpha < problem.C * (1 - 1e-6))
    assert free.any()
    assert (problem.y * f)[free] == pytest.approx(1, abs=tolerances.stationarity)


def test_what_a_threshold_leaves_out_is_small_and_saves_evaluations():
    problem, alpha, bases = fitted(spread=4.0)
    f = Discriminant.fit(problem, alpha, bases)
    Z = np.random.default_rng(2).normal(size=(200, 2))
    for threshold in (1e-6, 1e-3, 1e-2):
        left = sum(np.abs(k(Z, f.X)) @ np.abs(f.weights) for k in bases)
        assert (np.abs(f(Z, threshold=threshold) - f(Z)) <= threshold * left).all()
        assert f.evaluations(Z, threshold=threshold) < f.evaluations(Z)
    assert f.evaluations(Z, threshold=1e-2) < 0.7 * f.evaluations(Z)
    assert f.evaluations(Z) == 3 * 200 * support(alpha, problem.C).sum()


def test_kernels_are_asked_only_where_both_gates_are_above():
    problem, alpha, bases = fitted(spread=4.0)
    asked = []

    def counting(K):
        return lambda Z, W: (asked.append(len(Z) * len(W)), K(Z, W))[1]

    f = Discriminant.fit(problem, alpha, [counting(k) for k in bases])
    Z = np.random.default_rng(2).normal(size=(50, 2))
    f(Z, threshold=0.05)
    assert sum(asked) == f.evaluations(Z, threshold=0.05)


# -- Bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "change", "key", "error"),
    [
        ("eq7", {"X": np.ones((13, 2))}, "X", e.ShapeError),
        ("eq7", {"X": np.ones(14)}, "X", e.ShapeError),
        ("eq7", {"X": np.ones((14, 0))}, "X", e.ShapeError),
        ("eq7", {"X": np.full((14, 2), np.nan)}, "X", e.NotFiniteError),
        ("eq7", {"V": np.ones((2, 3))}, "V", e.ShapeError),
        ("eq7", {"V": np.ones((3, 3))}, "V", e.ShapeError),
        ("eq7", {"v0": np.ones(2)}, "v0", e.ShapeError),
        ("eq7", {"v0": np.array([0, np.inf, 0])}, "v0", e.NotFiniteError),
        ("eq7", {"V": np.full((3, 2), 1e200)}, "V", e.ParameterError),
        ("eq7", {"C": 0.0}, "C", e.ParameterError),
        ("eq7", {"y": np.arange(14) % 2}, "y", e.LabelError),
        ("alg1", {"kernels": np.eye(14)[None]}, "kernels", e.ShapeError),
        ("alg1", {"X": np.ones((15, 2))}, "X", e.ShapeError),
        ("alg1", {"kernels": -np.ones((2, 14, 14))}, "kernels[0]", e.NotPositiveSemidefiniteError),
    ],
)
def test_bad_input_exits_2_with_one_line(id, change, key, error, tmp_path, run):
    data = {**sample("gonen2008-eq7", 14, 3), **change}
    with pytest.raises(error) as caught:
        CATALOGUE[f"gonen2008-{id}"].make(data)
    assert caught.value.key == key
    np.savez(tmp_path / "bad.npz", **data)
    status, out, err = run("solve", f"gonen2008-{id}", tmp_path / "bad.npz")
    assert (status, out) == (2, "")
    assert err.startswith(f"cvxkernel: {key}: expected")
    assert err.count("\n") == 1


def test_one_problem_is_not_the_other():
    with pytest.raises(e.InputError, match="a Localized for gonen2008-alg1; came a Gated"):
        solve("gonen2008-alg1", gated())
    with pytest.raises(e.InputError, match="a Gated for gonen2008-eq7; came a Localized"):
        solve("gonen2008-eq7", on_a_line(0)[0])

"""The gradient of J, and J itself, against 300 bits."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, arb_mat, ctx

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.gonen2008 import Gated
from cvxkernel.solvers.svm import svm as machine

EQ7 = CATALOGUE["gonen2008-eq7"]
BITS = 300


def test_the_gradient_is_the_printed_sum(tolerances, gated):
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
def test_the_gradient_agrees_with_central_differences_in_300_bits(seed, random_gated):
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
def test_the_enclosure_holds_the_optimum_of_300_bits(seed, spread, away, random_gated):
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


def test_gradients_add_up_to_nothing_over_the_kernels(tolerances, gated):
    # The gates do not change when all v_m do by the same.
    problem = gated(20)
    dV, dv0 = problem.gradient(machine(problem.K_eta, problem.y, problem.C))
    assert np.abs(dV.sum(axis=0)).max() <= tolerances.rounding * np.abs(dV).max()
    assert abs(dv0.sum()) <= tolerances.rounding * np.abs(dv0).max()

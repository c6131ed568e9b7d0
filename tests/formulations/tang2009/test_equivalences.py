"""tang2009: the QCQP, the min-max as an SDP and the semi-infinite program have one optimum."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, tang2009
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.formulations.tang2009 import Regularized, Separate, Shared
from cvxkernel.solvers import Alternation, solve
from cvxkernel.validation.tang2009.samples import multi_label

KINDS = ("gaussian", "random", "low rank")


def optimum(problem, id, *, tol=1e-6, solver=None):
    found = solve(id, problem, tol=tol, solver=solver)
    assert found.lower <= found.value <= found.upper
    assert found.width <= tol
    return found


def regularized(data, lam, **changes):
    data = {**data, **changes}
    return Regularized(data["kernels"], data["Y"], data["C"], lam)


def shared(data, beta, **changes):
    data = {**data, **changes}
    return Shared(data["kernels"], data["Y"], data["C"], beta)


# -- The three programs -------------------------------------------------------------------------


GRID = tuple(product((0.1, 1.0, 10.0), (0.0, 0.05, 0.3, 5.0)))


@pytest.mark.parametrize("seed", range(len(GRID)))
def test_qcqp_sdp_and_semi_infinite_agree(seed):
    # Every pair of C and λ, with n ≤ 20, k ≤ 4, p ≤ 4 and the kind of kernels drawn.
    C, lam = GRID[seed]
    rng = np.random.default_rng(seed)
    n, k, p = rng.integers(8, 21), rng.integers(2, 5), rng.integers(2, 5)
    data = multi_label(n, p, k, kind=KINDS[seed % 3], seed=seed) | {"C": C}
    problem = regularized(data, lam)
    qcqp = optimum(problem, "tang2009-thm3.1")
    sdp = optimum(problem, "tang2009-eq3-sdp")
    assert qcqp.enclosure.meets(sdp.enclosure)

    for found in (qcqp, sdp):
        # λ → β: the value at λ is the value at β plus λβ.
        bridge = tang2009.to_beta(problem, found.variables)
        silp = optimum(bridge.shared, "tang2009-eq11")
        price = bridge.lam * bridge.beta
        assert silp.enclosure.meets(bridge.at_beta)
        assert silp.lower + price <= found.upper
        assert silp.upper + price >= max(qcqp.lower, sdp.lower)

    # β → λ → the same optimum again
    back = tang2009.to_lam(bridge.shared, silp.variables)
    again = optimum(back.regularized, "tang2009-thm3.1")
    assert again.enclosure.meets(back.at_lam)
    assert silp.lower + back.lam * bridge.beta <= back.at_lam.upper
    assert silp.upper + back.lam * bridge.beta >= again.lower


@pytest.mark.parametrize("kind", KINDS)
def test_the_bridge_loses_no_width(kind):
    data = multi_label(14, 3, 3, kind=kind, seed=2)
    for lam in (0.05, 0.3):
        problem = regularized(data, lam)
        found = optimum(problem, "tang2009-thm3.1")
        bridge = tang2009.to_beta(problem, found.variables)
        assert 0 <= bridge.beta <= 1.5
        assert bridge.lam == lam
        spread = bridge.at_beta.upper - bridge.at_beta.lower
        assert spread <= (found.upper - found.lower) + 1e-11 * found.upper
    for beta in (0.0, 0.4, 1.5):
        found = optimum(shared(data, beta), "tang2009-eq11")
        bridge = tang2009.to_lam(shared(data, beta), found.variables)
        assert bridge.lam >= 0
        spread = bridge.at_lam.upper - bridge.at_lam.lower
        assert spread <= (found.upper - found.lower) + 1e-11 * found.upper


def test_the_bridge_is_wide_where_the_point_is_not_a_solution():
    data = multi_label(14, 3, 3, kind="random", seed=2)
    problem = regularized(data, 0.3)
    found = optimum(problem, "tang2009-thm3.1")
    bridge = tang2009.to_beta(problem, {})
    assert bridge.at_lam.width > 1e-2
    assert bridge.at_lam.meets(found.enclosure)


# -- The two ends -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_no_price_leaves_k_problems_of_their_own(kind):
    data = multi_label(14, 3, 3, kind=kind, seed=5)
    whole = optimum(regularized(data, 0.0), "tang2009-thm3.1")
    silp = optimum(shared(data, 1.5), "tang2009-eq11")
    each = [optimum(shared(data, 0.0, Y=data["Y"][[t]]), "tang2009-eq11") for t in range(3)]
    low, high = sum(f.lower for f in each), sum(f.upper for f in each)
    assert whole.enclosure.meets(silp.enclosure)
    for found in (whole, silp):
        assert low <= found.upper
        assert found.lower <= high


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lam", [50.0, 1e9])
def test_a_large_price_is_one_kernel_for_all(kind, lam):
    data = multi_label(14, 3, 3, kind=kind, seed=5)
    whole = optimum(regularized(data, lam), "tang2009-thm3.1")
    silp = optimum(shared(data, 0.0), "tang2009-eq11")
    assert whole.enclosure.meets(silp.enclosure)
    assert tang2009.bounds.omega(silp.variables["theta"]) == 0


@pytest.mark.parametrize("beta", [0.0, 1.5])
@pytest.mark.parametrize("kind", KINDS)
def test_the_cheaper_linear_programs_have_the_same_optimum(kind, beta):
    problem = shared(multi_label(16, 4, 3, kind=kind, seed=7), beta)
    cheap = Alternation(split=True).solve("tang2009-eq11", problem)
    whole = Alternation(split=False).solve("tang2009-eq11", problem)
    assert cheap.enclosure.meets(whole.enclosure)


# -- One label, and the classical program ----------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_one_label_is_the_soft_margin_up_to_its_scaling(kind, C, meet):
    # sm1 has 2αᵀ1 - c maxᵢ αᵀG(Kᵢ)α/rᵢ with rᵢ = trace Kᵢ and c = Σᵢ rᵢ: twice (1) with cKᵢ/rᵢ.
    data = multi_label(14, 3, 1, kind=kind, seed=3)
    K = data["kernels"] * np.array([1.0, 2.0, 0.5])[:, None, None]
    margin = optimum(SoftMargin(K, data["Y"][0], C), "lanckriet2004-sm1")
    r = np.trace(K, axis1=1, axis2=2)
    scaled = K * (r.sum() / r)[:, None, None]
    for lam in (0.0, 0.7):  # one label shares with nobody: the price is never paid
        one = optimum(Regularized(scaled, data["Y"], C, lam), "tang2009-thm3.1")
        assert meet(margin.enclosure, one.enclosure, 2.0)
    silp = optimum(Shared(scaled, data["Y"], C, 0.5), "tang2009-eq11")
    assert meet(margin.enclosure, silp.enclosure, 2.0)
    # Without the scaling it is another problem.
    assert not meet(
        margin.enclosure, optimum(Shared(K, data["Y"], C, 0.0), "tang2009-eq11").enclosure, 2.0
    )


# -- What may not change the optimum ---------------------------------------------------------


@pytest.fixture(scope="module")
def base():
    data = multi_label(12, 3, 3, kind="random", seed=6)
    problems = {
        "tang2009-thm3.1": regularized(data, 0.2),
        "tang2009-eq3-sdp": regularized(data, 0.2),
        "tang2009-eq11": shared(data, 0.4),
    }
    return {id: (problem, optimum(problem, id)) for id, problem in problems.items()}


IDS = ("tang2009-thm3.1", "tang2009-eq3-sdp", "tang2009-eq11")


def again(problem, **changes):
    fields = ("kernels", "Y", "C", "lam" if isinstance(problem, Regularized) else "beta")
    return type(problem)(**{f: changes.get(f, getattr(problem, f)) for f in fields})


@pytest.mark.parametrize("id", IDS)
def test_orders_names_and_copies(id, base, meet):
    problem, found = base[id]
    K, Y = problem.kernels, problem.Y
    order = np.random.default_rng(0).permutation(12)
    changed = {
        "samples": again(problem, kernels=K[:, order][:, :, order], Y=Y[:, order]),
        "kernels": again(problem, kernels=K[[2, 0, 1]]),
        "labels": again(problem, Y=Y[[1, 2, 0]]),
        "signs": again(problem, Y=Y * np.array([[1.0], [-1.0], [1.0]])),
        "a kernel twice": again(problem, kernels=K[[0, 1, 2, 1]]),
        "a mixture": again(problem, kernels=np.concatenate([K, K[:2].mean(axis=0)[None]])),
        "a zero kernel": again(problem, kernels=np.concatenate([K, 0 * K[:1]])),
    }
    for what, other in changed.items():
        assert meet(optimum(other, id).enclosure, found.enclosure), what


@pytest.mark.parametrize("s", [1e-3, 40.0])
@pytest.mark.parametrize("id", IDS)
def test_kernels_C_and_the_price_together(id, s, base, meet):
    # α → α/s: the value of (sK, C/s, λ/s) is 1/s times that of (K, C, λ).
    problem, found = base[id]
    changes = {"kernels": s * problem.kernels, "C": problem.C / s}
    if isinstance(problem, Regularized):
        changes["lam"] = problem.lam / s
    assert meet(optimum(again(problem, **changes), id).enclosure, found.enclosure, 1 / s)


def test_the_value_falls_with_beta_and_rises_with_lambda_and_both_are_bent():
    data = multi_label(14, 3, 3, kind="random", seed=1)
    betas, lams = np.linspace(0, 1.5, 5), np.linspace(0, 1.2, 5)
    falls = [optimum(shared(data, b), "tang2009-eq11") for b in betas]
    rises = [optimum(regularized(data, lam), "tang2009-thm3.1") for lam in lams]
    for i in range(4):
        assert falls[i + 1].lower <= falls[i].upper
        assert rises[i + 1].upper >= rises[i].lower
    for i in range(1, 4):  # v is convex, the value at λ concave
        assert falls[i].lower <= (falls[i - 1].upper + falls[i + 1].upper) / 2
        assert rises[i].upper >= (rises[i - 1].lower + rises[i + 1].lower) / 2
    # Weak duality between the two for every pair, equality for the pairs that belong together.
    for b, v in zip(betas, falls, strict=True):
        for lam, f in zip(lams, rises, strict=True):
            assert f.lower <= v.upper + lam * b


# -- Closed forms ----------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.2, 3.0])
@pytest.mark.parametrize("id", IDS)
def test_multiples_of_the_identity(id, C, contains):
    # Balanced labels: every α is min(C, 1/c) with c the largest multiple, for every label.
    n, k, multiples = 8, 3, np.array([0.5, 2.0, 1.0])
    K = multiples[:, None, None] * np.eye(n)
    Y = np.array([[1.0, -1] * 4, [1.0, 1, -1, -1] * 2, [1.0] * 4 + [-1.0] * 4])
    form = CATALOGUE[id]
    problem = form.make({"kernels": K, "Y": Y, "C": C, "lam": 0.3, "beta": 0.6})
    a = min(C, 1 / 2.0)
    assert contains(optimum(problem, id).enclosure, k * n * (a - a * a))


def test_separate_multiples_of_the_identity(contains):
    Y = np.array([[1.0, -1] * 4, [1.0, 1, -1, -1] * 2])
    problem = Separate(np.stack([np.eye(8), 4 * np.eye(8)]), Y, 0.5)
    found = optimum(problem, "tang2009-eq2")
    assert contains(found.enclosure, 8 * (0.5 - 0.125) + 8 * (0.25 - 4 * 0.0625 / 2))

"""tang2009: both ends at every point, what is behind them, recovery, prediction, bad input."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.svm import SVC

from cvxkernel.formulations import CATALOGUE, kernels, tang2009
from cvxkernel.formulations import errors as e
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES
from cvxkernel.formulations.tang2009 import Regularized, Separate, Shared, bounds
from cvxkernel.formulations.tang2009.bounds import Bounds
from cvxkernel.solvers import solve
from cvxkernel.solvers.svm import svm
from cvxkernel.validation.instances import blobs, gaussian_kernels, random_kernels
from cvxkernel.validation.tang2009.samples import multi_label

KINDS = ["gaussian", "random", "low rank", "equal", "rank one", "separable", "uneven", "zero"]


def stack(kind, n, p, seed):
    X, y = blobs(n, 2, seed=seed)
    if kind == "gaussian":
        return gaussian_kernels(X, p)
    if kind == "equal":
        return np.repeat(kernels.gaussian(X, 2.0)[None], p, axis=0)
    if kind == "rank one":
        return np.stack([np.outer(X[:, i % 5], X[:, i % 5]) for i in range(p)])
    if kind == "separable":
        return np.stack([kernels.linear(X + 1e4 * y[:, None] * (i + 1)) for i in range(p)])
    if kind == "uneven":
        return random_kernels(n, p, seed=seed) * np.logspace(-6, 6, p)[:, None, None]
    if kind == "zero":
        return np.concatenate([np.zeros((1, n, n)), random_kernels(n, p, seed=seed)[1:]])
    return random_kernels(n, p, rank=max(1, n // 3) if kind == "low rank" else n, seed=seed)


@st.composite
def data(draw):
    n, p, k = draw(st.integers(4, 10)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    Y = np.where(np.argsort(rng.random((k, n)), axis=1) < rng.integers(1, n, size=(k, 1)), 1.0, -1)
    return {
        "kernels": stack(draw(st.sampled_from(KINDS)), n, p, seed),
        "Y": Y,
        "C": draw(st.sampled_from([1e-3, 0.1, 1.0, 1e3])),
        "lam": draw(st.sampled_from([0.0, 1e-6, 0.05, 1.0, 1e9])),
        "beta": k / 2 * draw(st.sampled_from([0.0, 0.3, 1.0])),
        "rng": rng,
    }


def points(problem, rng):
    """Points for an enclosure: machines at random weights, near to it, and garbage."""
    k, n, p = problem.k, problem.n, problem.p
    theta = rng.dirichlet(np.full(p, 0.3), size=k)
    K = problem.combined(theta)
    alpha = np.stack([svm(K[t], problem.Y[t], problem.C) for t in range(k)])
    yield {"theta": theta, "alpha": alpha}
    yield {"theta": theta, "alpha": alpha * (1 + 1e-3 * rng.normal(size=(k, n)))}
    yield {"theta": rng.normal(size=(k, p)), "alpha": problem.C * rng.normal(size=(k, n))}
    yield {"zeta": rng.random(p), "gamma": rng.random((k, p)), "machines": alpha}


# -- Both ends --------------------------------------------------------------------------------


@given(data=data())
@settings(max_examples=30)
def test_every_lower_end_is_below_every_upper_end(data):
    for id in ("tang2009-thm3.1", "tang2009-eq3-sdp", "tang2009-eq11"):
        form = CATALOGUE[id]
        problem = form.make(data)
        ends = [form.enclose(problem, point) for point in points(problem, data["rng"])]
        assert max(x.lower for x in ends) <= min(x.upper for x in ends), id
        assert all(x.lower <= x.value <= x.upper for x in ends), id


@given(data=data())
def test_every_lower_end_of_separate_machines_is_below_every_upper_end(data):
    k, rng = len(data["Y"]), data["rng"]
    problem = Separate(np.resize(data["kernels"], (k, *data["kernels"].shape[1:])), data["Y"], 1.0)
    enclose = CATALOGUE["tang2009-eq2"].enclose
    given = [{}, {"alpha": rng.random(problem.Y.shape)}]
    given += [{"alpha": [svm(K, y, 1.0) for K, y in zip(problem.kernels, problem.Y, strict=True)]}]
    ends = [enclose(problem, point) for point in given]
    assert max(x.lower for x in ends) <= min(x.upper for x in ends)
    assert ends[-1].width <= 1e-6


def least(problem, alpha, *, lam=0.0, beta=np.inf):
    """min of λΩ + Σₜ D(αᵗ, Σᵢ (ζᵢ + γᵢᵗ)Gᵢ) over ζ and γ with Ω ≤ β, by HiGHS."""
    k, p = problem.k, problem.p
    G = Bounds(DOUBLES, problem).forms(alpha).mid
    c = np.r_[-G.sum(axis=0) / 2, (lam / 2 - G / 2).ravel()]
    A_eq = np.hstack([np.ones((k, p)), np.kron(np.eye(k), np.ones(p))])
    A_ub = np.r_[np.zeros(p), np.full(k * p, 0.5)][None]
    return alpha.sum() + linprog(c, A_ub, [min(beta, k)], A_eq, np.ones(k)).fun


@pytest.mark.parametrize("seed", range(6))
def test_the_least_over_the_weights_is_explicit(seed, tolerances):
    rng = np.random.default_rng(seed)
    data = multi_label(10, 4, 3, kind="random", seed=seed)
    problem = Regularized(data["kernels"], data["Y"], 1.0, 0.0)
    alpha = Bounds(DOUBLES, problem).feasible(rng.random((3, 10))).mid
    A, B = (float(x.mid) for x in Bounds(DOUBLES, problem).extremes(alpha))
    assert A <= B <= 3 * A
    given = {"kernels": data["kernels"], "Y": data["Y"], "C": 1.0}
    for lam in (0.0, 0.1 * (B - A) / 3, (B - A) / 3, 2 * (B - A)):
        low = Bounds(DOUBLES, Regularized(**given, lam=lam)).value(alpha)
        best = least(problem, alpha, lam=lam)
        assert float(low.mid) == pytest.approx(best, rel=tolerances.rounding)
    for beta in (0.0, 0.4, 1.0, 1.5):
        low = Bounds(DOUBLES, Shared(**given, beta=beta)).value(alpha)
        best = least(problem, alpha, beta=beta)
        assert float(low.mid) == pytest.approx(best, rel=tolerances.rounding)


@pytest.mark.parametrize("seed", range(4))
def test_the_smallest_part_of_one_s_own(seed, tolerances):
    # ζ = minₜ θᵗ has the least Ω: maximize Σζ with ζ ≤ θᵗ.
    theta = np.random.default_rng(seed).dirichlet(np.ones(4), size=3)
    exact = DOUBLES.exact(theta)
    zeta, gamma = (part.mid for part in bounds.parts(DOUBLES, exact))
    most = -linprog(-np.ones(4), np.tile(np.eye(4), (3, 1)), theta.ravel()).fun
    assert bounds.omega(theta) == pytest.approx(3 / 2 * (1 - most), rel=tolerances.rounding)
    assert np.allclose(zeta + gamma, theta, atol=1e-15)
    assert min(zeta.min(), gamma.min()) >= 0
    for beta in (0.0, 0.1, bounds.omega(theta), 1.5):
        near = bounds.within(DOUBLES, exact, beta).mid
        assert bounds.omega(near) <= beta + 1e-15
        assert near.sum(axis=1) == pytest.approx(np.ones(3))
    assert np.array_equal(bounds.within(DOUBLES, exact, 1.5).mid, theta)
    assert np.ptp(bounds.within(DOUBLES, exact, 0.0).mid, axis=0).max() == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("F", [DOUBLES, BALLS])
def test_any_weights_bound_the_optimum_once_they_are_charged(F, seed):
    # Rows that do not add up to one, and an Ω beyond β or none: θ/τ is feasible, and costs τ.
    data = multi_label(10, 3, 3, kind="random", seed=seed)
    given = {key: data[key] for key in ("kernels", "Y", "C")}
    rng = np.random.default_rng(seed)
    problems = [Shared(**given, beta=beta) for beta in (0.0, 1e-9, 0.3, 1.5)]
    problems += [Regularized(**given, lam=lam) for lam in (0.0, 0.05, 10.0)]
    for problem in problems:
        id = "tang2009-eq11" if isinstance(problem, Shared) else "tang2009-thm3.1"
        optimum, ends = solve(id, problem, tol=1e-8), Bounds(F, problem)
        for size in (1e-3, 0.9, 1.0, 2.0):
            theta = size * rng.dirichlet(np.ones(3), size=3)
            if size == 0.9:
                theta[1:] = theta[0]  # no Ω
            g = ends.machines(ends.combined(theta), F.exact(optimum.variables["alpha"]))
            high = ends.upper(F.exact(theta), g)
            assert not high.upper < optimum.lower
    # With β = 0 weights that differ are no bound at all.
    assert not Bounds(F, problems[0]).upper(F.exact(np.eye(3)), F.exact(np.ones(3))).is_finite()


# -- Recovery ---------------------------------------------------------------------------------


@pytest.mark.parametrize("lam", [0.05, 0.3])
def test_the_weights_are_twice_the_multipliers(lam):
    data = multi_label(12, 3, 3, kind="random", seed=3)
    problem = Regularized(data["kernels"], data["Y"], 1.0, lam)
    program = problem.thm3_1()
    program.problem.solve(solver="CLARABEL")
    zeta, gamma = problem.weights_from_quad(program)
    assert (zeta.sum() + gamma.sum(axis=1)) == pytest.approx(np.ones(3), abs=1e-6)
    assert 0 < bounds.omega(zeta + gamma) < 1.5  # neither end
    assert gamma.sum() / 2 == pytest.approx(bounds.omega(zeta + gamma), abs=1e-5)
    # Complementarity: λ = (B - A)/k where both parts are there.
    A, B = (float(x.mid) for x in Bounds(DOUBLES, problem).extremes(program.value("alpha")))
    assert pytest.approx(lam, abs=1e-5) == (B - A) / 3


def test_alpha_is_the_multiplier_of_nu(tolerances):
    data = multi_label(12, 3, 2, kind="random", seed=3)
    problem = Regularized(data["kernels"], data["Y"], 0.7, 0.3)
    sdp, qcqp = problem.eq3_sdp(), problem.thm3_1()
    for program in (sdp, qcqp):
        program.problem.solve(solver="CLARABEL")
    alpha = problem.alpha_from_lmi(sdp)
    assert alpha == pytest.approx(qcqp.value("alpha"), abs=tolerances.stationarity)
    assert max(abs(alpha[t] @ problem.Y[t]) for t in range(2)) < 1e-5


def test_the_restricted_master_bounds_from_below_and_is_fresh():
    data = multi_label(12, 3, 3, kind="random", seed=1)
    problem = Shared(data["kernels"], data["Y"], 1.0, 0.4)
    found = solve("tang2009-eq11", problem)
    A = [found.variables["machines"], found.variables["alpha"]]
    one, two = problem.eq11(A), problem.eq11(A)
    assert one.problem.is_dcp()
    assert not {v.id for v in one.variables.values()} & {v.id for v in two.variables.values()}
    one.problem.solve(solver="CLARABEL")
    assert one.problem.value <= found.upper
    assert one.problem.value == pytest.approx(
        found.value, rel=1e-4
    )  # the cut that matters is there
    assert set(one.variables) == {"theta", "gamma", "zeta", "g"}


# -- What the paper prints -----------------------------------------------------------------------


def test_the_qcqp_has_nk_and_k_and_2_variables():
    data = multi_label(9, 2, 3, seed=0)
    program = Regularized(data["kernels"], data["Y"], 1.0, 0.3).thm3_1()
    assert sum(v.size for v in program.variables.values()) == 9 * 3 + 3 + 2


def test_the_third_line_of_the_appendix_is_another_number():
    data = multi_label(12, 3, 3, kind="random", seed=0)
    problem = Regularized(data["kernels"], data["Y"], 1.0, 0.0)
    ends = Bounds(DOUBLES, problem)
    G = ends.forms(ends.feasible(np.ones((3, 12)))).mid
    # maxₜ Σᵢ as printed; maxᵢ Σₜ is the largest Σᵢ ζᵢ Σₜ Gᵢᵗ over the simplex.
    shares = np.random.default_rng(0).dirichlet(np.ones(3), size=200)
    assert (shares @ G.sum(axis=0)).max() <= G.sum(axis=0).max()
    assert G.sum(axis=1).max() != pytest.approx(G.sum(axis=0).max(), rel=1e-3)


def test_a_cut_without_the_sum_is_another_program():
    # Step 2 prints θᵢᵗD(αⱼᵗ, Gᵢ) ≤ gᵗ; for one label and the same cuts the value is lower.
    data = multi_label(12, 3, 1, kind="random", seed=0)
    problem = Shared(data["kernels"], data["Y"], 1.0, 0.0)
    found = solve("tang2009-eq11", problem)
    D = problem.D(found.variables["alpha"])[0]
    theta, g = cp.Variable(3), cp.Variable()
    printed = cp.Problem(
        cp.Minimize(g), [cp.multiply(D, theta) <= g, theta >= 0, cp.sum(theta) == 1]
    )
    printed.solve(solver="CLARABEL")
    assert printed.value < 0.9 * found.lower


# -- Prediction -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    X, y = blobs(60, 3, seed=4)
    Y = tang2009.one_against_rest(y)
    sigmas = (0.5, 2.0, 8.0)
    K = np.stack([kernels.gaussian(X[:40], s) for s in sigmas])
    cross = np.stack([kernels.gaussian(X[40:], s, X[:40]) for s in sigmas])
    problem = Shared(K, Y[:, :40], 1.0, tang2009.beta_of_share(0.6, 3))
    return problem, cross, Y[:, 40:], y[40:] - 1, solve("tang2009-eq11", problem, tol=1e-10)


def test_the_scores_are_those_of_libsvm(fitted):
    problem, cross, Y, y, found = fitted
    model = tang2009.MultiLabelClassifier.fit(problem, found.variables)
    scores = model.scores(cross)
    theta = found.variables["theta"]
    for t in range(3):
        K, test = np.tensordot(theta[t], problem.kernels, 1), np.tensordot(theta[t], cross, 1)
        machine = SVC(C=1.0, kernel="precomputed", tol=1e-8).fit(K, problem.Y[t])
        assert scores[t] == pytest.approx(machine.decision_function(test), abs=1e-5)
    assert np.array_equal(model.predict(cross), np.sign(scores))
    assert found.variables["zeta"].sum() >= 0.6 - 1e-12
    assert tang2009.mean_auc(Y, scores) > 0.8
    assert tang2009.accuracy(y, scores) > 0.6
    right = sum(np.argmax(scores, axis=0) == y) / len(y)
    assert tang2009.accuracy(y, scores) == right


def test_the_average_of_one_s_curves():
    scores = np.array([[0.1, 0.2, 0.3, 0.4], [4.0, 3.0, 2.0, 1.0]])
    Y = np.array([[-1.0, 1.0, -1.0, 1.0], [1.0, 1.0, -1.0, -1.0]])
    assert tang2009.mean_auc(Y, scores) == pytest.approx((0.75 + 1.0) / 2)
    with pytest.raises(e.LabelError, match=r"^Y\[1\]: "):
        tang2009.mean_auc(np.array([[-1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]), scores)


def test_the_average_kernel_is_weights_that_were_not_learned(fitted, meet):
    problem, cross, Y, _, found = fitted
    baseline = tang2009.average(problem)
    assert baseline.kernels == pytest.approx(np.stack([problem.kernels.mean(axis=0)] * 3))
    fixed = solve("tang2009-eq2", baseline)
    same = solve("tang2009-eq11", Shared(problem.kernels, problem.Y, 1.0, 0.0))
    assert fixed.upper >= same.lower  # Same minimizes over the weights
    scores = tang2009.MultiLabelClassifier.fit(baseline, fixed.variables).scores(
        np.stack([cross.mean(axis=0)] * 3)
    )
    assert tang2009.mean_auc(Y, scores) > 0.8
    learned = tang2009.at_weights(problem, found.variables["theta"])
    assert meet(solve("tang2009-eq2", learned).enclosure, found.enclosure)
    assert solve("tang2009-eq2", tang2009.at_weights(problem, [0, 1, 0])).upper >= same.lower


def test_test_kernels_of_another_shape_are_refused(fitted):
    problem, cross, _, _, found = fitted
    model = tang2009.MultiLabelClassifier.fit(problem, found.variables)
    with pytest.raises(e.ShapeError, match=r"^kernels: expected shape \(3, n_test, 40\)"):
        model.scores(cross[:2])
    with pytest.raises(e.ShapeError, match=r"^y: "):
        tang2009.one_against_rest(np.ones((2, 2)))


# -- Bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "key", "told"),
    [
        ({"Y": np.arange(18).reshape(2, 9) % 3}, "Y", "labels -1 and +1"),
        ({"Y": np.array([[1.0] * 9, [-1.0] * 4 + [1.0] * 5])}, "Y[0]", "one class"),
        ({"Y": np.ones((2, 8))}, "Y", "shape (k, 9)"),
        ({"Y": np.ones(9)}, "Y", "also for one label (1, 9)"),
        ({"Y": np.full((2, 9), np.nan)}, "Y", "finite"),
        ({"kernels": np.ones((9, 9))}, "kernels", "shape (p, n, n)"),
        ({"kernels": np.eye(9)[None] - 0.5}, "kernels[0]", "semidefinite"),
        ({"C": 0.0}, "C", "positive"),
        ({"C": np.ones(2)}, "C", "one number"),
    ],
)
@pytest.mark.parametrize("id", ["tang2009-eq2", "tang2009-thm3.1", "tang2009-eq11"])
def test_bad_data_is_one_line_and_exit_2(id, change, key, told, tmp_path, run):
    path = tmp_path / "bad.npz"
    np.savez(path, **{**multi_label(9, 2, 2), **change})
    status, out, err = run("solve", id, path, "--json")
    assert (status, out) == (2, "")
    assert err.startswith(f"cvxkernel: {key}: expected")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("id", "key", "value", "told"),
    [
        ("tang2009-thm3.1", "lam", -0.1, "not negative; came -0.1"),
        ("tang2009-thm3.1", "lam", [0.1, 0.2], "one number"),
        ("tang2009-thm3.1", "lam", 1e200, "between"),
        ("tang2009-eq3-sdp", "lam", -1.0, "not negative"),
        ("tang2009-eq11", "beta", -0.1, "not negative; came -0.1"),
        ("tang2009-eq11", "beta", 1e200, "between"),
        ("tang2009-eq11", "beta", [0.1, 0.2], "one number"),
        ("tang2009-eq2", "Y", np.ones((3, 9)) - 2 * np.eye(3, 9), "a row of labels for each"),
    ],
)
def test_parameters_out_of_range_are_one_line_and_exit_2(id, key, value, told, tmp_path, run):
    path = tmp_path / "bad.npz"
    np.savez(path, **{**multi_label(9, 2, 2), key: value})
    status, out, err = run("solve", id, path)
    assert (status, out) == (2, "")
    assert err.startswith(f"cvxkernel: {key}: expected")
    assert told in err
    assert err.count("\n") == 1


def test_a_missing_parameter_and_an_unsuitable_solver(tmp_path, run):
    data = multi_label(9, 2, 2)
    np.savez(tmp_path / "no_beta.npz", **{k: v for k, v in data.items() if k != "beta"})
    assert run("solve", "tang2009-eq11", tmp_path / "no_beta.npz").status == 2
    np.savez(tmp_path / "whole.npz", **data)
    for id, solver in (("tang2009-eq11", "scs"), ("tang2009-eq2", "alternation")):
        done = run("solve", id, tmp_path / "whole.npz", "--solver", solver)
        assert done.status == 2
        assert done.err.startswith("cvxkernel: solver: expected")


def test_zero_is_a_price_and_the_ends_are_bounds():
    data = multi_label(9, 2, 2)
    assert Regularized(data["kernels"], data["Y"], 1.0, 0).lam == 0.0
    for beta, most in ((0, 0), (1.0, 1.0), (1.1, 1.0), (7, 1.0)):  # k = 2
        problem = Shared(data["kernels"], data["Y"], 1.0, beta)
        assert (problem.beta, problem.most) == (beta, most)


def test_a_percentage_is_a_share():
    assert tang2009.beta_of_share(0.6, 5) == pytest.approx(1.0)
    assert tang2009.beta_of_share(1, 7) == 0
    assert tang2009.beta_of_share(0.0, 7) == 3.5
    for share in (-0.1, 60):
        with pytest.raises(e.ParameterError, match=r"^share: "):
            tang2009.beta_of_share(share, 5)

"""chen2009: bad input, both ends against the definitions, duals against second models."""

from __future__ import annotations

import json

import cvxpy as cp
import numpy as np
import pytest
from flint import arb
from scipy.io import savemat

from cvxkernel.formulations import CATALOGUE, svm
from cvxkernel.formulations import errors as e
from cvxkernel.formulations.arithmetic import DOUBLES, balls
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.chen2009 import (
    REGULARIZERS,
    KernelMachine,
    RobustMachine,
    SpectrumMachine,
    bounds,
    spectrum,
)
from cvxkernel.solvers import conic, solve
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.files import load
from cvxkernel.validation.instances import sample

KINDS = ("gaussian", "random", "low rank")
IDS = [id for id, form in CATALOGUE.items() if form.paper in ("chen2009", "luss2007")]


def test_the_ids_of_the_design():
    labels = ("eq1", "eq3", "eq7", "eq7-dual", "eq8", "eq8-qcqp", "eq12")
    assert set(IDS) == {f"chen2009-{label}" for label in labels} | {"luss2007", "luss2007-maxmin"}
    assert formulation("chen2009-eq2").id == formulation("kundu2010-eq2").id == "luss2007"
    assert formulation("kundu2010-eq1").id == "chen2009-eq1"


# -- Bad input -------------------------------------------------------------------------------------


def asymmetric(S):
    S = S.copy()
    S[0, 1] += 0.5
    return S


BAD = {
    "S asymmetric": ("chen2009-eq7", {"S": asymmetric}, e.NotSymmetricError, "S"),
    "S asymmetric, eq2": ("luss2007", {"S": asymmetric}, e.NotSymmetricError, "S"),
    "S stacked": ("chen2009-eq12", {"S": lambda S: S[None]}, e.ShapeError, "S"),
    "S with NaN": ("chen2009-eq7", {"S": lambda S: S * np.nan}, e.NotFiniteError, "S"),
    "labels 0 and 1": ("chen2009-eq7", {"y": lambda y: (y + 1) / 2}, e.LabelError, "y"),
    "labels 1 and 2": ("chen2009-eq1", {"y": lambda y: (y + 3) / 2}, e.LabelError, "y"),
    "one class": ("chen2009-eq12", {"y": np.ones_like}, e.LabelError, "y"),
    "short y": ("luss2007", {"y": lambda y: y[:-1]}, e.ShapeError, "y"),
    "eta 0": ("chen2009-eq3", {"eta": 0.0}, e.ParameterError, "eta"),
    "eta < 0": ("chen2009-eq12", {"eta": -1.0}, e.ParameterError, "eta"),
    "gamma 0": ("chen2009-eq7", {"gamma": 0.0}, e.ParameterError, "gamma"),
    "gamma < 0": ("chen2009-eq7-dual", {"gamma": -0.1}, e.ParameterError, "gamma"),
    "rho 0": ("luss2007", {"rho": 0.0}, e.ParameterError, "rho"),
    "rho text": ("luss2007", {"rho": "a"}, e.ShapeError, "rho"),
    "C < 0": ("luss2007", {"C": -1.0}, e.ParameterError, "C"),
    "K indefinite, eq8": (
        "chen2009-eq8",
        {"K": lambda K: K - 2 * np.eye(len(K))},
        e.NotPositiveSemidefiniteError,
        "K",
    ),
    "K indefinite, eq1": ("chen2009-eq1", {"K": np.negative}, e.NotPositiveSemidefiniteError, "K"),
    "s too long": ("chen2009-eq8-qcqp", {"s": lambda s: np.append(s, 1)}, e.ShapeError, "s"),
    "psi of two": ("chen2009-eq8-qcqp", {"psi": [1.0, 2.0]}, e.ShapeError, "psi"),
    "S of another size": ("chen2009-eq8", {"S": lambda S: S[1:, 1:]}, e.ShapeError, "S"),
    "h unknown": ("chen2009-eq12", {"h": "square"}, e.ParameterError, "h"),
    "h a number": ("chen2009-eq12", {"h": 2.0}, e.ParameterError, "h"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_typed_line(name, tmp_path, run):
    id, changes, error, key = BAD[name]
    data = sample(id, 9, 1, kind="random")
    for k, change in changes.items():
        data[k] = change(data[k]) if callable(change) else change
    with pytest.raises(error) as caught:
        CATALOGUE[id].make(data)
    assert caught.value.key == key
    np.savez(tmp_path / "bad.npz", **data)
    status, out, err = run("solve", id, tmp_path / "bad.npz")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"cvxkernel: {key}: expected ")


def test_an_asymmetric_similarity_is_told_how_to_be_symmetric():
    S, y = similarity(8, kind="random")
    with pytest.raises(e.NotSymmetricError, match=r"\(S \+ Sᵀ\)/2"):
        KernelMachine(asymmetric(S), y, 0.1, 0.1)
    fixed = asymmetric(S)
    assert KernelMachine((fixed + fixed.T) / 2, y, 0.1, 0.1).n == 8


@pytest.mark.parametrize("ending", ["npz", "mat", "json"])
@pytest.mark.parametrize("h", REGULARIZERS)
def test_h_survives_every_kind_of_file(h, ending, tmp_path):
    data = {**sample("chen2009-eq12", 8, 1, kind="random"), "h": h}
    path = tmp_path / f"problem.{ending}"
    if ending == "npz":
        np.savez(path, **data)
    elif ending == "mat":
        savemat(path, data)
    else:
        path.write_text(json.dumps({k: np.asarray(v).tolist() for k, v in data.items()}))
    problem = load("chen2009-eq12", path)
    assert problem.h == h
    assert np.array_equal(problem.S, data["S"])


# -- The dual functions, from their definitions ----------------------------------------------------


def random_alpha(rng, y, C):
    return svm.repair(rng.random(len(y)) * C * rng.integers(0, 3, len(y)), y, C)


def random_kernel(rng, S):
    B = rng.normal(size=(len(S), rng.integers(1, len(S) + 1)))
    return spectrum.clip(S) * rng.random() + B @ B.T * rng.random() * 0.3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rho", [1e-2, 1.0, 1e2])
def test_luss2007_at_alpha_is_the_minimum_over_K(kind, rho, tolerances):
    S, y = similarity(11, kind=kind)
    problem, rng = RobustMachine(S, y, 1.0, rho), np.random.default_rng(1)

    def inside(alpha, K):  # g(α, K) + ρ‖K - S‖²
        v = y * alpha
        return alpha.sum() - v @ K @ v / 2 + rho * np.sum((K - S) ** 2)

    for _ in range(5):
        alpha = random_alpha(rng, y, 1.0)
        dual = bounds.Robust(DOUBLES, problem).best(DOUBLES.exact(alpha))
        low, slack, v = float(dual.value.mid), float(dual.value.rad), y * alpha
        m = np.maximum(np.linalg.eigvalsh(S + np.outer(v, v) / (4 * rho)), 0)
        closed = alpha.sum() - rho * m @ m + rho * np.sum(S * S)
        size = abs(low) + rho * np.sum(S * S)
        assert abs(low - closed) <= slack + tolerances.rounding * size
        assert abs(inside(alpha, problem.K_star(alpha)) - low) <= slack + tolerances.rounding * size
        for _ in range(20):  # any other K is worse
            assert inside(alpha, random_kernel(rng, S)) >= low - slack


@pytest.mark.parametrize("kind", KINDS)
def test_weak_duality_of_eq7_between_random_points(kind):
    S, y = similarity(10, kind=kind)
    rng = np.random.default_rng(2)
    for eta, gamma in ((0.01, 0.05), (0.5, 0.5), (1e-3, 10.0)):
        problem = KernelMachine(S, y, eta, gamma)
        at, values = bounds.Kernel(DOUBLES, problem), []
        for _ in range(20):
            K, c = random_kernel(rng, S), rng.normal(size=10)
            value, point = at.value(DOUBLES.exact(K), c)
            c, b = point["c"].mid, point["b"].mid  # the best of a few multiples
            losses = np.maximum(0, 1 - y * (K @ c + b))
            direct = losses.mean() + eta * c @ K @ c + gamma * np.linalg.norm(K - S)
            assert value.mid == pytest.approx(direct, rel=1e-12)
            values.append(value.upper)
        for _ in range(20):
            dual = at.best(at.box(random_alpha(rng, y, problem.C)))
            v, W = y * dual.alpha.mid, dual.W.mid
            # feasible, beyond doubt ...
            assert np.linalg.norm(W) <= gamma
            assert np.linalg.eigvalsh(W - eta * np.outer(v, v))[0] >= -1e-15 * gamma
            # ... and below every value
            low = 2 * eta * dual.alpha.mid.sum() - np.sum(W * S)
            assert dual.value.mid == pytest.approx(low, rel=1e-12, abs=1e-14)
            assert low <= min(values)


@pytest.mark.parametrize("kind", KINDS)
def test_the_W_of_alpha_is_the_best_one(kind, tolerances):
    S, y = similarity(9, kind=kind)
    problem, rng = KernelMachine(S, y, 0.05, 0.3), np.random.default_rng(3)
    for _ in range(3):
        at = bounds.Kernel(DOUBLES, problem)
        dual = at.best(at.box(0.5 * random_alpha(rng, y, problem.C)))
        W, v = cp.Variable((9, 9), symmetric=True), y * dual.alpha.mid
        least = cp.Problem(
            cp.Minimize(cp.sum(cp.multiply(W, S))),
            [W - problem.eta * np.outer(v, v) >> 0, cp.norm(W, "fro") <= problem.gamma],
        ).solve(solver="CLARABEL")
        assert np.sum(dual.W.mid * S) == pytest.approx(least, rel=1e-6, abs=1e-7)
        assert np.sum(dual.W.mid * S) >= least - tolerances.second_model


def second_model_of_eq12(problem):
    """The dual of (12), from the docstring of `spectrum_bound`."""
    lam, U, y, eta, gamma = problem.Lam, problem.basis.U, problem.y, problem.eta, problem.gamma
    n = problem.n
    clip, flip = np.where(lam >= 0, 1.0, 0.0), np.sign(lam)
    alpha, w2 = cp.Variable(n), cp.Variable(n)
    centres = {"clip": [clip], "flip": [flip], "both": [clip, flip], "spectrum": [np.ones(n)]}
    p = [cp.Variable(n) for _ in centres[problem.h]]
    weights = lam if problem.h == "spectrum" else np.ones(n)  # p is λ∘π, and γ bounds ‖π‖
    signs, off = np.sign(lam), lam == 0
    total = sum(cp.multiply(weights, p_j) for p_j in p)
    constraints = [y @ alpha == 0, alpha >= 0, alpha <= problem.C]
    constraints += [cp.square(U.T @ cp.multiply(y, alpha)) <= w2]
    constraints += [cp.norm(p_j) <= gamma for p_j in p]
    constraints += [cp.multiply(signs, total) >= eta * cp.multiply(np.abs(lam), w2)]
    if off.any():
        constraints += [total[off] == 0]
    cost = sum(
        cp.multiply(weights, p_j) @ a_j for p_j, a_j in zip(p, centres[problem.h], strict=True)
    )
    return cp.Problem(cp.Maximize(2 * eta * cp.sum(alpha) - cost), constraints)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("h", REGULARIZERS)
def test_the_dual_of_eq12_by_a_second_model(h, kind, tolerances):
    S, y = similarity(12, kind=kind)
    problem = SpectrumMachine(S, y, 0.05, 0.1, h)
    solution = solve("chen2009-eq12", problem)
    assert solution.width <= tolerances.width
    dual = second_model_of_eq12(problem).solve(solver="CLARABEL")
    assert dual == pytest.approx(solution.value, rel=tolerances.second_model)


@pytest.mark.parametrize("h", REGULARIZERS)
def test_weak_duality_of_eq12_between_random_points(h):
    S, y = similarity(12, kind="low rank")
    rng = np.random.default_rng(4)
    for eta, gamma in ((0.05, 0.1), (1e-3, 1e-3), (0.5, 5.0)):
        problem = SpectrumMachine(S, y, eta, gamma, h)
        at, low, high = bounds.Spectrum(DOUBLES, problem), -np.inf, np.inf
        for _ in range(30):
            a = rng.normal(size=12) * rng.integers(0, 3)
            a = DOUBLES.exact(np.where(problem.Lam * a >= 0, a, -a))
            value, _ = at.spectrum_value(a, rng.normal(size=12))
            alpha, other = at.box(random_alpha(rng, y, problem.C)), rng.normal(size=12)
            bound, _ = at.spectrum_bound(alpha, DOUBLES.exact(other))
            low, high = max(low, bound.lower), min(high, value.upper)
        assert low <= high
        solution = solve("chen2009-eq12", problem)
        assert low <= solution.upper
        assert high >= solution.lower


def test_eq12_leaves_a_alone_where_the_eigenvalue_is_zero():
    y = similarity(12)[1]
    B = np.random.default_rng(0).integers(-8, 9, size=(12, 6)) / 8
    S = (B * [1, 1, 1, -1, -1, -1]) @ B.T  # of rank 6 to the last bit
    problem = SpectrumMachine(S, y, 0.05, 0.1, "clip")
    zero = problem.Lam == 0
    assert zero.sum() == 6
    variables = solve("chen2009-eq12", problem).variables
    assert np.abs(variables["z"][zero]).max() == 0
    assert np.abs(variables["u"][zero]).max() == 0
    form = CATALOGUE["chen2009-eq12"]
    moved = {**variables, "a": np.where(zero, -3.0, variables["a"])}
    assert form.enclose(problem, moved).upper > form.enclose(problem, variables).upper  # h only


def test_eq12_is_not_one_program_where_eigenvalues_coincide():
    """Paper takes "the" eigenvectors; where λᵢ = λⱼ another basis is another family K_a."""
    rng = np.random.default_rng(0)
    y = np.tile([1.0, -1.0], 6)
    Q = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    lam = np.repeat([-0.5, 0.3, 2.0], 4)
    S = (Q * lam) @ Q.T
    problem = SpectrumMachine((S + S.T) / 2, y, 0.02, 0.02, "clip")
    found = []
    for turn in range(2):
        R = np.zeros((12, 12))
        for i in range(3):
            block = np.linalg.qr(rng.normal(size=(4, 4)))[0] if turn else np.eye(4)
            R[4 * i : 4 * i + 4, 4 * i : 4 * i + 4] = block
        turned = SpectrumMachine(problem.S, y, 0.02, 0.02, "clip", U=Q @ R)
        assert np.allclose((turned.basis.U * turned.Lam) @ turned.basis.U.T, S)
        # S was rounded: its doubles have twelve eigenvalues, and Q is no basis of theirs.
        assert turned.open.startswith("U mixes eigenvectors of eigenvalues")
        form = CATALOGUE["chen2009-eq12"]
        program = form.program(turned)
        program.problem.solve(solver="CLARABEL")
        found.append(form.enclose(turned, form.recover(turned, program)))
    assert max(f.width for f in found) <= 1e-6
    assert not found[0].meets(found[1])


# -- Second models and printed forms ---------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_luss2007_as_a_maximization_is_a_second_model(kind, solved, tolerances):
    problem, solution = solved("luss2007", kind)
    program = problem.eq2()
    assert program.problem.is_dcp()
    value = program.problem.solve(solver="CLARABEL")
    assert value == pytest.approx(solution.value, rel=tolerances.second_model)
    W = 2 * problem.rho * (problem.K_star(solution.variables["alpha"]) - problem.S)
    assert np.allclose(program.value("W"), W, atol=tolerances.stationarity)


def test_a_weighed_program_has_the_same_multipliers(tolerances):
    form = CATALOGUE["chen2009-eq7"]
    problem = form.make(sample(form.id, 8, 1, kind="random"))
    one, other = form.program(problem), form.program(problem)
    other.weigh(32.0)
    values = [p.problem.solve(solver="CLARABEL") for p in (one, other)]
    assert values[1] == pytest.approx(32 * values[0], rel=1e-6)
    assert np.allclose(one.dual("margin"), other.dual("margin"), atol=tolerances.stationarity)


def test_an_optimum_far_from_one_is_solved_for_again(tolerances):
    """S of order 1000 and η = 1e-3: the optimum is 1e-6, below what solvers tell from zero."""
    S, y = similarity(16, kind="random")
    problem = SpectrumMachine(1e3 * S, y, 1e-3, 0.05, "clip")
    solution = conic("chen2009-eq12", problem)
    assert solution.value < 1e-5
    assert solution.width <= tolerances.width


def test_eq8_of_many_samples_believes_in_no_eigenvectors():
    # eigenvalues 1e10, 1 and zeros: LAPACK turns the eigenvector of 1 into the null space by 1e-6
    rng, n, form = np.random.default_rng(1), 320, CATALOGUE["chen2009-eq8-qcqp"]
    X = np.c_[rng.integers(-8000, 8001, size=n), rng.choice([-1, 1], size=n) / 16.0]
    Q, g = np.linalg.qr(X)[0], rng.normal(size=n)
    for _ in range(3):
        g -= Q @ (Q.T @ g)
    s = 1e4 * g / np.linalg.norm(g) + Q[:, 1]
    found = form.enclose(form.make({"K": X @ X.T, "s": s, "psi": 0.0}), {})
    with balls.precision(300):
        # k = Xb is in the range of K = XXᵀ with kᵀK†k = bᵀb; the best b has (XᵀX + rI)b = Xᵀs
        A, right = balls.matrix(X), balls.matrix(X).transpose() * balls.matrix(s)
        low, high = arb(0), arb(1e9)
        for _ in range(250):
            r = ((low + high) / 2).mid()
            b = (A.transpose() * A + balls.identity(2) * r).solve(right)
            low, high = (r, high) if balls.inner(b, b) > r else (low, r)
        off = A * b - balls.matrix(s)
        value = 2 * balls.inner(off, off) + balls.inner(b, b) ** 2
        assert arb(found.lower) <= value
        assert value <= arb(found.upper)
    assert found.width < 0.01

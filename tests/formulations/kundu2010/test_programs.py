"""kundu2010: the programs, both ends of each, and what the paper prints that does not hold."""

from __future__ import annotations

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, kundu2010, svm
from cvxkernel.formulations import errors as e
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES
from cvxkernel.formulations.kundu2010 import Budgeted, Combination, Similarities, Spectra, bounds
from cvxkernel.solvers import solve
from cvxkernel.solvers.mkl import mkl
from cvxkernel.validation.instances import random_kernels, sample
from cvxkernel.validation.kundu2010.samples import similarities

RHO = {"L1": 0.02, "L2": 0.5, "L3": 0.1}
LOSSES = tuple(RHO)


def problem_of(loss, /, n=9, m=2, *, kind="random", seed=0, **changes):
    S, y = similarities(n, m, kind=kind, seed=seed)
    data = {"S": S, "y": y, "C": 1.0, "rho": RHO[loss], "tau": float(n), "loss": loss}
    return Similarities(**{**data, **changes})


def feasible(problem, rng, stack=()):
    """A random K ⪰ 0 of trace τ, a random α ∈ A, γ ∈ Δ and W about the dual ball."""
    B = rng.normal(size=(*stack, problem.n, problem.n))
    K = B @ np.swapaxes(B, -1, -2)
    K *= problem.tau / np.trace(K, axis1=-2, axis2=-1)[..., None, None]
    alpha = svm.repair(problem.C * rng.random(problem.n), problem.y, problem.C)
    gamma = rng.dirichlet(np.ones(problem.m))
    return K, alpha, gamma, problem.rho * rng.normal(size=problem.S.shape)


def lower(kind, problem, alpha, gamma, W, F=DOUBLES):
    """The dual at these, made feasible exactly."""
    at = kind(F, problem)
    alpha = svm.feasible(F, F.exact(alpha), problem.y, problem.C)
    return at.bound(alpha, bounds.shares(F, gamma), at.inside(W))


def upper(kind, problem, learned, x):
    at = kind(DOUBLES, problem)
    made = at.repaired(DOUBLES.exact(learned.reshape(at.shape)))
    return at.values(made, [DOUBLES.exact(x)])[0].upper


def simple_loss(kind, X):
    return {"L1": np.abs(X).sum(), "L2": np.linalg.norm(X), "L3": (X**2).sum()}[kind]


# -- Both ends ------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
def test_no_random_point_crosses_the_optimum(loss, kind):
    """Every lower bound is below the conic optimum, every value above it."""
    rng = np.random.default_rng(1)
    problem = problem_of(loss, kind=kind)
    four, six = solve("kundu2010-eq4", problem), solve("kundu2010-eq6", problem)
    assert max(four.width, six.width) <= 1e-6
    for _ in range(20):
        K, alpha, gamma, W = feasible(problem, rng)
        assert lower(bounds.OneKernel, problem, alpha, gamma, W).lower <= four.upper
        assert upper(bounds.OneKernel, problem, K, alpha) >= four.lower
        K, *_ = feasible(problem, rng, (problem.m,))
        assert lower(bounds.SeveralKernels, problem, alpha, gamma, W).lower <= six.upper
        assert upper(bounds.SeveralKernels, problem, K, alpha) >= six.lower


@pytest.mark.parametrize("loss", LOSSES)
def test_weak_duality_by_another_argument(loss):
    """The bound is below ω at α plus the loss at every feasible K: term by term, no solver."""
    rng = np.random.default_rng(2)
    problem = problem_of(loss)
    for _ in range(50):
        K, alpha, gamma, W = feasible(problem, rng)
        a = problem.y * alpha
        inner = alpha.sum() - a @ K @ a / 2
        rest = problem.rho * sum(simple_loss(loss, K - S) for S in problem.S)
        low = lower(bounds.OneKernel, problem, alpha, gamma, W)
        assert low.lower <= (inner + rest) * (1 + 1e-13)
        Ks, *_ = feasible(problem, rng, (problem.m,))
        inner = alpha.sum() - sum(a @ K @ a / (2 * g) for K, g in zip(Ks, gamma, strict=True))
        pairs = zip(Ks, problem.S, strict=True)
        rest = problem.rho * sum(simple_loss(loss, K - S) for K, S in pairs)
        low = lower(bounds.SeveralKernels, problem, alpha, gamma, W)
        assert low.lower <= (inner + rest) * (1 + 1e-13)


def test_the_bound_of_eq7_is_that_of_eq6_on_diagonals():
    """With Sᵢ diagonal the eigenbasis is the standard one, and (7) is (6) on diagonal matrices."""
    rng = np.random.default_rng(3)
    n, m = 7, 2
    lam = np.sort(rng.normal(size=(m, n)), axis=1)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    problem = Spectra(np.stack([np.diag(row) for row in lam]), y, 1.0, 0.4, 3.0)
    assert np.allclose(np.abs(problem.V), np.eye(n))
    alpha = svm.repair(rng.random(n), y, 1.0)
    gamma, w = np.array([0.3, 0.7]), rng.normal(size=(m, n))
    w *= 0.4 / np.linalg.norm(w, axis=1, keepdims=True)
    expected = alpha.sum() - sum(
        w[i] @ lam[i] - 3.0 * min(w[i, j] - alpha[j] ** 2 / (2 * gamma[i]) for j in range(n))
        for i in range(m)
    )
    low = lower(bounds.LearnedSpectra, problem, alpha, gamma, w)
    assert low.lower == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", [bounds.OneKernel, bounds.SeveralKernels])
def test_both_arithmetics_tell_the_same_and_doubles_hold_the_balls(loss, kind):
    """Ends in doubles at random points contain those at 128 bits, and are near them."""
    rng, problem = np.random.default_rng(6), problem_of(loss)
    for _ in range(5):
        _, alpha, gamma, W = feasible(problem, rng)
        near = lower(kind, problem, alpha, gamma, W)
        exact = lower(kind, problem, alpha, gamma, W, BALLS).number
        assert near.lower <= exact.upper()
        assert near.lower == pytest.approx(float(exact.mid()), rel=1e-11)
    blocks = (problem.m,) if kind.weighed else (1,)
    K, alpha, *_ = feasible(problem, rng, blocks)
    for shift in (0.0, 1e-9, 1.0):  # not semidefinite, and of another trace
        X = 2 * K - shift * np.eye(problem.n)
        costs = []
        for F in (DOUBLES, BALLS):
            at = kind(F, problem)
            made = [one.feasible for one in at.repaired(F.exact(X))]
            for K_i in made:
                assert abs(float(K_i.trace().mid) - problem.tau) <= 1e-12
                assert np.linalg.eigvalsh(K_i.mid)[0] >= -1e-14
            costs.append(at.cost(made))
        if shift == 0.0:
            assert costs[0].lower <= costs[1].number.upper()
            assert costs[0].upper >= costs[1].number.lower()
        assert costs[0].upper == pytest.approx(float(costs[1].mid), rel=1e-10)


def test_the_repair_of_W_is_inside_the_domain_exactly():
    """In rationals: |W| ≤ ρ and ‖W‖² ≤ ρ² for the true W of every tensor, the largest in it."""
    rng = np.random.default_rng(7)
    for loss in ("L1", "L2"):
        problem = problem_of(loss)
        for size in (1e-3, 1.0, 1e3):
            W = size * problem.rho * rng.normal(size=problem.S.shape)
            for given, made in zip(W, bounds.OneKernel(BALLS, problem).inside(W), strict=True):
                assert np.shape(given) == made.shape
                norm = abs(made).max() if loss == "L1" else BALLS.norm(made)
                assert norm.number.lower() <= problem.rho
                assert norm.number.upper() <= problem.rho * (1 + 1e-30)


def test_projections_are_the_nearest_points():
    rng = np.random.default_rng(4)
    for _ in range(20):
        x, total = rng.normal(size=6), rng.random() * 3
        near = bounds.simplex(x, total)
        assert near.min() >= 0
        assert near.sum() == pytest.approx(total, rel=1e-12)
        for _ in range(20):
            other = rng.dirichlet(np.ones(6)) * total
            assert (x - near) @ (other - near) <= 1e-9  # the obtuse angle of a projection
    X = rng.normal(size=(5, 5))
    K = bounds.spectahedron(X, 2.0)
    assert np.trace(K) == pytest.approx(2.0)
    assert np.linalg.eigvalsh(K)[0] >= -1e-12


@pytest.mark.parametrize("rank", [2, 9])
def test_omega_between_its_ends_and_against_the_program(rank):
    """(10) = max 1ᵀα - ½(Σ√q)²: closed form of γ, the program, and the alternation agree."""
    problem = Combination(random_kernels(9, 3, rank=rank, seed=5) * 9, sample_y(9), 1.0)
    found = solve("kundu2010-eq10", problem)
    assert found.width <= 1e-6
    rng = np.random.default_rng(5)
    M = [DOUBLES.signed(problem.y, K) for K in DOUBLES.kernels(problem.kernels)]
    omega = bounds.Omega(DOUBLES, M, problem.y, 1.0)
    for _ in range(30):
        alpha = svm.feasible(DOUBLES, rng.random(9), problem.y, 1.0)
        q, low = omega.forms(alpha).mid, omega.value(alpha)
        gamma = rng.dirichlet(np.ones(3)) * 0.85 + 0.05
        # no γ is better than √q
        assert alpha.mid.sum() - (q / gamma).sum() / 2 <= low.upper + 1e-13
        assert low.lower <= found.upper
        assert omega.upper(DOUBLES.exact(rng.normal(size=(3, 9)))).upper >= found.lower
    if rank == 9:
        alpha, gamma = mkl(problem.kernels, problem.y, 1.0)
        assert omega.value(alpha).lower == pytest.approx(found.value, rel=1e-8)
        assert gamma == pytest.approx(bounds.balanced(omega.forms(alpha).mid), rel=1e-6)


def test_the_forms_of_a_nearly_constant_kernel_keep_their_digits():
    """αᵀ1 = 0 cancels all but what is not constant; at any x the whole form is there."""
    y, x = sample_y(9), np.linspace(0, 1, 9)
    K = 1e6 + np.exp(-((x[:, None] - x) ** 2))
    omega = bounds.Omega(DOUBLES, [DOUBLES.signed(y, DOUBLES.exact(K))], y, 1.0)
    for alpha, known in ((svm.repair(x, y, 1.0), 1e-12), (x, 1e-8)):
        found, v = omega.forms(alpha), y * BALLS.exact(alpha)
        true = float(BALLS.inner(v, BALLS.exact(K) @ v).mid)
        assert found.lower[0] <= true <= found.upper[0]
        assert found.radius[0] <= known


def sample_y(n):
    return np.where(np.arange(n) % 2, 1.0, -1.0)


def test_one_kernel_is_the_support_vector_machine():
    K = random_kernels(8, 1, seed=1)[0] * 8
    problem = Combination(K[None], sample_y(8), 0.7)
    found = solve("kundu2010-eq10", problem)
    chen = solve(
        "chen2009-eq1", CATALOGUE["chen2009-eq1"].make({"K": K, "y": sample_y(8), "C": 0.7})
    )
    assert found.enclosure.meets(chen.enclosure)


def test_zero_and_equal_kernels():
    """m equal kernels: (Σ√q)² = m²q, the machine of m²K. A zero kernel changes nothing."""
    K, y = random_kernels(8, 1, seed=2)[0] * 8, sample_y(8)
    three = solve("kundu2010-eq10", Combination(np.stack([K] * 3), y, 1.0))
    one = solve("kundu2010-eq10", Combination(9 * K[None], y, 1.0))
    zero = solve("kundu2010-eq10", Combination(np.stack([9 * K, 0 * K]), y, 1.0))
    assert three.enclosure.meets(one.enclosure)
    assert zero.enclosure.meets(one.enclosure)


@pytest.mark.parametrize(
    "change", [{"rho": 0.0}, {"C": 1e-3}, {"C": 1e3}, {"tau": 0.1}, {"rho": 50}]
)
@pytest.mark.parametrize("id", ["eq4", "eq6", "eq7"])
def test_extreme_parameters_are_answered(id, change):
    form = CATALOGUE[f"kundu2010-{id}"]
    data = {**sample(form.id, 8, 2, kind="random"), **change}
    assert solve(form.id, form.make(data)).width <= 1e-6


# -- What the paper says --------------------------------------------------------------------------


def test_the_literal_minimax_has_the_value_of_the_program():
    """(4) with ω through CVXPY's matrix_frac and K ⪰ 0 written out: a second model."""
    problem = problem_of("L2", n=7)
    n, y = problem.n, problem.y
    K = cp.Variable((n, n), PSD=True)
    nu, delta, b = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True), cp.Variable()
    w = 1 + nu - delta + b * y
    loss = sum(cp.norm(K - S, "fro") for S in problem.S)
    margin = cp.matrix_frac(cp.multiply(y, w), K) / 2 + problem.C * cp.sum(delta)
    second = cp.Problem(cp.Minimize(margin + problem.rho * loss), [cp.trace(K) == problem.tau])
    value = second.solve(solver="CLARABEL")
    found = solve("kundu2010-eq4", problem)
    assert value == pytest.approx(found.value, rel=2e-6)


def test_the_cones_of_eq7_are_its_fractions():
    """(7) with Σⱼ πᵢⱼ²/μᵢⱼ ≤ s by CVXPY's quad_over_lin: the same cones, and as many numbers."""
    problem = CATALOGUE["kundu2010-eq7"].make(sample("kundu2010-eq7", 6, 2, kind="random"))
    one = problem.eq7()
    mu, pi, s = (one.variables[name] for name in ("mu", "pi", "s"))
    fractions = [
        cp.sum([cp.quad_over_lin(pi[i, j], mu[i, j]) for j in range(6)]) <= s for i in range(2)
    ]
    others = [
        c
        for label, family in one.constraints.items()
        if label not in ("quad", "cones")
        for c in ([family] if isinstance(family, cp.Constraint) else family)
    ]
    other = cp.Problem(one.problem.objective, [*fractions, *others])
    seen = []
    for compiled in (one.problem, other):
        data = compiled.get_problem_data("CLARABEL")[0]
        cones = (data["dims"].zero, data["dims"].nonneg, sorted(data["dims"].soc))
        numbers = np.concatenate([data["A"].data, data["b"], data["c"]])
        seen.append((cones, np.sort(np.abs(numbers))))  # the order is another
    (cones, numbers), (other_cones, other_numbers) = seen
    assert cones == other_cones
    np.testing.assert_array_equal(numbers, other_numbers)
    value = other.solve(solver="CLARABEL")
    assert value == pytest.approx(solve("kundu2010-eq7", problem).value, rel=2e-6)


def midpoint_instance():
    """A ∝ yyᵀ + εI and I, both of trace n: two pairs that exchange places."""
    n, eps = 8, 1e-3
    y = sample_y(n)
    return y, (np.outer(y, y) + eps * np.eye(n)) / (1 + eps), np.eye(n)


def omega5(K, y):
    found = solve("kundu2010-eq5", Budgeted(K, y, 1.0, float(len(y))))
    return found.lower, found.upper


def test_omega_of_5_is_not_convex_and_that_of_10_is():
    y, A, B = midpoint_instance()
    one, two = np.stack([A, B]), np.stack([B, A])
    ends = omega5(one, y), omega5(two, y)
    middle = omega5((one + two) / 2, y)
    # By symmetry α = (s/n)1, where q of A is as² and that of I is s²/n: 1/(2a) and 1/(a + 1/n).
    a = (1 + 1e-3 / 8) / (1 + 1e-3)
    assert f"{1 / (2 * a):.4f}" == "0.5004"
    assert f"{1 / (a + 1 / 8):.4f}" == "0.8896"
    for low, high in ends:
        assert low <= 1 / (2 * a) <= high
    assert middle[0] <= 1 / (a + 1 / 8) <= middle[1]
    assert middle[0] > 1.7 * max(upper for _, upper in ends)
    tens = [solve("kundu2010-eq10", Combination(K, y, 1.0)) for K in (one, two, (one + two) / 2)]
    assert tens[2].lower <= (tens[0].upper + tens[1].upper) / 2


def test_omega_of_5_by_its_own_program():
    y, A, B = midpoint_instance()
    K = np.stack([A + np.eye(8), (A + B) / 2 + np.eye(8)])
    problem = Budgeted(K, y, 1.0, 8.0)
    value = problem.eq5().problem.solve(solver="CLARABEL")
    low, high = omega5(K, y)
    assert low - 1e-6 <= value <= high + 1e-6
    twice = solve("lanckriet2004-sm1", problem.margin())
    assert twice.lower <= 2 * high
    assert 2 * low <= twice.upper


def test_omega_of_10_has_no_lipschitz_constant():
    """Paper: F is Lipschitz on a compact set. At K₂ with K₂Yα* = 0 the slope of Ω is infinite."""
    n, y = 8, sample_y(8)
    K1 = random_kernels(n, 1, seed=3)[0] * n
    alpha, _ = mkl(K1[None], y, 1.0)
    a = y * alpha
    v = np.random.default_rng(0).normal(size=n)
    v -= a * (v @ a) / (a @ a)
    K2, D = n * np.outer(v, v) / (v @ v), np.eye(n)
    at = {}
    for t in (0.0, 1e-2, 1e-4, 1e-6):
        kernels = np.stack([K1, (1 - t) * K2 + t * D])
        at[t] = solve("kundu2010-eq10", Combination(kernels, y, 1.0), tol=1e-6)
    slopes = [(at[0.0].lower - at[t].upper) / t for t in (1e-2, 1e-4, 1e-6)]
    assert slopes[1] > 5 * slopes[0]
    assert slopes[2] > 5 * slopes[1]  # like 1/√t: a factor 10


def test_the_bound_of_theorem_3_2_needs_the_step_of_its_proof():
    """σ = 1/(mτ), B = mτ log n in (15) give η = √(2 log n/t)/Lip: no m."""
    m, tau, n, lip, t = 3, 5.0, 10, 2.0, 7
    sigma, B = 1 / (m * tau), m * tau * np.log(n)
    assert np.sqrt(2 * sigma * B / t) / lip == pytest.approx(np.sqrt(2 * np.log(n) / t) / lip)
    assert lip * np.sqrt(2 * B / (sigma * t)) == pytest.approx(
        tau * m * lip * np.sqrt(2 * np.log(n) / t)
    )


def test_columns_of_a_kernel_with_the_eigenvectors_of_S():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(9, 9))
    S = (X + X.T) / 2
    train = S[:7, :7]
    assert kundu2010.columns(train, train, S[:7, 7:]) == pytest.approx(S[:7, 7:])
    lam, V = np.linalg.eigh(train)
    K = (V * np.abs(lam)) @ V.T
    expected = (V * np.sign(lam)) @ V.T @ S[:7, 7:]
    assert kundu2010.columns(K, train, S[:7, 7:]) == pytest.approx(expected)
    stack = kundu2010.columns(
        np.stack([K, train]), np.stack([train] * 2), np.stack([S[:7, 7:]] * 2)
    )
    assert stack[0] == pytest.approx(expected)


# -- Bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "key", "error"),
    [
        ({"tau": 0.0}, "tau", e.ParameterError),
        ({"tau": -1.0}, "tau", e.ParameterError),
        ({"rho": -0.1}, "rho", e.ParameterError),
        ({"rho": np.nan}, "rho", e.NotFiniteError),
        ({"C": 0.0}, "C", e.ParameterError),
        ({"loss": "L4"}, "loss", e.ParameterError),
        ({"loss": 3}, "loss", e.ParameterError),
        ({"S": np.zeros((0, 9, 9))}, "S", e.ShapeError),
        ({"S": np.eye(9)}, "S", e.ShapeError),
        ({"S": np.triu(np.ones((2, 9, 9)))}, "S[0]", e.NotSymmetricError),
        ({"y": np.arange(9) % 2}, "y", e.LabelError),
        ({"y": np.ones(9)}, "y", e.LabelError),
    ],
)
def test_bad_input_names_the_key(change, key, error, tmp_path, run):
    with pytest.raises(error) as caught:
        problem_of("L1", **change)
    assert caught.value.key == key
    data = {**sample("kundu2010-alg1", 9, 2), **change}
    np.savez(tmp_path / "bad.npz", **data)
    done = run("solve", "kundu2010-alg1", tmp_path / "bad.npz")
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith(f"cvxkernel: {key}: expected")
    assert done.err.count("\n") == 1


def test_the_upper_end_of_an_ill_conditioned_kernel_is_charged_for_its_inverse():
    """Two samples nearly the same, K = [1 c; c 1]: α₁ = α₂ = 1/(1 - c), the optimum."""
    rng = np.random.default_rng(3)
    y = np.array([-1.0, 1.0])
    for c in 1 - 10.0 ** -rng.uniform(1, 9, 200):
        problem = Combination(np.array([[[1.0, c], [c, 1.0]]]), y, 1e12)
        exact = 1 / (1 - Fraction(c))
        for a in (0.0, 0.5, 1.5 / (1 - c)):
            found = CATALOGUE["kundu2010-eq10"].enclose(problem, {"alpha": np.full(2, a)})
            assert Fraction(found.lower) <= exact <= Fraction(found.upper)


@pytest.mark.parametrize("size", [1e150, -1e150, 0.0])
def test_a_price_of_zero_leaves_no_subgradient_but_zero(size):
    # ρ/‖W‖ has a lower end of -1e-308, which times this W is far from zero in units of C
    y, S = np.array([1.0, -1.0, 1.0]), -1e95 * np.eye(3)[None]
    data = {"S": S, "y": y, "C": 1e-90, "rho": 0.0, "tau": 1e-90, "loss": "L2"}
    form = CATALOGUE["kundu2010-eq4"]
    found = form.enclose(form.make(data), {"W": size * np.eye(3)[None]})
    assert found.lower <= 2e-90 <= found.upper
    assert found.width < 1e-12

"""`value` and `bound` are bounds, at every point: random, degenerate, corrupted or garbage.

For a minimization any bound lies below any value; the two need not be near to each other. Where
one kernel leaves nothing to choose, both are compared with exact arithmetic.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from cvxkernel.formulations import CATALOGUE, SolverError, kernels, svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import Enclosure, relative_width
from cvxkernel.formulations.errors import NotFiniteError, ShapeError
from cvxkernel.formulations.kim2006 import bounds as fisher
from cvxkernel.formulations.lanckriet2004 import bounds as margin
from cvxkernel.formulations.weights import overspent, simplex
from cvxkernel.formulations.ye2008 import bounds as discriminant
from cvxkernel.solvers import solve, units
from cvxkernel.solvers.units.ye2008 import Scaled
from cvxkernel.validation import instance
from cvxkernel.validation.instances import blobs, gaussian_kernels, random_kernels, sample

STACKED = ("ye2008", "kim2006", "lanckriet2004")  # a stack of kernels, y, λ, C
EVERY = [id for id, form in CATALOGUE.items() if form.paper in STACKED]
YE = [id for id in EVERY if id.startswith("ye2008")]

# -- Instances, ordinary and degenerate -------------------------------------------------------


def stack(kind: str, n: int, p: int, X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    if kind == "gaussian":
        return gaussian_kernels(X, p)
    if kind == "equal":
        return np.repeat(kernels.gaussian(X, 2.0)[None], p, axis=0)
    if kind == "rank one":
        return np.stack([np.outer(X[:, i % 5], X[:, i % 5]) for i in range(p)])
    if kind == "separable":  # the classes apart by 1e6 times their width
        return np.stack([kernels.linear(X + 1e6 * y[:, None] * (i + 1)) for i in range(p)])
    if kind == "uneven":  # traces from 1e-6 to 1e6
        return random_kernels(n, p, seed=seed) * np.logspace(-6, 6, p)[:, None, None]
    return random_kernels(n, p, rank=max(1, n // 3) if kind == "low rank" else n, seed=seed)


KINDS = ["gaussian", "random", "low rank", "equal", "rank one", "separable", "uneven"]


@st.composite
def data(draw):
    n, p, seed = draw(st.integers(4, 10)), draw(st.integers(1, 4)), draw(st.integers(0, 10**6))
    X, _ = blobs(n, 2, seed=seed)
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < draw(st.integers(1, n - 1)), 1.0, -1.0)
    return {
        "kernels": stack(draw(st.sampled_from(KINDS)), n, p, X, y, seed),
        "y": y,
        "lam": draw(st.sampled_from([1e-8, 5e-4, 0.05, 1.0, 1e4])),
        "C": draw(st.sampled_from([1e-3, 0.1, 1.0, 1e3])),
        "rng": rng,
    }


def shares(rng: np.random.Generator, p: int) -> np.ndarray:
    """A point of the simplex, often on its boundary."""
    w = rng.dirichlet(np.full(p, rng.choice([0.1, 1.0, 10.0])))
    w[rng.random(p) < 0.3] = 0.0
    return w / w.sum() if w.sum() > 0 else np.eye(p)[0]


def points(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A dual point of any size, now and then zero or with huge and tiny entries."""
    scale = 10.0 ** rng.integers(-6, 7)
    out = scale * rng.normal(size=shape)
    return out * rng.choice([0.0, 1.0], p=[0.1, 0.9])


# -- Any bound is below any value ------------------------------------------------------------------


@given(data=data(), joint=st.booleans(), binary=st.booleans())
@settings(max_examples=40)
def test_ye2008_bounds_are_below_values(data, joint, binary):
    rng, y = data["rng"], data["y"]
    if not binary and len(y) > 5:
        y = np.arange(len(y)) % 3.0
    id = {(0, 1): "thm2.1", (0, 0): "eq29", (1, 1): "eq41", (1, 0): "eq45-single"}[joint, binary]
    problem = CATALOGUE[f"ye2008-{id}"].make({**data, "y": y})
    made = discriminant.Bounds(DOUBLES, problem, binary=binary)
    H = made.H.mid
    highs, lows = [np.inf], []
    for _ in range(4):
        theta = simplex(DOUBLES, shares(rng, len(problem.r)) / problem.r, made.r)
        at = made.solved(theta)
        candidates = [points(rng, H.shape), H]
        if at is not None:  # the best dual point of these weights, and near to it
            highs.append(made.upper(at).upper)
            best = at.X.mid
            candidates += [best, best * (1 + 1e-3 * rng.normal(size=H.shape))]
        for beta in candidates:
            lows.append(made.dual(beta, made.H).bound.lower)
    assert max(lows) <= min(highs)
    assert max(lows) > 0


@given(data=data(), joint=st.booleans())
def test_restricted_bounds_are_below_restricted_values(data, joint):
    rng, n = data["rng"], len(data["y"])
    y = np.arange(n) % (3.0 if n > 5 else 2.0)
    problem = CATALOGUE["ye2008-eq45" if joint else "ye2008-thm3.1"].make({**data, "y": y})
    made = discriminant.Restricted(DOUBLES, problem)
    k, highs, lows = problem.k, [np.inf], []
    for _ in range(4):
        theta = simplex(DOUBLES, shares(rng, len(problem.r)) / problem.r, made.r)
        t = DOUBLES.exact(10.0 ** rng.uniform(-3, 3, size=k))
        at = made.solved(theta)
        if at is not None:
            scaled = made.feasible(at, t)
            high = scaled.sum() * overspent(DOUBLES, theta, made.r)
            highs.append(high.upper)
            # what is returned is feasible: diag(t) ⪰ S(θ)
            S = problem.H.T @ np.linalg.solve(made.lifted(made.system(theta).mid), problem.H)
            eig = np.linalg.eigvalsh(np.diag(scaled.mid) - (S + S.T) / 2)
            assert eig[0] >= -1e-6 * np.abs(scaled.mid).max()
        Z = rng.normal(size=(k, k))
        for R in (discriminant.unit_diagonal_root(Z @ Z.T), np.eye(k)):
            R = discriminant.rows_of_norm_one(DOUBLES, R)
            assert np.sum(R.mid**2, axis=1) == pytest.approx(np.ones(k))
            for beta in (
                points(rng, (n, k)),
                problem.argmin(1 / (len(problem.r) * problem.r), problem.H @ R.mid),
            ):
                lows.append(made.dual(beta, made.H @ R).bound.lower)
    assert max(lows) <= min(highs)


@given(data=data())
@settings(max_examples=40)
def test_kim2006_bounds_are_above_values(data):
    rng = data["rng"]
    problem = CATALOGUE["kim2006"].make(data)
    made = fisher.Bounds(DOUBLES, problem)
    lows, highs = [], []
    for _ in range(4):
        theta = made.weights({"theta": shares(rng, problem.p)})
        at = made.best(theta, made.start())
        high, over = made.value(theta, at)
        lows.append(((high - over) / overspent(DOUBLES, theta, made.ones)).lower)
        best = at.u.mid
        for u in (points(rng, best.shape), best, best * (1 + 1e-3 * rng.normal(size=best.shape))):
            highs.append(fisher.bound(DOUBLES, problem, u).upper)
    assert max(lows) <= min(highs)


@given(data=data())
@settings(max_examples=40)
def test_lanckriet2004_bounds_are_above_values(data):
    rng, n = data["rng"], len(data["y"])
    for id, squared in (("sm1", False), ("sm2", True), ("sm2c", True)):
        problem = CATALOGUE[f"lanckriet2004-{id}"].make(data)
        bounds = margin.Bounds(DOUBLES, problem, squared=squared)
        lows, highs = [], []
        for _ in range(4):
            low, alpha, _ = bounds.value(np.abs(points(rng, (n,))))
            lows.append(low.lower)
            assert (alpha.mid >= 0).all()
            assert abs(alpha.mid @ problem.y) <= 1e-9 * (1 + np.abs(alpha.mid).sum())
            if not squared:
                assert alpha.mid.max() <= problem.C * (1 + 1e-12)
            mu = DOUBLES.exact(shares(rng, len(problem.r)) * problem.c / problem.r)
            for v in (alpha, points(rng, (n,))):
                highs.append(bounds.upper(mu, v, low).upper)
                if not squared:
                    Q, over = bounds.combined(mu), overspent(DOUBLES, mu, bounds.r, bounds.c)
                    bound = svm.hinge_bound(DOUBLES, Q, problem.y, problem.C, v)
                    highs.append((2 * bound * over).upper)
        assert max(lows) <= min(highs), id
        assert max(lows) >= 0, id


@given(data=data(), id=st.sampled_from(sorted(EVERY)))
@settings(max_examples=60)
def test_enclosures_at_any_two_points_meet(data, id):
    # Both hold the optimum, wherever they were computed.
    rng, form = data["rng"], CATALOGUE[id]
    problem = form.make(data)
    n, k = problem.n, 2
    found = []
    for _ in range(3):
        if form.paper == "ye2008":
            width = 1 if form.binary else k
            point = {
                "theta": shares(rng, len(problem.r)) / problem.r,
                "beta": points(rng, (n, width)),
                "t": np.abs(points(rng, (k,))),
                "Z": np.eye(k),
            }
        elif form.paper == "kim2006":
            point = {"theta": shares(rng, problem.p), "u": points(rng, (n,))}
        else:
            point = {"mu": shares(rng, len(problem.r)), "alpha": np.abs(points(rng, (n,)))}
        found.append(form.enclose(problem, point))
    for one in found:
        assert one.lower <= one.value <= one.upper
        for other in found:
            assert one.meets(other)


# -- One kernel: exact arithmetic ----------------------------------------------------------------

X, Y2 = blobs(12, 2, seed=1)
Y3 = blobs(12, 3, seed=1)[1]
EXACT = {
    "gaussian 0.1": kernels.gaussian(X, 0.1),
    "gaussian 3": kernels.gaussian(X, 3.0),
    "gaussian 100": kernels.gaussian(X, 100.0),
    "gaussian 1e4": kernels.gaussian(X, 1e4),
    "linear": kernels.linear(X),
    "linear + 1e6": kernels.linear(X) + 1e6,
    "cubic": kernels.polynomial(X, 3),
    "rank one": np.outer(X[:, 0], X[:, 0]),
}


@pytest.mark.parametrize("lam", [1e-8, 5e-4, 1.0, 1e4])
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("id", ["ye2008-thm2.1", "ye2008-thm2.2", "ye2008-eq29-single"])
def test_the_enclosure_of_one_kernel_holds_the_exact_optimum(id, name, lam, exact):
    form = CATALOGUE[id]
    binary = form.binary
    y = Y2 if binary else Y3
    true = exact.value(EXACT[name][None], y, lam, [1.0], binary=binary)
    enclosure = form.enclose(form.make({"kernels": EXACT[name][None], "y": y, "lam": lam}), {})
    assert arb(enclosure.lower) <= true
    assert true <= arb(enclosure.upper)


@pytest.mark.parametrize("id", ["ye2008-thm2.1", "ye2008-thm2.2", "ye2008-thm2.3", "ye2008-eq29"])
@pytest.mark.parametrize("name", ["gaussian 1e4", "linear + 1e6"])
def test_a_system_that_rounding_makes_indefinite_is_told_not_thrown(id, name, exact):
    data = {"kernels": EXACT[name][None], "y": Y2, "lam": 1e-11}
    binary = CATALOGUE[id].binary
    try:
        found = solve(id, CATALOGUE[id].make(data)).enclosure
    except SolverError:
        return  # exit 3, telling why; an InputError would blame a key that the user never gave
    true = exact.value(data["kernels"], Y2, 1e-11, [1.0], binary=binary)
    found = -found if CATALOGUE[id].kind == "SILP" else found
    assert arb(found.lower) <= true
    assert true <= arb(found.upper)


@given(seed=st.integers(0, 10**6), lam=st.sampled_from([1e-6, 5e-4, 1.0]))
@settings(max_examples=10)
def test_the_value_of_given_weights_holds_the_exact_one(exact, seed, lam):
    rng = np.random.default_rng(seed)
    K = np.stack([kernels.gaussian(X, s) for s in (0.3, 2.0, 30.0)])
    problem = CATALOGUE["ye2008-thm2.1"].make({"kernels": K, "y": Y2, "lam": lam})
    # Shares with few bits, so that θ = w/r is the only rounded number, and it is charged 1e-14.
    w = np.round(rng.dirichlet(np.ones(3)) * 64) / 64
    w[0] += 1 - w.sum()
    value = discriminant.value(DOUBLES, problem, w / problem.r, binary=True)
    true = exact.value(K, Y2, lam, list(w), binary=True)
    assert abs(arb(float(value.mid)) - true) <= arb(float(value.rad + 1e-11 * value.mid))


# -- Corrupted solutions -------------------------------------------------------------------------


def corruptions(point, rng):
    """The point's arrays, perturbed and ruined in several ways."""

    def every(change):
        return {k: np.asarray(change(np.asarray(v, dtype=float))) for k, v in point.items()}

    yield "perturbed", every(lambda v: v * (1 + 1e-3 * rng.normal(size=v.shape)))
    yield "shifted", every(lambda v: v + 1e-3 * np.abs(v).max() * rng.normal(size=v.shape))
    yield "zero", every(np.zeros_like)
    yield "half zero", every(lambda v: np.where(rng.random(v.shape) < 0.5, 0.0, v))
    yield "negated", every(np.negative)
    yield "rounded", every(lambda v: np.float64(np.float16(np.clip(v, -6e4, 6e4))))
    yield "garbage", every(lambda v: rng.normal(size=v.shape))
    yield "large", every(lambda v: 1e30 * rng.normal(size=v.shape))
    yield "small", every(lambda v: 1e-30 * rng.normal(size=v.shape))
    for missing in point:
        yield f"without {missing}", {k: v for k, v in point.items() if k != missing}
    yield "nothing", {}


@pytest.mark.parametrize("kind", ["gaussian", "low rank"])
@pytest.mark.parametrize("id", EVERY)
def test_a_corrupted_solution_never_excludes_the_optimum(id, kind, solved):
    problem, solution = solved(id, kind)
    form, rng = CATALOGUE[id], np.random.default_rng(0)
    for what, point in corruptions(solution.variables, rng):
        enclosure = form.enclose(problem, point)
        assert enclosure.lower <= enclosure.value <= enclosure.upper, what
        assert enclosure.meets(solution.enclosure), what


@pytest.mark.parametrize("id", EVERY)
def test_the_enclosure_at_the_solution_is_the_solution(id, solved):
    problem, solution = solved(id)
    again = CATALOGUE[id].enclose(problem, solution.variables)
    assert again.width <= 2 * max(solution.width, 1e-9)
    assert again.meets(solution.enclosure)


@pytest.mark.parametrize("id", EVERY)
def test_points_of_the_wrong_shape_or_not_finite_are_refused(id, solved):
    problem, solution = solved(id)
    enclose = CATALOGUE[id].enclose
    weights = "mu" if "mu" in solution.variables else "theta"
    with pytest.raises(ShapeError) as caught:
        enclose(problem, {**solution.variables, weights: np.ones(17)})
    assert caught.value.key == weights
    with pytest.raises(NotFiniteError) as caught:
        enclose(problem, {**solution.variables, weights: np.full(problem.p, np.nan)})
    assert caught.value.key == weights


# -- The interval itself ------------------------------------------------------------------------


def test_the_relative_width_is_relative_to_the_upper_end():
    assert relative_width(0.9, 1.0) == pytest.approx(0.1)
    assert relative_width(-1.0, -0.9) == pytest.approx(0.1 / 0.9)
    assert relative_width(0.0, 0.0) == 0.0
    assert relative_width(-np.inf, 1.0) == np.inf
    assert relative_width(0.0, np.nan) == np.inf


def test_minus_an_enclosure_and_meeting():
    one = Enclosure(2.0, 1.0, 2.0, {})
    assert (-one).lower == -2.0
    assert (-one).upper == -1.0
    assert (-one).value == -2.0
    assert one.meets(Enclosure(3.0, 2.0, 3.0, {}))
    assert not one.meets(Enclosure(3.0, 2.5, 3.0, {}))
    assert not one.meets(Enclosure(0.5, 0.0, 0.5, {}))


POWERS = {"t": 2, "T": 2, "beta": 1, "u": 1}  # of the scale


def test_the_unit_of_every_formulation_undoes_itself(solved):
    # A solution of the scaled problem, taken back, encloses the optimum of the problem as it came.
    for id in EVERY:
        form = CATALOGUE[id]
        problem, solution = solved(id)
        unit = units.of(form).scaled(problem)
        if form.kind == "SILP":
            continue
        if isinstance(unit, Scaled):  # ye2008, kim2006: nothing judges a point of what is scaled
            point = dict(form.enclose(problem, {}).variables)
            if id == "kim2006":
                del point["t"]  # not recovered: the enclosure makes its own
            scaled = {s: x * unit.scale ** POWERS.get(s, 0) for s, x in point.items()}
            if id == "kim2006-epigraph":
                scaled["t"] *= unit.lam / problem.lam  # linear in the kernels
            if "theta" in point and id.startswith("ye2008"):
                scaled["theta"] = point["theta"] * problem.r / unit.r
            restored = units.of(form).restored(problem, unit, scaled)
            assert all(restored[s] == pytest.approx(x, rel=1e-12) for s, x in point.items()), id
            continue
        scaled = form.enclose(unit, {})
        back = form.enclose(problem, units.of(form).restored(problem, unit, scaled.variables))
        assert back.meets(solution.enclosure), id
        assert back.width <= scaled.width * (1 + 1e-6) + 1e-9, id


def test_instances_for_every_formulation():
    for kind in ("gaussian", "random", "low rank"):
        for id in EVERY:
            assert CATALOGUE[id].make(instance(9, 2, 2, kind=kind)).n == 9, id


# -- The soft margins, against exact arithmetic ----------------------------------------------------


def solve_exactly(A, b):
    """Gauss and Jordan over the rationals; None where A is singular."""
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for i in range(len(rows)):
        pivot = next((r for r in range(i, len(rows)) if rows[r][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(len(rows)):
            if r != i and rows[r][i]:
                rows[r] = [x - rows[r][i] * z for x, z in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def exact_margin(K, y, C, *, squared):
    """max 2αᵀ1 - αᵀQα for the doubles of one kernel, where c·t = αᵀG(K)α: by its faces.

    sm1: Q = G(K), 0 ≤ α ≤ C; sm2: Q = G(K) + I/C, α ≥ 0; αᵀy = 0. On a face, with α at its ends
    outside of S, the maximum solves Q_S α_S + b y_S = 1 - Q_SU α_U, y_Sᵀα_S = -y_Uᵀα_U.
    """
    n, C, best = len(y), Fraction(C), Fraction(0)
    y = [Fraction(sign) for sign in y]
    Q = [[y[i] * y[j] * Fraction(K[i, j]) for j in range(n)] for i in range(n)]
    for i in range(n):
        Q[i][i] += 1 / C if squared else 0
    for face in product(*[(None, Fraction(0)) if squared else (None, Fraction(0), C)] * n):
        S = [i for i in range(n) if face[i] is None]
        alpha = [value or Fraction(0) for value in face]
        if S:
            A = [[*(Q[i][j] for j in S), y[i]] for i in S]
            right = [1 - sum(Q[i][j] * alpha[j] for j in range(n)) for i in S]
            balance = -sum(sign * value for sign, value in zip(y, alpha, strict=True))
            found = solve_exactly([*A, [*(y[i] for i in S), Fraction(0)]], [*right, balance])
            if found is None:
                continue
            for i, value in zip(S, found[:-1], strict=True):
                alpha[i] = value
        inside = all(value >= 0 and (squared or value <= C) for value in alpha)
        if inside and not sum(sign * value for sign, value in zip(y, alpha, strict=True)):
            square = sum(alpha[i] * Q[i][j] * alpha[j] for i in range(n) for j in range(n))
            best = max(best, 2 * sum(alpha) - square)
    return best


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("C", [1e-2, 8.0, 1e3])
@pytest.mark.parametrize("id", ["sm1", "sm2"])
def test_the_enclosure_of_a_margin_holds_the_exact_optimum(id, offset, C):
    rng = np.random.default_rng(7)
    form = CATALOGUE[f"lanckriet2004-{id}"]
    for n in (2, 3, 4, 4):
        y = np.where(np.arange(n) % 2, 1.0, -1.0)
        K = kernels.linear(rng.normal(size=(n, 2 + 3 * (n % 2)))) + offset
        problem = form.make({"kernels": (K + K.T)[None] / 2, "y": y, "C": C})
        optimum = exact_margin(problem.kernels[0], y, C, squared=id == "sm2")
        for alpha in (*np.abs(rng.normal(size=(3, n))), np.ones(n), 1e-8 * np.ones(n)):
            found = form.enclose(problem, {"alpha": alpha})
            assert Fraction(found.lower) <= optimum <= Fraction(found.upper)
        if offset <= 1:  # beyond it no solver may answer
            close = solve(form.id, problem)
            assert Fraction(close.lower) <= optimum <= Fraction(close.upper)


@given(data=data(), binary=st.booleans(), error=st.sampled_from([0.0, 1e-12, 1e-9, 1e-6, 1e-2]))
@settings(max_examples=40)
def test_a_solution_that_is_given_is_checked_not_trusted(data, binary, error):
    """In one pass: above the value with a factorization, and by no more than is allowed."""
    rng = data["rng"]
    id = "ye2008-thm2.2" if binary else "ye2008-thm3.2"
    problem = CATALOGUE[id].make(data)
    made = discriminant.Bounds(DOUBLES, problem, binary=binary)
    theta = shares(rng, problem.p) / problem.r
    (at,) = made.tried({"theta": theta})
    X = at.X.mid * (1 + error * rng.normal(size=at.X.shape))
    near = made.given({"theta": theta, "X": X})
    assert near is not None or error or problem.lam < 1e-3  # refused for its rounding only
    if near is not None:
        assert at.value.lower <= near.value.upper
        assert near.value.lower <= at.value.upper
        assert near.value.upper <= at.value.upper * (1 + 2 * discriminant.EXACT)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("id", CATALOGUE)
def test_a_point_that_overflows_raises_nothing(id):
    form = CATALOGUE[id]
    problem = form.make(sample(id, 6, 2))
    kept = {symbol: solve(id, problem).variables[symbol] for symbol in form.fixed}
    truth = form.enclose(problem, kept)
    for size in (1e300, -1e308):
        shapes = {s: shape for s, shape in form.shapes(problem).items() if s not in (*kept, "U")}
        far = {symbol: np.full(shape, size) for symbol, shape in shapes.items()}
        assert form.enclose(problem, {**far, **kept}).meets(truth)


@pytest.mark.filterwarnings("error")
def test_a_machine_of_the_largest_kernel_and_box_raises_nothing():
    data = sample("gonen2008-eq7", 6, 2)
    data |= {"kernels": 1e95 * data["kernels"], "C": 1e95}
    form = CATALOGUE["gonen2008-eq7"]
    found = form.enclose(form.make(data), {})
    assert found.lower <= 0 < found.upper < 1e-90

"""Doubles with radii hold what balls of two thousand bits compute, operation by operation."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb

from cvxkernel.formulations import eigenbasis, semidefinite
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES, balls
from cvxkernel.formulations.arithmetic.doubles import Tensor

SEEDS = range(40)
BITS = 2400  # holds sums and products of doubles from 1e-300 to 1e300 exactly


def entries(rng, *shape):
    """Doubles of very different sizes, zeros and integers among them."""
    x = rng.normal(size=shape) * 10.0 ** rng.integers(-9, 10, size=shape)
    x = np.where(rng.random(shape) < 0.2, np.round(rng.normal(size=shape) * 3), x)
    return x if rng.random() < 0.8 else x * 10.0 ** float(rng.integers(-140, 140))


def tensor(rng, *shape):
    """A set, and one array in it, in balls: inside the radii and the radius in norm."""
    mid = entries(rng, *shape)
    rad = np.abs(mid) * 10.0 ** rng.integers(-16, -2) * rng.random(shape)
    off = float(np.abs(mid).max(initial=1.0)) * 1e-7 if rng.random() < 0.5 else 0.0
    if rng.random() < 0.3:
        rad = 0.0
    inside = (2 * rng.random(shape) - 1) * rad
    error = rng.normal(size=shape)
    norm = np.linalg.norm(error, 2) if len(shape) == 2 else np.linalg.norm(error)
    error *= 0.999 * off / norm if norm else 0.0
    true = BALLS.exact(mid) + BALLS.exact(inside) + BALLS.exact(error)
    return Tensor(mid, rad, off), true


def holds(T, true):
    """|X - mid| ≤ rad but for an error of norm at most off."""
    far = abs(BALLS.exact(true) - T.mid) - np.asarray(T.rad)
    if not np.isfinite(T.rad).all():
        return True
    more = far.positive()
    if not T.off:
        return bool(np.all(more.x <= arb(0)))
    return bool((BALLS.norm(more) <= T.off * (1 + 1e-12) * _root(T)).all())


def _root(T):
    return np.sqrt(min(T.shape)) if T.ndim == 2 else 1.0


BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


@pytest.fixture(autouse=True)
def _many_bits():
    with balls.precision(BITS):
        yield


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("operation", BINARY)
def test_elementwise(operation, seed):
    rng = np.random.default_rng(seed)
    same = ((5,), (5,)), ((4, 3), (4, 3)), ((), ())
    others = ((), (5,)), ((4, 4), ()), ((4, 3), (3,)), ((4, 3), (4, 1)), ((4, 1), (4,))
    for left, right in (*same, *others):
        (a, x), (b, y) = tensor(rng, *left), tensor(rng, *right)
        if operation == "/":
            b, y = b * b + 1e-3, y * y + 1e-3  # away from zero, or not known to be
        assert holds(BINARY[operation](a, b), BINARY[operation](x, y))


@pytest.mark.parametrize("seed", SEEDS)
def test_products_and_sums(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    (A, X), (v, x), (B, Y) = tensor(rng, n, n), tensor(rng, n), tensor(rng, n, k)
    assert holds(A @ v, X @ x)
    assert holds(A @ B, X @ Y)
    assert holds(v @ v, x @ x)
    assert holds(DOUBLES.inner(B, B), BALLS.inner(Y, Y))
    assert holds(DOUBLES.inner(v, A @ v), BALLS.inner(x, X @ x))
    assert holds(v.sum(), x.sum())
    assert holds(B.sum(axis=0), Y.sum(axis=0))
    assert holds(A.sum(axis=1), X.sum(axis=1))
    assert holds(A.trace(), X.trace())
    assert holds(DOUBLES.norm(B), BALLS.norm(Y))
    assert holds(A.T @ v, X.T @ x)
    assert holds(DOUBLES.shifted(A, v[0]), BALLS.shifted(X, x[0]))
    assert holds(DOUBLES.congruence(v, A), BALLS.congruence(x, X))
    assert holds(DOUBLES.forms([A], B.T), BALLS.forms([X], Y.T))


@pytest.mark.parametrize("constant", [0.0, 1e9])
def test_a_form_is_charged_by_the_norm_of_its_kernel_where_that_is_little(constant):
    rng = np.random.default_rng(0)
    A, (V, X) = rng.normal(size=(9, 9)), tensor(rng, 2, 9)
    K = A @ A.T + constant
    V, X = V - V.sum(axis=1).reshape(2, 1) / 9.0, X - X.sum(axis=1).reshape(2, 1) / 9.0
    (known,) = DOUBLES.kernels((K + K.T) / 2)
    found = DOUBLES.forms([known], V)
    assert holds(found, BALLS.forms([BALLS.exact(known.mid)], X))
    read = DOUBLES.forms([DOUBLES.tensor(known.mid, 0.0, known.off)], V)  # its norm is not known
    assert (found.rad <= read.rad).all() == bool(constant)


@pytest.mark.parametrize("seed", SEEDS)
def test_functions(seed):
    rng = np.random.default_rng(seed)
    (v, x), (w, y) = tensor(rng, 6), tensor(rng, 6)
    assert holds(abs(v), abs(x))
    assert holds(v.positive(), x.positive())
    assert holds(v.square(), x * x)
    assert holds(v.square().sqrt(), abs(x))
    assert holds(v.max(), x.max())
    assert holds(v.min(), x.min())
    assert holds(DOUBLES.maximum(v, w), BALLS.maximum(x, y))
    assert holds(DOUBLES.minimum(v, w), BALLS.minimum(x, y))
    assert holds(DOUBLES.where(w.mid > 0, v, w), BALLS.where(w.mid > 0, x, y))
    low, high = DOUBLES.minimum(v, w), DOUBLES.maximum(v, w)
    for inside in (x, y, (x + y) / 2):
        assert holds(DOUBLES.between(low, high), inside)
        hull = BALLS.between(BALLS.minimum(x, y), BALLS.maximum(x, y))
        assert all(a.contains(b) for a, b in zip(hull.x, inside.point().x, strict=True))
    small, exponent = v / (1e6 * abs(v).max().upper), x / (1e6 * abs(v).max().upper)
    assert holds((small * 1e6).exp(), (exponent * 1e6).exp())


@pytest.mark.parametrize("seed", SEEDS)
def test_combinations(seed):
    rng = np.random.default_rng(seed)
    matrices = [tensor(rng, 5, 5) for _ in range(3)]
    w, x = tensor(rng, 3)
    made = DOUBLES.combination(w, [A for A, _ in matrices])
    true = sum((x[i] * X for i, (_, X) in enumerate(matrices)), BALLS.exact(np.zeros((5, 5))))
    assert holds(made, true)
    y = np.where(rng.random(5) < 0.5, 1.0, -1.0)
    assert holds(DOUBLES.signed(y, made), BALLS.signed(y, true))


@pytest.mark.parametrize("seed", SEEDS[:8])
@pytest.mark.parametrize("n", [1, 5, 12])
def test_eigenbases_and_what_is_composed_of_them(n, seed):
    """λ, U and U diag(d)Uᵀ of doubles hold those of many bits; zeros are zeros in both."""
    rng = np.random.default_rng(seed)
    B = rng.integers(-8, 9, size=(n, 1 + n // 2)) / 8.0
    S = (B * rng.choice([-1.0, 1.0], size=1 + n // 2)) @ B.T * 10.0 ** rng.integers(-9, 9)
    found = eigenbasis.basis(S, np.ones(n), matter="none")
    (lam, U), (true, V) = DOUBLES.basis(found), BALLS.basis(found)
    assert holds(lam, true)
    kept = lam.mid != 0
    assert (kept == np.array([not x.is_zero() for x in true.x])).all()
    # The vectors of zero are any basis of their space.
    assert holds(U[:, kept], V[:, kept])
    d, exact = tensor(rng, n)
    made = DOUBLES.composed(U, DOUBLES.where(kept, d, 0.0))
    assert holds(made, BALLS.composed(V, BALLS.where(kept, exact, 0.0)))
    assert (made.mid == made.mid.T).all()
    # S itself, from below and from above
    again = DOUBLES.composed(U, lam)
    assert holds(again, BALLS.exact((S + S.T) / 2))
    assert again.off <= 1e-12 * np.linalg.norm(S)


def test_the_least_eigenvalue_of_a_singular_matrix_is_known_to_the_working_precision():
    rng = np.random.default_rng(0)
    A = BALLS.exact(rng.normal(size=(9, 4)))
    with balls.precision(300):
        least = BALLS.least(A @ A.T)
        assert least <= 0
        assert least > -1e-60
        assert BALLS.least(A @ A.T - 1e-50 * BALLS.exact(np.eye(9))) < -1e-51


def test_balls_in_an_array_stay_balls():
    with balls.precision(300):
        third = BALLS.exact(1.0) / 3
        lower = BALLS.stack([third, third]).lower
        assert not (third - BALLS.exact(lower)[0]).mid > 1e-80


@pytest.mark.parametrize("seed", SEEDS)
def test_comparisons_are_certain(seed):
    rng = np.random.default_rng(seed)
    (a, x), (b, y) = tensor(rng, 50), tensor(rng, 50)
    for told, true in ((a > b, x > y), (a < b, x < y), (a >= b, x >= y), (a <= b, x <= y)):
        assert not (told & ~true.astype(bool)).any()
    assert DOUBLES.exact(0.5) >= 0.5
    assert not DOUBLES.exact(0.5) > 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_no_eigenvalue_is_below_the_least(seed):
    """Shown in integers: A - least·I is semidefinite to the last bit."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    L = np.round(rng.normal(size=(n, int(rng.integers(1, n + 1)))) * 2.0**20)
    A = (L @ L.T) * 10.0 ** float(rng.integers(-20, 20))  # often singular
    A = (A + A.T) / 2 - (rng.random() < 0.5) * np.eye(n) * float(A.max())
    low = DOUBLES.least(Tensor(A)).lower
    assert np.isfinite(low)
    size = float(np.abs(A).max()) or 1.0
    assert _psd(A, low)
    assert low >= np.linalg.eigvalsh(A)[0] - 1e-11 * n * size  # and not far below
    above = np.linalg.eigvalsh(A)[0] - 1e-9 * size
    assert DOUBLES.least(Tensor(A), above=above).lower == above
    assert not DOUBLES.least(Tensor(A), above=above + 2e-9 * size) > -np.inf


def _psd(A, low):
    """A - low·I ⪰ 0, by elimination in fractions."""
    n = len(A)
    M = [[Fraction(x) for x in row] for row in A.tolist()]
    for i in range(n):
        M[i][i] -= Fraction(low)
    for k in range(n):
        if M[k][k] < 0 or (M[k][k] == 0 and any(M[k][k + 1 :])):
            return False
        for i in range(k + 1, n):
            if M[k][k]:
                f = M[i][k] / M[k][k]
                M[i] = [a - f * b for a, b in zip(M[i], M[k], strict=True)]
    return True


def test_what_is_not_known_of_a_matrix_lowers_the_least():
    A = np.diag([1.0, 2.0, 3.0])
    assert DOUBLES.least(Tensor(A, 0.0, 0.25)).lower == pytest.approx(0.75)
    assert DOUBLES.least(Tensor(A, np.full((3, 3), 0.01))).lower == pytest.approx(0.97)
    assert DOUBLES.least(Tensor(A * np.nan)).lower == -np.inf


@pytest.mark.parametrize("seed", SEEDS)
def test_a_majorant_is_above_and_near(seed):
    rng = np.random.default_rng(seed)
    Q, _ = tensor(rng, 5, 5)
    Q = Tensor((Q.mid + Q.mid.T) / 2, 0.0, Q.off)
    error = rng.normal(size=(5, 5))
    error = (error + error.T) / 2
    error *= 0.99 * Q.off / np.linalg.norm(error, 2)
    above = DOUBLES.majorant(Q)
    size = float(np.abs(Q.mid).max())
    gap = (above.mid - Q.mid) - error
    assert np.linalg.eigvalsh(gap)[0] >= -1e-15 * size
    assert np.linalg.eigvalsh(gap)[-1] <= 2 * Q.off + 1e-15 * size
    assert not Q.off or not above.off


def test_kernels_are_known_to_their_slack():
    x = np.linspace(0, 1, 30)
    K = np.round(np.exp(-((x[:, None] - x) ** 2)), 9)  # indefinite in the tenth digit
    held = semidefinite.hold(K)
    (known,) = DOUBLES.kernels(held)
    (plus,) = BALLS.kernels(held)
    assert known.off > 0
    assert BALLS.norm(plus - known.mid) <= 2 * known.off


def test_nothing_is_known_of_numbers_that_overflow():
    huge = DOUBLES.exact(np.array([1e300, 1e300]))
    with np.errstate(over="ignore", invalid="ignore"):
        assert DOUBLES.inner(huge, huge).lower == -np.inf or DOUBLES.inner(huge, huge).lower > 0
        assert DOUBLES.inner(huge, huge).upper == np.inf
        assert (huge * huge - huge * huge).sum().upper == np.inf


def test_squares_that_underflow_are_charged():
    tiny = DOUBLES.exact(np.full(4, 1e-170))
    assert DOUBLES.inner(tiny, tiny).upper > 0
    assert DOUBLES.norm(tiny).upper >= 2e-170
    assert DOUBLES.norm(tiny).lower <= 2e-170


def test_what_is_known_in_norm_is_spread_before_it_is_repeated():
    v, ones = Tensor(np.ones(5), 0.0, 1e-3), np.ones(5)
    error = np.full(5, 1e-3 / np.sqrt(5))  # of norm 1e-3; eeᵀ times it has the norm √5·1e-3
    made = v[:, None] * ones
    assert holds(made, BALLS.exact(ones + error)[:, None] * ones)
    assert DOUBLES.unknown(made) >= np.linalg.norm(np.outer(error, ones), 2)


def test_a_matrix_that_no_problem_holds_is_as_far_from_its_kernel_as_it_is():
    K = np.diag([1.0, 1.0, -1e-9])
    assert float(DOUBLES.kernels(K)[0].off) >= 1e-9


BELOW = {  # of numbers x(middle, radius, what is held in norm)
    "a product that is divided": lambda F, x: x(1e-310) / x(1e-305, 3.3e-306),
    "a weight below normal": lambda F, x: F.combination(
        F.stack([x(7e-321)]), [x(np.full((2, 2), 1.1e150))]
    ),
    "a square times a radius": lambda F, x: F.congruence(
        x(np.full(2, 1e-200)), x(np.zeros((2, 2)), 1e300)
    ),
    "a square times a norm": lambda F, x: F.congruence(
        x(np.full(2, 1e-200)), x(np.zeros((2, 2)), 0.0, 1e300)
    ),
    "a form of a norm": lambda F, x: F.forms(
        [x(np.zeros((2, 2)), 0.0, 1e290)], x(np.full((1, 2), 1e-170))
    ),
    "a square beyond doubles": lambda F, x: F.congruence(
        x(np.array([1e174, 1e141])), x(np.full((2, 2), 1e-322))
    ),
}


@pytest.mark.parametrize("name", BELOW)
def test_what_doubles_cannot_hold_on_the_way_is_charged(name):
    def known(mid, rad=0.0, off=0.0):
        return Tensor(
            mid, rad if np.ndim(mid) == 0 or not rad else np.full(np.shape(mid), rad), off
        )

    def worst(mid, rad=0.0, off=0.0):  # the largest error the set holds
        error = off * np.eye(len(mid)) if off else 0.0
        return BALLS.exact(mid) - BALLS.exact(rad) * (-1 if np.ndim(mid) else 1) + error

    with balls.precision(6000), np.errstate(over="ignore", invalid="ignore"):
        assert holds(BELOW[name](DOUBLES, known), BELOW[name](BALLS, worst))


AT = (0.0, 1.3, -2.7, 1e308, 5e-324, -1e-200, np.nan)
WITHIN = (0.0, 1e-310, 1e-16, 3.0, 1e300, np.inf)
OF_NUMBERS = BINARY | {"max": DOUBLES.maximum, "min": DOUBLES.minimum}
OF_A_NUMBER = {
    "positive": lambda x: x.positive(),
    "sqrt": lambda x: x.sqrt(),
    "square": lambda x: x.square(),
}


@pytest.mark.parametrize("name", [*OF_NUMBERS, *OF_A_NUMBER])
def test_a_number_is_known_as_well_as_an_array_of_one(name):
    operation = OF_NUMBERS.get(name) or OF_A_NUMBER[name]
    numbers = [(mid, rad) for mid in AT for rad in WITHIN]
    some = product(numbers, numbers) if name in OF_NUMBERS else [(x,) for x in numbers]
    for terms in some:
        with np.errstate(all="ignore"):
            own = operation(*(Tensor(*x) for x in terms))
            array = operation(*(Tensor(*map(np.array, zip(x, strict=True))) for x in terms))
        ends = np.array([own.lower, own.upper])
        others = np.ravel([array.lower, array.upper])
        known = np.isfinite(ends)
        assert (known == np.isfinite(others)).all()
        # The two round in another order.
        slack = 1e-290 + 4e-15 * max(np.abs(ends[known]).max(initial=0.0), abs(own.mid))
        assert np.abs(ends[known] - others[known]).max(initial=0.0) <= slack

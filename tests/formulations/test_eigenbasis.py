"""Eigenbases: signs, ranks and multiplicities by proof, and a choice that follows the samples."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx

from cvxkernel.formulations import errors as e
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES
from cvxkernel.formulations.eigenbasis import (
    basis,
    checked,
    integers,
    matched,
    multiprecision,
    plain,
)

HADAMARD = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
Y = np.array([1.0, -1.0, 1.0, 1.0])


def dyadic(lam):
    """A dense matrix of doubles with exactly these eigenvalues, eigenvectors ±½."""
    lam = [Fraction(float(x)) for x in lam]
    exact = [
        [
            sum(x * Fraction(u * v) for x, u, v in zip(lam, row, other, strict=True))
            for other in rows
        ]
        for rows in [HADAMARD.tolist()]
        for row in rows
    ]
    S = np.array([[float(x) for x in row] for row in exact])
    assert all(Fraction(S[i, j]) == exact[i][j] for i in range(4) for j in range(4))
    return S


def rank(rows):
    """Gaussian elimination over the rationals."""
    rows, found = [[Fraction(float(x)) for x in row] for row in rows], 0
    for column in range(len(rows)):
        pivot = next((i for i in range(found, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][column] / rows[found][column]
            rows[i] = [x - factor * z for x, z in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


def same_up_to_signs(U, V):
    return np.abs(np.abs((U * V).sum(axis=0)) - 1).max() <= 1e-15


@pytest.mark.parametrize("tiny", [2.0**-k for k in (40, 47, 50)])
@pytest.mark.parametrize("signs", [(1, -1), (1, 0), (0, -1), (1, 1), (-1, -1), (0, 0)])
def test_tiny_and_zero_eigenvalues_are_told_apart(tiny, signs):
    lam = np.array([signs[0] * tiny, signs[1] * tiny * 2, 1.0, -0.5])
    found = basis(dyadic(lam), Y, matter="nonzero")
    order = np.argsort(lam, kind="stable")
    assert np.array_equal(np.sign(found.lam), np.sign(lam[order]))
    assert found.lam == pytest.approx(lam[order], rel=1e-15)
    assert found.decided
    assert found.open is None
    some = lam[order] != 0
    assert same_up_to_signs(found.U[:, some], HADAMARD[:, order][:, some])  # LAPACK mixes them


@pytest.mark.parametrize("matter", ["none", "nonzero", "all"])
@pytest.mark.parametrize("power", [-40, -125, -150, -400, -900])
@pytest.mark.parametrize("zero", [True, False])
@pytest.mark.parametrize("most", [192, 6144])
def test_an_eigenvalue_is_zero_only_where_that_is_known(power, matter, zero, most, monkeypatch):
    """Of ±e far below the largest the hull is around zero, and proves none."""
    monkeypatch.setattr(multiprecision, "_most", lambda spectrum: most)
    e, n = 2.0**power, 4 if zero else 3
    S = np.zeros((n, n))
    S[0, 0], S[1, 2], S[2, 1] = 1.0 + most * 2.0**-52, e, e  # no matrix that is remembered
    found = basis(S, Y[:n], matter=matter)
    exact = np.sort([S[0, 0], e, -e, 0.0][:n])
    for F in (DOUBLES, BALLS):
        lam = F.basis(found)[0]
        assert (np.sort(lam.lower) <= exact).all()
        assert (exact <= np.sort(lam.upper)).all()
    assert found.decided or (most == 192 and power < -125)


def test_nearly_equal_eigenvalues_have_their_own_vectors():
    found = basis(dyadic([1.0, 1.0 + 2.0**-48, 1.0 - 2.0**-48, 3.0]), Y)
    assert found.open is None
    assert same_up_to_signs(found.U, HADAMARD[:, [2, 0, 1, 3]])
    assert found.error <= 1e-14


@pytest.mark.parametrize("seed", range(8))
def test_a_rank_is_that_of_rational_arithmetic(seed):
    rng = np.random.default_rng(seed)
    n, r = 9, int(rng.integers(0, 9))
    B = rng.normal(size=(n, r)).round(3)
    B = np.round(B * 2**12) / 2**12
    S = (B * np.where(np.arange(r) % 2, 1.0, -1.0)) @ B.T
    exactly = integers.Exact(S)
    assert exactly.zeros == n - rank(S)
    S[0, 0] += 2.0**-40  # a tiny perturbation is one
    assert integers.Exact(S).zeros == n - rank(S)


def test_multiplicities_are_exact():
    S = np.kron(np.eye(3), np.array([[0.25, 0.5], [0.5, 0.75]]))  # ½ ± √5/4, three times each
    exactly = integers.Exact(S)
    assert exactly.distinct == 2
    S[0, 0] += 2.0**-50
    assert integers.Exact(S).distinct == 4
    exactly = integers.Exact(np.eye(4) * 0.375)
    assert exactly.multiplicity(round(0.375 / 2.0**exactly.e)) == 4


CUBE = np.array(list(product([0, 1], repeat=3)))
PATTERNS = {
    "hamming": (1 - (CUBE[:, None] != CUBE).mean(-1), np.array([1.0, -1, 1, 1, -1, 1, 1, 1])),
    "circulant": (
        np.array([2.0, 0.3, -0.7, 0.1, -0.7, 0.3])[(np.arange(6)[:, None] - np.arange(6)) % 6],
        np.array([1.0, -1, -1, 1, 1, -1]),
    ),
    "twice": (np.kron(np.eye(2), np.array([[0.3, 0.7], [0.7, 0.1]])), np.array([1.0, 1, 1, -1])),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_repeated_eigenspace_is_divided_so_that_it_follows_the_samples(name):
    S, y = PATTERNS[name]
    found = basis(S, y)
    assert found.open is None
    assert integers.Exact(S).distinct < len(S)
    for seed in range(3):
        p = np.random.default_rng(seed).permutation(len(S))
        again = basis(np.ascontiguousarray(S[np.ix_(p, p)]), y[p])
        assert same_up_to_signs(again.U, found.U[p])


def test_a_symmetry_is_told():
    for S in (np.zeros((4, 4)), np.eye(4), -np.eye(4), np.ones((4, 4))):
        found = basis(S, Y)
        assert "repeats" in found.open
        assert found.decided
        assert np.abs(found.U.T @ found.U - np.eye(4)).max() <= 1e-15
        assert np.abs((found.U * found.lam) @ found.U.T - S).max() <= 1e-15
    assert np.array_equal(np.sort(np.abs(basis(np.eye(4), Y).U), axis=1)[:, :3], np.zeros((4, 3)))
    # another similarity breaks it
    other = np.diag([1.0, 2.0, 3.0, 4.0])
    assert basis(np.eye(4), Y, others=(other,)).open is None


def test_vectors_of_zero_need_no_choice_where_they_do_not_matter():
    assert basis(np.ones((4, 4)), Y, matter="nonzero").open is None


def test_balls_hold_what_more_bits_say():
    S, y = PATTERNS["circulant"]
    with ctx.workprec(800):
        lam, U = basis(S, y).enclosed(192)
        finer, V = basis(S, y).enclosed(600)
        assert all(x.contains(z.mid()) for x, z in zip(lam, finer, strict=True))
        for u, v in zip(U.transpose().tolist(), V.transpose().tolist(), strict=True):
            turned = [[s * x.mid() for x in v] for s in (1, -1)]
            assert any(all(map(arb.contains, u, vector)) for vector in turned)
    assert max(float(x.rad()) for x in U.entries()) <= 1e-30


def test_a_given_basis_is_taken():
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    U = np.zeros((4, 4))
    U[:2, 2:], U[2:, :2] = turn, np.eye(2)
    S = np.diag([2.0, 2.0, -1.0, 3.0])
    found = basis(S, Y, U=checked(U, S))
    assert found.open is None
    assert np.abs(found.U - U).max() <= 1e-15
    assert found.lam.tolist() == [-1.0, 3.0, 2.0, 2.0]
    order, signs = matched(U, -U[:, ::-1])
    assert order.tolist() == [3, 2, 1, 0]
    assert signs.tolist() == [-1.0] * 4
    with pytest.raises(e.InputError, match=r"^U: "):
        matched(np.eye(4), U)


GAPS = [2.0**-k for k in (1, 20, 30, 45)]  # between eigenvalues, beside one of size 1


def turned(U, i, j, angle):
    """Two columns of U turned into each other."""
    out, c, s = U.copy(), np.cos(angle), np.sin(angle)
    out[:, i], out[:, j] = c * U[:, i] + s * U[:, j], c * U[:, j] - s * U[:, i]
    return out


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("base", [0.0, -0.5])
def test_a_given_basis_decides_no_more_than_the_order_of_simple_eigenvalues(gap, base):
    lam = np.array([1.0, base + gap, base, -2.0])
    S = dyadic(lam)
    own = basis(S, Y)
    rng = np.random.default_rng(0)
    for angle in (0.0, 5e-9, 5e-7):
        U = HADAMARD * rng.choice([-1.0, 1.0], 4)
        p = rng.permutation(4)
        try:  # doubles tell of the last one where the gap is wide
            given = checked(np.ascontiguousarray(turned(U, 1, 2, angle)[:, p]), S)
        except e.InputError:
            assert angle * gap > 1e-9
            continue
        found = basis(S, Y, U=given)
        assert found.open is None
        assert found.decided
        assert np.array_equal(found.lam, lam[p])
        assert same_up_to_signs(found.U, HADAMARD[:, p])
        assert np.abs((found.U * given).sum(axis=0) - 1).max() <= 1e-12  # the signs are those given
        assert np.array_equal(np.sort(found.lam), own.lam)
        with ctx.workprec(256):
            exact, balls = found.enclosed(192)
            assert all(x.contains(arb(v)) for x, v in zip(exact, lam[p], strict=True))
            assert all(x.is_exact() for x, v in zip(exact, lam[p], strict=True) if v == 0)
            for u, v in zip(balls.transpose().tolist(), HADAMARD[:, p].T, strict=True):
                assert any(all(x.contains(arb(s * z)) for x, z in zip(u, v, strict=True))
                           for s in (1, -1))  # fmt: skip


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("angle", [2e-6, 1e-3, np.pi / 4])
def test_a_given_basis_that_mixes_two_eigenvectors_is_refused_however_near_they_are(gap, angle):
    S = dyadic([1.0, gap, 0.0, -2.0])
    with pytest.raises(e.InputError, match=r"^U: .*eigenvectors"):
        basis(S, Y, U=checked(turned(HADAMARD, 1, 2, angle), S))


def test_a_given_basis_with_too_many_columns_for_an_eigenvalue_is_refused():
    S = dyadic([1.0, 2.0**-40, 0.0, 0.0])
    U = HADAMARD.copy()
    U[:, 2] = U[:, 1]
    with pytest.raises(e.InputError, match=r"^U: .*times an eigenvalue"):
        basis(S, Y, U=U)


def test_inside_a_repeated_eigenspace_the_nearest_basis_is_meant():
    """Leaning out of it by less than is allowed changes nothing but what lies inside."""
    S = dyadic([1.0, 1.0, 1.0 + 2.0**-30, -2.0])
    inside = turned(HADAMARD, 0, 1, 0.3)
    found = basis(S, Y, U=checked(turned(inside, 1, 2, 5e-7), S))
    assert found.open is None
    assert found.lam.tolist() == [1.0, 1.0, 1.0 + 2.0**-30, -2.0]
    assert np.abs(found.U - inside).max() <= 1e-12


@pytest.mark.parametrize(
    ("U", "kind"),
    [
        (np.eye(3), e.ShapeError),
        (2 * np.eye(4), e.InputError),
        (HADAMARD, e.InputError),
        (np.full((4, 4), np.nan), e.NotFiniteError),
    ],
)
def test_a_basis_that_is_none_is_refused(U, kind):
    with pytest.raises(kind, match=r"^U: "):
        checked(U, np.diag([1.0, 2.0, 3.0, 4.0]))


def test_large_matrices_are_answered_in_doubles_and_told():
    rng = np.random.default_rng(0)
    n = 310
    S = np.diag(np.arange(n) + 1.0)
    S[:5, :5] += rng.normal(size=(5, 5))
    found = basis((S + S.T) / 2, np.sign(rng.normal(size=n)))
    assert found.open is None
    assert found.error <= 1e-6
    exact = basis(np.ascontiguousarray(((S + S.T) / 2)[:60, :60]), np.ones(60))
    assert np.abs(exact.lam[:5] - found.lam[:5]).max() <= found.off
    S = np.diag(np.arange(n) - 0.0)
    S[3, 3] = 1e-13
    found = basis(S, np.ones(n))
    assert not found.decided
    assert "signs" in found.open


def test_a_given_basis_of_a_large_matrix_is_proved_to_be_one_or_told():
    n = 310
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    p = np.random.default_rng(0).permutation(n)
    lam = np.arange(n) + 1.0
    found = basis(np.diag(lam), y, U=np.eye(n)[:, p].copy())
    assert found.open is None
    assert np.abs(found.lam - lam[p]).max() <= found.off
    assert found.error <= 1e-6
    for second in (1.0, 1.0 + 1e-9):  # repeated, and mixed where doubles cannot tell
        lam[1] = second
        U = turned(np.eye(n), 0, 1, 0.7)
        assert basis(np.diag(lam), y, U=checked(U, np.diag(lam))).open is not None


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_doubles_alone_hold_the_eigenvalues_within_few_units(scale):
    """Nearly constant with a small rest: the bound of a long sum would be a hundred times wider."""
    n, rng = 90, np.random.default_rng(0)
    B = 1e-3 * rng.normal(size=(n, n))
    S = scale * (np.ones((n, n)) + (B + B.T) / 2)
    quick, y = plain.basis(S, True), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    lam, U = np.vectorize(arb)(quick.lam), quick.U
    exact, _ = basis(S, y).enclosed(192)
    with ctx.workprec(192):
        assert all(abs(d - x) <= quick.off for d, x in zip(lam, exact, strict=True))
    assert quick.off <= 1e-12 * np.abs(quick.lam).max()
    assert np.linalg.norm(U.T @ U - np.eye(n)) <= quick.error


def test_where_no_vector_matters_an_unknown_sign_opens_nothing():
    rng, n = np.random.default_rng(0), 101
    S = np.zeros((n, n))
    B = rng.normal(size=(n - 1, n - 1))
    S[1:, 1:], S[0, 0] = (B + B.T) / 2, 1e-200
    found = basis(S, np.ones(n), matter="none")
    assert not found.decided
    assert found.open is None
    E = (found.U * found.lam) @ found.U.T - S
    assert np.linalg.norm(E) < 1e-11

r"""Ball arithmetic for proofs: doubles are exact numbers, every result is a proved interval.

Vectors and matrices are `arb_mat`. What a proof needs beyond sums and products:

    lambda_min(A)   a number below the smallest eigenvalue of A. With σ near it and L a Cholesky
                    factor of A - σI in doubles, A - σI = LLᵀ + E gives λ_min(A) ≥ σ - ‖E‖_F: the
                    factor is a guess, E is a ball matrix. No ball eigenvalues: they fail where a
                    spectrum is clustered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import inf, nextafter
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from cvxkernel.formulations.inputs import Array

BITS = 128


@contextmanager
def precision(bits: int = BITS) -> Iterator[None]:
    """Every operation inside is carried out with this many bits."""
    before, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = before


def matrix(A: Any) -> arb_mat:
    """An array of doubles as exact balls; a vector becomes a column. Balls are left as they are."""
    if isinstance(A, arb_mat):
        return A
    A = np.atleast_1d(np.asarray(A, dtype=np.float64))
    return arb_mat(A.reshape(len(A), -1).tolist())


def column(entries: Iterable[Any]) -> arb_mat:
    """A column of balls, numbers or both."""
    numbers = [arb(x) for x in entries]
    return arb_mat(len(numbers), 1, numbers)


def entries(A: arb_mat) -> list[arb]:
    """Its entries, row by row."""
    return list(A.entries())


def doubles(x: Any) -> Array:
    """The midpoints of a matrix, a number or a list of them, as doubles; no proof rests on them."""
    if isinstance(x, arb_mat):
        return np.array([[float(v.mid()) for v in row] for row in x.tolist()])
    if isinstance(x, arb):
        return np.array(float(x.mid()))
    if isinstance(x, list):
        return np.array([doubles(v) for v in x], dtype=float)
    return np.asarray(x, dtype=float)


def identity(n: int) -> arb_mat:
    """I"""
    return arb_mat(n, n, [arb(i == j) for i in range(n) for j in range(n)])


def ones(n: int) -> arb_mat:
    """A column of ones."""
    return arb_mat(n, 1, [arb(1)] * n)


def symmetric(A: arb_mat) -> arb_mat:
    """(A + Aᵀ)/2, which is all that a quadratic form sees."""
    return (A + A.transpose()) / 2


def inner(A: arb_mat, B: arb_mat) -> arb:
    """⟨A, B⟩ = Σ AᵢⱼBᵢⱼ"""
    return total(x * y for x, y in zip(A.entries(), B.entries(), strict=True))


def total(numbers: Iterable[arb]) -> arb:
    """Their sum."""
    return sum(numbers, arb(0))


def largest(numbers: Sequence[arb]) -> arb:
    """A ball that holds the largest."""
    out = numbers[0]
    for x in numbers[1:]:
        out = out.max(x)
    return out


def norm(A: arb_mat) -> arb:
    """‖A‖_F"""
    return inner(A, A).nonnegative_part().sqrt()


def combination(weights: Sequence[arb], matrices: Iterable[Any]) -> arb_mat:
    """Σᵢ wᵢAᵢ, symmetric; a weight that is exactly zero costs nothing."""
    made = [matrix(A) for A in matrices]
    out = arb_mat(made[0].nrows(), made[0].ncols())
    for w, A in zip(weights, made, strict=True):
        if not w.is_zero():
            out = out + A * w
    return symmetric(out)


def lambda_min(A: arb_mat) -> arb:
    """A proved lower bound of the smallest eigenvalue of a symmetric A; minus infinity at worst."""
    n = A.nrows()
    middle = doubles(A)
    if not np.isfinite(middle).all():
        return arb.neg_inf()
    middle = (middle + middle.T) / 2
    size = float(np.abs(middle).max()) or 1.0
    least = float(np.linalg.eigvalsh(middle)[0])
    step = 4 * n * np.finfo(float).eps * size
    best = arb.neg_inf()
    for shift in (step, 100 * step, 1e4 * step):
        sigma = least - shift
        try:
            L = matrix(np.linalg.cholesky(middle - sigma * np.eye(n)))
        except np.linalg.LinAlgError:
            continue
        E = A - identity(n) * arb(sigma) - L * L.transpose()
        best = arb(sigma) - norm(E)
        break
    return best.lower() if best.is_finite() else arb.neg_inf()


def least_eigenvalue(A: arb_mat) -> arb:
    """A ball that holds the smallest eigenvalue of a symmetric A: below it a proved bound, above
    it the Rayleigh quotient of an eigenvector in doubles."""
    v = matrix(np.linalg.eigh(doubles(A))[1][:, 0])
    return lambda_min(A).union(inner(v, A * v) / inner(v, v))


def below(x: arb) -> float:
    """The largest double not above the ball, or nearly; minus infinity where there is none."""
    low = x.lower()
    if not low.is_finite():
        return -inf
    out = float(low)
    return out if arb(out) <= low else nextafter(out, -inf)


def above(x: arb) -> float:
    """A double not below the ball."""
    return -below(-x)

r"""Numbers and matrices of balls: doubles are exact numbers, every result is a proved interval.

Vectors and matrices are `arb_mat`. What a proof needs beyond sums and products:

    lambda_min(A)   a number below the smallest eigenvalue of A. With σ near it and L a Cholesky
                    factor of A - σI in doubles, A - σI = LLᵀ + E gives λ_min(A) ≥ σ - ‖E‖_F: the
                    factor is a guess, E is a ball matrix. No ball eigenvalues: they fail where a
                    spectrum is clustered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, log, nextafter
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from cvxkernel.formulations.arithmetic.balls.tensor import Tensor
from cvxkernel.formulations.inputs import Array

BITS = 128
LARGE = 1e100  # a norm: beyond it what LAPACK computes on the way may overflow


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
    made = [arb(x) for x in entries]
    return arb_mat(len(made), 1, made)


def entries(A: arb_mat) -> list[arb]:
    """Its entries, row by row."""
    return list(A.entries())


def doubles(x: Any) -> Array:
    """The midpoints of a matrix, a number or a list of them, as doubles; no proof rests on them."""
    if isinstance(x, Tensor):
        return x.mid
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


def total(terms: Iterable[arb]) -> arb:
    """Their sum."""
    return sum(terms, arb(0))


def largest(terms: Sequence[arb]) -> arb:
    """A ball that holds the largest."""
    out = terms[0]
    for x in terms[1:]:
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


def in_doubles(A: arb_mat) -> tuple[arb_mat, arb]:
    """A over a power of two that makes its eigenvalues doubles, and that: 1 but for extremes."""
    size = norm(A).mid()
    if not (size > LARGE and size.is_finite()):
        return A, arb(1)
    power = arb(2) ** int(float(size.log().mid()) / log(2))
    return A / power, power


def lambda_min(A: arb_mat) -> arb:
    """A proved lower bound of the smallest eigenvalue of a symmetric A; minus infinity at worst."""
    A, power = in_doubles(A)
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
    return (best * power).lower() if best.is_finite() else arb.neg_inf()


def least_eigenvalue(A: arb_mat) -> arb:
    """A ball that holds the smallest eigenvalue of a symmetric A: below it a proved bound, above
    it the Rayleigh quotient of an eigenvector in doubles."""
    v = matrix(np.linalg.eigh(doubles(in_doubles(A)[0]))[1][:, 0])
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


# -- Feasible weights, and steps -------------------------------------------------------------------


def clipped(values: Iterable[Any]) -> list[arb]:
    """max(0, ·) of each; what is not above zero for certain is zero."""
    given = values.entries() if isinstance(values, arb_mat) else values
    return [x if x > 0 else arb(0) for x in (arb(v) for v in given)]


def simplex(values: Iterable[Any], r: Sequence[arb], budget: arb | int = 1) -> list[arb]:
    """θ clipped at zero and multiplied up to θᵀr = budget; equal shares if nothing is left."""
    theta = clipped(values)
    spent = total(x * s for x, s in zip(theta, r, strict=True))
    if not spent > 0:
        return [budget / (len(r) * s) for s in r]
    return [x * budget / spent for x in theta]


def newton(hessian: Sequence[Sequence[arb]], gradient: Sequence[arb]) -> list[arb]:
    """d with Hd + g constant and Σd = 0, to the working precision; radii are dropped."""
    m = len(gradient)
    rows = [[*row, arb(1)] for row in hessian] + [[arb(1)] * m + [arb(0)]]
    right = column([*(-g for g in gradient), 0])
    step = solution(arb_mat(rows).mid(), right.mid())[:m]
    return [d - total(step) / m for d in step]


def solution(A: arb_mat, b: arb_mat) -> list[arb]:
    """x with Ax = b; where A is singular the shortest, in doubles. A step, not a proof."""
    try:
        return [x.mid() for x in A.solve(b).entries()]
    except ZeroDivisionError:
        return shortest(A, b)


def shortest(A: arb_mat, b: arb_mat) -> list[arb]:
    """The shortest of the x for which Ax is nearest to b, as far as doubles can tell."""
    size = max(abs(x) for x in b.entries())
    if not size > 0:
        return [arb(0)] * A.ncols()
    short = np.linalg.lstsq(doubles(A), doubles(b / size)[:, 0], rcond=1e-12)[0]
    return [arb(float(x)) * size for x in short]


# -- Violations, relative -------------------------------------------------------------------------


def numbers(values: Any) -> list[arb]:
    """An array, a number or a list of either kind as a flat list of balls."""
    if isinstance(values, arb_mat):
        return list(values.entries())
    if isinstance(values, Tensor):
        return list(values.x.flat)
    return [arb(x) for x in np.ravel(np.asarray(values, dtype=object))]


def excess(x: arb, size: arb) -> arb:
    """max(0, x)/size, zero where both are."""
    over = x.nonnegative_part()
    return over if over.is_zero() else over / size


def asymmetry(A: arb_mat) -> arb:
    """‖A - Aᵀ‖/‖A‖"""
    return excess(norm(A - A.transpose()), norm(A))


def off_simplex(values: Any, r: Sequence[arb], budget: arb | int = 1) -> dict[str, arb]:
    """How far θ is from θ ≥ 0, relative to its largest entry, and from θᵀr = budget."""
    theta = numbers(values)
    size = largest([abs(x) for x in theta])
    spent = total(x * s for x, s in zip(theta, r, strict=True))
    return {
        "nonneg": excess(largest([-x for x in theta]), size),
        "budget": abs(spent - budget) / budget,
    }


# -- What is proved ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proof:
    """lower ≤ optimum ≤ upper: exact numbers (balls of radius zero), or infinite."""

    lower: arb
    upper: arb

    @classmethod
    def of(cls, *holders: arb) -> Proof:
        """The smallest interval around balls, each of which holds the number or a bound of it."""
        lower = -largest([-x.lower() for x in holders])
        return cls(lower.lower(), largest([x.upper() for x in holders]).upper())

    def __neg__(self) -> Proof:
        return Proof(-self.upper, -self.lower)

    def narrowed(self, other: Proof) -> Proof:
        """What both prove together."""
        return Proof(
            other.lower if other.lower > self.lower else self.lower,
            other.upper if other.upper < self.upper else self.upper,
        )

    @property
    def width(self) -> float:
        """(upper - lower)/|upper|, at most."""
        if not (self.lower.is_finite() and self.upper.is_finite()):
            return float("inf")
        if self.upper.is_zero():
            return 0.0 if self.lower.is_zero() else float("inf")
        with precision():
            return above((self.upper - self.lower) / abs(self.upper))

    def digits(self, most: int = 1000) -> str:
        """The optimum to at most so many significant digits, those that are proved, to one unit."""
        bits = int(64 + 4 * most)
        with precision(bits):
            return str(self.lower.union(self.upper).str(most, radius=False))

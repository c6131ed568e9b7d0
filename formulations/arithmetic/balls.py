r"""Ball arithmetic for proofs: doubles are exact numbers, every result is a proved interval.

Vectors and matrices are `arb_mat`. What a proof needs beyond sums and products:

    lambda_min(A)   a number below the smallest eigenvalue of A. With σ near it and L a Cholesky
                    factor of A - σI in doubles, A - σI = LLᵀ + E gives λ_min(A) ≥ σ - ‖E‖_F: the
                    factor is a guess, E is a ball matrix. No ball eigenvalues: they fail where a
                    spectrum is clustered.

A kernel K as it came, (K + Kᵀ)/2 exactly, stands for K₊ (`formulations.semidefinite`). It is K
where K ⪰ 0 is proved. Else K₊ is enclosed through its eigenvectors, computed to the working
precision and believed in nothing: for any P, N ⪰ 0 and R = K - P + N,

    ‖P - K₊‖_F ≤ ‖R‖_F + √⟨P, N⟩

since K ↦ K₊ is nonexpansive, and with X = P - N the angle of the projection, ⟨X - X₊, Z - X₊⟩ ≤ 0
for all Z ⪰ 0, says at Z = P that ‖P - X₊‖² ≤ ⟨N, P - X₊⟩ ≤ ⟨N, P⟩. With P = V₊D₊V₊ᵀ, N = V₋D₋V₋ᵀ
the last is Σ dᵢ|dⱼ|(vᵢᵀvⱼ)², of second order in what the eigenvectors are off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array

BITS = 128
GUARD = 64  # bits more than asked for, on the way
APART = 2.0**20  # times what couples them: two eigenvalues further apart are told from one another
SHARP = 64  # up to this n the smallest eigenvalue is found to the working precision
PASSES = 40  # of the refinement, at most: each doubles the digits or opens a cluster


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


def sharp_lambda_min(A: arb_mat) -> arb:
    """The same to the working precision, by eigenvectors V that are believed in nothing.

    With B = VᵀAV, every zᵀBz ≥ (minᵢ Bᵢᵢ - ‖off the diagonal‖_F)‖z‖², and ‖Vz‖² is within ω‖z‖² of
    ‖z‖², ω = ‖VᵀV - I‖_F; V is square, so that Vz is every vector where ω < 1.
    """
    n = A.nrows()
    with precision(ctx.prec + GUARD):
        V = eigenvectors(A.mid())[1]
        omega = norm(V.transpose() * V - identity(n))
        B = symmetric(V.transpose() * A * V)
        D = [B[i, i] for i in range(n)]
        off = B - arb_mat(n, n, [D[i] if i == j else 0 for i in range(n) for j in range(n)])
        least = (-largest([-x for x in D]) - norm(off)).lower()
        if not omega < 1:
            return arb.neg_inf()
        made = least / (1 + omega if least > 0 else 1 - omega)
    return made.lower() if made.is_finite() else arb.neg_inf()


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


# -- Kernels as problems hold them ----------------------------------------------------------------


def kernel(K: Array) -> arb_mat:
    """K₊ of a matrix that a problem holds, at the working precision."""
    return kernels(K)[0]


def kernels(K: Array) -> list[arb_mat]:
    """K₁₊, …, Kₚ₊ of a stack that a problem holds, at the working precision."""
    known = semidefinite.held(K)
    made = _made(K)
    if ctx.prec not in made:
        stack = (K if known is None else known.came).reshape(-1, *K.shape[-2:])
        made[ctx.prec] = [positive_part(symmetric(matrix(came))) for came in stack]
    return made[ctx.prec]


@per_array
def _made(K: Array) -> dict[int, list[arb_mat]]:
    """What has been enclosed, by precision."""
    return {}


def positive_part(K: arb_mat) -> arb_mat:
    """A ball matrix that holds K₊, K symmetric."""
    if lambda_min(K) >= 0:
        return K
    with precision(ctx.prec + GUARD):
        d, V = eigenvectors(K)
        plus = [i for i, x in enumerate(d) if x > 0]
        minus = [i for i, x in enumerate(d) if x < 0]
        P, N = (_composed([abs(d[i]) for i in part], _columns(V, part)) for part in (plus, minus))
        off = norm(K - P + N) + _overlap(d, V, plus, minus)
        n = K.nrows()
        return symmetric(P) + arb_mat(n, n, [arb(0, off.upper())] * n**2)


def eigenvectors(K: arb_mat) -> tuple[list[arb], arb_mat]:
    """Eigenvalues and eigenvectors near those of K, as exact numbers: no proof rests on them.

    From doubles, by Newton's step: with B = VᵀKV, V orthonormal, V(I + X), Xᵢⱼ = Bᵢⱼ/(bⱼ - bᵢ), has
    the square of the error, for eigenvalues that Bᵢⱼ leaves apart. Those that it does not form
    clusters: there B less its mean is diagonalized in doubles, and the next pass goes on.
    """
    n = K.nrows()
    V = matrix(np.linalg.eigh(doubles(K))[1])
    target = float(norm(K).mid()) * 2.0 ** (GUARD // 2 - ctx.prec)
    for _ in range(PASSES):
        V = orthonormal(V)
        B = symmetric(V.transpose() * K * V).mid()
        sizes = np.abs(doubles(B))
        np.fill_diagonal(sizes, 0.0)
        if not float(sizes.max(initial=0.0)) > target:
            break
        V = (V * _step(B, sizes, target)).mid()
    return [B[i, i] for i in range(n)], V


def orthonormal(V: arb_mat) -> arb_mat:
    """V(3I - VᵀV)/2, as often as it takes: the nearest orthonormal matrix, radii dropped."""
    eye = identity(V.nrows())
    for _ in range(60):
        defect = (eye - V.transpose() * V).mid()
        V = (V + V * defect / 2).mid()
        if float(norm(defect).mid()) < 2.0 ** (GUARD // 4 - ctx.prec // 2):
            break  # the next defect is its square
    return V


def _step(B: arb_mat, sizes: Array, target: float) -> arb_mat:
    """I + X, times the rotations inside the clusters."""
    n = len(sizes)
    step, coupled = identity(n), np.argwhere(sizes > target / n).tolist()
    gaps = {(i, j): B[j, j] - B[i, i] for i, j in coupled}
    close = np.zeros((n, n), dtype=bool)
    for (i, j), gap in gaps.items():
        close[i, j] = not abs(gap) > APART * sizes[i, j]
    label, clusters = _clusters(close)
    for (i, j), gap in gaps.items():
        if label[i] != label[j]:
            step[i, j] = B[i, j] / gap
    if not clusters:
        return step
    W = identity(n)
    for cluster in clusters:
        for i, row in zip(cluster, _rotation(B, cluster).tolist(), strict=True):
            for j, x in zip(cluster, row, strict=True):
                W[i, j] = arb(x)
    return (step * W).mid()


def _clusters(close: NDArray[np.bool_]) -> tuple[NDArray[np.int32], list[list[int]]]:
    """The connected parts: the label of each index, and those of two indices or more."""
    count, label = connected_components(close, directed=False)
    parts = [np.flatnonzero(label == c).tolist() for c in range(count)]
    return label, [part for part in parts if len(part) > 1]


def _rotation(B: arb_mat, index: list[int]) -> Array:
    """The eigenvectors of a block of B less its mean, in units of its size."""
    mean = total(B[i, i] for i in index) / len(index)
    block = arb_mat([[B[i, j] - mean * int(i == j) for j in index] for i in index])
    size = norm(block)
    if not size > 0:
        return np.eye(len(index))
    W: Array = np.linalg.eigh(doubles(block / size))[1]
    return W


def _columns(V: arb_mat, index: list[int]) -> arb_mat:
    rows = V.tolist()
    return arb_mat(len(rows), len(index), [row[i] for row in rows for i in index])


def _composed(d: list[arb], V: arb_mat) -> arb_mat:
    """V diag(d) Vᵀ"""
    n, m = V.nrows(), V.ncols()
    scaled = arb_mat(n, m, [x * s for row in V.tolist() for x, s in zip(row, d, strict=True)])
    return scaled * V.transpose() if m else arb_mat(n, n)


def _overlap(d: list[arb], V: arb_mat, plus: list[int], minus: list[int]) -> arb:
    """√⟨P, N⟩ = √Σᵢⱼ dᵢ|dⱼ|(vᵢᵀvⱼ)²"""
    if not plus or not minus:
        return arb(0)
    inner = _columns(V, plus).transpose() * _columns(V, minus)
    terms = (
        d[i] * -d[j] * x * x
        for i, row in zip(plus, inner.tolist(), strict=True)
        for j, x in zip(minus, row, strict=True)
    )
    return total(terms).nonnegative_part().sqrt()


# -- The arithmetic --------------------------------------------------------------------------------


class Tensor:
    """An array of balls: any shape, numpy's broadcasting, arb's radii."""

    __slots__ = ("_matrix", "x")
    __array_ufunc__ = None  # an array on the left leaves the operation to us

    def __init__(self, x: Any) -> None:
        self.x: NDArray[Any] = np.asarray(x, dtype=object)
        self._matrix: arb_mat | None = None

    def __repr__(self) -> str:
        return f"Tensor({self.x!r})"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.x.shape

    @property
    def ndim(self) -> int:
        """0, 1 or 2, or more for a stack."""
        return self.x.ndim

    def __len__(self) -> int:
        return len(self.x)

    @property
    def T(self) -> Tensor:
        """Transposed."""
        return Tensor(self.x.T)

    def __getitem__(self, index: Any) -> Tensor:
        return Tensor(self.x[index])

    def reshape(self, *shape: int) -> Tensor:
        """The same entries."""
        return Tensor(self.x.reshape(*shape))

    def diagonal(self) -> Tensor:
        """Aᵢᵢ"""
        return Tensor(self.x.diagonal())

    @property
    def number(self) -> arb:
        """The ball of a tensor of one entry."""
        return self.x.item()

    @property
    def matrix(self) -> arb_mat:
        """As a matrix of balls; a vector is a column."""
        if self._matrix is None:
            rows = len(self.x)
            columns = self.x.size // max(rows, 1)
            self._matrix = arb_mat(rows, columns, self.x.ravel().tolist())
        return self._matrix

    @property
    def lower(self) -> Any:
        """Not above any of its numbers, exact."""
        return _LOWER(self.x)

    @property
    def upper(self) -> Any:
        """Not below, exact."""
        return _UPPER(self.x)

    @property
    def mid(self) -> Array:
        """The middle, as doubles."""
        return np.asarray(_DOUBLE(self.x), dtype=np.float64)

    def point(self) -> Tensor:
        """The middle, exact."""
        return Tensor(_MIDDLE(self.x))

    def is_finite(self) -> bool:
        """Whether every number in it is."""
        return all(x.is_finite() for x in self.x.flat)

    def __gt__(self, other: Any) -> Any:
        return self.x > exact(other).x

    def __lt__(self, other: Any) -> Any:
        return self.x < exact(other).x

    def __ge__(self, other: Any) -> Any:
        return self.x >= exact(other).x

    def __le__(self, other: Any) -> Any:
        return self.x <= exact(other).x

    def __neg__(self) -> Tensor:
        return Tensor(-self.x)

    def __add__(self, other: Any) -> Tensor:
        return Tensor(self.x + exact(other).x)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tensor:
        return Tensor(self.x - exact(other).x)

    def __rsub__(self, other: Any) -> Tensor:
        return Tensor(exact(other).x - self.x)

    def __mul__(self, other: Any) -> Tensor:
        return Tensor(self.x * exact(other).x)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        return Tensor(self.x / exact(other).x)

    def __rtruediv__(self, other: Any) -> Tensor:
        return Tensor(exact(other).x / self.x)

    def __matmul__(self, other: Any) -> Tensor:
        b = exact(other)
        left = self.matrix.transpose() if self.ndim == 1 else self.matrix
        shape = (*self.shape[:-1], *b.shape[1:])
        made = np.empty(int(np.prod(shape, dtype=int)), dtype=object)
        made[:] = (left * b.matrix).entries()
        return Tensor(made.reshape(shape))

    def __rmatmul__(self, other: Any) -> Tensor:
        return exact(other) @ self

    def __abs__(self) -> Tensor:
        return Tensor(np.abs(self.x))

    def sum(self, axis: int | None = None) -> Tensor:
        """Σ of all entries, or along an axis."""
        return Tensor(np.sum(self.x, axis=axis, initial=arb(0)))

    def trace(self) -> Tensor:
        """Σᵢ Aᵢᵢ"""
        return self.diagonal().sum()

    def square(self) -> Tensor:
        """x², never negative."""
        return (self * self).positive()

    def positive(self) -> Tensor:
        """max(x, 0)"""
        return Tensor(_POSITIVE(self.x))

    def sqrt(self) -> Tensor:
        """√x of what is known not to be negative."""
        return Tensor(_SQRT(self.x))

    def exp(self) -> Tensor:
        """eˣ"""
        return Tensor(_EXP(self.x))

    def max(self) -> Tensor:
        """The largest entry."""
        return Tensor(largest(self.x.ravel().tolist()))

    def min(self) -> Tensor:
        """The smallest."""
        return -(-self).max()


_LOWER = np.frompyfunc(lambda x: x.lower(), 1, 1)
_UPPER = np.frompyfunc(lambda x: x.upper(), 1, 1)
_MIDDLE = np.frompyfunc(lambda x: x.mid(), 1, 1)
_DOUBLE = np.frompyfunc(lambda x: float(x.mid()), 1, 1)
_POSITIVE = np.frompyfunc(lambda x: x.nonnegative_part(), 1, 1)
_SQRT = np.frompyfunc(lambda x: x.nonnegative_part().sqrt(), 1, 1)
_EXP = np.frompyfunc(lambda x: x.exp(), 1, 1)
_ARB = np.frompyfunc(arb, 1, 1)


def exact(x: Any) -> Tensor:
    """Doubles, balls and matrices of balls as a tensor; a tensor is left as it is."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, arb_mat):
        made = np.empty(x.nrows() * x.ncols(), dtype=object)
        made[:] = x.entries()
        return Tensor(made.reshape(x.nrows(), x.ncols()))
    if isinstance(x, arb):
        return Tensor(x)
    if isinstance(x, list) and any(isinstance(v, arb) for v in x):
        return Tensor(_ARB(np.array(x, dtype=object)))
    return Tensor(_ARB(np.asarray(x, dtype=np.float64).astype(object)))


class Balls:
    """The arithmetic, at the working precision."""

    Tensor = Tensor
    exact = staticmethod(exact)

    @property
    def bits(self) -> int:
        """Of its numbers."""
        return int(ctx.prec)

    @property
    def inf(self) -> Tensor:
        """Nothing is known."""
        return Tensor(arb(0, np.inf))

    @staticmethod
    def kernels(K: Array) -> list[Tensor]:
        """K₁₊, …, Kₚ₊ of a stack that a problem holds, or of one matrix."""
        return [exact(A) for A in kernels(K)]

    @staticmethod
    def stack(numbers: Sequence[Any]) -> Tensor:
        """A vector of numbers, a matrix of vectors."""
        return Tensor(np.stack([exact(x).x for x in numbers]))

    @staticmethod
    def where(mask: Any, a: Any, b: Any) -> Tensor:
        """a where the mask is true, b elsewhere."""
        return Tensor(np.where(mask, exact(a).x, exact(b).x))

    @staticmethod
    def maximum(a: Any, b: Any) -> Tensor:
        """The larger, entry by entry."""
        return Tensor(_MAXIMUM(exact(a).x, exact(b).x))

    @classmethod
    def minimum(cls, a: Any, b: Any) -> Tensor:
        """The smaller."""
        return -cls.maximum(-exact(a), -exact(b))

    @staticmethod
    def inner(A: Any, B: Any) -> Tensor:
        """⟨A, B⟩ = Σ AᵢⱼBᵢⱼ"""
        return (exact(A) * B).sum()

    @classmethod
    def norm(cls, A: Any) -> Tensor:
        """‖A‖_F"""
        return cls.inner(A, A).sqrt()

    @staticmethod
    def combination(weights: Any, matrices: Sequence[Tensor]) -> Tensor:
        """Σᵢ wᵢMᵢ, symmetric; a weight that is exactly zero costs nothing."""
        return exact(combination(list(exact(weights).x), [M.matrix for M in matrices]))

    @staticmethod
    def signed(y: Array, Q: Tensor) -> Tensor:
        """diag(y) Q diag(y), y of signs."""
        return Tensor(np.where(np.outer(y, y) > 0, Q.x, -Q.x))

    @staticmethod
    def composed(V: Tensor, d: Tensor) -> Tensor:
        """V diag(d) Vᵀ for an orthonormal V"""
        return (V * d) @ V.T

    @staticmethod
    def eigenbasis(basis: Any) -> tuple[Tensor, Tensor] | None:
        """λ and U of an `eigenbasis.Basis`, at the working precision; None where there is none."""
        found = basis.enclosed(ctx.prec)
        return None if found is None else (exact(found[0]), exact(found[1]))

    @staticmethod
    def shifted(A: Tensor, c: Any) -> Tensor:
        """A + cI"""
        x, shift = A.x.copy(), exact(c).number
        for i in range(len(x)):
            x[i, i] = x[i, i] + shift
        return Tensor(x)

    @staticmethod
    def bracket(Q: Tensor) -> tuple[Tensor, Tensor]:
        """Q as it is: its radii are small."""
        return Q, exact(0.0)

    @staticmethod
    def clipped(x: Any, top: float = np.inf) -> Tensor:
        """min(max(x, 0), top); what is not above zero for certain is zero."""
        x, most = exact(x), arb(top) if np.isfinite(top) else arb.pos_inf()
        made = np.empty(x.x.size, dtype=object)
        made[:] = [v if v < most else most for v in clipped(x.x.flat)]
        return Tensor(made.reshape(x.shape))

    @staticmethod
    def least(A: Tensor, above: float | None = None) -> Tensor:
        """A number below the smallest eigenvalue of (A + Aᵀ)/2, minus infinity at worst.

        Up to n = `SHARP` it is that eigenvalue to the working precision. Where `above` is given no
        more is asked than whether doubles show that it is above.
        """
        S = symmetric(A.matrix)
        least = lambda_min(S)
        if above is not None:
            return Tensor(least if least >= above else arb.neg_inf())
        sharp = sharp_lambda_min(S) if len(A) <= SHARP else least
        return Tensor(sharp if sharp > least else least)

    @staticmethod
    def unknown(A: Tensor) -> float:
        """What is not known of a matrix, as far as doubles see: nothing."""
        return 0.0

    @staticmethod
    def enclosure(
        value: Any, lower: Any, upper: Any, variables: Any, open: str | None = None
    ) -> Proof:
        """The interval between the lower end of `lower` and the upper end of `upper`."""
        low, high = lower.number.lower(), upper.number.upper()
        return Proof(
            low if low.is_finite() else arb.neg_inf(), high if high.is_finite() else arb.pos_inf()
        )


_MAXIMUM = np.frompyfunc(lambda a, b: a.max(b), 2, 1)

BALLS = Balls()

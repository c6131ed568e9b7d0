r"""Doubles with proved radii: rounding is bounded, not estimated.

A tensor is a set: all arrays A with |A - mid| ≤ rad entry by entry, but for an error of norm at
most `off`: the spectral norm for a square matrix, that of Frobenius for all else. The second is
how a kernel is known (‖K - K₊‖₂ ≤ slack), and it stays sharp through products with vectors.

What is assumed: IEEE 754 doubles, rounded to nearest, so that one operation is off by u = 2⁻⁵³ of
its result, or by less than the smallest normal number where it underflows (also where subnormals
are flushed to zero); √ likewise. A sum or an inner product of n terms, in any order and with or
without fused multiply-add, is off by γₙ = nu/(1 - nu) times that of the absolute values: every
BLAS that multiplies as the definition says, not by Strassen's method. Summed in parts of m terms,
it is γₘ₊ₚ for p parts. exp is off by at most `EXP`
of its result. LAPACK's Cholesky factorization is the textbook's, in any order of summation and in
blocks (Rump 2006).

Radii are computed by the same doubles, and multiplied by `_up`, which outweighs their own rounding:
they are sums of terms that are not negative, of at most as many as are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.eigenbasis import Basis
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.semidefinite import UNIT, gamma

TINY = float(np.finfo(np.float64).tiny)
EXP = 8 * UNIT  # relative: libm and the vector libraries promise half of it
BLOCK = 2**17  # doubles: rows of a matrix that stay in the cache while they are read twice
PART = 128  # terms of an inner product that are summed at once
ROUNDED = 2  # operations, at most, that made an entry of a matrix that is near a kernel
FEW = 32  # operations on a radius, at most, before it is multiplied up


def _up(radius: Any, terms: int = 1) -> Any:
    """A radius whose own rounding, in sums of so many terms, is outweighed."""
    return radius * (1 + (terms + FEW) * 2 * UNIT)


class Tensor:
    """mid ± rad, entry by entry, and ± off in norm."""

    __slots__ = ("mid", "off", "rad", "whole")
    __array_ufunc__ = None  # an array on the left leaves the operation to us

    def __init__(
        self, mid: Any, rad: Any = 0.0, off: float = 0.0, whole: float | None = None
    ) -> None:
        self.mid = np.asarray(mid, dtype=np.float64)
        self.rad, self.off, self.whole = rad, off, whole  # whole: ‖mid‖_F, where it is known
        if off and (self.mid.size <= 1 or self.mid.ndim > 2):
            self.rad, self.off = _up(rad + off), 0.0

    def __repr__(self) -> str:
        return f"{self.mid} ± {np.max(self.rad, initial=0.0):.1e} ± {self.off:.1e}"

    # -- Shape -----------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.mid.shape

    @property
    def ndim(self) -> int:
        """0, 1 or 2, or more for a stack."""
        return self.mid.ndim

    def __len__(self) -> int:
        return len(self.mid)

    @property
    def radius(self) -> Array:
        """rad, as an array of the shape of mid."""
        rad = np.asarray(self.rad, dtype=np.float64)
        return rad if rad.shape == self.shape else np.broadcast_to(rad, self.shape)

    def _with(self, mid: Any, rad: Any) -> Tensor:
        return Tensor(mid, rad, self.off)

    @property
    def T(self) -> Tensor:
        """Transposed."""
        return self._with(self.mid.T, self.rad if np.isscalar(self.rad) else self.radius.T)

    def __getitem__(self, index: Any) -> Tensor:
        x = self if not self.off or _once(index) else self.spread()
        mid = x.mid[index]
        off = x.off if mid.ndim < 2 or _root(mid) > 1 else _up(x.off * _root(x))
        return Tensor(mid, x.rad if np.isscalar(x.rad) else x.radius[index], off)

    def reshape(self, *shape: int) -> Tensor:
        """The same entries; what is known in norm only is spread."""
        x = self.spread()
        return Tensor(x.mid.reshape(shape), x.radius.reshape(shape))

    def diagonal(self) -> Tensor:
        """Aᵢᵢ: each is off by the spectral norm at most."""
        x = self.spread()
        return Tensor(x.mid.diagonal(), x.radius.diagonal())

    def spread(self) -> Tensor:
        """The same set or a larger one, with no more in norm: no entry exceeds the norm."""
        return Tensor(self.mid, _up(self.rad + self.off)) if self.off else self

    # -- Ends ------------------------------------------------------------------------------------

    @property
    def lower(self) -> Any:
        """Not above any of its numbers."""
        if self.exact:
            return float(self.mid) if self.mid.ndim == 0 else self.mid
        x = self.spread()
        with np.errstate(invalid="ignore"):
            low = np.where(x.rad == 0.0, x.mid, np.nextafter(x.mid - x.rad, -np.inf))
        low = np.where(np.isnan(low), -np.inf, low)
        return float(low) if low.ndim == 0 else low

    @property
    def upper(self) -> Any:
        """Not below."""
        return -(-self).lower

    @property
    def exact(self) -> bool:
        """Whether it is one array."""
        return not (self.off or _inexact(self.rad))

    def point(self) -> Tensor:
        """The middle, taken as exact."""
        return Tensor(self.mid)

    def is_finite(self) -> bool:
        """Whether every number in it is."""
        return bool(np.isfinite(self.mid).all() and np.isfinite(self.rad).all()) and bool(
            np.isfinite(self.off)
        )

    def __gt__(self, other: Any) -> Any:
        return self.lower > exact(other).upper

    def __lt__(self, other: Any) -> Any:
        return self.upper < exact(other).lower

    def __ge__(self, other: Any) -> Any:
        return self.lower >= exact(other).upper

    def __le__(self, other: Any) -> Any:
        return self.upper <= exact(other).lower

    # -- Sums and products ------------------------------------------------------------------------

    def __neg__(self) -> Tensor:
        return self._with(-self.mid, self.rad)

    def __add__(self, other: Any) -> Tensor:
        a, b = _broadcast(self, exact(other))
        mid = a.mid + b.mid
        return Tensor(mid, _up(a.rad + b.rad + UNIT * np.abs(mid)), _up(a.off + b.off))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tensor:
        return self + -exact(other)

    def __rsub__(self, other: Any) -> Tensor:
        return exact(other) + -self

    def __mul__(self, other: Any) -> Tensor:
        a, b = self, exact(other)
        if b.mid.ndim > a.mid.ndim:
            a, b = b, a
        off = 0.0
        if a.off or b.off:
            if a.mid.ndim > 1 and (b.off or b.mid.ndim > 1):
                a, b = a.spread(), b.spread()
            else:  # a number, a diagonal matrix or a vector scales an error by its largest entry
                most = float(np.max(np.abs(b.mid) + b.rad, initial=0.0)) + b.off
                off = float(_up(a.off * most + b.off * np.max(np.abs(a.mid) + a.rad, initial=0.0)))
        mid = a.mid * b.mid
        rad = UNIT * np.abs(mid) + TINY
        if _inexact(b.rad):
            rad = rad + np.abs(a.mid) * b.rad
        if _inexact(a.rad):
            rad = rad + (np.abs(b.mid) + b.rad) * a.rad
        return Tensor(mid, _up(rad), off)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        a, b = self, exact(other).spread()
        away = np.abs(b.mid) - b.rad
        away = np.where(away > 0, away * (1 - 4 * UNIT), 0.0)
        off = 0.0
        if a.off and not b.mid.ndim:
            with np.errstate(divide="ignore"):
                off = float(_up(np.float64(a.off) / away)) if away > 0 else np.inf
        elif a.off:
            a = a.spread()
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            mid = np.where(away > 0, a.mid / np.where(away > 0, b.mid, 1.0), 0.0)
            rad = (a.rad + np.abs(mid) * b.rad) / np.where(away > 0, away, 1.0)
            rad = np.where(away > 0, _up(rad + UNIT * np.abs(mid)) + TINY, np.inf)
        return Tensor(mid, rad, off)

    def __rtruediv__(self, other: Any) -> Tensor:
        return exact(other) / self

    def __matmul__(self, other: Any) -> Tensor:
        return _product(self, exact(other))

    def __rmatmul__(self, other: Any) -> Tensor:
        return _product(exact(other), self)

    def sum(self, axis: int | None = None) -> Tensor:
        """Σ of all entries, or along an axis."""
        n = self.mid.size if axis is None else self.mid.shape[axis]
        mid, most = _total(self.mid, axis)
        rad = gamma(most) * np.abs(self.mid).sum(axis=axis)
        if _inexact(self.rad):
            rad = rad + self.radius.sum(axis=axis)
        return Tensor(mid, _up(rad, n), _up(self.off * np.sqrt(n)))

    def trace(self) -> Tensor:
        """Σᵢ Aᵢᵢ"""
        return self.diagonal().sum()

    # -- Functions --------------------------------------------------------------------------------

    def __abs__(self) -> Tensor:
        x = self.spread()
        return Tensor(np.abs(x.mid), x.rad)

    def square(self) -> Tensor:
        """x², never negative."""
        return (self * self).positive()

    def positive(self) -> Tensor:
        """max(x, 0), entry by entry; exactly zero where x is certainly not above."""
        x = self.spread()
        return _between(np.maximum(x.lower, 0.0), np.maximum(x.upper, 0.0))

    def sqrt(self) -> Tensor:
        """√x of what is known not to be negative."""
        x = self.spread()
        low = np.sqrt(np.maximum(x.lower, 0.0)) * (1 - 2 * UNIT)
        return _between(low, np.sqrt(np.maximum(x.upper, 0.0)) * (1 + 4 * UNIT))

    def exp(self) -> Tensor:
        """eˣ"""
        x = self.spread()
        with np.errstate(over="ignore", under="ignore"):
            low = np.exp(x.lower) * (1 - EXP)
            return _between(np.maximum(low - TINY, 0.0), np.exp(x.upper) * (1 + EXP) + TINY)

    def max(self) -> Tensor:
        """The largest entry."""
        return _between(np.max(self.lower), np.max(self.upper))

    def min(self) -> Tensor:
        """The smallest."""
        return -(-self).max()


def _between(low: Any, high: Any) -> Tensor:
    """A tensor that holds all numbers between the ends."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        mid = low + (high - low) / 2
        rad = np.maximum(high - mid, mid - low)
    known = np.isfinite(rad)
    rad = np.where(known, np.where(rad > 0, rad * (1 + 4 * UNIT) + TINY, 0.0), np.inf)
    return Tensor(np.where(known, mid, 0.0), rad)


def _inexact(rad: Any) -> bool:
    return not (np.isscalar(rad) and rad == 0.0)


def exact(x: Any) -> Tensor:
    """An array or a number of doubles as it stands; a tensor is left as it is."""
    return x if isinstance(x, Tensor) else Tensor(np.asarray(x, dtype=np.float64))


def _broadcast(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both in one shape; what is known in norm only is spread before it is repeated."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    return a if a.shape == shape else a.spread(), b if b.shape == shape else b.spread()


def _once(index: Any) -> bool:
    """Whether an index takes rows and columns, each at most once: no norm exceeds the whole's."""
    parts = index if isinstance(index, tuple) else (index,)
    masks = [np.asarray(part) for part in parts if isinstance(part, list | np.ndarray)]
    return len(masks) <= 1 and all(mask.dtype == bool and mask.ndim == 1 for mask in masks)


def _size(x: Tensor) -> float:
    """A number that the Frobenius norm of no array in the set exceeds."""
    size = _norm(x.mid) if x.whole is None else x.whole
    size += x.off * _root(x)
    if _inexact(x.rad):
        size += _norm(x.radius)
    return float(_up(size))


def _root(x: Any) -> float:
    """What takes the norm of an error to that of Frobenius: √n for a square matrix."""
    return float(np.sqrt(len(x))) if x.ndim > 1 and x.shape[0] == x.shape[1] else 1.0


def _norm(A: Array) -> float:
    """‖A‖_F, not below: squares that underflow are charged."""
    with np.errstate(over="ignore", invalid="ignore"):
        total, most = _total(np.square(A).ravel())
    return float(_up(np.sqrt(total), most) + np.sqrt(A.size * TINY))


def _total(A: Array, axis: int | None = None) -> tuple[Any, int]:
    """Sums in √n parts of √n terms, and of how many operations each is off."""
    if axis is None:
        A, axis = A.ravel(), 0
    n = A.shape[axis]
    size = int(np.sqrt(n)) + 1
    if n <= size * 4:
        return A.sum(axis=axis), max(n - 1, 0)
    parts = np.add.reduceat(A, range(0, n, size), axis=axis)
    return parts.sum(axis=axis), size + parts.shape[axis]


def _product(A: Tensor, B: Tensor) -> Tensor:
    """AB. A row of the rounding is bounded by that of |A| times the norms of the rows of |B|."""
    m = A.shape[-1]
    mid, rad = _with_radius(A.mid, B.mid)
    if _inexact(B.rad):
        rad = rad + np.abs(A.mid) @ B.radius
    if _inexact(A.rad):
        rad = rad + A.radius @ (np.abs(B.mid) + B.rad)
    off = 0.0
    if A.off:
        off += A.off * _size(Tensor(B.mid, B.rad))
    if B.off:
        off += B.off * _size(A)
    return Tensor(mid, _up(rad, m + B.mid.size // max(len(B), 1)), float(_up(off)))


def _with_radius(A: Array, B: Array, less: float = 0.0, rounded: int = 0) -> tuple[Array, Array]:
    """(A - c·eeᵀ)B, and what its rounding may come to: A is read once, in blocks that stay cached.

    A difference of doubles is off by u of itself; so many more as it was `rounded` before.
    """
    m = A.shape[-1]
    size = np.abs(B)
    if B.ndim > 1 and B.shape[1] > 1:
        size = np.linalg.norm(B, axis=1)[:, None] + np.sqrt(B.shape[1] * TINY)
    if A.ndim == 1:
        return A @ B, gamma(m + 1) * (np.abs(A) @ size) + m * TINY
    mid, rad = np.empty((len(A), *B.shape[1:])), np.empty((len(A), *size.shape[1:]))
    for rows, D in _blocks(A, less):
        mid[rows] = _dot(D, B)
        np.matmul(np.abs(D, out=D if less else None), size, out=rad[rows])
    return mid, gamma(min(m, PART + m // PART + 1) + 2 + rounded) * rad + m * TINY


def _blocks(A: Array, less: float) -> Iterator[tuple[slice, Array]]:
    """The rows of A - c·eeᵀ in turn, as many at a time as stay in the cache."""
    step = max(1, BLOCK // max(A.shape[-1], 1))
    for start in range(0, len(A), step):
        rows = slice(start, start + step)
        yield rows, A[rows] - less if less else A[rows]


def _dot(A: Array, B: Array) -> Array:
    """AB, from inner products of at most `PART` terms."""
    if A.shape[1] <= PART:
        return np.asarray(A @ B)
    whole = A.shape[1] - A.shape[1] % PART
    left = A[:, :whole].reshape(len(A), -1, PART).swapaxes(0, 1)
    made: Array = (left @ B[:whole].reshape(-1, PART, B[0].size)).sum(axis=0)
    made = made.reshape(len(A), *B.shape[1:])
    return made + A[:, whole:] @ B[whole:] if whole < A.shape[1] else made


def _centred(S: Array) -> Array:
    """P(S + Sᵀ)P/2 in doubles.

    Off by 8γₙ₊₄‖S‖_F at most: the means by γₙ of the norms of the rows, four times, and a few u.
    """
    S += S.T.copy()
    S /= 2
    means = S.mean(axis=1)
    S -= means[:, None]
    S += (means.mean() - means)[None, :]
    return S


class Centred:
    """PK₊P, P = I - eeᵀ/n, of a matrix K within `off` of K₊ up to a multiple of eeᵀ, unmade.

    It is P(K - c·eeᵀ)P for every c. With c near the mean of K the difference D, made where it is
    read, has the digits that centring a nearly constant kernel would lose. Every entry of D may be
    off by `ROUNDED` u of itself, beside its own rounding; of one of K that would be c·u more.
    """

    def __init__(
        self, K: Array, off: float, known: tuple[float, float, Tensor], *, rounded: bool
    ) -> None:
        self.K = K
        self.less, self.whole, trace = known  # c, ‖K - c·eeᵀ‖_F at most
        self.off = float(_up(off + ROUNDED * UNIT * len(K) * abs(self.less))) if rounded else off
        self._trace = trace + Tensor(0.0, _up((len(K) - 1) * self.off))  # rank(PNP) ≤ n - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the matrix."""
        return self.K.shape

    def trace(self) -> Tensor:
        """trace(PK₊P)"""
        return self._trace

    def __matmul__(self, other: Any) -> Tensor:
        """P(DPB): what is not known of PB is charged in norm, by ‖D‖_F.

        So is the rounding, where there is more than a column: its bounds are those of whole rows.
        """
        B = _projected(exact(other))
        rest = _norm(B.rad) + B.off * _root(B)
        mid, rad = _with_radius(self.K, B.mid, self.less, ROUNDED)
        off = self.off * (_norm(B.mid) + rest) + self.whole * rest
        rows = rad.shape != mid.shape
        off = float(_up(off + _norm(rad) if rows else off, mid.size))
        return _projected(Tensor(mid, 0.0 if rows else _up(rad, mid.size), off))

    def weighted(self, w: float, out: Array) -> None:
        """wD, added to `out`."""
        for rows, D in _blocks(self.K, self.less):
            out[rows] += np.multiply(D, w, out=D if self.less else None)


def _projected(B: Tensor) -> Tensor:
    """PB; what is known of it in norm P does not make worse."""
    n = len(B)
    total, most = _total(B.mid, 0)
    mid = B.mid - total / n
    rad = UNIT * np.abs(mid) + gamma(most + 2) * np.abs(B.mid).sum(axis=0) / n + TINY
    if _inexact(B.rad):
        rad = rad + B.rad + B.radius.sum(axis=0) / n
    return Tensor(mid, _up(rad, n), B.off)


@per_array
def _centres(kernels: Array) -> list[tuple[float, float, Tensor]]:
    """For each matrix the mean c of its entries, ‖D‖_F for D = K - c·eeᵀ, and trace(PDP).

    The last is Σᵢ Dᵢᵢ - Σᵢⱼ Dᵢⱼ/n, for entries that are off as those of `Centred` are.
    """
    found = []
    for K in kernels:
        n, less = len(K), float(K.mean())
        sums, sizes, square = np.empty(n), np.empty(n), 0.0
        for rows, D in _blocks(K, less):
            sums[rows] = _total(D, 1)[0]
            square += float(np.vdot(D, D))
            sizes[rows] = np.abs(D).sum(axis=1)
        most = _total(K[:1], 1)[1] + 1 + ROUNDED
        row = Tensor(sums, _up(gamma(most) * sizes, n))
        diagonal = K.diagonal() - less
        trace = Tensor(
            diagonal, _up((1 + ROUNDED) * UNIT * np.abs(diagonal))
        ).sum() - row.sum() / float(n)
        whole = _up(np.sqrt(square), n * n) + n * np.sqrt(TINY)
        found.append((less, float(whole), trace))
    return found


class Doubles:
    """The arithmetic."""

    bits = 53
    inf = Tensor(0.0, np.inf)  # nothing is known
    tensor = Tensor
    exact = staticmethod(exact)

    @staticmethod
    def kernels(K: Array) -> list[Tensor]:
        """K₁₊, …, Kₚ₊ of a stack that a problem holds, or of one matrix, each to its slack."""
        stack, slack = K.reshape(-1, *K.shape[-2:]), np.ravel(semidefinite.slack(K)).tolist()
        rows = zip(stack, slack, _norms(K), strict=True)
        return [Tensor(M, 0.0, s, whole) for M, s, whole in rows]

    @staticmethod
    def centred(K: Array, near: Array, slack: Array, rounded: bool) -> list[Centred]:
        """PK₁₊P, …, PKₚ₊P, from matrices within a slack of the Kᵢ₊, up to multiples of eeᵀ."""
        every = zip(near, slack.tolist(), _centres(near), strict=True)
        return [Centred(*each, rounded=rounded) for each in every]

    @staticmethod
    def stack(numbers: Sequence[Any]) -> Tensor:
        """A vector of numbers, a matrix of vectors."""
        made = [exact(x).spread() for x in numbers]
        return Tensor(np.array([x.mid for x in made]), np.array([x.radius for x in made]))

    @staticmethod
    def where(mask: Any, a: Any, b: Any) -> Tensor:
        """a where the mask is true, b elsewhere."""
        a, b = exact(a).spread(), exact(b).spread()
        return Tensor(np.where(mask, a.mid, b.mid), np.where(mask, a.rad, b.rad))

    @staticmethod
    def maximum(a: Any, b: Any) -> Tensor:
        """The larger, entry by entry."""
        a, b = exact(a), exact(b)
        if a.exact and b.exact:
            return Tensor(np.maximum(a.mid, b.mid))
        return _between(np.maximum(a.lower, b.lower), np.maximum(a.upper, b.upper))

    @classmethod
    def minimum(cls, a: Any, b: Any) -> Tensor:
        """The smaller."""
        return -cls.maximum(-exact(a), -exact(b))

    @staticmethod
    def between(a: Any, b: Any) -> Tensor:
        """All that lies between a and b ≥ a."""
        return _between(exact(a).lower, exact(b).upper)

    @staticmethod
    def inner(A: Any, B: Any) -> Tensor:
        """⟨A, B⟩ = Σ AᵢⱼBᵢⱼ"""
        A, B = exact(A), exact(B)
        n = A.mid.size
        mid, most = _total(A.mid.ravel() * B.mid.ravel())
        a, b = np.abs(A.mid), np.abs(B.mid)
        rad = gamma(most + 1) * float(np.vdot(a, b)) + n * TINY
        if _inexact(B.rad):
            rad += float(np.vdot(a, B.radius))
        if _inexact(A.rad):
            rad += float(np.vdot(A.radius, b + B.rad))
        # |⟨E, B⟩| ≤ ‖E‖_F‖B‖_F
        if A.off:
            rad += A.off * _root(A) * _size(Tensor(B.mid, B.rad))
        if B.off:
            rad += B.off * _root(B) * _size(A)
        return Tensor(mid, _up(rad, A.mid.size))

    @classmethod
    def norm(cls, A: Any) -> Tensor:
        """‖A‖_F"""
        A = exact(A)
        return _between(max(cls._least_norm(A), 0.0), _size(A))

    @staticmethod
    def _least_norm(A: Tensor) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            total, most = _total(np.square(A.mid).ravel())
        rest = 0.0 if A.exact else _size(Tensor(np.zeros(A.shape), A.rad, A.off))
        size = float(np.sqrt(total)) * (1 - (most + FEW) * 2 * UNIT)
        return float(size - np.sqrt(A.mid.size * TINY) - rest)

    @classmethod
    def combination(cls, weights: Any, matrices: Sequence[Tensor | Centred]) -> Tensor:
        """Σᵢ wᵢMᵢ, its rounding charged in norm: γ Σᵢ |wᵢ|‖Mᵢ‖_F."""
        w = exact(weights).spread()
        size, p = np.abs(w.mid) + w.rad, len(matrices)
        mid, off, sizes = np.zeros(matrices[0].shape), 0.0, 0.0
        part = np.empty_like(mid)
        for x, s, M in zip(w.mid, size, matrices, strict=True):
            if s:
                if isinstance(M, Centred):
                    M.weighted(float(x), mid)
                else:
                    mid += np.multiply(M.mid, x, out=part)
                    off += s * _norm(M.radius) if _inexact(M.rad) else 0.0
                whole = _norm(M.mid) if M.whole is None else M.whole
                off += s * M.off + (gamma(p + 3 + ROUNDED) * s + (s - abs(x))) * whole
                sizes += s * whole
        if isinstance(matrices[0], Centred):
            off += 8 * gamma(len(mid) + 4) * sizes
            mid = _centred(mid)
        return Tensor(mid, 0.0, float(_up(off, p) + mid.size * TINY))

    @staticmethod
    def signed(y: Array, Q: Tensor) -> Tensor:
        """diag(y) Q diag(y) for signs y, exactly."""
        return Tensor(Q.mid * y * y[:, None], Q.rad, Q.off, Q.whole)

    @staticmethod
    def congruence(d: Any, Q: Tensor) -> Tensor:
        """diag(d) Q diag(d).

        With s = |d| + r an entry dᵢdⱼ is off by sᵢrⱼ + rᵢsⱼ, and two products by 2u + u². An
        error in norm is multiplied by the largest s² at most.
        """
        d = exact(d).spread()
        s = np.abs(d.mid) + d.rad
        part = np.outer(s, d.rad + 1.01 * UNIT * s)
        rad = np.abs(Q.mid) * (part + part.T + 2 * TINY) + 2 * TINY
        if _inexact(Q.rad):
            rad += Q.rad * (np.outer(s, s) + part + part.T)
        most = float(np.max(s, initial=0.0))
        return Tensor(Q.mid * np.outer(d.mid, d.mid), _up(rad), float(_up(Q.off * most**2)))

    @staticmethod
    def forms(K: Tensor, V: Any) -> Tensor:
        r"""vᵀKv for every row v of V, in one product.

        Two sums of n terms in a row are off by γ₂ₙ|v|ᵀ|K||v|. For |δ| ≤ r and s = |v| + r the form
        of v + δ differs by rᵀ|K|s + sᵀ|K|r, and for ‖E‖₂ ≤ ε that of K + E by ε‖s‖².
        """
        V = exact(V).spread()
        n, size, entries = len(K), np.abs(V.mid) + V.rad, np.abs(K.mid) + K.rad
        with np.errstate(over="ignore", invalid="ignore"):
            most = size @ entries
            rad = gamma(2 * n + 2) * (most * size).sum(axis=1) + K.off * (size * size).sum(axis=1)
            rad += n * TINY * (2 + size.sum(axis=1))
            if _inexact(V.rad):
                rad += (most * V.rad + V.radius @ entries * size).sum(axis=1)
            if _inexact(K.rad):
                rad += (size @ K.radius * size).sum(axis=1)
            return Tensor((V.mid @ K.mid * V.mid).sum(axis=1), _up(rad, 2 * n))

    @staticmethod
    def basis(found: Basis) -> tuple[Tensor, Tensor]:
        """λ and U of a similarity, as `formulations.eigenbasis` knows them; zeros are exact."""
        lam = found.lam
        rad = _up(4 * UNIT * np.abs(lam) + found.off + TINY)
        zero = (lam == 0) & found.decided
        return Tensor(lam, np.where(zero, 0.0, rad)), Tensor(found.U, 0.0, found.error)

    @classmethod
    def composed(cls, U: Tensor, d: Any) -> Tensor:
        r"""U diag(d)Uᵀ for orthonormal U, symmetric, what is not known of it charged in norm.

        With U + E in place of U it is off by ‖E‖(2 + ‖E‖)·max|d|, and an error e of d costs max|e|.
        The rounding is γ|U|diag|d||U|ᵀ at most, entry by entry, and ‖|u||u|ᵀ‖ = ‖u‖².
        """
        d, near = exact(d).spread(), cls.unknown(U)
        mid = (U.mid * d.mid) @ U.mid.T
        off = near * (2 + near) * float(np.max(np.abs(d.mid) + d.rad, initial=0.0))
        off += float(np.max(d.rad, initial=0.0))
        off += gamma(len(d) + 4) * float(np.abs(d.mid) @ np.square(U.mid).sum(axis=0))
        return Tensor((mid + mid.T) / 2, 0.0, float(_up(off, len(d)) + mid.size * TINY))

    @staticmethod
    def shifted(A: Tensor, c: Any) -> Tensor:
        """A + cI"""
        c = exact(c)
        mid = A.mid.copy()
        mid.flat[:: len(A) + 1] += c.mid
        off = UNIT * float(np.abs(mid.diagonal()).max(initial=0.0)) + float(c.rad)
        return Tensor(mid, A.rad, float(_up(A.off + off)))

    @classmethod
    def bracket(cls, Q: Tensor) -> tuple[Tensor, Tensor]:
        """Q + εI in doubles for all that is not known of Q, and ε."""
        slack = cls.unknown(Q)
        if not slack:
            return Q, exact(0.0)
        slack = float(_up(slack + 2 * UNIT * (float(np.abs(Q.mid.diagonal()).max()) + slack)))
        mid = Q.mid.copy()
        mid.flat[:: len(mid) + 1] += slack
        return Tensor(mid), exact(slack)

    @classmethod
    def clipped(cls, x: Any, top: float = np.inf) -> Tensor:
        """min(max(x, 0), top) of the middle, an exact point."""
        return exact(np.minimum(np.maximum(exact(x).mid, 0.0), top))

    @classmethod
    def least(cls, A: Tensor, above: float | None = None) -> Tensor:
        r"""A number below the smallest eigenvalue of (A + Aᵀ)/2, minus infinity at worst.

        If the Cholesky factorization of fl(B - sI) runs to its end, then λ_min(B - sI) ≥ -c, with
        c = γₙ₊₁/(1 - γₙ₊₁)·trace(B - sI), up to underflow (Rump 2006). Where `above` is given no
        more is asked than whether that is such a number: one factorization.
        """
        n = len(A)
        B = A.mid if (A.mid == A.mid.T).all() else (A.mid + A.mid.T) / 2
        rest = cls.unknown(A) + 2 * UNIT * float(np.linalg.norm(B)) * (B is not A.mid)
        if not (np.isfinite(B).all() and np.isfinite(rest)):
            return cls.inf
        at = above
        if at is None:
            at = float(eigvalsh(B, subset_by_index=(0, 0), check_finite=False)[0])
        # What Rump charges for B - sI, and a part for the rounding of the diagonal.
        size = max(float(np.trace(B)) - n * at, 0.0) + float(np.abs(B.diagonal()).max()) + abs(at)
        charge = float(_up(2 * gamma(n + 2) * size + n * n * TINY, n))
        if above is not None:
            return exact(above) if factorizes(B, above + 2 * (charge + rest)) else cls.inf
        for factor in (1.0, 4.0, 64.0, 4096.0):
            s = at - factor * charge
            if factorizes(B, s):
                return exact(float(np.nextafter(s - float(_up(charge + rest)), -np.inf)))
        return cls.inf

    @staticmethod
    def unknown(A: Tensor) -> float:
        """All that is not known of a matrix, in the spectral norm."""
        rad = _norm(A.radius) if _inexact(A.rad) and np.any(A.rad) else 0.0
        return float(_up(A.off + rad)) if rad or A.off else 0.0

    @staticmethod
    def enclosure(
        value: Any, lower: Any, upper: Any, variables: Any, open: str | None = None
    ) -> Enclosure:
        """The interval between the lower end of `lower` and the upper end of `upper`."""
        points = {symbol: np.asarray(exact(x).mid) for symbol, x in variables.items()}
        return Enclosure(float(exact(value).mid), lower.lower, upper.upper, points, open)


def factorizes(B: Array, s: float) -> bool:
    """Whether B - sI has a Cholesky factor in doubles."""
    moved = B.copy()
    moved.flat[:: len(B) + 1] -= s
    try:
        L = cholesky(moved, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return bool(np.isfinite(L.diagonal()).all())  # not every LAPACK stops at a NaN


@per_array
def _norms(K: Array) -> list[float]:
    """‖Kᵢ‖_F of a stack, from above."""
    return [_norm(M) for M in K.reshape(-1, *K.shape[-2:])]


DOUBLES = Doubles()

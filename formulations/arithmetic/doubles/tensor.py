r"""Doubles with proved radii: rounding is bounded, not estimated.

A tensor is a set: all arrays A with |A - mid| ≤ rad entry by entry, but for an error of norm at
most `off`: the spectral norm for a square matrix, that of Frobenius for all else. The second is
how a kernel is known (‖K - K₊‖₂ ≤ slack), and it stays sharp through products with vectors.

What is assumed: IEEE 754 doubles, rounded to nearest, so that one operation is off by u = 2⁻⁵³ of
its result, or, a product or a quotient, by less than the smallest normal number where it underflows
(also where those are flushed to zero; sums keep their subnormals); √ likewise. A sum or an inner
product of n terms, in any order and with or without fused multiply-add, is off by γₙ = nu/(1 - nu)
times that of the absolute values: every BLAS that multiplies as the definition says, not by
Strassen's method. Summed in parts of m terms, it is γₘ₊ₚ for p parts. exp is off by at most `EXP`
of its result. LAPACK's Cholesky factorization is the textbook's, in any order of summation and in
blocks (Rump 2006).

Radii are computed by the same doubles, and multiplied by `up`, which outweighs their own rounding:
they are sums of terms that are not negative, of at most as many as are told.
"""

from __future__ import annotations

from contextlib import nullcontext
from math import inf, isfinite, isnan, nextafter, sqrt
from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic.doubles.products import product_with_radius
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.rounding import TINY, UNIT, gamma

EXP = 10 * UNIT  # relative: four units in the last place, and this product's own rounding
ROUNDED = 2  # operations, at most, that made an entry of a matrix that is near a kernel
FEW = 32  # operations on a radius, at most, before it is multiplied up


def up(radius: Any, terms: int = 1) -> Any:
    """A radius whose own rounding, in sums of so many terms, is outweighed."""
    return radius * (1 + (terms + FEW) * 2 * UNIT)


class Tensor:
    """mid ± rad, entry by entry, and ± off in norm."""

    __slots__ = ("bound", "mid", "off", "rad", "whole")
    __array_ufunc__ = None  # an array on the left leaves the operation to us

    def __init__(
        self, mid: Any, rad: Any = 0.0, off: float = 0.0, whole: float | None = None
    ) -> None:
        self.mid = np.asarray(mid, dtype=np.float64)
        self.rad, self.off, self.whole = rad, off, whole  # whole: ‖mid‖_F, where it is known
        self.bound: float | None = None  # `norm_bound`, once it is
        if off and (self.mid.size <= 1 or self.mid.ndim > 2):
            self.rad, self.off = up(rad + off), 0.0

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
        off = x.off if mid.ndim < 2 or root_rank(mid) > 1 else up(x.off * root_rank(x))
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
        return Tensor(self.mid, up(self.rad + self.off)) if self.off else self

    # -- Ends ------------------------------------------------------------------------------------

    @property
    def lower(self) -> Any:
        """Not above any of its numbers."""
        return self._end(-1.0)

    @property
    def upper(self) -> Any:
        """Not below."""
        return self._end(1.0)

    def _end(self, way: float) -> Any:
        """mid ± rad, rounded away; infinite beyond doubles, or where it is not a number."""
        beyond = way * inf
        if self.mid.ndim == 0:  # a number is nothing for numpy; it is never known in norm
            end, rad = float(self.mid), float(self.rad)
            if rad:
                end = nextafter(end + way * rad, beyond) if end + way * rad != -beyond else beyond
            return beyond if isnan(end) else end
        if self.exact:
            return self.mid
        x = self.spread()
        with np.errstate(invalid="ignore"):
            ends = np.nextafter(x.mid + way * x.rad, beyond)
            ends = np.where(x.rad == 0.0, x.mid, ends)
        return np.where(way * ends > -inf, ends, beyond)

    @property
    def exact(self) -> bool:
        """Whether it is one array."""
        return not (self.off or inexact(self.rad))

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
        a, b = self, exact(other)
        if a.mid.ndim == b.mid.ndim == 0:  # of Python's doubles: they are the same, and faster
            total = float(a.mid) + float(b.mid)
            return Tensor(total, up(float(a.rad) + float(b.rad) + UNIT * abs(total)))
        a, b = _broadcast(a, b)
        mid = a.mid + b.mid
        return Tensor(mid, up(a.rad + b.rad + UNIT * np.abs(mid)), up(a.off + b.off))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tensor:
        return self + -exact(other)

    def __rsub__(self, other: Any) -> Tensor:
        return exact(other) + -self

    def __mul__(self, other: Any) -> Tensor:
        a, b = self, exact(other)
        if b.mid.ndim > a.mid.ndim:
            a, b = b, a
        if a.mid.ndim == 0:
            x, y, r, s = float(a.mid), float(b.mid), float(a.rad), float(b.rad)
            rest = (abs(x) * s if s else 0.0) + ((abs(y) + s) * r if r else 0.0)
            return Tensor(x * y, up(UNIT * abs(x * y) + TINY + rest))
        off = 0.0
        if a.off or b.off:
            # What is repeated by broadcasting has a larger norm.
            grown = np.broadcast_shapes(a.shape, b.shape) != a.shape
            if a.mid.ndim > 1 and (b.off or b.mid.ndim > 1 or grown):
                a, b = a.spread(), b.spread()
            else:  # a number, a diagonal matrix or a vector scales an error by its largest entry
                most = _largest(b) + b.off
                off = float(up(a.off * most + (b.off * _largest(a) if b.off else 0.0)))
        mid = a.mid * b.mid
        rad = UNIT * np.abs(mid) + TINY
        if inexact(b.rad):
            rad = rad + np.abs(a.mid) * b.rad
        if inexact(a.rad):
            rad = rad + (np.abs(b.mid) + b.rad) * a.rad
        return Tensor(mid, up(rad), off)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        a, b = self, exact(other).spread()
        if b.mid.ndim == 0:
            return a._over(float(b.mid), float(b.rad))
        a = a.spread()
        away = np.abs(b.mid) - b.rad
        away = np.where((away > 0) & (away < np.inf), away * (1 - 4 * UNIT), 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            mid = np.where(away > 0, a.mid / np.where(away > 0, b.mid, 1.0), 0.0)
            # What a product loses by underflow is divided too.
            part = np.where(b.rad > 0, (np.abs(mid) + TINY) * b.rad + TINY, 0.0)
            rad = (a.rad + part) / np.where(away > 0, away, 1.0)
            rad = np.where(away > 0, up(rad + UNIT * np.abs(mid)) + TINY, np.inf)
        return Tensor(mid, rad)

    def _over(self, b: float, rest: float) -> Tensor:
        """The same by one number b ± rest."""
        away = abs(b) - rest
        if not 0 < away < inf:
            return Tensor(np.zeros(self.shape), inf)
        away *= 1 - 4 * UNIT
        number = not self.mid.ndim  # which Python divides in a fifth of the time
        own: Any = float(self.rad) if number else self.rad
        with nullcontext() if number else np.errstate(invalid="ignore", over="ignore"):
            mid: Any = float(self.mid) / b if number else self.mid / b
            # What a product loses by underflow is divided too.
            part = (abs(mid) + TINY) * rest + TINY if rest > 0 else 0.0
            rad = up((own + part) / away + UNIT * abs(mid)) + TINY
            return Tensor(mid, rad, up(float(self.off) / away) if self.off else 0.0)

    def __rtruediv__(self, other: Any) -> Tensor:
        return exact(other) / self

    def __matmul__(self, other: Any) -> Tensor:
        return _product(self, exact(other))

    def __rmatmul__(self, other: Any) -> Tensor:
        return _product(exact(other), self)

    def sum(self, axis: int | None = None) -> Tensor:
        """Σ of all entries, or along an axis."""
        n = self.mid.size if axis is None else self.mid.shape[axis]
        mid, most = summed(self.mid, axis)
        rad = gamma(most) * np.abs(self.mid).sum(axis=axis)
        if inexact(self.rad):
            rad = rad + self.radius.sum(axis=axis)
        return Tensor(mid, up(rad, n), up(self.off * np.sqrt(n)))

    def trace(self) -> Tensor:
        """Σᵢ Aᵢᵢ: each is off by the spectral norm at most."""
        rad: Any = self.rad if np.isscalar(self.rad) else self.radius.diagonal()
        return Tensor(self.mid.diagonal(), up(rad + self.off)).sum()

    # -- Functions --------------------------------------------------------------------------------

    def __abs__(self) -> Tensor:
        x = self.spread()
        return Tensor(np.abs(x.mid), x.rad)

    def square(self) -> Tensor:
        """x², never negative."""
        return (self * self).positive()

    def positive(self) -> Tensor:
        """max(x, 0), entry by entry; exactly zero where x is certainly not above.

        No difference grows by it: what is known of a vector in norm may stay so, and does where it
        concerns many entries.
        """
        if self.off and self.ndim == 1 and float((self.upper > 0).sum()) ** 2 > len(self):
            made = Tensor(self.mid, self.rad).positive()
            return Tensor(made.mid, made.rad, self.off)
        x = self.spread()
        if x.ndim == 0:
            return interval(max(x.lower, 0.0), max(x.upper, 0.0))
        with np.errstate(invalid="ignore", over="ignore"):
            half = (x.mid + x.rad) / 2
        if not np.isfinite(half).all():
            return interval(np.maximum(x.lower, 0.0), np.maximum(x.upper, 0.0))
        sure, never = x.mid > x.rad, x.mid <= -x.radius  # in between [0, mid + rad] is left
        mid = np.where(sure, x.mid, np.where(never, 0.0, half))
        rad = np.where(sure, x.rad, np.where(never, 0.0, half * (1 + 4 * UNIT) + TINY))
        return Tensor(mid, rad)

    def sqrt(self) -> Tensor:
        """√x of what is known not to be negative."""
        x = self.spread()
        low = np.sqrt(np.maximum(x.lower, 0.0)) * (1 - 2 * UNIT)
        return interval(low, np.sqrt(np.maximum(x.upper, 0.0)) * (1 + 4 * UNIT))

    def exp(self) -> Tensor:
        """eˣ"""
        x = self.spread()
        with np.errstate(over="ignore", under="ignore"):
            low = np.exp(x.lower) * (1 - EXP)
            return interval(np.maximum(low - TINY, 0.0), np.exp(x.upper) * (1 + EXP) + TINY)

    def max(self) -> Tensor:
        """The largest entry."""
        return interval(np.max(self.lower), np.max(self.upper))

    def min(self) -> Tensor:
        """The smallest."""
        return -(-self).max()


def interval(low: Any, high: Any) -> Tensor:
    """A tensor that holds all numbers between the ends."""
    if np.ndim(low) == 0 and np.ndim(high) == 0:
        low, high = float(low), float(high)
        mid = low + (high - low) / 2
        rad = max(high - mid, mid - low)
        if not isfinite(rad):
            return Tensor(0.0, inf)
        return Tensor(mid, rad * (1 + 4 * UNIT) + TINY if rad > 0 else 0.0)
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        mid = low + (high - low) / 2
        rad = np.maximum(high - mid, mid - low)
    known = np.isfinite(rad)
    rad = np.where(rad > 0, rad * (1 + 4 * UNIT) + TINY, 0.0)
    if not known.all():
        mid, rad = np.where(known, mid, 0.0), np.where(known, rad, np.inf)
    return Tensor(mid, rad)


def inexact(rad: Any) -> bool:
    """Whether there is a radius at all."""
    return isinstance(rad, np.ndarray) or rad != 0.0


def exact(x: Any) -> Tensor:
    """An array or a number of doubles as it stands; a tensor is left as it is."""
    return x if isinstance(x, Tensor) else Tensor(np.asarray(x, dtype=np.float64))


def _broadcast(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both in one shape; what is known in norm only is spread before it is repeated."""
    if a.shape == b.shape or not (a.off or b.off):
        return a, b
    shape = np.broadcast_shapes(a.shape, b.shape)
    return a if a.shape == shape else a.spread(), b if b.shape == shape else b.spread()


def _largest(x: Tensor) -> float:
    """The largest |entry|, but for what is known in norm."""
    if not x.mid.ndim:
        return abs(float(x.mid)) + float(x.rad)
    return float((np.abs(x.mid) + x.rad).max(initial=0.0))


def _once(index: Any) -> bool:
    """Whether an index takes rows and columns, each at most once: no norm exceeds the whole's."""
    parts = index if isinstance(index, tuple) else (index,)
    masks = [np.asarray(part) for part in parts if isinstance(part, list | np.ndarray)]
    return len(masks) <= 1 and all(mask.dtype == bool and mask.ndim == 1 for mask in masks)


def norm_bound(x: Tensor) -> float:
    """A number that the Frobenius norm of no array in the set exceeds."""
    if x.bound is None:
        size = frobenius(x.mid) if x.whole is None else x.whole
        size += x.off * root_rank(x)
        if inexact(x.rad):
            size += frobenius(x.radius)
        x.bound = float(up(size))
    return x.bound


def root_rank(x: Any) -> float:
    """What takes the norm of an error to that of Frobenius: √n for a square matrix."""
    return float(np.sqrt(len(x))) if x.ndim > 1 and x.shape[0] == x.shape[1] else 1.0


def frobenius(A: Array) -> float:
    """‖A‖_F, not below: squares that underflow are charged."""
    with np.errstate(over="ignore", invalid="ignore"):
        total, most = summed(np.square(A).ravel())
    return float(up(sqrt(total), most)) + sqrt(A.size * TINY)


def summed(A: Array, axis: int | None = None) -> tuple[Any, int]:
    """Sums in √n parts of √n terms, and of how many operations each is off."""
    if axis is None:
        A, axis = A.ravel(), 0
    n = A.shape[axis]
    size = int(np.sqrt(n)) + 1
    if n <= size * 4:
        return A.sum(axis=axis), max(n - 1, 0)
    parts = np.add.reduceat(A, np.arange(0, n, size), axis=axis)
    return parts.sum(axis=axis), size + parts.shape[axis]


def _product(A: Tensor, B: Tensor) -> Tensor:
    """AB. A row of the rounding is bounded by that of |A| times the norms of the rows of |B|."""
    m = A.shape[-1]
    mid, rad = product_with_radius(A.mid, B.mid)
    if inexact(B.rad):
        rad = rad + np.abs(A.mid) @ B.radius
    if inexact(A.rad):
        rad = rad + A.radius @ (np.abs(B.mid) + B.rad)
    off = 0.0
    if A.off:
        off += A.off * norm_bound(Tensor(B.mid, B.rad))
    if B.off:
        off += B.off * norm_bound(A)
    return Tensor(mid, up(rad, m + B.mid.size // max(len(B), 1)), float(up(off)))

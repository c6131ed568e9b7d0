r"""Doubles with proved radii: rounding is bounded, not estimated.

A tensor is a set: all arrays A with |A - mid| ≤ rad entry by entry, but for an error of norm at
most `off`: the spectral norm for a matrix, the Euclidean one for a vector. The second is how a
kernel is known (‖K - K₊‖₂ ≤ slack), and it stays sharp through products with vectors.

What is assumed: IEEE 754 doubles, rounded to nearest, so that one operation is off by u = 2⁻⁵³ of
its result, or by less than the smallest normal number where it underflows (also where subnormals
are flushed to zero); √ likewise. A sum or an inner product of n terms, in any order and with or
without fused multiply-add, is off by γₙ = nu/(1 - nu) times that of the absolute values: every
BLAS that multiplies as the definition says, not by Strassen's method. exp is off by at most `EXP`
of its result. LAPACK's Cholesky factorization is the textbook's, in any order of summation and in
blocks (Rump 2006).

Radii are computed by the same doubles, and multiplied by `_up`, which outweighs their own rounding:
they are sums of terms that are not negative, of at most as many as are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.semidefinite import UNIT, gamma

TINY = float(np.finfo(np.float64).tiny)
EXP = 8 * UNIT  # relative: libm and the vector libraries promise half of it
BLOCK = 2**17  # doubles: rows of a matrix that stay in the cache while they are read twice
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
        if off and self.mid.size <= 1:
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
        return np.broadcast_to(np.asarray(self.rad, dtype=np.float64), self.shape)

    def _with(self, mid: Any, rad: Any) -> Tensor:
        return Tensor(mid, rad, self.off)

    @property
    def T(self) -> Tensor:
        """Transposed."""
        return self._with(self.mid.T, self.rad if np.isscalar(self.rad) else self.radius.T)

    def __getitem__(self, index: Any) -> Tensor:
        return self._with(
            self.mid[index], self.rad if np.isscalar(self.rad) else self.radius[index]
        )

    def reshape(self, *shape: int) -> Tensor:
        """The same entries; what is known in norm only is spread."""
        x = self.spread()
        return Tensor(x.mid.reshape(*shape), x.radius.reshape(*shape))

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
        if b.mid.ndim and not a.mid.ndim:
            a, b = b, a
        off = 0.0
        if a.off and not b.mid.ndim:  # a number times a matrix or vector
            off = _up(a.off * float(np.abs(b.mid) + b.rad))
        elif a.off or b.off:
            a, b = a.spread(), b.spread()
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
        mid = self.mid.sum(axis=axis)
        rad = gamma(max(n - 1, 0)) * np.abs(self.mid).sum(axis=axis)
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
        """max(x, 0), entry by entry; exactly zero where x is certainly not above.

        No difference grows by it: what is known of a vector in norm may stay so, and does where it
        concerns many entries.
        """
        if self.off and self.ndim == 1 and float((self.upper > 0).sum()) ** 2 > len(self):
            made = Tensor(self.mid, self.rad).positive()
            return Tensor(made.mid, made.rad, self.off)
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
    if a.shape == b.shape:
        return a, b
    return (
        a.spread() if a.mid.size < b.mid.size else a,
        b.spread() if b.mid.size < a.mid.size else b,
    )


def _size(x: Tensor) -> float:
    """A number that the Frobenius norm of no array in the set exceeds."""
    size = _norm(x.mid) if x.whole is None else x.whole
    size += x.off * _root(x)
    if _inexact(x.rad):
        size += _norm(x.radius)
    return float(_up(size))


def _root(x: Tensor) -> float:
    """√rank at most: what takes the spectral norm of an error to that of Frobenius."""
    return float(np.sqrt(min(x.shape))) if x.mid.ndim > 1 else 1.0


def _norm(A: Array) -> float:
    """‖A‖_F, not below: squares that underflow are charged."""
    return float(_up(np.sqrt(_dot(A, A)), _terms(A)) + np.sqrt(A.size * TINY))


def _dot(A: Array, B: Array) -> float:
    """⟨A, B⟩, of matrices row by row: off by γ of `_terms` times that of the absolute values."""
    if A.ndim != 2 or A.shape != B.shape:
        return float(np.vdot(A, B))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.einsum("ij,ij->i", A, B).sum())


def _terms(A: Array) -> int:
    """Of a row and of a column, where (1 + γₙ)(1 + γₘ) ≤ 1 + γₙ₊ₘ."""
    return sum(A.shape) if A.ndim == 2 and min(A.shape) > 1 else A.size


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


def _with_radius(A: Array, B: Array) -> tuple[Array, Array]:
    """AB, and what its rounding may come to: A is read once, in blocks that stay in the cache."""
    m = A.shape[-1]
    size = np.abs(B) if B.ndim == 1 or B.shape[1] == 1 else np.linalg.norm(B, axis=1)[:, None]
    charge = gamma(m + 1)
    step = max(1, BLOCK // max(m, 1))
    if A.ndim == 1 or len(A) <= step:
        return A @ B, charge * (np.abs(A) @ size) + m * TINY
    mid, rad = np.empty((len(A), *B.shape[1:])), np.empty((len(A), *size.shape[1:]))
    for start in range(0, len(A), step):
        rows = slice(start, start + step)
        np.matmul(A[rows], B, out=mid[rows])
        np.matmul(np.abs(A[rows]), size, out=rad[rows])
    return mid, charge * rad + m * TINY


class Doubles:
    """The arithmetic."""

    bits = 53
    inf = Tensor(0.0, np.inf)  # nothing is known
    Tensor = Tensor
    exact = staticmethod(exact)

    @staticmethod
    def kernels(K: Array) -> list[Tensor]:
        """K₁₊, …, Kₚ₊ of a stack that a problem holds, or of one matrix, each to its slack."""
        stack, slack = K.reshape(-1, *K.shape[-2:]), np.ravel(semidefinite.slack(K)).tolist()
        rows = zip(stack, slack, _norms(K), strict=True)
        return [Tensor(M, 0.0, s, whole) for M, s, whole in rows]

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
    def inner(A: Any, B: Any) -> Tensor:
        """⟨A, B⟩ = Σ AᵢⱼBᵢⱼ"""
        A, B = exact(A), exact(B)
        a, b = np.abs(A.mid), np.abs(B.mid)
        rad = gamma(_terms(a)) * _dot(a, b) + A.mid.size * TINY
        if _inexact(B.rad):
            rad += _dot(a, B.radius)
        if _inexact(A.rad):
            rad += _dot(A.radius, b + B.rad)
        # |⟨E, B⟩| ≤ ‖E‖₂‖B‖_* ≤ ‖E‖₂·√rank·‖B‖_F
        if A.off:
            rad += A.off * _root(A) * _size(Tensor(B.mid, B.rad))
        if B.off:
            rad += B.off * _root(B) * _size(A)
        return Tensor(_dot(A.mid, B.mid), _up(rad, _terms(a)))

    @classmethod
    def norm(cls, A: Any) -> Tensor:
        """‖A‖_F"""
        A = exact(A)
        return _between(max(cls._least_norm(A), 0.0), _size(A))

    @staticmethod
    def _least_norm(A: Tensor) -> float:
        rest = _size(Tensor(np.zeros(A.shape), A.rad, A.off)) if not A.exact else 0.0
        size = float(np.sqrt(_dot(A.mid, A.mid)))
        return size * (1 - (_terms(A.mid) + FEW) * 2 * UNIT) - np.sqrt(A.mid.size * TINY) - rest

    @classmethod
    def combination(cls, weights: Any, matrices: Sequence[Tensor]) -> Tensor:
        """Σᵢ wᵢMᵢ, its rounding charged in norm: γ Σᵢ |wᵢ|‖Mᵢ‖_F."""
        w = exact(weights).spread()
        size, p = np.abs(w.mid) + w.rad, len(matrices)
        mid, off = np.zeros(matrices[0].shape), 0.0
        part = np.empty_like(mid)
        for x, s, M in zip(w.mid, size, matrices, strict=True):
            if s:
                mid += np.multiply(M.mid, x, out=part)
                whole = _norm(M.mid) if M.whole is None else M.whole
                off += s * M.off + (gamma(p + 2) * s + (s - abs(x))) * whole
                off += s * _norm(M.radius) if _inexact(M.rad) else 0.0
        return Tensor(mid, 0.0, float(_up(off, p) + mid.size * TINY))

    @staticmethod
    def signed(y: Array, Q: Tensor) -> Tensor:
        """diag(y) Q diag(y) for signs y, exactly."""
        rad = Q.rad if np.isscalar(Q.rad) else Q.radius
        return Tensor(Q.mid * y * y[:, None], rad, Q.off)

    @classmethod
    def composed(cls, V: Tensor, d: Any) -> Tensor:
        r"""V diag(d) Vᵀ for an orthonormal V, what is not known of it charged in norm.

        The rounding is γ|V|diag|d||V|ᵀ at most, entry by entry, and ‖|v||v|ᵀ‖ = ‖v‖²; and where
        V - E is in the middle, ‖E‖ ≤ e, it is EDVᵀ + VDEᵀ - EDEᵀ away, (2e + e²)·maxⱼ|dⱼ| at most.
        """
        d, n = exact(d).spread(), V.shape[1]
        scaled = V.mid * d.mid
        mid = scaled @ V.mid.T
        squares, e = (V.mid * V.mid).sum(axis=0), cls.unknown(V)
        size = np.abs(d.mid) + d.rad
        off = gamma(n + 4) * float(np.abs(d.mid) @ squares) + mid.size * TINY
        if _inexact(d.rad):
            off += float(d.radius @ squares)
        if e:
            off += (2 * e + e * e) * float(size.max(initial=0.0))
        return Tensor((mid + mid.T) / 2, 0.0, float(_up(off, n + len(mid))))

    @staticmethod
    def eigenbasis(basis: Any) -> tuple[Tensor, Tensor]:
        """λ and U of an `eigenbasis.Basis`: λ to the last digit but for `off`, U to `error`."""
        size = np.abs(basis.lam)
        last = np.where(size > 0, 4 * UNIT * size + UNIT**2 * size.max(initial=0.0) + TINY, 0.0)
        return Tensor(basis.lam, _up(last + basis.off)), Tensor(basis.U, 0.0, basis.error)

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
        charge = float(_up(2 * gamma(n + 2) * size + n * n * TINY + rest, n))
        if above is not None:
            return exact(above) if factorizes(B, above + 2 * charge) else cls.inf
        for factor in (1.0, 4.0, 64.0, 4096.0):
            s = at - factor * charge
            if factorizes(B, s):
                return exact(float(np.nextafter(s - charge, -np.inf)))
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
        cholesky(moved, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


@per_array
def _norms(K: Array) -> list[float]:
    """‖Kᵢ‖_F of a stack, from above."""
    return [_norm(M) for M in K.reshape(-1, *K.shape[-2:])]


DOUBLES = Doubles()

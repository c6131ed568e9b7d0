"""The arithmetic of doubles with proved radii: `tensor` says what they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
from scipy.linalg import eigvalsh

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.arithmetic.doubles.centred import (
    Centred,
    centres,
    doubly_centred,
    images,
)
from cvxkernel.formulations.arithmetic.doubles.products import block_product, rounding
from cvxkernel.formulations.arithmetic.doubles.tensor import (
    FEW,
    ROUNDED,
    Tensor,
    exact,
    frobenius,
    inexact,
    interval,
    norm_bound,
    root_rank,
    summed,
    up,
)
from cvxkernel.formulations.eigenbasis import Basis
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.rounding import TINY, UNIT, gamma

__all__ = ["DOUBLES", "Centred", "Doubles", "Tensor", "exact"]

LITTLE = 1e-10  # of a number: a radius that need not be made smaller


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
        every = zip(near, slack.tolist(), centres(near), strict=True)
        return [Centred(*each, rounded=rounded) for each in every]

    images = staticmethod(images)

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

    @classmethod
    def maximum(cls, a: Any, b: Any) -> Tensor:
        """The larger, entry by entry."""
        return cls._one_of(np.maximum, exact(a), exact(b))

    @classmethod
    def minimum(cls, a: Any, b: Any) -> Tensor:
        """The smaller."""
        return cls._one_of(np.minimum, exact(a), exact(b))

    @staticmethod
    def _one_of(choose: Callable[[Any, Any], Any], a: Tensor, b: Tensor) -> Tensor:
        if a.exact and b.exact:
            return Tensor(choose(a.mid, b.mid))
        return interval(choose(a.lower, b.lower), choose(a.upper, b.upper))

    @staticmethod
    def between(a: Any, b: Any) -> Tensor:
        """All that lies between a and b ≥ a."""
        return interval(exact(a).lower, exact(b).upper)

    @staticmethod
    def inner(A: Any, B: Any) -> Tensor:
        """⟨A, B⟩ = Σ AᵢⱼBᵢⱼ"""
        A, B = exact(A), exact(B)
        n = A.mid.size
        mid, most = summed(A.mid.ravel() * B.mid.ravel())
        a, b = np.abs(A.mid), np.abs(B.mid)
        rad = gamma(most + 1) * float(np.vdot(a, b)) + n * TINY
        if inexact(B.rad):
            rad += float(np.vdot(a, B.radius))
        if inexact(A.rad):
            rad += float(np.vdot(A.radius, b + B.rad))
        # |⟨E, B⟩| ≤ ‖E‖_F‖B‖_F
        if A.off:
            rad += A.off * root_rank(A) * norm_bound(Tensor(B.mid, B.rad))
        if B.off:
            rad += B.off * root_rank(B) * norm_bound(A)
        return Tensor(mid, up(rad, A.mid.size))

    @classmethod
    def norm(cls, A: Any) -> Tensor:
        """‖A‖_F"""
        A = exact(A)
        return interval(max(cls._least_norm(A), 0.0), norm_bound(A))

    @staticmethod
    def _least_norm(A: Tensor) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            total, most = summed(np.square(A.mid).ravel())
        rest = 0.0 if A.exact else norm_bound(Tensor(np.zeros(A.shape), A.rad, A.off))
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
                    off += s * frobenius(M.radius) if inexact(M.rad) else 0.0
                whole = frobenius(M.mid) if M.whole is None else M.whole
                off += s * M.off + gamma(p + 3 + ROUNDED) * (s * whole) + (s - abs(x)) * whole
                sizes += s * whole
        if isinstance(matrices[0], Centred):
            off += 8 * gamma(len(mid) + 4) * sizes
            mid = doubly_centred(mid)
        return Tensor(mid, 0.0, float(up(off, p) + p * mid.size * TINY))

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
        s, mid = np.abs(d.mid) + d.rad, Q.mid * np.outer(d.mid, d.mid)
        part = np.outer(s, d.rad * np.ones(len(s)))
        part = part + part.T + 2 * TINY
        rad = np.abs(Q.mid) * part + 2.1 * UNIT * np.abs(mid) + 2 * TINY
        if inexact(Q.rad):
            rad += Q.rad * (np.outer(s, s) + part)
        most = float(np.max(s, initial=0.0))
        return Tensor(mid, up(rad), float(up(Q.off * (most * most + TINY))))

    @staticmethod
    def forms(matrices: Sequence[Tensor], V: Any) -> Tensor:
        r"""vᵀKv for every row v of V, a row for each K, in one product each.

        The products and their sum are off by γ|v|ᵀ|K||v|. For |δ| ≤ r and s = |v| + r the form
        of v + δ differs by rᵀ|K|s + sᵀ|K|r, and for ‖E‖₂ ≤ ε that of K + E by ε‖s‖². Where ‖K‖_F is
        known, and enough, it takes the place of |K|, which is then not read: where what it adds is
        little, or no more than the ε.
        """
        V = exact(V).spread()
        n, size = V.shape[1], np.abs(V.mid) + V.rad
        with np.errstate(over="ignore", invalid="ignore"):
            products = np.stack([block_product(K.mid, V.mid.T, 0.0).T * V.mid for K in matrices])
            mid, most = summed(products, axis=2)
            few = rounding(n, most + 2)
            square = (size * size).sum(axis=1) + n * TINY
            off = np.outer([K.off for K in matrices], square) + n * TINY * (2 + size.sum(axis=1))
            rest = np.sqrt(np.square(V.radius).sum(axis=1) + n * TINY) * np.sqrt(square)
            whole = [inf if K.whole is None or inexact(K.rad) else K.whole for K in matrices]
            rad = np.outer(whole, few * square + 2 * rest)
            for i in np.flatnonzero(~(rad <= np.maximum(LITTLE * mid, off)).all(axis=1)).tolist():
                K = matrices[i]
                entries = np.abs(K.mid) + K.rad
                wide = size @ entries
                rad[i] = few * (wide * size).sum(axis=1)
                if inexact(V.rad):
                    rad[i] += (wide * V.rad + V.radius @ entries * size).sum(axis=1)
                if inexact(K.rad):
                    rad[i] += (size @ K.radius * size).sum(axis=1)
            return Tensor(mid, up(rad + off, 2 * n))

    @staticmethod
    def basis(found: Basis) -> tuple[Tensor, Tensor]:
        """λ and U of a similarity, as `formulations.eigenbasis` knows them; zeros are exact."""
        rad = up(4 * UNIT * np.abs(found.lam) + found.off + TINY)
        lam = Tensor(found.lam, np.where(found.sign == 0, 0.0, rad))
        return lam, Tensor(found.U, 0.0, found.error)

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
        return Tensor((mid + mid.T) / 2, 0.0, float(up(off, len(d)) + mid.size * TINY))

    @staticmethod
    def shifted(A: Tensor, c: Any) -> Tensor:
        """A + cI"""
        c = exact(c)
        mid = A.mid.copy()
        mid.flat[:: len(A) + 1] += c.mid
        off = UNIT * float(np.abs(mid.diagonal()).max(initial=0.0)) + float(c.rad)
        return Tensor(mid, A.rad, float(up(A.off + off)))

    @classmethod
    def majorant(cls, Q: Tensor) -> Tensor:
        """Q + εI in doubles, for all that is not known of Q."""
        slack = cls.unknown(Q)
        if not slack:
            return Q
        slack = up(slack + 2 * UNIT * (float(np.abs(Q.mid.diagonal()).max()) + slack))
        mid = Q.mid.copy()
        mid.flat[:: len(mid) + 1] += slack
        return Tensor(mid)

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
        charge = float(up(2 * gamma(n + 2) * size + n * n * TINY, n))
        if above is not None:
            L = semidefinite.factor(B, -above - 2 * (charge + rest))
            return cls.inf if L is None else exact(above)
        for factor in (1.0, 4.0, 64.0, 4096.0):
            s = at - factor * charge
            if semidefinite.factor(B, -s) is not None:
                return exact(float(np.nextafter(s - float(up(charge + rest)), -np.inf)))
        return cls.inf

    @staticmethod
    def unknown(A: Tensor) -> float:
        """All that is not known of a matrix, in the spectral norm."""
        rad = frobenius(A.radius) if inexact(A.rad) and np.any(A.rad) else 0.0
        return float(up(A.off + rad)) if rad or A.off else 0.0

    @staticmethod
    def enclosure(
        value: Any, lower: Any, upper: Any, variables: Any, open: str | None = None
    ) -> Enclosure:
        """The interval between the lower end of `lower` and the upper end of `upper`."""
        points = {symbol: np.asarray(exact(x).mid) for symbol, x in variables.items()}
        return Enclosure(float(exact(value).mid), lower.lower, upper.upper, points, open)


@per_array
def _norms(K: Array) -> list[float]:
    """‖Kᵢ‖_F of a stack, from above."""
    return [frobenius(M) for M in K.reshape(-1, *K.shape[-2:])]


DOUBLES = Doubles()

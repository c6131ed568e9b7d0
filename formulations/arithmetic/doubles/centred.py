"""Kernels centred where they are read."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic.doubles.products import (
    block_product,
    product_with_radius,
    rounding,
    row_blocks,
)
from cvxkernel.formulations.arithmetic.doubles.tensor import (
    ROUNDED,
    Tensor,
    exact,
    frobenius,
    inexact,
    root_rank,
    summed,
    up,
)
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.rounding import TINY, UNIT, gamma


def doubly_centred(S: Array) -> Array:
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
        self, K: Array, off: float, known: tuple[float, float, float, Tensor], *, rounded: bool
    ) -> None:
        self.K = K
        self.less, self.whole, self.most, trace = known  # c, ‖D‖_F and ‖|D|‖₂ at most
        self.off = float(up(off + ROUNDED * UNIT * len(K) * abs(self.less))) if rounded else off
        self._trace = trace + Tensor(0.0, up((len(K) - 1) * self.off))  # rank(PNP) ≤ n - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the matrix."""
        return self.K.shape

    def trace(self) -> Tensor:
        """trace(PK₊P)"""
        return self._trace

    def __matmul__(self, other: Any) -> Tensor:
        """P(DPB)"""
        return images([self], other)[0]

    def weighted(self, w: float, out: Array) -> None:
        """wD, added to `out`."""
        for rows, D in row_blocks(self.K, self.less):
            out[rows] += np.multiply(D, w, out=D if self.less else None)


def images(matrices: Sequence[Centred], other: Any) -> list[Tensor]:
    """The P(DPB): what is not known of PB is charged in norm, by ‖D‖_F.

    So is the rounding, where there is more than a column, by the norm of |D|.
    """
    B = _projected(exact(other))
    rest = frobenius(B.rad) + B.off * root_rank(B)
    size, n, made = frobenius(B.mid), len(B), list[Tensor]()
    for G in matrices:
        off = G.off * (size + rest) + G.whole * rest
        if B.mid.size > n:
            mid = block_product(G.K, B.mid, G.less)
            off += rounding(n, ROUNDED) * G.most * size + n * TINY * sqrt(mid.size)
            made.append(_projected(Tensor(mid, 0.0, float(up(off, mid.size)))))
        else:
            mid, rad = product_with_radius(G.K, B.mid, G.less, ROUNDED)
            made.append(_projected(Tensor(mid, up(rad, n), float(up(off, n)))))
    return made


def _projected(B: Tensor) -> Tensor:
    """PB; what is known of it in norm P does not make worse."""
    n = len(B)
    total, most = summed(B.mid, 0)
    mid = B.mid - total / n
    rad = UNIT * np.abs(mid) + gamma(most + 2) * np.abs(B.mid).sum(axis=0) / n + TINY
    if inexact(B.rad):
        rad = rad + B.rad + B.radius.sum(axis=0) / n
    return Tensor(mid, up(rad, n), B.off)


@per_array
def centres(kernels: Array) -> list[tuple[float, float, float, Tensor]]:
    """For each matrix the mean c of its entries, D = K - c·eeᵀ, ‖D‖_F, ‖|D|‖₂ and trace(PDP).

    Of the norms something above, of the second it or the largest row sum of the symmetric |D|.

    The last is Σᵢ Dᵢᵢ - Σᵢⱼ Dᵢⱼ/n, for entries that are off as those of `Centred` are.
    """
    found = []
    for K in kernels:
        n, less = len(K), float(K.mean())
        sums, sizes, square = np.empty(n), np.empty(n), 0.0
        for rows, D in row_blocks(K, less):
            sums[rows] = summed(D, 1)[0]
            square += float(np.vdot(D, D))
            sizes[rows] = np.abs(D).sum(axis=1)
        most = summed(K[:1], 1)[1] + 1 + ROUNDED
        row = Tensor(sums, up(gamma(most) * sizes, n))
        diagonal = K.diagonal() - less
        trace = Tensor(
            diagonal, up((1 + ROUNDED) * UNIT * np.abs(diagonal))
        ).sum() - row.sum() / float(n)
        whole = up(np.sqrt(square), n * n) + n * np.sqrt(TINY)
        whole = float(whole)
        found.append((less, whole, min(whole, float(up(sizes.max(), n))), trace))
    return found

"""Products of doubles, and what their rounding may come to: a matrix is read once, in blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.rounding import TINY, gamma

BLOCK = 2**17  # doubles: rows of a matrix that stay in the cache while they are read twice
PART = 128  # terms of an inner product that are summed at once


def product_with_radius(
    A: Array, B: Array, less: float = 0.0, rounded: int = 0
) -> tuple[Array, Array]:
    """(A - c·eeᵀ)B, and what its rounding may come to: A is read once, in blocks that stay cached.

    A difference of doubles is off by u of itself; so many more as it was `rounded` before.
    """
    m, few = A.shape[-1], rounding(A.shape[-1], rounded)
    size = np.abs(B)
    if B.ndim > 1 and B.shape[1] > 1:
        size = np.linalg.norm(B, axis=1)[:, None] + np.sqrt(B.shape[1] * TINY)
    if A.ndim == 1:
        return A @ B, gamma(m + 1) * (np.abs(A) @ size) + m * TINY
    mid, rad = np.empty((len(A), *B.shape[1:])), np.empty((len(A), *size.shape[1:]))
    for rows, D in row_blocks(A, less):
        mid[rows] = _dot(D, B)
        np.matmul(np.abs(D, out=D if less else None), size, out=rad[rows])
    return mid, few * rad + mid[0].size * m * TINY


def rounding(m: int, rounded: int = 0) -> float:
    """What m terms of a product of blocks are off by, of the sum of their sizes."""
    return gamma(min(m, PART + m // PART + 1) + 2 + rounded)


def block_product(A: Array, B: Array, less: float) -> Array:
    """(A - c·eeᵀ)B, in the same blocks."""
    made = np.empty((len(A), *B.shape[1:]))
    for rows, D in row_blocks(A, less):
        made[rows] = _dot(D, B)
    return made


def row_blocks(A: Array, less: float) -> Iterator[tuple[slice, Array]]:
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

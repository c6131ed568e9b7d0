"""What rounding costs: u, γₙ, and a residual that is small although its terms are not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

UNIT = float(np.finfo(np.float64).eps) / 2  # of rounding to nearest
# Four times the smallest normal number: a product may lose one of it, and those of its radius too.
TINY = 4 * float(np.finfo(np.float64).tiny)


def gamma(n: int, unit: float = UNIT) -> float:
    """γₙ = nu/(1 - nu)"""
    return n * unit / (1 - n * unit)


def few(n: int) -> float:
    """What a Frobenius norm of n by n numbers, each off by γₙ, and a few sums of norms may lose."""
    return 2 * n * (n + 8) * UNIT


def residual(A: Array, B: Array, C: Array) -> tuple[Array, float]:
    r"""AB - C, and a bound on what it is off by in the Frobenius norm.

    The leading bits of A and B, so few that A₁B₁ is exact in doubles in any order of summation; the
    rest A₁B₂ + A₂B is 2²⁰ times smaller and pays γₙ for itself alone (Ozaki et al. 2012).
    """
    n = len(B)
    bits = (53 - int(n).bit_length()) // 2
    A1, B1 = _leading(A, bits), _leading(B, bits)
    A2, B2 = A - A1, B - B1
    head = A1 @ B1 - C
    out = head + (A1 @ B2 + A2 @ B)
    size = np.linalg.norm
    off = gamma(n + 4) * float(size(A1) * size(B2) + size(A2) * size(B))
    off += UNIT * float(size(head) + size(out))
    return out, (1 + few(n)) * off + n * n * TINY


def _leading(A: Array, bits: int) -> Array:
    """A rounded to a multiple of 2⁻ᵇⁱᵗˢ of a power of two not below its largest entry."""
    largest = float(np.abs(A).max())
    if not largest > 0:
        return A
    sigma = 2.0 ** (np.frexp(largest)[1] + 53 - bits)
    out: Array = (A + sigma) - sigma
    return out

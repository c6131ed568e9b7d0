r"""K₊ far below the last digit of K: the correction N with K + N = K₊ but for a slack.

A Gram matrix rounded to doubles is indefinite in its last digits, and a regularization parameter
of 1e-8 tells them, as does a program whose kernel is nearly constant. With products in twice the
digits (the matrices are cut into slices, whose products BLAS makes exactly) the eigenvectors C of
the eigenvalues near zero are corrected along the others, O. CᵀKC is diagonalized in turn, and
N = U|e|Uᵀ collects what is below zero.

Whatever U and e ≥ 0 are, let A = K + N and Π be the projector off the range of U. K′ = ΠAΠ - N has
the nearest semidefinite matrix (ΠAΠ)₊. Projecting is nonexpansive, so with A ⪰ -εI

    ‖A - K₊‖_F ≤ 2‖A - ΠAΠ‖_F + √n·ε ≤ 4‖AU(UᵀU)^{-½}‖_F + √n·ε

and ε comes from blocks: for B = [O C] with ‖BᵀB - I‖ ≤ ω, OᵀAO ⪰ δI, ‖OᵀAC‖ ≤ η, CᵀAC ⪰ -ε_C I,

    A ⪰ -(ε_C + η²/δ)/(1 - ω)·I.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.rounding import UNIT, Array, gamma

LARGEST = 400  # n: beyond it the products take longer than they are worth
PRODUCT = 2.0**-96  # of a product in twice the digits: relative to n times the largest terms
ROUNDS = 4  # of correction


class Sharp(NamedTuple):
    """‖K + N - K₊‖₂ ≤ slack"""

    N: Array
    slack: float


class Pair(NamedTuple):
    """high + low, unevaluated."""

    high: Array
    low: Array

    @property
    def T(self) -> Pair:
        """Transposed."""
        return Pair(self.high.T, self.low.T)

    def plus(self, other: Array) -> Pair:
        """The sum with a matrix of doubles."""
        high, low = two_sum(self.high, other)
        return Pair(*two_sum(high, low + self.low))

    @property
    def double(self) -> Array:
        """Rounded."""
        return self.high + self.low


def pair(A: Array) -> Pair:
    """A matrix of doubles."""
    return Pair(A, np.zeros_like(A))


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b as a double and what it lacks, exactly."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def slices(A: Pair, bits: int) -> list[Array]:
    """A as a sum of matrices whose rows have `bits` digits each, from the highest down."""
    out, rest = [], np.zeros_like(A.high)
    for part in A:
        rest = rest + part
        for _ in range(-(-54 // bits)):
            size = np.abs(rest).max(axis=1, keepdims=True)
            exponent = np.ceil(np.log2(np.where(size > 0, size, 1.0)))
            grid = np.where(size > 0, np.exp2(exponent + 53 - bits), 0.0)
            cut = (rest + grid) - grid
            out.append(cut)
            rest = rest - cut
    return out


def product(A: Pair, B: Pair) -> Pair:
    """AB to within `PRODUCT`·n·max|A|·max|B| in each entry."""
    bits = (53 - int(np.ceil(np.log2(A.high.shape[1])))) // 2
    left, right = slices(A, bits), slices(B.T, bits)
    high = np.zeros((A.high.shape[0], B.high.shape[1]))
    low = high.copy()
    for total in range(len(left)):
        for i in range(total + 1):
            high, error = two_sum(high, left[i] @ right[total - i].T)
            low += error
    return Pair(*two_sum(high, low))


def sharp(K: Array) -> Sharp | None:
    """N and the slack of a symmetric K, taken as exact; None where the blocks prove nothing."""
    n = len(K)
    if n > LARGEST or not (K == K.T).all():
        return None
    d, V = eigh(K, check_finite=False)
    j = split(d)
    if j in (0, n):
        return None
    O, C = V[:, j:], pair(V[:, :j])
    for _ in range(ROUNDS):
        coupling = product(pair(O.T), product(pair(K), C)).double
        C = C.plus(-O @ (coupling / (d[j:, None] - d[:j])))
        defect = product(C.T, C).plus(-np.eye(j)).double
        C = C.plus(-C.high @ defect / 2)
    KC = product(pair(K), C)
    block = product(C.T, KC).double
    e, W = eigh((block + block.T) / 2)
    below = e < 0
    U, e = product(C, pair(W[:, below])), -e[below]
    N: Array = (U.high * e) @ U.high.T
    slack = off(K, O, d[j:], C, KC, block, U, e)
    return None if slack is None else Sharp((N + N.T) / 2, slack)


def split(d: Array) -> int:
    """How many eigenvalues are near zero: up to the widest gap, in ratio, above rounding."""
    floor = 200 * len(d) * UNIT * float(d[-1])
    ratios = d[1:] / np.maximum(d[:-1], floor / 10)
    allowed = (d[1:] > floor) & (d[:-1] <= 1e-6 * d[-1])
    if not allowed.any():
        return 0
    return int(np.argmax(np.where(allowed, ratios, 0.0))) + 1


def off(
    K: Array, O: Array, d: Array, C: Pair, KC: Pair, block: Array, U: Pair, e: Array
) -> float | None:
    """4‖AU‖_F + √n·ε, with what all the rounding may add; None where O is not definite."""
    n = len(K)
    size = n * float(np.abs(K).max())  # at least ‖K‖₂
    lost = 4 * n * n * PRODUCT * size  # ‖·‖_F of what a product with K may be off
    wide = n * gamma(2 * n + 8)  # ‖·‖_F of what a product of orthonormal doubles may be off
    most = float(e.max(initial=0.0))
    B = np.c_[O, C.high]
    omega = float(np.linalg.norm(B.T @ B - np.eye(n))) + wide
    delta = float(d[0]) - float(np.linalg.norm(O.T @ (K @ O) - np.diag(d))) - wide * size
    if not (delta > 0 and omega < 0.1):
        return None
    eta = float(np.linalg.norm(product(pair(O.T), KC).double)) + lost
    eta += 1.2 * most * (float(np.linalg.norm(O.T @ U.high)) + wide)
    inside = C.high.T @ U.high
    A = block + (inside * e) @ inside.T
    least = float(DOUBLES.least(DOUBLES.exact((A + A.T) / 2)).lower)
    least -= wide * 4 * float(np.linalg.norm(block))
    epsilon = (max(-least, 0.0) + lost + eta**2 / delta) / (1 - omega)
    rest = product(pair(K), U).plus(U.high * e).double
    defect = float(np.linalg.norm(U.high.T @ U.high - np.eye(len(e)))) + wide
    if not defect < 0.5:
        return None
    image = float(np.linalg.norm(rest)) + lost + 1.2 * most * (defect + 2 * UNIT * n)
    rounded = 2 * wide * float(e.sum())  # of N itself
    return (4 * image * (1 + defect) + float(np.sqrt(n)) * epsilon + rounded) * (1 + 1e-6)

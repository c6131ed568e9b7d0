r"""Numbers that carry what is not known of them: one set of operations, two arithmetics.

A bound is written once, over an arithmetic F, and evaluated in either:

    DOUBLES   a double and a proved radius beside every number: the ends of every answer
    BALLS     arb, at as many bits as are set: digits beyond doubles

`F.exact(x)` takes doubles as exact numbers, `F.kernels(K)` the semidefinite matrices that the
kernels of a problem stand for. What they return, a tensor, is a set that holds one true array;
sums, products, quotients and the functions below hold the true results.

    +  -  *  /  @   as for arrays, broadcast; also with arrays and numbers, taken as exact
    abs(x), x.T, x[…], len(x), x.shape, x.sum(axis), x.diagonal(), x.trace(), x.max(), x.min()
    a > b, a < b    whether it is certain, entry by entry
    x.positive()    max(x, 0);  x.square(), x.sqrt() (of what is known not to be negative)
    x.lower, x.upper  of a number: ends that hold it; doubles, or balls of radius zero
    x.mid           the middle as doubles: a hint, no proof rests on it
    x.point()       the middle as an exact number of this arithmetic: the radius is dropped, which
                    is how a point is chosen, never how a result is told

    F.inner(A, B)             ⟨A, B⟩;  F.norm(A) the Frobenius norm
    F.stack(numbers)          a vector of numbers; F.where(mask, a, b)
    F.maximum(a, b), F.minimum(a, b), F.between(a, b): all from a to b
    F.combination(w, M)       Σᵢ wᵢMᵢ for matrices such as F.kernels returns
    F.centred(K, near, slack, rounded)  PKᵢ₊P, P = I - eeᵀ/n, of the kernels of a problem: with
                              products, trace() and combinations; `near` are doubles within a slack
                              of the Kᵢ₊, up to multiples of eeᵀ, and if they are `rounded` up to
                              two units in the last place of each entry
    F.images(G, B)            the GᵢB of what F.centred returns
    F.signed(y, Q)            diag(y) Q diag(y), y of signs
    F.congruence(d, Q)        diag(d) Q diag(d)
    F.forms(matrices, V)      vᵀKv for every row v of V, a row for each K of the matrices
    F.basis(found)            λ and U of a similarity that `formulations.eigenbasis` has found
    F.composed(U, d)          U diag(d)Uᵀ for U orthonormal, as F.basis returns it
    F.least(A)                a number below the smallest eigenvalue of the symmetric part of A
    F.majorant(Q)             Q′ with Q ⪯ Q′ for the true Q, nothing left that is known in norm only
    F.shifted(A, c)           A + cI
    F.clipped(x, top)         min(max(x, 0), top), of a point
    F.bits                    of its numbers
"""

from __future__ import annotations

from typing import Any

from cvxkernel.formulations.arithmetic.balls import BALLS
from cvxkernel.formulations.arithmetic.doubles import DOUBLES

Arithmetic = Any  # DOUBLES or BALLS
Tensor = Any  # what they compute with

SETTLED = 0.75  # of the bits of a number: ends that agree in so many are near enough


def settled(F: Arithmetic, lower: Tensor, upper: Tensor) -> bool:
    """Whether both ends of an optimum are so near that no other need be looked for."""
    width = F.exact(upper.upper) - F.exact(lower.lower)
    return bool(float(width.mid) <= 2.0 ** (-SETTLED * F.bits) * abs(float(upper.mid)))


__all__ = ["BALLS", "DOUBLES", "Arithmetic", "Tensor", "settled"]

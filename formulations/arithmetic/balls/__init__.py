"""Ball arithmetic: arb, at as many bits as are set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, ctx

from cvxkernel.formulations.arithmetic.balls.matrices import (
    BITS,
    Proof,
    above,
    asymmetry,
    below,
    clipped,
    column,
    combination,
    doubles,
    entries,
    excess,
    identity,
    inner,
    lambda_min,
    largest,
    least_eigenvalue,
    matrix,
    newton,
    norm,
    numbers,
    off_simplex,
    ones,
    precision,
    shortest,
    simplex,
    solution,
    symmetric,
    total,
)
from cvxkernel.formulations.arithmetic.balls.spectra import (
    centred,
    eigenvectors,
    kernel,
    kernels,
    orthonormal,
    positive_part,
    sharp_lambda_min,
)
from cvxkernel.formulations.arithmetic.balls.tensor import Tensor, exact
from cvxkernel.formulations.arithmetic.doubles import DOUBLES
from cvxkernel.formulations.eigenbasis import Basis
from cvxkernel.formulations.inputs import Array

__all__ = [
    "BALLS",
    "BITS",
    "Balls",
    "Proof",
    "Tensor",
    "above",
    "asymmetry",
    "below",
    "centred",
    "clipped",
    "column",
    "combination",
    "doubles",
    "eigenvectors",
    "entries",
    "exact",
    "excess",
    "identity",
    "inner",
    "kernel",
    "kernels",
    "lambda_min",
    "largest",
    "least_eigenvalue",
    "matrix",
    "newton",
    "norm",
    "numbers",
    "off_simplex",
    "ones",
    "orthonormal",
    "positive_part",
    "precision",
    "sharp_lambda_min",
    "shortest",
    "simplex",
    "solution",
    "symmetric",
    "total",
]

SHARP = 64  # up to this n the smallest eigenvalue is found to the working precision
SHARP_NEAR_ZERO = 150  # and up to this one what is left of a singular matrix
SINGULAR = 1e-9  # of its norm: an eigenvalue as far below zero may be rounding


class Balls:
    """The arithmetic, at the working precision."""

    tensor = Tensor
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
    def centred(K: Array, near: Array, slack: Array, rounded: bool) -> list[Tensor]:
        """PK₁₊P, …, PKₚ₊P, P = I - eeᵀ/n, of a stack that a problem holds, whatever is near it."""
        return [exact(centred(A)) for A in kernels(K)]

    @staticmethod
    def images(matrices: Sequence[Tensor], B: Any) -> list[Tensor]:
        """The GᵢB."""
        return [G @ B for G in matrices]

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
    def between(a: Any, b: Any) -> Tensor:
        """All that lies between a and b ≥ a."""
        return Tensor(_UNION(exact(a).x, exact(b).x))

    @staticmethod
    def inner(A: Any, B: Any) -> Tensor:
        """⟨A, B⟩ = Σ AᵢⱼBᵢⱼ"""
        return (exact(A) * exact(B)).sum()

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
    def congruence(d: Any, Q: Tensor) -> Tensor:
        """diag(d) Q diag(d)"""
        d = exact(d).x
        return Tensor(Q.x * (d[:, None] * d))

    @classmethod
    def forms(cls, matrices: Sequence[Tensor], V: Any) -> Tensor:
        """vᵀKv for every row v of V, a row for each K."""
        v = exact(V)
        return cls.stack([(v @ K * v).sum(axis=1) for K in matrices])

    @staticmethod
    def basis(found: Basis) -> tuple[Tensor, Tensor]:
        """λ and U of a similarity to the working precision, or as doubles know them."""
        exactly = found.enclosed(ctx.prec)
        if exactly is not None:
            return exact(exactly[0]), exact(exactly[1])
        lam, near = DOUBLES.basis(found)[0], arb(0, found.error)
        return Tensor(_WITHIN(exact(lam.mid).x, lam.radius)), exact(found.U) + near

    @staticmethod
    def composed(U: Tensor, d: Any) -> Tensor:
        """U diag(d)Uᵀ for orthonormal U, symmetric."""
        return exact(symmetric((U * d).matrix * U.T.matrix))

    @staticmethod
    def shifted(A: Tensor, c: Any) -> Tensor:
        """A + cI"""
        x, shift = A.x.copy(), exact(c).number
        for i in range(len(x)):
            x[i, i] = x[i, i] + shift
        return Tensor(x)

    @staticmethod
    def majorant(Q: Tensor) -> Tensor:
        """Q as it is: its radii are small."""
        return Q

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

        Where no `above` is given it is near that eigenvalue, to the working precision; where one
        is, no more is asked than whether doubles show that it is above.
        """
        B = symmetric(A.matrix)
        found = lambda_min(B)
        if above is not None:
            return Tensor(found if found >= above else arb.neg_inf())
        near_zero = found < 0 and found > -SINGULAR * norm(B)
        if len(A) <= (SHARP_NEAR_ZERO if near_zero else SHARP):
            sharp = sharp_lambda_min(B)
            found = sharp if sharp > found else found
        return Tensor(found)

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


_UNION = np.frompyfunc(lambda a, b: a.union(b), 2, 1)
_MAXIMUM = np.frompyfunc(lambda a, b: a.max(b), 2, 1)
_WITHIN = np.frompyfunc(lambda x, radius: x + arb(0, float(radius)), 2, 1)

BALLS = Balls()

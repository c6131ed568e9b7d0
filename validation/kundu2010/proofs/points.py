"""Points in balls: made feasible, taken together, and taken to doubles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import excess, numbers, simplex
from cvxkernel.formulations.inputs import Array


def spectahedron(A: arb_mat, tau: arb) -> arb_mat:
    """A plus the multiple of I with which it is proved semidefinite, scaled to the trace τ."""
    n = A.nrows()
    A = balls.symmetric(A)
    least = balls.lambda_min(A)
    if least < 0 or not least.is_finite():
        A = A - balls.identity(n) * least
    trace = A.trace()
    if not (trace.is_finite() and trace > 0):
        return balls.identity(n) * (tau / n)
    return A * (tau / trace)


def on_simplex(given: Any) -> list[arb]:
    """γ clipped and scaled to Σγᵢ = 1."""
    every = numbers(given)
    return simplex(every, [arb(1)] * len(every))


def off_simplex(given: Any) -> dict[str, arb]:
    """From γ ≥ 0 and from Σγᵢ ≤ 1."""
    every = numbers(given)
    size = balls.largest([abs(x) for x in every])
    return {
        "gamma": excess(balls.largest([-x for x in every]), size),
        "simplex": (balls.total(every) - 1).nonnegative_part(),
    }


def clip(A: arb_mat, rho: arb) -> arb_mat:
    """Entries in [-ρ, ρ]"""
    entries = [x.min(rho).max(-rho) for x in A.entries()]
    return arb_mat(A.nrows(), A.ncols(), entries)


def ball(A: arb_mat, rho: arb) -> arb_mat:
    """‖A‖_F ≤ ρ"""
    size = balls.norm(A)
    return A if size <= rho else A * (rho / size.upper())


def outside(size: arb, rho: arb) -> arb:
    """How far a size is above ρ, relative to the larger."""
    return excess(size - rho, size.max(rho))


def smallest(values: Sequence[arb]) -> arb:
    """A ball that holds the smallest; infinite where there is none."""
    finite = [x for x in values if x.is_finite()]
    return -balls.largest([-x for x in finite]) if finite else arb.pos_inf()


def doubles(x: list[arb_mat], like: Any) -> Array:
    """A stack in doubles, of the shape of what was given."""
    return np.stack([balls.doubles(A) for A in x]).reshape(np.shape(like))


def stack(x: list[arb_mat]) -> arb_mat:
    """Columns as the rows of one matrix."""
    return arb_mat([row.entries() for row in x])

r"""Newton's method in α and a few numbers θ beside it, in balls, from doubles.

With F the free samples of the box 0 ≤ α ≤ C, `conditions` tells of any α and θ the two functions in

    image(α, θ) + by = 1 on F,  yᵀα = 0,  g(α, θ) = 0

The residuals are balls, the derivatives doubles: a step gains as many digits as those have. No
proof rests on the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Tensor, exact
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.inputs import Array

BORDER = 1e-6  # of the box: nearer to its border a sample is taken as there
ROUNDS = 8  # of active sets


class State(NamedTuple):
    """The image and g in balls; their derivatives in α and in θ in doubles."""

    image: Tensor
    g: Tensor
    H: Array  # of the image in α
    A: Array  # of the image in θ
    B: Array  # of g in α
    D: Array  # of g in θ


Conditions = Callable[[Tensor, Tensor], State]


def polished(
    conditions: Conditions, y: Array, top: Tensor, alpha: Array, theta: Array
) -> tuple[Tensor, Tensor] | None:
    """α and θ from doubles near them; None where that does not end at an optimum."""
    C = float(top.mid)
    if not alpha.max() > 0:
        return None
    image = conditions(exact(alpha), exact(theta)).image.mid
    gap = 1 - image - svm.offset(image, y) * y
    # A sample is free unless its margin is farther from 1 than its α from the border; or unless
    # that is there to a few digits.
    for low, high in (
        (alpha < -gap * alpha.max(), C - alpha < gap * C),
        (alpha < BORDER * C, C - alpha < BORDER * C),
    ):
        made = _on_sets(conditions, y, top, exact(alpha), exact(theta), ~low & ~high, high)
        if made is not None:
            return made
    return None


def _on_sets(
    conditions: Conditions, y: Array, top: Tensor, at: Tensor, more: Tensor, free: Any, high: Any
) -> tuple[Tensor, Tensor] | None:
    """From one choice of active sets to that of the optimum."""
    C = float(top.mid)
    for _ in range(ROUNDS):
        at = BALLS.where(high, top, BALLS.where(free, at, 0.0))
        solved = _solved(conditions, y, at, more, free)
        if solved is None:
            return None
        at, more, gap = solved
        below, over = free & (at.mid < 0), free & (at.mid > C)
        small = 1e-12 * (1 + np.abs(gap))
        wrong = ~free & np.where(high, gap < -small, gap > small)
        if not (below | over | wrong).any():
            return at, more
        high = (high | over) & ~wrong
        free = (free & ~below & ~over) | (wrong if not (below | over).any() else False)
    return None


def _solved(
    conditions: Conditions, y: Array, alpha: Tensor, theta: Tensor, free: Any
) -> tuple[Tensor, Tensor, Array] | None:
    """Newton's steps with these samples free, and what their margins lack at the end."""
    size, n, m = float(alpha.mid.max()), int(free.sum()), len(theta)
    before, e = np.inf, int(n > 0)  # with no sample free nothing tells b
    b: Any = None
    for _ in range(6 + BALLS.bits // 16):
        if not (size > 0 and (theta.mid > TINY).all()):
            return None
        at = conditions(alpha, theta)
        b = svm.kink(BALLS, at.image, y) if b is None else b
        gap = (1 - at.image - b * y).point()
        balance = np.full(e, -(y * alpha).sum().mid)
        rest = np.concatenate([gap.mid[free], balance, -at.g.mid])
        scale = np.concatenate([np.full(n, size), np.ones(e), np.abs(theta.mid)])
        J = np.zeros((n + e + m, n + e + m))
        J[:n, :n], J[:n, n : n + e] = at.H[np.ix_(free, free)], y[free, None][:, :e]
        J[n : n + e, :n] = y[None, free][:e]
        J[:n, n + e :], J[n + e :, :n], J[n + e :, n + e :] = at.A[free], at.B[:, free], at.D
        J *= scale
        level = np.abs(J).max(axis=1, initial=0.0)
        level[level == 0] = 1.0
        if not np.isfinite(J).all() or not np.isfinite(rest).all():
            return None
        d = np.linalg.lstsq(J / level[:, None], rest / level, rcond=1e-14)[0]
        moved = float(np.abs(d).max(initial=0.0))
        step = d * scale
        alpha, theta = (alpha + _at(free, step[:n])).point(), (theta + step[n + e :]).point()
        b = (b + float(step[n : n + e].sum())).point()
        if moved < 2.0 ** (24 - BALLS.bits) or (before < 1e-6 and moved > before / 4):
            break
        before = moved
    return (alpha, theta, gap.mid) if moved < 1e-14 else None


def alone(image: Tensor, H: Array) -> State:
    """Where there is no θ."""
    none = np.zeros((0, len(H)))
    return State(image, exact(np.zeros(0)), H, none.T, none, np.zeros((0, 0)))


def _at(mask: Any, values: Array) -> Array:
    out = np.zeros(len(mask))
    out[mask] = values
    return out

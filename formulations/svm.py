r"""The support vector machine with a box, on a given matrix: what many programs have inside.

    maximize    1ᵀα - ½αᵀQα
    subject to  0 ≤ α ≤ C,  αᵀy = 0

with Q = diag(y) K diag(y) ⪰ 0. Any feasible α bounds its optimum from below. From above, for any
v, b, and η, ζ ≥ 0,

    ½vᵀQv + C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ)             the primal
    ½wᵀQ⁻¹w + C·1ᵀζ,  w = 1 + η - ζ - by             where Q ≻ 0: the maximum of the Lagrangian

The gap of the first is of first order in the error of α, that of the second of second order: with
δ = w - Qα, wᵀQ⁻¹w = 2αᵀw - αᵀQα + δᵀQ⁻¹δ needs the inverse only on what is small, and for any s
with r = δ - Qs it is δᵀQ⁻¹δ = δᵀs + rᵀs + rᵀQ⁻¹r. With C infinite ζ is zero, and no sample may be
inside the margin: where all (Qv)ᵢ + byᵢ ≥ m > 0, (v, b)/m has none there, and ½vᵀQv/m² is a bound.
Q may be singular there, as equal samples make it.

Q is a tensor of the arithmetic F (`formulations.arithmetic`), and holds the matrix that is meant.
The primal at v bounds 1ᵀα - αᵀQv + ½vᵀQv, and that the objective at every feasible α: with a Q̃ in
place of Q, ‖Q - Q̃‖₂ ≤ ε, it may be less by ε‖v‖(‖α‖ + ½‖v‖), at an optimal α with Q. There
‖α‖² ≤ nC²; and since xα is feasible for every x ≤ 1, αᵀQα ≤ 1ᵀα, so that 1ᵀα is at most twice the
optimum f, no αᵢ above f, and ‖α‖² ≤ 2Cf, 2f².
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, lstsq, solve

from cvxkernel.formulations.arithmetic import DOUBLES, Arithmetic, Tensor
from cvxkernel.formulations.enclosure import EPS, TINY
from cvxkernel.formulations.inputs import Array

Flags = NDArray[np.bool_]

# Of the largest α and of C: nearer to the border a sample is taken as there; the best first.
FREE = (1e-5, 1e-3, 1e-7)
WELL = 1e-5  # of the largest pivot of a factor: above it a matrix is well conditioned
LARGE = 100.0  # times what is not known of Q: a larger eigenvalue is known well enough to divide by
CHEAP = 2  # bounds from above come first; the one after them asks for a factor of Q
SHORT = 1e-3  # of a margin of 1: what more is short of it is not on it


def signed(y: Array, K: Array) -> Array:
    """diag(y) K diag(y), symmetric, in doubles."""
    Q: Array = K + K.T
    Q *= y
    Q *= y[:, None] / 2
    return Q


def nearest(Q: Array) -> Tensor:
    """The nearest semidefinite matrix to any symmetric one, known to within its distance."""
    short = max(0.0, -float(DOUBLES.least(DOUBLES.exact(Q)).lower))
    return DOUBLES.tensor(Q, 0.0, short)


def feasible(F: Arithmetic, alpha: Any, y: Array, C: float) -> Tensor:
    """α clipped to the box, then the heavier class scaled down until αᵀy = 0, exactly."""
    alpha = F.clipped(alpha, C)
    plus, minus = alpha[y > 0].sum(), alpha[y < 0].sum()
    least = F.minimum(plus, minus)
    if not (least > 0 and least.is_finite()):
        return F.exact(np.zeros(len(y)))
    least = F.exact(least.lower)
    return alpha * F.where(y > 0, least / plus, least / minus)


def repair(alpha: Array, y: Array, C: float) -> Array:
    """The same in doubles, without what rounding leaves."""
    made: Array = feasible(DOUBLES, alpha, y, C).mid
    return made


def value(F: Arithmetic, Q: Tensor, alpha: Tensor) -> Tensor:
    """1ᵀα - ½αᵀQα"""
    alpha = F.exact(alpha)
    return alpha.sum() - F.inner(alpha, Q @ alpha) / 2


def upper(F: Arithmetic, Q: Tensor, y: Array, C: float, alpha: Any, below: Any = None) -> Tensor:
    """The best of the bounds: at v = α, and where they leave a gap at α moved onto the margin.

    Whoever asks may have an end `below` the value at α: no factor of Q is made for the smaller half
    of the gap.
    """
    alpha = F.exact(alpha).point()
    low, ends = value(F, Q, alpha).point(), []
    enough = low + 2.0 ** (-0.6 * F.bits) * abs(float(low.mid))
    for end in _uppers(F, Q, y, C, alpha, enough):
        ends.append(end)
        if len(ends) == CHEAP and below is not None:
            enough = F.maximum(enough, 2 * low - below).point()
        if least(ends).upper <= enough.upper:
            break
    return least(ends)


def least(ends: Iterable[Tensor]) -> Tensor:
    """The bound whose upper end is the smallest."""
    return min(ends, key=lambda end: end.upper)


def _uppers(
    F: Arithmetic, Q: Tensor, y: Array, C: float, alpha: Tensor, enough: Tensor
) -> Iterator[Tensor]:
    yield hinge_bound(F, Q, y, C, alpha)
    yield hinge_bound(F, Q, y, C, on_margin(Q.mid, y, C, alpha.mid, FREE[0]))
    yield quadratic_bound(F, Q, y, C, alpha, enough)
    for small in FREE[1:]:
        yield hinge_bound(F, Q, y, C, on_margin(Q.mid, y, C, alpha.mid, small))


def on_margin(Q: Array, y: Array, C: float, alpha: Array, small: float) -> Array:
    """α moved as little as puts every free sample on the margin: (Qv)ᵢ + byᵢ = 1, Δᵀy = 0.

    The v of a bound need not be in the box. Where Q is singular this takes the place of the
    quadratic bound: what a solver leaves in αᵢ costs its square and no longer C times itself.
    """
    free = (alpha > small * alpha.max()) & (alpha < (1 - small) * C)
    return met(Q, y, alpha, free, np.ones(len(y)))


def met(Q: Array, y: Array, v: Array, free: Flags, target: Array) -> Array:
    """v moved as little as gives (Qv)ᵢ + byᵢ = targetᵢ where it is free, Δᵀy = 0."""
    m = int(free.sum())
    if m == 0:
        return v
    rows = Q[free]
    right, moved = np.append(target[free] - rows @ v, 0.0), v.copy()
    moved[free] += bordered(rows[:, free], y[free], right, np.zeros(m + 1))[:m]
    return moved


def bordered(Q: Array, y: Array, right: Array, near: Array) -> Array:
    """The x of [Q y; yᵀ 0]x = right for a semidefinite Q.

    By a Cholesky factor of Q where it is well conditioned, refined once by the residual; where the
    system is singular, by the least move from an x nearby.
    """
    m = len(Q)
    try:
        factor = cholesky(Q, lower=True, check_finite=False)
        pivots = factor.diagonal()
        if pivots.min() > WELL * pivots.max():
            x: Array = np.zeros(m + 1)
            border = cho_solve((factor, True), y, check_finite=False)
            for _ in range(2):
                rest = right - np.append(Q @ x[:m] + x[m] * y, y @ x[:m])
                z = cho_solve((factor, True), rest[:m], check_finite=False)
                along = (float(y @ z) - rest[m]) / float(y @ border)
                x += np.append(z - along * border, along)
            return x
    except LinAlgError:
        pass
    system = np.zeros((m + 1, m + 1))
    system[:m, :m], system[:m, m], system[m, :m] = Q, y, y
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            x = solve(system, right, assume_a="sym", check_finite=False)
            return x
    except (LinAlgError, Warning):
        rest = right - system @ near
        if not np.isfinite(rest).all():
            return np.full(len(near), np.nan)
        moved: Array = near + lstsq(system, rest, lapack_driver="gelsy", check_finite=False)[0]
        return moved


def offset(image: Array, y: Array) -> float:
    """The b of the least Σᵢ max(0, 1 - imageᵢ - byᵢ): the middle of all of them, as libsvm has it.

    The sum is flat from the n₊-th kink to the next: where no sample is at 1 they lie apart.
    """
    kinks, last = np.sort(y * (1 - image)), int((y > 0).sum())
    return float(kinks[last - 1] / 2 + kinks[last] / 2)


def shortened(image: Array, form: float, y: Array, C: float) -> float:
    """In doubles the primal from Qv and vᵀQv at v, or at the multiple no sample near 1 is short of.

    A solver leaves its support vectors short of 1 by what α is away from the optimum.
    """
    margins = image + offset(image, y) * y
    least = float(margins[margins > 1 - SHORT].min(initial=1.0))
    ends = [
        x * x * form / 2 + C * float(np.maximum(0, 1 - x * margins).sum()) for x in (1, 1 / least)
    ]
    return min(ends)


def kink(F: Arithmetic, image: Tensor, y: Array) -> Tensor:
    """The same b, as near as F computes it: an exact point."""
    # Piecewise linear and convex in b, with slopes from -n₊ to n₋: the least is at the kink
    # y(1 - image) where the slope changes its sign, the n₊-th in increasing order.
    kinks = y * (1 - (image.mid if F is DOUBLES else image))
    middles = kinks if F is DOUBLES else kinks.mid
    b: Tensor = kinks[int(np.argsort(middles)[int((y > 0).sum()) - 1])]
    return F.exact(b).point()


def primal(F: Arithmetic, form: Tensor, image: Tensor, y: Array, C: float, b: Any) -> Tensor:
    """½vᵀQv + C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ) from vᵀQv and Qv"""
    return form / 2 + F.exact(C) * (1 - image - F.exact(b) * y).positive().sum()


def scaled_primal(
    F: Arithmetic,
    form: Tensor,
    image: Tensor,
    y: Array,
    C: float,
    off_top: Any = ...,
    charged: Callable[[Tensor, Tensor], Tensor] = lambda x, end: end,
) -> Tensor:
    """The primal from vᵀQv and Qv at the best b, or at the multiple x of (v, b) that is tried.

    At it no sample off the top of the box (to what a solver leaves) is inside the margin. Each end
    is charged as it asks at its x.
    """
    b = kink(F, image, y)
    margins = image.mid + b.mid * y
    short = margins[off_top]
    nearest = float(short.min()) if short.size else 1.0
    multiples = [1.0, 1.0 / nearest] if nearest > 0.5 and nearest != 1.0 else [1.0]
    if F is DOUBLES:  # which tell the better one before it is proved
        half = float(form.mid) / 2
        multiples = [
            min(multiples, key=lambda x: x * x * half + C * np.maximum(0.0, 1 - x * margins).sum())
        ]
    ends = []
    for x in map(F.exact, multiples):
        at = (form, image, b) if x.mid == 1 else (x * (x * form), x * image, x * b)
        ends.append(charged(x, primal(F, at[0], at[1], y, C, at[2])))
    return least(ends)


def hinge_bound(F: Arithmetic, Q: Tensor, y: Array, C: float, v: Any) -> Tensor:
    """The primal at v and the best b, with Q̃ for Q, and what that costs."""
    if not np.isfinite(C):
        return hard_bound(F, Q, y, v)
    v, slack = F.exact(v), F.exact(F.unknown(Q))
    size = F.norm(v)

    def charged(x: Tensor, end: Tensor) -> Tensor:
        return _charged(F, slack * (x * size), x * size, len(y), C, end)

    near = Q.point() if slack > 0 else Q
    image = near @ v
    top = v.mid < (1 - 1e-6) * C
    return scaled_primal(F, F.inner(v, image), image, y, C, top, charged)


def hard_bound(F: Arithmetic, Q: Tensor, y: Array, v: Any) -> Tensor:
    """½vᵀQv/m² at the b between the classes, m being the least margin of all; C is infinite."""
    v = F.exact(v)
    image = Q @ v
    m = -((-image[y > 0]).max() + (-image[y < 0]).max()) / 2
    return F.inner(v, image) / (2 * m * m) if m > 0 else F.inf


def _charged(F: Arithmetic, slack: Tensor, size: Tensor, n: int, C: float, end: Tensor) -> Tensor:
    """end + slack·(‖α‖ + ½ size): ‖α‖² ≤ nC², 2Cf and 2f² for every f ≥ the optimum, as this is."""
    if not slack > 0:
        return end
    top = F.exact(C)
    square = n * top * top
    for _ in range(10):
        cost = slack * (square.sqrt() + size / 2)
        f = end + cost
        less = F.minimum(2 * top * f, 2 * f * f)
        if less.upper < square.upper:
            square = less
        if not cost.upper > 0.1 * end.upper:  # no less of it makes f much less
            break
    return end + slack * (square.sqrt() + size / 2)


def quadratic_bound(
    F: Arithmetic, Q: Tensor, y: Array, C: float, alpha: Any, enough: Any = -np.inf
) -> Tensor:
    """The least ½wᵀQ⁻¹w + C·1ᵀζ over a few b, η and ζ, or one that is enough; C may be infinite.

    Nothing is known where Q is not definite by more than its rounding: Q⁻¹ would be no bound.
    """
    n, alpha = len(y), F.exact(alpha).point()
    # What is divided by λ_min is of the size of rounding: a small bound of it is enough.
    with np.errstate(over="ignore"):
        size = float(np.linalg.norm(Q.mid))
    m = F.least(Q, above=n * EPS * size + LARGE * F.unknown(Q))
    if not m > 0:
        return F.inf
    try:
        factor = cho_factor(Q.mid, lower=True, check_finite=False)
    except LinAlgError:
        return F.inf
    image = Q @ alpha
    form, a, middle = F.inner(alpha, image), alpha.mid, image.mid
    gap = y * (1 - middle)  # = b on every sample with 0 < α < C, at an optimum
    free = (a > 1e-6 * a.max()) & (a < (1 - 1e-6) * C)
    if not free.any():
        free = np.ones(n, dtype=bool)
    mean, ends = np.average(gap[free], weights=np.abs(a[free]) + TINY), []
    for b in (float(mean), float(np.median(gap[free]))):
        level = 1 - F.exact(b) * y
        for room in (0.0, Q.mid.diagonal()):
            moved, zeta = divided(F, image - level, a, C, room)
            w = level + moved
            delta = w - image
            s = F.exact(cho_solve(factor, delta.mid, check_finite=False))
            r = delta - Q @ s
            inner = F.inner(delta, s) + F.inner(r, s) + F.inner(r, r).positive() / m
            total = F.inner(alpha, w) - form / 2 + inner / 2
            ends.append(total + F.exact(C) * zeta.sum() if np.isfinite(C) else total)
            if ends[-1].upper <= F.exact(enough).upper:
                return ends[-1]
    return least(ends)


def divided(F: Arithmetic, excess: Tensor, a: Array, C: float, room: Any) -> tuple[Tensor, Tensor]:
    """η - ζ and ζ, exact points: what is taken of the excess, Qα above 1 - by.

    η takes it where it is positive, ζ where it is negative; or each only where it outweighs the
    room that α has to move, and the rest is left to δᵀQ⁻¹δ.
    """
    over = excess.point()
    eta, zeta = F.where(over.mid > a * room, over.positive(), 0.0), F.exact(np.zeros(len(a)))
    if np.isfinite(C):
        zeta = F.where(-over.mid > (C - a) * room, (-over).positive(), 0.0)
    return (eta - zeta).point(), zeta

r"""A quadratic program over the box: what support vector machines and Newton's steps solve.

    maximize qᵀα - ½αᵀHα  subject to  0 ≤ α ≤ C, αᵀy = 0

By Newton's steps on the active set of an α nearby, each one linear system in the free α, where they
end in the KKT conditions. Elsewhere by Clarabel's interior points, in units of α, and from the
active set that these find.
"""

from __future__ import annotations

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from cvxkernel.formulations import svm as machine
from cvxkernel.formulations.enclosure import EPS, TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import deadline

FAR = 1e4  # units of α: a box farther away is brought nearer
LEAST = 1.0  # seconds for a quadratic program, however few are left
ROUNDS = 10  # in other units
CYCLES = 10  # of Newton's steps, the active set corrected in between
TOLD = 1e-13  # relative: values that differ by less are one
SETTLED = 1e-10  # of q: how far from the KKT conditions Newton's steps may end


def quadratic_program(
    H: Array, q: Array, y: Array, C: float, *, near: Array | None = None
) -> Array:
    """The α of the least ½αᵀHα - qᵀα over 0 ≤ α ≤ C, yᵀα = 0; repaired to the box, and polished.

    Clarabel's tolerances are absolute and a box far away spoils them: it is asked in units of α,
    which `near` or q and H tell at first, with a box that is at most `FAR` of them away. What ends
    there is taken to be at C, and if that is not so the next unit is larger.
    """
    if near is not None and near.any():
        polished = polish(H, y, C, np.clip(near, 0.0, C), q)
        if polished is not None:
            small = SETTLED * float(np.abs(q).max())
            if violation(H, y, C, polished, q) <= small:
                return polished
    steepest = float(np.abs(q).max()) / max(float(np.abs(H).max()), TINY)
    unit = min(C, 2 * float(near.max()) if near is not None and near.any() else steepest or C)
    best, least = np.zeros(len(y)), 0.0
    for _ in range(ROUNDS):
        far = min(C / unit, FAR)
        alpha = machine.repair(unit * interior_point(unit * H, q, y, far), y, C)
        size, wide = float(alpha.max()), unit * far
        short = wide < C and size > wide / 2
        guess = np.where(alpha > 0.99 * wide, C, alpha) if short else alpha
        polished = polish(H, y, C, guess, q)
        for point in (polished, alpha):  # which rounding does not tell apart, but borders do
            value = np.inf if point is None else float(point @ H @ point) / 2 - float(q @ point)
            if point is not None and value < least - TOLD * abs(least):
                best, least = point, value
        if best is polished or not (short or 0 < size < unit / 8):
            break
        unit = wide if short else 2 * size
    return best


def interior_point(P: Array, q: Array, y: Array, top: float, total: float = 0.0) -> Array:
    """The x of the least ½xᵀPx - qᵀx over 0 ≤ x ≤ top, yᵀx = total, by Clarabel; or zero."""
    n = len(y)
    if not (np.isfinite(P).all() and np.isfinite(q).all() and 0 < top < np.inf):
        return np.zeros(n)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.time_limit = max(deadline.left(), LEAST)
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    columns = np.stack([y, -np.ones(n), np.ones(n)], axis=1)  # of αᵀy, -α and α
    rows = np.stack([np.zeros(n), 1 + np.arange(n), 1 + n + np.arange(n)], axis=1)
    starts = np.arange(n + 1)
    A = csc_matrix((columns.ravel(), rows.ravel().astype(int), 3 * starts), shape=(2 * n + 1, n))
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)]
    b = np.concatenate([[total], np.zeros(n), np.full(n, top)])
    column, row = np.tril_indices(n)
    upper = csc_matrix((P[row, column], row, starts * (starts + 1) // 2), shape=(n, n))
    x = np.asarray(clarabel.DefaultSolver(upper, -q, A, b, cones, settings).solve().x)
    return x if np.isfinite(x).all() else np.zeros(n)


def polish(
    Q: Array, y: Array, C: float, alpha: Array, q: Array | None = None, total: float = 0.0
) -> Array | None:
    """Newton's step on the active set of α: [Q_FF y_F; y_Fᵀ 0] on the free samples F.

    For qᵀα - ½αᵀQα, q being 1 in the support vector machine, and yᵀα = total, 0 there.

    Samples that the step takes out of the box are fixed at its border, those that violate the KKT
    conditions are freed, all at once and a few times. None where that does not settle.
    """
    at_top, at_zero = borders(alpha, C)
    linear = np.ones(len(y)) if q is None else q
    small = SETTLED * float(np.abs(linear).max())
    for _ in range(CYCLES):
        free = ~(at_top | at_zero)
        m = int(free.sum())
        fixed = np.where(at_top, C, 0.0)
        if m == 0:
            return fixed if np.isclose(y @ fixed, total, rtol=1e-12, atol=0.0) else None
        rows = Q[free]
        rest = linear[free] - rows @ fixed
        right, start = np.append(rest, total - float(y @ fixed)), np.append(alpha[free], 0.0)
        if not (np.isfinite(rows).all() and np.isfinite(right).all()):
            return None
        step = machine.bordered(rows[:, free], y[free], right, start)
        if not np.isfinite(step).all():
            return None
        moved = fixed
        moved[free] = step[:m]
        over, under = moved > C, moved < 0
        gap = linear - Q @ moved - step[m] * y  # ≤ 0 at zero, ≥ 0 at C
        wrong = np.where(at_zero, gap, 0.0) - np.where(at_top, gap, 0.0) > small
        if not (over | under | wrong).any():
            even = abs(float(y @ moved)) <= len(y) * EPS * float(moved.max())
            return moved if total or even else machine.repair(moved, y, C)
        at_top, at_zero = at_top & ~wrong | over, at_zero & ~wrong | under
        alpha = np.clip(moved, 0.0, C)
    return None


def balanced(alpha: Array, y: Array, C: float) -> Array:
    """An α nearby in the box with αᵀy = 0: what is between the borders pays for it, if it can."""
    alpha = np.clip(alpha, 0.0, C)
    at_top, at_zero = borders(alpha, C)
    free = ~(at_top | at_zero)
    if free.any():
        alpha[free] -= float(y @ alpha) / int(free.sum()) * y[free]
    return machine.repair(alpha, y, C)


def borders(alpha: Array, C: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which samples are at C, and which at zero, to what a solver leaves."""
    margin = 1e-7 * min(C, float(alpha.max()))
    return alpha >= C - margin, alpha <= margin


def violation(Q: Array, y: Array, C: float, alpha: Array, q: Array | None = None) -> float:
    """How far α is from the KKT conditions: max of y(q - Qα) over I_up less min over I_low."""
    gradient = y * ((1 if q is None else q) - Q @ alpha)
    small = 1e-12 * min(C, float(alpha.max()))
    rises = np.where(y > 0, alpha < C - small, alpha > small)
    falls = np.where(y > 0, alpha > small, alpha < C - small)
    return float(gradient[rises].max(initial=-np.inf) - gradient[falls].min(initial=np.inf))

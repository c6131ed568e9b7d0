r"""The support vector machine with a box, on a given matrix: what many programs have inside.

    maximize    1ᵀα - ½αᵀQα
    subject to  0 ≤ α ≤ C,  αᵀy = 0

with Q = diag(y) K diag(y) ⪰ 0. Any feasible α bounds its optimum from below. From above, for any
v, b, and η, ζ ≥ 0,

    ½vᵀQv + C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ)             the primal
    ½wᵀQ⁻¹w + C·1ᵀζ,  w = 1 + η - ζ - by             where Q ≻ 0: the maximum of the Lagrangian

The gap of the first is of first order in the error of α, that of the second of second order: with
δ = w - Qα, wᵀQ⁻¹w = αᵀQα + 2αᵀδ + δᵀQ⁻¹δ needs the inverse only on what is small. With C infinite ζ
is zero, and only the second remains.

The doubles Q stand for some Q₊ ⪰ 0 with ‖Q - Q₊‖₂ ≤ ε, the `slack` (`formulations.semidefinite`),
and the ends are of the program with Q₊:

    from below    αᵀQ₊α ≤ αᵀQα + ε‖α‖²
    the primal    with Q + εI ⪰ Q₊ ⪰ 0, whose optimum is less than that with Q₊ by ε‖α‖² at most,
                  at an optimal α of the latter, since Q + εI ⪯ Q₊ + 2εI. There ‖α‖² ≤ nC²; and
                  since xα is feasible for every x ≤ 1, αᵀQ₊α ≤ 1ᵀα, so that 1ᵀα is at most twice
                  the optimum f, no αᵢ above f, and ‖α‖² ≤ 2Cf, 2f²
    Lagrangian    with Q ⪰ mI, m > ε, and E = Q₊ - Q: w = Q₊α + (δ - Eα), so that wᵀQ₊⁻¹w is
                  αᵀQα - αᵀEα + 2αᵀδ + (δ - Eα)ᵀQ₊⁻¹(δ - Eα), and Q₊ ⪰ (1 - ε/m)Q
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, eigvalsh, lstsq

from cvxkernel.formulations.enclosure import EPS, TINY, Bounded, quadratic, rounding
from cvxkernel.formulations.inputs import Array

FREE = (
    1e-3,
    1e-5,
    1e-7,
)  # of the largest α and of C: nearer to the border a sample is taken as there
LARGE = 100.0  # times the slack: from there on an eigenvalue of Q is known well enough to divide by


def signed(y: Array, K: Array) -> Array:
    """diag(y) K diag(y), symmetric."""
    Q: Array = K + K.T
    Q *= y
    Q *= y[:, None] / 2
    return Q


def repair(alpha: Array, y: Array, C: float) -> Array:
    """α clipped to the box, then the heavier class scaled down until αᵀy = 0."""
    alpha = np.minimum(np.maximum(alpha, 0.0), C)
    plus, minus = alpha[y > 0].sum(), alpha[y < 0].sum()
    if min(plus, minus) <= 0:
        return np.zeros_like(alpha)
    least = min(plus, minus)
    balanced: Array = alpha * np.where(y > 0, least / plus, least / minus)
    return balanced


def value(Q: Array, alpha: Array, slack: float = 0.0) -> Bounded:
    """1ᵀα - ½αᵀQα, and the allowance for its rounding and for what Q is off."""
    form, allowance = quadratic(Q, alpha[:, None])
    total = float(alpha.sum())
    allowance += slack * float(alpha @ alpha)
    return total - form / 2, allowance / 2 + rounding(len(alpha), total)


def upper(Q: Array, y: Array, C: float, alpha: Array, slack: float | None = None) -> Bounded:
    """The best of the bounds: at v = α, and where they leave a gap at α moved onto the margin.

    Without a `slack` Q stands for the nearest matrix that is semidefinite.
    """
    slack = short(Q) if slack is None else slack
    ends = [hinge_bound(Q, y, C, alpha, slack), quadratic_bound(Q, y, C, alpha, slack)]
    low, _ = value(Q, alpha)
    for small in FREE:
        if sum(min(ends, key=sum)) - low <= 1e-10 * abs(low):
            break
        ends.append(hinge_bound(Q, y, C, on_margin(Q, y, C, alpha, small), slack))
    return min(ends, key=sum)


def short(Q: Array) -> float:
    """How far Q may be from semidefinite, in the spectral norm."""
    least = rounding(len(Q), float(np.abs(Q).max()))
    return 0.0 if above(Q, least) else max(0.0, least - float(eigvalsh(Q)[0]))


def on_margin(Q: Array, y: Array, C: float, alpha: Array, small: float) -> Array:
    """α moved as little as puts every free sample on the margin: (Qv)ᵢ + byᵢ = 1, Δᵀy = 0.

    The v of a bound need not be in the box. Where Q is singular this takes the place of the
    quadratic bound: what a solver leaves in αᵢ costs its square and no longer C times itself.
    """
    free = (alpha > small * alpha.max()) & (alpha < (1 - small) * C)
    m = int(free.sum())
    if m == 0:
        return alpha
    system = np.zeros((m + 1, m + 1))
    system[:m, :m] = Q[np.ix_(free, free)]
    system[:m, m] = system[m, :m] = y[free]
    right = np.append(1 - Q[free] @ alpha, 0.0)
    moved = alpha.copy()
    moved[free] += lstsq(system, right, lapack_driver="gelsy", check_finite=False)[0][:m]
    return moved


def above(Q: Array, least: float) -> bool:
    """Whether every eigenvalue of Q is above this number, if one Cholesky factor can tell."""
    shifted = Q.copy()
    shifted.flat[:: len(Q) + 1] -= least
    try:
        cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def offset(image: Array, y: Array) -> float:
    """The b of the least Σᵢ max(0, 1 - imageᵢ - byᵢ)."""
    # Piecewise linear and convex in b, with slopes from -n₊ to n₋: the least is at the kink
    # y(1 - image) where the slope changes its sign, the n₊-th in increasing order.
    kinks = y * (1 - image)
    return float(np.sort(kinks)[int((y > 0).sum()) - 1])


def hinge_bound(Q: Array, y: Array, C: float, v: Array, slack: float | None = None) -> Bounded:
    """½vᵀQv + C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ) at the best b, with Q + εI for Q."""
    n = len(y)
    slack = short(Q) if slack is None else slack
    if slack:
        Q = Q + slack * np.eye(n)
    margins, sizes = Q @ v, np.abs(Q) @ np.abs(v)
    b = offset(margins, y)
    form, off = quadratic(Q, v[:, None])
    image = margins + b * y
    # Any multiple of (v, b) will do: try the one at which no sample off the box (to what a solver
    # leaves) is inside the margin.
    free = v < (1 - 1e-6) * C
    least = float(image[free].min(initial=1.0))
    best: Bounded = (np.inf, 0.0)
    for x in {1.0, 1.0 / least if least > 0.5 else 1.0}:
        losses = np.maximum(0.0, 1 - x * image)
        total = x * x * form / 2 + C * float(losses.sum())
        # Only a margin that may be below 1 can add to the sum of hinges.
        made_of = 1 + x * (sizes + abs(b))
        near = x * image < 1 + rounding(n, 1.0) * made_of
        magnitude = C * float(np.sum(near * made_of))
        best = min(best, (total, x * x * off / 2 + rounding(n, magnitude)), key=sum)
    return best[0], best[1] + _charge(slack, n, C, sum(best))


def _charge(slack: float, n: int, C: float, bound: float) -> float:
    """ε‖α‖² at most: ‖α‖² ≤ nC², 2Cf and 2f² for every f ≥ the optimum, as `bound` + charge is."""
    if not slack:
        return 0.0
    square = n * C**2
    for _ in range(10):
        f = bound + slack * square
        square = min(square, 2 * C * f, 2 * f * f)
    return slack * square


def quadratic_bound(
    Q: Array, y: Array, C: float, alpha: Array, slack: float | None = None
) -> Bounded:
    """The least ½wᵀQ⁻¹w + C·1ᵀζ over a few b, η and ζ; C may be infinite.

    Infinite where Q is not definite by more than its rounding and slack: Q⁻¹ would be no bound.
    """
    n = len(y)
    slack = short(Q) if slack is None else slack
    least = n * EPS * float(np.linalg.norm(Q)) + LARGE * slack  # the norm is at least the largest
    if not above(Q, least):
        spectrum = eigvalsh(Q)
        least = n * EPS * float(spectrum[-1]) + LARGE * slack
        if not spectrum[0] > least:
            return np.inf, 0.0
    factor = cho_factor(Q, lower=True)
    image = Q @ alpha
    gap = y * (1 - image)  # = b on every sample with 0 < α < C, at an optimum
    free = (alpha > 1e-6 * alpha.max()) & (alpha < (1 - 1e-6) * C)
    if not free.any():
        free = alpha >= 0
    bs = [float(np.average(gap[free], weights=alpha[free] + TINY)), float(np.median(gap[free]))]
    best: Bounded = (np.inf, 0.0)
    form, off = quadratic(Q, alpha[:, None])
    size = float(np.linalg.norm(alpha))
    absolute = np.abs(Q)
    sizes = absolute @ np.abs(alpha)
    for b in bs:
        excess = image - 1 + b * y
        # η takes the excess where it is positive, ζ where it is negative; or each only where it
        # outweighs the room that α has to move, and the rest is left to δᵀQ⁻¹δ.
        for room in (0.0, Q.diagonal()):
            eta = np.where(excess > alpha * room, np.maximum(excess, 0.0), 0.0)
            zeta = np.zeros_like(eta)
            if np.isfinite(C):
                zeta = np.where(-excess > (C - alpha) * room, np.maximum(-excess, 0.0), 0.0)
            delta = eta - zeta - excess
            solve = cho_solve(factor, delta)
            rest = delta - Q @ solve
            inner = float(delta @ solve + rest @ solve + rest @ cho_solve(factor, rest))
            box = C * float(zeta.sum()) if zeta.any() else 0.0
            total = form / 2 + float(alpha @ delta) + inner / 2 + box
            # δ itself is rounded, by |1 + by| + |Q|α in each entry, and Q⁻¹ passes that on.
            made_of = 1 + abs(b) + sizes
            magnitude = float(np.abs(alpha) @ made_of) + float(np.abs(solve) @ made_of) + box
            magnitude += float(np.abs(solve) @ (np.abs(delta) + absolute @ np.abs(solve)))
            allowance = off / 2 + rounding(n, magnitude)
            if slack:
                moved = (np.sqrt(max(inner, 0.0)) + slack * size / np.sqrt(least)) ** 2
                moved /= 1 - slack / least
                allowance += (slack * size**2 + moved - inner) / 2
            best = min(best, (total, allowance), key=sum)
    return best

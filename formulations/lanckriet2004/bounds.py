r"""A lower value for any feasible α, an upper bound for any weights μ: plain numpy, no programs.

Lower: the objective at α, t = maxᵢ αᵀG(Kᵢ)α/rᵢ. Upper: for μ ≥ 0 with μᵀr = c, c·t ≥ αᵀQα with
Q = Σᵢ μᵢG(Kᵢ) (sm2: + I/C; sm2c: + μ₀I), so the optimum is at most that of 2αᵀ1 - αᵀQα, and

    sm1         0 ≤ α ≤ C, αᵀy = 0:  at most  vᵀQv + 2C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ)  for any v, b
    sm2, sm2c   α ≥ 0, αᵀy = 0:      at most  wᵀQ⁻¹w,  w = 1 + η - by,            for any η ≥ 0, b

The first is the SVM primal; the second the unconstrained maximum of the Lagrangian. There, with
δ = w - Qα, wᵀQ⁻¹w = αᵀQα + 2αᵀδ + δᵀQ⁻¹δ needs the inverse only on what is small. The same holds
for sm1 with w = 1 + η - ζ - by and 2C·1ᵀζ added, for any ζ ≥ 0, where Q is definite: its gap is of
second order in the error of α, where the primal's is of first.

An indefinite Q, rounded or not, is charged: the primal of sm1 is taken with Q + εI ⪰ 0, and
2αᵀ1 - αᵀQα ≤ 2αᵀ1 - αᵀ(Q + εI)α + εnC² on the box.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigvalsh

from cvxkernel.formulations.enclosure import EPS, TINY, Bounded, quadratic, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004.programs import Margin, SoftMargin


def signed(y: Array, K: Array) -> Array:
    """diag(y) K diag(y), symmetric."""
    return np.outer(y, y) * (K + K.T) / 2


def objective(problem: Margin, alpha: Array, *, squared: bool) -> tuple[float, float, Array]:
    """b and q with objective(xα) = 2xb - x²q for every x, and the magnitudes of both."""
    y, n = problem.y, problem.n
    forms = np.array([quadratic(signed(y, K), alpha[:, None]) for K in problem.kernels])
    r = np.array([np.trace(K) for K in problem.kernels])
    square = float(alpha @ alpha)
    ends, slacks = forms[:, 0] / r, forms[:, 1] / r
    if isinstance(problem, SoftMargin):
        c = float(r.sum())
        q = c * ends.max() + (square / problem.C if squared else 0.0)
        slack = c * slacks.max() + (rounding(n, square) / problem.C if squared else 0.0)
    else:
        c = float(r.sum()) + n
        q = c * max(ends.max(), square / n)
        slack = c * max(slacks.max(), rounding(n, square) / n)
    return float(alpha.sum()), q, np.array([rounding(n, float(alpha.sum())), slack])


def value(problem: Margin, alpha: Array, *, squared: bool) -> tuple[Bounded, Array]:
    """The objective at a feasible α, once α is scaled by the best x the box allows; and that α."""
    b, q, slack = objective(problem, alpha, squared=squared)
    if not (b > 0 and q > 0):
        return (0.0, 0.0), np.zeros_like(alpha)
    x = b / q
    if isinstance(problem, SoftMargin) and not squared:
        x = min(x, problem.C / float(alpha.max()))
    return (2 * x * b - x * x * q, 2 * x * slack[0] + x * x * slack[1]), x * alpha


def repair(problem: Margin, alpha: Array, *, squared: bool) -> Array:
    """α clipped to the box, then the heavier class scaled down until αᵀy = 0."""
    top = problem.C if isinstance(problem, SoftMargin) and not squared else np.inf
    alpha = np.minimum(np.maximum(alpha, 0.0), top)
    plus, minus = alpha[problem.y > 0].sum(), alpha[problem.y < 0].sum()
    if min(plus, minus) <= 0:
        return np.zeros_like(alpha)
    least = min(plus, minus)
    balanced: Array = alpha * np.where(problem.y > 0, least / plus, least / minus)
    return balanced


def combined(problem: Margin, mu: Array) -> Array:
    """Q = Σᵢ μᵢG(Kᵢ), with μ₀I for the identity of sm2c."""
    weights = mu if isinstance(problem, SoftMargin) else mu[1:]
    Q = np.zeros((problem.n, problem.n))
    for w, K in zip(weights, problem.kernels, strict=True):
        Q += w * signed(problem.y, K)
    return Q if isinstance(problem, SoftMargin) else Q + mu[0] * np.eye(problem.n)


def hinge_bound(problem: SoftMargin, mu: Array, v: Array) -> Bounded:
    """sm1: vᵀQv + 2C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ) at the best b, with Q made semidefinite."""
    Q = combined(problem, mu)
    n, C, y = problem.n, problem.C, problem.y
    shift = max(0.0, rounding(n, float(np.abs(Q).max())) - float(eigvalsh(Q)[0]))
    Q += shift * np.eye(n)
    margins = Q @ v
    # The sum of hinges is piecewise linear in b: its least is at one of the kinks y(1 - Qv).
    kinks = y * (1 - margins)
    b = kinks[np.maximum(0.0, 1 - margins - np.outer(kinks, y)).sum(axis=1).argmin()]
    form, slack = quadratic(Q, v[:, None])
    image = margins + b * y
    # Any multiple of (v, b) will do: try the one at which no sample off the box (to what a solver
    # leaves) is inside the margin.
    free = v < (1 - 1e-6) * C
    least = float(image[free].min(initial=1.0))
    best: Bounded = (np.inf, 0.0)
    for x in {1.0, 1.0 / least if least > 0.5 else 1.0}:
        losses = np.maximum(0.0, 1 - x * image)
        total = x * x * form + 2 * C * float(losses.sum()) + shift * n * C**2
        # Only a margin that may be below 1 can add to the sum of hinges.
        made_of = 1 + x * (np.abs(Q) @ np.abs(v) + abs(b))
        near = x * image < 1 + rounding(n, 1.0) * made_of
        magnitude = 2 * C * float(np.sum(near * made_of))
        best = min(best, (total, x * x * slack + rounding(n, magnitude)), key=sum)
    return best


def quadratic_bound(problem: Margin, mu: Array, alpha: Array, *, squared: bool) -> Bounded:
    """The least wᵀQ⁻¹w + 2C·1ᵀζ over a few b, η and ζ.

    Infinite where Q is not definite by more than its rounding: Q⁻¹ would be no bound.
    """
    Q = combined(problem, mu)
    top = np.inf
    if isinstance(problem, SoftMargin):
        if squared:
            Q += np.eye(problem.n) / problem.C
        else:
            top = problem.C
    spectrum = eigvalsh(Q)
    if not spectrum[0] > problem.n * EPS * spectrum[-1]:
        return np.inf, 0.0
    factor = cho_factor(Q, lower=True)
    y, image = problem.y, Q @ alpha
    gap = y * (1 - image)  # = b on every sample with 0 < α < C, at an optimum
    free = (alpha > 1e-6 * alpha.max()) & (alpha < (1 - 1e-6) * top)
    if not free.any():
        free = alpha >= 0
    bs = [float(np.average(gap[free], weights=alpha[free] + TINY)), float(np.median(gap[free]))]
    best: Bounded = (np.inf, 0.0)
    form, slack = quadratic(Q, alpha[:, None])
    for b in bs:
        excess = image - 1 + b * y
        # η takes the excess where it is positive, ζ where it is negative; or each only where it
        # outweighs the room that α has to move, and the rest is left to δᵀQ⁻¹δ.
        for room in (0.0, Q.diagonal()):
            eta = np.where(excess > alpha * room, np.maximum(excess, 0.0), 0.0)
            zeta = np.zeros_like(eta)
            if np.isfinite(top):
                zeta = np.where(-excess > (top - alpha) * room, np.maximum(-excess, 0.0), 0.0)
            delta = eta - zeta - excess
            solve = cho_solve(factor, delta)
            rest = delta - Q @ solve
            inner = float(delta @ solve + rest @ solve + rest @ cho_solve(factor, rest))
            box = 2 * top * float(zeta.sum()) if zeta.any() else 0.0
            total = form + 2 * float(alpha @ delta) + inner + box
            # δ itself is rounded, by |1 + by| + |Q|α in each entry, and Q⁻¹ passes that on.
            made_of = 1 + abs(b) + np.abs(Q) @ alpha
            magnitude = float(alpha @ made_of) + float(np.abs(solve) @ made_of) + box
            magnitude += float(np.abs(solve) @ (np.abs(delta) + np.abs(Q) @ np.abs(solve)))
            allowance = slack + rounding(problem.n, 2 * magnitude)
            best = min(best, (total, allowance), key=sum)
    return best

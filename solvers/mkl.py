r"""The multiple kernel problem (10) of Kundu et al. (2010), by support vector machines.

    maximize 1ᵀα - ½ Σᵢ αᵀYKᵢYα/γᵢ  over  γ in the simplex, 0 ≤ α ≤ C, αᵀy = 0

For given γ it is the support vector machine of Σᵢ Kᵢ/γᵢ, for given α the best γᵢ is proportional to
√qᵢ, qᵢ = αᵀYKᵢYα. These two alternate; what is left is concave and smooth in α as long as every
qᵢ > 0, and Newton's step on the active set of the support vector machine finishes. Nothing is
believed: whoever needs a bound computes it from what is returned.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import LinAlgError, solve

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.box import balanced
from cvxkernel.solvers.svm import svm

ROUNDS = 8  # of the alternation
NEWTON = 12  # steps
FLOOR = 1e-10  # γ is kept above it: Σᵢ Kᵢ/γᵢ has to stay a matrix of doubles
ACCURACY = 1e-9  # of the KKT conditions, in the margins, which are near 1


def mkl(
    K: Array, y: Array, C: float, *, start: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """α ∈ A and γ, as near to the optimum as doubles allow; `start` is a pair from nearby."""
    M = np.outer(y, y) * K
    if len(K) == 1:
        alpha = svm(K[0], y, C, start=None if start is None else start[0])
        return alpha, np.ones(1)
    near = None
    if start is not None:
        near = balanced(start[0], y, C)
        optimal = newton(M, y, C, near)
        if optimal is not None:
            return optimal, weights(M, optimal)
    gamma = np.full(len(K), 1.0 / len(K)) if start is None else np.maximum(start[1], FLOOR)
    alpha = svm(np.einsum("i,ijk->jk", 1 / gamma, K), y, C, start=near)
    for _ in range(ROUNDS):
        optimal = newton(M, y, C, alpha)
        if optimal is not None:
            return optimal, weights(M, optimal)
        before, gamma = gamma, weights(M, alpha)
        if np.abs(gamma - before).max() <= 1e-9:
            break
        alpha = svm(np.einsum("i,ijk->jk", 1 / gamma, K), y, C, start=alpha)
    return alpha, gamma


def weights(M: Array, alpha: Array) -> Array:
    """γᵢ ∝ √qᵢ, kept above a floor."""
    root = np.sqrt(np.maximum(np.einsum("ijk,j,k->i", M, alpha, alpha), 0.0))
    total = float(root.sum())
    gamma: Array = np.full(len(M), 1.0 / len(M))
    if total > 0:
        gamma = np.maximum(root / total, FLOOR)
    share: Array = gamma / gamma.sum()
    return share


def newton(M: Array, y: Array, C: float, alpha: Array) -> Array | None:
    """Newton's steps for h(α) = 1ᵀα - ½(Σᵢ√qᵢ)² on the samples that are free at α.

    With rᵢ = √qᵢ, gᵢ = Mᵢα/rᵢ, R = Σrᵢ and g = Σgᵢ, ∇h = 1 - Rg and
    -∇²h = ggᵀ + R Σᵢ (Mᵢ - gᵢgᵢᵀ)/rᵢ. None where the KKT conditions do not hold at the end.
    """
    margin = 1e-7 * C
    free = (alpha > margin) & (alpha < C - margin)
    m = int(free.sum())
    if m == 0:
        return None
    alpha = np.where(free, alpha, np.where(alpha >= C - margin, C, 0.0))
    for _ in range(NEWTON):
        images = M @ alpha
        q = images @ alpha
        if not (q > 0).all():
            return None
        r = np.sqrt(q)
        G = images / r[:, None]
        R, g = float(r.sum()), G.sum(axis=0)
        slope = 1 - R * g
        bend = np.outer(g, g) + R * np.einsum("i,ijk->jk", 1 / r, M) - R * (G.T / r) @ G
        system = np.zeros((m + 1, m + 1))
        system[:m, :m] = bend[np.ix_(free, free)]
        system[:m, m] = system[m, :m] = y[free]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                step = solve(system, np.append(slope[free], -float(y @ alpha)), assume_a="sym")
        except (LinAlgError, Warning):
            return None
        moved = alpha.copy()
        moved[free] += step[:m]
        if not ((moved[free] >= 0) & (moved[free] <= C)).all():
            return None
        small = float(np.abs(moved - alpha).max()) <= 1e-11 * C
        alpha = moved
        if small:
            break
    else:
        return None
    gap = slope - step[m] * y  # ≤ 0 at zero, ≥ 0 at C, 0 in between
    wrong = np.where(alpha <= 0, gap, np.where(alpha >= C, -gap, np.abs(gap)))
    return bounds.repair(alpha, y, C) if float(wrong.max()) <= ACCURACY else None

r"""A lower value for any feasible α, an upper bound for any weights μ: plain numpy, no programs.

Lower: the objective at α, t = maxᵢ αᵀG(Kᵢ)α/rᵢ. Upper: for μ ≥ 0 with μᵀr = c, c·t ≥ αᵀQα with
Q = Σᵢ μᵢG(Kᵢ) (sm2: + I/C; sm2c: + μ₀I), so the optimum is at most that of 2αᵀ1 - αᵀQα, twice
that of the support vector machine with the matrix Q: `svm` has its bounds. In sm2 and sm2c the box
is infinite.

The kernels are the Kᵢ₊, within εᵢ of the doubles Kᵢ in the spectral norm, and rᵢ and c are theirs:
within nεᵢ and nΣᵢεᵢ of the doubles' traces. From above, (c₊/μᵀr₊)μ takes the place of μ, at least a
multiple 1/(1 + δ) of it, and the optimum with sQ, s ≤ 1, is at most 1/s times that with Q, since sα
is feasible with α.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cvxkernel.formulations import inputs, semidefinite, svm
from cvxkernel.formulations.enclosure import (
    IDENTITY_SHARES,
    TINY,
    Bounded,
    Enclosure,
    quadratic,
    rounding,
)
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004.data import Margin
from cvxkernel.formulations.lanckriet2004.programs import SoftMargin
from cvxkernel.formulations.svm import signed


def objective(problem: Margin, alpha: Array, *, squared: bool) -> tuple[float, float, Array]:
    """b and q with objective(xα) = 2xb - x²q for every x, and the magnitudes of both."""
    n, signs = problem.n, (problem.y * alpha)[:, None]
    forms = np.array([quadratic(K, signs) for K in problem.kernels])  # αᵀG(Kᵢ)α
    r = np.array([np.trace(K) for K in problem.kernels])
    square, off = float(alpha @ alpha), semidefinite.slack(problem.kernels)
    # (q + dq)/(r - dr) ≤ q/r + (dq + (q/r)dr)/(r - dr), and c is off by Σdr
    dr = n * off + rounding(n, 1.0) * r
    ratios = forms[:, 0] / r
    slacks = (forms[:, 1] + off * square + np.abs(ratios) * dr) / np.maximum(r - dr, TINY)
    more = float(dr.sum())
    if isinstance(problem, SoftMargin):
        c = float(r.sum())
        q = c * ratios.max() + (square / problem.C if squared else 0.0)
        slack = (c + more) * slacks.max() + more * ratios.max()
        slack += rounding(n, square) / problem.C if squared else 0.0
    else:
        c = float(r.sum()) + n
        q = c * max(ratios.max(), square / n)
        slack = (c + more) * max(slacks.max(), rounding(n, square) / n) + more * q / c
    return float(alpha.sum()), q, np.array([rounding(n, float(alpha.sum())), slack])


def value(problem: Margin, alpha: Array, *, squared: bool) -> tuple[Bounded, Array, float]:
    """The objective at a feasible α, once α is scaled by the best x the box allows; that α, c·t."""
    b, q, slack = objective(problem, alpha, squared=squared)
    if not (b > 0 and q > 0):
        return (0.0, 0.0), np.zeros_like(alpha), 0.0
    x = b / q
    if isinstance(problem, SoftMargin) and not squared:
        x = min(x, problem.C / float(alpha.max()))
    end = 2 * x * b - x * x * q, 2 * x * slack[0] + x * x * slack[1]
    ridge = float(alpha @ alpha) / problem.C if isinstance(problem, SoftMargin) and squared else 0.0
    return end, x * alpha, x * x * (q - ridge)


def repair(problem: Margin, alpha: Array, *, squared: bool) -> Array:
    """α clipped to the box, then the heavier class scaled down until αᵀy = 0."""
    return svm.repair(alpha, problem.y, _top(problem, squared=squared))


def combined(problem: Margin, mu: Array, *, squared: bool) -> Array:
    """Q = Σᵢ μᵢG(Kᵢ), with I/C in sm2 and μ₀I for the identity of sm2c."""
    n = problem.n
    weights = mu if isinstance(problem, SoftMargin) else mu[1:]
    Q = signed(problem.y, (weights @ problem.kernels.reshape(len(weights), -1)).reshape(n, n))
    if not isinstance(problem, SoftMargin):
        Q.flat[:: n + 1] += mu[0]
    elif squared:
        Q.flat[:: n + 1] += 1 / problem.C
    return Q


def upper(problem: Margin, mu: Array, alpha: Array, *, squared: bool) -> Bounded:
    """The least wᵀQ⁻¹w + 2C·1ᵀζ over a few b, η and ζ; with a box also the primal near α.

    Infinite where Q is not definite and there is no box.
    """
    Q, C = combined(problem, mu, squared=squared), _top(problem, squared=squared)
    bound = svm.upper if np.isfinite(C) else svm.quadratic_bound
    weights = mu if isinstance(problem, SoftMargin) else mu[1:]
    off = semidefinite.mixed(weights, problem.kernels)
    if squared:  # what is on the diagonal of Q is rounded once more
        off += rounding(1, float(Q.diagonal().max()))
    total, slack = bound(Q, problem.y, C, alpha, off)
    moved = problem.n * float((1 + weights) @ semidefinite.slack(problem.kernels))
    delta = moved / problem.c + rounding(problem.n, 1.0)
    if not delta < 0.5:
        return np.inf, 0.0
    return 2 * total, 2 * (slack + delta * (abs(total) + slack) / (1 - delta))


def _top(problem: Margin, *, squared: bool) -> float:
    return problem.C if isinstance(problem, SoftMargin) and not squared else np.inf


# -- Enclosures: any point repaired, and both ends of the optimum computed there -----------------


@encloses("lanckriet2004-sm1", squared=False)
@encloses("lanckriet2004-sm2", "lanckriet2004-sm2c", squared=True)
def enclose(problem: Margin, point: Point, *, squared: bool) -> Enclosure:
    """The objective at the best multiple of α, and the least bound of the weights tried."""
    given = inputs.weights("alpha", point.get("alpha", np.ones(problem.n)), (problem.n,))
    (low, down), alpha, total = value(
        problem, repair(problem, given, squared=squared), squared=squared
    )
    uppers = [(upper(problem, mu, alpha, squared=squared), mu) for mu in _weights(problem, point)]
    (high, up), mu = min(uppers, key=lambda bounded: sum(bounded[0]))
    t = np.array(total / problem.c)
    return Enclosure(low, low - down, high + up, {"alpha": alpha, "t": t, "mu": mu})


def _weights(problem: Margin, point: Point) -> Iterator[Array]:
    """μ clipped at zero and scaled to μᵀr = c; for sm2c also with a small share of the identity."""
    r = problem.r
    mu = inputs.weights("mu", point["mu"], r.shape) if "mu" in point else 1.0 / r
    mu = np.maximum(mu, 0.0)
    mu = mu * r.sum() / (mu @ r) if mu @ r > 0 else r.sum() / (len(r) * r)
    shares = (0.0,) if isinstance(problem, SoftMargin) else IDENTITY_SHARES
    for share in shares:
        mixed = (1 - share) * mu
        mixed[0] += share * r.sum() / r[0]
        yield mixed if share else mu

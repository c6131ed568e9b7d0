r"""An upper value for any weights, a lower bound for any dual point: plain numpy, no programs.

With M(θ) = I + (1/λ) Σᵢ θᵢG̃ᵢ (fixed λ) or Σᵢ θᵢG̃ᵢ, i = 0, …, p (joint), and class vectors
h₁, …, h_k (h₁ = a with two classes), the programs ask for the least of

    value(θ) = Σⱼ hⱼᵀ M(θ)⁻¹ hⱼ          over θ ≥ 0, θᵀr = 1,                          (upper)

and since hᵀM⁻¹h = max_β βᵀh - ¼βᵀMβ, and a linear function of θ is largest at a vertex,

    bound(β) = Σⱼ βⱼᵀhⱼ - ¼ max_θ Σⱼ βⱼᵀM(θ)βⱼ                                          (lower)
             = Σⱼ (βⱼᵀhⱼ - ¼βⱼᵀβⱼ) - maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/(4λrᵢ)     fixed λ
             = Σⱼ βⱼᵀhⱼ - maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/(4rᵢ)                  joint

is below it for every β. Scaling β by its best scalar is free: with b = Σⱼ βⱼᵀhⱼ and q the rest,
max_c (cb - c²q) = b²/(4q).

The restricted programs (32) and (45) ask for diag(t) ⪰ S(θ) = HᵀM(θ)⁻¹H. For given θ, any t > 0
becomes feasible when it is multiplied by λ_max(D^{-½} S D^{-½}), D = diag(t); and
min Σⱼ tⱼ = max ⟨S, Z⟩ over Z ⪰ 0 with unit diagonal, so that with Z = RRᵀ the bound above holds
with H replaced by HR.

The programs are of the nearest semidefinite matrices Gᵢ₊, and the Gᵢ that a problem holds are
within sᵢ of them in norm (`semidefinite`). Then |βᵀG̃ᵢ₊β - βᵀG̃ᵢβ| ≤ sᵢ‖Pβ‖², |rᵢ₊ - rᵢ| ≤ (n - 1)sᵢ,
and βᵀG̃ᵢ₊β ≤ rᵢ₊‖Pβ‖² in any case. For any X, with M₊ ⪰ θ₀I (1 for θ₀ where λ is given),

    HᵀM₊⁻¹H = HᵀX + XᵀE + Xᵀ(M - M₊)X + E₊ᵀM₊⁻¹E₊,   E = H - MX,   E₊ = E + (M - M₊)X
            ⪯ HᵀX + XᵀE + (σ‖PX‖² + (‖E‖ + σ‖PX‖)²/θ₀) I,   σ = ‖M - M₊‖₂ ≤ Σᵢ wᵢsᵢ

with wᵢ = θᵢ/λ, or θᵢ; and weights with θᵀr₊ = τ are worth max(1, τ) times that once divided by τ.

Each function returns its number and an allowance for the rounding of its own arithmetic and for
the slack. It makes everything it needs from the kernels and labels, by other formulas than the
programs do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, eigvalsh

from cvxkernel.formulations.enclosure import EPS, TINY, Bounded, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.ye2008.data import Scatter, solver
from cvxkernel.formulations.ye2008.fixed import Discriminant

CACHED = 2**17  # doubles, a megabyte
EXACT = 1e-9  # of the value: what the residual of a given X may cost


def class_vectors(problem: Scatter, *, binary: bool) -> Array:
    """a as P1₊ · n/(n₊n₋), or hᵢ as P1ᵢ · √(n/nᵢ), in columns."""
    y = problem.y
    ones = np.stack([(y == label).astype(float) for label in np.unique(y)], axis=1)
    sizes = ones.sum(axis=0)
    if binary:
        factors = len(y) / (sizes[0] * sizes[1]) * np.ones(1)
        ones = ones[:, 1:]
    else:
        factors = np.sqrt(len(y) / sizes)
    H: Array = factors * (ones - ones.mean(axis=0))
    return H


def blocks(K: Array, mean: float) -> Iterator[tuple[slice, Array]]:
    """The rows of D = K - K_.. in turn, few enough at a time to stay in the cache.

    PDP = PKP, and a difference of doubles rounds in its own last place.
    """
    step = max(1, CACHED // len(K))
    for start in range(0, len(K), step):
        rows = slice(start, start + step)
        yield rows, K[rows] - mean


@dataclass(frozen=True)
class Trace:
    """The mean entry of a kernel, r = trace(PKP), and the allowance for its rounding, relative."""

    mean: float
    r: float
    slack: float

    @classmethod
    def of(cls, K: Array) -> Trace:
        """Σᵢ Dᵢᵢ - n·D_.. in one pass; P|D|P has the trace Σᵢ |Dᵢᵢ| + 3n·|D|_.. ."""
        mean = float(K.mean())
        total = size = 0.0
        for _, D in blocks(K, mean):
            total += float(D.sum())
            size += float(np.abs(D, out=D).sum())
        diagonal = K.diagonal() - mean
        r = float(diagonal.sum()) - total / len(K)
        magnitude = float(np.abs(diagonal).sum()) + 3 * size / len(K)
        return cls(mean, r, rounding(len(K), magnitude) / r)


@per_array
def _traces(kernels: Array) -> list[Trace]:
    return [Trace.of(K) for K in kernels]


def traces(problem: Scatter) -> list[Trace]:
    """r₁, …, r_p with their allowances."""
    return _traces(problem.near.kernels)


@dataclass(frozen=True)
class Pass:
    """One pass over the kernels with n×k columns B.

    forms    : Σⱼ βⱼᵀG̃ᵢβⱼ, i = 1, …, p
    made_of  : what they are summed from in absolute values
    combined : Σᵢ wᵢG̃ᵢB for the weights given
    rows     : the norms of what its rows are summed from
    """

    forms: Array
    made_of: Array
    combined: Array
    rows: Array

    @classmethod
    def over(cls, problem: Scatter, B: Array, weights: Array) -> Pass:
        """(PB)ᵀD(PB), and Σⱼ sⱼᵀ|D|sⱼ with sⱼ = |βⱼ| + mean|βⱼ| for Pβⱼ.

        The latter is at most σᵀ|D|σ, with the norms σ of the rows of s.
        """
        PB, size = B - B.mean(axis=0), np.abs(B)
        norms = np.linalg.norm(size + size.mean(axis=0), axis=1)
        found, made_of = np.zeros(len(problem.kernels)), np.zeros(len(problem.kernels))
        combined, sums = np.zeros(B.shape), np.zeros(len(B))
        for i, (K, trace) in enumerate(zip(problem.near.kernels, traces(problem), strict=True)):
            for rows, D in blocks(K, trace.mean):
                Y = D @ PB
                found[i] += float(np.vdot(PB[rows], Y))
                combined[rows] += weights[i] * Y
                Y = np.abs(D, out=D) @ norms
                made_of[i] += float(norms[rows] @ Y)
                sums[rows] += weights[i] * Y
        combined -= combined.mean(axis=0)
        return cls(found, made_of, combined, sums + sums.mean())

    def scaled(self, c: float) -> Pass:
        """The same for cB."""
        return Pass(c * c * self.forms, c * c * self.made_of, c * self.combined, c * self.rows)


def first_and_weights(problem: Scatter, theta: Array) -> tuple[float, Array]:
    """The factors of I and of G̃₁, …, G̃_p in M(θ)."""
    if isinstance(problem, Discriminant):
        return 1.0, theta / problem.lam
    return float(theta[0]), theta[1:]


def system(problem: Scatter, theta: Array) -> Array:
    """M(θ); in the joint programs plus a multiple of eeᵀ, which no hᵀM⁻¹h sees."""
    first, weights = first_and_weights(problem, theta)
    M: Array = np.zeros((problem.n, problem.n))
    for w, K, trace in zip(weights, problem.near.kernels, traces(problem), strict=True):
        if w:
            for rows, D in blocks(K, trace.mean):
                D *= w
                M[rows] += D
    # P(·)P, symmetric: D_ij - D_i. - D_.j + D_..
    M += M.T.copy()
    M /= 2
    means = M.mean(axis=1)
    M -= means[:, None]
    M += (means.mean() - means)[None, :]
    M.flat[:: problem.n + 1] += first
    if not isinstance(problem, Discriminant):
        M += np.trace(M) / problem.n**2
    return M


@dataclass(frozen=True)
class Solved:
    """X ≈ M(θ)⁻¹H and the residual E = H - MX; an inexact solve is charged, not trusted.

    `slack` is the allowance: σ‖PX‖² + ‖E₊‖²/θ₀, rounding, and what the budget may be off.
    """

    H: Array
    X: Array
    E: Array
    seen: Pass
    slack: float

    @property
    def value(self) -> Bounded:
        """Σⱼ hⱼᵀxⱼ + eⱼᵀxⱼ"""
        return float(np.sum(self.H * self.X) + np.sum(self.E * self.X)), self.slack

    @property
    def schur(self) -> Array:
        """HᵀX + XᵀE, symmetric: the slack times the identity above it is HᵀM⁻¹H at the least."""
        S = self.H.T @ self.X + self.X.T @ self.E
        symmetric: Array = (S + S.T) / 2
        return symmetric


def solved(problem: Scatter, theta: Array, H: Array) -> Solved | None:
    """One factorization, one step of refinement, one pass; None where θ₀ is zero."""
    first, _ = first_and_weights(problem, theta)
    if first <= 0:
        return None
    return charged(problem, theta, H, solver(system(problem, theta), first, refined=True)(H))


def checked(problem: Scatter, theta: Array, H: Array, X: Array) -> Solved | None:
    """The same for an X that is known already, in one pass; None where it is not exact enough."""
    if first_and_weights(problem, theta)[0] <= 0:
        return None
    at = charged(problem, theta, H, X)
    return at if at.slack <= EXACT * float(np.sum(H * X)) else None


def charged(problem: Scatter, theta: Array, H: Array, X: Array) -> Solved:
    """Whatever X is: its residual, and the allowance for all that is not known."""
    n, (first, weights) = problem.n, first_and_weights(problem, theta)
    seen = Pass.over(problem, X, weights)
    E: Array = H - first * X - seen.combined
    size = np.abs(X)
    off, spread = float(weights @ slacks(problem)), float(np.linalg.norm(X - X.mean(axis=0)))
    rows = np.linalg.norm(np.abs(H) + first * size, axis=1) + seen.rows
    residual = float(np.linalg.norm(E)) + rounding(n, float(np.linalg.norm(rows))) + off * spread
    magnitude = float(np.sum(size * (np.abs(H) + first * size))) + float(weights @ seen.made_of)
    charge = off * spread**2 + residual**2 / first
    # θ was divided by θᵀr, and r is itself rounded, and of the matrices held.
    shares = theta if isinstance(problem, Discriminant) else theta[1:]
    budget = float(shares @ uncertain(problem)) + rounding(len(theta), 1.0)
    total = abs(float(np.sum(H * X))) + abs(float(np.sum(E * X)))
    slack = (rounding(n, magnitude) + charge) * (1 + budget) + budget * total
    return Solved(H, X, E, seen, slack)


def slacks(problem: Scatter) -> Array:
    """sᵢ"""
    return problem.near.slack


def uncertain(problem: Scatter) -> Array:
    """|rᵢ₊ - rᵢ| at most: (n - 1)sᵢ, and the rounding of rᵢ."""
    rounded = np.array([trace.slack * trace.r for trace in traces(problem)])
    off: Array = rounded + (problem.n - 1) * slacks(problem)
    return off


def value(problem: Scatter, theta: Array, *, binary: bool) -> Bounded:
    """Σⱼ hⱼᵀM(θ)⁻¹hⱼ for θ ≥ 0, θᵀr = 1; infinite where θ₀ is zero."""
    at = solved(problem, theta, class_vectors(problem, binary=binary))
    return (np.inf, 0.0) if at is None else at.value


def bound(
    problem: Scatter, beta: Array, H: Array, seen: Pass | None = None
) -> tuple[Bounded, Array]:
    """max_c bound(cβ), for any β, and the forms at β; `seen` is the pass with β, if there was one.

    H holds the class vectors; HR for the restricted programs, where Z = RRᵀ, diag Z = 1.
    """
    n = problem.n
    b, b_slack = float(np.sum(beta * H)), rounding(n, float(np.sum(np.abs(beta * H))))
    square = float(np.sum(beta**2))
    seen = seen or Pass.over(problem, beta, np.zeros(len(problem.kernels)))
    r = np.array([trace.r for trace in traces(problem)])
    spread = min(float(np.sum((beta - beta.mean(axis=0)) ** 2)) * (1 + rounding(n, 4.0)), square)
    highest = seen.forms + rounding(n, 1.0) * seen.made_of + slacks(problem) * spread
    least = r - uncertain(problem)
    # no form exceeds the trace: βᵀG̃β ≤ r‖Pβ‖²
    most = np.minimum(highest / np.where(least > 0, least, TINY), spread)
    if isinstance(problem, Discriminant):
        q = square / 4 + float((seen.forms / r).max()) / (4 * problem.lam)
        q_most = (square + rounding(n, square) + float(most.max()) / problem.lam) / 4
    else:
        q = max(square / n, float((seen.forms / r).max())) / 4
        q_most = max((square + rounding(n, square)) / n, float(most.max())) / 4
    if not (b > b_slack and min(q, q_most) > 0 and np.isfinite(b * b / q)):
        return (0.0, 0.0), seen.forms  # β = 0 is always there
    best, low = b * b / (4 * q), (b - b_slack) ** 2 / (4 * q_most) * (1 - 8 * EPS)
    return (best, max(best - low, 0.0)), seen.forms


def restricted_value(at: Solved, t: Array) -> tuple[Bounded, Array]:
    """Σⱼ tⱼ, once t > 0 is multiplied up, or raised, to diag(t) ⪰ S(θ); and that t."""
    k, root, S = len(t), np.sqrt(t), at.schur
    # What the products of S round is charged to the factor.
    c = float(eigvalsh(S / np.outer(root, root))[-1])
    multiplied = c * float(t.sum()), (at.slack / float(t.min()) + k * k * EPS * c) * float(t.sum())
    more = max(float(eigvalsh(S - np.diag(t))[-1]), 0.0)
    size = float(np.abs(S).max() + t.max())
    raised = float(t.sum()) + k * more, k * (at.slack + k * k * EPS * size)
    if sum(raised) < sum(multiplied):
        return raised, t + more
    return multiplied, c * t


def unit_diagonal_root(Z: Array) -> Array:
    """R with RRᵀ ⪰ 0 of unit diagonal: the symmetric root of Z, its rows divided by their norms."""
    eig, V = eigh((Z + Z.T) / 2)
    R: Array = (V * np.sqrt(np.maximum(eig, 0.0))) @ V.T
    norms = np.linalg.norm(R, axis=1, keepdims=True)
    empty = norms[:, 0] == 0
    R[empty] = np.eye(len(R))[empty]
    return R / np.where(norms == 0, 1.0, norms)

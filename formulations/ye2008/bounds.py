r"""Both ends of the fifteen programs at any point: plain numpy, no programs.

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

`value` and `bound` return a number and an allowance for the rounding of their own arithmetic and
for the slack. They make all they need from kernels and labels, by other formulas than the programs.

From a nearly feasible point to an enclosure the repair is explicit: weights are clipped at zero and
divided by θᵀr; β needs none. Whatever it costs is inside the enclosure. A point may hold `theta`,
`beta`, or both, and for the restricted programs `t` and `Z`; what is missing is made from the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, eigvalsh

from cvxkernel.formulations import inputs
from cvxkernel.formulations.enclosure import (
    EPS,
    IDENTITY_SHARES,
    TINY,
    Bounded,
    Enclosure,
    rounding,
)
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.ye2008.data import Scatter, solver
from cvxkernel.formulations.ye2008.programs import Discriminant

CACHED = 2**17  # doubles, a megabyte
EXACT = 1e-9  # of the value: what the residual of a given X may cost
NO_VALUE: Bounded = (np.inf, 0.0)  # where the matrix of a system may be singular


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


def trace_budget(problem: Scatter) -> Array:
    """The r of θᵀr = 1, with r₀ = n in the joint programs."""
    r = np.array([trace.r for trace in traces(problem)])
    return r if isinstance(problem, Discriminant) else np.concatenate([[float(problem.n)], r])


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
        forms, made_of = np.zeros(len(weights)), np.zeros(len(weights))
        combined, sums = np.zeros(B.shape), np.zeros(len(B))
        for i, (K, trace) in enumerate(zip(problem.near.kernels, traces(problem), strict=True)):
            for rows, D in blocks(K, trace.mean):
                Y = D @ PB
                forms[i] += float(np.vdot(PB[rows], Y))
                combined[rows] += weights[i] * Y
                Y = np.abs(D, out=D) @ norms
                made_of[i] += float(norms[rows] @ Y)
                sums[rows] += weights[i] * Y
        combined -= combined.mean(axis=0)
        return cls(forms, made_of, combined, sums + sums.mean())

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
    n, (first, weights) = len(X), first_and_weights(problem, theta)
    seen = Pass.over(problem, X, weights)
    E: Array = H - first * X - seen.combined
    size = np.abs(X)
    off, spread = float(weights @ problem.near.slack), float(np.linalg.norm(X - X.mean(axis=0)))
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


def uncertain(problem: Scatter) -> Array:
    """|rᵢ₊ - rᵢ| at most: (n - 1)sᵢ, and the rounding of rᵢ."""
    rounded = np.array([trace.slack * trace.r for trace in traces(problem)])
    off: Array = rounded + (len(problem.y) - 1) * problem.near.slack
    return off


def value_at(at: Solved | None) -> Bounded:
    """The value of a system; infinite where there is none."""
    return NO_VALUE if at is None else at.value


def value(problem: Scatter, theta: Array, *, binary: bool) -> Bounded:
    """Σⱼ hⱼᵀM(θ)⁻¹hⱼ for θ ≥ 0, θᵀr = 1; infinite where θ₀ is zero."""
    return value_at(solved(problem, theta, class_vectors(problem, binary=binary)))


def bound(
    problem: Scatter, beta: Array, H: Array, seen: Pass | None = None
) -> tuple[Bounded, Array]:
    """max_c bound(cβ), for any β, and the forms at β; `seen` is the pass with β, if there was one.

    H holds the class vectors; HR for the restricted programs, where Z = RRᵀ, diag Z = 1.
    """
    n = len(beta)
    b, b_slack = float(np.sum(beta * H)), rounding(n, float(np.sum(np.abs(beta * H))))
    square = float(np.sum(beta**2))
    seen = seen or Pass.over(problem, beta, np.zeros(len(problem.kernels)))
    r = np.array([trace.r for trace in traces(problem)])
    spread = min(float(np.sum((beta - beta.mean(axis=0)) ** 2)) * (1 + rounding(n, 4.0)), square)
    highest = seen.forms + rounding(n, 1.0) * seen.made_of + problem.near.slack * spread
    r_least = r - uncertain(problem)
    # no form exceeds the trace: βᵀG̃β ≤ r‖Pβ‖²
    most = np.minimum(highest / np.where(r_least > 0, r_least, TINY), spread)
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


# -- From a point to both ends ---------------------------------------------------------------


@dataclass(frozen=True)
class Certificate:
    """The weights and the value there, the dual point and the bound there.

    `at` is the linear system there, None where the identity has no weight; `forms` are those of β.
    """

    theta: Array
    upper: Bounded
    at: Solved | None
    beta: Array
    lower: Bounded
    forms: Array

    def enclosure(self, value: float, **variables: Array) -> Enclosure:
        """lower and upper, each moved outwards by its allowance."""
        (low, down), (high, up) = self.lower, self.upper
        return Enclosure(value, low - down, high + up, variables)


def repair(problem: Scatter, theta: Array) -> Array:
    """θ clipped at zero and divided by θᵀr; the uniform θᵢ = 1/(p rᵢ) if nothing is left."""
    r = trace_budget(problem)
    theta = np.maximum(theta, 0.0)
    total = float(theta @ r)
    return theta / total if total > 0 else 1.0 / (len(r) * r)


def weights(problem: Scatter, point: Point) -> Iterator[Array]:
    """Feasible weights to try: the point's own; in the joint programs also with more identity.

    At θ₀ = 0 the matrix of (41) to (47) may be singular; a share s of the identity costs about s
    of the value, relatively, and makes it definite.
    """
    r = trace_budget(problem)
    given = inputs.weights("theta", point["theta"], r.shape) if "theta" in point else 1.0 / r
    theta = repair(problem, given)
    if isinstance(problem, Discriminant):
        yield theta
        return
    for share in IDENTITY_SHARES:
        mixed = (1 - share) * theta
        mixed[0] += share / r[0]
        yield mixed


def dual(
    problem: Scatter, point: Point, at: Solved | None, H: Array
) -> tuple[Bounded, tuple[Array, Array]]:
    """The better of two bounds: at β = 2M(θ)⁻¹H, the best for the weights, and at the point's own.

    With the bound its β and the forms there.
    """
    candidates = []
    if at is not None:
        beta: Array = 2 * at.X
        lower, forms = bound(problem, beta, H, at.seen.scaled(2.0))
        candidates.append((lower, (beta, forms)))
    if "beta" in point or at is None:
        beta = inputs.weights("beta", point.get("beta", np.zeros(H.shape)), H.shape)
        lower, forms = bound(problem, beta, H)
        candidates.append((lower, (beta, forms)))
    return max(candidates, key=lambda c: c[0][0] - c[0][1])


def certify(problem: Scatter, point: Point, *, binary: bool) -> Certificate:
    """The best value over the weights to try, and the better of the bounds.

    Whoever has M(θ)⁻¹H already gives it as `X`: then no factorization is needed.
    """
    H = class_vectors(problem, binary=binary)
    if "X" in point:
        theta, X = next(weights(problem, point)), inputs.weights("X", point["X"], H.shape)
        at = checked(problem, theta, H, X)
        if at is not None:
            lower, (beta, forms) = dual(problem, {}, at, H)
            return Certificate(theta, at.value, at, beta, lower, forms)
    tried = [(theta, solved(problem, theta, H)) for theta in weights(problem, point)]
    theta, at = min(tried, key=lambda pair: sum(value_at(pair[1])))
    lower, (beta, forms) = dual(problem, point, at, H)
    return Certificate(theta, value_at(at), at, beta, lower, forms)


def certify_restricted(problem: Scatter, point: Point) -> tuple[Certificate, Array, Array]:
    """The same for (32) and (45), and the t and Z that go with the two ends."""
    H = class_vectors(problem, binary=False)
    tried: list[tuple[Bounded, Array, Array, Solved | None]] = []
    for theta in weights(problem, point):
        at = solved(problem, theta, H)
        if at is None:
            tried.append((NO_VALUE, theta, np.full(problem.k, np.inf), at))
            continue
        lowest = np.sum(H * at.X, axis=0)  # tⱼ ≥ hⱼᵀM⁻¹hⱼ in any case, and k times that is enough
        t = inputs.weights("t", point["t"], (problem.k,)) if "t" in point else problem.k * lowest
        upper, t = restricted_value(at, np.maximum(t, lowest))
        tried.append((upper, theta, t, at))
    upper, theta, t, at = min(tried, key=lambda each: sum(each[0]))
    Z = inputs.weights("Z", point["Z"], (problem.k,) * 2) if "Z" in point else np.eye(problem.k)
    R = unit_diagonal_root(Z)
    lower, (beta, forms) = dual(problem, point, solved(problem, theta, H @ R), H @ R)
    return Certificate(theta, upper, at, beta, lower, forms), t, R @ R.T


# -- What each program calls its variables ---------------------------------------------------


@encloses("ye2008-thm2.1", "ye2008-eq41", binary=True)
@encloses("ye2008-eq29", binary=False)
@encloses("ye2008-eq29-single", "ye2008-eq45-single", binary=False, matrix=True)
def sdp(problem: Scatter, point: Point, *, binary: bool, matrix: bool = False) -> Enclosure:
    """t or T = HᵀM⁻¹H at the weights."""
    c = certify(problem, point, binary=binary)
    S = np.full((c.beta.shape[1],) * 2, np.inf) if c.at is None else c.at.schur
    beta = c.beta[:, 0] if binary else c.beta
    symbol = {"T": S} if matrix else {"t": S[0, 0] if binary else S.diagonal()}
    return c.enclosure(c.upper[0], theta=c.theta, beta=beta, **symbol)


@encloses("ye2008-thm3.1", "ye2008-eq45")
def restricted_sdp(problem: Scatter, point: Point) -> Enclosure:
    """t at the weights, and the unit-diagonal Z of the bound."""
    c, t, Z = certify_restricted(problem, point)
    return c.enclosure(c.upper[0], theta=c.theta, t=t, beta=c.beta, Z=Z)


@encloses("ye2008-thm2.2", "ye2008-eq43", binary=True)
@encloses("ye2008-thm3.2", "ye2008-eq46", binary=False)
def qcqp(problem: Scatter, point: Point, *, binary: bool) -> Enclosure:
    """β at its best scale, and t = maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/rᵢ there."""
    c = certify(problem, point, binary=binary)
    b = float(np.sum(c.beta * class_vectors(problem, binary=binary)))
    # At the best scale the bound is half of Σⱼ βⱼᵀhⱼ.
    scale = 2 * c.lower[0] / b if b > 0 else 0.0
    beta = scale * (c.beta[:, 0] if binary else c.beta)
    forms = c.forms if isinstance(problem, Discriminant) else [np.sum(c.beta**2), *c.forms]
    t = scale**2 * np.max(np.array(forms) / trace_budget(problem))
    return c.enclosure(c.lower[0], beta=beta, t=np.array(t), theta=c.theta)


@encloses("ye2008-thm2.3", "ye2008-eq44", binary=True)
@encloses("ye2008-thm3.3", "ye2008-eq47", binary=False)
def silp(problem: Scatter, point: Point, *, binary: bool) -> Enclosure:
    """γ = -value(θ); the enclosure changes sign."""
    c = certify(problem, point, binary=binary)
    beta = c.beta[:, 0] if binary else c.beta
    gamma = np.array(-c.upper[0])
    return -c.enclosure(c.upper[0], theta=c.theta, gamma=gamma, beta=beta)

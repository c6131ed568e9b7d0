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

Each function returns its number and an allowance for the rounding of its own arithmetic. It makes
everything it needs from the kernels and labels, by other formulas than the programs do.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh, eigvalsh

from cvxkernel.formulations.enclosure import Bounded, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008.data import Scatter
from cvxkernel.formulations.ye2008.fixed import Discriminant


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
    H: Array = np.multiply(problem.scale * factors, ones - ones.mean(axis=0))
    return H


def deviations(K: Array) -> Array:
    """D = K - K_.., symmetric. PDP = PKP; a difference of doubles rounds in its own last place."""
    D: Array = K - K.mean()
    D += D.T.copy()
    D /= 2
    return D


def centred(K: Array) -> Array:
    """PKP, symmetric: D_ij - D_i. - D_.j + D_.. ."""
    G = deviations(K)
    means = G.mean(axis=1)
    G -= means[:, None]
    G -= means[None, :]
    G += means.mean()
    return G


def made_of(K: Array) -> Array:
    """What the entries of PKP are summed from: |D_ij| + |D|_i. + |D|_.j + |D|_.. ."""
    size = deviations(K)
    np.abs(size, out=size)
    means = size.mean(axis=1)
    size += means[:, None]
    size += means[None, :]
    size += means.mean()
    return size


def trace(K: Array) -> Bounded:
    """r = trace(PKP), and the allowance for its rounding, relative to it."""
    r = float(np.trace(centred(K)))
    return r, rounding(len(K), float(np.trace(made_of(K)))) / r


def traces(problem: Scatter) -> list[Bounded]:
    """r₁, …, r_p with their allowances; they are asked for often, and made once for a problem."""
    if problem not in _TRACES:
        _TRACES[problem] = [trace(K) for K in problem.kernels]
    return _TRACES[problem]


_TRACES: WeakKeyDictionary[Scatter, list[Bounded]] = WeakKeyDictionary()


def first_and_weights(problem: Scatter, theta: Array) -> tuple[float, Array]:
    """The factors of I and of G̃₁, …, G̃_p in M(θ)."""
    if isinstance(problem, Discriminant):
        return 1.0, theta / problem.lam
    return float(theta[0]), theta[1:]


def system(problem: Scatter, theta: Array) -> Array:
    """M(θ); in the joint programs plus a multiple of eeᵀ, which no hᵀM⁻¹h sees."""
    first, weights = first_and_weights(problem, theta)
    M: Array = first * np.eye(problem.n)
    for w, K in zip(weights, problem.kernels, strict=True):
        if w:
            G = centred(K)
            G *= w
            M += G
    if not isinstance(problem, Discriminant):
        M += np.trace(M) / problem.n**2
    return M


def solved(problem: Scatter, theta: Array, H: Array) -> tuple[Array, Array, Array, float]:
    """X ≈ M(θ)⁻¹H, the residual E = H - MX, M⁻¹E, and the allowance for the rounding of Σⱼ hⱼᵀxⱼ.

    Raises LinAlgError if M(θ) is not definite.
    """
    M = system(problem, theta)
    lift = float(np.trace(M)) / problem.n**2
    factor = cho_factor(M, lower=True)
    X: Array = cho_solve(factor, H)
    E: Array = H - M @ X
    F: Array = cho_solve(factor, E)
    del M, factor
    size, total = np.abs(X), float(np.sum(H * X))
    first, weights = first_and_weights(problem, theta)
    magnitude = float(np.sum(size * (np.abs(H) + first * size)))
    for w, K in zip(weights, problem.kernels, strict=True):
        magnitude += w * float(np.sum(size * (made_of(K) @ size))) if w else 0.0
    if not isinstance(problem, Discriminant):
        magnitude += lift * float(np.sum(size.sum(axis=0) ** 2))
    # θ was divided by θᵀr, and r is itself rounded.
    budget = max(slack for _, slack in traces(problem)) * total
    return X, E, F, rounding(problem.n, magnitude) + budget


def value(problem: Scatter, theta: Array, *, binary: bool) -> Bounded:
    """Σⱼ hⱼᵀM(θ)⁻¹hⱼ for θ ≥ 0, θᵀr = 1; infinite where M(θ) is not definite.

    From X ≈ M⁻¹H with residual E = H - MX: hᵀM⁻¹h = hᵀx + eᵀx + eᵀM⁻¹e, so that an inexact solve
    is charged, not trusted.
    """
    H = class_vectors(problem, binary=binary)
    try:
        X, E, F, slack = solved(problem, theta, H)
    except LinAlgError:
        return np.inf, 0.0
    return float(np.sum(H * X) + np.sum(E * X) + np.sum(E * F)), slack


def bound(problem: Scatter, beta: Array, *, binary: bool, R: Array | None = None) -> Bounded:
    """max_c bound(cβ), for any β; with R for the restricted programs, where Z = RRᵀ, diag Z = 1."""
    n = problem.n
    H = class_vectors(problem, binary=binary)
    H = H if R is None else H @ R
    b, b_slack = float(np.sum(beta * H)), rounding(n, float(np.sum(np.abs(beta * H))))
    square = float(np.sum(beta**2))
    forms, slacks = [], []
    for K, (r, r_slack) in zip(problem.kernels, traces(problem), strict=True):
        form = float(np.sum(beta * (centred(K) @ beta))) / r
        forms.append(form)
        magnitude = float(np.sum(np.abs(beta) * (made_of(K) @ np.abs(beta))))
        slacks.append(rounding(n, magnitude) / r + r_slack * form)
    if isinstance(problem, Discriminant):
        q = square / 4 + max(forms) / (4 * problem.lam)
        q_slack = rounding(n, square) / 4 + max(slacks) / (4 * problem.lam)
    else:
        q = max(square / n, *forms) / 4
        q_slack = max(rounding(n, square) / n, *slacks) / 4
    if not (b > 0 and q > 0 and np.isfinite(b * b / q)):
        return 0.0, 0.0  # β = 0 is always there
    best = b * b / (4 * q)
    return best, best * (2 * b_slack / b + q_slack / q)


def restricted_value(problem: Scatter, theta: Array, t: Array) -> tuple[Bounded, Array]:
    """Σⱼ tⱼ, once t > 0 is multiplied up to diag(t) ⪰ S(θ), and that t."""
    H = class_vectors(problem, binary=False)
    try:
        X, E, F, slack = solved(problem, theta, H)
    except LinAlgError:
        return (np.inf, 0.0), t
    # S = HᵀX + XᵀE + EᵀM⁻¹E, exactly; what the products round is charged to the factor.
    S = H.T @ X + X.T @ E + E.T @ F
    S = (S + S.T) / 2
    root = np.sqrt(t)
    c = float(eigvalsh(S / np.outer(root, root))[-1])
    return (c * float(t.sum()), slack / float(t.min()) * float(t.sum())), c * t


def unit_diagonal_root(Z: Array) -> Array:
    """R with RRᵀ ⪰ 0 of unit diagonal: the symmetric root of Z, its rows divided by their norms."""
    eig, V = eigh((Z + Z.T) / 2)
    R: Array = (V * np.sqrt(np.maximum(eig, 0.0))) @ V.T
    norms = np.linalg.norm(R, axis=1, keepdims=True)
    empty = norms[:, 0] == 0
    R[empty] = np.eye(len(R))[empty]
    return R / np.where(norms == 0, 1.0, norms)

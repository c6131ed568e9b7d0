r"""Both ends of every program, in plain numpy: no programs here.

All of them have a support vector machine inside. With v = Yα, α in the box, and K ⪰ 0,

    (3)    ≥ 2η·1ᵀα - η vᵀKv                                                     for C = 1/(2ηn)
    (2)    ≥ 1ᵀα - ⟨W, S⟩ - ‖W‖²/(4ρ)         for any W ⪰ ½vvᵀ
    (7)    ≥ 2η·1ᵀα - ⟨W, S⟩                  for any W ⪰ ηvvᵀ with ‖W‖ ≤ γ
    (12)   ≥ 2η·1ᵀα - (what h takes)          `spectrum_bound`

and from above the printed objective at any K ⪰ 0 and any c. For a given α the best W is explicit:
W = ½vvᵀ + 2ρM₋ with M = S + vvᵀ/(4ρ) in (2); in (7) W = ηvvᵀ + (γ/τ)M₋ with M = S + (ητ/γ)vvᵀ,
where one number τ is left to be found, the distance ‖K - S‖ of K = M₊ from S.

Each W is made feasible by explicit steps, which are charged: a multiple of the identity for what
rounding takes from W ⪰ ηvvᵀ, and a factor for what is outside the ball (α with its square root).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh, eigvalsh
from scipy.optimize import brentq

from cvxkernel.formulations import svm
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.chen2009.programs import (
    KernelMachine,
    NewSample,
    RobustMachine,
    SpectrumMachine,
)
from cvxkernel.formulations.enclosure import EPS, TINY, Bounded, rounding
from cvxkernel.formulations.inputs import Array

ROOT = 1e-14  # relative accuracy of τ, the rest is charged
EVALUATIONS, BORDER = 25, 3  # eigendecompositions at most, in search of τ
FARTHEST = np.log(1e3)  # how far one of its steps may lead


class Primal(NamedTuple):
    """c in the feature space of K, with its best b: the SVM's two terms and their allowances."""

    losses: Bounded  # 1ᵀξ
    form: Bounded  # cᵀKc
    point: dict[str, Array]  # c, z = Kc, b and ξ

    def value(self, loss: float, ridge: float) -> Bounded:
        """loss·1ᵀξ + ridge·cᵀKc"""
        total = loss * self.losses[0] + ridge * self.form[0]
        return total, loss * self.losses[1] + ridge * self.form[1]


class Dual(NamedTuple):
    """A feasible α, what it is worth, and the W and K that belong to it."""

    value: Bounded
    alpha: Array
    W: Array
    K: Array


def primal(K: Array, y: Array, c: Array) -> Primal:
    """1ᵀξ and cᵀKc for z = Kc, at the b of the least 1ᵀξ, ξ = max(0, 1 - Y(z + b1))."""
    n = len(y)
    z = K @ c
    b = svm.offset(y * z, y)
    xi = np.maximum(0.0, 1 - y * (z + b))
    made_of = 1 + np.abs(K) @ np.abs(c) + abs(b)
    near = y * (z + b) < 1 + rounding(n, 1.0) * made_of  # only these can add to the sum
    losses = float(xi.sum()), rounding(n, float(np.sum(near * made_of)))
    form = float(c @ z), rounding(n, float(np.abs(c) @ np.abs(K) @ np.abs(c)))
    return Primal(losses, form, {"c": c, "z": z, "b": np.array(b), "xi": xi})


def semidefinite(K: Array) -> Array:
    """K symmetric, plus the multiple of the identity that makes it semidefinite beyond rounding."""
    K = (K + K.T) / 2
    d = eigvalsh(K)
    shift = max(0.0, rounding(len(K), float(np.abs(d).max())) - float(d[0]))
    return K + shift * np.eye(len(K)) if shift else K


def distance(K: Array, S: Array) -> Bounded:
    """‖K - S‖_F, and the allowance for its rounding."""
    d = float(np.linalg.norm(K - S))
    return d, rounding(len(K), d) + EPS * float(np.linalg.norm(np.abs(K) + np.abs(S)))


def coefficients(K: Array, z: Array) -> Array:
    """c = K†z, where the eigenvalues of K that are zero to rounding are not inverted."""
    d, V = spectrum.eigen(K)
    kept = d > 0
    c: Array = V[:, kept] @ ((z @ V[:, kept]) / d[kept])
    return c


def split(S: Array, v: Array, s: float) -> tuple[Array, Array]:
    """M₊ and M₋ of M = S + s·vvᵀ = M₊ - M₋."""
    lam, U = eigh((S + S.T) / 2 + s * np.outer(v, v))
    return spectrum.compose(np.maximum(lam, 0.0), U), spectrum.compose(np.maximum(-lam, 0.0), U)


def above(rank_one: float, v: Array, rest: Array) -> Array:
    """rank_one·vvᵀ + rest, plus the multiple of the identity that rounding of either may take."""
    magnitude = rank_one * float(v @ v) + float(np.linalg.norm(rest))
    W: Array = rank_one * np.outer(v, v) + rest + rounding(len(v), magnitude) * np.eye(len(v))
    return W


def inner(W: Array, S: Array) -> Bounded:
    """⟨W, S⟩, and the allowance for its rounding."""
    return float(np.sum(W * S)), rounding(W.size, float(np.sum(np.abs(W) * np.abs(S))))


# -- (2): the robust machine -----------------------------------------------------------------------


def robust_value(problem: RobustMachine, alpha: Array) -> Dual:
    """min over K ⪰ 0 of g(α, K) + ρ‖K - S‖², through its dual at W = ½vvᵀ + 2ρM₋."""
    rho, v = problem.rho, problem.y * alpha
    K, rest = split(problem.S, v, 1 / (4 * rho))
    W = above(0.5, v, 2 * rho * rest)
    form, slack = inner(W, problem.S)
    square, total = float(np.sum(W * W)) / (4 * rho), float(alpha.sum())
    slack += rounding(W.size, square) + rounding(problem.n, total)
    return Dual((total - form - square, slack), alpha, W, K)


def robust_bound(problem: RobustMachine, K: Array, c: Array) -> tuple[Bounded, dict[str, Array]]:
    """C·1ᵀξ + ½cᵀKc + ρ‖K - S‖² at any K ⪰ 0 and any c."""
    machine, (d, slack) = primal(K, problem.y, c), distance(K, problem.S)
    total, allowance = machine.value(problem.C, 0.5)
    total, allowance = (
        total + problem.rho * d * d,
        allowance + problem.rho * (2 * d + slack) * slack,
    )
    return (total, allowance), {**machine.point, "u": np.array(machine.form[0])}


# -- (7): the kernel matrix learned ----------------------------------------------------------------


def kernel_bound(problem: KernelMachine, alpha: Array, tau: float | None = None) -> Dual:
    """2η·1ᵀα - ⟨W, S⟩ at the best W for α; `tau` is where the search for ‖K - S‖ starts."""
    eta, gamma, S = problem.eta, problem.gamma, problem.S
    square = eta * float(alpha @ alpha)
    if square > gamma:  # W ⪰ ηvvᵀ alone is outside the ball
        alpha = alpha * np.sqrt(gamma / square)
    v = problem.y * alpha

    def at(x: float) -> tuple[float, Array, Array]:
        tau = float(np.exp(x))
        s = eta * tau / gamma
        K, rest = split(S, v, s)
        if not rest.any():  # K - S = s·vvᵀ: on the ray whatever τ, and W = ηvvᵀ
            return 0.0, K, rest
        return float(np.log(np.linalg.norm(s * np.outer(v, v) + rest))) - x, K, rest / tau

    # log‖K_τ - S‖ - log τ decreases in log τ with a slope between -1 and 0: the first step has
    # slope -1, the others are the secant's.
    size = float(np.linalg.norm(S))
    if not tau:
        tau = max(float(np.linalg.norm(np.minimum(eigvalsh(S), 0.0))), ROOT * size, TINY)
    x = float(np.log(tau))
    h, K, rest = at(x)
    best, slope = (abs(h), K, rest), -1.0
    # On the border of the ball the root is at infinity, or everywhere: the factor below serves.
    for _ in range(EVALUATIONS if square < (1 - 1e-6) * gamma else BORDER):
        if abs(h) <= ROOT:
            break
        step = float(np.clip(-h / min(slope, -1e-6), -FARTHEST, FARTHEST))
        x, before = x + step, h
        h, K, rest = at(x)
        if abs(h) < best[0]:
            best = (abs(h), K, rest)
        elif abs(h) <= 1e-12:
            break
        slope = (h - before) / step
    _, K, rest = best
    W = above(eta, v, gamma * rest)
    norm = float(np.linalg.norm(W)) * (1 + rounding(problem.n, 1.0))
    x2 = min(1.0, gamma / norm) if norm > 0 else 1.0  # W·x² and α·x are feasible
    W, alpha = W * x2, alpha * np.sqrt(x2)
    form, slack = inner(W, S)
    total = 2 * eta * float(alpha.sum())
    return Dual((total - form, slack + rounding(problem.n, total)), alpha, W, K)


def kernel_value(problem: KernelMachine, K: Array, c: Array) -> tuple[Bounded, dict[str, Array]]:
    """(1/n)·1ᵀξ + ηcᵀKc + γ‖K - S‖ at any K ⪰ 0 and any c."""
    machine, (d, slack) = primal(K, problem.y, c), distance(K, problem.S)
    total, allowance = machine.value(1 / problem.n, problem.eta)
    point = {**machine.point, "u": np.array(machine.form[0]), "v": np.array(d)}
    return (total + problem.gamma * d, allowance + problem.gamma * slack), point


# -- (12): a spectrum modification learned ---------------------------------------------------------


def regularizer(problem: SpectrumMachine, a: Array) -> float:
    """h(a)"""
    lam = problem.Lam
    if problem.h == "spectrum":
        return float(np.linalg.norm(lam * (a - 1)))
    clip, flip = (float(np.linalg.norm(a - a0(lam))) for a0 in (spectrum.a_clip, spectrum.a_flip))
    return {"clip": clip, "flip": flip, "both": clip + flip}[problem.h]


def spectrum_value(
    problem: SpectrumMachine, a: Array, c: Array
) -> tuple[Bounded, dict[str, Array]]:
    """(1/n)·1ᵀξ + ηcᵀK_ac + γh(a) at any a with Λa ≥ 0 and any c."""
    U, k = problem.U, problem.Lam * a
    machine = primal(spectrum.compose(k, U), problem.y, c)
    h = regularizer(problem, a)
    total, allowance = machine.value(1 / problem.n, problem.eta)
    z = k * (U.T @ c)  # in the paper's (12) z = diag(a)ΛUᵀc
    u = np.divide(z * z, k, out=np.zeros_like(z), where=k > 0)
    made_of = problem.gamma * (h + float(np.linalg.norm(a)) + np.sqrt(problem.n))
    point = {**machine.point, "z": z, "a": a, "u": u, "v": np.array(h)}
    return (total + problem.gamma * h, allowance + rounding(problem.n, made_of)), point


def spectrum_bound(problem: SpectrumMachine, alpha: Array, a: Array) -> tuple[Bounded, Array]:
    r"""The dual of (12) at α; and α, scaled where it had to be.

    With w = Uᵀv and q = ηλ∘w² it is

        maximize    2η·1ᵀα - Σⱼ pⱼᵀaⱼ
        subject to  α ∈ A,  ‖pⱼ‖₂ ≤ γ
                    Σⱼ pⱼ ≥ q where λᵢ > 0,  ≤ q where λᵢ < 0,  = 0 where λᵢ = 0

    with one pⱼ for each norm ‖a - aⱼ‖ in h: γ‖a - aⱼ‖ = max pⱼᵀ(a - aⱼ), and what then multiplies
    each aᵢ must not be negative along the ray that Λa ≥ 0 leaves it. For clip and for flip p = q is
    best: α is bound to ‖q‖ ≤ γ. For both p₁ + p₂ = q, shared out by the distances of `a` from
    a_clip and from a_flip. For spectrum the norm is ‖λ∘(a - 1)‖, and with p = λ∘π
    π ≥ ηw², ‖π‖ ≤ γ where λᵢ ≠ 0: the diagonal of (7)'s W, made the same way.
    """
    eta, gamma, lam, n = problem.eta, problem.gamma, problem.Lam, problem.n
    w2 = (problem.U.T @ (problem.y * alpha)) ** 2
    q = eta * lam * w2
    clip, flip = spectrum.a_clip(lam), spectrum.a_flip(lam)
    if problem.h == "both":
        # At the distances r₁ and r₂, p₁/γ = (a - a_clip)/r₁ and p₂/γ = (a - a_flip)/r₂ add up to
        # q/γ at one a. These are p₁ and p₂ there, whatever r₁, r₂ > 0: only the ball may be missed.
        r1, r2 = (max(float(np.linalg.norm(a - a0)), EPS) for a0 in (clip, flip))
        p1 = (gamma * (flip - clip) + r2 * q) / (r1 + r2)
        terms = [(p1, clip), (q - p1, flip)]
    elif problem.h == "spectrum":
        terms = [(diagonal(lam, np.where(lam != 0, eta * w2, 0.0), gamma), lam)]  # pᵀa₀ = πᵀλ
    else:
        terms = [(q, clip if problem.h == "clip" else flip)]
    norm = max(float(np.linalg.norm(p)) for p, _ in terms) * (1 + rounding(n, 1.0))
    x2 = min(1.0, gamma / norm) if norm > 0 else 1.0
    total = 2 * eta * float(alpha.sum()) * np.sqrt(x2)
    cost = x2 * sum(float(p @ a0) for p, a0 in terms)
    # q is rounded by |U|ᵀ|v| in each w: it enters the cost twice over.
    made = 2 * eta * np.abs(lam) * np.sqrt(w2) * (np.abs(problem.U).T @ alpha)
    magnitude = sum(float(np.abs(p) @ np.abs(a0)) for p, a0 in terms) + float(made.sum()) + total
    return (total - cost, 2 * rounding(n, magnitude)), alpha * np.sqrt(x2)


def diagonal(lam: Array, least: Array, gamma: float) -> Array:
    """The π ≥ `least` of the smallest πᵀλ with ‖π‖ ≤ γ: max(least, -γλ/τ) at the right τ.

    Where `least` is itself outside the ball it is returned, and the caller's factor serves.
    """
    if float(np.linalg.norm(least)) >= gamma or not (lam < 0).any():
        return least

    def excess(x: float) -> float:
        return float(np.linalg.norm(np.maximum(least, -lam * np.exp(x)))) - gamma

    # x = log(γ/τ): at the upper end the part of the negative λ alone is outside the ball
    top = float(np.log(2 * gamma / np.linalg.norm(np.minimum(lam, 0.0))))
    x = float(brentq(excess, top - 80.0, top, xtol=1e-14)) if excess(top - 80.0) < 0 else top - 80.0
    pi: Array = np.maximum(least, -lam * np.exp(x))
    return pi


# -- (8): the column of a test sample --------------------------------------------------------------


def column(problem: NewSample, mu: float, shrink: float = 0.0) -> tuple[Array, float]:
    """k(μ) = V diag(2d/(2d + μ))Vᵀs, which minimizes the Lagrangian of (8), and r = kᵀK†k.

    K = V diag(d)Vᵀ; every d that is not zero is first made smaller by `shrink`.
    """
    d, V = problem.eigen
    d = np.maximum(d - shrink, 0.0)
    sigma = V.T @ problem.s
    kept = d > 0
    if mu <= 0 and kept.all():
        return problem.s, float(np.sum(sigma**2 / d))
    kappa = np.zeros_like(d)
    kappa[kept] = sigma[kept] * 2 * d[kept] / (2 * d[kept] + mu)
    return V @ kappa, float(np.sum(kappa[kept] ** 2 / d[kept]))


def column_value(problem: NewSample, mu: float) -> tuple[Bounded, Array, float]:
    """2‖k - s‖² + (r - ψ)² at k(μ) and the best r, feasible for eigenvalues smaller by rounding."""
    d, _ = problem.eigen
    n, s, psi = problem.n, problem.s, problem.psi
    k, least = column(problem, mu, rounding(n, float(d.max())))
    r = max(least * (1 + rounding(n, 2.0)), psi, 0.0)
    off = k - s
    total = 2 * float(off @ off) + (r - psi) ** 2
    made = float(np.linalg.norm(s))
    slack = 4 * float(np.linalg.norm(off)) * rounding(n, made) + 2 * rounding(n, made) ** 2
    slack += rounding(n, total) + 2 * abs(r - psi) * rounding(1, abs(r) + abs(psi))
    return (total, slack if total else 0.0), k, r


def column_bound(problem: NewSample, mu: float) -> Bounded:
    r"""min over k and r of the Lagrangian, for eigenvalues larger by rounding:

    Σᵢ 2σᵢ²μ/(2dᵢ + μ) - μψ - μ²/4,  σ = Vᵀs,  with 2σᵢ² where dᵢ = 0: off the range of K.
    """
    d, V = problem.eigen
    sigma, off = V.T @ problem.s, d == 0
    d = d + rounding(problem.n, float(d.max()))
    shares = np.where(off, 1.0, mu / (2 * d + mu))
    terms = 2 * sigma**2 * shares
    total = float(terms.sum()) - mu * problem.psi - mu * mu / 4
    made = float(terms.sum()) + mu * abs(problem.psi) + mu * mu / 4
    # σ is rounded by ‖s‖ in each entry
    made += 2 * float(np.abs(sigma) @ shares) * float(np.linalg.norm(problem.s))
    return total, rounding(problem.n, made)

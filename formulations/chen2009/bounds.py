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
from cvxkernel.formulations.enclosure import EPS, Bounded, quadratic, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array

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


def primal(K: Array, y: Array, c: Array, b: float | None = None) -> Primal:
    """1ᵀξ and cᵀKc for z = Kc, ξ = max(0, 1 - Y(z + b1)), at the b given or of the least 1ᵀξ."""
    n = len(y)
    z = K @ c
    b = svm.offset(y * z, y) if b is None else b
    xi = np.maximum(0.0, 1 - y * (z + b))
    made_of = 1 + np.abs(K) @ np.abs(c) + abs(b)
    near = y * (z + b) < 1 + rounding(n, 1.0) * made_of  # only these can add to the sum
    losses = float(xi.sum()), rounding(n, float(np.sum(near * made_of)))
    form = float(c @ z), rounding(n, float(np.abs(c) @ np.abs(K) @ np.abs(c)))
    return Primal(losses, form, {"c": c, "z": z, "b": np.array(b), "xi": xi})


def best_primal(K: Array, y: Array, c: Array, loss: float, ridge: float) -> Primal:
    """Of c and a few multiples of it, the one of the least loss·1ᵀξ + ridge·cᵀKc.

    A solver leaves the margins of its support vectors a little short of 1, which is dear where the
    loss is: c is taken as it is; so much longer that none of those within a thousandth of 1 is
    short; and, where it separates the classes, so long that no sample is.
    """
    found = [primal(K, y, c)]
    z, b = found[0].point["z"], float(found[0].point["b"])
    made_of = 1 + np.abs(K) @ np.abs(c) + abs(b)
    up, down = float(z[y > 0].min()), float(z[y < 0].max())
    for offset, band in ((b, 1e-3), (-(up + down) / 2, 1.0)):
        margins = y * (z + offset) - 2 * rounding(len(y), 1.0) * made_of
        least = float(margins[margins > 1 - band].min(initial=1.0))
        if 0 < least < np.inf and (band < 1 or (margins > 0).all()):
            found.append(primal(K, y, c / least, offset / least))
    return min(found, key=lambda machine: sum(machine.value(loss, ridge)))


def semidefinite(K: Array) -> Array:
    """K symmetric, plus the multiple of the identity that makes it semidefinite beyond rounding."""
    K = (K + K.T) / 2
    d = eigvalsh(K)
    shift = max(0.0, rounding(len(K), float(np.abs(d).max())) - float(d[0]))
    return K + shift * np.eye(len(K)) if shift else K


def distance(K: Array, S: Array) -> Bounded:
    """‖K - S‖_F, and the allowance for its rounding."""
    if K is S:
        return 0.0, 0.0
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
    machine = best_primal(K, problem.y, c, problem.C, 0.5)
    d, slack = distance(K, problem.S)
    total, allowance = machine.value(problem.C, 0.5)
    total, allowance = (
        total + problem.rho * d * d,
        allowance + problem.rho * (2 * d + slack) * slack,
    )
    return (total, allowance), {**machine.point, "u": np.array(machine.form[0])}


# -- (7): the kernel matrix learned ----------------------------------------------------------------


def kernel_bound(problem: KernelMachine, alpha: Array, tau: float | None = None) -> Dual:
    """2η·1ᵀα - ⟨W, S⟩ at the best W for α; `tau` is where the search for ‖K - S‖ starts.

    Or at W = ηvvᵀ itself, which is best where S ⪰ 0, and which nothing but vᵀSv is charged for.
    """
    eta, gamma = problem.eta, problem.gamma
    square = eta * float(alpha @ alpha) * (1 + rounding(problem.n, 1.0))
    if square > gamma:  # W ⪰ ηvvᵀ alone is outside the ball
        alpha = alpha * np.sqrt(gamma / square)
    v = problem.y * alpha
    plain = _plain_bound(problem, alpha)
    least = negative_part(problem.S)
    if not least > 0:
        return plain
    K, rest = _at_distance(problem, v, least, tau)
    W = above(eta, v, gamma * rest)
    norm = float(np.linalg.norm(W)) * (1 + rounding(problem.n, 1.0))
    x2 = min(1.0, gamma / norm) if norm > 0 else 1.0  # W·x² and α·x are feasible
    W, alpha = W * x2, alpha * np.sqrt(x2)
    form, slack = inner(W, problem.S)
    total = 2 * eta * float(alpha.sum())
    found = Dual((total - form, slack + rounding(problem.n, total)), alpha, W, K)
    return max(found, plain, key=lambda dual: dual.value[0] - dual.value[1])


def _plain_bound(problem: KernelMachine, alpha: Array) -> Dual:
    """2η·1ᵀα - ηvᵀSv for ηαᵀα ≤ γ, and S₊."""
    eta, S, v = problem.eta, problem.S, problem.y * alpha
    form, slack = quadratic(S, v[:, None])
    total = 2 * eta * float(alpha.sum())
    value = total - eta * form, eta * slack + rounding(problem.n, total)
    return Dual(value, alpha, eta * np.outer(v, v), split(S, v, 0.0)[0])


@per_array
def negative_part(S: Array) -> float:
    """‖S₋‖, as doubles give it: zero for no more than S that has no eigenvalue below zero."""
    return float(np.linalg.norm(np.minimum(eigvalsh((S + S.T) / 2), 0.0)))


def _at_distance(
    problem: KernelMachine, v: Array, least: float, tau: float | None
) -> tuple[Array, Array]:
    """K_τ = M₊ and M₋/τ of M = S + (ητ/γ)vvᵀ, at the τ with ‖K_τ - S‖ = τ to rounding.

    ‖S₋‖ ≤ ‖K_τ - S‖ ≤ τη|v|²/γ + ‖S₋‖, so that ‖S₋‖ ≤ τ ≤ ‖S₋‖/(1 - η|v|²/γ).
    """
    ratio = problem.eta / problem.gamma

    def at(x: float) -> tuple[float, Array, Array]:
        tau = float(np.exp(x))
        K, rest = split(problem.S, v, ratio * tau)
        rest /= tau
        size = float(np.linalg.norm(ratio * np.outer(v, v) + rest))
        return float(np.log(size)) if size > 0 else 0.0, K, rest

    # log‖K_τ - S‖ - log τ decreases in log τ with a slope between -1 and 0: the first step has
    # slope -1, the others are the secant's.
    room = max(1 - ratio * float(v @ v), EPS)
    low, high = float(np.log(least)), float(np.log(least / room)) + 1e-9
    x = low if not tau else float(np.clip(np.log(tau), low, high))
    h, K, rest = at(x)
    best, slope = (abs(h), K, rest), -1.0
    # On the border of the ball the root is at infinity, or everywhere: the caller's factor serves.
    for _ in range(EVALUATIONS if room > 1e-6 else BORDER):
        if abs(h) <= ROOT:
            break
        step = float(np.clip(-h / min(slope, -1e-6), -FARTHEST, FARTHEST))
        step = float(np.clip(x + step, low - 1e-9, high)) - x
        if step == 0:
            break
        x, before = x + step, h
        h, K, rest = at(x)
        if abs(h) < best[0]:
            best = (abs(h), K, rest)
        elif abs(h) <= 1e-12:
            break
        slope = (h - before) / step
    return best[1], best[2]


def kernel_value(problem: KernelMachine, K: Array, c: Array) -> tuple[Bounded, dict[str, Array]]:
    """(1/n)·1ᵀξ + ηcᵀKc + γ‖K - S‖ at any K ⪰ 0 and any c."""
    machine = best_primal(K, problem.y, c, 1 / problem.n, problem.eta)
    d, slack = distance(K, problem.S)
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
    U, k = problem.basis.U, problem.Lam * a
    machine = best_primal(spectrum.compose(k, U), problem.y, c, 1 / problem.n, problem.eta)
    h = regularizer(problem, a)
    total, allowance = machine.value(1 / problem.n, problem.eta)
    # With the exact U, K_a is within 2.1‖U - U*‖·max k of this one.
    size = float(np.linalg.norm(machine.point["c"]))
    moved = 2.1 * problem.basis.error * float(np.abs(k).max())
    moved += problem.basis.off * float(np.abs(a).max())
    allowance += moved * (size / np.sqrt(problem.n) + problem.eta * size * size)
    # a is a double and a - a₀ has a relative error alone; λ enters into h for spectrum only.
    off = problem.basis.off if problem.h == "spectrum" else 0.0
    uncertain = off * float(np.linalg.norm(a[problem.Lam != 0] - 1))
    z = k * (U.T @ machine.point["c"])  # in the paper's (12) z = diag(a)ΛUᵀc
    u = np.divide(z * z, k, out=np.zeros_like(z), where=k > 0)
    made_of = problem.gamma * (rounding(problem.n, 4 * h) + uncertain)
    point = {**machine.point, "z": z, "a": a, "u": u, "v": np.array(h)}
    return (total + problem.gamma * h, allowance + made_of), point


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
    U, v = problem.basis.U, problem.y * alpha
    w = U.T @ v
    # With the exact U, w is within ‖U - U*‖·‖v‖ of this one, and λ within `off`.
    near = problem.basis.error * float(np.linalg.norm(v)) + rounding(n, 1.0) * (np.abs(U).T @ alpha)
    w2, more = w**2, 2 * np.abs(w) * near + near**2
    q = eta * lam * w2
    off = np.where(lam == 0, 0.0, problem.basis.off)
    moved = eta * (np.abs(lam) * more + off * (w2 + more))  # |q - q*|
    clip, flip = spectrum.a_clip(lam), spectrum.a_flip(lam)
    if problem.h == "both":
        # At the distances r₁ and r₂, p₁/γ = (a - a_clip)/r₁ and p₂/γ = (a - a_flip)/r₂ add up to
        # q/γ at one a. These are p₁ and p₂ there, whatever r₁, r₂ > 0: only the ball may be missed.
        r1, r2 = (max(float(np.linalg.norm(a - a0)), EPS) for a0 in (clip, flip))
        p1 = (gamma * (flip - clip) + r2 * q) / (r1 + r2)
        terms = [(p1, clip), (q - p1, flip)]
    elif problem.h == "spectrum":
        least = np.where(lam != 0, eta * (w2 + more), 0.0)
        terms = [(diagonal(lam, least, gamma), lam)]  # pᵀa₀ = πᵀλ
        moved = np.zeros(n)
    else:
        terms = [(q, clip if problem.h == "clip" else flip)]
    norm = max(float(np.linalg.norm(np.abs(p) + moved)) for p, _ in terms)
    norm *= 1 + rounding(n, 1.0)
    x2 = min(1.0, gamma / norm) if norm > 0 else 1.0
    total = 2 * eta * float(alpha.sum()) * np.sqrt(x2)
    cost = x2 * sum(float(p @ a0) for p, a0 in terms)
    magnitude = sum(float(np.abs(p) @ np.abs(a0)) for p, a0 in terms) + total
    uncertain = float(moved.sum()) + float(np.abs(terms[0][0]) @ off)
    return (total - cost, 2 * rounding(n, magnitude) + uncertain), alpha * np.sqrt(x2)


def spectrum_responses(problem: SpectrumMachine, alpha: Array, a: Array) -> list[Array]:
    """The a that belong to α for h = spectrum: λ∘a = max(λ + (τ/γ)ηw², 0), τ = ‖λ∘a - λ‖.

    τ is that of `a`, and of the dual's π = max(ηw², -γλ/τ) where λ < 0 decides it.
    """
    lam, gamma = problem.Lam, problem.gamma
    least = problem.eta * (problem.basis.U.T @ (problem.y * alpha)) ** 2
    least = np.where(lam != 0, least, 0.0)
    taus = [float(np.linalg.norm(lam * (a - 1)))]
    negative = lam < 0
    if negative.any():
        pi = diagonal(lam, least, gamma)
        first = int(np.argmax(np.where(negative, pi - least, -np.inf)))
        if pi[first] > least[first]:
            taus.append(float(-gamma * lam[first] / pi[first]))
    out = []
    for tau in taus:
        k = np.maximum(lam + tau / gamma * least, 0.0)
        out.append(np.divide(k, lam, out=np.ones_like(lam), where=lam != 0))
    return [x for x in out if np.isfinite(x).all()]


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


def column(problem: NewSample, mu: float) -> tuple[Array, Array, float]:
    """k(μ) = Vκ with κ = 2d/(2d + μ)∘Vᵀs, which minimizes the Lagrangian of (8); κ; r = kᵀK†k.

    K = V diag(d)Vᵀ; d is at its low end, with which k is feasible for any other.
    """
    d, V = problem.eigen.low, problem.eigen.V
    sigma, kept = V.T @ problem.s, d > 0
    kappa = np.zeros_like(d)
    kappa[kept] = sigma[kept] * (2 * d[kept] / (2 * d[kept] + mu))
    return V @ kappa, kappa, float(np.sum(kappa[kept] ** 2 / d[kept]))


def multiplier(problem: NewSample) -> float:
    """The μ ≥ 0 of the largest bound: kᵀK†k = ψ + μ/2 at k(μ), zero where s is consistent."""
    d, psi = problem.eigen.low, problem.psi
    d, sigma2 = d[d > 0], ((problem.eigen.V.T @ problem.s) ** 2)[d > 0]

    def excess(x: float) -> float:
        mu = float(np.exp(x))
        return float(np.sum(sigma2 * 4 * d / (2 * d + mu) ** 2)) - psi - mu / 2

    most = max(float(np.sum(sigma2 / d)) if len(d) else 0.0, abs(psi), float(problem.s @ problem.s))
    if not most > 0 or not np.isfinite(most):
        return 0.0
    # kᵀK†k falls in μ and μ/2 rises: one crossing, sought by its logarithm
    top = float(np.log(2 * most)) + 1
    bottom = top - 300.0
    if excess(bottom) <= 0:
        return 0.0
    return float(np.exp(brentq(excess, bottom, top, xtol=1e-15, rtol=1e-14)))


def column_value(problem: NewSample, mu: float) -> tuple[Bounded, Array, float]:
    """2‖k - s‖² + (r - ψ)² at k(μ) and the best r."""
    n, s, psi, error = problem.n, problem.s, problem.psi, problem.eigen.error
    made = float(np.linalg.norm(s))
    if _consistent(problem):
        return (0.0, 0.0), s, psi
    k, kappa, least = column(problem, mu)
    r = max(least * (1 + rounding(n, 2.0)), psi, 0.0)
    away = k - s
    total = 2 * float(away @ away) + (r - psi) ** 2
    near = error * float(np.linalg.norm(kappa)) + rounding(n, made)  # k from the exact V
    slack = 4 * float(np.linalg.norm(away)) * near + 2 * near**2
    slack += rounding(n, total) + 2 * abs(r - psi) * rounding(1, abs(r) + abs(psi))
    return (total, slack if total else 0.0), k, r


def _consistent(problem: NewSample) -> bool:
    """Whether k = s and r = ψ are feasible: K is definite and sᵀK⁻¹s ≤ ψ, rounding and all."""
    d, n, s = problem.eigen.low, problem.n, problem.s
    if not (d > 0).all():
        return not s.any() and problem.psi >= 0
    near = problem.eigen.error * float(np.linalg.norm(s))
    sigma = np.abs(problem.eigen.V.T @ s) + near + rounding(n, float(np.linalg.norm(s)))
    return float(np.sum(sigma**2 / d)) * (1 + rounding(n, 2.0)) <= problem.psi


def column_bound(problem: NewSample, mu: float) -> Bounded:
    r"""min over k and r of the Lagrangian, d at its high end:

    Σᵢ 2σᵢ²μ/(2dᵢ + μ) - μψ - μ²/4,  σ = Vᵀs,  with 2σᵢ² where dᵢ = 0: off the range of K.
    """
    _, d, V, error = problem.eigen
    sigma, size = V.T @ problem.s, float(np.linalg.norm(problem.s))
    shares = np.divide(mu, 2 * d + mu, out=np.ones_like(d), where=d > 0)
    terms = 2 * sigma**2 * shares
    total = float(terms.sum()) - mu * problem.psi - mu * mu / 4
    made = float(terms.sum()) + mu * abs(problem.psi) + mu * mu / 4
    # σ is off by `near` in each entry, from the exact V and from rounding
    near = error * size + rounding(problem.n, size)
    moved = 2 * float((2 * np.abs(sigma) + near) @ shares) * near
    return total, rounding(problem.n, made) + moved

"""(12): the kernel is a modification of the spectrum of S, K_a = U diag(a)ΛUᵀ."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.chen2009.bounds.machine import (
    best_primal,
    feasible_alpha,
    primal,
    vector,
)
from cvxkernel.formulations.chen2009.frame import framed
from cvxkernel.formulations.chen2009.programs import SpectrumMachine
from cvxkernel.formulations.enclosure import EPS, Bounded, Enclosure, rounding
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array


@encloses("chen2009-eq12", frame=framed)
def eq12(problem: SpectrumMachine, point: Point) -> Enclosure:
    """(12) at a and the best of a few c from above; from below its dual at α."""
    alpha, lam = feasible_alpha(problem, point), problem.Lam
    if not problem.basis.decided:
        return _undecided(problem, alpha)
    # Λa ≥ 0; where λᵢ = 0 any aᵢ will do
    given = vector(problem, point, "a", spectrum.a_clip(lam))
    a = np.where(np.sign(lam) * given >= 0, given, 0.0)
    (low, down), alpha = spectrum_bound(problem, alpha, a)
    values = [spectrum_value(problem, a, problem.y * alpha)]
    if problem.h == "spectrum":
        for response in spectrum_responses(problem, alpha, a):
            values.append(spectrum_value(problem, response, problem.y * alpha))
    if "z" in point:
        c, _ = spectrum.solution(lam * a, problem.basis.U, vector(problem, point, "z"))
        values.append(spectrum_value(problem, a, c))
    if problem.h in ("clip", "flip"):  # where γ is large a differs from this by a solver's error
        centre = spectrum.a_clip(lam) if problem.h == "clip" else spectrum.a_flip(lam)
        values.append(spectrum_value(problem, centre, problem.y * alpha))
    (high, up), best = min(values, key=lambda value: sum(value[0]))
    del best["c"]
    variables = {**best, "alpha": alpha, "U": problem.basis.U}
    return Enclosure(high, low - down, high + up, variables, problem.open)


def _undecided(problem: SpectrumMachine, alpha: Array) -> Enclosure:
    """What holds whatever the signs of the eigenvalues: no term is negative, and a = 0 is there."""
    n, zero = problem.n, np.zeros(problem.n)
    machine = primal(np.zeros((n, n)), problem.y, zero)
    largest = float(np.linalg.norm(problem.Lam)) if problem.h == "spectrum" else np.sqrt(n)
    h = largest * (2.0 if problem.h == "both" else 1.0)
    total, up = machine.value(1 / n, problem.eta)
    up += rounding(n, problem.gamma * h) + problem.gamma * problem.basis.off * n
    best = {symbol: machine.point[symbol] for symbol in ("z", "b", "xi")}
    point = {**best, "a": zero, "u": zero, "v": np.array(h), "alpha": alpha, "U": problem.basis.U}
    total += problem.gamma * h
    return Enclosure(total, 0.0, total + up, point, problem.open)


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

"""ω, the two functions called Ω, their convexity and subgradients: (5), (8), (10) to (13)."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.enclosure import Enclosure, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Combination, Similarities, bounds
from cvxkernel.solvers.mirror_descent import Oracle
from cvxkernel.solvers.mkl import mkl
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    at_most,
    equal,
    not_above,
    worst,
)
from cvxkernel.validation.ledger.kundu2010.code import CODE
from cvxkernel.validation.ledger.kundu2010.points import below, ends, oracles, some_point
from cvxkernel.validation.ledger.kundu2010.problems import times
from cvxkernel.validation.ledger.shared import KINDS, optimum, optimum_of, problem

STEPS = (1e-3, -1e-3, 1.0)  # from x towards another point, away from it, and all the way


def convex(seed: int) -> Evidence:
    """f at midpoints, and against Lip·‖K - K′‖_F with the constant for all of (4)."""
    found, rng = [], np.random.default_rng(seed)
    for kind, oracle in oracles(1, seed):
        lip = oracle.known_lip()
        for _ in range(3):
            x, z = some_point(oracle, rng), some_point(oracle, rng)
            (a, _), (b, _), (c, _) = (ends(oracle, w) for w in (x, z, (x + z) / 2))
            half = _mean(a, b)
            told = about(kind, {"f at the midpoint": c.value, "mean": half.value, "Lip": lip})
            found.append(not_above(c, half, **told))
            rise = abs(a.value - b.value)
            reach = lip * float(np.linalg.norm(x - z))
            found.append(at_most(rise, reach, n=oracle.problem.n**2, **told))
    return Evidence(worst(found))


def supports(oracle: Oracle, kind: str, rng: np.random.Generator, *, printed: bool) -> Finding:
    """Whether the subgradient is one: towards, away from and at another point."""
    found, p = [], oracle.problem
    for _ in range(2):
        x, z = some_point(oracle, rng), some_point(oracle, rng)
        at, answer = ends(oracle, x)
        alpha, gamma, W = answer.dual
        g = oracle.gradient(alpha, gamma, W / p.rho if printed else W)
        for step in STEPS:
            w = x + step * (z - x)
            found.append(below(at, g, x, ends(oracle, w)[0], w, kind))
    return worst(found)


def eq8(seed: int) -> Evidence:
    """(8) at points of 𝒦."""
    rng = np.random.default_rng(seed)
    return Evidence(worst(supports(o, k, rng, printed=False) for k, o in oracles(1, seed)))


def without_rho(number: int, seed: int) -> Evidence:
    """(12), or the g′ of Algorithm 3, with and without ρ before the subgradient of the loss."""
    printed, corrected = (
        worst(
            supports(oracle, kind, np.random.default_rng(seed), printed=as_printed)
            for kind, oracle in oracles(number, seed)
        )
        for as_printed in (True, False)
    )
    return Evidence(printed, corrected)


def lem3_1(seed: int) -> Evidence:
    """(12)"""
    return without_rho(2, seed)


def g_prime(seed: int) -> Evidence:
    """g′ of Algorithm 3"""
    return without_rho(3, seed)


def mu_gradient(seed: int) -> Evidence:
    """∂Ω/∂μᵢⱼ alone: ρ = 0."""
    rng, found = np.random.default_rng(seed), []
    for kind, oracle in oracles(3, seed):
        p = oracle.problem
        for _ in range(2):
            x, z = some_point(oracle, rng), some_point(oracle, rng)
            at = [omega_10(bounds.combine(p, w), p.y, p.C) for w in (x, z)]
            alpha, gamma = mkl(bounds.combine(p, x), p.y, p.C)
            g = oracle.gradient(alpha, gamma, np.zeros_like(x))
            found.append(below(at[0], g, x, at[1], z, kind))
            for step in STEPS[:2]:
                w = x + step * (z - x)
                found.append(below(at[0], g, x, omega_10(bounds.combine(p, w), p.y, p.C), w, kind))
    return Evidence(worst(found))


def omega_10(K: Array, y: Array, C: float) -> Enclosure:
    """Ω of (10) between two numbers."""
    alpha, _ = mkl(K, y, C)
    M = bounds.signed(y, K)
    low, down = bounds.omega_value(M, alpha)
    return Enclosure(low, low - down, sum(bounds.omega_upper(M, y, C, alpha)), {"alpha": alpha})


def omega_5(K: Array, y: Array, C: float, tau: float) -> Enclosure:
    """Ω of (5): half of lanckriet2004-sm1 with every trace τ."""
    margin = Combination(K, y, C).eq5_margin(tau)
    return times(0.5, optimum_of("lanckriet2004-sm1", margin))


def two_omegas(seed: int) -> Evidence:
    """Both at kernels of trace τ, and ω of their sum between."""
    printed, corrected, at10 = [], [], "kundu2010-eq10"
    for kind in KINDS:
        at: Combination = problem(at10, kind, seed)
        tau = float(at.n)
        K = at.kernels * (tau / np.trace(at.kernels, axis1=1, axis2=2))[:, None, None]
        five, ten = omega_5(K, at.y, at.C, tau), omega_10(K, at.y, at.C)
        between = omega_10(K.sum(axis=0)[None], at.y, at.C)
        numbers = {"(5)": five.value, "(10)": ten.value, "ω(ΣKᵢ)": between.value}
        told = about(kind, numbers)
        printed.append(not_above(five, ten, **told))
        corrected += [not_above(ten, between, **told), not_above(between, five, **told)]
        corrected.append(equal(omega_10(at.kernels, at.y, at.C), optimum(at10, kind, seed), **told))
    return Evidence(worst(printed), worst(corrected))


def midpoint(seed: int) -> tuple[Array, Array, float, Array]:
    """Kernels A and B of trace τ, far apart in ω, for which (A, B) and (B, A) have a midpoint."""
    n = 8
    y = np.repeat([1.0, -1.0], 4)
    x = np.random.default_rng(seed).normal(size=(n, n))
    B = x @ x.T
    A = np.outer(y, y) + 0.05 * np.eye(n)
    return A * (n / np.trace(A)), B * (n / np.trace(B)), float(n), y


def not_convex(seed: int) -> Evidence:
    """Ω(A, B) = Ω(B, A) against Ω at the midpoint, with (5) and with (10)."""
    A, B, tau, y = midpoint(seed)
    pairs = [np.stack(pair) for pair in ((A, B), (B, A), ((A + B) / 2, (A + B) / 2))]
    five = [omega_5(K, y, 1.0, tau) for K in pairs]
    ten = [omega_10(K, y, 1.0) for K in pairs]
    numbers = {"(5) at (A, B)": five[0].value, "(5) at the midpoint": five[2].value}
    more = {"(10) at (A, B)": ten[0].value, "(10) at the midpoint": ten[2].value}
    told = about("A close to yyᵀ, B random", {**numbers, **more})
    found = [not_above(three[2], _mean(*three[:2]), **told) for three in (five, ten)]
    corrected = [found[1]]
    rng = np.random.default_rng(seed)
    for kind, oracle in oracles(2, seed):
        x, z = some_point(oracle, rng), some_point(oracle, rng)
        a, b, c = (ends(oracle, w)[0] for w in (x, z, (x + z) / 2))
        corrected.append(not_above(c, _mean(a, b), instance=kind))
    return Evidence(found[0], worst(corrected))


def _mean(a: Enclosure, b: Enclosure) -> Enclosure:
    return Enclosure((a.value + b.value) / 2, (a.lower + b.lower) / 2, (a.upper + b.upper) / 2, {})


# -- Ω has no Lipschitz constant ------------------------------------------------------------------


def singular(eps: float, tau: float = 2.0) -> Array:
    """K₁ = (τ/2)I and K₂ of trace τ with the eigenvalue τε at y/√2, n = 2, y = (1, -1)."""
    v, d = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
    K_2 = tau * ((1 - eps) * np.outer(v, v) + eps * np.outer(d, d))
    return np.stack([np.eye(2) * tau / 2, K_2])


def slope(eps: float, C: float = 1.0) -> tuple[float, float, Enclosure]:
    """Ω(0) - Ω(ε) and ‖K - K′‖, by the closed form; and Ω(ε) between two numbers.

    α = (a, a) and √q₁ = a√τ, √q₂ = a√(2ετ): Ω is the largest 2a - ½a²τ(1 + √(2ε))² over a ≤ C.
    """
    tau, y, K = 2.0, np.array([1.0, -1.0]), singular(eps)
    bend = tau * (1 + np.sqrt(2 * eps)) ** 2
    a, flat = min(C, 2 / bend), min(C, 2 / tau)
    fall = 2 * flat - flat**2 * tau / 2 - (2 * a - a**2 * bend / 2)
    M = bounds.signed(y, K)
    low, down = bounds.omega_value(M, np.full(2, a))
    found = Enclosure(low, low - down, sum(bounds.omega_upper(M, y, C, np.full(2, a))), {})
    return float(fall), float(np.linalg.norm(K[1] - singular(0.0)[1])), found


def lipschitz(seed: int) -> Evidence:
    """Difference quotients of Ω as K₂ becomes singular along Yα."""
    grid = (1e-2, 1e-4, 1e-6, 1e-8)
    found = [slope(eps) for eps in grid]
    quotients = [fall / far for fall, far, _ in found]
    numbers = {f"quotient at ε = {e:g}": q for e, q in zip(grid, quotients, strict=True)}
    told = about("n = 2, C = 1, τ = 2", numbers)
    # A Lipschitz constant would bound them all: that of the first does not.
    printed = at_most(quotients[-1], quotients[0], n=2, **told)
    corrected = []
    for (fall, _, at), eps in zip(found, grid, strict=True):
        value = 1.0 - fall  # Ω(0) = 1
        corrected.append(equal(at, Enclosure(value, value, value, {}), **told))
        # Hölder of order ½: Ω(0) - Ω(ε) ≤ √(2ε)(2 + √(2ε))
        root = np.sqrt(2 * eps)
        corrected.append(at_most(fall, root * (2 + root), n=4, **told))
    return Evidence(printed, worst(corrected))


def eq11(seed: int) -> Evidence:
    """ΣᵢFᵢ at the maximizer is F; at other α, γ it is not above."""
    found, rng = [], np.random.default_rng(seed)
    for kind, oracle in oracles(2, seed):
        p = oracle.problem
        assert isinstance(p, Similarities)
        x = some_point(oracle, rng)
        at, answer = ends(oracle, x)
        alpha, gamma, _ = answer.dual
        for j in range(4):
            if j:
                alpha = rng.uniform(size=p.n) * p.C
                alpha = alpha * np.where(
                    p.y > 0, 1 / alpha[p.y > 0].sum(), 1 / alpha[p.y < 0].sum()
                )
                alpha = alpha * min(1.0, p.C / alpha.max())
                gamma = rng.dirichlet(np.ones(p.m))
            a = p.y * alpha
            total = sum(
                alpha.sum() / p.m - a @ K @ a / (2 * g) + _loss(p, K, S)
                for K, S, g in zip(x, p.S, gamma, strict=True)
            )
            told = about(kind, {"ΣFᵢ": float(total), "F": at.value})
            slack = rounding(p.n**2, 2 * abs(at.value) + float(alpha.sum()))
            one = Enclosure(float(total), float(total) - slack, float(total) + slack, {})
            found.append(not_above(one, at, **told))
            if j == 0:
                found.append(not_above(at, one, **told))
    return Evidence(worst(found))


def _loss(p: Similarities, K: Array, S: Array) -> float:
    X = K - S
    value = {"L1": np.abs(X).sum(), "L2": np.linalg.norm(X), "L3": (X * X).sum()}[p.loss]
    return p.rho * float(value)


# fmt: off
CLAIMS = (
    Claim("kundu2010-convex", "Section 3.1, above (8)",
        "f of (4) is convex and Lipschitz continuous on 𝒦",
        "midpoints; differences against Lip = ½nC² + ρΣ‖L′ᵢ‖", convex),
    Claim("kundu2010-eq8", "Section 3.1, (8)",
        "f′(K) = −½Yα*α*ᵀY + ρΣᵢL′ᵢ(K − Sᵢ) is a subgradient of f",
        "f(K) + ⟨f′(K), K′ − K⟩ ≤ f(K′) near and far, the three losses", eq8),
    Claim("kundu2010-omega", "Sections 2 and 3.2, (5) and (10)",
        "Ω of (5) can be obtained by any multiple kernel formulation; with Ω as in (10), F is that "
        "of (6)",
        "both at kernels of trace τ", two_omegas, printed="fails",
        correction="two functions: (10) ≤ ω(ΣKᵢ) ≤ (5), strictly as a rule where m > 1; all theory "
        "is of (6) with (10)",
        programs=("kundu2010-eq10", "lanckriet2004-sm1"), code=CODE["kundu2010-omega"]),
    Claim("kundu2010-eq6-convex", "Sections 2 and 3.2, (5) and (6), below (11)",
        "Ω(K₁, …, K_m), and so F in (6), is convex on 𝒦ᵐ",
        "Ω at (A, B), at (B, A) and at their midpoint", not_convex, printed="fails",
        correction="with (10) it is; with (5), to which (6) refers, it is not",
        programs=("kundu2010-eq6", "lanckriet2004-sm1"), code=CODE["kundu2010-eq6-convex"]),
    Claim("kundu2010-lipschitz", "Sections 3.2 and 3.3",
        "F in (6) is Lipschitz continuous on 𝒦ᵐ, and g in (7) on 𝒳ᵐ",
        "difference quotients as K₂ becomes singular along Yα, n = 2", lipschitz, printed="fails",
        correction="only where the Kᵢ are definite: Ω is Hölder of order ½, its slope in "
        "qᵢ = αᵀYKᵢYα is −½(1 + Σ√qⱼ/√qᵢ over j ≠ i), and Lip(F) is the largest subgradient met",
        code=CODE["kundu2010-lipschitz"]),
    Claim("kundu2010-eq11", "Section 3.2, (11)",
        "F = max over γ, α of Σᵢ Fᵢ(Kᵢ; α, γ)",
        "ΣFᵢ at the maximizer and at others", eq11),
    Claim("kundu2010-lem3.1", "Section 3.2, Lemma 3.1 and (12)",
        "−Yα*α*ᵀY/(2γ*ᵢ) + L′ᵢ(Kᵢ − Sᵢ), i = 1, …, m, is a subgradient of F",
        "F(K) + ⟨F′(K), K′ − K⟩ ≤ F(K′) near and far, the three losses", lem3_1, printed="fails",
        correction="ρL′ᵢ(Kᵢ − Sᵢ), as (11) has it; and every γ*ᵢ > 0",
        code=CODE["kundu2010-lem3.1"]),
    Claim("kundu2010-omega-mu", "Section 3.3",
        "∂Ω/∂μᵢⱼ = −α*ᵀYvᵢⱼvᵢⱼᵀYα*/(2γ*ᵢ)",
        "Ω(μ) + ⟨Ω′, μ′ − μ⟩ ≤ Ω(μ′) near and far", mu_gradient),
    Claim("kundu2010-alg3-subgradient", "Section 3.3, Algorithm 3",
        "g′ᵢⱼ = −α*ᵀYvᵢⱼvᵢⱼᵀYα*/(2γ*ᵢ) + ∂ℓᵢ/∂μᵢⱼ is a subgradient of g",
        "g(μ) + ⟨g′(μ), μ′ − μ⟩ ≤ g(μ′) near and far", g_prime, printed="fails",
        correction="ρ ∂ℓᵢ/∂μᵢⱼ: without it the algorithm solves the problem with ρ = 1",
        code=CODE["kundu2010-alg3-subgradient"]),
)

"""ω, the two functions called Ω, their convexity and subgradients: (5), (8), (10) to (13)."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES, Tensor
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.enclosure import EPS, Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Budgeted, Combination, Similarities
from cvxkernel.solvers.mirror_descent import Algorithm
from cvxkernel.solvers.mkl import mkl
from cvxkernel.validation.kundu2010.claims.points import (
    IDS,
    below,
    ends,
    mildest,
    oracles,
    some_point,
)
from cvxkernel.validation.kundu2010.claims.problems import times
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    Remark,
    about,
    at_most,
    equal,
    identity,
    not_above,
    worst,
)
from cvxkernel.validation.ledger.shared import (
    KINDS,
    PROMISE,
    as_written,
    optimum,
    optimum_of,
    problem,
)

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


def supports(oracle: Algorithm, kind: str, rng: np.random.Generator, *, printed: bool) -> Finding:
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
    """(12), or the g′ of Algorithm 3, without and with ρ before the subgradient of the loss."""
    found = {
        as_printed: [
            supports(oracle, kind, np.random.default_rng(seed), printed=as_printed)
            for kind, oracle in oracles(number, seed)
        ]
        for as_printed in (True, False)
    }
    return Evidence(mildest(found[True]), worst(found[False]))


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
            at = [omega_10(oracle.kernels(w), p.y, p.C) for w in (x, z)]
            alpha, gamma = mkl(oracle.kernels(x), p.y, p.C)
            g = oracle.gradient(alpha, gamma, np.zeros_like(x))
            found.append(below(at[0], g, x, at[1], z, kind))
            for step in STEPS[:2]:
                w = x + step * (z - x)
                found.append(below(at[0], g, x, omega_10(oracle.kernels(w), p.y, p.C), w, kind))
    return Evidence(worst(found))


def omega_10(K: Array, y: Array, C: float) -> Enclosure:
    """Ω of (10) between two numbers."""
    return omega_at(K, y, C, mkl(K, y, C)[0])


def omega_at(K: Array, y: Array, C: float, alpha: Array) -> Enclosure:
    """The same from an α near the best."""
    return CATALOGUE["kundu2010-eq10"].enclose(Combination(K, y, C), {"alpha": alpha})


def omega_5(K: Array, y: Array, C: float, tau: float) -> Enclosure:
    """Ω of (5)."""
    return optimum_of("kundu2010-eq5", Budgeted(K, y, C, tau))


def two_omegas(seed: int) -> Evidence:
    """(5) by the 1-norm soft margin and (10), as written, at kernels of trace τ; ω of their sum."""
    at10 = "kundu2010-eq10"
    found: list[Finding] = []
    for kind in KINDS:
        at: Combination = problem(at10, kind, seed)
        tau = float(at.n)
        K = at.kernels * (tau / np.trace(at.kernels, axis1=1, axis2=2))[:, None, None]
        five, ten = omega_5(K, at.y, at.C, tau), omega_10(K, at.y, at.C)
        between = omega_10(K.sum(axis=0)[None], at.y, at.C)
        numbers = {"(5)": five.value, "(10)": ten.value, "ω(ΣKᵢ)": between.value}
        told = about(kind, numbers)
        found += [not_above(ten, between, **told), not_above(between, five, **told)]
        margin = optimum_of("lanckriet2004-sm1", Budgeted(K, at.y, at.C, tau).margin())
        found.append(equal(times(0.5, margin), five, **told))
        found.append(equal(omega_10(at.kernels, at.y, at.C), optimum(at10, kind, seed), **told))
        for C in (at.C / 100, at.C, at.C * 100):  # most samples at C, some, and none
            other = Combination(at.kernels, at.y, C)
            own = omega_10(other.kernels, other.y, C)
            found.append(as_written(at10, other, own, instance=f"{kind}, C = {C:g}"))
            told = {"instance": f"(5), {kind}, C = {C:g}"}
            budgeted, ends_5 = Budgeted(K, at.y, C, tau), omega_5(K, at.y, C, tau)
            found.append(as_written("kundu2010-eq5", budgeted, ends_5, **told))
    return Evidence(worst(found))


def non_sparse(seed: int) -> Evidence:
    """The weights 1/γᵢ of (10): the machine of ΣKᵢ/γᵢ has its optimum; (5) has a weight of 0."""
    found: list[Finding] = []
    for kind in KINDS:
        at, best = problem("kundu2010-eq10", kind, seed), optimum("kundu2010-eq10", kind, seed)
        weights = 1 / best.variables["gamma"]
        one = omega_10(np.tensordot(weights, at.kernels, axes=1)[None], at.y, at.C)
        told = about(kind, {f"1/γ_{i + 1}": weight for i, weight in enumerate(weights)})
        found.append(at_most(1.0, float(weights.min()), n=at.m, **told))
        found.append(Finding(abs(one.value / best.value - 1), PROMISE, **told))
    gaussian: Combination = problem("kundu2010-eq10", "gaussian", seed)
    five = omega_5(gaussian.kernels, gaussian.y, gaussian.C, float(gaussian.n))
    least = float(five.variables["beta"].min())
    found.append(Finding(least, PROMISE, **about("(5), gaussian", {"the least weight": least})))
    return Evidence(worst(found))


def midpoint(seed: int) -> tuple[Array, Array, float, Array]:
    """Kernels A and B of trace τ, far apart in ω, for which (A, B) and (B, A) have a midpoint."""
    n = 8
    y = np.repeat([1.0, -1.0], 4)
    x = np.random.default_rng(seed).normal(size=(n, n))
    B = x @ x.T
    A = np.outer(y, y) + 0.05 * np.eye(n)
    return A * (n / np.trace(A)), B * (n / np.trace(B)), float(n), y


def eq6_convex(seed: int) -> Evidence:
    """F at midpoints of 𝒦ᵐ, Ω at that of (A, B) and (B, A); and (6) as the cone that it then is."""
    found: list[Finding] = []
    A, B, _, y = midpoint(seed)
    ten = [omega_10(np.stack(p), y, 1.0) for p in ((A, B), (B, A), ((A + B) / 2, (A + B) / 2))]
    found.append(not_above(ten[2], _mean(*ten[:2]), instance="A close to yyᵀ, B random"))
    rng = np.random.default_rng(seed)
    for kind, oracle in oracles(2, seed):
        x, z = some_point(oracle, rng), some_point(oracle, rng)
        a, b, c = (ends(oracle, w)[0] for w in (x, z, (x + z) / 2))
        found.append(not_above(c, _mean(a, b), instance=kind))
        found.append(cone(2, kind, seed))
    return Evidence(worst(found))


def cone(number: int, kind: str, seed: int) -> Finding:
    """(4), (6) or (7) as written against the ends of its optimum; the kind changes the loss."""
    id = IDS[number]
    return as_written(id, problem(id, kind, seed), optimum(id, kind, seed), instance=kind)


def eq4(seed: int) -> Evidence:
    """(4) as a cone, L1, L2 and L3, against the ends that its bounds give."""
    return Evidence(worst(cone(1, kind, seed) for kind in KINDS))


def five_not_convex(seed: int) -> Finding:
    """(5) at (A, B), (B, A) and at their midpoint, above the mean; A close to yyᵀ, three B."""
    found = []
    for other in range(3):
        A, B, tau, y = midpoint(seed + other)
        pairs = [np.stack(pair) for pair in ((A, B), (B, A), ((A + B) / 2, (A + B) / 2))]
        five = [omega_5(K, y, 1.0, tau) for K in pairs]
        numbers = {"(5) at (A, B)": five[0].value, "(5) at the midpoint": five[2].value}
        mean = _mean(*five[:2])
        above = Finding(max(0.0, mean.upper - five[2].lower) / mean.upper, 0.0, numbers=numbers)
        found.append(above)
    return worst(found)


def _mean(a: Enclosure, b: Enclosure) -> Enclosure:
    return Enclosure((a.value + b.value) / 2, (a.lower + b.lower) / 2, (a.upper + b.upper) / 2, {})


# -- Ω has no Lipschitz constant ------------------------------------------------------------------


def singular(eps: float, tau: float = 2.0) -> Array:
    """K₁ = (τ/2)I and K₂ of trace τ with the eigenvalue τε at y/√2, n = 2, y = (1, -1)."""
    off = 0.5 - eps  # exact for powers of two: ((1 - ε)vvᵀ + εddᵀ)₁₂, v = (1, 1)/√2, d = y/√2
    return np.stack([np.eye(2) * tau / 2, tau * np.array([[0.5, off], [off, 0.5]])])


def slope(eps: float, C: float = 1.0) -> tuple[float, float, Enclosure]:
    """Ω(0) - Ω(ε) and ‖K - K′‖, by the closed form; and Ω(ε) between two numbers.

    α = (a, a) and √q₁ = a√τ, √q₂ = a√(2ετ): Ω is the largest 2a - ½a²τ(1 + √(2ε))² over a ≤ C.
    """
    tau, y, K = 2.0, np.array([1.0, -1.0]), singular(eps)
    bend = tau * (1 + np.sqrt(2 * eps)) ** 2
    a, flat = min(C, 2 / bend), min(C, 2 / tau)
    fall = 2 * flat - flat**2 * tau / 2 - (2 * a - a**2 * bend / 2)
    found = omega_at(K, y, C, np.full(2, a))
    return float(fall), float(np.linalg.norm(K[1] - singular(0.0)[1])), found


def lipschitz(seed: int) -> Evidence:
    """Difference quotients of Ω as K₂ becomes singular along Yα; F and g between inner points.

    F(x) - F(z) ≤ ⟨F′(x), x - z⟩ ≤ maxᵢ‖F′ᵢ(x)‖ Σᵢ‖xᵢ - zᵢ‖: the subgradients met are a constant.
    """
    grid = (2.0**-7, 2.0**-13, 2.0**-19, 2.0**-27)
    found = [slope(eps) for eps in grid]
    quotients = [fall / far for fall, far, _ in found]
    numbers = {f"quotient at ε = {e:g}": q for e, q in zip(grid, quotients, strict=True)}
    told = about("n = 2, C = 1, τ = 2", numbers)
    # A Lipschitz constant would bound them all: that of the first does not.
    printed = at_most(quotients[-1], quotients[0], n=2, **told)
    corrected = []
    for (fall, _, at), eps in zip(found, grid, strict=True):
        value, off = 1.0 - fall, 8 * EPS  # Ω(0) = 1; a few operations on numbers up to 2
        corrected.append(equal(at, Enclosure(value, value - off, value + off, {}), **told))
        # Hölder of order ½: Ω(0) - Ω(ε) ≤ √(2ε)(2 + √(2ε))
        root = np.sqrt(2 * eps)
        corrected.append(at_most(fall, root * (2 + root), n=4, **told))
    rng = np.random.default_rng(seed)
    for number in (2, 3):
        for kind, oracle in oracles(number, seed):
            x, z = some_point(oracle, rng), some_point(oracle, rng)
            (a, at_x), (b, at_z) = ends(oracle, x), ends(oracle, z)
            lip = max(oracle.sizes(answer.gradient).max() for answer in (at_x, at_z))
            apart = x - z
            far = np.abs(apart) if number == 3 else np.sqrt((apart**2).sum(axis=(1, 2)))
            rise = lip * float(far.sum())
            reach = Enclosure(b.value + rise, b.lower + rise, b.upper + rise, {})
            corrected.append(not_above(a, reach, instance=kind))
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
            a, g = DOUBLES.exact(p.y * alpha), DOUBLES.exact(gamma)
            parts = [
                DOUBLES.inner(a, p.y / p.m) - DOUBLES.inner(a, x[i] @ a) / (2 * g[i])
                + p.rho * _loss(p, DOUBLES.exact(x[i]) - p.S[i])
                for i in range(p.m)
            ]  # fmt: skip
            total = DOUBLES.stack(parts).sum()
            one = DOUBLES.enclosure(total, total, total, {})
            told = about(kind, {"ΣFᵢ": one.value, "F": at.value})
            found.append(not_above(one, at, **told))
            if j == 0:
                found.append(not_above(at, one, **told))
    return Evidence(worst(found))


def _loss(p: Similarities, X: Tensor) -> Tensor:
    squares = DOUBLES.inner(X, X)
    return {"L1": abs(X).sum(), "L2": squares.sqrt(), "L3": squares}[str(p.loss)]


def loss_sum(seed: int) -> Evidence:
    """The subgradient of f with ΣⱼL′ᵢ, i = 1 throughout, and with ΣᵢL′ᵢ; every kind."""
    printed: list[Finding] = []
    corrected: list[Finding] = []
    for kind, oracle in oracles(1, seed):
        rng = np.random.default_rng(seed)
        p = oracle.problem
        x, z = some_point(oracle, rng), some_point(oracle, rng)
        at, answer = ends(oracle, x)
        alpha, gamma, W = answer.dual
        for into, which in ((printed, np.stack([W[0]] * p.m)), (corrected, W)):
            g = oracle.gradient(alpha, gamma, which)
            steps = [x + step * (z - x) for step in STEPS]
            into.append(worst(below(at, g, x, ends(oracle, w)[0], w, kind) for w in steps))
    return Evidence(mildest(printed), worst(corrected))


def mu_index(seed: int) -> Evidence:
    """How many entries the list has that ends at μₙₙ, and how many μ has: m and n of each kind."""
    printed, corrected = [], []
    for kind, oracle in oracles(3, seed):
        p = oracle.problem
        entries = oracle.ask(some_point(oracle, np.random.default_rng(seed))).gradient.size
        told = about(kind, {"listed": p.n**2, "m·n": p.m * p.n, "entries": entries})
        printed.append(identity(p.n**2, entries, n=1, **told))
        corrected.append(identity(p.m * p.n, entries, n=1, **told))
    return Evidence(mildest(printed), worst(corrected))


# fmt: off
CLAIMS = (
    Claim("kundu2010-convex", "Section 3.1, above (8)",
        "f of (4) is convex and Lipschitz continuous on 𝒦",
        "midpoints; differences against Lip = ½nC² + ρΣ‖L′ᵢ‖", convex,
        quote="Therefore the objective function f in (4) is convex and Lipschitz continuous on"),
    Claim("kundu2010-eq4", "Section 3.1, below (8)",
        "(4) is a convex program",
        eq4.__doc__ or "", eq4,
        quote="Thus the convex programming problem (4) satisfies the conditions for applying "
        "Mirror Descent", programs=("kundu2010-eq4",)),
    Claim("kundu2010-eq8", "Section 3.1, (8)",
        "f′(K) = −½Yα*α*ᵀY + ρΣᵢL′ᵢ(K − Sᵢ) is a subgradient of f",
        "f(K) + ⟨f′(K), K′ − K⟩ ≤ f(K′) near and far, the three losses", eq8,
        quote="denote a maximizer of the SVM dual (1). Then we can compute a sub-gradient of"),
    Claim("kundu2010-alg1-sum", "Section 3.1, Algorithm 1, third line",
        "f′(K⁽ᵗ⁾) := −½Yα*α*ᵀY + ρΣⱼL′ᵢ(K⁽ᵗ⁾ − Sᵢ)",
        "the same sum with i free, taken as 1, and over i: f(K) + ⟨f′(K), K′ − K⟩ ≤ f(K′)",
        loss_sum, printed="fails", erratum="kundu2010-alg1-index",
        quote="Compute sub-gradient … j L′i(K(t) − Si)",
        correction="Σᵢ, i = 1, …, m, as in (8)"),
    Claim("kundu2010-omega", "Section 2, below (6); (5) and (10)",
        "Ω(K₁, …, K_m) can be obtained by any standard multiple kernel formulation",
        "(5), by that of lanckriet2004, and (10), by its own cone, at kernels of trace τ",
        two_omegas, quote="can be obtained by solving any standard MKL formulation",
        remark="Each formulation has its own Ω: (5) in section 2, (10) from section 3.2 on, which "
        "says so; (10) ≤ ω(ΣKᵢ) ≤ (5), and all theory is of (6) with (10).",
        programs=("kundu2010-eq5", "kundu2010-eq10", "lanckriet2004-sm1")),
    Claim("kundu2010-non-sparse", "Section 3.2, above (10)",
        "(10) learns a combination of kernels that is not sparse",
        "the weights 1/γᵢ of (10), all 1 or more, and the machine of ΣKᵢ/γᵢ; (5) on kernels of "
        "which it leaves some out", non_sparse,
        quote="To learn a non-sparse combination of kernels the following MKL formulation has been "
        "proposed in [10]",
        programs=("kundu2010-eq10",)),
    Claim("kundu2010-eq6-convex", "Section 3.2, below (11)",
        "Ω of (10), and so F in (6), is convex on 𝒦ᵐ",
        eq6_convex.__doc__ or "", eq6_convex,
        quote="From (10) we note that … is a convex function of … Thus the objective function F in "
        "(6) is convex", remark="With the Ω of (10), as the paper says.",
        programs=("kundu2010-eq6",)),
    Claim("kundu2010-lipschitz", "Sections 3.2 and 3.3",
        "F in (6) is Lipschitz continuous on 𝒦ᵐ, and g in (7) on 𝒳ᵐ",
        "difference quotients as K₂ becomes singular along Yα, n = 2; inner points of every kind "
        "against the largest subgradient", lipschitz, printed="imprecise",
        quote="Thus the objective function F in (6) is convex and Lipschitz continuous on … Hence, "
        "the objective function g in (7) is convex and Lipschitz continuous over",
        correction="where all eigenvalues of the Kᵢ are above some δ > 0, so along any finite run, "
        "with the largest subgradient met for Lip(F), as Theorem 3.2 has it: up to the border "
        "Ω is Hölder of order ½, its slope in qᵢ = αᵀYKᵢYα is −½(1 + Σ√qⱼ/√qᵢ over j ≠ i)"),
    Claim("kundu2010-eq11", "Section 3.2, (11)",
        "F = max over γ, α of Σᵢ Fᵢ(Kᵢ; α, γ)",
        "ΣFᵢ at the maximizer and at others", eq11,
        quote="as defined above, the objective function F in (6) can be expressed as"),
    Claim("kundu2010-lem3.1", "Section 3.2, Lemma 3.1 and (12)",
        "−Yα*α*ᵀY/(2γ*ᵢ) + L′ᵢ(Kᵢ − Sᵢ), i = 1, …, m, is a subgradient of F",
        "F(K) + ⟨F′(K), K′ − K⟩ ≤ F(K′) near and far, the three losses", lem3_1,
        printed="fails", erratum="kundu2010-rho",
        quote="Then a sub-gradient of F is given by … L′i(Ki − Si)",
        correction="ρL′ᵢ(Kᵢ − Sᵢ), as (11) has it", remark="Every γ*ᵢ > 0 is understood."),
    Claim("kundu2010-omega-mu", "Section 3.3",
        "∂Ω/∂μᵢⱼ = −α*ᵀYvᵢⱼvᵢⱼᵀYα*/(2γ*ᵢ)",
        "Ω(μ) + ⟨Ω′, μ′ − μ⟩ ≤ Ω(μ′) near and far", mu_gradient,
        quote="We can compute a sub-gradient of Ω as"),
    Claim("kundu2010-omega-mu-index", "Section 3.3, the display of Ω′",
        "Ω′ = (∂Ω/∂μ₁₁, ∂Ω/∂μ₁₂, …, ∂Ω/∂μₙₙ)",
        mu_index.__doc__ or "", mu_index, printed="fails", erratum="kundu2010-omega-mu-index",
        quote="We can compute a sub-gradient of Ω as … nn Ω )",
        correction="it ends at ∂Ω/∂μₘₙ: i = 1, …, m and j = 1, …, n"),
    Claim("kundu2010-alg3-subgradient", "Section 3.3, Algorithm 3",
        "g′ᵢⱼ = −α*ᵀYvᵢⱼvᵢⱼᵀYα*/(2γ*ᵢ) + ∂ℓᵢ/∂μᵢⱼ is a subgradient of g",
        "g(μ) + ⟨g′(μ), μ′ − μ⟩ ≤ g(μ′) near and far", g_prime,
        printed="fails", erratum="kundu2010-rho",
        quote="Compute sub-gradientg′(t)ij",
        correction="ρ ∂ℓᵢ/∂μᵢⱼ: without it the algorithm solves the problem with ρ = 1"),
)

REMARKS = (
    Remark("kundu2010-five", "Section 2, (5)",
        "Ω of (5) is not convex in (K₁, …, K_m): what follows in section 3 is of (10).",
        five_not_convex.__doc__ or "", five_not_convex, about="kundu2010-omega"),
)
# fmt: on

"""Sections 1 and 2: the programs, and the earlier ones that they are said to contain."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.chen2009.programs import KernelMachine, RobustMachine, SpectrumMachine
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.kundu2010.samples import similarities
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    at_most,
    equal,
    identity,
    not_above,
    worst,
)
from cvxkernel.validation.ledger.shared import KINDS, as_written, optimum, optimum_of, problem


def times(factor: float, one: Enclosure) -> Enclosure:
    """The enclosure of a positive multiple."""
    return Enclosure(factor * one.value, factor * one.lower, factor * one.upper, one.variables)


def eq3(seed: int) -> Evidence:
    """At K* the gradient G = 2ρ(K - S) - ½aaᵀ is ⪰ 0 and ⟨G, K⟩ = 0: all that a minimum needs."""
    found = []
    rng = np.random.default_rng(seed)
    for kind in KINDS:
        S, y = similarity(13, kind=kind, seed=seed)
        rho, alpha = 0.3, rng.uniform(size=13)
        a = y * alpha
        K = RobustMachine(S, y, 1.0, rho).K_star(alpha)
        G = 2 * rho * (K - S) - np.outer(a, a) / 2
        X = float(np.linalg.norm(S) + a @ a / (4 * rho))  # what is decomposed
        size = X * float(2 * rho * np.linalg.norm(K) + np.linalg.norm(G)) * np.sqrt(13)
        told = about(kind, {"λ_min(G)": float(np.linalg.eigvalsh(G)[0])})
        found.append(at_most(-float(np.linalg.eigvalsh(G)[0]), 0.0, n=13, magnitude=size, **told))
        found.append(identity((G * K).sum(), 0.0, n=13, magnitude=size, **told))
        found.append(at_most(-float(np.linalg.eigvalsh(K)[0]), 0.0, n=13, magnitude=size, **told))
    return Evidence(worst(found))


def minimax(seed: int) -> Evidence:
    """(2) by its enclosure: the upper end is at a K, the lower one at an α with its K*."""
    found = []
    for kind in KINDS:
        at, best = problem("luss2007", kind, seed), optimum("luss2007", kind, seed)
        alpha = best.variables["alpha"]
        K = at.K_star(alpha)
        a, X = at.y * DOUBLES.exact(alpha), DOUBLES.exact(K) - at.S
        inner = a.T @ at.y - DOUBLES.inner(a, K @ a) / 2 + at.rho * DOUBLES.inner(X, X)
        low = DOUBLES.enclosure(inner, inner, inner, {})
        told = about(kind, {"min over K at α": low.value, "max over α": best.value})
        found.append(not_above(low, best, **told))
        found.append(Finding((best.upper - best.lower) / abs(best.value), 1e-6, **told))
    return Evidence(worst(found))


def eq7_index(seed: int) -> Evidence:
    """Σ over j = 1, …, m and j = 1, …, n at the optimum, which (7) with n as written has."""
    printed, corrected = [], []
    for kind in KINDS:
        at, best = problem("kundu2010-eq7", kind, seed), optimum("kundu2010-eq7", kind, seed)
        mu = best.variables["mu"]
        numbers = {"Σ to m": float(mu[0, : at.m].sum()), "Σ to n": float(mu[0].sum())}
        told = about(kind, {**numbers, "τ": at.tau})
        printed.append(identity(mu[:, : at.m].sum(axis=1), np.full(at.m, at.tau), n=at.n, **told))
        corrected.append(identity(mu.sum(axis=1), np.full(at.m, at.tau), n=at.n, **told))
        traces = [np.trace((V * row) @ V.T) for V, row in zip(at.V, mu, strict=True)]
        corrected.append(identity(traces, np.full(at.m, at.tau), n=at.n**2, **told))
        corrected.append(as_written("kundu2010-eq7", at, best, instance=kind))
    return Evidence(worst(printed), worst(corrected))


def restriction(seed: int) -> Evidence:
    """(6) with L2 against (7), as written: ‖K - S‖_F = ‖μ - λ‖ for a K with S's eigenvectors."""
    found = []
    for kind in KINDS:
        at, upper = problem("kundu2010-eq7", kind, seed), optimum("kundu2010-eq7", kind, seed)
        free = Similarities(at.S, at.y, at.C, at.rho, at.tau, "L2")
        lower = optimum_of("kundu2010-eq6", free)
        told = about(kind, {"(6)": lower.value, "(7)": upper.value})
        found.append(not_above(lower, upper, **told))
        found.append(as_written("kundu2010-eq7", at, upper, instance=kind))
        K = [(V * mu) @ V.T for V, mu in zip(at.V, upper.variables["mu"], strict=True)]
        distance = [float(np.linalg.norm(K_i - S_i)) for K_i, S_i in zip(K, at.S, strict=True)]
        mu_distance = np.linalg.norm(upper.variables["mu"] - at.lam, axis=1)
        size = float(np.abs(at.lam).sum() + at.tau)
        found.append(identity(distance, mu_distance, n=at.n**2, magnitude=size, **told))
    return Evidence(worst(found))


# -- Special cases said to be contained -----------------------------------------------------------

N, ETA, GAMMA = 12, 0.05, 0.1


def _traced(S: Array, y: Array, C: float, rho: float, tau: float, loss: str) -> Enclosure:
    return optimum_of("kundu2010-eq4", Similarities(S[None], y, C, rho, tau, loss))


def luss2007(seed: int) -> Evidence:
    """(4) with m = 1 and L3, at the trace that (2) has, and at others."""
    found = []
    for kind in KINDS:
        S, y = similarity(N, kind=kind, seed=seed)
        free = optimum_of("luss2007", RobustMachine(S, y, 1.0, 0.3))
        tau = float(np.trace(free.variables["K"]))
        for scale, compare in ((1.0, equal), (1.4, not_above)):
            traced = _traced(S, y, 1.0, 0.3, scale * tau, "L3")
            told = about(
                f"{kind}, τ = {scale:g} trace K*", {"(2)": free.value, "(4)": traced.value}
            )
            found.append(compare(free, traced, **told))
    return Evidence(worst(found))


def average(seed: int) -> Evidence:
    """(2) at the average S̄, with mρ, and ρΣ‖Sᵢ - S̄‖² more, against (4) with L3 at its trace."""
    found = []
    for kind in KINDS:
        S, y = similarities(N, 3, kind=kind, seed=seed)
        mean, rho = S.mean(axis=0), 0.1
        free = optimum_of("luss2007", RobustMachine(mean, y, 1.0, len(S) * rho))
        spread = rho * float(np.sum((S - mean) ** 2))
        whole = Enclosure(free.value + spread, free.lower + spread, free.upper + spread, {})
        tau = float(np.trace(free.variables["K"]))
        many = optimum_of("kundu2010-eq4", Similarities(S, y, 1.0, rho, tau, "L3"))
        numbers = {"(2) at the average": whole.value, "(4)": many.value}
        found.append(equal(whole, many, **about(kind, numbers)))
    return Evidence(worst(found))


def chen7(seed: int) -> Evidence:
    """(4) with m = 1 and L2 at C = 1/(2ηn), ρ = γ/(2η), against (7) of chen2009 over 2η."""
    found = []
    for kind in KINDS:
        S, y = similarity(N, kind=kind, seed=seed)
        best = optimum_of("chen2009-eq7", KernelMachine(S, y, ETA, GAMMA))
        free = times(1 / (2 * ETA), best)
        tau = float(np.trace(best.variables["K"]))
        for scale, compare in ((1.0, equal), (1.4, not_above)):
            rho = GAMMA / (2 * ETA)
            traced = _traced(S, y, 1 / (2 * ETA * N), rho, scale * tau, "L2")
            numbers = {"(7) of chen2009/(2η)": free.value, "(4)": traced.value}
            told = about(f"{kind}, τ = {scale:g} trace K*", numbers)
            found.append(compare(free, traced, **told))
    return Evidence(worst(found))


def chen12(seed: int) -> Evidence:
    """(7) with m = 1 at the trace that (12) of chen2009 has, and at others; no λⱼ is zero."""
    found: list[Finding] = []
    for kind in ("gaussian", "random", "distances"):
        S, y = similarity(N, kind="gaussian" if kind == "distances" else kind, seed=seed)
        if kind == "distances":
            X = np.random.default_rng(seed).normal(size=(N, 3)) + y[:, None]
            S = -np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
        best = optimum_of("chen2009-eq12", SpectrumMachine(S, y, ETA, GAMMA, "spectrum"))
        free = times(1 / (2 * ETA), best)
        lam, _ = spectrum.eigen(S)
        star = float(lam @ best.variables["a"])
        for scale, compare in ((1.0, equal), (1.4, not_above)):
            at = Spectra(S[None], y, 1 / (2 * ETA * N), GAMMA / (2 * ETA), scale * star)
            traced = optimum_of("kundu2010-eq7", at)
            numbers = {"(12) of chen2009/(2η)": free.value, "(7)": traced.value}
            numbers["least |λⱼ|"] = float(np.abs(lam).min())
            told = about(f"{kind}, τ = {scale:g} trace K*", numbers)
            found.append(compare(free, traced, **told))
    return Evidence(worst(found))


# fmt: off
CLAIMS = (
    Claim("kundu2010-eq3", "Section 1.1, (3)",
        "K* = (S + Yα(Yα)ᵀ/(4ρ))₊ minimizes −½αᵀYKYα + ρ‖K − S‖²_F over K ⪰ 0",
        "the conditions of optimality at K*, for any α", eq3,
        quote="the inner minimization admits a closed form solution"),
    Claim("kundu2010-eq2", "Section 1.1, (2) and (3)",
        "minimum over K and maximum over α are interchanged in (2)",
        "an upper end at a K against a lower end at an α", minimax,
        quote="In both the above approaches the order of maximization and minimization has been "
        "interchanged", programs=("luss2007",)),
    Claim("kundu2010-eq7-index", "Section 2, (7)",
        "Σⱼ μᵢⱼ = τ with j = 1, …, m", "the sums at the optimum of (7), with n as a cone",
        eq7_index, printed="fails", erratum="kundu2010-eq7-index",
        quote="we formulate the restricted kernel learning problem as … ∑m j=1 … = τ , i = 1, . . "
        ". , m",
        correction="j = 1, …, n, as in the definition of 𝒳: trace Kᵢ = τ",
        programs=("kundu2010-eq7",)),
    Claim("kundu2010-eq7", "Section 2, (7)",
        "(7) restricts Ω of (6) to kernels with the eigenvectors of the Sᵢ",
        "with ℓ = ‖μ − λ‖₂ and L2, ‖Kᵢ − Sᵢ‖_F: the losses are equal, (6) ≤ (7); (7) as a cone",
        restriction,
        quote="The restriction of … on the Cartesian product of sets … yields a very interesting "
        "alternative to (6)",
        programs=("kundu2010-eq6", "kundu2010-eq7")),
    Claim("kundu2010-luss2007", "Section 2, after (7)",
        "(4) with m = 1, L(X) = ‖X‖²_F is (2), albeit with a trace constraint",
        "both programs: at the trace that (2) has they are equal, at another (4) is above",
        luss2007,
        quote="we recover the formulations in [8] and [6] respectively (albeit with a trace "
        "constraint)",
        programs=("kundu2010-eq4", "luss2007")),
    Claim("kundu2010-average", "Section 4.3",
        "(2) is extended to multiple similarity matrices by their average",
        "(2) at the average S̄, with mρ, plus ρΣ‖Sᵢ − S̄‖², against (4) with L3 at the trace of its "
        "kernel", average,
        quote="to multiple similarity matrices by averaging over the similarity matrices",
        remark="It is (4) with L3, but for the trace: Σ‖K − Sᵢ‖² = m‖K − S̄‖² + Σ‖Sᵢ − S̄‖².",
        programs=("kundu2010-eq4", "luss2007")),
    Claim("kundu2010-chen7", "Section 2, after (7)",
        "(4) with m = 1, L(X) = ‖X‖_F is the formulation of chen2009, albeit with a trace "
        "constraint",
        "both programs with C = 1/(2ηn), ρ = γ/(2η), value over 2η: at the trace that (7) of "
        "chen2009 has they are equal, at another (4) is above", chen7,
        quote="we recover the formulations in [8] and [6] respectively (albeit with a trace "
        "constraint)",
        programs=("kundu2010-eq4", "chen2009-eq7")),
    Claim("kundu2010-chen12", "Section 2, after (7)",
        "the spectrum modification of chen2009, its (12), is a special case of (7)",
        "both programs: at the trace that (12) has they are equal, at another (7) is above", chen12,
        quote="spectrum modification learning formulation [6] proposed in the context of single "
        "similarity matrix (m = 1) is a special case of (7)",
        remark="With a trace constraint here too, as the sentence before says, and for an S "
        "without a zero eigenvalue, which (12) would leave at zero.",
        programs=("kundu2010-eq7", "chen2009-eq12")),
)
# fmt: on

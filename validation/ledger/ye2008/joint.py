"""Section 4: λ is learned with the kernel; and what section 5 says of support vector machines."""

from __future__ import annotations

import numpy as np
from scipy.linalg import sqrtm

from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.formulations.ye2008 import Discriminant, JointDiscriminant, bounds
from cvxkernel.solvers import conic
from cvxkernel.validation.instances import blobs, gaussian_kernels
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    at_most,
    equal,
    identity,
    not_above,
    solved,
    worst,
)
from cvxkernel.validation.ledger.shared import (
    KINDS,
    literal,
    optimum,
    optimum_of,
    problem,
    recovered,
    same,
)
from cvxkernel.validation.ledger.ye2008.code import CODE
from cvxkernel.validation.ledger.ye2008.space import solve, space, two

# The narrowest Gaussian kernel is nearly the identity and takes its weight: there θ₀ = 0.
WITH_IDENTITY = ("random", "low rank")


def times(factor: float, one: Enclosure) -> Enclosure:
    """The enclosure of a positive multiple."""
    return Enclosure(factor * one.value, factor * one.lower, factor * one.upper, one.variables)


# -- Section 4 ------------------------------------------------------------------------------------


def eq40(seed: int) -> Evidence:
    """min_w F₇ against (40), and F₇ = τF₃ with λ = 1/τ."""
    s = two(seed)
    tau = 1 / s.lam
    w = solve(s.ridged, s.X @ s.P @ s.a)
    square, length = float(np.sum(((s.X @ s.P).T @ w - s.a) ** 2)), float(w @ w)
    F7, F3 = tau * square + length, square + s.lam * length
    M = np.eye(s.n) / tau + s.centred
    found = [solved(F7, float(s.a @ solve(M, s.a)), M, s.ridged)]
    return Evidence(worst([*found, identity(F7, tau * F3, n=s.n)]))


def r_0(seed: int) -> Evidence:
    """The identity once more, as one of the kernels: centred it costs m - 1."""
    printed, corrected = [], []
    for kind in WITH_IDENTITY:
        at, before = problem("ye2008-eq43", kind, seed), optimum("ye2008-eq43", kind, seed)
        more = JointDiscriminant(np.concatenate([at.kernels, np.eye(at.n)[None]]), at.y)
        after = optimum_of("ye2008-eq43", more)
        numbers = {"(43)": before.value, "(43), I among the kernels": after.value}
        told = about(kind, {**numbers, "r₀": at.r[0], "trace(PIP)": more.r[-1]})
        printed.append(equal(after, before, **told))
        corrected.append(identity(at.r[0], float(at.n), n=1, **told))
        # Costing m - 1 for m, it can have done no more than scale the value by (m - 1)/m.
        corrected.append(not_above(times((at.n - 1) / at.n, before), after, **told))
    return Evidence(worst(printed), worst(corrected))


def eq42(seed: int) -> Evidence:
    """The left side of (42) at the learned τ, with the budget 1 and with 1 - mθ₀."""
    printed, corrected = [], []
    for kind in WITH_IDENTITY:
        at, joint = problem("ye2008-eq43", kind, seed), optimum("ye2008-eq43", kind, seed)
        theta_0 = float(joint.variables["theta"][0])
        left, right = (
            optimum_of("ye2008-thm2.2", Discriminant(at.kernels, at.y, lam))
            for lam in (theta_0, theta_0 / (1 - at.n * theta_0))
        )
        numbers = {"left": left.value / theta_0, "right": joint.value, "θ₀": theta_0}
        told = about(kind, numbers)
        printed.append(equal(times(1 / theta_0, left), joint, **told))
        # θ₀ is as exact as the weights: (43) is least in it, so what it lacks is above.
        found = equal(times(1 / theta_0, right), joint, **told)
        corrected.append(found)
        for share in (0.2, 0.5, 0.8):
            given = Discriminant(at.kernels, at.y, share / at.n / (1 - share))
            other = times(at.n / share, optimum_of("ye2008-thm2.2", given))
            corrected.append(not_above(joint, other, **told))
    return Evidence(worst(printed), worst(corrected))


def F8_and_F9(at: JointDiscriminant, theta: Array) -> tuple[float, float]:
    """max_W F₈ and min_W F₉, at τ = 1/θ₀ and the kernel ΣθᵢG̃ᵢ.

    Σhᵀφᵀ(τΣ + I)⁻¹φh = θ₀(trace HᵀH - θ₀ trace Hᵀ(θ₀I + G̃)⁻¹H)
    """
    value = bounds.value(at, theta, binary=False)[0]
    return float(theta[0] * (np.sum(at.H**2) - theta[0] * value)), value


def F8(seed: int) -> Evidence:
    """max_W F₈ and min_W F₉ at the weights of (46) and at others of the same budget."""
    printed, corrected = [], []
    for kind in KINDS:
        at, best = problem("ye2008-eq46", kind, seed), optimum("ye2008-eq46", kind, seed)

        shares = np.full(at.p + 1, 0.5 / at.p)
        shares[0] = 0.5
        (here, F9), (there, other) = (
            F8_and_F9(at, theta) for theta in (best.variables["theta"], shares / at.r)
        )
        numbers = {"F₈ at (46)": here, "F₈ at equal shares": there}
        told = about(kind, {**numbers, "F₉ at (46)": F9, "F₉ there": other})
        printed.append(at_most(there, here, n=at.n, **told))
        corrected.append(at_most(best.lower, other, n=at.n, **told))
        corrected.append(at_most(F9, best.upper, n=at.n, **told))
    return Evidence(worst(printed), worst(corrected))


def F9(seed: int) -> Evidence:
    """min over w of F₉ as printed, with φ(X)Pᵀ, and with (φ(X)P)ᵀ; φ(X) is square here."""
    s = space((6, 4, 3), seed, 13)
    phi = np.real(sqrtm(s.G))  # φᵀφ = G with as many features as points
    P, tau = s.P, 1 / s.lam
    true = np.trace(s.H.T @ solve(np.eye(s.n) / tau + s.centred, s.H))

    def least(A: Array) -> float:
        W = solve(A.T @ A + np.eye(s.n) / tau, A.T @ s.H)
        return float(tau * np.sum((A @ W - s.H) ** 2) + np.sum(W**2))

    printed, corrected = least(phi @ P.T), least((phi @ P).T)
    told = about("n = 13", {"min F₉": printed, "Σhᵀ(I/τ + G̃)⁻¹h": float(true)})
    M = np.eye(s.n) / tau + s.centred
    return Evidence(solved(printed, true, M, M, **told), solved(corrected, true, M, M, **told))


def eq45(seed: int) -> Evidence:
    """(45) against (46)."""
    printed, corrected = [], []
    for kind in KINDS:
        exact, above = (optimum(f"ye2008-{id}", kind, seed) for id in ("eq46", "eq45"))
        told = about(kind, {"(45)": above.value, "(46)": exact.value})
        printed.append(equal(above, exact, **told))
        single = optimum("ye2008-eq45-single", kind, seed)
        corrected += [not_above(exact, above, **told), equal(single, exact, **told)]
        corrected += literal("ye2008-eq45", kind, seed)
        corrected += literal("ye2008-eq45-single", kind, seed)
    return Evidence(worst(printed), worst(corrected))


def recovery(seed: int) -> Evidence:
    """The multipliers of (43) and (46)."""
    two, many = (recovered(f"ye2008-{id}", seed) for id in ("eq43", "eq46"))
    corrected = [e.corrected for e in (two, many) if e.corrected is not None]
    return Evidence(worst([two.printed, many.printed]), worst(corrected))


# -- Sections 4.2.3 and 5.4: Lanckriet et al. (2004) ----------------------------------------------


def sm2c(seed: int) -> Evidence:
    """SM2_C against SM2 at the C it has learned, and at others."""
    found: list[Finding] = []
    for kind in KINDS:
        found += [
            *literal("lanckriet2004-sm2c", kind, seed),
            *literal("lanckriet2004-sm2", kind, seed),
        ]
        at = problem("lanckriet2004-sm2c", kind, seed)
        learned = optimum("lanckriet2004-sm2c", kind, seed)
        budget = float(np.trace(at.kernels, axis1=1, axis2=2).sum())
        mu_0 = float(learned.variables["mu"][0])
        for first, compare in ((mu_0, equal), (0.5, not_above), (1.5, not_above)):
            # What the other kernels have left of the budget scales the whole: α by s, C by s.
            s = (budget + at.n - at.n * first) / budget
            if not (first > 0 and s > 0):
                continue
            # By the cone: Newton's method does not read the program as it is written.
            given = conic("lanckriet2004-sm2", SoftMargin(at.kernels, at.y, s / first)).enclosure
            found.append(
                compare(learned, times(1 / s, given), instance=f"{kind}, 1/C = {first:.2g}")
            )
    return Evidence(worst(found))


def hard_margin(seed: int) -> Evidence:
    """SM1 and SM2 as C grows, between the hard margin less αᵀα/C and the hard margin."""
    found = []
    X, y = blobs(13, 2, seed=seed)
    K, y = gaussian_kernels(X, 3), 2 * y - 3
    hard = optimum_of("lanckriet2004-sm1", SoftMargin(K, y, 1e4))  # α stays inside the box
    alpha = hard.variables["alpha"]
    found.append(at_most(float(alpha.max()), 1e4, n=1))
    found += literal("lanckriet2004-sm1", "gaussian", seed)
    for C in (1.0, 1e2, 1e4):
        soft = optimum_of("lanckriet2004-sm2", SoftMargin(K, y, C))
        lost = float(alpha @ alpha) / C
        lower = Enclosure(hard.value - lost, hard.lower - lost, hard.upper - lost, {})
        found += [not_above(soft, hard), not_above(lower, soft)]
        boxed = optimum_of("lanckriet2004-sm1", SoftMargin(K, y, C))
        found.append(not_above(boxed, hard))
    return Evidence(worst(found))


def lda(seed: int) -> Evidence:
    """One narrow kernel, every point a support vector: ‖w‖² against that of least squares."""
    X, y = blobs(13, 2, seed=seed)
    K, y = gaussian_kernels(X, 1), 2 * y - 3  # σ = 0.1
    at = SoftMargin(K, y, 1e4)
    hard = optimum_of("lanckriet2004-sm1", at)
    D = Discriminant(K, y, 1.0)
    m_plus, m_minus = (float(np.sum(y == sign)) for sign in (1, -1))
    # a = (m/2m₊m₋) Py; the w of (12) with λ → 0 has Pφᵀw = a and ‖w‖² = aᵀG̃⁺a
    M = D.centred[0] + 1 / D.n  # G̃ on the vectors of zero mean, regular on the rest
    scale = (2 * m_plus * m_minus / D.n) ** 2
    limit = scale * (D.a.T @ solve(M, D.a)).item()
    every = float(hard.variables["alpha"].min())
    told = about("σ = 0.1, m = 13", {"‖w‖²": hard.value, "least squares": limit})
    exact = Enclosure(limit, limit, limit, {})
    return Evidence(worst([equal(hard, exact, **told), at_most(0.0, every, n=1)]))


# fmt: off
CLAIMS = (
    Claim("ye2008-eq40", "Section 4.1.1, (39) and (40)",
        "min over w of F₇ = aᵀ(I/τ + G̃)⁻¹a, and F₇ is equivalent to (12) with λ = 1/τ",
        "points with explicit features", eq40),
    Claim("ye2008-eq43", "Sections 4.1.1 and 4.1.2, (41) and (43)", "max (43) = min (41)",
        "both programs solved, held against their ends, their enclosures compared",
        same("ye2008-eq41", "ye2008-eq43"), programs=("ye2008-eq41", "ye2008-eq43")),
    Claim("ye2008-eq44", "Section 4.1.3, (44)", "max (44) = −min (41)",
        "both programs solved, held against their ends, their enclosures compared",
        same("ye2008-eq41", "ye2008-eq44"), programs=("ye2008-eq41", "ye2008-eq44")),
    Claim("ye2008-r0", "Section 4, (41) to (47)",
        "r₀ = trace(G̃₀), G̃₀ = I in exactly the same form as the other, centred, kernels",
        "the identity given once more as a kernel", r_0, printed="imprecise",
        correction="G̃₀ is not centred: r₀ = m, not m − 1",
        programs=("ye2008-eq43",), code=CODE["ye2008-r0"]),
    Claim("ye2008-eq42", "Section 4.1.2, (42)",
        "min over θᵀr = 1 with I/τ given = max over β of the minimum over θ̃ᵀr = 1, θ₀ = 1/τ = λ",
        "the left side at the learned τ", eq42, printed="fails",
        correction="the left side needs θᵀr = 1 − mθ₀ and the minimum over θ₀: (41) is "
        "Theorem 2.1 with λ = θ₀/(1 − mθ₀), not λ = θ₀, divided by θ₀",
        programs=("ye2008-eq43", "ye2008-thm2.2"), code=CODE["ye2008-eq42"]),
    Claim("ye2008-F8", "Section 4.2.1, above (45)",
        "(45) maximizes F₈ over W, K and τ",
        "max_W F₈ at the weights of (46) and at others of the same budget", F8, printed="fails",
        correction="it minimizes F₉: max_W F₈ = λ max_W F₅ grows with λ, and its best τ is 0",
        programs=("ye2008-eq46",), code=CODE["ye2008-F8"]),
    Claim("ye2008-F9", "Section 4.2.2, above (46)",
        "F₉ = Σᵢ (τ‖φ(X)Pᵀwᵢ − hᵢ‖² + ‖wᵢ‖²)",
        "as many features as points, so that the product is defined", F9, printed="fails",
        correction="(φ(X)P)ᵀwᵢ, as in (33): the transpose is of the product",
        programs=("ye2008-eq46",), code=CODE["ye2008-F9"]),
    Claim("ye2008-eq45", "Sections 4 and 4.2.1, (45)",
        "all is reformulated equivalently: (45) is the joint problem of (46) and (47)",
        "both programs solved, their enclosures compared", eq45, printed="imprecise",
        correction="(45) is an upper bound, as (32) is; with a free symmetric T it is exact",
        programs=("ye2008-eq45", "ye2008-eq45-single", "ye2008-eq46"), code=CODE["ye2008-eq45"]),
    Claim("ye2008-eq46", "Section 4.2.2, (46)",
        "max (46) = min over θ̃ ≥ 0, θ̃ᵀr = 1 of Σhⱼᵀ(ΣθᵢG̃ᵢ)⁻¹hⱼ",
        "(46) and the one LMI with a free T, held against their ends, their enclosures compared",
        same("ye2008-eq45-single", "ye2008-eq46"), programs=("ye2008-eq45-single", "ye2008-eq46")),
    Claim("ye2008-eq47", "Section 4.2.3, (47)", "max (47) = −max (46)",
        "both programs solved, held against their ends, their enclosures compared",
        same("ye2008-eq46", "ye2008-eq47"), programs=("ye2008-eq46", "ye2008-eq47")),
    Claim("ye2008-eq43-recovery", "After Theorem 2.2, for (43) and (46)",
        "θ̃ can be obtained directly from the dual variables",
        "both programs given to a solver; their multipliers as weights", recovery,
        printed="imprecise", correction="θᵢ = 4μᵢ/rᵢ; as they come, Σμᵢ = 1/4",
        programs=("ye2008-eq43", "ye2008-eq46"), code=CODE["ye2008-eq43-recovery"]),
    Claim("ye2008-sm2c", "Section 4.2.3, last paragraph",
        "SM2_C is SM2 with 1/C as the weight of the identity: SM2 at the C that it learns",
        "both programs; SM2 at the learned 1/C and at others", sm2c,
        programs=("lanckriet2004-sm2", "lanckriet2004-sm2c")),
    Claim("ye2008-hard", "Section 5.4", "as C grows, the soft margins approach the hard margin",
        "SM1 and SM2 for C = 1, 10², 10⁴", hard_margin,
        programs=("lanckriet2004-sm1", "lanckriet2004-sm2")),
    Claim("ye2008-lda", "Section 5.4 (Shashua, 1999)",
        "the hard margin machine is discriminant analysis where all points are support vectors",
        "one narrow Gaussian kernel: ‖w‖² against that of (12) as λ → 0", lda,
        programs=("lanckriet2004-sm1",)),
)

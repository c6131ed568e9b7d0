"""Section 4: λ is learned with the kernel; and what section 5 says of support vector machines."""

from __future__ import annotations

import numpy as np
from scipy.linalg import sqrtm

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import gaussian
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.formulations.ye2008 import Discriminant, JointDiscriminant, bounds
from cvxkernel.solvers import solve as solve_svm
from cvxkernel.validation.instances import blobs, gaussian_kernels
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
    on_each,
    rounding,
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
)
from cvxkernel.validation.ye2008.claims.programs import all_written, same, written
from cvxkernel.validation.ye2008.claims.space import Space, solve, space, three, two

# The narrowest Gaussian kernel is nearly the identity and takes its weight: there θ₀ = 0.
WITH_IDENTITY = ("random", "low rank")


def times(factor: float, one: Enclosure) -> Enclosure:
    """The enclosure of a positive multiple."""
    return Enclosure(factor * one.value, factor * one.lower, factor * one.upper, one.variables)


# -- Section 4 ------------------------------------------------------------------------------------


def eq40(seed: int) -> Evidence:
    """F₇ at the w* above (40), by its second line, against (40); F₇ = τF₃ with λ = 1/τ."""
    s = two(seed)
    tau = 1 / s.lam
    inner = s.a - s.P @ solve(np.eye(s.n) / tau + s.P @ s.G @ s.P, s.P @ s.G @ s.a)
    w = tau * s.X @ inner
    square, length = float(np.sum(((s.X @ s.P).T @ w - s.a) ** 2)), float(w @ w)
    F7, F3 = tau * square + length, square + s.lam * length
    M = np.eye(s.n) / tau + s.centred
    found = [solved(F7, float(s.a @ solve(M, s.a)), M, s.ridged), identity(F7, tau * F3, n=s.n)]
    found.append(solved(w, solve(s.ridged, s.X @ s.P @ s.a), M, s.ridged))
    return Evidence(worst(found))


def r_0(seed: int) -> Evidence:
    """(40) with the identity as one more matrix, of weight λ and trace m."""
    found = []
    for kind in KINDS:
        at = problem("ye2008-eq43", kind, seed)
        shares = np.random.default_rng(seed).dirichlet(np.ones(at.p + 1), size=4)
        for theta in shares / at.r:
            M = theta[0] * np.eye(at.n) + np.tensordot(theta[1:], at.centred, axes=1)
            among = np.tensordot(theta, at.G, axes=1)
            left, right = ((at.a.T @ solve(A, at.a)).item() for A in (M, among))
            found.append(solved(left, right, M, **about(kind)))
        found.append(identity(at.r[0], float(at.n), n=1, **about(kind)))
    return Evidence(worst(found))


def given_twice(seed: int) -> Finding:
    """The identity once more, as one of the kernels: centred it costs m - 1."""
    found = []
    for kind in WITH_IDENTITY:
        at, before = problem("ye2008-eq43", kind, seed), optimum("ye2008-eq43", kind, seed)
        more = JointDiscriminant(np.concatenate([at.kernels, np.eye(at.n)[None]]), at.y)
        after = optimum_of("ye2008-eq43", more)
        numbers = {"(43)": before.value, "(43), I among the kernels": after.value}
        told = about(kind, {**numbers, "r₀": at.r[0], "trace(PIP)": more.r[-1]})
        found.append(at_most(after.upper, before.lower, n=at.n, **told))
        # Costing m - 1 for m, it can have done no more than scale the value by (m - 1)/m.
        found.append(not_above(times((at.n - 1) / at.n, before), after, **told))
    return worst(found)


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
    value = float(bounds.value(DOUBLES, at, theta, binary=False).mid)
    return float(theta[0] * (np.sum(at.H**2) - theta[0] * value)), value


def F8(seed: int) -> Evidence:
    """At a fixed τ: max_W F₈ = λ(trace HᵀH - λ Σhⱼᵀ(λI + G̃)⁻¹hⱼ), λ = 1/τ."""
    found = []
    for s in (three(seed), space((6, 4, 3), seed, 13), space((5, 4, 3, 2), seed, 4)):
        for lam in (s.lam, 5e-4):
            below = s.total / lam + np.eye(s.d)
            h = s.X @ s.H
            W = solve(below, h)
            best = float(np.sum(np.sum(W * h, axis=0) ** 2 / np.sum(W * (below @ W), axis=0)))
            M = lam * np.eye(s.n) + s.centred
            value = float(np.sum(s.H * solve(M, s.H)))
            right, square = lam * (np.sum(s.H**2) - lam * value), float(np.sum(s.H**2))
            loss = lam * square * float(np.linalg.cond(below) * np.linalg.cond(M))
            told = about(f"k = {s.H.shape[1]}, λ = {lam:g}", {"max F₈": best})
            found.append(identity(best, right, n=s.n, magnitude=loss, **told))
    return Evidence(worst(found))


def F8_learned(seed: int) -> Finding:
    """F₈ at the weights of (46) is below F₈ at equal shares, where F₉ is larger."""
    found = []
    for kind in KINDS:
        at, best = problem("ye2008-eq46", kind, seed), optimum("ye2008-eq46", kind, seed)
        shares = np.full(at.p + 1, 0.5 / at.p)
        shares[0] = 0.5
        (here, F9), (there, other) = (
            F8_and_F9(at, theta) for theta in (best.variables["theta"], shares / at.r)
        )
        numbers = {"F₈ at (46)": here, "F₈ at equal shares": there}
        told = about(kind, {**numbers, "F₉ at (46)": F9, "F₉ there": other})
        found += [at_most(here, there, n=at.n, **told), at_most(best.lower, other, n=at.n, **told)]
    return worst(found)


def F9(seed: int) -> Evidence:
    """min over w of F₉ as printed, with φ(X)Pᵀ, and with (φ(X)P)ᵀ; φ(X) is square here."""
    sizes = ((6, 4, 3), (3, 3, 3, 3), (8, 2, 5))
    return on_each(_F9(space(of, seed, sum(of))) for of in sizes)


def _F9(s: Space) -> Evidence:
    phi = np.real(sqrtm(s.G))  # φᵀφ = G with as many features as points
    P, tau = s.P, 1 / s.lam
    true = np.trace(s.H.T @ solve(np.eye(s.n) / tau + s.centred, s.H))

    def least(A: Array) -> float:
        W = solve(A.T @ A + np.eye(s.n) / tau, A.T @ s.H)
        return float(tau * np.sum((A @ W - s.H) ** 2) + np.sum(W**2))

    printed, corrected = least(phi @ P.T), least((phi @ P).T)
    told = about(f"n = {s.n}", {"min F₉": printed, "Σhᵀ(I/τ + G̃)⁻¹h": float(true)})
    M = np.eye(s.n) / tau + s.centred
    return Evidence(solved(printed, true, M, M, **told), solved(corrected, true, M, M, **told))


def eq45(seed: int) -> Evidence:
    """(45) as written; (32) at λ = θ₀/(1 - mθ₀), divided by θ₀: the same at its θ₀, else not below.

    And not below (46), as (32) is not below (29).
    """
    found = all_written(seed, "ye2008-eq45", "ye2008-eq45-single")
    for kind in KINDS:
        found += [
            *literal("ye2008-eq45", kind, seed),
            *literal("ye2008-eq45-single", kind, seed),
        ]
        exact, above = (optimum(f"ye2008-{id}", kind, seed) for id in ("eq46", "eq45"))
        told = about(kind, {"(45)": above.value, "(46)": exact.value})
        found.append(not_above(exact, above, **told))
        at, theta_0 = problem("ye2008-eq45", kind, seed), float(above.variables["theta"][0])
        for share in (at.n * theta_0, 0.2, 0.6):
            if kind not in WITH_IDENTITY and share == at.n * theta_0:
                continue
            given = Discriminant(at.kernels, at.y, share / at.n / (1 - share))
            fixed = times(at.n / share, optimum_of("ye2008-thm3.1", given))
            compare = equal if share == at.n * theta_0 else not_above
            found.append(compare(above, fixed, **told))
    return Evidence(worst(found))


def recovery(seed: int) -> Finding:
    """The multipliers of (34), (43) and (46)."""
    found = [recovered(f"ye2008-{id}", seed).corrected for id in ("thm3.2", "eq43", "eq46")]
    return worst(finding for finding in found if finding is not None)


# -- Sections 4.2.3 and 5.4: Lanckriet et al. (2004) ----------------------------------------------


def sm2c(seed: int) -> Evidence:
    """Both as written; SM2_C against SM2 at the C it has learned, and at others."""
    found = all_written(seed, "lanckriet2004-sm2c", "lanckriet2004-sm2")
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
            given = optimum_of("lanckriet2004-sm2", SoftMargin(at.kernels, at.y, s / first))
            found.append(
                compare(learned, times(1 / s, given), instance=f"{kind}, 1/C = {first:.2g}")
            )
    return Evidence(worst(found))


def hard_margin(seed: int) -> Evidence:
    """SM1 and SM2 as C grows, between the hard margin less αᵀα/C and the hard margin."""
    found = all_written(seed, "lanckriet2004-sm1", "lanckriet2004-sm2")
    X, y = blobs(13, 2, seed=seed)
    K, y = gaussian_kernels(X, 3), 2 * y - 3
    hard = optimum_of("lanckriet2004-sm1", SoftMargin(K, y, 1e4))  # α stays inside the box
    alpha = hard.variables["alpha"]
    found.append(at_most(float(alpha.max()), 1e4, n=1))
    found += literal("lanckriet2004-sm1", "gaussian", seed)
    for C in (float(alpha.max()) / 4, 1.0, 1e2, 1e4):
        at = SoftMargin(K, y, C)
        found += [written(f"lanckriet2004-{id}", at, f"C = {C:.2g}") for id in ("sm1", "sm2")]
        soft = optimum_of("lanckriet2004-sm2", at)
        lost = float(alpha @ alpha) / C
        lower = Enclosure(hard.value - lost, hard.lower - lost, hard.upper - lost, {})
        found += [not_above(soft, hard), not_above(lower, soft)]
        found.append(not_above(optimum_of("lanckriet2004-sm1", at), hard))
    return Evidence(worst(found))


def lda(seed: int) -> Evidence:
    """Narrow kernels, every point a support vector: w of the machine against w of least squares.

    Both are φ(X)c with Σcᵢ = 0, and K is definite: the same w is the same c. The w of (12) with
    λ → 0 has Pφᵀw = a, here times 2m₊m₋/m, so that the two classes are at a distance of 2.
    """
    found = []
    for sigma in (0.1, 0.5, 1.0):
        X, y = blobs(13, 2, seed=seed)
        K, y = gaussian(X, sigma), 2 * y - 3
        hard = solve_svm("lanckriet2004-sm1", SoftMargin(K[None], y, 1e4)).enclosure
        alpha = hard.variables["alpha"]
        D = Discriminant(K[None], y, 1.0)
        m_plus, m_minus = (float(np.sum(y == sign)) for sign in (1, -1))
        M = D.centred[0] + 1 / D.n  # G̃ on the vectors of zero mean, regular on the rest
        c = 2 * m_plus * m_minus / D.n * solve(M, D.a)[:, 0]
        told = about(f"σ = {sigma:g}, m = 13", {"least α": alpha.min(), "‖w‖²": hard.value})
        # 2αᵀ1 - αᵀYKYα is strongly concave: its α is as near as the width allows.
        near = np.sqrt((hard.upper - hard.value) / float(np.linalg.eigvalsh(K)[0]))
        size, cond = float(np.abs(c).max()), float(np.linalg.cond(M))
        off, slack = float(np.abs(alpha * y - c).max()), near / size + rounding(D.n, cond)
        found.append(Finding(off / size, slack, **told))
        found.append(at_most(0.0, float(alpha.min()), n=1, **told))
        # And the kernel K is normalized to its trace by the program: μ = 1.
        found.append(identity(hard.variables["mu"], np.ones(1), n=D.n, **told))
    return Evidence(worst(found))


# fmt: off
CLAIMS = (
    Claim("ye2008-eq40", "Section 4.1.1, (39) and (40)",
        "w* = (I/τ + φPφᵀ)⁻¹φPa = τφ(I − P(I/τ + PGP)⁻¹PG)a, min over w of F₇ = aᵀ(I/τ + G̃)⁻¹a, "
        "and F₇ is equivalent to (12) with λ = 1/τ",
        "points with explicit features", eq40,
        quote="which is equivalent to the standard formulation in Equation (12) … that minimizes "
        "the objective function in Equation (39) for a fixed K and a fixed"),
    Claim("ye2008-r0", "Section 4.1.1, below (40)",
        "the identity appears in exactly the same form as the other kernels: G̃₀ = I, of weight λ "
        "and trace m",
        "(40) with the identity as one more matrix, at some weights", r_0,
        quote="the identity matrix appears in exactly the same form as other kernel matrices",
        programs=("ye2008-eq43",)),
    Claim("ye2008-eq43", "Sections 4.1.1 and 4.1.2, (41) and (43)", "max (43) = min (41)",
        "both programs as written, held against their ends, their enclosures compared",
        same("ye2008-eq41", "ye2008-eq43"), programs=("ye2008-eq41", "ye2008-eq43"),
        quote="This can be formulated to optimize the regularization parameter as one of the "
        "coefficients for the kernel matrix as follows"),
    Claim("ye2008-eq44", "Section 4.1.3, (44)", "max (44) = −min (41)",
        "both programs as written, held against their ends, their enclosures compared",
        same("ye2008-eq41", "ye2008-eq44"), programs=("ye2008-eq41", "ye2008-eq44"),
        quote="for the binary-class problem can also be reformulated to optimize"),
    Claim("ye2008-eq42", "Section 4.1.2, (42)",
        "min over θᵀr = 1 with I/τ given = max over β of the minimum over θ̃ᵀr = 1, θ₀ = 1/τ = λ",
        "the left side at the learned τ", eq42, printed="imprecise",
        quote="the optimization problem in Equation (15) can be expressed as",
        correction="with θᵀr = 1 − mθ₀ on the left, and the minimum over θ₀ = 1/τ: (41) is "
        "Theorem 2.1 with λ = θ₀/(1 − mθ₀), divided by θ₀",
        programs=("ye2008-eq43", "ye2008-thm2.2")),
    Claim("ye2008-F8", "Section 4.2.1, above (45)",
        "(26) with τΣ_K + I below, F₈, leads to the matrix I/τ + ΣθᵢG̃ᵢ of (45) by the derivation "
        "of Lemma 3.1",
        "points with explicit features: max_W F₈ against λ(trace HᵀH − λΣhⱼᵀ(I/τ + G̃)⁻¹hⱼ)", F8,
        quote="By following the same derivation in Lemma 3.1 and noticing the relationship with "
        "the binary-class case, we derive the following SDP formulation",
        remark="At a fixed τ: the kernel that maximizes F₈ makes Σhⱼᵀ(I/τ + G̃)⁻¹hⱼ least. Where τ "
        "is learned, it is this sum, F₉, that (46) and (47) make small, (45) a bound on it."),
    Claim("ye2008-F9", "Section 4.2.2, above (46)",
        "F₉ = Σᵢ (τ‖φ(X)Pᵀwᵢ − hᵢ‖² + ‖wᵢ‖²)",
        "as many features as points, so that the product is defined", F9, printed="fails",
        erratum="ye2008-F9",
        quote="Similar to the binary-class case, we modify the least square problem in "
        "Equation (33) as follows",
        correction="(φ(X)P)ᵀwᵢ, as in (33): the transpose is of the product",
        programs=("ye2008-eq46",)),
    Claim("ye2008-eq45", "Sections 4.2 and 4.2.1, (45)",
        "(32) can be recast to optimize λ jointly, as (45)",
        "(45) as written, held against its ends; (32) at the learned θ₀ and at others", eq45,
        quote="presented in Section 3 can be recast to optimize the regularization parameter "
        "jointly",
        remark="(45) is (32) with λ = θ₀/(1 − mθ₀), divided by θ₀, and so an upper bound on (46), "
        "as (32) is on (29); with a free symmetric T for diag(t) it is exact.",
        programs=("ye2008-eq45", "ye2008-eq45-single", "ye2008-eq46")),
    Claim("ye2008-eq46", "Section 4.2.2, (46)",
        "max (46) = min over θ̃ ≥ 0, θ̃ᵀr = 1 of Σhⱼᵀ(ΣθᵢG̃ᵢ)⁻¹hⱼ",
        "(46) and the one LMI with a free T as written, held against their ends, their enclosures "
        "compared",
        same("ye2008-eq45-single", "ye2008-eq46"), programs=("ye2008-eq45-single", "ye2008-eq46"),
        quote="By following the same derivation as in Theorem 3.2, we obtain the following joint "
        "optimization problem"),
    Claim("ye2008-eq47", "Section 4.2.3, (47)", "max (47) = −max (46)",
        "both programs as written, held against their ends, their enclosures compared",
        same("ye2008-eq46", "ye2008-eq47"), programs=("ye2008-eq46", "ye2008-eq47"),
        quote="the SILP formulation for multi-class problems can also be formulated to optimize"),
    Claim("ye2008-sm2c", "Section 5.1, of Lanckriet et al. (2004b)",
        "SM2_C is the 2-norm soft margin with C optimized jointly",
        "both programs as written; SM2 at the learned 1/C and at others", sm2c,
        quote="2-norm soft margin SVM with and without the regularization parameter C optimized "
        "jointly",
        programs=("lanckriet2004-sm2", "lanckriet2004-sm2c")),
    Claim("ye2008-hard", "Section 5.4", "as C grows, the soft margins approach the hard margin",
        "SM1 and SM2 as written, where the box binds and for C = 1, 10², 10⁴", hard_margin,
        quote="soft margin SVM is approaching hard margin SVM",
        programs=("lanckriet2004-sm1", "lanckriet2004-sm2")),
    Claim("ye2008-lda", "Section 5.4 (Shashua, 1999)",
        "the hard margin machine is discriminant analysis where all points are support vectors",
        "narrow Gaussian kernels: the coefficients of w against those of (12) as λ → 0", lda,
        quote="hard margin linear SVM is equivalent to linear discriminant analysis (LDA) when all "
        "the training points are support vectors",
        programs=("lanckriet2004-sm1",)),
)

REMARKS = (
    Remark("ye2008-identity", "Section 4, (41) to (47)",
        "G̃₀ = I is not centred: r₀ = m. The identity given once more among the kernels is centred, "
        "costs m − 1 and takes the weight of G̃₀.",
        "the identity given once more as a kernel", given_twice, "ye2008-r0"),
    Remark("ye2008-recovery", "(34), (43) and (46)",
        "From the multipliers μ of t ≥ …: θᵢ = 4λμᵢ/rᵢ in (34) as in (13), θᵢ = 4μᵢ/rᵢ in (43), "
        "(46).",
        "the programs given to a solver; their multipliers as weights", recovery,
        "ye2008-thm2.2-recovery"),
    Remark("ye2008-F8-tau", "Section 4.2.1",
        "Where τ is learned too, max_W F₈ is not largest where (46) has its optimum: at a "
        "fixed kernel it grows with λ = 1/τ.",
        "max_W F₈ at the weights of (46) and at equal shares", F8_learned, "ye2008-F8"),
)
# fmt: on

"""Sections 2.1 to 2.4: two classes, λ given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import bounds
from cvxkernel.solvers import ColumnGeneration
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    at_most,
    identity,
    solved,
    worst,
)
from cvxkernel.validation.ledger.shared import (
    KINDS,
    literal,
    optimum,
    problem,
    recovered,
)
from cvxkernel.validation.ye2008.claims.programs import all_written, same
from cvxkernel.validation.ye2008.claims.space import Space, solve, some_weights, two, unit

EPSILON = 5e-4  # the ε of rule (22) in the paper's experiments


# -- (5) to (11) ----------------------------------------------------------------------------------


def eq5(seed: int) -> Evidence:
    """G̃ = PGP is the Gram matrix of the centred points; Pa = a."""
    s = two(seed)
    D = s.X - s.X.mean(axis=1, keepdims=True)
    size = float(np.abs(s.G).max())
    return Evidence(
        worst(
            [
                identity(s.centred, D.T @ D, n=s.n, magnitude=4 * size),
                identity(s.centred, s.P @ s.G @ s.P, n=s.n, magnitude=4 * size),
                identity(s.P @ s.a, s.a, n=s.n),
            ]
        )
    )


def eq7(seed: int) -> Evidence:
    """The three lines of (7)."""
    s = two(seed)
    m_plus, m_minus = (s.members(label).shape[1] for label in (1.0, -1.0))
    first = s.n * s.within + m_plus * m_minus / s.n * np.outer(s.delta, s.delta)
    size = float(np.abs(s.X @ s.X.T).max())
    return Evidence(
        worst(
            [
                identity(first, s.total, n=s.n, magnitude=size),
                identity(s.X @ s.P @ s.X.T, s.total, n=s.n, magnitude=size),
            ]
        )
    )


def eq6(seed: int) -> Evidence:
    """The directions of (1) at λ and of (6) at λ and at mλ."""
    s = two(seed)
    M = s.within + s.lam * np.eye(s.d)
    first = unit(solve(M, s.delta))
    at_lam, at_m_lam = (unit(solve(s.total + c * s.lam * np.eye(s.d), s.delta)) for c in (1, s.n))
    numbers = {"cosine at λ": float(first @ at_lam), "cosine at mλ": float(first @ at_m_lam)}
    told = about(f"m = {s.n}, λ = {s.lam:g}", numbers)
    return Evidence(
        solved(first, at_lam, M, s.ridged, **told), solved(first, at_m_lam, M, s.ridged, **told)
    )


def appendix_a(seed: int) -> Evidence:
    """Its first and its last line, in the space of the features."""
    s = two(seed)
    M = s.lam * np.eye(s.n) + s.P @ s.G @ s.P
    inner = s.a - s.P @ solve(M, s.P @ s.G @ s.a)
    return Evidence(solved(s.X @ inner / s.lam, solve(s.ridged, s.delta), M, s.ridged))


def eq9_to_11(seed: int) -> Evidence:
    """(9), (10), aᵀa - (11) and F₂ at w*."""
    s = two(seed)
    direct = float(s.delta @ solve(s.ridged, s.delta))
    M, G = s.lam * np.eye(s.n) + s.centred, s.centred
    nine = s.a @ (G - G @ solve(M, G)) @ s.a / s.lam
    square = float(s.a @ s.a)
    ten = square - s.lam * s.a @ solve(M, s.a)
    eleven = square - s.a @ solve(s.system, s.a)
    numbers = (nine, ten, eleven)
    found = [solved(x, direct, M, s.ridged) for x in numbers]
    value = float(bounds.value(DOUBLES, s.problem, np.ones(1), binary=True).mid)
    return Evidence(worst([*found, solved(square - value, direct, M, s.ridged)]))


def thm2_1(seed: int) -> Evidence:
    """(8) as written, and against (11) at its weights and at others."""
    found = all_written(seed, "ye2008-thm2.1")
    for kind in KINDS:
        found += literal("ye2008-thm2.1", kind, seed)
        at, best = problem("ye2008-thm2.1", kind, seed), optimum("ye2008-thm2.1", kind, seed)
        for theta in (best.variables["theta"], *some_weights(at.r, seed)):
            M = np.eye(at.n) + np.tensordot(theta, at.G, axes=1) / at.lam
            eleven = (at.a.T @ solve(M, at.a)).item()
            loss = eleven * float(np.linalg.cond(M))
            found.append(at_most(best.lower, eleven, n=at.n, magnitude=loss, instance=kind))
        M = np.eye(at.n) + np.tensordot(best.variables["theta"], at.G, axes=1) / at.lam
        found.append(solved(best.value, (at.a.T @ solve(M, at.a)).item(), M))
    return Evidence(worst(found))


def convex_combination(seed: int) -> Evidence:
    """Σθᵢ and θᵀr of the optimal weights."""
    printed, corrected = [], []
    for kind in KINDS:
        at = problem("ye2008-thm2.2", kind, seed)
        theta = optimum("ye2008-thm2.2", kind, seed).variables["theta"]
        told = about(kind, {"Σθᵢ": theta.sum(), "θᵀr": theta @ at.r})
        printed.append(identity(theta.sum(), 1.0, n=at.p, **told))
        corrected.append(identity(theta @ at.r, 1.0, n=at.n, magnitude=float(at.n), **told))
    return Evidence(worst(printed), worst(corrected))


# -- Lemma 2.1, Theorems 2.2 and 2.3 --------------------------------------------------------------


def lem2_1(seed: int) -> Evidence:
    """min_w F₃ = (11), at the w of (6)."""
    s = two(seed)
    w = solve(s.ridged, s.X @ s.P @ s.a)
    F3 = float(np.sum(((s.X @ s.P).T @ w - s.a) ** 2) + s.lam * w @ w)
    eleven = float(s.a @ solve(s.system, s.a))
    found = [
        solved(F3, eleven, s.system, s.ridged),
        solved(w, solve(s.ridged, s.delta), s.ridged),
    ]
    for v in w + 0.1 * np.random.default_rng(seed).normal(size=(6, s.d)):
        other = float(np.sum(((s.X @ s.P).T @ v - s.a) ** 2) + s.lam * v @ v)
        found.append(at_most(F3, other, n=s.n))
    return Evidence(worst(found))


def duality(s: Space, h: Array, seed: int) -> Finding:
    """η = -β/2 and w = φPβ/2λ at the maximizer of g, g(β*) = min F, and g at other β not above.

    F is the F₃ of h = a, the F₆ of h = H.
    """
    beta = solve(s.system, 2 * h)
    w = solve(s.ridged, s.X @ s.P @ h)
    eta = (s.X @ s.P).T @ w - h
    least = float(np.sum(eta**2) + s.lam * np.sum(w**2))

    def g(beta: Array) -> float:
        return float(np.sum(beta * h) - np.sum(beta * (s.system @ beta)) / 4)

    both = (s.system, s.ridged)
    found = [
        solved(eta, -beta / 2, *both),
        solved(w, s.X @ s.P @ beta / (2 * s.lam), *both),
        solved(g(beta), least, *both),
    ]
    size = float(np.linalg.cond(s.system)) * least
    for step in np.random.default_rng(seed).normal(size=(6, *h.shape)):
        found.append(at_most(g(beta + 0.1 * step), g(beta), n=s.n, magnitude=size))
    return worst(found)


def thm2_2_dual(seed: int) -> Evidence:
    """The dual of min F₃."""
    s = two(seed)
    return Evidence(duality(s, s.a, seed))


def recovery(seed: int) -> Evidence:
    """The multipliers of (13), as θᵢ = 4λμᵢ/rᵢ."""
    found = recovered("ye2008-thm2.2", seed).corrected
    assert found is not None
    return Evidence(found)


def thm2_3_sense(seed: int) -> Evidence:
    """F₃* at the weights of (16) against F₃* at other weights; at the paper's λ."""
    printed, corrected = [], []
    for kind in KINDS:
        at, best = problem("ye2008-thm2.3", kind, seed), optimum("ye2008-thm2.3", kind, seed)
        here = float(bounds.value(DOUBLES, at, best.variables["theta"], binary=True).mid)
        others = [
            float(bounds.value(DOUBLES, at, w, binary=True).mid) for w in some_weights(at.r, seed)
        ]
        told = about(kind, {"F₃* at (16)": here, "largest F₃*": max(others)})
        printed.append(at_most(max(others), here, n=at.n, **told))
        # The weights are optimal up to the width of their enclosure.
        slack = best.width * abs(here)
        corrected += [at_most(here - slack, x, n=at.n, **told) for x in others]
    return Evidence(worst(printed), worst(corrected))


def eq21(seed: int) -> Evidence:
    """ΣθᵢSᵢ(β) is the function of (21), and the linear systems below it make its gradient zero."""
    found: list[Finding] = []
    rng = np.random.default_rng(seed)
    for kind in KINDS:
        for id in ("ye2008-thm2.3", "ye2008-thm3.3"):
            at = problem(id, kind, seed)
            h, told = at.a if id == "ye2008-thm2.3" else at.H, about(f"{id}, {kind}")
            for theta in some_weights(at.r, seed)[:5]:
                Q = np.eye(at.n) / 4 + np.tensordot(theta, at.centred, axes=1) / (4 * at.lam)
                beta = rng.normal(size=h.shape)
                form, inner = np.sum(beta * (Q @ beta)), np.sum(beta * h)
                size = np.sum(np.abs(beta) * (np.abs(Q) @ np.abs(beta))) + np.abs(beta * h).sum()
                total = theta @ at.S(beta, h)
                found.append(identity(total, form - inner, n=at.n, magnitude=4 * size, **told))
                beta = at.argmin(theta, h)
                size = float((np.abs(Q) @ np.abs(beta)).max())
                found.append(identity(2 * Q @ beta, h, n=at.n, magnitude=4 * size, **told))
    return Evidence(worst(found))


def eq22(seed: int) -> Evidence:
    """Where rule (22) with the paper's ε stops, the weights are optimal to that ε."""
    found: list[Finding] = []
    for kind in KINDS:
        for id, reference in (("thm2.3", "thm2.2"), ("thm3.3", "thm3.2"), ("eq44", "eq43")):
            id, exact = f"ye2008-{id}", optimum(f"ye2008-{reference}", kind, seed)
            stopped = ColumnGeneration(tol=EPSILON, stop="paper").solve(id, problem(id, kind, seed))
            gap = max(0.0, -stopped.value / exact.lower - 1)
            told = about(f"{id}, {kind}", {"gap": gap, "ε": EPSILON})
            found.append(Finding(gap, EPSILON + exact.width, **told))
    return Evidence(worst(found))


# The symbols under the minimum or the maximum of each program, as printed, with their sizes.
PRINTED: dict[str, dict[str, Callable[[int, int, int], int]]] = {
    "ye2008-thm2.1": {"theta": lambda n, p, k: p, "t": lambda n, p, k: 1},
    "ye2008-thm2.2": {"beta": lambda n, p, k: n, "t": lambda n, p, k: 1},
    "ye2008-thm2.3": {"theta": lambda n, p, k: p, "gamma": lambda n, p, k: 1},
    "ye2008-thm3.1": {"t": lambda n, p, k: k, "theta": lambda n, p, k: p},
    "ye2008-thm3.2": {"beta": lambda n, p, k: n * k, "t": lambda n, p, k: 1},
    "ye2008-thm3.3": {"theta": lambda n, p, k: p, "gamma": lambda n, p, k: 1},
}


def variables(id: str, n: int, p: int, k: int) -> int:
    """How many numbers the printed symbols stand for."""
    return sum(size(n, p, k) for size in PRINTED[id].values())


def sizes(seed: int) -> Evidence:
    """The printed symbols counted; the bounds that their numbers give; the programs as built.

    A semidefinite program of q variables and N rows costs O(q²N^2.5), a QCQP of q variables and p
    constraints O(pq² + q³): what Lanckriet et al. (2004b) go by. An iteration of the SILP adds up p
    kernels, factors the sum by LU, and solves two triangular systems for each class.
    """
    found: list[Finding] = []
    for n, p, k in ((13, 3, 3), (100, 10, 8), (2705, 48, 3), (50, 500, 50)):
        told = about(f"n = {n}, p = {p}, k = {k}")
        q = variables("ye2008-thm3.1", n, p, k)
        above = float((p + n) ** 2) * float(k + n) ** 2.5
        found.append(at_most(q**2 * float(n + k) ** 2.5, above, n=1, **told))
        q = variables("ye2008-thm3.2", n, p, k) - 1  # t is eliminated
        found.append(identity(p * q**2 + q**3, p * k**2 * n**2 + k**3 * n**3, n=1, **told))
        if p <= n:
            iteration = p * n**2 + 2 / 3 * n**3 + 2 * k * n**2
            found.append(at_most(iteration, 4.0 * n**3, n=1, **told))
    for id, symbols in PRINTED.items():
        at = problem(id, "gaussian", seed)
        k = 1 if formulation(id).binary else at.k
        cut = ([np.ones((at.n, k))],) if formulation(id).kind == "SILP" else ()
        built = formulation(id).program(at, *cut)
        wrong = set(symbols).symmetric_difference(built.variables)
        counted = [v.size for _, v in sorted(built.variables.items())]
        printed = [symbols[name](at.n, at.p, k) for name in sorted(symbols) if name not in wrong]
        found.append(Finding(float(len(wrong)), 0.0, **about(f"{id}: symbols")))
        found.append(identity(counted, printed, n=1, **about(f"{id}: sizes")))
        if "lmi" in built.constraints:
            rows = built.constraints["lmi"].shape[0]  # type: ignore[union-attr]
            found.append(identity(rows, at.n + k, n=1, **about(f"{id}: rows")))
    return Evidence(worst(found))


# fmt: off
CLAIMS = (
    Claim("ye2008-eq5", "Section 2.1, (5)",
        "G̃ = PGP is the Gram matrix of the centred data; Pa = a",
        "points with explicit features", eq5, quote="This is equivalent to centering the data"),
    Claim("ye2008-eq7", "Section 2.1, (7)",
        "Σ_K = m₊S⁺ + m₋S⁻ + (m₊m₋/m)(μ⁺ − μ⁻)(μ⁺ − μ⁻)ᵀ = φ(X)Pφ(X)ᵀ",
        "points with explicit features, the three lines of (7)", eq7,
        quote="is the global centroid of the data in the feature space"),
    Claim("ye2008-eq6", "Section 2.1, after (7)",
        "for fixed K and λ, (1) and (6) are equivalent in terms of the optimal w",
        "points with explicit features: the two directions", eq6, printed="imprecise",
        quote="has been omitted in the definition of … It turns out that for fixed K and … "
        "Equations (1) and (6) are equivalent in terms of the computation of the optimal weight "
        "vector",
        correction="up to the factor 1/m that the sentence before omits: (6) at mλ has the "
        "direction of (1) at λ"),
    Claim("ye2008-appA", "Appendix A",
        "(Σ_K + λI)⁻¹(μ⁺ − μ⁻) = (1/λ) φ(X)(I − P(λI + PGP)⁻¹PG)a",
        "points with explicit features, first line against last", appendix_a,
        quote="where P is the centering matrix defined in Equation (5), it follows that"),
    Claim("ye2008-eq10", "Proof of Theorem 2.1, (9) to (11)",
        "F₂* = (1/λ) aᵀ(G̃ − G̃(λI + G̃)⁻¹G̃)a = aᵀa − λaᵀ(λI + G̃)⁻¹a = aᵀa − aᵀ(I + G̃/λ)⁻¹a",
        "points with explicit features, every expression against F₂ at w*", eq9_to_11,
        quote="in Equation (10) for a fixed regularization parameter … is equivalent to minimizing",
        programs=("ye2008-thm2.1",)),
    Claim("ye2008-thm2.1", "Theorem 2.1, (8)",
        "min (8) = min over θ ≥ 0, θᵀr = 1 of aᵀ(I + ΣθᵢG̃ᵢ/λ)⁻¹a = aᵀa − max F₂*",
        "the program as written, held against its ends, and (11) at other weights", thm2_1,
        quote="that maximizes the objective function in Equation (6) can be found by solving the "
        "following semidefinite programming problem",
        programs=("ye2008-thm2.1",)),
    Claim("ye2008-convex", "Theorems 2.2, 2.3, 3.2 and 3.3",
        "the optimal kernel is a convex linear combination of the given p kernels",
        "Σθᵢ of the optimal weights", convex_combination, printed="imprecise",
        quote="in the form of a convex linear combination of the given p kernel matrices",
        correction="of the G̃ᵢ/rᵢ: θᵀr = 1, as the set above (5) has it, not Σθᵢ = 1",
        programs=("ye2008-thm2.2",)),
    Claim("ye2008-lem2.1", "Lemma 2.1",
        "min over w of F₃ = aᵀ(I + G̃/λ)⁻¹a, so that (11) and (12) have the same optimal kernel",
        "points with explicit features; F₃ at w* and at other w", lem2_1,
        quote="is also the minimizer of the objective function in Equation (12)"),
    Claim("ye2008-thm2.2", "Theorem 2.2, (13)", "max (13) = min (8)",
        "both programs as written, held against their ends, their enclosures compared",
        same("ye2008-thm2.1", "ye2008-thm2.2"), programs=("ye2008-thm2.1", "ye2008-thm2.2"),
        quote="that minimizes the objective function in Equation (12) can be found by solving the "
        "following convex QCQP problem"),
    Claim("ye2008-thm2.2-dual", "Proof of Theorem 2.2",
        "η = −β/2, w = φ(X)Pβ/(2λ), and max g(β) = min F₃",
        "points with explicit features", thm2_2_dual,
        quote="Thus, we obtain the following Lagrangian dual function"),
    Claim("ye2008-thm2.2-recovery", "After the proof of Theorem 2.2",
        "θ can be obtained directly from the dual variables",
        "(13) given to a solver; its multipliers as weights", recovery,
        quote="can be obtained directly from the dual variables",
        remark="θᵢ = 4λμᵢ/rᵢ, μᵢ the multiplier of t ≥ βᵀG̃ᵢβ/rᵢ; as they come, Σμᵢ = 1/(4λ).",
        programs=("ye2008-thm2.2",)),
    Claim("ye2008-thm2.3-sense", "Theorem 2.3",
        "the kernel of (16) maximizes F₃, the objective function in (12)",
        "F₃* at the weights of (16) and at other weights", thm2_3_sense, printed="fails",
        erratum="ye2008-sense", quote="that maximizes the objective function in Equation (12)",
        correction="it minimizes F₃*", programs=("ye2008-thm2.3",)),
    Claim("ye2008-thm2.3", "Theorem 2.3, (16) to (19)",
        "(16) finds the kernel of (14): max (16) = −min (8)",
        "both programs as written, held against their ends, their enclosures compared",
        same("ye2008-thm2.1", "ye2008-thm2.3"), programs=("ye2008-thm2.1", "ye2008-thm2.3"),
        quote="that the optimization problem in Equation (14) can be expressed equivalently as"),
    Claim("ye2008-eq21", "Sections 2.3 and 3.3, (20) and (21)",
        "the most violated cut solves (½I + (1/2λ)ΣθᵢG̃ᵢ)βⱼ = hⱼ, with a for h in (21)",
        "ΣθᵢSᵢ(β) against (21) at random β; the gradient at the solution", eq21,
        quote="the problem in Equation (21) is an unconstrained convex quadratic program whose "
        "solution can be obtained analytically",
        programs=("ye2008-thm2.3", "ye2008-thm3.3")),
    Claim("ye2008-eq22", "Section 2.3, (22)",
        "the exchange method converges, and returns when |1 − ΣθᵢSᵢ(β)/γ| ≤ ε",
        "the method run until (22) holds with the paper's ε; the true gap from a QCQP", eq22,
        quote="these methods are guaranteed to converge",
        remark="Where (22) holds the value at the weights is within ε of the optimum.",
        programs=("ye2008-thm2.3", "ye2008-thm3.3", "ye2008-eq44")),
    Claim("ye2008-table1", "Sections 2.4 and 3.4, Table 1",
        "SDP O((p + n)²(k + n)^2.5), QCQP O(pk²n² + k³n³), SILP O(n³Ite)",
        "the printed symbols counted, (32): p + k variables, n + k rows; (34): kn variables and t, "
        "p constraints; interior-point bounds of these numbers; the programs as built; the "
        "operations of an iteration of the SILP, p ≤ n", sizes,
        quote="formulations have worst-case time complexity of … share the same coefficient "
        "matrix, and they can be solved in O(n³) time",
        remark="O(·) bounds from above: (32) has p + k variables, not p + n, and would cost "
        "O((p + k)²(k + n)^2.5). To add up p kernels costs O(pn²) in each iteration of the SILP.",
        programs=tuple(PRINTED)),
)
# fmt: on

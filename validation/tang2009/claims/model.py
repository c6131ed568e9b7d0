"""Sections 2 and 3 and the appendix: the model, Theorem 3.1 and its proof."""

from __future__ import annotations

import warnings
from itertools import pairwise, product

import cvxpy as cp
import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.formulations.tang2009 import Regularized, bounds
from cvxkernel.solvers import solve, units
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    at_most,
    equal,
    identity,
    missing,
    not_above,
    on_each,
    rounding,
    worst,
)
from cvxkernel.validation.ledger.shared import (
    KINDS,
    PROMISE,
    as_written,
    literal,
    optimum,
    problem,
)
from cvxkernel.validation.tang2009.claims.instances import (
    QCQP,
    QP,
    SDP,
    SILP,
    at_beta,
    at_lam,
    data,
    forms,
    priced,
    some_alpha,
    some_theta,
    total,
)

PRICES = (0.0, 0.02, 0.1, 0.3, 2.0)


# -- Section 2 ------------------------------------------------------------------------------------


def primal(Q: Array, y: Array, C: float, alpha: Array) -> float:
    """½wᵀw + C Σ hinges at w = Σ vⱼyⱼφ(xⱼ), v = α moved onto the margin, and the best b."""
    v = svm.on_margin(Q, y, C, alpha, 1e-5)
    hinges = np.maximum(0.0, 1 - Q @ v - svm.offset(Q @ v, y) * y)
    return float(v @ Q @ v / 2 + C * hinges.sum())


def eq1(seed: int) -> Evidence:
    """The optimum of (2) against the primal at the same α."""
    found: list[Finding] = []
    for kind in KINDS:
        at, best = problem(QP, kind, seed), optimum(QP, kind, seed)
        rows = zip(at.kernels, at.Y, best.variables["alpha"], strict=True)
        value = sum(primal(svm.signed(y, K), y, at.C, a) for K, y, a in rows)
        told = about(kind, {"primal": value, "dual": best.value})
        found.append(at_most(best.lower, value, n=at.n**2, **told))
        found.append(Finding(abs(value - best.value) / best.value, PROMISE, **told))
    return Evidence(worst(found))


def eq2(seed: int) -> Evidence:
    """(2) against k machines, each solved as half of lanckriet2004's soft margin."""
    found: list[Finding] = []
    for kind in KINDS:
        found += literal(QP, kind, seed)
        at = problem(QP, kind, seed)
        found.append(as_written(QP, at, optimum(QP, kind, seed), instance=kind))
        rows = zip(at.kernels, at.Y, strict=True)
        each = [solve("lanckriet2004-sm1", SoftMargin(K[None], y, at.C)) for K, y in rows]
        parts = total([x.enclosure for x in each])
        found.append(equal(optimum(QP, kind, seed), parts, factor=0.5, instance=kind))
    return Evidence(worst(found))


def eq3_one_label(seed: int) -> Evidence:
    """One label: half of the 1-norm soft margin, whose kernels count by their traces."""
    found: list[Finding] = []
    for kind in KINDS:
        given = data(kind, seed)
        K, y = given["kernels"] * np.array([1.0, 2.0, 0.5])[:, None, None], given["Y"][0]
        r = np.trace(K, axis1=1, axis2=2)
        G = K * (r.sum() / r)[:, None, None]
        ours = solve(QCQP, Regularized(G, y[None], given["C"], 0.3)).enclosure
        other = solve("lanckriet2004-sm1", SoftMargin(K, y, given["C"])).enclosure
        found.append(equal(ours, other, factor=0.5, instance=kind))
    return Evidence(worst(found))


def independent(seed: int) -> Evidence:
    """λ = 0 against k problems of one label."""
    found: list[Finding] = []
    for kind in KINDS:
        at = priced(kind, seed, 0.0)
        each = [solve(QCQP, Regularized(at.kernels, y[None], at.C, 0.0)).enclosure for y in at.Y]
        found.append(equal(at_lam(kind, seed, 0.0), total(each), instance=kind))
        found.append(equal(at_beta(kind, seed, at.k / 2), total(each), instance=kind))
    return Evidence(worst(found))


def same(seed: int) -> Evidence:
    """A finite λ is enough: B - A ≤ (1 - 1/k)B ≤ (1 - 1/k)nkC² maxᵢ λ_max(Gᵢ)."""
    found: list[Finding] = []
    for kind in KINDS:
        at = priced(kind, seed, 0.0)
        top = max(float(np.linalg.eigvalsh(G)[-1]) for G in at.kernels)
        enough = (1 - 1 / at.k) * at.n * at.C**2 * top
        shared = at_beta(kind, seed, 0.0)
        ends = bounds.Bounds(DOUBLES, at)
        A, B = (float(x.mid) for x in ends.extremes(shared.variables["alpha"]))
        told = about(kind, {"λ tried": enough, "(B − A)/k": (B - A) / at.k})
        found.append(equal(at_lam(kind, seed, enough), shared, **told))
        found.append(equal(at_lam(kind, seed, 100 * enough), shared, **told))
    return Evidence(worst(found))


def monotone(seed: int) -> Evidence:
    """Optimum and Ω along λ: with optima to within δ, (λ' - λ)(Ω' - Ω) ≤ δ + δ'."""
    found: list[Finding] = []
    for kind in KINDS[:2]:
        optima = [at_lam(kind, seed, lam) for lam in PRICES]
        for i, (one, other) in enumerate(pairwise(optima)):
            found.append(not_above(one, other, instance=kind))
            Omega = [x.variables["gamma"].sum() / 2 for x in (one, other)]
            rise = (PRICES[i + 1] - PRICES[i]) * (Omega[1] - Omega[0])
            told = about(f"{kind}, λ = {PRICES[i]:g}", {"Ω": Omega[0], "Ω'": Omega[1]})
            slack = one.width + other.width
            found.append(Finding(max(0.0, rise) / other.upper, slack, **told))
    return Evidence(worst(found))


# -- Section 3 ------------------------------------------------------------------------------------


def eq6(seed: int) -> Evidence:
    """Any θ of (5) and any ζ below it."""
    rng, k, p = np.random.default_rng(seed), 4, 3
    theta = some_theta(k, p, seed)
    zeta = theta.min(axis=0) * rng.random(p)
    gamma = theta - zeta
    Omega = gamma.sum() / 2
    return Evidence(
        worst(
            [
                identity(gamma.sum(axis=1), np.full(k, 1 - zeta.sum()), n=p),
                identity(Omega, k / 2 * (1 - zeta.sum()), n=k * p),
                at_most(Omega, k / 2, n=k * p),
                at_most(0.0, Omega, n=k * p),
            ]
        )
    )


def eq7(seed: int) -> Evidence:
    """The least Ω over the splits θ = ζ + γ is ½ Σₜ Σᵢ (θᵢᵗ - min_s θᵢˢ)."""
    found = []
    for k, p in ((2, 3), (4, 3), (3, 6)):
        theta = some_theta(k, p, seed)
        least = (theta - theta.min(axis=0)).sum() / 2
        told = about(f"k = {k}, p = {p}", {"Ω, ζ = 0": theta.sum() / 2, "least Ω": least})
        rng = np.random.default_rng(seed)
        others = [(theta - theta.min(axis=0) * rng.random(p)).sum() / 2 for _ in range(8)]
        found += [at_most(bounds.omega(theta), x, n=k * p, **told) for x in others]
        found.append(identity(bounds.omega(theta), least, n=k * p, **told))
    return Evidence(worst(found))


def eq8(seed: int) -> Evidence:
    """Σᵢ θᵢᵗGᵢᵗ(α) against the form of (1): with θᵢᵗGᵢ for Gᵢᵗ, label t's part of Gᵢ; with Gᵢ."""
    return on_each(_eq8(kind, seed) for kind in KINDS)


def _eq8(kind: str, seed: int) -> Evidence:
    at = priced(kind, seed, 0.3)
    alpha, theta = some_alpha(at, seed), some_theta(at.k, at.p, seed)
    with_Gi = forms(at, alpha)
    combined = np.array(
        [
            a @ svm.signed(y, np.tensordot(w, at.kernels, axes=1)) @ a
            for a, y, w in zip(alpha, at.Y, theta, strict=True)
        ]
    )
    part, whole = ((w * with_Gi).sum(axis=1) for w in (theta**2, theta))
    told = about(kind, {"with θᵢᵗGᵢ": part[0], "with Gᵢ": whole[0], "(1)": combined[0]})
    size = float(np.abs(at.kernels).max() * alpha.sum(axis=1).max() ** 2)
    ours = bounds.Bounds(DOUBLES, at).forms(alpha).mid
    found = [
        identity(ours, with_Gi, n=at.n**2, magnitude=size, **told),
        identity(whole, combined, n=at.n**2, magnitude=size, **told),
    ]
    return Evidence(identity(part, combined, n=at.n**2, magnitude=size, **told), worst(found))


def thm3_1(seed: int) -> Evidence:
    """The QCQP and (3) as an SDP, each held against its ends, and their optima compared."""
    found: list[Finding] = []
    for kind in KINDS:
        found += literal(QCQP, kind, seed)
        found += explicit_sdp(kind, seed)
        found.append(equal(optimum(QCQP, kind, seed), optimum(SDP, kind, seed), instance=kind))
    for lam in PRICES:
        at, told = priced("random", seed, lam), f"random, λ = {lam:g}"
        best = at_lam("random", seed, lam)
        found.append(as_written(QCQP, at, best, instance=told))
        found.append(as_written(SDP, at, best, instance=told))
    return Evidence(worst(found))


def explicit_sdp(kind: str, seed: int) -> list[Finding]:
    """The objective of (3)'s program at the weights found, all other variables by hand."""
    at, best = problem(SDP, kind, seed), optimum(SDP, kind, seed)
    zeta, gamma = (best.variables[symbol] for symbol in ("zeta", "gamma"))
    K = np.tensordot(zeta + gamma, at.kernels, axes=1)
    program = at.eq3_sdp()
    rows: dict[str, list[object]] = {"tau": [], "b": [], "nu": [], "delta": []}
    for K_t, y, a in zip(K, at.Y, best.variables["alpha"], strict=True):
        Q = svm.signed(y, K_t)
        v = svm.on_margin(Q, y, at.C, a, 1e-5)
        b = -svm.offset(Q @ v, y)
        excess = Q @ v - 1 - b * y
        delta = np.maximum(-excess, 0.0)
        found = (v @ Q @ v + 2 * at.C * delta.sum(), b, np.maximum(excess, 0.0), delta)
        for column, x in zip(rows.values(), found, strict=True):
            column.append(x)
    for symbol, variable in program.variables.items():
        value = {"zeta": zeta, "gamma": gamma, **rows}[symbol]
        variable.value = np.reshape(np.array(value, dtype=float), variable.shape)
    objective = float(program.problem.objective.value)
    told = about(f"{kind}: (3) at its weights", {"objective": objective, "optimum": best.value})
    out = [Finding(abs(objective - best.value) / best.value, PROMISE, **told)]
    if "lmi" not in program.constraints:
        return [*out, missing(f"{SDP}, {kind}: lmi")]
    for matrix in program.constraints["lmi"]:
        eigenvalues = np.linalg.eigvalsh(np.asarray(matrix.args[0].value))
        least = float(eigenvalues[0] / eigenvalues[-1])
        out.append(Finding(abs(least), rounding(at.n, 1.0) * at.n, instance=f"{kind}: lmi"))
    return out


def recovery(seed: int) -> Evidence:
    """The QCQP's multipliers, doubled, as weights: they add up to one, and close the enclosure."""
    form, found = formulation(QCQP), []
    for kind in KINDS:
        at = units.of(form).scaled(problem(QCQP, kind, seed))
        program = form.program(at)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it may call itself inaccurate: the weights tell
            program.problem.solve(solver="CLARABEL")
        if not {"quad0", "quad"} <= set(program.constraints):
            found.append(missing(f"{kind}: quad0, quad"))
            continue
        raw = program.dual("quad0").sum() + program.dual("quad").sum() / at.k
        zeta, gamma = at.weights_from_quad(program)
        sums = zeta.sum() + gamma.sum(axis=1)
        told = about(kind, {"sum of a label's multipliers": raw, "Σᵢ θᵢᵗ": sums[0]})
        found.append(Finding(float(np.abs(sums - 1).max()), PROMISE, **told))
        point = {"alpha": program.value("alpha"), "zeta": zeta, "gamma": gamma}
        found.append(Finding(form.enclose(at, point).width, PROMISE, **told))
    return Evidence(worst(found))


def variables(seed: int) -> Evidence:
    """The variables of the QCQP, counted as it is built."""
    at = problem(QCQP, "gaussian", seed)
    count = sum(v.size for v in formulation(QCQP).program(at).variables.values())
    told = about("n = 13, k = 3", {"counted": count, "nk + 2": at.n * at.k + 2})
    return Evidence(
        identity(count, at.n * at.k + 2, n=1, **told),
        identity(count, at.n * at.k + at.k + 2, n=1, **told),
    )


def constraints(seed: int) -> Evidence:
    """Its constraints."""
    at = problem(QCQP, "gaussian", seed)
    rows = formulation(QCQP).program(at).constraints
    if not {"quad0", "quad"} <= set(rows):
        return Evidence(missing("quad0, quad"))
    quadratic = len(rows["quad0"]) + len(rows["quad"])  # type: ignore[arg-type]
    others = [c for label, c in rows.items() if not label.startswith("quad")]
    families = [[c] if isinstance(c, cp.Constraint) else list(c) for c in others]
    linear = sum(c.size for family in families for c in family)
    found = [
        identity(quadratic, (at.k + 1) * at.p, n=1),
        identity(linear, 2 * at.n * at.k + at.k + 2, n=1),
    ]
    return Evidence(worst(found))


# -- Appendix A -----------------------------------------------------------------------------------


def exchange(seed: int) -> Evidence:
    """The weights' own maximum over α against the α's own minimum over the weights."""
    found = []
    for kind in KINDS:
        at, best = problem(QCQP, kind, seed), optimum(QCQP, kind, seed)
        low = bounds.Bounds(DOUBLES, at).value(best.variables["alpha"])
        told = about(kind, {"max min": float(low.mid), "min max": best.upper})
        found.append(Finding((best.upper - float(low.mid)) / best.upper, PROMISE, **told))
        found.append(at_most(low.lower, best.upper, n=at.n, **told))
    return Evidence(worst(found))


def corners(G: Array, c1: float, lam: float) -> float:
    """max over ζ, γ of ΣₜΣᵢ (ζᵢ + γᵢᵗ)Gᵢᵗ - kλc₂ at given c₁ + c₂ = 1: all of its vertices."""
    k, p = G.shape
    shared = max(G[:, i].sum() for i in range(p))
    each = max(sum(G[t, i] for t, i in enumerate(choice)) for choice in product(range(p), repeat=k))
    return float(c1 * shared + (1 - c1) * (each - k * lam))


def line(seed: int, printed: str) -> Evidence:
    """The first maximum of a line, as it is printed and as it is."""
    return on_each(_line(kind, seed, printed) for kind in KINDS)


def _line(kind: str, seed: int, printed: str) -> Evidence:
    at = priced(kind, seed, 0.3)
    G = forms(at, some_alpha(at, seed))
    wrong = {"2": G.max(), "3": G.sum(axis=1).max()}[printed]
    true, size = corners(G, 1.0, 0.0), float(G.sum())
    told = about(f"{kind}, c₁ = 1", {"as printed": wrong, "maximum": true})
    return Evidence(
        identity(wrong, true, n=9, magnitude=size, **told),
        identity(G.sum(axis=0).max(), true, n=9, magnitude=size, **told),
    )


def appendix(seed: int) -> Evidence:
    """The last line against every vertex, and against weights that are none."""
    found: list[Finding] = []
    for kind in KINDS:
        at = priced(kind, seed, 0.05)
        alpha = some_alpha(at, seed)
        G = forms(at, alpha)
        s = max(corners(G, 1.0, at.lam), corners(G, 0.0, at.lam))
        size = float(alpha.sum() + np.abs(at.kernels).max() * alpha.sum(axis=1).max() ** 2 * at.k)
        value = float(bounds.Bounds(DOUBLES, at).value(alpha).mid)
        found.append(identity(value, alpha.sum() - s / 2, n=at.n**2, magnitude=size, instance=kind))
        for theta in (some_theta(at.k, at.p, seed + i) for i in range(6)):
            c2 = bounds.omega(theta) * 2 / at.k
            other = float((theta * G).sum()) - at.k * at.lam * c2
            found.append(at_most(other, s, n=at.n**2, magnitude=size, instance=kind))
    return Evidence(worst(found))


# fmt: off
CLAIMS = (
    Claim("tang2009-eq1", "Section 2, after (2)",
        "the maximum of the dual objective (1) is the minimum of the SVM's primal objective",
        "(2) solved; the primal at its α against its optimum", eq1, programs=(QP,),
        quote="the dual objective is the same as the primal objective of SVM due to its convexity"),
    Claim("tang2009-eq2", "Section 2, (2)",
        "(2) is a convex problem: k support vector machines",
        "as written, and held against its ends; k machines solved one by one", eq2,
        programs=(QP, "lanckriet2004-sm1"), quote="can be found by solving a convex problem"),
    Claim("tang2009-eq3", "Section 2, (3), following Lanckriet et al. (2004)",
        "one label: (3) for Gᵢ = cKᵢ/rᵢ is half the 1-norm soft margin for Kᵢ, rᵢ = tr Kᵢ, c = Σrᵢ",
        "both solved", eq3_one_label, programs=(QCQP, "lanckriet2004-sm1"),
        quote="multiple kernel learning with k labels and p base kernels … can be formulated as"),
    Claim("tang2009-lam0", "Section 2, λ = 0 (Independent Model)",
        "at λ = 0 the problem is decoupled into k problems, each selecting a kernel",
        "Theorem 3.1 at λ = 0 and (11) at β = k/2 against k problems of one label", independent,
        programs=(QCQP, SILP), quote="is set to 0, the objective goal is decoupled into k "
        "sub-problems, with each selecting a kernel independently"),
    Claim("tang2009-large-lam", "Section 2, λ large (Same Model)",
        "a sufficiently large λ forces all labels to select the same kernel",
        "λ = (1 − 1/k) nC² maxᵢ λ_max(Gᵢ) and a hundred times that against (11) at β = 0", same,
        programs=(QCQP, SILP), quote="regularization term dominates and forces all labels to "
        "select the same kernel"),
    Claim("tang2009-lam", "Section 2, after (5)",
        "the larger λ is, the more similar the kernels: Ω falls",
        "Theorem 3.1 along λ; the slack is the widths of the two optima", monotone,
        programs=(QCQP,), quote="is, the more similar the kernels of each label are"),
    Claim("tang2009-eq6", "Section 3, (5) and (6); Appendix A, first line",
        "Σᵢ γᵢᵗ = 1 − Σᵢ ζᵢ = c₂ for every t, and Ω = kc₂/2",
        "weights with row sums 1 and any ζ below them", eq6,
        quote="We decouple the kernel weights of each label into two non-negative parts"),
    Claim("tang2009-eq7", "Section 3, (7)",
        "Ω({𝒢ᵗ}) = ½ Σₜ Σᵢ γᵢᵗ is the kernel difference",
        "the least Ω over the splits of some θ", eq7,
        quote="So the kernel difference can be defined as",
        remark="θ = ζ + γ has many splits; (3) minimizes, so the least Ω is meant: "
        "½ Σₜ Σᵢ (θᵢᵗ − min_s θᵢˢ)."),
    Claim("tang2009-eq8", "Section 3, (8)",
        "Gᵢᵗ(α) = αᵗᵀ(Gᵢᵗ ∘ yᵗyᵗᵀ)αᵗ",
        "Σᵢ θᵢᵗGᵢᵗ(α) against the quadratic form of (1): with Gᵢᵗ read as θᵢᵗGᵢ, and with Gᵢ", eq8,
        printed="fails", erratum="tang2009-eq8", quote="For presentation convenience, we denote",
        correction="αᵗᵀ(Gᵢ ∘ yᵗyᵗᵀ)αᵗ: the base kernels Gᵢ are those of every label"),
    Claim("tang2009-thm3.1", "Theorem 3.1", "max of the QCQP = min of (3) with (4) to (7)",
        "both as written and held against their ends, for several λ", thm3_1,
        programs=(QCQP, SDP), quote="is equivalent to a Quadratically Constrained Quadratic "
        "Program"),
    Claim("tang2009-thm3.1-recovery", "Theorem 3.1, last sentence",
        "the weights (ζᵢ, γᵢᵗ) can be obtained via the dual variables",
        "the QCQP given to a solver; its multipliers as weights", recovery, programs=(QCQP,),
        quote="can be obtained via the dual variables of the constraints",
        remark="Twice the multipliers: ζᵢ = 2·(of s₀ ≥ Σₜ Gᵢᵗ), γᵢᵗ = 2·(of s_t ≥ Gᵢᵗ)."),
    Claim("tang2009-thm3.1-variables", "After Theorem 3.1",
        "the QCQP has nk + 2 variables", "the printed symbols counted", variables,
        printed="fails", erratum="tang2009-variables",
        quote="The QCQP formulation involves nk + 2 variables",
        correction="nk + k + 2: α, s, s₀ and s₁, …, s_k", programs=(QCQP,)),
    Claim("tang2009-thm3.1-constraints", "After Theorem 3.1",
        "the QCQP has (k + 1)p quadratic constraints and O(nk) linear ones", "counted: "
        "2nk + k + 2 linear", constraints, programs=(QCQP,),
        quote="(k + 1)p quadratic constraints and O(nk) linear constraints"),
    Claim("tang2009-appA-exchange", "Appendix A, first display",
        "the minimum over the weights and the maximum over α may be exchanged",
        "at a solution: the maximum over α at its weights, the minimum over the weights at its α",
        exchange, programs=(QCQP,), quote="can be reformulated as"),
    Claim("tang2009-appA-line2", "Appendix A, second display, second line",
        "max over ζ of Σₜ Σᵢ ζᵢGᵢᵗ = max over Σᵢ ζᵢ = c₁ of Σᵢ ζᵢ maxₜ Gᵢᵗ",
        "every vertex, at some α", lambda seed: line(seed, "2"),
        printed="fails", erratum="tang2009-appA-limits",
        quote="It follows that the 2nd term can be further reformulated as",
        correction="Σᵢ ζᵢ Σₜ Gᵢᵗ: the labels are summed, not compared"),
    Claim("tang2009-appA-line3", "Appendix A, second display, third line",
        "the same maximum is c₁ maxₜ Σᵢ Gᵢᵗ", "every vertex, at some α",
        lambda seed: line(seed, "3"), printed="fails", erratum="tang2009-appA-limits",
        quote="It follows that the 2nd term can be further reformulated as",
        correction="c₁ maxᵢ Σₜ Gᵢᵗ, as the next line has it"),
    Claim("tang2009-appA", "Appendix A, last two lines",
        "the maximum over c₁ + c₂ = 1, ζ and γ is max{maxᵢ Σₜ Gᵢᵗ, Σₜ maxᵢ Gᵢᵗ − kλ}",
        "every vertex and other weights, at some α", appendix,
        quote="We thus prove the Theorem"),
)

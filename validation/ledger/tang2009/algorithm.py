"""Section 4, the semi-infinite form and its algorithm, and what section 5 says of the model."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.enclosure import rounding
from cvxkernel.formulations.tang2009 import Shared, average, bounds, to_beta, to_lam
from cvxkernel.solvers import Alternation, solve
from cvxkernel.solvers.svm import svm as machine
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
from cvxkernel.validation.ledger.shared import KINDS
from cvxkernel.validation.ledger.tang2009.code import CODE
from cvxkernel.validation.ledger.tang2009.instances import (
    QCQP,
    QP,
    SILP,
    at_beta,
    at_lam,
    bounded,
    data,
    plus,
    priced,
    some_alpha,
    some_theta,
)

BETA = 0.6  # of k/2 = 1.5: a share of 60 %


def eq9(seed: int) -> Evidence:
    """λ to its β: the optimum at λ is that at β plus λβ; and from β to a λ."""
    found: list[Finding] = []
    for kind in KINDS:
        for lam in (0.02, 0.1):
            best = at_lam(kind, seed, lam)
            beta = to_beta(priced(kind, seed, lam), best.variables).beta
            told = about(f"{kind}, λ = {lam:g}", {"β": beta})
            other = plus(at_beta(kind, seed, beta), lam * beta)
            found.append(equal(best, other, **told))
        found.append(from_beta(kind, seed, BETA))
    return Evidence(worst(found))


def from_beta(kind: str, seed: int, beta: float) -> Finding:
    """The optimum at β plus λβ is that of Theorem 3.1 at the λ of β."""
    best = at_beta(kind, seed, beta)
    lam = to_lam(bounded(kind, seed, beta), best.variables).lam
    told = about(f"{kind}, β = {beta:g}", {"λ": lam})
    return equal(plus(best, lam * beta), at_lam(kind, seed, lam), **told)


def eq10(seed: int) -> Evidence:
    """Three labels with a kernel each; and ½ Σᵢ |θᵢˢ - θᵢᵗ| ≤ 2β/k for any weights."""
    theta = np.eye(3)
    told = about("three labels, a kernel each", {"β = Ω": bounds.omega(theta), "difference": 1.0})
    corrected = []
    for i in range(6):
        other = some_theta(4, 3, seed + i)
        pairs = np.abs(other[:, None] - other[None]).sum(axis=2) / 2
        corrected.append(at_most(float(pairs.max()), bounds.omega(other) * 2 / 4, n=12, **told))
    return Evidence(identity(bounds.omega(theta), 1.0, n=3, **told), worst(corrected))


def share(seed: int) -> Evidence:
    """Two equal labels share everything whatever β is; others at least 1 - 2β/k."""
    given = data("random", seed)
    twice = np.repeat(given["Y"][:1], 2, axis=0)
    found = solve(SILP, Shared(given["kernels"], twice, given["C"], 1.0))
    shared = float(found.variables["theta"].min(axis=0).sum())
    told = about("two equal labels, β = k/2", {"1 − 2β/k": 0.0, "Σᵢ minₜ θᵢᵗ": shared})
    corrected = [at_most(0.0, shared, n=3, **told)]
    for kind in KINDS[:2]:
        theta = at_beta(kind, seed, BETA).variables["theta"]
        least = 1 - 2 * BETA / 3
        corrected.append(at_most(least, float(theta.min(axis=0).sum()), n=9, instance=kind))
    return Evidence(identity(shared, 0.0, n=3, magnitude=1.0, **told), worst(corrected))


def eq12(seed: int) -> Evidence:
    """Σᵢ θᵢᵗD(αᵗ, Gᵢ) against D(αᵗ, 𝒢ᵗ)."""
    found: list[Finding] = []
    for kind in KINDS:
        at = bounded(kind, seed, BETA)
        alpha, theta = some_alpha(at, seed), some_theta(at.k, at.p, seed)
        kernels = bounds.combined(at, theta)
        rows = zip(kernels, at.Y, alpha, strict=True)
        right = [svm.value(svm.signed(y, K), a)[0] for K, y, a in rows]
        size = float(alpha.sum() + np.abs(kernels).max() * alpha.sum(axis=1).max() ** 2)
        left = (theta * at.D(alpha)).sum(axis=1)
        found.append(identity(left, right, n=at.n**2, magnitude=size, instance=kind))
    return Evidence(worst(found))


def eq11(seed: int) -> Evidence:
    """(11) at its solution, held against its ends, and against Theorem 3.1 at the λ of β."""
    found: list[Finding] = []
    for kind in KINDS:
        at, best = bounded(kind, seed, BETA), at_beta(kind, seed, BETA)
        program = at.eq11([best.variables["machines"]])
        for symbol, variable in program.variables.items():
            variable.value = best.variables[symbol]
        objective = float(program.problem.objective.value)
        slack = best.width + rounding(at.n**2, 1.0)
        told = about(kind, {"Σₜ gᵗ": objective, "optimum": best.value})
        found.append(Finding(abs(objective - best.value) / best.value, slack, **told))
        # No gᵗ is below its cut, and none is above it by more than the width.
        gaps = [float(c.args[1].value - c.args[0].value) for c in program.constraints["cuts"]]  # type: ignore[union-attr]
        found.append(Finding(max(map(abs, gaps)) / objective, slack, **told))
        spent = float(best.variables["gamma"].sum()) / 2
        found.append(at_most(spent, BETA, n=9, instance=f"{kind}: Ω"))
        found.append(from_beta(kind, seed, BETA))
    return Evidence(worst(found))


def step1(seed: int) -> Evidence:
    """The machine's α at some weights against other α."""
    found: list[Finding] = []
    for kind in KINDS:
        at = bounded(kind, seed, BETA)
        theta = some_theta(at.k, at.p, seed)
        kernels = bounds.combined(at, theta)
        alpha = np.stack([machine(K, y, at.C) for K, y in zip(kernels, at.Y, strict=True)])
        best = (theta * at.D(alpha)).sum(axis=1)
        for i in range(6):
            other = (theta * at.D(some_alpha(at, seed + i))).sum(axis=1)
            found += [
                at_most(x, b, n=at.n**2, instance=kind) for x, b in zip(other, best, strict=True)
            ]
        ends = [high + up for high, up in bounds.machines(at, kernels, alpha)]
        found += [
            at_most(b, end, n=at.n**2, instance=kind) for b, end in zip(best, ends, strict=True)
        ]
    return Evidence(worst(found))


def step2(seed: int) -> Evidence:
    """One α: the least gᵗ with the constraints as printed, and with the sum."""
    at = bounded("random", seed, 1.5)
    D = at.D(some_alpha(at, seed) / 4)  # small enough that every D is positive
    printed = 1 / (1 / D).sum(axis=1)  # θᵢDᵢ = g for every i
    least = D.min(axis=1)  # the minimum of Σᵢ θᵢDᵢ over the simplex is at a vertex
    told = about("one α, β = k/2", {"Σₜ gᵗ as printed": printed.sum(), "with the sum": least.sum()})
    others = [(some_theta(at.k, at.p, seed + i) * D).sum(axis=1) for i in range(8)]
    pairs = [pair for row in others for pair in zip(least, row, strict=True)]
    corrected = [at_most(float(x), float(y), n=3, **told) for x, y in pairs]
    return Evidence(identity(printed, least, n=3, **told), worst(corrected))


def algorithm(seed: int) -> Evidence:
    """Steps 1 to 3 as printed, stopped by the true gap, against Theorem 3.1 at the λ of β."""
    found: list[Finding] = []
    for kind in KINDS:
        at = bounded(kind, seed, BETA)
        made = Alternation(stabilized=False, split=False).solve(SILP, at)
        lam = to_lam(at, made.variables).lam
        told = about(kind, {"iterations": made.iterations or 0})
        found.append(equal(plus(made.enclosure, lam * BETA), at_lam(kind, seed, lam), **told))
    return Evidence(worst(found))


def size(seed: int) -> Evidence:
    """The linear program of step 2, counted: θ, γ, ζ and g; k more rows each iteration."""
    at = bounded("gaussian", seed, BETA)
    found = []
    for J in (1, 4):
        program = at.eq11([some_alpha(at, seed + j) for j in range(J)])
        count = sum(v.size for v in program.variables.values())
        told = about(f"J = {J}", {"variables": count})
        found.append(identity(count, 2 * at.k * at.p + at.p + at.k, n=1, **told))
        found.append(identity(len(program.constraints["cuts"]), J * at.k, n=1, **told))  # type: ignore[arg-type]
    return Evidence(worst(found))


def extremes(seed: int) -> Evidence:
    """The cheaper linear programs of Same and Independent against the one of every β."""
    found: list[Finding] = []
    for kind in KINDS[:2]:
        for beta in (0.0, 1.5):
            whole = Alternation(split=False).solve(SILP, bounded(kind, seed, beta)).enclosure
            found.append(equal(at_beta(kind, seed, beta), whole, instance=f"{kind}, β = {beta:g}"))
    return Evidence(worst(found))


def average_kernel(seed: int) -> Evidence:
    """The machines at the average kernel against the Same model."""
    printed, corrected = [], []
    for kind in KINDS:
        same = at_beta(kind, seed, 0.0)
        mean = solve(QP, average(bounded(kind, seed, 0.0))).enclosure
        told = about(kind, {"average": mean.value, "Same Model": same.value})
        printed.append(equal(mean, same, **told))
        corrected.append(not_above(same, mean, **told))
    return Evidence(worst(printed), worst(corrected))


# fmt: off
CLAIMS = (
    Claim("tang2009-eq9", "Section 4, (9) and (10)",
        "(3) with λ is equivalent to (9) under Ω ≤ β with a proper β",
        "β = Ω at the solution for λ, λ = (B − A)/k at the solution for β: optimum(λ) = "
        "optimum(β) + λβ", eq9, programs=(QCQP, SILP)),
    Claim("tang2009-eq10", "Section 4, after (10)",
        "β is the maximum difference among the kernels of the labels",
        "½ Σᵢ |θᵢˢ − θᵢᵗ| of three labels with a kernel each", eq10, printed="imprecise",
        correction="β bounds half the weight that all labels have for themselves; two labels "
        "differ by at most 2β/k", code=CODE["tang2009-eq10"]),
    Claim("tang2009-share", "Section 5.2, first column of Tables 3 to 5",
        "varying β, the portion of kernels shared among labels is 1 − 2β/k",
        "(11) for two equal labels", share, printed="imprecise",
        correction="at least 1 − 2β/k: where Ω ≤ β is idle the labels share more",
        programs=(SILP,), code=CODE["tang2009-share"]),
    Claim("tang2009-eq12", "Section 4, (12)",
        "since Σᵢ θᵢᵗ = 1, D(αᵗ, Σᵢ θᵢᵗGᵢ) = Σᵢ θᵢᵗD(αᵗ, Gᵢ)", "some α and θ", eq12),
    Claim("tang2009-eq11", "Section 4, (11) to (13)",
        "min (11) = min max (9)",
        "the program at its solution held against its ends; Theorem 3.1 at the λ of β", eq11,
        programs=(SILP, QCQP)),
    Claim("tang2009-step1", "Section 4, step 1",
        "the most violated constraint is the maximizer of an SVM problem with fixed kernel",
        "the machine's α at some weights against other α and against its upper bound", step1),
    Claim("tang2009-step2", "Section 4, step 2, first display",
        "add k linear constraints θᵢᵗD(αⱼᵗ, Gᵢ) ≤ gᵗ", "the least gᵗ they allow, at one α", step2,
        printed="fails", correction="Σᵢ θᵢᵗD(αⱼᵗ, Gᵢ) ≤ gᵗ, as in (12) and in the display below",
        code=CODE["tang2009-step2"]),
    Claim("tang2009-algorithm", "Section 4, steps 1 to 3",
        "the alternation of k SVMs and one linear program solves (11)",
        "as printed but for the missing sum; its optimum against Theorem 3.1", algorithm,
        programs=(SILP, QCQP)),
    Claim("tang2009-lp", "Section 4, last sentence; section 5.2",
        "the linear program has O(kp) variables and an increasing number of constraints",
        "counted: 2kp + p + k, and k rows for each iteration", size),
    Claim("tang2009-extremes", "Section 5.2, which model is more scalable",
        "Same needs O(p) variables only, Independent k linear programs with O(p) each",
        "the smaller programs against the one of every β", extremes, programs=(SILP,)),
    Claim("tang2009-average", "Section 5.2, a special case: Average Kernel",
        "the average of base kernels is a special case of Same Model",
        "the machines at the average kernel against (11) at β = 0", average_kernel,
        printed="imprecise", correction="a feasible point of it, ζᵢ = 1/p: its value is above "
        "the optimum", programs=(SILP, QP), code=CODE["tang2009-average"]),
)

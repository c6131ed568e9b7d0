"""Sections 2 and 3.1: modifications of a spectrum, the machine, and a kernel learned freely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import eigvalsh

from cvxkernel.formulations.chen2009 import (
    KernelMachine,
    Machine,
    RegularizedMachine,
    RobustMachine,
    spectrum,
)
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import solve
from cvxkernel.validation.chen2009.samples import similarity
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
    rounding,
    worst,
)
from cvxkernel.validation.ledger.shared import (
    KINDS,
    as_written,
    literal,
    optimum,
    optimum_of,
    problem,
)


def affine(factor: float, one: Enclosure, more: float = 0.0) -> Enclosure:
    """The enclosure of a positive multiple plus a number."""
    value, lower, upper = (factor * x + more for x in (one.value, one.lower, one.upper))
    return Enclosure(value, lower, upper, one.variables)


def kernels(n: int, seed: int, count: int = 5) -> list[Array]:
    """Semidefinite matrices of several ranks."""
    rng = np.random.default_rng(seed)
    roots = [rng.normal(size=(n, 1 + i)) for i in range(count)]
    return [B @ B.T for B in roots]


# -- Section 2 ------------------------------------------------------------------------------------


def clip(seed: int) -> Evidence:
    """S_clip - S ⪰ 0 is orthogonal to S_clip, which makes it nearest; and no K drawn is nearer."""
    found = []
    for kind in KINDS:
        S, _ = similarity(13, kind=kind, seed=seed)
        near = spectrum.clip(S)
        size = float(np.sum(S * S))
        found.append(at_most(0.0, float(eigvalsh(near - S)[0]), n=13**2, magnitude=size))
        found.append(identity(np.sum((near - S) * near), 0.0, n=13**2, magnitude=size))
        distance = float(np.linalg.norm(near - S))
        others = [*kernels(13, seed), spectrum.flip(S), spectrum.shift(S)]
        found += [at_most(distance, float(np.linalg.norm(K - S)), n=13) for K in others]
    return Evidence(worst(found))


def flip(seed: int) -> Evidence:
    """The eigenvalues of S_flip against the singular values of S, and S_flip² against S²."""
    found = []
    for kind in KINDS:
        S, _ = similarity(13, kind=kind, seed=seed)
        K = spectrum.flip(S)
        values = np.linalg.svd(S, compute_uv=False)[::-1]
        found.append(identity(eigvalsh(K), values, n=13**2))
        found.append(identity(K @ K, S @ S, n=13**2, magnitude=float(np.sum(S * S))))
    return Evidence(worst(found))


def shift(seed: int) -> Evidence:
    """S_shift - S is a multiple of I, and S_shift singular: no smaller multiple will do."""
    found = []
    for kind in KINDS:
        S, _ = similarity(13, kind=kind, seed=seed)
        K = spectrum.shift(S)
        off = ~np.eye(13, dtype=bool)
        size = float(np.linalg.norm(S))
        found.append(identity(K[off], S[off], n=1))
        found.append(identity(eigvalsh(K)[0], 0.0, n=13**2, magnitude=size))
    return Evidence(worst(found))


def indefinite(seed: int) -> Evidence:
    """Two feasible points of (1) with S between which the objective is below its chord."""
    rng, found = np.random.default_rng(seed), []
    P = np.eye(13) - 1 / 13
    for kind in KINDS:
        S, y = similarity(13, kind=kind, seed=seed)
        v = np.linalg.eigh(P @ S @ P)[1][:, 0]  # Yα of a direction with yᵀα = 0
        middle = 0.5 + 0.01 * rng.random(13)
        middle[y > 0] *= middle[y < 0].sum() / middle[y > 0].sum()
        step = 0.1 * y * (P @ v)

        def g(alpha: Array, S: Array = S, y: Array = y) -> float:
            return float(alpha.sum() - (y * alpha) @ S @ (y * alpha) / 2)

        chord, here = (g(middle + step) + g(middle - step)) / 2, g(middle)
        told = about(kind, {"in the middle": here, "mean of the ends": chord})
        found.append(Finding(max(0.0, here - chord) + float(chord <= here), 0.5, **told))
    return Evidence(worst(found))


def conditionally(seed: int) -> Finding:
    """S = -‖xᵢ - xⱼ‖² is indefinite, and PSP ⪰ 0: (1) bends the right way where yᵀα = 0."""
    found = []
    for d in (1, 2, 5):
        X = np.random.default_rng([seed, d]).normal(size=(13, d))
        S = -np.sum((X[:, None] - X) ** 2, axis=2)
        P = np.eye(13) - 1 / 13
        least, inside = float(eigvalsh(S)[0]), float(eigvalsh(P @ S @ P)[0])
        told = about(f"d = {d}", {"λ_min(S)": least, "λ_min(PSP)": inside})
        size = float(np.linalg.norm(S))
        found.append(at_most(-inside, 0.0, n=13, magnitude=size, **told))
        found.append(Finding(float(least > -rounding(13, size)), 0.5, **told))
    return worst(found)


# -- Section 3.1 ----------------------------------------------------------------------------------


def dual(seed: int) -> Evidence:
    """(3) against 2η·(1) with C = 1/(2ηn), each as written and held against its ends."""
    found: list[Finding] = []
    for kind in KINDS:
        at, primal = problem("chen2009-eq3", kind, seed), optimum("chen2009-eq3", kind, seed)
        for eta in (at.eta, at.eta / 100):  # most samples at C, and few
            three, one = RegularizedMachine(at.K, at.y, eta), Machine(at.K, at.y, 1 / (26 * eta))
            primal, other = optimum_of("chen2009-eq3", three), optimum_of("chen2009-eq1", one)
            numbers = {"(3)": primal.value, "2η·(1), C = 1/(2ηn)": 2 * eta * other.value}
            told = about(f"{kind}, η = {eta:g}", numbers)
            found.append(equal(primal, other, factor=2 * eta, **told))
            found.append(as_written("chen2009-eq3", three, primal, instance=kind))
            found.append(as_written("chen2009-eq1", one, other, instance=kind))
        found += literal("chen2009-eq3", kind, seed)
        found += literal("chen2009-eq1", kind, seed)
    return Evidence(worst(found))


def minimax(seed: int) -> Evidence:
    """(5) at α from below, (6) at K from above: what is left between them; both as built."""
    found: list[Finding] = []
    for kind in KINDS:
        at, best = problem("luss2007", kind, seed), optimum("luss2007", kind, seed)
        found.append(Finding(best.width, 1e-6, instance=kind))
        found += literal("luss2007", kind, seed)
        found.append(as_written("luss2007", at, best, instance=kind))
        found.append(equal(optimum("luss2007-maxmin", kind, seed), best, instance=kind))
        for C in (at.C / 100, at.C, at.C * 100):
            other = replace(at, C=C)
            own = optimum_of("luss2007", other)
            found.append(as_written("luss2007-maxmin", other, own, instance=f"{kind}, C = {C:g}"))
        alpha, K = best.variables["alpha"], at.K_star(best.variables["alpha"])
        v = at.y * alpha
        inner = alpha.sum() - v @ K @ v / 2 + at.rho * np.sum((K - at.S) ** 2)
        width = best.width + rounding(at.n**2, 1.0)
        found.append(Finding(abs(inner - best.value) / abs(best.upper), width, instance=kind))
    return Evidence(worst(found))


def K_star(seed: int) -> Evidence:
    """g(α, K) + ρ‖K - S‖² at K*(α) against other K ⪰ 0, for α that are not optimal."""
    rng, found = np.random.default_rng(seed), []
    for kind in KINDS:
        at = problem("luss2007", kind, seed)
        v = at.y * rng.uniform(0, at.C, size=at.n)

        def value(K: Array, v: Array = v, at: RobustMachine = at) -> float:
            return float(at.rho * np.sum((K - at.S) ** 2) - v @ K @ v / 2)

        least = at.K_star(at.y * v)
        near = [spectrum.clip(least + 0.1 * (B - least)) for B in kernels(at.n, seed)]
        size = float(np.sum(at.S**2) * at.rho + v @ least @ v)
        found += [at_most(value(least), value(K), n=at.n**2, magnitude=size) for K in near]
        found.append(at_most(0.0, float(eigvalsh(least)[0]), n=at.n, magnitude=size))
    return Evidence(worst(found))


def best_case(seed: int) -> Evidence:
    """(2) against the machine's optimum plus ρ‖K - S‖² at clip, flip and shift."""
    found = []
    for kind in KINDS:
        at, best = problem("luss2007", kind, seed), optimum("luss2007", kind, seed)
        for modify in (spectrum.clip, spectrum.flip, spectrum.shift):
            K = modify(at.S)
            fixed = optimum_of("chen2009-eq1", Machine(K, at.y, at.C))
            cost = at.rho * float(np.sum((K - at.S) ** 2))
            found.append(not_above(best, affine(1.0, fixed, cost), instance=kind))
    return Evidence(worst(found))


def regularizers(seed: int) -> Evidence:
    """(4), as (7), against γτ/2 + 2η·(2) with ρ = γ/(4ητ): ρ‖K-S‖² for γ‖K-S‖, else the same."""
    found = []
    for kind in KINDS:
        at, seven = problem("chen2009-eq7", kind, seed), optimum("chen2009-eq7", kind, seed)
        tau = float(seven.variables["v"])
        rho = at.gamma / (4 * at.eta * tau)
        fitted = optimum_of("luss2007", RobustMachine(at.S, at.y, at.C, rho))
        told = about(kind, {"(7)": seven.value, "(2)": fitted.value, "τ": tau})
        # τ is within the width of its optimum, and the sum is least there: it is above by less.
        found.append(equal(seven, affine(2 * at.eta, fitted, at.gamma * tau / 2), **told))
    return Evidence(worst(found))


def convexity(seed: int) -> Evidence:
    """zᵀK†z in the middle of points drawn is not above the mean; (7) is convex by CVXPY's rules."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(20):
        (K, L), (z, w) = kernels(5, int(rng.integers(1 << 30)), 10)[-2:], rng.normal(size=(2, 5))
        ends = [z @ np.linalg.solve(K, z), w @ np.linalg.solve(L, w)]
        middle = (z + w) / 2 @ np.linalg.solve((K + L) / 2, (z + w) / 2)
        size = max(ends) * max(np.linalg.cond(K), np.linalg.cond(L))
        found.append(at_most(float(middle), float(np.mean(ends)), n=5, magnitude=size))
    seven = problem("chen2009-eq7", "random", seed).eq7().problem
    found.append(Finding(0.0 if seven.is_dcp() else 1.0, 0.5, instance="(7)"))
    return Evidence(worst(found))


def before(seed: int) -> Finding:
    """cᵀKc between (c, K) = (2, 0) and (0, 2), n = 1: 1 in the middle, 0 at both ends."""
    told = about("n = 1", {"at the ends": 0.0, "in the middle": 1.0})
    return at_most((2 * 0 * 2 + 0 * 2 * 0) / 2, 1.0 * 1.0 * 1.0, n=1, **told)


def lemma1(seed: int) -> Evidence:
    """z = Kc: semidefinite from u = zᵀK†z on and not before; z off the range of K: at no u."""
    rng, found = np.random.default_rng(seed), []
    for K in kernels(6, seed):
        c, d = rng.normal(size=6), np.linalg.eigvalsh(K)
        z = K @ c
        u = float(z @ np.linalg.pinv(K, rcond=1e-10, hermitian=True) @ z)
        size = float(np.abs(d).max()) + u + float(np.linalg.norm(z))

        def least(z: Array, u: float, K: Array = K) -> float:
            return float(eigvalsh(np.block([[K, z[:, None]], [z[None], np.array([[u]])]]))[0])

        found.append(identity(least(z, u), 0.0, n=7, magnitude=size))
        found.append(at_most(0.0, least(z, 2 * u), n=7, magnitude=size))
        found.append(Finding(float(least(z, 0.9 * u) > -rounding(7, size)), 0.5))
        _, V = np.linalg.eigh(K)
        outside = least(z + V[:, 0], 1e3 * size)
        found.append(Finding(float(outside > -rounding(7, 1e3 * size)), 0.5))
    return Evidence(worst(found))


def eq7(seed: int) -> Evidence:
    """(7) as built at its optimum, and the objective of (4) there, with c = K†z."""
    found: list[Finding] = []
    for kind in KINDS:
        at, best = problem("chen2009-eq7", kind, seed), optimum("chen2009-eq7", kind, seed)
        found += literal("chen2009-eq7", kind, seed)
        found.append(as_written("chen2009-eq7", at, best, instance=kind))
        # with the ball small enough to matter, and so large that the box does
        for eta, gamma in ((at.eta, at.gamma), (at.eta, 100 * at.gamma)):
            other = KernelMachine(at.S, at.y, eta, gamma)
            own = optimum_of("chen2009-eq7", other)
            found.append(
                as_written("chen2009-eq7-dual", other, own, instance=f"{kind}, γ = {gamma}")
            )
        K, z = (best.variables[symbol] for symbol in ("K", "z"))
        c = np.linalg.pinv(K, rcond=1e-11, hermitian=True) @ z
        xi = np.maximum(0, 1 - at.y * (K @ c + best.variables["b"]))
        four = xi.mean() + at.eta * c @ K @ c + at.gamma * np.linalg.norm(K - at.S)
        width = best.width + rounding(at.n**2, 1e3)  # of c through the eigenvalues kept
        found.append(Finding(abs(four - best.value) / best.value, width, instance=kind))
    return Evidence(worst(found))


def limit(seed: int) -> Evidence:
    """‖K* - S_clip‖ against δ‖S₋‖/(1 - δ), δ = 1/(4ηnγ), at growing γ."""
    S, y = similarity(13, kind="random", seed=seed)
    near, found, numbers = spectrum.clip(S), [], {}
    for gamma in (2.0, 20.0, 200.0):
        delta = 1 / (4 * 0.05 * 13 * gamma)
        K = solve("chen2009-eq7", KernelMachine(S, y, 0.05, gamma), tol=1e-9).variables["K"]
        distance, bound = float(np.linalg.norm(K - near)), delta / (1 - delta)
        numbers[f"‖K* - S_clip‖, γ = {gamma:g}"] = distance
        bound *= float(np.linalg.norm(near - S))
        found.append(at_most(distance, bound, n=13, **about("random", numbers)))
    machine = optimum_of("chen2009-eq3", RegularizedMachine(near, y, 0.05))
    far = optimum_of("chen2009-eq7", KernelMachine(S, y, 0.05, 200.0))
    cost = 200.0 * float(np.linalg.norm(near - S))
    found.append(not_above(far, affine(1.0, machine, cost)))
    return Evidence(worst(found))


# fmt: off
CLAIMS = (
    Claim("chen2009-clip", "section 2",
        "S_clip = argmin over K ⪰ 0 of ‖K-S‖_F", clip.__doc__ or "", clip,
        quote="is the nearest PSD matrix to … in terms of the Frobenius norm"),
    Claim("chen2009-flip", "section 2",
        "S_flip has the singular values of S for eigenvalues", flip.__doc__ or "", flip,
        quote="which is equivalent to replacing the original eigenvalues of … with its singular "
        "values"),
    Claim("chen2009-shift", "section 2",
        "S_shift is semidefinite by the least amount and changes self-similarities only",
        shift.__doc__ or "", shift,
        quote="Spectrum shift only enhances the self-similarities and does not change the "
        "similarity between any two different samples"),
    Claim("chen2009-eq1-indefinite", "section 2, with (1)",
        "(1) may become nonconvex if one replaces K by an indefinite S", indefinite.__doc__ or "",
        indefinite, quote="the associated optimization problems may become nonconvex",
        remark="As a rule: where PSP ⪰ 0 it stays convex, see chen2009-conditionally."),
    Claim("chen2009-eq1-dual", "section 3.1, below (6)",
        "(1) is the dual of (3), with no duality gap", dual.__doc__ or "", dual,
        quote="Since (1) is the dual of (3) with zero duality gap",
        remark="Read with C = 1/(2ηn), and (3) divided by 2η; then c = Yα.",
        programs=("chen2009-eq1", "chen2009-eq3")),
    Claim("chen2009-eq6", "(5) and (6)",
        "max over α min over K ⪰ 0 = min over K ⪰ 0 max over α", minimax.__doc__ or "", minimax,
        quote="we can switch the max and min", programs=("luss2007", "luss2007-maxmin")),
    Claim("chen2009-eq2-K", "section 4.3, (4) of Luss and d'Aspremont (2007)",
        "the K of (2) is a rank-one update, clipped: K* = (S + Yααᵀ Y/(4ρ))₊",
        K_star.__doc__ or "", K_star, quote="the rank-one update given by (4) in Luss"),
    Claim("chen2009-eq2-best", "section 3.1, below (6)",
        "(2) finds the best case K, not the worst", best_case.__doc__ or "", best_case,
        quote="it finds the best-case … for classification rather than the worst-case",
        programs=("luss2007", "chen2009-eq1")),
    Claim("chen2009-eq2", "section 3.1, (6) and (4)",
        "(2) and (4) are equivalent but for a slight difference in the regularizer",
        regularizers.__doc__ or "", regularizers,
        quote="they are equivalent … for a slight difference in the regularizer of",
        remark="Exactly: (4) = γτ/2 + 2η·(2) with C = 1/(2ηn), ρ = γ/(4ητ), τ = ‖K*-S‖.",
        programs=("luss2007", "chen2009-eq7")),
    Claim("chen2009-eq4-convex", "abstract, and section 3.1",
        "(4) can be expressed as a convex problem, (7)", convexity.__doc__ or "", convexity,
        quote="The method is formulated as a convex optimization problem",
        remark="In (z, K); in (c, K) it is not, see chen2009-eq4-before."),
    Claim("chen2009-lemma1", "Lemma 1",
        "[K z; zᵀ u] ⪰ 0 iff K ⪰ 0, z in the range of K, u ≥ zᵀK†z", lemma1.__doc__ or "", lemma1,
        quote="is in the range (column space) of"),
    Claim("chen2009-eq7", "(4) and (7)",
        "(4) can be expressed as (7), and c* = (K*)†z*", eq7.__doc__ or "", eq7,
        quote="and applying Lemma 1, we can express (4) as",
        programs=("chen2009-eq7", "chen2009-eq7-dual")),
    Claim("chen2009-eq4-limit", "section 3.1, below (4)",
        "for very large γ (4) is almost the SVM with S_clip", limit.__doc__ or "", limit,
        quote="is set very large, (4) is almost the same as training an SVM with",
        programs=("chen2009-eq7", "chen2009-eq3")),
)

REMARKS = (
    Remark("chen2009-conditionally", "section 2, with (1)",
        "(1) with S is convex where yᵀα = 0 iff PSP ⪰ 0, P = I-11ᵀ/n, as for S = -‖xᵢ-xⱼ‖², which "
        "is indefinite.", conditionally.__doc__ or "", conditionally,
        about="chen2009-eq1-indefinite"),
    Remark("chen2009-eq4-before", "section 3.1, (4)",
        "Before the substitution z = Kc the objective of (4) is not convex in (c, K).",
        before.__doc__ or "", before, about="chen2009-eq4-convex"),
)
# fmt: on

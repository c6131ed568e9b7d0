"""Sections 2 and 3.1: modifications of a spectrum, the machine, and a kernel learned freely."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh

from cvxkernel.formulations.chen2009 import (
    KernelMachine,
    Machine,
    RegularizedMachine,
    RobustMachine,
    spectrum,
)
from cvxkernel.formulations.enclosure import Enclosure, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import solve
from cvxkernel.validation.instances import similarity
from cvxkernel.validation.ledger.chen2009.code import CODE
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
from cvxkernel.validation.ledger.shared import KINDS, literal, optimum, optimum_of, problem


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
    """S = -‖xᵢ - xⱼ‖² and `similarity`, both indefinite; (1) along its feasible directions."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(13, 2))
    S = -np.sum((X[:, None] - X) ** 2, axis=2)
    P = np.eye(13) - 1 / 13
    least, inside = float(eigvalsh(S)[0]), float(eigvalsh(P @ S @ P)[0])
    told = about("S = -‖xᵢ - xⱼ‖²", {"λ_min(S)": least, "λ_min(PSP)": inside})
    size = float(np.linalg.norm(S))
    slack = rounding(13, 1.0)
    # As printed: S is indefinite, so that some feasible direction has to bend the wrong way.
    printed = Finding(-least / size if inside >= -slack * size else 0.0, slack, **told)
    corrected = []
    for A in (S, similarity(13, kind="random", seed=seed)[0]):
        centred = P @ A @ P
        lam, V = np.linalg.eigh(centred)
        v = V[:, 0]  # Yα of a direction with yᵀα = 0 where it is centred
        curvature = float((P @ v) @ A @ (P @ v))
        corrected.append(identity(curvature, lam[0], n=13, magnitude=size, **told))
        convex = all(float(d @ A @ d) >= -slack * size * float(d @ d)
                     for d in (P @ rng.normal(size=(13, 50))).T)  # fmt: skip
        corrected.append(Finding(float(lam[0] >= -slack * size and not convex), 0.5, **told))
    return Evidence(printed, worst(corrected))


# -- Section 3.1 ----------------------------------------------------------------------------------


def dual(seed: int) -> Evidence:
    """(3) against (1) with the C at hand, and against 2η·(1) with C = 1/(2ηn)."""
    printed, corrected = [], []
    for kind in KINDS:
        at, primal = problem("chen2009-eq3", kind, seed), optimum("chen2009-eq3", kind, seed)
        one, two = (optimum_of("chen2009-eq1", Machine(at.K, at.y, C)) for C in (1.0, at.C))
        numbers = {"(3)": primal.value, "(1), C = 1": one.value}
        told = about(kind, {**numbers, "2η·(1), C = 1/(2ηn)": 2 * at.eta * two.value})
        printed.append(equal(primal, one, **told))
        corrected.append(equal(primal, two, factor=2 * at.eta, **told))
        corrected += literal("chen2009-eq3", kind, seed)
        corrected += literal("chen2009-eq1", kind, seed)
    return Evidence(worst(printed), worst(corrected))


def minimax(seed: int) -> Evidence:
    """(5) at α from below, (6) at K from above: what is left between them; (6) as built."""
    found: list[Finding] = []
    for kind in KINDS:
        at, best = problem("luss2007", kind, seed), optimum("luss2007", kind, seed)
        found.append(Finding(best.width, 1e-6, instance=kind))
        found += literal("luss2007", kind, seed)
        alpha, K = best.variables["alpha"], at.K_star(best.variables["alpha"])
        v = at.y * alpha
        inner = alpha.sum() - v @ K @ v / 2 + at.rho * np.sum((K - at.S) ** 2)
        width = best.width + rounding(at.n**2, 1.0)
        found.append(Finding(abs(inner - best.value) / abs(best.value), width, instance=kind))
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
    """(4), as (7), against (2) with ρ = γ, and against γτ/2 + 2η·(2), ρ = γ/(4ητ)."""
    printed, corrected = [], []
    for kind in KINDS:
        at, seven = problem("chen2009-eq7", kind, seed), optimum("chen2009-eq7", kind, seed)
        tau = float(seven.variables["v"])
        rhos = at.gamma, at.gamma / (4 * at.eta * tau)
        same, fitted = (optimum_of("luss2007", RobustMachine(at.S, at.y, at.C, r)) for r in rhos)
        told = about(kind, {"(7)": seven.value, "(2), ρ = γ": same.value, "τ": tau})
        printed.append(equal(seven, same, **told))
        # τ is within the width of its optimum, and the sum is least there: it is above by less.
        corrected.append(equal(seven, affine(2 * at.eta, fitted, at.gamma * tau / 2), **told))
    return Evidence(worst(printed), worst(corrected))


def convexity(seed: int) -> Evidence:
    """cᵀKc between (c, K) = (2, 0) and (0, 2); zᵀK†z between points drawn."""
    told = about("n = 1", {"at the ends": 0.0, "in the middle": 1.0})
    printed = at_most(1.0 * 1.0 * 1.0, (2 * 0 * 2 + 0 * 2 * 0) / 2, n=1, **told)
    rng, corrected = np.random.default_rng(seed), []
    for _ in range(20):
        (K, L), (z, w) = kernels(5, int(rng.integers(1 << 30)), 10)[-2:], rng.normal(size=(2, 5))
        ends = [z @ np.linalg.solve(K, z), w @ np.linalg.solve(L, w)]
        middle = (z + w) / 2 @ np.linalg.solve((K + L) / 2, (z + w) / 2)
        size = max(ends) * max(np.linalg.cond(K), np.linalg.cond(L))
        corrected.append(at_most(float(middle), float(np.mean(ends)), n=5, magnitude=size))
    seven = problem("chen2009-eq7", "random", seed).eq7().problem
    corrected.append(Finding(0.0 if seven.is_dcp() else 1.0, 0.5, instance="(7)"))
    return Evidence(printed, worst(corrected))


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
        found.append(equal(optimum("chen2009-eq7-dual", kind, seed), best, instance=kind))
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
        "S_clip = argmin over K ⪰ 0 of ‖K-S‖_F", clip.__doc__ or "", clip),
    Claim("chen2009-flip", "section 2",
        "S_flip has the singular values of S for eigenvalues", flip.__doc__ or "", flip),
    Claim("chen2009-shift", "section 2",
        "S_shift is semidefinite by the least amount and changes self-similarities only",
        shift.__doc__ or "", shift),
    Claim("chen2009-eq1-indefinite", "section 2, below (1)",
        "(1) is no longer convex if one replaces K by an indefinite S", indefinite.__doc__ or "",
        indefinite, "imprecise",
        "it is convex where yᵀα = 0 iff PSP ⪰ 0, P = I-11ᵀ/n, as for S = -‖xᵢ-xⱼ‖²",
        code=CODE["chen2009-eq1-indefinite"]),
    Claim("chen2009-eq1-dual", "section 3.1, below (6)",
        "(1) is the dual of (3), with no duality gap", dual.__doc__ or "", dual, "imprecise",
        "(3) is 2η times (1) with C = 1/(2ηn), and c = Yα", ("chen2009-eq1", "chen2009-eq3"),
        CODE["chen2009-eq1-dual"]),
    Claim("chen2009-eq6", "(5) and (6)",
        "max over α min over K ⪰ 0 = min over K ⪰ 0 max over α", minimax.__doc__ or "", minimax,
        programs=("luss2007",)),
    Claim("chen2009-eq2-K", "section 4.3, (4) of Luss and d'Aspremont (2007)",
        "the K of (2) is a rank-one update, clipped: K* = (S + Yααᵀ Y/(4ρ))₊",
        K_star.__doc__ or "", K_star),
    Claim("chen2009-eq2-best", "section 3.1, below (6)",
        "(2) finds the best case K, not the worst", best_case.__doc__ or "", best_case,
        programs=("luss2007", "chen2009-eq1")),
    Claim("chen2009-eq2", "section 3.1, (6) and (4)",
        "(2) and (4) are equivalent but for a slight difference in the regularizer",
        regularizers.__doc__ or "", regularizers, "imprecise",
        "(4) = γτ/2 + 2η·(2) with C = 1/(2ηn), ρ = γ/(4ητ), τ = ‖K*-S‖",
        ("luss2007", "chen2009-eq7"), CODE["chen2009-eq2"]),
    Claim("chen2009-eq4-convex", "abstract, (4)",
        "the method is formulated as a convex optimization problem", convexity.__doc__ or "",
        convexity, "imprecise", "(4) is not convex in (c, K); (7) is, after z = Kc",
        code=CODE["chen2009-eq4-convex"]),
    Claim("chen2009-lemma1", "Lemma 1",
        "[K z; zᵀ u] ⪰ 0 iff K ⪰ 0, z in the range of K, u ≥ zᵀK†z", lemma1.__doc__ or "", lemma1),
    Claim("chen2009-eq7", "(4) and (7)",
        "(4) can be expressed as (7), and c* = (K*)†z*", eq7.__doc__ or "", eq7,
        programs=("chen2009-eq7", "chen2009-eq7-dual")),
    Claim("chen2009-eq4-limit", "section 3.1, below (4)",
        "for very large γ (4) is almost the SVM with S_clip", limit.__doc__ or "", limit,
        programs=("chen2009-eq7", "chen2009-eq3")),
)
# fmt: on

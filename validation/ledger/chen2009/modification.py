"""Sections 3.2 to 3.4: test samples, and a modification of the spectrum that is learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.chen2009 import (
    AugmentedSample,
    NewSample,
    RegularizedMachine,
    SpectrumMachine,
    bounds,
    prediction,
    spectrum,
)
from cvxkernel.formulations.enclosure import Enclosure, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.instances import similarity
from cvxkernel.validation.ledger.chen2009.code import CODE
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    equal,
    identity,
    not_above,
    worst,
)
from cvxkernel.validation.ledger.shared import KINDS, literal, optimum, optimum_of, problem

ETA = 0.05

# -- Section 3.2 ----------------------------------------------------------------------------------


def reduced(seed: int) -> Evidence:
    """(8) against the program below (9), and against the root of that plus ‖K - S‖²."""
    printed, corrected = [], []
    for kind in KINDS:
        at, eight = problem("chen2009-eq8", kind, seed), optimum("chen2009-eq8", kind, seed)
        square = optimum_of("chen2009-eq8-qcqp", NewSample(at.K, at.s, at.psi))
        constant = float(np.sum((at.K - at.S) ** 2))
        ends = [float(np.sqrt(constant + x)) for x in (square.value, square.lower, square.upper)]
        told = about(kind, {"(8)": eight.value, "QCQP": square.value, "‖K-S‖²": constant})
        printed.append(equal(eight, square, **told))
        corrected.append(equal(eight, Enclosure(ends[0], ends[1], ends[2], {}), **told))
        corrected += [*built(kind, seed, **told), *literal("chen2009-eq8", kind, seed)]
    return Evidence(worst(printed), worst(corrected))


def built(kind: str, seed: int, **told: Any) -> list[Finding]:
    """The program below (9) as built, at its optimum: its objective, and kᵀK†k against r."""
    at, best = problem("chen2009-eq8-qcqp", kind, seed), optimum("chen2009-eq8-qcqp", kind, seed)
    program, r = at.eq8_qcqp(), float(best.variables["r"])
    program.variables["k"].value, program.variables["r"].value = best.variables["k"], r
    objective = float(program.problem.objective.value)
    over = float(program.constraints["quad"].args[0].value) / r
    width = best.width + rounding(at.n**2, 1.0)
    off = abs(objective - best.value) / best.value
    return [Finding(off, width, **told), Finding(max(0.0, over), width, **told)]


def own_column(seed: int) -> Evidence:
    """The k of (8) for a training sample against its column of K, and against its closed form."""
    printed, corrected = [], []
    for kind in KINDS:
        S, _ = similarity(13, kind=kind, seed=seed)
        K = spectrum.clip(S)
        k, r = prediction.nearest(K, S[:, 0], float(S[0, 0]))
        told = about(kind, {"‖k - K₁‖": float(np.linalg.norm(k - K[:, 0])), "r": r, "K₁₁": K[0, 0]})
        printed.append(identity(k, K[:, 0], n=13, magnitude=float(np.abs(S).sum()), **told))
        # The column of K is feasible: k can only be nearer to s. And its two ends meet.
        column = 2 * np.sum((K[:, 0] - S[:, 0]) ** 2) + (K[0, 0] - S[0, 0]) ** 2
        at = AugmentedSample(K, S[:, 0], float(S[0, 0]), S)
        mu = 2 * (r - at.psi)
        (low, down), ((high, up), _, _) = bounds.column_bound(at, mu), bounds.column_value(at, mu)
        here = Enclosure(high, low - down, high + up, {})
        corrected.append(not_above(here, Enclosure(column, column, column, {}), **told))
        corrected.append(Finding(here.width, 1e-6, **told))
        M = K + mu / 2 * np.eye(13)
        closed = K @ np.linalg.lstsq(M, S[:, 0], rcond=1e-12)[0]
        size = float(np.linalg.norm(S[:, 0])) * min(np.linalg.cond(M), 1e8)
        corrected.append(identity(k, closed, n=13, magnitude=size, **told))
    return Evidence(worst(printed), worst(corrected))


# -- Section 3.3 ----------------------------------------------------------------------------------


def linear(seed: int) -> Evidence:
    """U diag(a)Uᵀ S for a_clip and a_flip against S_clip and S_flip."""
    found = []
    for kind in KINDS:
        S, _ = similarity(13, kind=kind, seed=seed)
        lam, _ = spectrum.eigen(S)
        size = float(np.sum(np.abs(S)))
        for a, K in (
            (spectrum.a_clip(lam), spectrum.clip(S)),
            (spectrum.a_flip(lam), spectrum.flip(S)),
        ):
            found.append(identity(spectrum.transformation(S, a) @ S, K, n=13**2, magnitude=size))
    return Evidence(worst(found))


def eq12(seed: int) -> Evidence:
    """(12) as built at its optimum; (10) there, with K_a and c = U(diag(a)Λ)†z."""
    found: list[Finding] = []
    for kind in KINDS:  # each has another h
        at, best = problem("chen2009-eq12", kind, seed), optimum("chen2009-eq12", kind, seed)
        program = at.eq12()
        for symbol, variable in program.variables.items():
            variable.save_value(np.asarray(best.variables[symbol]).reshape(variable.shape))
        width = best.width + rounding(at.n**2, 1.0)
        told = about(f"{kind}, h = {at.h}")
        objective = float(program.problem.objective.value)
        found.append(Finding(abs(objective - best.value) / best.value, width, **told))
        cones = program.constraints.pop("cones")
        top, under = (arg.value for arg in cones.args)
        found.append(Finding(float(np.max(np.linalg.norm(under, axis=0) - top)), width, **told))
        for label, constraint in program.constraints.items():
            short = float(np.max(constraint.violation()))
            found.append(Finding(short, width, **about(f"{kind}, {label}")))
        a, z, b = (best.variables[symbol] for symbol in ("a", "z", "b"))
        c = prediction.from_spectrum(at, a, z, tolerance=1e-12).c
        K = (at.U * (at.Lam * a)) @ at.U.T
        xi = np.maximum(0, 1 - at.y * (K @ c + b))
        ten = xi.mean() + at.eta * c @ K @ c + at.gamma * h(at, a)
        size = rounding(at.n**2, 1e3)  # of c through the eigenvalues kept
        found.append(Finding(abs(ten - best.value) / best.value, width + size, **told))
        # (11): Σzᵢ²/(λᵢaᵢ) is cᵀK_ac
        found.append(identity(best.variables["u"].sum(), c @ K @ c, n=at.n, magnitude=1e3, **told))
    return Evidence(worst(found))


def h(at: SpectrumMachine, a: Array) -> float:
    """h(a), as section 3.4 has it."""
    clip = float(np.linalg.norm(a - (at.Lam >= 0)))
    flip = float(np.linalg.norm(a - np.sign(at.Lam)))
    spread = float(np.linalg.norm(at.Lam * (a - 1)))
    return {"clip": clip, "flip": flip, "both": clip + flip, "spectrum": spread}[at.h]


def basis(seed: int) -> Evidence:
    """S with eigenvalues four times each, moved by 1e-9 towards one eigenbasis or another."""
    rng = np.random.default_rng(seed)
    y, lam = np.tile([1.0, -1.0], 6), np.repeat([-0.5, 0.3, 2.0], 4)
    Q = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    apart = 1e-9 * np.arange(12)
    found = []
    for turn in (False, True, True):
        R = np.zeros((12, 12))
        for i in range(0, 12, 4):
            R[i : i + 4, i : i + 4] = (
                np.linalg.qr(rng.normal(size=(4, 4)))[0] if turn else np.eye(4)
            )
        S = spectrum.compose(lam + apart, Q @ R)
        found.append(optimum_of("chen2009-eq12", SpectrumMachine(S, y, 0.02, 0.02, "clip")))
    told = about("λ four times each", {f"basis {i}": one.value for i, one in enumerate(found)})
    printed = worst([equal(found[0], other, **told) for other in found[1:]])
    # With simple eigenvalues, and a rotation of everything, nothing else decides.
    S, labels = similarity(12, kind="random", seed=seed)
    plain, other = (
        optimum_of("chen2009-eq12", SpectrumMachine(A, labels[order], 0.02, 0.02, "clip"))
        for order in (np.arange(12), rng.permutation(12))
        for A in (S[np.ix_(order, order)],)
    )
    return Evidence(printed, equal(plain, other, **about("λ simple")))


def sizes(seed: int) -> Evidence:
    """The scalar variables of (7) and of (12) at n = 6, 12, 24, and the cones of (12)."""
    found = []
    for n in (6, 12, 24):
        S, y = similarity(n, kind="random", seed=seed)
        at = SpectrumMachine(S, y, ETA, 0.1, "clip")
        twelve, seven = at.eq12(), at.eq7()
        size = sum(v.size for v in twelve.variables.values())
        found.append(identity(size, 4 * n + 2, n=1))
        K = seven.variables["K"].size
        found.append(identity(sum(v.size for v in seven.variables.values()) - K, 2 * n + 3, n=1))
        found.append(identity(K, n * n, n=1))
        kinds = {type(c).__name__ for c in twelve.problem.constraints}
        found.append(Finding(float("PSD" in kinds or not twelve.problem.is_dcp()), 0.5))
    return Evidence(worst(found))


def consistent(seed: int) -> Evidence:
    """As for the columns s of S against the columns of K_a, for the learned a and another."""
    rng, found = np.random.default_rng(seed), []
    for kind in KINDS:
        S, _ = similarity(13, kind=kind, seed=seed)
        lam, U = spectrum.eigen(S)
        a = np.sign(lam) * rng.exponential(size=13)
        K = (U * (lam * a)) @ U.T
        size = float(np.abs(S).sum() * np.abs(a).max())
        found.append(identity(spectrum.transformation(S, a) @ S, K, n=13**2, magnitude=size))
    return Evidence(worst(found))


# -- Section 3.4 ----------------------------------------------------------------------------------


def distance(seed: int) -> Evidence:
    """Both sides, for a drawn at random."""
    rng, found = np.random.default_rng(seed), []
    for kind in KINDS:
        S, _ = similarity(13, kind=kind, seed=seed)
        lam, U = spectrum.eigen(S)
        a = rng.normal(size=13)
        left = float(np.linalg.norm((U * (a * lam)) @ U.T - S))
        found.append(identity(left, float(np.linalg.norm(lam * (a - 1))), n=13**2))
    return Evidence(worst(found))


def large(seed: int) -> Evidence:
    """(12) with h = clip and flip at γ = ‖S‖₂/(4ηn) against (3) with S_clip and S_flip."""
    found = []
    for kind in ("random", "low rank"):
        S, y = similarity(13, kind=kind, seed=seed)
        gamma = float(np.linalg.norm(S, 2)) / (4 * ETA * 13)
        for name, modify in (("clip", spectrum.clip), ("flip", spectrum.flip)):
            plain = optimum_of("chen2009-eq3", RegularizedMachine(modify(S), y, ETA))
            learned = optimum_of("chen2009-eq12", SpectrumMachine(S, y, ETA, gamma, name))
            told = about(f"{kind}, {name}", {"(12)": learned.value, "SVM": plain.value})
            found.append(equal(learned, plain, **told))
    return Evidence(worst(found))


def free(seed: int) -> Evidence:
    """(12) with h = ‖Λ(a - 1)‖ against (7): a restriction of K, which costs."""
    found = []
    for kind in KINDS:
        at, seven = problem("chen2009-eq7", kind, seed), optimum("chen2009-eq7", kind, seed)
        own = optimum_of("chen2009-eq12", SpectrumMachine(at.S, at.y, at.eta, at.gamma, "spectrum"))
        found.append(not_above(seven, own, instance=kind))
    return Evidence(worst(found))


def zeros(seed: int) -> Evidence:
    """h = clip + flip on a singular S ⪰ 0 at the a of S itself; and with the zeros left out."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(12, 4))
    lam, _ = spectrum.eigen(B @ B.T)
    clip, flip = spectrum.a_clip(lam), spectrum.a_flip(lam)
    told = about(
        "S ⪰ 0 of rank 4, n = 12", {"‖a_clip - a_flip‖": float(np.linalg.norm(clip - flip))}
    )
    kept = lam != 0
    return Evidence(
        identity(clip, flip, n=1, **told), identity(clip[kept], flip[kept], n=1, **told)
    )


# fmt: off
CLAIMS = (
    Claim("chen2009-eq8", "section 3.2, (8)",
        "(8) reduces to min 2‖k-s‖² + (r-ψ)², kᵀK†k ≤ r, (I-KK†)k = 0", reduced.__doc__ or "",
        reduced, "imprecise", "the same k and r; (8)² is that optimum plus ‖K*-S‖²",
        ("chen2009-eq8", "chen2009-eq8-qcqp"), CODE["chen2009-eq8"]),
    Claim("chen2009-eq8-column", "section 3.2, below (8)",
        "in the hope that k* is related to s as K* is to S: a training sample gets its column",
        own_column.__doc__ or "", own_column, "imprecise",
        "k* = K(K + ½μI)⁻¹s, nearer to s than the sample's own column of K",
        code=CODE["chen2009-eq8-column"]),
    Claim("chen2009-A", "section 3.3",
        "clip and flip are AS, A = U diag(a)Uᵀ, with a_clip and a_flip", linear.__doc__ or "",
        linear),
    Claim("chen2009-eq12", "(10), (11) and (12)",
        "(10) is (12) by z = diag(a)ΛUᵀc and zᵢ² ≤ λᵢaᵢuᵢ, and c* = U(diag(a*)Λ)†z*",
        eq12.__doc__ or "", eq12, programs=("chen2009-eq12",)),
    Claim("chen2009-eq12-basis", "section 3.3, (12)",
        "S = UΛUᵀ, and (12) is a program of S", basis.__doc__ or "", basis, "imprecise",
        "where eigenvalues coincide (12) depends on the U that is taken", ("chen2009-eq12",),
        CODE["chen2009-eq12-basis"]),
    Claim("chen2009-eq12-size", "section 3.3, (7) and (12)",
        "(7) has a number of variables quadratic in n, (12) linear, and (12) is an SOCP",
        sizes.__doc__ or "", sizes),
    Claim("chen2009-As", "section 3.3",
        "k = As is consistent: a training sample gets its column of K_a", consistent.__doc__ or "",
        consistent),
    Claim("chen2009-distance", "section 3.4",
        "‖K_a-S‖_F = ‖Λ(a-1)‖₂", distance.__doc__ or "", distance),
    Claim("chen2009-eq12-large", "section 3.4",
        "for large γ (12) is very close to the SVM with S_clip: with h = ‖a-a_clip‖ equal to it",
        large.__doc__ or "", large, programs=("chen2009-eq12", "chen2009-eq3")),
    Claim("chen2009-eq12-eq7", "sections 3.3 and 3.4",
        "(12) with h = ‖Λ(a-1)‖ restricts K in (7) to modifications of the spectrum",
        free.__doc__ or "", free, programs=("chen2009-eq12", "chen2009-eq7")),
    Claim("chen2009-zeros", "section 3.3, a_clip and a_flip",
        "a_clip and a_flip both leave a semidefinite S alone: they are the same a",
        zeros.__doc__ or "", zeros, "imprecise",
        "where λᵢ = 0 a_clip has 1 and a_flip 0: ‖a-a_clip‖+‖a-a_flip‖ jumps there",
        code=CODE["chen2009-zeros"]),
)
# fmt: on

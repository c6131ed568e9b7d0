"""Sections 3.2 to 3.4: test samples, and a modification of the spectrum that is learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.chen2009 import (
    NewSample,
    RegularizedMachine,
    SpectrumMachine,
    prediction,
    spectrum,
)
from cvxkernel.formulations.chen2009.programs import REGULARIZERS
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
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
    missing,
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

ETA = 0.05

# -- Section 3.2 ----------------------------------------------------------------------------------


def reduced(seed: int) -> Evidence:
    """The root of the QCQP's optimum plus ‖K - S‖² against (8); both as written."""
    found: list[Finding] = []
    for kind in KINDS:
        at, eight = problem("chen2009-eq8", kind, seed), optimum("chen2009-eq8", kind, seed)
        own = NewSample(at.K, at.s, at.psi)
        square = optimum_of("chen2009-eq8-qcqp", own)
        constant = float(np.sum((at.K - at.S) ** 2))
        ends = [float(np.sqrt(constant + x)) for x in (square.value, square.lower, square.upper)]
        told = about(kind, {"(8)": eight.value, "QCQP": square.value, "‖K-S‖²": constant})
        found.append(equal(eight, Enclosure(ends[0], ends[1], ends[2], {}), **told))
        found += [*built(kind, seed, **told), *literal("chen2009-eq8", kind, seed)]
        found.append(as_written("chen2009-eq8", at, eight, instance=kind))
    for rank in (1, 3, 6):  # of whole numbers, so that the rank is exact
        rng = np.random.default_rng([seed, rank])
        B = rng.integers(-2, 3, size=(6, rank)).astype(float)
        B[0] += 1.0
        own = NewSample(B @ B.T, rng.normal(size=6), 0.5)
        square = optimum_of("chen2009-eq8-qcqp", own)
        found.append(as_written("chen2009-eq8-qcqp", own, square, instance=f"rank {rank}"))
    return Evidence(worst(found))


def built(kind: str, seed: int, **told: Any) -> list[Finding]:
    """The program below (9) as built, at its optimum: its objective, and kᵀK†k against r."""
    at, best = problem("chen2009-eq8-qcqp", kind, seed), optimum("chen2009-eq8-qcqp", kind, seed)
    program, r = at.eq8_qcqp(), float(best.variables["r"])
    program.variables["k"].value, program.variables["r"].value = best.variables["k"], r
    objective = float(program.problem.objective.value)
    if "quad" not in program.constraints:
        return [missing(f"{kind}: quad")]
    over = float(program.constraints["quad"].args[0].value) / r
    width = best.width + rounding(at.n**2, 1.0)
    off = abs(objective - best.value) / best.value
    return [Finding(off, width, **told), Finding(max(0.0, over), width, **told)]


def own_column(seed: int) -> Finding:
    """(k, r) of (8) for a training sample against its column of K, and against its closed form."""
    found = []
    for kind in KINDS:
        S, _ = similarity(13, kind=kind, seed=seed)
        K = spectrum.clip(S)
        k, r = prediction.nearest(K, S[:, 0], float(S[0, 0]))
        joint = 2 * np.sum((k - S[:, 0]) ** 2) + (r - S[0, 0]) ** 2
        column = 2 * np.sum((K[:, 0] - S[:, 0]) ** 2) + (K[0, 0] - S[0, 0]) ** 2
        apart = [float(np.linalg.norm(x - S[:, 0])) for x in (k, K[:, 0])]
        told = about(kind, {"‖k - s‖": apart[0], "‖K₁ - s‖": apart[1], "(8)²": float(joint)})
        found.append(at_most(float(joint), float(column), n=13, **told))
        M = K + (r - S[0, 0]) * np.eye(13)  # ½μ = r - ψ
        closed = K @ np.linalg.lstsq(M, S[:, 0], rcond=1e-12)[0]
        size = float(np.linalg.norm(S[:, 0])) * min(np.linalg.cond(M), 1e8)
        found.append(identity(k, closed, n=13, magnitude=size, **told))
    return worst(found)


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
        found.append(as_written("chen2009-eq12", at, best, instance=f"{kind}, h = {at.h}"))
        program = at.eq12()
        for symbol, variable in program.variables.items():
            variable.save_value(np.asarray(best.variables[symbol]).reshape(variable.shape))
        width = best.width + rounding(at.n**2, 1.0)
        told = about(f"{kind}, h = {at.h}")
        objective = float(program.problem.objective.value)
        found.append(Finding(abs(objective - best.value) / best.value, width, **told))
        for label, constraint in program.constraints.items():
            if label == "cones":
                top, under = (arg.value for arg in constraint.args)
                over = float(np.max(np.linalg.norm(under, axis=0) - top))
                found.append(Finding(over, width, **told))
                continue
            short = float(np.max(constraint.violation()))
            found.append(Finding(short, width, **about(f"{kind}, {label}")))
        a, z, b = (best.variables[symbol] for symbol in ("a", "z", "b"))
        c = prediction.from_spectrum(at, a, z, tolerance=1e-12).c
        K = (at.basis.U * (at.Lam * a)) @ at.basis.U.T
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


def basis(seed: int) -> Finding:
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
    differ = any(not found[0].meets(other) for other in found[1:])
    return Finding(float(not differ), 0.5, **told)


def sizes(seed: int) -> Evidence:
    """The scalar variables of (7) and of (12) at n = 6, 12, 24, and the cones of (12), every h."""
    found = []
    for n in (6, 12, 24):
        S, y = similarity(n, kind="random", seed=seed)
        seven = SpectrumMachine(S, y, ETA, 0.1, "clip").eq7()
        K = seven.variables["K"].size
        found.append(identity(sum(v.size for v in seven.variables.values()) - K, 2 * n + 3, n=1))
        found.append(identity(K, n * n, n=1))
        for name in REGULARIZERS:
            twelve = SpectrumMachine(S, y, ETA, 0.1, name).eq12()
            told = about(f"n = {n}, h = {name}")
            size = sum(v.size for v in twelve.variables.values())
            found.append(identity(size, 4 * n + 2, n=1, **told))
            kinds = {type(c).__name__ for c in twelve.problem.constraints}
            found.append(Finding(float("PSD" in kinds or not twelve.problem.is_dcp()), 0.5, **told))
    return Evidence(worst(found))


def consistent(seed: int) -> Evidence:
    """As for the columns s of S against the columns of K_a, for the learned a and another."""
    rng, found = np.random.default_rng(seed), []
    for kind in KINDS:
        at, best = problem("chen2009-eq12", kind, seed), optimum("chen2009-eq12", kind, seed)
        lam, U = spectrum.eigen(at.S)
        for a in (best.variables["a"], np.sign(lam) * rng.exponential(size=at.n)):
            K = (U * (lam * a)) @ U.T
            size = float(np.abs(at.S).sum() * np.abs(a).max())
            As = spectrum.transformation(at.S, a) @ at.S
            found.append(identity(As, K, n=at.n**2, magnitude=size, instance=kind))
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
    """K_a of (12) against S_clip at large γ: with h = ‖Λ(a-1)‖ nearer and nearer, with clip it."""
    found = []
    for kind in ("random", "low rank"):
        S, y = similarity(13, kind=kind, seed=seed)
        near = spectrum.clip(S)
        # As for (7): ‖K - S_clip‖ ≤ δ‖S₋‖/(1 - δ), δ = 1/(4ηnγ)
        for gamma in (20.0, 200.0):
            at = SpectrumMachine(S, y, ETA, gamma, "spectrum")
            a = optimum_of("chen2009-eq12", at).variables["a"]
            delta = 1 / (4 * ETA * 13 * gamma)
            bound = delta / (1 - delta) * float(np.linalg.norm(near - S))
            apart = float(np.linalg.norm((at.basis.U * (at.Lam * a)) @ at.basis.U.T - near))
            told = about(f"{kind}, γ = {gamma:g}", {"‖K_a - S_clip‖": apart, "bound": bound})
            found.append(at_most(apart, bound, n=13**2, **told))
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


def zeros(seed: int) -> Finding:
    """a_clip and a_flip of a singular S ⪰ 0: 1 and 0 where λᵢ = 0, the same elsewhere."""
    rng, found = np.random.default_rng(seed), []
    for rank in (1, 4, 11):
        B = rng.integers(-3, 4, size=(12, rank)).astype(float)
        lam, _ = spectrum.eigen(B @ B.T)
        apart = float(np.sum((spectrum.a_clip(lam) - spectrum.a_flip(lam)) ** 2))
        told = about(f"rank {rank}, n = 12", {"‖a_clip - a_flip‖²": apart})
        found.append(identity(apart, 12 - np.linalg.matrix_rank(B), n=1, **told))
    return worst(found)


# fmt: off
CLAIMS = (
    Claim("chen2009-eq8", "section 3.2, (8)",
        "(8) reduces to min 2‖k-s‖² + (r-ψ)², kᵀK†k ≤ r, (I-KK†)k = 0", reduced.__doc__ or "",
        reduced, quote="we can reduce (8) to the following quadratically constrained quadratic "
        "program", remark="The same k and r; (8)² is that optimum plus ‖K*-S‖².",
        programs=("chen2009-eq8", "chen2009-eq8-qcqp")),
    Claim("chen2009-A", "section 3.3",
        "clip and flip are AS, A = U diag(a)Uᵀ, with a_clip and a_flip", linear.__doc__ or "",
        linear, quote="both spectrum clip and flip can be represented by a linear transformation"),
    Claim("chen2009-eq12", "(10), (11) and (12)",
        "(10) is (12) by z = diag(a)ΛUᵀc and zᵢ² ≤ λᵢaᵢuᵢ, and c* = U(diag(a*)Λ)†z*",
        eq12.__doc__ or "", eq12, quote="we can write (10) as", programs=("chen2009-eq12",)),
    Claim("chen2009-eq12-size", "section 3.3, (7) and (12)",
        "(7) has a number of variables quadratic in n, (12) linear; with these h (12) is an SOCP",
        sizes.__doc__ or "", sizes, quote="the number of variables grows linearly with … then (12) "
        "is a second-order cone program"),
    Claim("chen2009-As", "section 3.3",
        "k = As is consistent: a training sample gets its column of K_a", consistent.__doc__ or "",
        consistent, programs=("chen2009-eq12",),
        quote="if any training sample is taken as a test sample, its similarities will be modified "
        "in the same way during training and during test"),
    Claim("chen2009-distance", "section 3.4",
        "‖K_a-S‖_F = ‖Λ(a-1)‖₂", distance.__doc__ or "", distance,
        quote="could be a reasonable option for"),
    Claim("chen2009-eq12-large", "section 3.4",
        "for large γ (12) with h = ‖Λ(a-1)‖ is very close to the SVM with S_clip, and h = "
        "‖a-a_clip‖ gives similar results",
        large.__doc__ or "", large, quote="this is very close to training an SVM with … and we "
        "expect that using … will achieve similar results",
        programs=("chen2009-eq12", "chen2009-eq3")),
    Claim("chen2009-eq12-eq7", "sections 3.3 and 3.4",
        "(12) with h = ‖Λ(a-1)‖ restricts K in (7) to modifications of the spectrum",
        free.__doc__ or "", free, quote="a computationally simpler method that restricts … to be a "
        "spectrum modification of", programs=("chen2009-eq12", "chen2009-eq7")),
)

REMARKS = (
    Remark("chen2009-eq8-column", "section 3.2, (8)",
        "For a training sample (k*, r*) together are not farther from (s, ψ), in the norm of (8), "
        "than the sample's own column of K*, which is feasible; k* alone may be. "
        "k* = K(K + (r*-ψ)I)†s.",
        own_column.__doc__ or "", own_column, about="chen2009-eq8"),
    Remark("chen2009-eq12-basis", "section 3.3, (12)",
        "Where nonzero eigenvalues of S coincide (12) may depend on the U that is taken.",
        basis.__doc__ or "", basis, about="chen2009-eq12"),
    Remark("chen2009-zeros", "section 3.3, a_clip and a_flip",
        "Where λᵢ = 0 a_clip has 1 and a_flip 0, which both leave S alone: ‖a-a_clip‖+‖a-a_flip‖ "
        "jumps there.", zeros.__doc__ or "", zeros, about="chen2009-A"),
)
# fmt: on

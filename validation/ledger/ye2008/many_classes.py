"""Section 3: more than two classes, λ given; and what section 6 says of it."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, eigvalsh, pinvh

from cvxkernel.formulations.enclosure import rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import Discriminant, bounds
from cvxkernel.validation.instances import instance
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
from cvxkernel.validation.ledger.ye2008.space import Space, solve, space, three
from cvxkernel.validation.ledger.ye2008.two_classes import some_weights

# -- (23) to (28) ---------------------------------------------------------------------------------


def between(s: Space) -> Array:
    """n Σᵢ nᵢ(μᵢ - μ)(μᵢ - μ)ᵀ, from the points."""
    mu = s.X.mean(axis=1)
    B: Array = np.zeros((s.d, s.d))
    for label in np.unique(s.y):
        D = s.members(label)
        B += s.n * D.shape[1] * np.outer(D.mean(axis=1) - mu, D.mean(axis=1) - mu)
    return B


def eq24(seed: int) -> Evidence:
    """HHᵀ in the feature space against the between-class scatter, with n_j and with nᵢ."""
    s = three(seed)
    n_j = np.array([np.sum(s.y == label) for label in s.y])[:, None]  # of the sample's class
    inside = s.y[:, None] == np.unique(s.y)
    printed = np.where(inside, np.sqrt(s.n / n_j), 0.0) - np.sqrt(n_j / s.n)
    B = between(s)
    sums = {"largest |Hᵀe|, n_j": np.abs(printed.sum(axis=0)).max()}
    sums["largest |Hᵀe|, nᵢ"] = np.abs(s.H.sum(axis=0)).max()
    size = float(np.abs(s.X).sum(axis=1).max() * np.abs(s.H).max()) ** 2
    told = about("classes of 7, 5 and 3", sums)
    return Evidence(
        identity(s.X @ printed @ printed.T @ s.X.T, B, n=s.n, magnitude=size, **told),
        worst(
            [
                identity(s.X @ s.H @ s.H.T @ s.X.T, B, n=s.n, magnitude=size),
                identity(1 + s.H.sum(axis=0), np.ones(3), n=s.n, magnitude=np.abs(s.H).sum()),
            ]
        ),
    )


def weights(seed: int) -> Evidence:
    """hᵢ against (n - nᵢ)√(nᵢ/n) a⁽ⁱ⁾, and the weighted sum of the ratios against F₅."""
    found = []
    for s in (three(seed), space((6, 4), seed)):
        for i, label in enumerate(np.unique(s.y)):
            one = np.where(s.y == label, 1.0, -1.0)
            n_i = np.sum(s.y == label)
            a = Discriminant(s.G[None], one, s.lam).a[:, 0]  # (3), one class against the rest
            scaled = (s.n - n_i) * np.sqrt(n_i / s.n) * a
            found.append(identity(s.H[:, i], scaled, n=s.n))
            ratio = (s.X @ a) @ solve(s.ridged, s.X @ a)
            weighted = (s.n - n_i) ** 2 * n_i / s.n * ratio
            h = s.X @ s.H[:, i]
            found.append(solved(weighted, h @ solve(s.ridged, h), s.ridged))
    return Evidence(worst(found))


def scatters(s: Space) -> tuple[Array, Array]:
    """S_t^K and S_b^K"""
    return s.G @ s.P @ s.G + s.lam * s.G, s.G @ s.H @ s.H.T @ s.G


def full(seed: int) -> Space:
    """As many features as points: G and S_t are not singular."""
    return space((6, 4, 3), seed, 13)


def F4(s: Space, A: Array) -> float:
    """(23) at W = φ(X)A."""
    S_t, S_b = scatters(s)
    return float(np.trace(solve(A.T @ S_t @ A, A.T @ S_b @ A)))


def eq23(seed: int) -> Evidence:
    """(23) with W and with A, W = φ(X)A."""
    s = full(seed)
    A = np.random.default_rng(seed).normal(size=(s.n, 2))
    W = s.X @ A
    below, above = W.T @ s.ridged @ W, W.T @ between(s) @ W
    return Evidence(solved(np.trace(solve(below, above)), F4(s, A), below, s.ridged))


def diagonalized(s: Space) -> tuple[Array, Array]:
    """Σ_b in non-decreasing order and Z with ZᵀS_tZ = I, ZᵀS_bZ = Σ_b."""
    S_t, S_b = scatters(s)
    eigenvalues, Z = eigh(S_b, S_t)
    return eigenvalues, Z


def eq25_order(seed: int) -> Evidence:
    """F₄ at the first and at the last q columns of Z, in the printed order."""
    s, q = full(seed), 2
    eigenvalues, Z = diagonalized(s)
    S_t, _ = scatters(s)
    best = float(eigenvalues.sum())
    first, last = F4(s, Z[:, :q]), F4(s, Z[:, -q:])
    numbers = {"F₄, first q": first, "F₄, last q": last, "trace Σ_b": best}
    told = about("n = 13, three classes, q = 2", numbers)
    return Evidence(solved(first, best, S_t, **told), solved(last, best, S_t, **told))


def eq25(seed: int) -> Evidence:
    """trace Σ_b = trace(S_t⁻¹S_b) = trace HᵀH - Σhⱼᵀ(I + G̃/λ)⁻¹hⱼ, and F₄ is never above."""
    s = full(seed)
    S_t, S_b = scatters(s)
    best = float(np.trace(solve(S_t, S_b)))
    value, _ = bounds.value(s.problem, np.array([1.0]), binary=False)
    found = [
        solved(diagonalized(s)[0].sum(), best, S_t),
        solved(np.sum(s.H**2) - value, best, S_t),
        solved(np.trace(solve(s.ridged, between(s))), best, S_t),
    ]
    for A in np.random.default_rng(seed).normal(size=(6, s.n, 2)):
        loss = best * float(np.linalg.cond(A.T @ S_t @ A))
        found.append(at_most(F4(s, A), best, n=s.n, magnitude=loss))
    return Evidence(worst(found))


def eq25_singular(seed: int) -> Evidence:
    """The pseudo-inverse, with four features for fifteen points."""
    s = three(seed)
    S_t, S_b = scatters(s)
    size = np.sqrt(rounding(s.n, 1.0))  # between the eigenvalues that are there and rounding
    inverse = pinvh(S_t, rtol=size)
    true = np.trace(solve(s.ridged, between(s)))
    kept = eigvalsh(S_t)[-s.d :]
    loss = float(true * kept[-1] / kept[0]) * s.n
    return Evidence(identity(np.trace(inverse @ S_b), true, n=s.n, magnitude=loss))


def lem3_1(seed: int) -> Evidence:
    """F₄* = F₅* for several kernels of several spaces."""
    found = []
    for s in (full(seed), space((5, 4, 2, 2), seed, 13)):
        S_t, S_b = scatters(s)
        alphas = solve(S_t, s.G @ s.H)
        F5 = [
            (alpha @ s.G @ h) ** 2 / (alpha @ S_t @ alpha)
            for alpha, h in zip(alphas.T, s.H.T, strict=True)
        ]
        found.append(solved(sum(F5), np.trace(solve(S_t, S_b)), S_t))
    return Evidence(worst(found))


def optimal_columns(s: Space) -> Array:
    """W̃* = (Σ_K + λI)⁻¹φ(X)H, one column per class, in the metric of Σ_K + λI of length 1."""
    W = solve(s.ridged, s.X @ s.H)
    W /= np.sqrt(np.sum(W * (s.ridged @ W), axis=0))
    return W


def sec6(seed: int) -> Evidence:
    """W̃* is not orthogonal as W* is; but it spans the same space and attains the same F₄."""
    s = three(seed)
    W = optimal_columns(s)
    gram = W.T @ s.ridged @ W
    off = float(np.abs(gram - np.diag(np.diag(gram))).max())
    told = about("n = 15, three classes", {"largest cosine in W̃*": off})
    V = W[:, :-1]  # Σⱼ √nⱼ hⱼ = 0: k - 1 columns are all
    attained = np.trace(solve(V.T @ s.ridged @ V, V.T @ between(s) @ V))
    best = np.trace(solve(s.ridged, between(s)))
    return Evidence(
        identity(gram, np.eye(3), n=s.n, **told), solved(attained, best, s.ridged, s.ridged)
    )


def different(seed: int) -> Evidence:
    """Columns of W* are orthogonal in the metric of Σ_K + λI; those of W̃* are not."""
    off = sec6(seed).printed
    # They differ: the discrepancy is above what rounding could make of equal matrices.
    return Evidence(Finding(off.tolerance, off.worst, off.instance, off.numbers))


def limit(seed: int) -> Evidence:
    """λ = 0 and independent points: W̃*W̃*ᵀ = n W*W*ᵀ, the same projection up to a rotation."""
    s = full(seed)
    eigenvalues, U = eigh(s.total)
    root = U[:, 1:] / np.sqrt(eigenvalues[1:])  # Σ_K has rank n - 1: U Λ^{-½} on its range
    _, V = eigh(root.T @ between(s) @ root)
    least_squares = root @ root.T @ s.X @ s.H  # (φPφᵀ)⁺φPH, the limit of least squares
    discriminant = root @ V[:, -2:]  # the q = k - 1 eigenvectors, WᵀΣW = I
    loss = float(eigenvalues[-1] / eigenvalues[1]) ** 2
    left, right = least_squares @ least_squares.T, s.n * discriminant @ discriminant.T
    size = float(np.abs(right).max()) * loss
    return Evidence(identity(left, right, n=s.n, magnitude=size))


def decomposition(seed: int) -> Evidence:
    """k binary problems with one kernel in common cost at least as much as with k kernels."""
    found: list[Finding] = []
    for kind in KINDS:
        at = problem("ye2008-thm3.2", kind, seed)
        apart = 0.0
        for label in at.classes:
            n_i = np.sum(at.y == label)
            one = Discriminant(at.kernels, np.where(at.y == label, 1.0, -1.0), at.lam)
            weight = (at.n - n_i) ** 2 * n_i / at.n
            apart += weight * optimum_of("ye2008-thm2.2", one).lower
        common = optimum("ye2008-thm3.2", kind, seed)
        numbers = {"with one kernel": common.value, "with k kernels": apart}
        told = about(kind, numbers)
        found.append(at_most(apart, common.upper, n=at.n, **told))
    return Evidence(worst(found))


# -- (29) to (38) ---------------------------------------------------------------------------------


def eq29(seed: int) -> Evidence:
    """(29) against Σhⱼᵀ(I + G̃/λ)⁻¹hⱼ at its weights and at others."""
    found: list[Finding] = []
    for kind in KINDS:
        found += [*literal("ye2008-eq29", kind, seed), *literal("ye2008-eq29-single", kind, seed)]
        at, best = problem("ye2008-eq29", kind, seed), optimum("ye2008-eq29", kind, seed)
        found.append(equal(optimum("ye2008-eq29-single", kind, seed), best, instance=kind))
        M = np.eye(at.n) + np.tensordot(best.variables["theta"], at.G, axes=1) / at.lam
        found.append(solved(np.trace(at.H.T @ solve(M, at.H)), best.value, M))
        for theta in some_weights(at.r, seed):
            M = np.eye(at.n) + np.tensordot(theta, at.G, axes=1) / at.lam
            value = float(np.trace(at.H.T @ solve(M, at.H)))
            loss = value * float(np.linalg.cond(M))
            found.append(at_most(best.lower, value, n=at.n, magnitude=loss, instance=kind))
    return Evidence(worst(found))


def bordered(M: Array, H: Array, t: Array) -> Array:
    """The matrix of (30), or of (31) with one column."""
    return np.block([[M, H], [H.T, np.diag(t)]])


def lem3_2(seed: int) -> Evidence:
    """(31) where (30) just holds: random M, vectors and t on the boundary."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(10):
        R, H = rng.normal(size=(6, 6)), rng.normal(size=(6, 3))
        M = R @ R.T + 0.1 * np.eye(6)
        S = H.T @ solve(M, H)
        t = np.diag(S) * rng.uniform(0.5, 2.0, size=3)
        t *= eigvalsh(S / np.sqrt(np.outer(t, t)))[-1]  # now diag(t) ⪰ S, and no more
        size = float(eigvalsh(bordered(M, H, t))[-1]) * float(np.linalg.cond(M))
        for j in range(3):
            least = float(eigvalsh(bordered(M, H[:, [j]], t[[j]]))[0])
            found.append(at_most(-least, 0.0, n=9, magnitude=size))
    return Evidence(worst(found))


def converse(seed: int) -> Evidence:
    """M = I, a₁ = a₂: (31) holds with t = (1, 1), (30) needs t₁ + t₂ ≥ 4."""
    a = np.array([[1.0, 1.0]])
    small = float(eigvalsh(bordered(np.eye(1), a[:, :1], np.ones(1)))[0])
    large = float(eigvalsh(bordered(np.eye(1), a, np.ones(2)))[0])
    numbers = {"least eigenvalue of (31)": small, "of (30)": large}
    told = about("M = 1, a₁ = a₂ = 1, t₁ = t₂ = 1", numbers)
    # (31) holds to rounding, and (30) fails beyond it.
    return Evidence(
        worst([at_most(-small, 0.0, n=3, magnitude=2.0), at_most(large, -rounding(3, 3.0), n=3)])
        if large < 0
        else Finding(np.inf, 0.0, **told)
    )


def thm3_1(seed: int) -> Evidence:
    """(32) is what it says, not below (29), and its solution satisfies the constraints of (29)."""
    found: list[Finding] = []
    for kind in KINDS:
        found += literal("ye2008-thm3.1", kind, seed)
        at, above = problem("ye2008-thm3.1", kind, seed), optimum("ye2008-thm3.1", kind, seed)
        found.append(not_above(optimum("ye2008-eq29", kind, seed), above, instance=kind))
        M = np.eye(at.n) + np.tensordot(above.variables["theta"], at.G, axes=1) / at.lam
        least = np.sum(at.H * solve(M, at.H), axis=0)
        for t, low in zip(above.variables["t"], least, strict=True):
            loss = low * float(np.linalg.cond(M))
            found.append(at_most(low, t, n=at.n, magnitude=loss, instance=kind))
    return Evidence(worst(found))


def close(seed: int) -> Evidence:
    """(32) against (29): not equal, not near; with k equal classes k/(k - 1) to k times it."""
    printed, corrected = [], []
    for kind in KINDS:
        exact, above = (optimum(f"ye2008-{id}", kind, seed) for id in ("eq29", "thm3.1"))
        told = about(kind, {"(29)": exact.value, "(32)": above.value})
        printed.append(equal(above, exact, **told))
        corrected.append(not_above(exact, above, **told))
    for k in (3, 4):
        data = instance(12, 3, k, kind="random", seed=seed)
        at = Discriminant(data["kernels"], data["y"], data["lam"])
        exact, above = optimum_of("ye2008-eq29-single", at), optimum_of("ye2008-thm3.1", at)
        told = about(f"k = {k} equal classes", {"ratio": above.value / exact.value})
        corrected.append(at_most(k / (k - 1), above.upper / exact.lower, n=at.n, **told))
        corrected.append(at_most(above.lower / exact.upper, k, n=at.n, **told))
    return Evidence(worst(printed), worst(corrected))


def two_classes(seed: int) -> Evidence:
    """(29), (34) and (37) with two classes against n₁n₂ times (8)."""
    found: list[Finding] = []
    for kind in KINDS[:2]:
        at, binary = problem("ye2008-thm2.1", kind, seed), optimum("ye2008-thm2.1", kind, seed)
        n_1, n_2 = (np.sum(at.y == label) for label in at.classes)
        for id in ("ye2008-eq29", "ye2008-thm3.2", "ye2008-thm3.3"):
            many = optimum_of(id, at)
            told = about(f"{id}, {kind}")
            found.append(equal(many, binary, factor=float(n_1 * n_2), **told))
    return Evidence(worst(found))


def two_classes_restricted(seed: int) -> Evidence:
    """(32) with two classes against n₁n₂ times (8), and with the factor it has."""
    printed, corrected = [], []
    for kind in KINDS:
        at, binary = problem("ye2008-thm2.1", kind, seed), optimum("ye2008-thm2.1", kind, seed)
        n_1, n_2 = (int(np.sum(at.y == label)) for label in at.classes)
        above = optimum_of("ye2008-thm3.1", at)
        factor = 1 + 2 * np.sqrt(n_1 * n_2) / at.n
        numbers = {"(32)/(29)": above.value / (n_1 * n_2 * binary.value), "factor": factor}
        told = about(kind, numbers)
        printed.append(equal(above, binary, factor=n_1 * n_2, **told))
        corrected.append(equal(above, binary, factor=factor * n_1 * n_2, **told))
    return Evidence(worst(printed), worst(corrected))


def eq33(seed: int) -> Evidence:
    """F₅* and F₆* over the weights: one is largest where the other is least."""
    printed, corrected = [], []
    for kind in KINDS:
        at, best = problem("ye2008-thm3.2", kind, seed), optimum("ye2008-thm3.2", kind, seed)
        square = float(np.sum(at.H**2))
        F6 = bounds.value(at, best.variables["theta"], binary=False)[0]
        others = [bounds.value(at, w, binary=False)[0] for w in some_weights(at.r, seed)]
        here, least = square - F6, square - max(others)  # F₅* = trace HᵀH - F₆*
        told = about(kind, {"F₅* there": here, "smallest F₅*": least})
        printed.append(at_most(here, least, n=at.n, **told))
        slack = best.width * F6
        corrected += [at_most(square - x, here + slack, n=at.n, **told) for x in others]
    return Evidence(worst(printed), worst(corrected))


def recovery(seed: int) -> Evidence:
    """The multipliers of (34)."""
    return recovered("ye2008-thm3.2", seed)


# fmt: off
CLAIMS = (
    Claim("ye2008-eq24", "Section 3, (24)",
        "hᵢ(j) = √(n/n_j) − √(n_j/n) in class i, −√(n_j/n) otherwise; B_K = φHHᵀφᵀ",
        "points with explicit features; B_K against nΣnᵢ(μᵢ − μ)(μᵢ − μ)ᵀ", eq24, printed="fails",
        correction="nᵢ, the size of class i, for n_j, with j the sample; only then Hᵀe = 0",
        programs=("ye2008-eq29",), code=CODE["ye2008-eq24"]),
    Claim("ye2008-eq23", "Section 3, below (24)",
        "F₄ = trace((Aᵀ(GPG + λG)A)⁻¹AᵀGHHᵀGA) with W = φ(X)A",
        "points with explicit features, random A", eq23),
    Claim("ye2008-eq25-order", "Section 3, above (25)",
        "Σ_b in non-decreasing order, A* the first q columns of Z",
        "F₄ at the first and at the last q columns", eq25_order, printed="fails",
        correction="non-increasing order: the q largest", code=CODE["ye2008-eq25-order"]),
    Claim("ye2008-eq25", "Section 3, (25)", "max F₄ = trace Σ_b = trace((S_t)⁻¹S_b)",
        "as many features as points; F₄ at other A is not above", eq25),
    Claim("ye2008-eq25-singular", "Section 3, below (25)",
        "where S_t is singular the pseudo-inverse does: max F₄ = trace(S_t⁺S_b)",
        "fewer features than points, against the space of the features", eq25_singular),
    Claim("ye2008-lem3.1", "Lemma 3.1", "max F₄ = max F₅ for every kernel, so that K* = K̃*",
        "as many features as points, three and four classes", lem3_1),
    Claim("ye2008-lem3.1-W", "After Lemma 3.1", "W* and W̃* are different in general",
        "the columns of W̃* are not orthogonal in Σ_K + λI, those of W* are", different),
    Claim("ye2008-lem3.1-limit", "After Lemma 3.1 (Ye, 2007)",
        "as λ → 0, multi-class least squares is multi-class discriminant analysis",
        "independent points, λ = 0: W̃*W̃*ᵀ against n W*W*ᵀ", limit),
    Claim("ye2008-sec6-W", "Section 6",
        "(23) and (26) have the same optimal W at a fixed kernel, and may differ if it is learned",
        "W̃* of (26) at a fixed kernel", sec6, printed="fails",
        correction="W differs already at a fixed kernel; its span does not, whether the kernel is "
        "fixed or learned, since K* = K̃* (Lemma 3.1); (26) is the alternative, (23) the original",
        code=CODE["ye2008-sec6-W"]),
    Claim("ye2008-weights", "Section 3.1, above (29)",
        "hᵢ = (n − nᵢ)√(nᵢ/n) a⁽ⁱ⁾: F₅ is the sum of the binary ratios with weights (n − nᵢ)²nᵢ/n",
        "three and two classes", weights),
    Claim("ye2008-decomposition", "Section 1, and section 3.1",
        "the multi-class problem is k binary ones constrained to share a kernel",
        "(34) is not below the weighted sum of k separate (13)", decomposition,
        programs=("ye2008-thm2.2", "ye2008-thm3.2")),
    Claim("ye2008-eq29", "Section 3.1, (29)",
        "min (29) = min over θ ≥ 0, θᵀr = 1 of Σhⱼᵀ(I + ΣθᵢG̃ᵢ/λ)⁻¹hⱼ",
        "the program and its form with one LMI, held against their ends and against other weights",
        eq29, programs=("ye2008-eq29", "ye2008-eq29-single")),
    Claim("ye2008-lem3.2", "Lemma 3.2", "(30) implies (31) for all j",
        "random M, vectors, and t on the boundary of (30)", lem3_2),
    Claim("ye2008-lem3.2-converse", "Section 3.1, above Lemma 3.2",
        "(30) is stronger than (31): the converse fails",
        "M = 1, a₁ = a₂ = 1, t = (1, 1)", converse),
    Claim("ye2008-thm3.1", "Theorem 3.1, (32)",
        "a solution of (32) satisfies the constraints of (29): min (32) ≥ min (29)",
        "the program held against its ends; its t against hⱼᵀM⁻¹hⱼ", thm3_1,
        programs=("ye2008-thm3.1", "ye2008-eq29")),
    Claim("ye2008-thm3.1-close", "After Theorem 3.1, and section 5.2",
        "(32) approximates (29), is close to it: min (32) ≈ min (29)",
        "both programs solved, three classes, their enclosures compared", close, printed="fails",
        correction="an upper bound only; with k equal classes k/(k − 1) to k times (29). "
        "A free symmetric T for diag(t) is exact",
        programs=("ye2008-thm3.1", "ye2008-eq29-single"), code=CODE["ye2008-thm3.1-close"]),
    Claim("ye2008-two", "Section 3, with k = 2",
        "with two classes (29), (34) and (37) are n₁n₂ times (8), (13) and (16)",
        "the multi-class programs on two classes", two_classes,
        programs=("ye2008-eq29", "ye2008-thm3.2", "ye2008-thm3.3", "ye2008-thm2.1")),
    Claim("ye2008-two-restricted", "Section 2.4, last line, with k = 2",
        "the formulations extend naturally: with two classes (32) is n₁n₂ times (8)",
        "(32) on two classes", two_classes_restricted, printed="imprecise",
        correction="1 + 2√(n₁n₂)/n times that: the weights are right, the value is not",
        programs=("ye2008-thm3.1", "ye2008-thm2.1"), code=CODE["ye2008-two-restricted"]),
    Claim("ye2008-eq33", "Section 3.2, after (33)",
        "the kernel minimizing (26) is the minimizer of F₆",
        "F₅* at the optimal weights and at others", eq33, printed="fails",
        correction="the kernel maximizing (26): F₅* + F₆* = trace HᵀH",
        programs=("ye2008-thm3.2",), code=CODE["ye2008-eq33"]),
    Claim("ye2008-thm3.2", "Theorem 3.2, (34)", "max (34) = min (29)",
        "both programs solved, held against their ends, their enclosures compared",
        same("ye2008-eq29", "ye2008-thm3.2"), programs=("ye2008-eq29", "ye2008-thm3.2")),
    Claim("ye2008-thm3.2-recovery", "After Theorem 2.2, for (34)",
        "θ can be obtained directly from the dual variables",
        "(34) given to a solver; its multipliers as weights", recovery, printed="imprecise",
        correction="θᵢ = 4λμᵢ/rᵢ here too", programs=("ye2008-thm3.2",),
        code=CODE["ye2008-thm2.2-recovery"]),
    Claim("ye2008-thm3.3", "Theorem 3.3, (37)", "max (37) = −min (29)",
        "both programs solved, held against their ends, their enclosures compared",
        same("ye2008-eq29", "ye2008-thm3.3"), programs=("ye2008-eq29", "ye2008-thm3.3")),
)

"""Section 3 up to (28): the scatter between many classes; and what section 6 says of it."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, eigvalsh, pinvh

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.ye2008 import Discriminant, bounds
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    at_most,
    identity,
    on_each,
    rounding,
    solved,
    worst,
)
from cvxkernel.validation.ledger.shared import (
    KINDS,
    optimum,
    optimum_of,
    problem,
)
from cvxkernel.validation.ye2008.claims.space import Space, solve, space, three


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
    sizes = ((7, 5, 3), (4, 4, 9), (2, 3, 10, 5))
    return on_each(_eq24(space(of, seed, 4), of) for of in sizes)


def _eq24(s: Space, sizes: tuple[int, ...]) -> Evidence:
    n_j = np.array([np.sum(s.y == label) for label in s.y])[:, None]  # of the sample's class
    inside = s.y[:, None] == np.unique(s.y)
    printed = np.where(inside, np.sqrt(s.n / n_j), 0.0) - np.sqrt(n_j / s.n)
    B = between(s)
    sums = {"largest |Hᵀe|, n_j": np.abs(printed.sum(axis=0)).max()}
    sums["largest |Hᵀe|, nᵢ"] = np.abs(s.H.sum(axis=0)).max()
    size = float(np.abs(s.X).sum(axis=1).max() * np.abs(s.H).max()) ** 2
    told = about(f"classes of {sizes}", sums)
    return Evidence(
        identity(s.X @ printed @ printed.T @ s.X.T, B, n=s.n, magnitude=size, **told),
        worst(
            [
                identity(s.X @ s.H @ s.H.T @ s.X.T, B, n=s.n, magnitude=size),
                identity(
                    1 + s.H.sum(axis=0), np.ones(len(sizes)), n=s.n, magnitude=np.abs(s.H).sum()
                ),
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


def F5(s: Space, A: Array) -> float:
    """(26) at W = φ(X)A."""
    S_t, _ = scatters(s)
    return float(np.sum(np.sum(A * (s.G @ s.H), axis=0) ** 2 / np.sum(A * (S_t @ A), axis=0)))


def eq23(seed: int) -> Evidence:
    """(23) with W and with A, W = φ(X)A."""
    s = full(seed)
    A = np.random.default_rng(seed).normal(size=(s.n, 2))
    W = s.X @ A
    below, above = W.T @ s.ridged @ W, W.T @ between(s) @ W
    return Evidence(solved(np.trace(solve(below, above)), F4(s, A), below, s.ridged))


def null_space(seed: int) -> Evidence:
    """S_b on the null space of S_t, with fewer features than points."""
    found = []
    for s in (three(seed), space((5, 4, 3, 2), seed, 2)):
        S_t, S_b = scatters(s)
        eigenvalues, V = eigh(S_t)  # d of them are not zero
        none = V[:, : -s.d]
        loss = float(np.linalg.norm(S_b) * eigenvalues[-1] / eigenvalues[-s.d])
        told = about(f"n = {s.n}, d = {s.d}", {"its dimension": none.shape[1]})
        found.append(at_most(float(np.abs(S_b @ none).max()), 0.0, n=s.n, magnitude=loss, **told))
    return Evidence(worst(found))


def eq25_order(seed: int) -> Evidence:
    """F₄ at the first q columns of Z, all m entries of Σ_b sorted as printed, and the other way."""
    return on_each(_eq25_order(seed, sizes) for sizes in ((6, 4, 3), (5, 4, 2, 2), (4, 4, 5)))


def _eq25_order(seed: int, sizes: tuple[int, ...]) -> Evidence:
    s, q = space(sizes, seed, 13), len(sizes) - 1  # q = rank(S_b); as many features as points
    S_t, S_b = scatters(s)
    Sigma_b, Z = eigh(S_b, S_t)  # ZᵀS_tZ = I, ZᵀS_bZ = diag(Σ_b), non-decreasing
    best = float(Sigma_b.sum())
    printed, corrected = F4(s, Z[:, :q]), F4(s, Z[:, ::-1][:, :q])
    numbers = {"F₄, non-decreasing": printed, "F₄, non-increasing": corrected, "trace Σ_b": best}
    told = about(f"classes of {sizes}", numbers)
    return Evidence(solved(printed, best, S_t, **told), solved(corrected, best, S_t, **told))


def eq25(seed: int) -> Evidence:
    """trace Σ_b = trace(S_t⁻¹S_b) = trace HᵀH - Σhⱼᵀ(I + G̃/λ)⁻¹hⱼ, and F₄ is never above."""
    s = full(seed)
    S_t, S_b = scatters(s)
    best = float(np.trace(solve(S_t, S_b)))
    value = float(bounds.value(DOUBLES, s.problem, np.array([1.0]), binary=False).mid)
    found = [
        solved(eigh(S_b, S_t, eigvals_only=True).sum(), best, S_t),
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
    """F₅ at A* and at other A against F₄*, for the kernels of several spaces."""
    rng, found = np.random.default_rng(seed), []
    for s in (full(seed), space((5, 4, 2, 2), seed, 13)):
        S_t, S_b = scatters(s)
        best, own = float(np.trace(solve(S_t, S_b))), solve(S_t, s.G @ s.H)
        found.append(solved(F5(s, own), best, S_t))
        for step in rng.normal(size=(6, *own.shape)):
            A = own + 0.1 * np.abs(own).max() * step
            loss = best * float(np.linalg.cond(S_t))
            found.append(at_most(F5(s, A), best, n=s.n, magnitude=loss))
    return Evidence(worst(found))


def optimal_columns(s: Space) -> Array:
    """W̃* = (Σ_K + λI)⁻¹φ(X)H, one column per class, in the metric of Σ_K + λI of length 1."""
    W = solve(s.ridged, s.X @ s.H)
    W /= np.sqrt(np.sum(W * (s.ridged @ W), axis=0))
    return W


def sec6(seed: int) -> Evidence:
    """W̃* of (26) for the W* of (23), whose columns are orthonormal; and (23) at W̃* and W̃*M."""
    return on_each(_sec6(s, seed) for s in (three(seed), space((5, 4, 3, 2), seed, 4), full(seed)))


def _sec6(s: Space, seed: int) -> Evidence:
    # Σⱼ √nⱼ hⱼ = 0: k - 1 columns are all; below, S_t of the features in place of that of A.
    W = optimal_columns(s)[:, :-1]
    M = np.random.default_rng(seed).normal(size=(W.shape[1], W.shape[1]))
    best, corrected = np.trace(solve(s.ridged, between(s))), []
    for V in (W, W @ M):
        below = V.T @ s.ridged @ V
        attained = np.trace(solve(below, V.T @ between(s) @ V))
        corrected.append(solved(attained, best, s.ridged, s.ridged, below))
    gram = W.T @ s.ridged @ W
    return Evidence(solved(gram, np.eye(len(gram)), s.ridged), worst(corrected))


def sec6_kernel(seed: int) -> Evidence:
    """(23) at the W̃* of (26), at the kernel learned, against its maximum over kernels and W."""
    return on_each(_sec6_kernel(kind, seed) for kind in KINDS)


def _sec6_kernel(kind: str, seed: int) -> Evidence:
    at, learned = problem("ye2008-thm3.2", kind, seed), optimum("ye2008-thm3.2", kind, seed)
    X = factor(np.tensordot(learned.variables["theta"], at.G, axes=1))
    ridged, B = X @ X.T + at.lam * np.eye(len(X)), X @ at.H @ at.H.T @ X.T
    W = solve(ridged, X @ at.H)[:, :-1]
    below = W.T @ ridged @ W
    attained = float(np.trace(solve(below, W.T @ B @ W)))
    most = float(np.sum(at.H**2)) - learned.value
    told = about(kind, {"(23) at W̃*": attained, "its maximum": most})
    lost = abs(attained - most) / most
    loss = rounding(at.n, float(np.linalg.cond(ridged) * np.linalg.cond(below)))
    allowed = loss + learned.width * learned.upper / most
    return Evidence(Finding(allowed, lost, **told), Finding(lost, allowed, **told))


def different(seed: int) -> Evidence:
    """Columns of W* are orthogonal in the metric of Σ_K + λI; those of W̃* are not."""
    s = three(seed)
    W = optimal_columns(s)
    gram = W.T @ s.ridged @ W
    off = float(np.abs(gram - np.diag(np.diag(gram))).max())
    # They differ: the largest cosine is above what rounding could make of orthogonal columns.
    told = about("n = 15, three classes", {"largest cosine in W̃*": off})
    return Evidence(Finding(rounding(s.n, 1.0) * float(np.linalg.cond(s.ridged)), off, **told))


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


# fmt: off
CLAIMS = (
    Claim("ye2008-eq24", "Section 3, (24)",
        "hᵢ(j) = √(n/n_j) − √(n_j/n) in class i, −√(n_j/n) otherwise; B_K = φHHᵀφᵀ",
        "points with explicit features; B_K against nΣnᵢ(μᵢ − μ)(μᵢ − μ)ᵀ", eq24,
        printed="fails", erratum="ye2008-eq24",
        quote="the so-called between-class scatter matrix is defined as",
        correction="nᵢ, the size of class i, for n_j, as in the display above (29); only then "
        "Hᵀe = 0, unless all classes have one size",
        programs=("ye2008-eq29",)),
    Claim("ye2008-eq23", "Section 3, below (24)",
        "F₄ = trace((Aᵀ(GPG + λG)A)⁻¹AᵀGHHᵀGA) with W = φ(X)A",
        "points with explicit features, random A", eq23,
        quote="Since the weight vectors are in the span of the images of the data points in the "
        "feature space, we can express"),
    Claim("ye2008-null", "Section 3, above (25) (Ye and Xiong, 2006)",
        "the null space of S_t lies in that of S_b",
        "fewer features than points: S_b on the null space of S_t", null_space,
        quote="lies in the null space of"),
    Claim("ye2008-eq25-order", "Section 3, above (25)",
        "Σ_b in non-decreasing order, A* the first q columns of Z",
        "F₄ at the first q columns against trace Σ_b, all entries of Σ_b in this order and in the "
        "other, in three spaces", eq25_order, printed="imprecise",
        quote="is diagonal with the diagonal entries sorted in non-decreasing order … consists of "
        "the first q columns of Z",
        correction="in non-increasing order: Σ_b is as large as the identity above it, and its "
        "zeros would come first; or Σ_b is read as the q×q block of the other entries, whose order "
        "does not matter"),
    Claim("ye2008-eq25", "Section 3, (25)", "max F₄ = trace Σ_b = trace((S_t)⁻¹S_b)",
        "as many features as points; F₄ at other A is not above", eq25,
        quote="achieved by the optimal … is given by"),
    Claim("ye2008-eq25-singular", "Section 3, below (25)",
        "where S_t is singular the pseudo-inverse does: max F₄ = trace(S_t⁺S_b)",
        "fewer features than points, against the space of the features", eq25_singular,
        quote="We could use the pseudo-inverse to deal with the singular case"),
    Claim("ye2008-lem3.1", "Lemma 3.1", "max F₄ = max F₅ for every kernel, so that K* = K̃*",
        "as many features as points, three and four classes: F₅ at A* and at other A against F₄*",
        lem3_1,
        quote="the optimal kernel function K coincides for"),
    Claim("ye2008-lem3.1-W", "After Lemma 3.1", "in general W* and W̃* are different",
        "the columns of W̃* are not orthogonal in Σ_K + λI, those of W* are", different,
        quote="It is interesting to note that, in general, the optimal … are different"),
    Claim("ye2008-lem3.1-limit", "After Lemma 3.1 (Ye, 2007)",
        "as λ → 0, multi-class least squares is multi-class discriminant analysis under a mild "
        "condition",
        "independent points, λ = 0: W̃*W̃*ᵀ against n W*W*ᵀ", limit,
        quote="multi-class regularized least squares is equivalent to multi-class discriminant "
        "analysis under a mild condition"),
    Claim("ye2008-sec6-W", "Section 6",
        "(23) and (26) result in the same optimal W when a fixed kernel is used",
        "the columns of (26)'s W̃* against those of (23)'s W*, which are orthonormal in Σ_K + λI; "
        "F₄ at W̃*, and at W̃* times any M, against its maximum", sec6, printed="imprecise",
        quote="This results in the same optimal transformation matrix as the original criterion in "
        "Equation (26) when a common (fixed) kernel matrix is used",
        correction="up to W → WM, which (23) does not see: W̃* maximizes (23) too; as matrices they "
        "differ, as the paper says after Lemma 3.1",
        remark="The two numbers are exchanged: (26) is the alternative, (23) the original "
        "criterion."),
    Claim("ye2008-sec6-kernel", "Section 6",
        "where the kernel is optimized too, the optimal W of (23) and of (26) may differ",
        "F₄ at the W̃* of the learned kernel against its maximum over kernels and W", sec6_kernel,
        printed="imprecise",
        quote="However, they may differ when the kernel matrix is also optimized",
        correction="no more than with a fixed kernel, unless several kernels are optimal: "
        "F₄* = F₅* at every kernel (Lemma 3.1), and at one that is optimal W̃* maximizes (23)",
        programs=("ye2008-thm3.2",)),
    Claim("ye2008-weights", "Section 3.1, above (29)",
        "hᵢ = (n − nᵢ)√(nᵢ/n) a⁽ⁱ⁾: F₅ is the sum of the binary ratios with weights (n − nᵢ)²nᵢ/n",
        "three and two classes", weights,
        quote="can be interpreted as the weighted summation of the FDRs"),
    Claim("ye2008-decomposition", "Section 1, and section 3.1",
        "the multi-class problem is k binary ones constrained to share a kernel",
        "(34) is not below the weighted sum of k separate (13)", decomposition,
        quote="can be decomposed into a set of binary-class kernel learning problems that are "
        "constrained to share a common kernel",
        programs=("ye2008-thm2.2", "ye2008-thm3.2")),
)
# fmt: on

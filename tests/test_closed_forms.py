"""Cases whose optimum can be written down: the enclosure holds it.

ye2008 centres its kernels. Kernels built on shared eigenvectors orthogonal to e commute with the
centring, so that everything is diagonal. With Gᵢ = (rᵢ/bᵢ) Σ_{l ∈ Bᵢ} u_l u_lᵀ on disjoint blocks
Bᵢ of bᵢ eigenvectors, Cᵢ = Σⱼ Σ_{l ∈ Bᵢ} (u_lᵀhⱼ)² and the shares wᵢ = θᵢrᵢ,

    value(w) = C_rest + Σᵢ Cᵢ/(1 + wᵢ/(λbᵢ)),   least where λbᵢ + wᵢ ∝ √(Cᵢλbᵢ), if all wᵢ ≥ 0:
    value*   = C_rest + (Σᵢ √(Cᵢλbᵢ))²/(1 + λΣᵢ bᵢ),

and blocks with wᵢ < 0 go to the rest (water-filling). Learned jointly: θ₀ = 0 and (Σᵢ √(Cᵢbᵢ))².
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, kernels
from cvxkernel.validation import instance
from cvxkernel.validation.instances import blobs, random_kernels

FIXED_2 = ["ye2008-thm2.1", "ye2008-thm2.2", "ye2008-thm2.3"]
FIXED_K = ["ye2008-eq29", "ye2008-eq29-single", "ye2008-thm3.2", "ye2008-thm3.3"]
JOINT_2 = ["ye2008-eq41", "ye2008-eq43", "ye2008-eq44"]
JOINT_K = ["ye2008-eq45-single", "ye2008-eq46", "ye2008-eq47"]
FISHER = ("kim2006", "kim2006-epigraph")
MARGIN = ["lanckriet2004-sm1", "lanckriet2004-sm2", "lanckriet2004-sm2c"]

LABELS = {2: np.where(np.arange(14) < 5, 1.0, -1.0), 3: np.arange(14) % 3.0}


def class_vectors(y):
    """a for labels ±1, H otherwise, straight from (3) and (24)."""
    n, columns = len(y), []
    if set(y) == {-1.0, 1.0}:
        return np.where(y > 0, 1 / np.sum(y > 0), -1 / np.sum(y < 0))[:, None]
    for label in np.unique(y):
        n_i = np.sum(y == label)
        columns.append(np.where(y == label, np.sqrt(n / n_i), 0) - np.sqrt(n_i / n))
    return np.stack(columns, axis=1)


# -- One kernel, equal kernels, multiples of each other ----------------------------------------

ONE = {
    "gaussian": kernels.gaussian(blobs(14, 2, seed=2)[0], 3.0),
    "random": random_kernels(14, 1, seed=2)[0],
    "rank three": kernels.linear(blobs(14, 2, d=3, seed=2)[0]),
}
STACKS = {
    "one kernel": lambda K: K[None],
    "three equal kernels": lambda K: np.stack([K, K, K]),
    "multiples": lambda K: np.stack([K, 1e-3 * K, 250.0 * K]),
}


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("kernel", ONE)
@pytest.mark.parametrize("id", FIXED_2 + FIXED_K)
def test_nothing_to_choose_with_lambda_given(id, kernel, stack, optimum, exact, contains):
    y = LABELS[2 if id in FIXED_2 else 3]
    found = optimum(id, {"kernels": STACKS[stack](ONE[kernel]), "y": y, "lam": 0.05})
    value = exact.value(ONE[kernel][None], y, 0.05, [1.0], binary=id in FIXED_2)
    assert contains(found, float(value.mid()))


@pytest.mark.parametrize("lam", [1e-8, 5e-4, 1.0, 1e4])
@pytest.mark.parametrize("id", ["ye2008-thm2.1", "ye2008-thm2.2", "ye2008-thm2.3"])
def test_one_kernel_over_twelve_decades_of_lambda(id, lam, optimum, exact, contains):
    K = ONE["random"][None]
    found = optimum(id, {"kernels": K, "y": LABELS[2], "lam": lam})
    assert contains(found, float(exact.value(K, LABELS[2], lam, [1.0], binary=True).mid()))


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("id", JOINT_2 + JOINT_K)
def test_one_kernel_learned_jointly(id, stack, optimum, contains):
    # One number to choose, the identity's share s: Σ_l c_l²/(s/n + (1 - s)d_l/r) on the complement
    # of e is convex in s, with its least inside (0, 1): a root of the derivative, by bisection.
    y = LABELS[2 if id in JOINT_2 else 3]
    h, n = class_vectors(y), 14
    U = complement(n)
    d = np.r_[1.0, np.full(6, 0.5), np.full(6, 1e-3)]
    K = U * d @ U.T
    c = np.sum((U.T @ h) ** 2, axis=1)
    r = d.sum()

    def slope(s):
        return -np.sum(c * (1 / n - d / r) / (s / n + (1 - s) * d / r) ** 2)

    low, high = 0.0, 1.0
    assert slope(low) < 0 < slope(high)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    expected = float(np.sum(c / (low / n + (1 - low) * d / r)))
    found = optimum(id, {"kernels": STACKS[stack]((K + K.T) / 2), "y": y})
    assert contains(found, expected)


@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_multiples_of_one_kernel_by_the_margin(factor, optimum, meet):
    # μ₁K + μ₂·fK = (c/r)K whatever μ is: the problem of the one kernel (1 + f)K.
    K, y = ONE["random"], np.where(np.arange(14) % 2 > 0, 1.0, -1.0)
    for id in MARGIN:
        data = {"y": y, "C": 0.7}
        two = optimum(id, {**data, "kernels": np.stack([K, factor * K])})
        one = optimum(id, {**data, "kernels": ((1 + factor) * K)[None]})
        assert meet(two, one)


def test_multiples_of_one_kernel_by_kims_ratio(optimum, meet, contains):
    # F₁*(sK) = dᵀ(S⁺ + S⁻ + (λ/s)I)⁻¹d grows with s: all weight on the largest.
    X, y = blobs(14, 2, d=3, seed=2)
    K, lam = kernels.linear(X), 0.4
    d = X[y == 2].mean(axis=0) - X[y == 1].mean(axis=0)
    within = np.cov(X[y == 2].T, bias=True) + np.cov(X[y == 1].T, bias=True)
    for stack, s in (([K], 1.0), ([K, K], 1.0), ([K, 7.0 * K, 0.1 * K], 7.0)):
        expected = float(d @ np.linalg.solve(within + lam / s * np.eye(3), d))
        for id in FISHER:
            found = optimum(id, {"kernels": np.stack(stack), "y": y, "lam": lam})
            assert contains(found, expected)


def test_kims_ratio_where_nothing_varies_within_the_classes(optimum, contains):
    # K = zzᵀ with z constant on each class: JK = 0 and F₁* = aᵀKa/λ = (z₊ - z₋)²/λ.
    y = LABELS[2]
    z = np.where(y > 0, 2.0, -1.0)
    for id in FISHER:
        found = optimum(id, {"kernels": np.outer(z, z)[None], "y": y, "lam": 0.2})
        assert contains(found, 9.0 / 0.2)


# -- Kernels diagonal in a common basis: ye2008 --------------------------------------------------


def complement(n, seed=0):
    """An orthonormal basis of the complement of e."""
    A = np.random.default_rng(seed).normal(size=(n, n))
    A[:, 0] = 1.0
    return np.linalg.qr(A)[0][:, 1:]


def blocks(U, sizes, scales):
    """Gᵢ = scaleᵢ Σ_{l ∈ Bᵢ} u_l u_lᵀ on consecutive blocks."""
    parts = [U[:, i:j] for i, j in pairwise(np.cumsum([0, *sizes]))]
    return np.stack([s * V @ V.T for s, V in zip(scales, parts, strict=True)]), parts


def water_filling(C, b, lam, rest):
    """The least of rest + Σᵢ Cᵢ/(1 + wᵢ/(λbᵢ)) on the simplex."""
    active = list(range(len(C)))
    while True:
        root = sum(np.sqrt(C[i] * lam * b[i]) for i in active)
        level = (1 + lam * sum(b[i] for i in active)) / root
        w = {i: np.sqrt(C[i] * lam * b[i]) * level - lam * b[i] for i in active}
        worst = min(w, key=w.get)
        if w[worst] >= 0:
            unused = sum(C[i] for i in range(len(C)) if i not in active)
            return rest + unused + root / level
        active.remove(worst)


@pytest.mark.parametrize("sizes", [(3, 4, 6), (2, 5, 1)], ids=["covering", "leaving a rest"])
@pytest.mark.parametrize("lam", [5e-4, 0.05, 2.0])
@pytest.mark.parametrize("id", FIXED_2 + FIXED_K)
def test_blocks_of_eigenvectors_with_lambda_given(id, lam, sizes, optimum, contains):
    y = LABELS[2 if id in FIXED_2 else 3]
    h, U = class_vectors(y), complement(14)
    K, parts = blocks(U, sizes, [1.0, 30.0, 0.02])
    C = [float(np.sum((V.T @ h) ** 2)) for V in parts]
    expected = water_filling(C, sizes, lam, float(np.sum(h**2)) - sum(C))
    assert contains(optimum(id, {"kernels": K, "y": y, "lam": lam}), expected)


def test_water_filling_leaves_kernels_out_where_lambda_is_large():
    # The test above reaches both regimes.
    h, U = class_vectors(LABELS[2]), complement(14)
    _, parts = blocks(U, (3, 4, 6), [1.0] * 3)
    C = np.array([float(np.sum((V.T @ h) ** 2)) for V in parts])
    b = np.array([3, 4, 6])
    for lam, everyone in ((5e-4, True), (2.0, False)):
        w = np.sqrt(C * lam * b) * (1 + lam * b.sum()) / np.sqrt(C * lam * b).sum() - lam * b
        assert bool((w >= 0).all()) is everyone


@pytest.mark.parametrize("id", JOINT_2 + JOINT_K)
def test_blocks_of_eigenvectors_learned_jointly(id, optimum, contains):
    # Σbᵢ = n - 1 < n: the identity is worth less than the blocks, so θ₀ = 0.
    y = LABELS[2 if id in JOINT_2 else 3]
    h, U = class_vectors(y), complement(14)
    K, parts = blocks(U, (3, 4, 6), [1.0, 30.0, 0.02])
    C = np.array([float(np.sum((V.T @ h) ** 2)) for V in parts])
    expected = float(np.sum(np.sqrt(C * np.array([3, 4, 6]))) ** 2)
    assert contains(optimum(id, {"kernels": K, "y": y}), expected)


@pytest.mark.parametrize("id", JOINT_2)
def test_a_singular_optimum_learned_jointly(id, optimum, contains):
    # The class vector lies in the span of two small blocks: at the optimum θ₀ = 0, M is singular.
    y = LABELS[2]
    a = class_vectors(y)[:, 0]
    U = complement(14, seed=1)
    # rotate the basis so that a = 3u₁ + 4u₂, up to its length
    u = np.linalg.qr(np.column_stack([np.ones(14), a, U]))[0][:, 1:14]
    unit = a / np.linalg.norm(a)
    v = u[:, 1]
    u_1, u_2 = 0.6 * unit + 0.8 * v, 0.8 * unit - 0.6 * v
    K = np.stack([np.outer(u_1, u_1), np.outer(u_2, u_2)])
    # C = ‖a‖²(0.36, 0.64), b = 1: (Σ√C)²
    expected = float(a @ a) * (0.6 + 0.8) ** 2
    assert contains(optimum(id, {"kernels": K, "y": y}), expected)


# -- Two classes through the multi-class programs ----------------------------------------------


@pytest.mark.parametrize("kind", ["gaussian", "random"])
def test_two_classes_scale_by_known_factors(kind, optimum, meet):
    # h₁ = n₋√(n₊/n) a and h₂ = -n₊√(n₋/n) a up to order, so that HᵀM⁻¹H = s vvᵀ has rank one:
    # Σtⱼ of (29) is s‖v‖² = s n₊n₋, and the restricted programs need diag(t) ⪰ s vvᵀ: s(Σ|vⱼ|)².
    y = np.where(np.arange(12) < 4, 1.0, -1.0)
    data = {**instance(12, 3, 2, kind=kind), "y": y}
    exact_factor = 4.0 * 8.0
    restricted = (8 * np.sqrt(4 / 12) + 4 * np.sqrt(8 / 12)) ** 2
    one = optimum("ye2008-thm2.1", data)
    for id in FIXED_K:
        assert meet(optimum(id, data), one, exact_factor), id
    assert meet(optimum("ye2008-thm3.1", data), one, restricted)
    joint = optimum("ye2008-eq41", data)
    for id in JOINT_K:
        assert meet(optimum(id, data), joint, exact_factor), id
    assert meet(optimum("ye2008-eq45", data), joint, restricted)


# -- Diagonal kernels: lanckriet2004 --------------------------------------------------------------


def test_one_diagonal_kernel_by_the_margin(optimum, contains):
    # αⱼ = (1 - byⱼ)/dⱼ with b = T/S, S = Σ1/dⱼ, T = Σyⱼ/dⱼ; the value is S - T²/S. sm2 has d + 1/C.
    rng = np.random.default_rng(0)
    d, y = rng.uniform(0.5, 3.0, size=10), np.where(np.arange(10) < 3, 1.0, -1.0)

    def value(d):
        S, T = np.sum(1 / d), np.sum(y / d)
        return S - T**2 / S

    data = {"kernels": np.diag(d)[None], "y": y}
    assert contains(optimum("lanckriet2004-sm1", {**data, "C": 10.0}), value(d))
    for C in (1e-3, 0.3, 1e3):
        assert contains(optimum("lanckriet2004-sm2", {**data, "C": C}), value(d + 1 / C))


def test_the_box_of_sm1_binds(optimum, contains):
    # K = I, balanced classes: max n(2x - x²) over 0 ≤ x ≤ C.
    y = np.where(np.arange(10) % 2 > 0, 1.0, -1.0)
    for C in (1e-3, 0.25, 1.0, 1e3):
        x = min(C, 1.0)
        found = optimum("lanckriet2004-sm1", {"kernels": np.eye(10)[None], "y": y, "C": C})
        assert contains(found, 10 * (2 * x - x * x))


def test_diagonal_kernels_on_separate_points(optimum, contains):
    # Pairs of equal dⱼ with opposite labels make αᵀy = 0 free, and the program separates:
    # min Σᵢ Sᵢ/μᵢ over μᵀr = c is (Σᵢ √(Sᵢrᵢ))²/c, Sᵢ = Σ 1/dⱼ and rᵢ = Σ dⱼ on the points of Kᵢ.
    d = np.repeat([0.5, 2.0, 3.0, 1.0, 0.2, 5.0], 2)
    y = np.where(np.arange(12) % 2 > 0, 1.0, -1.0)
    where = [slice(0, 4), slice(4, 10), slice(10, 12)]
    K = np.zeros((3, 12, 12))
    for i, part in enumerate(where):
        K[i, range(*part.indices(12)), range(*part.indices(12))] = d[part]
    S = np.array([np.sum(1 / d[part]) for part in where])
    r = np.array([np.sum(d[part]) for part in where])
    expected = float(np.sum(np.sqrt(S * r)) ** 2 / r.sum())
    assert contains(optimum("lanckriet2004-sm1", {"kernels": K, "y": y, "C": 1e3}), expected)


def test_identities_on_separate_points(optimum, contains):
    # Kᵢ = sᵢI on bᵢ points, balanced: all α equal, c = Σsᵢbᵢ. sm2: n²/(c + n/C). sm2c: n²/(c + n).
    y = np.where(np.arange(12) % 2 > 0, 1.0, -1.0)
    K = np.zeros((2, 12, 12))
    K[0, range(4), range(4)] = 0.5
    K[1, range(4, 12), range(4, 12)] = 3.0
    c = 0.5 * 4 + 3.0 * 8
    data = {"kernels": K, "y": y}
    assert contains(optimum("lanckriet2004-sm1", {**data, "C": 10.0}), 144 / c)
    assert contains(optimum("lanckriet2004-sm2", {**data, "C": 0.3}), 144 / (c + 12 / 0.3))
    assert contains(optimum("lanckriet2004-sm2c", data), 144 / (c + 12))


def test_constant_kernels(optimum, contains):
    # αᵀy = 0 makes αᵀG(K)α zero: α = C in sm1 and sm2, and sm2c has the identity alone.
    K, y, C = np.ones((2, 12, 12)) * [[[3.0]], [[1.0]]], np.where(np.arange(12) % 2, 1.0, -1.0), 0.5
    data = {"kernels": K, "y": y}
    assert contains(optimum("lanckriet2004-sm1", {**data, "C": C}), 2 * 12 * C)
    assert contains(optimum("lanckriet2004-sm2", {**data, "C": C}), 12 * C)
    assert contains(optimum("lanckriet2004-sm2c", data), 12 / 5)


def test_every_formulation_has_a_closed_form_here():
    covered = {*FIXED_2, *FIXED_K, *JOINT_2, *JOINT_K, *MARGIN, *FISHER}
    stacked = ("ye2008", "kim2006", "lanckriet2004")
    every = {id for id, form in CATALOGUE.items() if form.paper in stacked}
    assert covered | {"ye2008-thm3.1", "ye2008-eq45"} == every

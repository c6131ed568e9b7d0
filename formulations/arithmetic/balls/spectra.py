r"""Eigenvectors to the working precision, believed in nothing: smallest eigenvalues, kernels.

A kernel K as it came, (K + Kᵀ)/2 exactly, stands for K₊ (`formulations.semidefinite`). It is K
where K ⪰ 0 is proved. Else K₊ is enclosed through its eigenvectors: for any P, N ⪰ 0 and
R = K - P + N,

    ‖P - K₊‖_F ≤ ‖R‖_F + √⟨P, N⟩

since K ↦ K₊ is nonexpansive, and with X = P - N the angle of the projection, ⟨X - X₊, Z - X₊⟩ ≤ 0
for all Z ⪰ 0, says at Z = P that ‖P - X₊‖² ≤ ⟨N, P - X₊⟩ ≤ ⟨N, P⟩. With P = V₊D₊V₊ᵀ, N = V₋D₋V₋ᵀ
the last is Σ dᵢ|dⱼ|(vᵢᵀvⱼ)², of second order in what the eigenvectors are off.
"""

from __future__ import annotations

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.arithmetic.balls.matrices import (
    doubles,
    identity,
    in_doubles,
    inner,
    lambda_min,
    largest,
    matrix,
    norm,
    ones,
    precision,
    symmetric,
    total,
)
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array

GUARD = 64  # bits more than asked for, on the way
APART = 2.0**20  # times what couples them: two eigenvalues further apart are told from one another
PASSES = 40  # of the refinement, at most: each doubles the digits or opens a cluster


def sharp_lambda_min(A: arb_mat) -> arb:
    """λ_min(A) from below, to the working precision, by eigenvectors V believed in nothing.

    With B = VᵀAV, every zᵀBz ≥ (minᵢ Bᵢᵢ - ‖off the diagonal‖_F)‖z‖², and ‖Vz‖² is within ω‖z‖² of
    ‖z‖², ω = ‖VᵀV - I‖_F; V is square, so that Vz is every vector where ω < 1.
    """
    n = A.nrows()
    with precision(ctx.prec + GUARD):
        V = eigenvectors(A.mid())[1]
        omega = norm(V.transpose() * V - identity(n))
        B = symmetric(V.transpose() * A * V)
        D = [B[i, i] for i in range(n)]
        off = B - arb_mat(n, n, [D[i] if i == j else 0 for i in range(n) for j in range(n)])
        least = (-largest([-x for x in D]) - norm(off)).lower()
        if not omega < 1:
            return arb.neg_inf()
        made = least / (1 + omega if least > 0 else 1 - omega)
    return made.lower() if made.is_finite() else arb.neg_inf()


# -- Kernels as problems hold them ----------------------------------------------------------------


def kernel(K: Array) -> arb_mat:
    """K₊ of a matrix that a problem holds, at the working precision."""
    return kernels(K)[0]


def kernels(K: Array) -> list[arb_mat]:
    """K₁₊, …, Kₚ₊ of a stack that a problem holds, at the working precision."""
    known = semidefinite.held(K)
    made = _made(K)
    if ctx.prec not in made:
        stack = (K if known is None else known.came).reshape(-1, *K.shape[-2:])
        made[ctx.prec] = [positive_part(symmetric(matrix(came))) for came in stack]
    return made[ctx.prec]


@per_array
def _made(K: Array) -> dict[int, list[arb_mat]]:
    """What has been enclosed, by precision."""
    return {}


def positive_part(K: arb_mat) -> arb_mat:
    """A ball matrix that holds K₊, K symmetric."""
    if lambda_min(K) >= 0:
        return K
    with precision(ctx.prec + GUARD):
        d, V = eigenvectors(K)
        plus = [i for i, x in enumerate(d) if x > 0]
        minus = [i for i, x in enumerate(d) if x < 0]
        P, N = (_composed([abs(d[i]) for i in part], _columns(V, part)) for part in (plus, minus))
        off = norm(K - P + N) + _overlap(d, V, plus, minus)
        n = K.nrows()
        return symmetric(P) + arb_mat(n, n, [arb(0, off.upper())] * n**2)


def eigenvectors(K: arb_mat) -> tuple[list[arb], arb_mat]:
    """Eigenvalues and eigenvectors near those of K, as exact numbers: no proof rests on them.

    From doubles, by Newton's step: with B = VᵀKV, V orthonormal, V(I + X), Xᵢⱼ = Bᵢⱼ/(bⱼ - bᵢ), has
    the square of the error, for eigenvalues that Bᵢⱼ leaves apart. Those that it does not form
    clusters: there B less its mean is diagonalized in doubles, and the next pass goes on.
    """
    n = K.nrows()
    V = matrix(np.linalg.eigh(doubles(in_doubles(K)[0]))[1])
    target = float(norm(K).mid()) * 2.0 ** (GUARD // 2 - ctx.prec)
    for _ in range(PASSES):
        V = orthonormal(V)
        B = symmetric(V.transpose() * K * V).mid()
        sizes = np.abs(doubles(B))
        np.fill_diagonal(sizes, 0.0)
        if not float(sizes.max(initial=0.0)) > target:
            break
        V = (V * _step(B, sizes, target)).mid()
    return [B[i, i] for i in range(n)], V


def orthonormal(V: arb_mat) -> arb_mat:
    """V(3I - VᵀV)/2, as often as it takes: the nearest orthonormal matrix, radii dropped."""
    eye = identity(V.nrows())
    for _ in range(60):
        defect = (eye - V.transpose() * V).mid()
        V = (V + V * defect / 2).mid()
        if float(norm(defect).mid()) < 2.0 ** (GUARD // 4 - ctx.prec // 2):
            break  # the next defect is its square
    return V


def _step(B: arb_mat, sizes: Array, target: float) -> arb_mat:
    """I + X, times the rotations inside the clusters."""
    n = len(sizes)
    step, coupled = identity(n), np.argwhere(sizes > target / n).tolist()
    gaps = {(i, j): B[j, j] - B[i, i] for i, j in coupled}
    close = np.zeros((n, n), dtype=bool)
    for (i, j), gap in gaps.items():
        close[i, j] = not abs(gap) > APART * sizes[i, j]
    label, clusters = _clusters(close)
    for (i, j), gap in gaps.items():
        if label[i] != label[j]:
            step[i, j] = B[i, j] / gap
    if not clusters:
        return step
    W = identity(n)
    for cluster in clusters:
        for i, row in zip(cluster, _rotation(B, cluster).tolist(), strict=True):
            for j, x in zip(cluster, row, strict=True):
                W[i, j] = arb(x)
    return (step * W).mid()


def _clusters(close: NDArray[np.bool_]) -> tuple[NDArray[np.int32], list[list[int]]]:
    """The connected parts: the label of each index, and those of two indices or more."""
    count, label = connected_components(close, directed=False)
    parts = [np.flatnonzero(label == c).tolist() for c in range(count)]
    return label, [part for part in parts if len(part) > 1]


def _rotation(B: arb_mat, index: list[int]) -> Array:
    """The eigenvectors of a block of B less its mean, in units of its size."""
    mean = total(B[i, i] for i in index) / len(index)
    block = arb_mat([[B[i, j] - mean * int(i == j) for j in index] for i in index])
    size = norm(block)
    if not size > 0:
        return np.eye(len(index))
    W: Array = np.linalg.eigh(doubles(block / size))[1]
    return W


def _columns(V: arb_mat, index: list[int]) -> arb_mat:
    rows = V.tolist()
    return arb_mat(len(rows), len(index), [row[i] for row in rows for i in index])


def _composed(d: list[arb], V: arb_mat) -> arb_mat:
    """V diag(d) Vᵀ"""
    n, m = V.nrows(), V.ncols()
    scaled = arb_mat(n, m, [x * s for row in V.tolist() for x, s in zip(row, d, strict=True)])
    return scaled * V.transpose() if m else arb_mat(n, n)


def _overlap(d: list[arb], V: arb_mat, plus: list[int], minus: list[int]) -> arb:
    """√⟨P, N⟩ = √Σᵢⱼ dᵢ|dⱼ|(vᵢᵀvⱼ)²"""
    if not plus or not minus:
        return arb(0)
    inner = _columns(V, plus).transpose() * _columns(V, minus)
    terms = (
        d[i] * -d[j] * x * x
        for i, row in zip(plus, inner.tolist(), strict=True)
        for j, x in zip(minus, row, strict=True)
    )
    return total(terms).nonnegative_part().sqrt()


def centred(K: arb_mat) -> arb_mat:
    """PKP = K - meᵀ - e(m - c·e)ᵀ with the means m of the rows, c of all entries."""
    n = K.nrows()
    e = ones(n)
    means = K * e / n
    return K - means * e.transpose() - e * (means - e * (inner(e, means) / n)).transpose()

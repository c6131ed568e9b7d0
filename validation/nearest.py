r"""The kernels that problems stand for, in balls: the nearest positive semidefinite matrices.

A kernel K as it came, (K + Kᵀ)/2 exactly, stands for K₊ (`formulations.semidefinite`). It is K
where K ⪰ 0 is proved. Else K₊ is enclosed through its eigenvectors, computed to the working
precision and believed in nothing: for any P, N ⪰ 0 and R = K - P + N,

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
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array
from cvxkernel.validation import balls
from cvxkernel.validation.balls import matrix, norm, symmetric

GUARD = 64  # bits more than asked for, on the way
APART = 2.0**20  # times what couples them: two eigenvalues further apart are told from one another
PASSES = 40  # of the refinement, at most: each doubles the digits or opens a cluster


def kernel(K: Array) -> arb_mat:
    """K₊ of a matrix that a problem holds, at the working precision."""
    made = _made(K)
    if ctx.prec not in made:
        known = semidefinite.held(K)
        stack = (K if known is None else known.came).reshape(-1, *K.shape[-2:])
        made[ctx.prec] = [enclosed(symmetric(matrix(came))) for came in stack]
    return made[ctx.prec][0]


def kernels(K: Array) -> list[arb_mat]:
    """K₁₊, …, Kₚ₊ of a stack that a problem holds, at the working precision."""
    kernel(K)
    return _made(K)[ctx.prec]


@per_array
def _made(K: Array) -> dict[int, list[arb_mat]]:
    """What has been enclosed, by precision."""
    return {}


def enclosed(K: arb_mat) -> arb_mat:
    """A ball matrix that holds K₊, K symmetric."""
    if balls.lambda_min(K) >= 0:
        return K
    with balls.precision(ctx.prec + GUARD):
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
    V = matrix(np.linalg.eigh(balls.doubles(K))[1])
    target = float(norm(K).mid()) * 2.0 ** (GUARD // 2 - ctx.prec)
    for _ in range(PASSES):
        V = orthonormal(V)
        B = symmetric(V.transpose() * K * V).mid()
        sizes = np.abs(balls.doubles(B))
        np.fill_diagonal(sizes, 0.0)
        if not float(sizes.max(initial=0.0)) > target:
            break
        V = (V * _step(B, sizes, target)).mid()
    return [B[i, i] for i in range(n)], V


def orthonormal(V: arb_mat) -> arb_mat:
    """V(3I - VᵀV)/2, as often as it takes: the nearest orthonormal matrix, radii dropped."""
    eye = balls.identity(V.nrows())
    for _ in range(60):
        defect = (eye - V.transpose() * V).mid()
        V = (V + V * defect / 2).mid()
        if float(norm(defect).mid()) < 2.0 ** (GUARD // 4 - ctx.prec // 2):
            break  # the next defect is its square
    return V


def _step(B: arb_mat, sizes: Array, target: float) -> arb_mat:
    """I + X, times the rotations inside the clusters."""
    n = len(sizes)
    step, coupled = balls.identity(n), np.argwhere(sizes > target / n).tolist()
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
    W = balls.identity(n)
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
    mean = balls.total(B[i, i] for i in index) / len(index)
    block = arb_mat([[B[i, j] - mean * int(i == j) for j in index] for i in index])
    size = norm(block)
    if not size > 0:
        return np.eye(len(index))
    W: Array = np.linalg.eigh(balls.doubles(block / size))[1]
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
    return balls.total(terms).nonnegative_part().sqrt()

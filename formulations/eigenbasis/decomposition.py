r"""Eigendecompositions of symmetric matrices in as many bits as asked for, and what they prove.

`orthonormal(A)` is nearly an eigenbasis: LAPACK's in doubles, refined by the iteration of Ogita and
Aishima (2018), X ← X + XE with

    Eᵢⱼ = (Sᵢⱼ - λⱼRᵢⱼ)/(λⱼ - λᵢ),  S = XᵀAX,  R = XᵀX,  λᵢ = Sᵢᵢ/Rᵢᵢ;  in clusters ½(I - R)ᵢⱼ

and, inside a cluster J of eigenvalues that doubles cannot tell apart, by the same for XⱼᵀAXⱼ - cI.
Nothing rests on how it was found. With ‖XᵀX - I‖_F ≤ ω ≤ 0.1 and Q the orthonormal matrix nearest
to X, ‖Q - X‖₂ ≤ ω and QᵀAQ = D + F, ‖F‖₂ ≤ φ = ‖XᵀAX - D‖_F + 3ω‖A‖_F. Then

    |λᵢ - Dᵢ| ≤ φ                                                     (Weyl)
    ‖sin Θ‖₂ ≤ φ/g                                                    (Davis and Kahan)

for the angles Θ between the columns J of Q and the invariant subspace of the λᵢ, i ∈ J, where g is
the distance of those Dᵢ from the other eigenvalues. An orthonormal basis of it lies within
√2·φ/g + ω of the columns J of X.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx

from cvxkernel.formulations.inputs import Array

APART = 1e-5  # of the size of a matrix: eigenvalues nearer than this are refined together
STEPS = 12
SPARE = 24  # bits that rounding may take


def exact(A: Array) -> arb_mat:
    """Doubles as exact balls."""
    return arb_mat(A.tolist())


def doubles(A: arb_mat) -> Array:
    """The midpoints, rounded to nearest."""
    return np.array([float(x.mid()) for x in A.entries()]).reshape(A.nrows(), A.ncols())


def size(A: arb_mat) -> arb:
    """‖A‖_F"""
    return sum((x * x for x in A.entries()), arb(0)).nonnegative_part().sqrt()


def columns(X: arb_mat, J: list[int]) -> arb_mat:
    """X with the columns J alone."""
    turned = X.transpose().tolist()
    return arb_mat([turned[j] for j in J]).transpose()


def orthonormal(A: arb_mat, floor: arb | None = None) -> arb_mat:
    """X with XᵀAX nearly diagonal, in increasing order but for what is below `floor`."""
    n = A.nrows()
    scale = size(A).mid()
    floor = scale * arb(2) ** (SPARE - ctx.prec) if floor is None else floor
    if n == 1 or not scale > floor:
        return arb_mat([[arb(i == j) for j in range(n)] for i in range(n)])
    unit = (A / scale).mid()
    lam, U = np.linalg.eigh(doubles(unit))
    groups = split(lam.tolist(), APART)
    group = {j: g for g, J in enumerate(groups) for j in J}
    X, before = exact(U), 1.0
    for _ in range(STEPS):
        X, moved = _refined(unit, X, group)
        if moved < 2.0 ** (SPARE - ctx.prec) or moved > before / 2:
            break
        before = moved
    turned = X.transpose().tolist()
    for J in groups:
        if len(J) > 1:
            part = _resolved(A, arb_mat([turned[j] for j in J]).transpose(), floor)
            turned[J[0] : J[-1] + 1] = part.transpose().tolist()
    return arb_mat(turned).transpose()


def split(values: list[float], apart: float) -> list[list[int]]:
    """Indices of increasing values in runs that are more than `apart` from each other."""
    runs = [[0]]
    for j in range(1, len(values)):
        if values[j] - values[j - 1] > apart:
            runs.append([])
        runs[-1].append(j)
    return runs


def _refined(A: arb_mat, X: arb_mat, group: dict[int, int]) -> tuple[arb_mat, float]:
    """One step, and its largest entry."""
    T = X.transpose()
    R, S = (T * X).mid().tolist(), (T * (A * X)).mid().tolist()
    n = len(R)
    lam = [S[i][i] / R[i][i] for i in range(n)]
    rows, moved = [], 0.0
    for i in range(n):
        row = []
        for j in range(n):
            if group[i] != group[j]:
                e = ((S[i][j] - lam[j] * R[i][j]) / (lam[j] - lam[i])).mid()
            else:
                e = ((int(i == j) - R[i][j]) / 2).mid()
            moved = max(moved, abs(float(e)))
            row.append(e)
        rows.append(row)
    return (X + X * arb_mat(rows)).mid(), moved


def _resolved(A: arb_mat, X: arb_mat, floor: arb) -> arb_mat:
    """The columns of a cluster, turned so that XᵀAX is diagonal as far as it is above `floor`."""
    k = X.ncols()
    B = X.transpose() * (A * X)
    B = ((B + B.transpose()) / 2).mid()
    c = (B.trace() / k).mid()
    shifted = arb_mat([[x - c if i == j else x for j, x in enumerate(row)]
                       for i, row in enumerate(B.tolist())])  # fmt: skip
    return (X * orthonormal(shifted.mid(), floor)).mid()


class Proved(NamedTuple):
    """X, its D in increasing order, and the numbers φ and ω of the theorem."""

    X: arb_mat
    D: list[arb]
    phi: arb
    omega: arb

    def apart(self, J: list[int]) -> arb:
        """g: how far the eigenvalues of J (a run) are from the others, at least."""
        gaps = [self.D[J[0]] - self.D[J[0] - 1]] if J[0] else []
        gaps += [self.D[J[-1] + 1] - self.D[J[-1]]] if J[-1] + 1 < len(self.D) else []
        return (min(gaps, key=float) - self.phi).lower() if gaps else arb.pos_inf()

    def near(self, J: list[int]) -> arb:
        """How far the columns J may be from an orthonormal basis of their invariant subspace."""
        g = self.apart(J)
        if not g > 0:
            return arb.pos_inf()
        turned = self.phi / g * arb(2).sqrt() if g.is_finite() else arb(0)
        return (turned + self.omega).upper()

    def runs(self, bits: int) -> list[list[int]]:
        """Runs of eigenvalues, each proved apart from the others by 2ᵇⁱᵗˢφ."""
        runs = [[0]]
        for j in range(1, len(self.D)):
            if self.D[j] - self.D[j - 1] > self.phi * arb(2) ** bits:
                runs.append([])
            runs[-1].append(j)
        return runs


def proved(A: arb_mat, X: arb_mat, more: arb | int = 0) -> Proved:
    """What X shows of A, or of any matrix within `more` of it in the spectral norm."""
    n = A.nrows()
    G = X.transpose() * (A * X)
    order = sorted(range(n), key=lambda i: float(G[i, i].mid()))
    D = [G[i, i].mid() for i in order]
    if any(D[i + 1] < D[i] for i in range(n - 1)):  # nearer than doubles can tell
        order = _sorted(order, [G[i, i].mid() for i in range(n)])
        D = [G[i, i].mid() for i in order]
    off = arb_mat([[G[i, j] - (D_i if i == j else 0) for j in range(n)]
                   for i, D_i in ((i, G[i, i].mid()) for i in range(n))])  # fmt: skip
    R = X.transpose() * X - arb_mat([[int(i == j) for j in range(n)] for i in range(n)])
    omega = size(R).upper()
    if not omega < 0.1:
        return Proved(columns(X, order), D, arb.pos_inf(), omega)
    phi = (size(off) + 3 * omega * size(A) + 2 * arb(more)).upper()
    return Proved(columns(X, order), D, phi, omega)


def _sorted(order: list[int], D: list[arb]) -> list[int]:
    """Exact order of midpoints, by insertion into one that is nearly right."""
    out: list[int] = []
    for i in order:
        at = len(out)
        while at and D[i] < D[out[at - 1]]:
            at -= 1
        out.insert(at, i)
    return out

r"""Which basis, where eigenvalues repeat: one that follows the samples when they are permuted.

Let B be an orthonormal basis of an eigenspace and T a symmetric matrix that follows the samples
(ΠTΠᵀ for the data permuted by Π): diag(y), diag(P) of the projector P = BBᵀ, diag(Py), diag(Sy),
S∘S, S∘yyᵀ, the other similarities. Then so do the B·t for the eigenvectors t of BᵀTB, up to their
signs, wherever they are simple; where they are not, the next T is asked. What no T separates is,
as a rule, a symmetry of the data, of which no function of the data can choose a side: then the
vectors are chosen sample by sample, the largest Peᵢ first, and ties go to the sample that comes
first. Under a symmetry all such choices have the same optimum, which is not proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.eigenbasis.decomposition import (
    columns,
    exact,
    orthonormal,
    proved,
)
from cvxkernel.formulations.inputs import Array

TOLD_APART = 40  # bits beyond what is proved


class Part(NamedTuple):
    """Columns within `near` of an orthonormal basis of a subspace that follows the samples."""

    X: arb_mat
    near: arb


class Breaker(NamedTuple):
    """T: a diagonal or a matrix, ‖T‖₂ ≤ norm, off by at most blur times that of the columns."""

    T: list[arb] | arb_mat
    norm: float
    blur: float = 0.0


def chosen(S: Array, y: Array, others: list[Array], whole: Part) -> list[Part]:
    """A repeated eigenspace in parts, of one column each wherever some T could tell them."""
    parts = [whole]
    for number in range(_COUNT + len(others)):
        parts = [p for part in parts for p in _divided(S, y, others, part, number)]
    return parts


_COUNT = 8


def _breaker(S: Array, y: Array, others: list[Array], X: arb_mat, number: int) -> Breaker:
    n = len(y)
    A = exact(S / _size(S))
    if number in (1, 2):  # of the projector
        rows = X.tolist()
        if number == 1:
            return Breaker([sum((x * x for x in row), arb(0)) for row in rows], 1.0, 2.1)
        image = X * (X.transpose() * exact(y[:, None]))
        return Breaker([x / n for x in image.entries()], 1.0, 2.1)
    if number == 0:
        return Breaker([arb(v) for v in y], 1.0)
    if number == 3:
        return Breaker([A[i, i] for i in range(n)], 1.0)
    if number in (4, 5):
        image = A * exact((y if number == 4 else np.ones(n))[:, None])
        return Breaker([x / n for x in image.entries()], 1.0)
    if number in (6, 7):
        entries = [[A[i, j] * (A[i, j] if number == 6 else int(y[i] * y[j])) for j in range(n)]
                   for i in range(n)]  # fmt: skip
        return Breaker(arb_mat(entries), float(n))
    other = others[number - _COUNT]
    T = exact(other / _size(other))
    return Breaker((T + T.transpose()) / 2, float(n))


def _size(S: Array) -> float:
    """A power of two not below the largest entry."""
    largest = float(np.abs(S).max())
    return float(2.0 ** np.ceil(np.log2(largest))) if largest else 1.0


def _divided(S: Array, y: Array, others: list[Array], part: Part, number: int) -> Iterator[Part]:
    """The part in the eigenspaces of XᵀTX, as far as these are proved to be apart."""
    X, near = part
    if X.ncols() == 1 or not near < 0.01:
        yield part
        return
    T, norm, blur = _breaker(S, y, others, X, number)
    if isinstance(T, arb_mat):
        image = T * X
    else:
        rows = zip(T, X.tolist(), strict=True)
        image = arb_mat([[d * x for x in row] for d, row in rows])
    C = X.transpose() * image
    C = (C + C.transpose()) / 2
    found = proved(C, orthonormal(C.mid()), ((2.1 * norm + blur) * near).upper())
    runs = found.runs(TOLD_APART)
    if len(runs) == 1 or not found.phi.is_finite():
        yield part
        return
    for J in runs:
        turned = found.near(J)
        yield Part((X * columns(found.X, J)).mid(), (near + turned).upper())


def by_samples(y: Array, X: Array) -> Array:
    """An orthonormal basis of the range of X, sample by sample, the largest first."""
    left, out = X, []
    while left.shape[1]:
        weight = (left**2).sum(axis=1)
        first = np.lexsort((-np.arange(len(y)), y, np.round(weight, 9)))[-1]
        c = left[first] / np.sqrt(weight[first])
        turn = np.linalg.qr(np.column_stack([c, np.eye(len(c))]))[0]
        turned = left @ turn
        out.append(turned[:, 0])
        left = turned[:, 1:]
    return np.column_stack(out)

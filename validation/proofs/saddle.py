r"""Kernels learned for several support vector machines at once, polished on active sets.

    min over w ≥ 0, Ew = f  of  costᵀw + Σₜ max over 0 ≤ αᵗ ≤ C, αᵗᵀyᵗ = 0 of 1ᵀαᵗ - ½αᵗᵀQₜ(w)αᵗ

A weight multiplies one matrix in each of some machines, Qₜ(w) is the sum. With F the free samples,
A the weights that are not zero, q_a(α) the sum of the forms that w_a multiplies:

    (Qₜαᵗ)_F + bₜyᵗ_F = 1,  yᵗᵀαᵗ = 0,  cost_a - ½q_a(α) + (Eᵀν)_a = 0  (a ∈ A),  E_A w_A = f

Newton's method in as many bits as are set. No proof rests on the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.typing import NDArray

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import column, inner, solution
from cvxkernel.formulations.inputs import Array

ROUNDS = 15


@dataclass(frozen=True)
class Saddle:
    """The machines, what the weights multiply, and what they cost.

    terms : for each weight the matrix it multiplies, by machine; none for a slack variable
    ridge : times the identity, a part of every Qₜ that no weight multiplies
    """

    Y: Array
    C: float
    terms: Sequence[Mapping[int, arb_mat]]
    cost: Sequence[arb]
    E: Sequence[Sequence[arb]]
    f: Sequence[arb]
    ridge: arb = field(default_factory=lambda: arb(0))

    def polished(self, alpha: Array, w: Array, border: float = 1e-7) -> State:
        """From α (k, n) and w in doubles; `done` tells whether every condition holds at the end.

        What is nearer to a border than this part of the largest α, of C, of the largest weight is
        taken as there.
        """
        big, top = alpha.max(axis=1, keepdims=True), (1 - border) * self.C
        at = State(
            free=_pairs((alpha > border * big) & (alpha < top)),
            top=_pairs(alpha >= top),
            active={int(a) for a in np.flatnonzero(w > border * w.max())},
            alpha=[[arb(float(x)) for x in row] for row in alpha],
            w=[arb(float(x)) for x in w],
        )
        seen: set[tuple[frozenset[Any], ...]] = set()
        for _ in range(ROUNDS):
            sets = frozenset(at.free), frozenset(at.top), frozenset(at.active)
            if sets in seen or not self.solve(at) or not self.correct(at):
                break
            seen.add(sets)
        return at

    def solve(self, at: State) -> bool:
        """Newton on the active sets; whether that ended in finite numbers."""
        at.settled = False
        k, n = self.Y.shape
        F, A = sorted(at.free), sorted(at.active)
        B = sorted({t for t, _ in F})  # machines that have an offset to be found
        R = self.rows(A)
        for t in range(k):
            for j in range(n):
                if (t, j) not in at.free:
                    at.alpha[t][j] = arb(self.C) if (t, j) in at.top else arb(0)
        at.w = [x if a in at.active else arb(0) for a, x in enumerate(at.w)]
        at.nu = self.prices(at, A, R)
        at.b = [offset(image, y) for image, y in zip(self.images(at), self.Y, strict=True)]
        where = {unknown: i for i, unknown in enumerate([*F, *B])}
        size = len(where) + len(A) + len(R)
        if not size:
            return False
        for _ in range(4 + ctx.prec // 25):
            Q, images = self.combined(at), self.images(at)
            forms, parts = self.forms(at)
            J = [[arb(0)] * size for _ in range(size)]
            rest = [arb(0)] * size
            for (t, j), i in ((u, where[u]) for u in F):
                for s, h in F:
                    if s == t:
                        J[i][where[s, h]] = Q[t][j, h]
                J[i][where[t]] = J[where[t]][i] = arb(int(self.Y[t, j]))
                rest[i] = images[t][j, 0] + at.b[t] * int(self.Y[t, j]) - 1
            for t in B:
                rest[where[t]] = balls.total(
                    x * int(s) for x, s in zip(at.alpha[t], self.Y[t], strict=True)
                )
            first = len(where)
            for i, a in enumerate(A, start=first):
                for t, j in F:
                    if t in parts[a]:
                        J[where[t, j]][i] = parts[a][t][j, 0]
                        J[i][where[t, j]] = -parts[a][t][j, 0]
                rest[i] = self.reduced(at, a, forms[a])
                for h, r in enumerate(R, start=first + len(A)):
                    J[i][h] = J[h][i] = self.E[r][a]
            for h, r in enumerate(R, start=first + len(A)):
                rest[h] = balls.total(self.E[r][a] * at.w[a] for a in A) - self.f[r]
            d = solution(arb_mat(J).mid(), column(rest).mid())
            for (t, j), x in zip(F, d, strict=False):
                at.alpha[t][j] = (at.alpha[t][j] - x).mid()
            for t, x in zip(B, d[len(F) :], strict=False):
                at.b[t] = (at.b[t] - x).mid()
            for a, x in zip(A, d[first:], strict=False):
                at.w[a] = (at.w[a] - x).mid()
            for r, x in zip(R, d[first + len(A) :], strict=True):
                at.nu[r] = (at.nu[r] - x).mid()
            if not all(x.is_finite() for x in d):
                return False
            if _most(d) <= 2.0 ** (30 - ctx.prec) * _most([*at.unknowns(), arb(1)]):
                at.settled = _most(rest) <= 2.0 ** (-ctx.prec // 2) * _most([*forms, arb(1)])
                break
        return True

    def correct(self, at: State) -> bool:
        """Move what left its range to the border, else free what the KKT conditions ask for."""
        below = {(t, j) for t, j in at.free if at.alpha[t][j] < 0}
        over = {(t, j) for t, j in at.free if at.alpha[t][j] > self.C}
        unused = {a for a in at.active if at.w[a] < 0}
        if below or over or unused:
            at.free -= below | over
            at.top |= over
            at.active -= unused
            return bool(at.active)
        small = arb(2) ** (-ctx.prec // 2)
        wrong = set()
        for t, image in enumerate(self.images(at)):
            for j, m in enumerate(image.entries()):
                gap = 1 - m - at.b[t] * int(self.Y[t, j])
                if (t, j) not in at.free and (gap < -small if (t, j) in at.top else gap > small):
                    wrong.add((t, j))
        forms, _ = self.forms(at)
        price = {a: self.reduced(at, a, q) for a, q in enumerate(forms) if a not in at.active}
        more = min(price, key=lambda a: float(price[a]), default=None)
        if more is not None and not price[more] < -small * balls.largest(forms):
            more = None
        at.free |= wrong
        at.top -= wrong
        at.active |= set() if more is None else {more}
        at.done = at.settled and not wrong and more is None
        return bool(wrong) or more is not None

    def combined(self, at: State) -> list[arb_mat]:
        """Qₜ(w)"""
        k, n = self.Y.shape
        Q = [balls.identity(n) * self.ridge for _ in range(k)]
        for w, term in zip(at.w, self.terms, strict=True):
            if not w.is_zero():
                for t, G in term.items():
                    Q[t] = Q[t] + G * w
        return Q

    def images(self, at: State) -> list[arb_mat]:
        """Qₜ(w)αᵗ"""
        return [Q * column(a) for Q, a in zip(self.combined(at), at.alpha, strict=True)]

    def forms(self, at: State) -> tuple[list[arb], list[dict[int, arb_mat]]]:
        """q_a(α), and the Gαᵗ of which it consists."""
        alpha = [column(a) for a in at.alpha]
        parts = [{t: G * alpha[t] for t, G in term.items()} for term in self.terms]
        return [balls.total(inner(alpha[t], g) for t, g in p.items()) for p in parts], parts

    def reduced(self, at: State, a: int, form: arb) -> arb:
        """cost_a - ½q_a + (Eᵀν)_a: what another bit of w_a costs."""
        rows = zip(self.E, at.nu, strict=True)
        return self.cost[a] - form / 2 + balls.total(row[a] * x for row, x in rows)

    def rows(self, A: Sequence[int]) -> list[int]:
        """Rows of E that are independent on the active weights."""
        E = np.array([[float(row[a]) for a in A] for row in self.E])
        kept: list[int] = []
        for r in range(len(E)):
            if np.linalg.matrix_rank(E[[*kept, r]]) > len(kept):
                kept.append(r)
        return kept

    def prices(self, at: State, A: Sequence[int], R: Sequence[int]) -> list[arb]:
        """ν nearest to the conditions of the active weights, in doubles."""
        forms, _ = self.forms(at)
        E = np.array([[float(self.E[r][a]) for r in R] for a in A])
        right = np.array([float(forms[a] / 2 - self.cost[a]) for a in A])
        found = dict(zip(R, np.linalg.lstsq(E, right, rcond=None)[0], strict=True))
        return [arb(float(found.get(r, 0.0))) for r in range(len(self.E))]


@dataclass
class State:
    """Where Newton's method stands."""

    free: set[tuple[int, int]]
    top: set[tuple[int, int]]
    active: set[int]
    alpha: list[list[arb]]
    w: list[arb]
    b: list[arb] = field(default_factory=list)
    nu: list[arb] = field(default_factory=list)
    settled: bool = False  # nothing is left of the equations
    done: bool = False

    def unknowns(self) -> list[arb]:
        """α and w."""
        return [*(x for row in self.alpha for x in row), *self.w]


def offset(image: arb_mat, y: Array) -> arb:
    """A b near the best one: any will do for a bound."""
    kinks = [(1 - m).mid() * int(s) for m, s in zip(image.entries(), y, strict=True)]
    return sorted(kinks, key=float)[int((y > 0).sum()) - 1]


def _pairs(mask: NDArray[np.bool_]) -> set[tuple[int, int]]:
    return {(int(t), int(j)) for t, j in np.argwhere(mask)}


def _most(numbers: Sequence[arb]) -> float:
    return max(abs(float(x)) for x in numbers)

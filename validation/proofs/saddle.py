r"""Kernels learned for several support vector machines at once, polished on active sets.

    min over w ≥ 0, Ew = f  of  costᵀw + Σₜ max over 0 ≤ αᵗ ≤ C, αᵗᵀyᵗ = 0 of 1ᵀαᵗ - ½αᵗᵀQₜ(w)αᵗ

A weight multiplies one matrix in each of some machines, Qₜ(w) is the sum. With F the free samples,
A the weights that are not zero, q_a(α) the sum of the forms that w_a multiplies:

    (Qₜαᵗ)_F + bₜyᵗ_F = 1,  yᵗᵀαᵗ = 0,  cost_a - ½q_a(α) + (Eᵀν)_a = 0  (a ∈ A),  E_A w_A = f

Newton's method in as many bits as are set. No proof rests on the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.typing import NDArray

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import BALLS, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import column, exact, solution
from cvxkernel.formulations.inputs import Array

ROUNDS = 15
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Saddle:
    """The machines, what the weights multiply, and what they cost.

    terms : for each weight the matrix it multiplies, by machine; none for a slack variable
    ridge : times the identity, a part of every Qₜ that no weight multiplies
    """

    Y: Array
    C: float
    terms: Sequence[Mapping[int, arb_mat]]
    cost: Array
    E: Array
    f: Tensor
    ridge: arb = field(default_factory=lambda: arb(0))

    def polished(self, alpha: Array, w: Array, border: float = 1e-7) -> State:
        """From α (k, n) and w in doubles; `done` tells whether every condition holds at the end.

        What is nearer to a border than this part of the largest α, of C, of the largest weight is
        taken as there.
        """
        big, top = alpha.max(axis=1, keepdims=True), alpha >= (1 - border) * self.C
        free, active = (alpha > border * big) & ~top, w > border * w.max()
        at = State(free, top, active, exact(alpha), exact(w))
        seen: set[tuple[bytes, ...]] = set()
        for _ in range(ROUNDS):
            sets = at.free.tobytes(), at.top.tobytes(), at.active.tobytes()
            if sets in seen or not self.solve(at) or not self.correct(at):
                break
            seen.add(sets)
        return at

    def solve(self, at: State) -> bool:
        """Newton on the active sets; whether that ended in finite numbers."""
        at.settled = False
        t, j = np.nonzero(at.free)
        B, A = np.unique(t), np.flatnonzero(at.active)  # B: whose offset is to be found
        R = self.rows(A)
        at.alpha = BALLS.where(at.free, at.alpha, np.where(at.top, self.C, 0.0))
        at.w = BALLS.where(at.active, at.w, 0.0)
        _, forms, images = self.seen(at)
        at.nu = self.prices(forms.mid, A, R)
        at.b = BALLS.stack([svm.kink(BALLS, *row) for row in zip(images, self.Y, strict=True)])
        f, b, a, size = np.cumsum([len(t), len(B), len(A), len(R)]).tolist()
        if not size:
            return False
        for _ in range(4 + ctx.prec // 25):
            Q, (parts, forms, images) = self.combined(at), self.seen(at)
            J = np.full((size, size), arb(0), dtype=object)
            for place, m in enumerate(B, start=f):
                own = np.flatnonzero(t == m)
                J[np.ix_(own, own)] = exact(Q[m]).x[np.ix_(j[own], j[own])]
                J[own, place] = J[place, own] = exact(self.Y[m, j[own]]).x
            J[:f, b:a] = parts.x[A][:, t, j].T
            J[b:a, :f] = -J[:f, b:a].T
            J[a:, b:a] = exact(self.E[R][:, A]).x
            J[b:a, a:] = J[a:, b:a].T
            rest = np.concatenate([
                -self.gaps(at, images)[at.free].x,
                (at.alpha * self.Y).sum(axis=1)[B].x,
                self.reduced(at, forms)[A].x,
                ((self.E * at.w).sum(axis=1) - self.f)[R].x,
            ])  # fmt: skip
            d = solution(arb_mat(J.tolist()).mid(), column(rest).mid())
            steps = [exact(d[i:k]) for i, k in ((0, f), (f, b), (b, a), (a, size))]
            unknowns = zip((at.alpha, at.b, at.w, at.nu), (at.free, B, A, R), steps, strict=True)
            at.alpha, at.b, at.w, at.nu = (_moved(*one) for one in unknowns)
            if not all(x.is_finite() for x in d):
                return False
            if _most(d) <= 2.0 ** (30 - ctx.prec) * _most([*at.unknowns.x, arb(1)]):
                at.settled = _most(rest) <= 2.0 ** (-ctx.prec // 2) * _most([*forms.x, arb(1)])
                break
        return True

    def correct(self, at: State) -> bool:
        """Move what left its range to the border, else free what the KKT conditions ask for."""
        below, over = at.free & (at.alpha < 0.0), at.free & (at.alpha > self.C)
        unused = at.active & (at.w < 0.0)
        if below.any() or over.any() or unused.any():
            at.free, at.top = at.free & ~(below | over), at.top | over
            at.active = at.active & ~unused
            return bool(at.active.any())
        small, (_, forms, images) = arb(2) ** (-ctx.prec // 2), self.seen(at)
        gaps = self.gaps(at, images)
        wrong = ~at.free & np.where(at.top, gaps < -small, gaps > small)
        price = BALLS.where(at.active, 0.0, self.reduced(at, forms))
        cheapest = np.arange(len(price)) == price.mid.argmin()
        entering = cheapest & (price < forms.max() * -small)
        at.free, at.top, at.active = at.free | wrong, at.top & ~wrong, at.active | entering
        right = not (wrong.any() or entering.any())
        at.done = at.settled and right
        return not right

    def combined(self, at: State) -> list[arb_mat]:
        """Qₜ(w)"""
        k, n = self.Y.shape
        Q = [balls.identity(n) * self.ridge for _ in range(k)]
        for w, term in zip(at.w.x, self.terms, strict=True):
            if not w.is_zero():
                for t, G in term.items():
                    Q[t] = Q[t] + G * w
        return Q

    def seen(self, at: State) -> tuple[Tensor, Tensor, Tensor]:
        """The Gαᵗ by weight and machine, the q_a(α) made of them, and the Qₜ(w)αᵗ."""
        parts = exact(np.zeros((len(self.terms), *self.Y.shape)))
        alpha = [row.matrix for row in at.alpha]
        for a, term in enumerate(self.terms):
            for t, G in term.items():
                parts.x[a, t] = (G * alpha[t]).entries()
        images = (at.w[:, None, None] * parts).sum(axis=0) + self.ridge * at.alpha
        return parts, (parts * at.alpha).sum(axis=2).sum(axis=1), images

    def gaps(self, at: State, images: Tensor) -> Tensor:
        """1 - Qₜαᵗ - bₜyᵗ"""
        return 1 - images - at.b[:, None] * self.Y

    def reduced(self, at: State, forms: Tensor) -> Tensor:
        """cost_a - ½q_a + (Eᵀν)_a: what another bit of w_a costs."""
        return self.cost - forms / 2 + (self.E * at.nu[:, None]).sum(axis=0)

    def rows(self, A: Indices) -> Indices:
        """Rows of E that are independent on the active weights."""
        kept: list[int] = []
        for r in range(len(self.E)):
            if np.linalg.matrix_rank(self.E[[*kept, r]][:, A]) > len(kept):
                kept.append(r)
        return np.array(kept, dtype=np.intp)

    def prices(self, forms: Array, A: Indices, R: Indices) -> Tensor:
        """ν nearest to the conditions of the active weights, in doubles."""
        right, nu = (forms / 2 - self.cost)[A], np.zeros(len(self.E))
        nu[R] = np.linalg.lstsq(self.E[R][:, A].T, right, rcond=None)[0]
        return exact(nu)


@dataclass
class State:
    """Where Newton's method stands."""

    free: Flags
    top: Flags
    active: Flags
    alpha: Tensor
    w: Tensor
    b: Tensor = field(default_factory=lambda: exact([]))
    nu: Tensor = field(default_factory=lambda: exact([]))
    settled: bool = False  # nothing is left of the equations
    done: bool = False

    @property
    def unknowns(self) -> Tensor:
        """α and w."""
        return BALLS.tensor(np.append(self.alpha.x, self.w.x))


def _moved(x: Tensor, where: Any, step: Tensor) -> Tensor:
    moved = x.x.copy()
    moved[where] = (x[where] - step).point().x
    return BALLS.tensor(moved)


def _most(numbers: Iterable[arb]) -> float:
    return max(abs(float(x)) for x in numbers)

"""Ω of (10) at given matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import Proof, column, inner, matrix, solution
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.mkl import mkl
from cvxkernel.validation.proofs import svm

STEPS = 12  # of Newton's method
FREE = 1e-7  # of C: nearer to the border α is taken as there


class Omega:
    """Ω of Mᵢ = YKᵢY ⪰ 0."""

    def __init__(self, M: list[arb_mat], y: Array, C: float) -> None:
        self.M, self.y, self.C, self.n = M, y, C, len(y)

    def roots(self, alpha: list[arb]) -> list[arb]:
        """√qᵢ"""
        a = column(alpha)
        return [inner(a, M * a).nonnegative_part().sqrt() for M in self.M]

    def value(self, alpha: list[arb]) -> arb:
        """1ᵀα - ½(Σᵢ√qᵢ)²"""
        return balls.total(alpha) - balls.total(self.roots(alpha)) ** 2 / 2

    def value_at(self, alpha: list[arb], gamma: list[arb] | None) -> Proof:
        """1ᵀα - ½Σᵢ qᵢ/γᵢ, at the best γ where there is none; infinite where γᵢ is zero."""
        if gamma is None:
            return Proof.of(self.value(alpha))
        shares = [(r * r, g) for r, g in zip(self.roots(alpha), gamma, strict=True)]
        if any(g.is_zero() and q > 0 for q, g in shares):
            return Proof(arb.neg_inf(), arb.neg_inf())
        if not all(g > 0 or q.is_zero() for q, g in shares):
            return Proof(arb.neg_inf(), balls.total(alpha).upper())
        forms = [q / g for q, g in shares if not q.is_zero()]
        return Proof.of(balls.total(alpha) - balls.total(forms) / 2)

    def bound(self, x: list[arb_mat]) -> arb:
        """½maxᵢ xᵢᵀMᵢxᵢ + C Σⱼ max(0, 1 - (Σᵢ Mᵢxᵢ)ⱼ - byⱼ) at a good b"""
        images = [M * x_i for M, x_i in zip(self.M, x, strict=True)]
        forms = [inner(x_i, w) for x_i, w in zip(x, images, strict=True)]
        image = sum(images[1:], images[0])
        b = svm.offset(image, self.y)
        rows = zip(image.entries(), self.y, strict=True)
        hinges = balls.total((1 - m - b * int(s)).nonnegative_part() for m, s in rows)
        return balls.largest(forms).nonnegative_part() / 2 + arb(self.C) * hinges

    def spread(self, alpha: list[arb]) -> list[arb_mat]:
        """xᵢ = α/γᵢ, γᵢ ∝ √qᵢ; zero where that is not proved to be positive."""
        roots, a = self.roots(alpha), column(alpha)
        total = balls.total(roots)
        return [a * (total / r).mid() if r > 0 else a * 0 for r in roots]

    def several(self, x: Any) -> bool:
        """Whether x is m vectors, and not one α."""
        shape = (x.nrows(), x.ncols()) if isinstance(x, arb_mat) else np.shape(x)
        return shape == (len(self.M), self.n)

    def given(self, x: Any) -> list[arb_mat]:
        """x as m vectors: they may be made of one α."""
        rows = x if isinstance(x, arb_mat) else matrix(np.asarray(x, dtype=float))
        if self.several(x):
            return [column(row) for row in rows.tolist()]
        return self.spread(svm.feasible(rows.entries(), self.y, self.C))

    def upper(self, x: Any) -> arb:
        """The bound at x: m vectors, or one α."""
        end = self.bound(self.given(x))
        return end.upper() if end.is_finite() else arb.pos_inf()

    def machine(self) -> Iterator[list[arb]]:
        """α near the optimum, in doubles; and what Newton's method makes of it."""
        K = np.stack([balls.doubles(svm.signed(self.y, M)) for M in self.M])
        alpha, _ = mkl(K, self.y, self.C)
        yield [arb(x) for x in alpha]
        better = self.polished(alpha)
        if better is not None:
            yield better

    def polished(self, alpha: Array) -> list[arb] | None:
        """Newton's method for 1ᵀα - ½(Σᵢ√qᵢ)² on the samples that are free; no proof rests on it.

        rᵢ = √qᵢ, gᵢ = Mᵢα/rᵢ, R = Σrᵢ, g = Σgᵢ: ∇ = 1 - Rg, -∇² = ggᵀ + RΣᵢ(Mᵢ - gᵢgᵢᵀ)/rᵢ.
        """
        margin = FREE * self.C
        free = [j for j in range(self.n) if margin < alpha[j] < self.C - margin]
        top = arb(self.C)
        a = [arb(x) if margin < x < self.C - margin else top * int(x > margin) for x in alpha]
        if not free:
            return a
        for _ in range(STEPS):
            at = column(a)
            images = [M * at for M in self.M]
            q = [inner(at, w).mid() for w in images]
            if not all(x > 0 for x in q):
                return None
            r = [x.sqrt() for x in q]
            G = [w / root for w, root in zip(images, r, strict=True)]
            R, g = balls.total(r), sum(G[1:], G[0])
            bend = g * g.transpose()
            for M, g_i, root in zip(self.M, G, r, strict=True):
                bend = bend + (M - g_i * g_i.transpose()) * (R / root)
            rows = [[bend[i, j] for j in free] + [arb(int(self.y[i]))] for i in free]
            rows.append([arb(int(self.y[j])) for j in free] + [arb(0)])
            balance = balls.total(x * int(s) for x, s in zip(a, self.y, strict=True))
            right = column([*(1 - R * g[j, 0] for j in free), -balance])
            step = solution(arb_mat(rows).mid(), right.mid())[:-1]
            for j, d in zip(free, step, strict=True):
                a[j] = (a[j] + d).mid()
            if not all(0 <= a[j] <= top for j in free):
                return None
            if max(abs(float(d)) for d in step) <= self.C * 2.0 ** (30 - ctx.prec):
                break
        return a

r"""Ω of (10), and ω where there is one kernel, from below and from above."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.enclosure import EPS, TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.bounds.feasible import balanced, shares

SMALLEST_GAMMA = 1e-12  # below it 1/γ makes no useful bound
DEFINITE_GAMMA = 1e-9  # below it one of second order has none


class Omega:
    """Ω of Mᵢ = YKᵢY ⪰ 0, tensors of the arithmetic F.

    With the mean cᵢ of Kᵢ and Dᵢ = Mᵢ - cᵢyyᵀ, Mᵢx is Dᵢx but for a multiple of y, which is b's.
    Where Kᵢ is nearly constant Dᵢx keeps the digits that yᵀx = 0 would cost.
    """

    def __init__(self, F: Arithmetic, M: Sequence[Tensor], y: Array, C: float) -> None:
        self.F, self.M, self.y, self.C = F, list(M), y, C

    @cached_property
    def levelled(self) -> list[tuple[float, Tensor]]:
        """cᵢ and Dᵢ"""
        means = [float(self.y @ M.mid @ self.y) / len(self.y) ** 2 for M in self.M]
        yy = np.outer(self.y, self.y)
        return [(c, M - c * yy) for c, M in zip(means, self.M, strict=True)]

    def seen(self, x: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """xᵢᵀMᵢxᵢ = xᵢᵀDᵢxᵢ + cᵢ(yᵀxᵢ)², and the Dᵢxᵢ."""
        F, images = self.F, [D @ x_i for (_, D), x_i in zip(self.levelled, x, strict=True)]
        forms = [
            F.inner(x_i, image) + F.exact(c) * F.inner(self.y, x_i).square()
            for (c, _), x_i, image in zip(self.levelled, x, images, strict=True)
        ]
        return F.stack(forms).positive(), images

    def forms(self, alpha: Any) -> Tensor:
        """qᵢ = αᵀMᵢα ≥ 0"""
        return self.seen([self.F.exact(alpha)] * len(self.M))[0]

    def value(self, alpha: Any) -> Tensor:
        """1ᵀα - ½(Σᵢ√qᵢ)² at α ∈ A: the objective at the best γ."""
        alpha = self.F.exact(alpha)
        return alpha.sum() - self.forms(alpha).sqrt().sum().square() / 2

    def gamma(self, alpha: Any, forms: Tensor | None = None) -> Tensor:
        """γᵢ ∝ √qᵢ, exact but for Σᵢ γᵢ = 1."""
        root = (self.forms(alpha) if forms is None else forms).sqrt().point()
        total = root.sum()
        return (root / total).point() if total > 0 else root * 0.0 + 1.0 / len(root)

    def points(self, alpha: Any) -> list[Tensor]:
        """xᵢ = α/γᵢ at that γ; zero where γᵢ is."""
        alpha = self.F.exact(alpha).point()
        gamma = self.gamma(alpha)
        some = gamma.mid > SMALLEST_GAMMA
        return [(alpha / gamma[i]).point() if some[i] else 0.0 * alpha for i in range(len(self.M))]

    def bound(self, x: Sequence[Tensor]) -> Tensor:
        """½maxᵢ xᵢᵀMᵢxᵢ + C Σⱼ max(0, 1 - (Σᵢ Mᵢxᵢ)ⱼ - byⱼ) at the best b, or at a multiple."""
        forms, images = self.seen(x)
        image = sum(images[1:], images[0])
        return svm.scaled_primal(self.F, forms.max(), image, self.y, self.C)

    def quadratic(self, alpha: Any) -> Tensor:
        """½maxᵢ wᵢᵀMᵢ⁻¹wᵢ + C·1ᵀζ at wᵢ = Mᵢα/γᵢ + γᵢδ, Σᵢ wᵢ = 1 + η - ζ - by, Σᵢ γᵢ = 1.

        wᵢᵀMᵢ⁻¹wᵢ = qᵢ/γᵢ² + 2αᵀδ + γᵢ²δᵀMᵢ⁻¹δ: of second order in the error of α, where every Mᵢ is
        definite by more than its rounding; nothing is known elsewhere. As for one kernel in `svm`,
        with the same few b, η and ζ, and δᵀM⁻¹δ = δᵀs + rᵀs + rᵀM⁻¹r for any s, with r = δ - Ms.
        """
        F, y, C, alpha = self.F, self.y, self.C, self.F.exact(alpha).point()
        forms, images = self.seen([alpha] * len(self.M))
        gamma = shares(F, self.gamma(alpha, forms))
        if not gamma.mid.min() > DEFINITE_GAMMA:
            return F.inf
        least = []
        for M in self.M:
            above = len(y) * EPS * float(np.linalg.norm(M.mid)) + svm.LARGE * F.unknown(M)
            least.append(F.least(M, above=above))
            if not least[-1] > 0:
                return F.inf
        every = [D_alpha / g for D_alpha, g in zip(images, gamma, strict=True)]
        image = sum(every[1:], every[0])
        a, gap = alpha.mid, y * (1 - image.mid)
        diagonal = sum(M.mid.diagonal() / g for M, g in zip(self.M, gamma.mid, strict=True))
        free = (a > 1e-6 * C) & (a < (1 - 1e-6) * C)
        if not free.any():
            free = np.ones(len(a), dtype=bool)
        ends = []
        for b in (
            float(np.average(gap[free], weights=np.abs(a[free]) + TINY)),
            float(np.median(gap[free])),
        ):
            excess = image - 1 + F.exact(b) * y
            for room in (0.0, diagonal):
                moved, zeta = svm.divided(F, excess, a, C, room)
                delta = moved - excess
                inner = []
                for M, low in zip(self.M, least, strict=True):
                    s = F.exact(np.linalg.solve(M.mid, delta.mid))
                    r = delta - M @ s
                    inner.append(F.inner(delta, s) + F.inner(r, s) + F.inner(r, r).positive() / low)
                wide = forms / gamma.square() + gamma.square() * F.stack(inner)
                ends.append(wide.max() / 2 + F.inner(alpha, delta) + F.exact(C) * zeta.sum())
        return svm.least(ends)

    def sharpest(self, xs: Sequence[Tensor]) -> Tensor:
        """The x of shape (m, n), or α of (n,), whose bound of first order is the least."""
        return min(xs, key=lambda x: self.near(x.mid)) if len(xs) > 1 else xs[0]

    def near(self, x: Array) -> float:
        """That bound in doubles, not proved."""
        M = np.stack([M.mid for M in self.M])
        if x.ndim == 1:
            gamma = balanced(M @ x @ x)
            some = gamma > SMALLEST_GAMMA
            x = np.where(some, 1 / np.where(some, gamma, 1.0), 0.0)[:, None] * x
        images = np.einsum("ijk,ik->ij", M, x)
        form = float(np.einsum("ij,ij->i", images, x).max())
        return svm.shortened(images.sum(axis=0), form, self.y, self.C)

    def upper(self, x: Any) -> Tensor:
        """From above at x of shape (m, n), or at an α of shape (n,) by the better of two bounds."""
        if x.ndim == 2:
            return self.bound([self.F.exact(x[i]) for i in range(len(self.M))])
        return svm.least([self.bound(self.points(x)), self.quadratic(x)])

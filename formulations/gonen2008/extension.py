r"""The machines of section 3.2 on a given matrix, in one form: no programs.

    J = max  tᵀβ - ε‖β‖₁ - ½βᵀKβ   over β ∈ Rⁿ,  l ≤ βᵢ ≤ u,  1ᵀβ = s,      l ≤ 0 ≤ u

    regression     t = y, -l = u = C, s = 0;   β = α⁺ - α⁻
    one class      t = 0, ε = 0, l = 0, u = 1/(νn), s = 1;   β = α

Any feasible β bounds J from below. From above, for any v and b: K ⪰ 0 gives
-½βᵀKβ ≤ ½vᵀKv - vᵀKβ, and b(s - 1ᵀβ) = 0 may be added, so that with f = Kv

    J ≤ ½vᵀKv + bs + Σᵢ φ(tᵢ - fᵢ - b),   φ(r) = max over l ≤ β ≤ u of rβ - ε|β|
                                                = u max(0, r - ε) - l max(0, -r - ε)

which is the primal at w_m = Σⱼ vⱼη_m(xⱼ)Φ_m(xⱼ), b and the least slacks; ρ = -b.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor, settled
from cvxkernel.formulations.inputs import Array

TOP = 1e-9  # of u: what is nearer to it is there


class Extension(ABC):
    """K known to F; t and ε in doubles; u, l and s numbers of F."""

    def __init__(self, F: Arithmetic, K: Tensor, t: Array, epsilon: float) -> None:
        self.F, self.K, self.t, self.epsilon = F, K, t, epsilon
        self.low: Tensor = F.exact(0.0)
        self.high: Tensor = F.exact(0.0)
        self.total = 0.0

    @abstractmethod
    def feasible(self, beta: Any) -> Tensor:
        """β clipped to the box, then changed until 1ᵀβ = s, exactly."""

    def value(self, beta: Tensor) -> Tensor:
        """The objective at a feasible β."""
        F = self.F
        form = F.inner(beta, self.K @ beta)
        return F.inner(F.exact(self.t), beta) - self.epsilon * abs(beta).sum() - form / 2

    def kink(self, f: Tensor) -> Tensor:
        """The b of the least bs + Σφ(t - f - b), an exact point: where the slope changes its sign.

        Of s - nu at first; it grows by u where b passes tᵢ - fᵢ - ε, by -l at tᵢ - fᵢ + ε.
        """
        r = self.F.exact(self.t) - f
        kinks = [r - self.epsilon, r + self.epsilon]
        n, high, low = len(self.t), float(self.high.mid), float(self.low.mid)
        where = np.concatenate([at.mid for at in kinks])
        grows = np.repeat([high, -low], n)
        order = np.argsort(where, kind="stable")
        slopes = self.total - n * high + np.cumsum(grows[order])
        # What is zero but for rounding is zero: all b up to the next kink are as good.
        flat = 1e-12 * (self.total + n * high)
        least = int(np.argmax(slopes >= -flat))
        ends = order[least : least + 1 + (least + 1 < 2 * n and bool(slopes[least] <= flat))]
        b: Tensor = sum(kinks[int(at) // n][int(at) % n] for at in ends) / len(ends)
        return b.point()

    def primal(self, v: Tensor) -> tuple[Tensor, Tensor]:
        """The bound at v and the best b, and that b."""
        f = self.K @ v
        b = self.kink(f)
        return self.F.inner(v, f).positive() / 2 + self.losses(f, b), b

    def losses(self, f: Tensor, b: Tensor) -> Tensor:
        """bs + Σφ(t - f - b); exactly so where no sample loses."""
        r = self.F.exact(self.t) - f - b
        made = self.total * b if self.total else self.F.exact(0.0)
        for top, lost in ((self.high, r - self.epsilon), (-self.low, -r - self.epsilon)):
            total = lost.positive().sum()
            made = made + top * total if total.upper > 0 else made
        return made

    def ends(self, beta: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """J from below and from above, the feasible β, and the b of the upper end."""
        F = self.F
        beta = self.feasible(beta)
        low, nothing = self.value(beta), F.exact(np.zeros(len(self.t)))
        if not (self.total or low > 0):
            beta, low = nothing, F.exact(0.0)
        b = self.kink(nothing)
        best = self.losses(nothing, b), b
        for v in self.points(beta):
            if settled(F, low, best[0]):
                break
            best = min(best, self.primal(v), key=lambda pair: pair[0].upper)
        return low, best[0], beta, best[1]

    def points(self, beta: Tensor) -> Iterator[Tensor]:
        """β, and β moved as little as puts what is free where φ has its kinks."""
        yield beta.point()
        a, high, low = beta.mid, float(self.high.mid), float(self.low.mid)
        most = float(np.abs(a).max(initial=0.0))
        for small in svm.FREE:
            room = small * (high - low)
            free = (a < high - room) & (a > low + room)
            if self.epsilon or not low:
                free &= np.abs(a) > small * most
            target = self.t - self.epsilon * np.sign(a)
            if free.any():
                yield self.F.exact(svm.met(self.K.mid, np.ones(len(a)), a, free, target))


class Regression(Extension):
    """-l = u = C, s = 0."""

    def __init__(self, F: Arithmetic, K: Tensor, y: Array, C: float, epsilon: float) -> None:
        super().__init__(F, K, y, epsilon)
        self.C, self.high, self.low = C, F.exact(C), F.exact(-C)

    def feasible(self, beta: Any) -> Tensor:
        """Clipped, then the heavier sign scaled down."""
        beta = self.F.exact(beta).point()
        plus = beta.mid > 0
        size = svm.feasible(self.F, abs(beta), np.where(plus, 1.0, -1.0), self.C)
        return self.F.where(plus, size, -size)


class OneClass(Extension):
    """l = 0, u = 1/(νn), or 1 where that is less: no α of sum 1 is larger; s = 1."""

    def __init__(self, F: Arithmetic, K: Tensor, nu: float) -> None:
        n = len(K)
        super().__init__(F, K, np.zeros(n), 0.0)
        self.most = max(Fraction(nu) * n, Fraction(1))  # 1/u
        self.high = 1 / (n * F.exact(nu)) if self.most > 1 else F.exact(1.0)
        self.total = 1.0

    def feasible(self, beta: Any) -> Tensor:
        """What is above u is u, the rest is scaled to what is left of one; else all are 1/n."""
        F, n, u = self.F, len(self.K), float(self.high.mid)
        a = F.exact(beta).point()
        x = np.clip(a.mid, 0.0, u)
        top = more = x >= u * (1 - TOP)
        while more.any() and x[~top].any():
            grown = (1 - u * top.sum()) / x[~top].sum() * x
            more = ~top & (grown > u * (1 - TOP))
            top = top | more
        k, inside = int(top.sum()), ~top & (x > 0)
        left = self.most - k  # of 1/u samples at u, exactly
        if left < 0:  # more than one in all
            made = F.where(top, self.high, F.where(inside, a, 0.0))
            return made / made.sum()
        if left == 0:
            return F.where(top, self.high, 0.0)
        share = F.where(inside, a, 0.0) if inside.any() else F.exact(1.0 * ~top)
        share = share / share.sum() * (1 - k * self.high)
        if not (share <= self.high).all():
            return F.exact(np.ones(n)) / n
        return F.where(top, self.high, share)

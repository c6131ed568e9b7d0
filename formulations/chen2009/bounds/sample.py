r"""(8): the column of a test sample, in the eigenbasis of K = V diag(d)Vᵀ.

With σ = Vᵀs every k in the range of K is Vκ, κᵢ = 0 where dᵢ = 0, and ‖k - s‖ = ‖κ - σ‖:

    2‖κ - σ‖² + (r - ψ)²,  r ≥ Σᵢ κᵢ²/dᵢ              the objective without constant and root
    Σᵢ 2σᵢ²μ/(2dᵢ + μ) - μψ - ¼μ²                     its Lagrangian, least over κ and r, μ ≥ 0

The first falls as d rises and so does the second: d is taken at its lower end in the one, at its
upper end in the other, and no rank is decided. The two meet at κ = 2d/(2d + μ)∘σ for one μ.

Where V is not proved to be near an eigenbasis (many samples, eigenvalues that repeat) it is still
orthonormal, and ‖K - V diag(λ)Vᵀ‖_F ≤ φ. Projecting is nonexpansive: K₊ ⪯ V diag(max(λ, 0) + φ)Vᵀ,
and the Lagrangian, 2μsᵀ(2K₊ + μI)⁻¹s - μψ - ¼μ², falls as K₊ rises. From above k = K₊c is in the
range of K₊ for every c, with kᵀK₊†k = cᵀK₊c.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from cvxkernel.formulations.arithmetic import DOUBLES, Arithmetic, Tensor
from cvxkernel.formulations.chen2009.programs import AugmentedSample, NewSample
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.inputs import Array


class Column:
    """d, V and σ; `whole` makes the objective of (8) from 2‖k - s‖² + (r - ψ)²."""

    def __init__(self, F: Arithmetic, problem: NewSample) -> None:
        self.F, self.problem = F, problem
        lam, self.V = F.basis(problem.basis)
        d = lam.positive()
        self.low, self.high = F.exact(d.lower).positive(), F.exact(d.upper)
        self.near = problem.basis.open is None or bool((self.low > 0).all())
        if not self.near:  # λ within φ of zero was made zero
            self.high = F.exact((d + 2 * F.exact(problem.basis.off)).upper)
        self.sigma, self.psi = self.V.T @ problem.s, F.exact(problem.psi)

    def bound(self, mu: Tensor) -> Tensor:
        """The Lagrangian at μ, or its limit where μ is zero; and zero at least."""
        F, none = self.F, np.asarray(self.high <= 0)  # off the range of K, whatever μ is
        share = F.where(none, 1.0, (mu / (2 * F.where(none, 1.0, self.high) + mu)).sqrt())
        low = 2 * F.norm(share * self.sigma).square() - mu * self.psi - mu * mu / 4
        return F.maximum(low, 0.0)

    def value(self, kappa: Tensor, r: Any = None) -> tuple[Tensor, Tensor]:
        """The objective at κ and the least r, or one that is not below; and that r."""
        F, kept = self.F, self.low > 0
        least = (kappa[kept].square() / self.low[kept]).sum()
        r = F.maximum(least, self.psi if r is None else r)
        off = kappa - self.sigma
        return 2 * F.norm(off).square() + (r - self.psi).square(), r

    def spanned(self, mu: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The objective at k = K₊c, the r there, and k: in doubles, as V is."""
        problem, F = self.problem, DOUBLES
        d, c = problem.eigen.low, np.zeros(problem.n)
        if (kept := d > 0).any():
            V = problem.eigen.V[:, kept]
            c = V @ (2 * (problem.s @ V) / (2 * d[kept] + float(mu.mid)))
        k, psi = F.kernels(problem.K)[0] @ c, F.exact(problem.psi)
        r = F.maximum(F.inner(c, k).positive(), psi)
        value = 2 * F.norm(k - problem.s).square() + (r - psi).square()
        return self.F.exact(value.upper), r, k

    def shrunk(self, mu: Tensor) -> Tensor:
        """κ = 2d/(2d + μ)∘σ, an exact point."""
        kept = self.low > 0
        d = self.F.where(kept, self.low, 1.0)
        return self.F.where(kept, self.sigma * (2 * d / (2 * d + mu)), 0.0).point()

    def consistent(self) -> bool:
        """Whether k = s and r = ψ are feasible for certain: K is definite and sᵀK⁻¹s ≤ ψ."""
        if not self.problem.s.any():
            return bool(self.psi >= 0)
        if not (self.low > 0).all():
            return False
        return bool((self.sigma.square() / self.low).sum() <= self.psi)

    def both(self, point: Point) -> tuple[Tensor, Tensor, Any, Any]:
        """The ends at the best μ, at zero and at 2(r - ψ) of an r given; k and r of the upper."""
        F, problem = self.F, self.problem
        tried = [F.exact(0.0), F.exact(multiplier(problem))]
        if "r" in point:  # where ψ is large r = ψ + μ/2 has no digit of μ left
            r = given(F, point, "r", np.zeros(1))[0]
            tried.append((2 * (r - self.psi)).positive().point())
        low = max((self.bound(mu) for mu in tried), key=lambda bound: bound.lower)
        if self.consistent():
            return low, F.exact(0.0), problem.s, self.psi
        if not self.near:
            high, r, k = min((self.spanned(mu) for mu in tried), key=lambda made: made[0].upper)
            return low, high, k, r
        kappas = [self.shrunk(mu) for mu in tried]
        values = [(*self.value(kappa), kappa) for kappa in kappas]
        high, r, kappa = min(values, key=lambda made: made[0].upper)
        return low, high, self.V @ kappa, r

    def whole(self, part: Tensor) -> Tensor:
        """As it is."""
        return part


class Augmented(Column):
    """(8): the root of that and ‖K - S‖²"""

    def __init__(self, F: Arithmetic, problem: AugmentedSample) -> None:
        super().__init__(F, problem)
        self.constant = F.norm(F.kernels(problem.K)[0] - F.exact(problem.S)).square()

    def whole(self, part: Tensor) -> Tensor:
        """(‖K - S‖² + part)^½"""
        return (self.constant + part).sqrt()


@encloses("chen2009-eq8-qcqp", kind=Column)
@encloses("chen2009-eq8", kind=Augmented)
def eq8(F: Arithmetic, problem: Any, point: Point, *, kind: type[Column]) -> Any:
    """At the κ that belongs to the multiplier of r from above; from below the Lagrangian there."""
    at = kind(F, problem)
    low, high, k, r = at.both(point)
    high = at.whole(high)
    return F.enclosure(high, F.maximum(at.whole(low), 0.0), high, {"k": k, "r": r})


def column(problem: NewSample, mu: float) -> Array:
    """k(μ) = V(2d/(2d + μ)∘Vᵀs), which minimizes the Lagrangian of (8), in doubles."""
    d, V = problem.eigen.low, problem.eigen.V
    kept = d > 0
    k: Array = V[:, kept] @ ((problem.s @ V[:, kept]) * (2 * d[kept] / (2 * d[kept] + mu)))
    return k


def multiplier(problem: NewSample) -> float:
    """The μ ≥ 0 of the largest bound: kᵀK†k = ψ + μ/2 at k(μ), zero where s is consistent."""
    d, psi = problem.eigen.low, problem.psi
    d, sigma2 = d[d > 0], ((problem.eigen.V.T @ problem.s) ** 2)[d > 0]

    def excess(x: float) -> float:
        mu = float(np.exp(x))
        return float(np.sum(sigma2 * 4 * d / (2 * d + mu) ** 2)) - psi - mu / 2

    most = max(float(np.sum(sigma2 / d)) if len(d) else 0.0, abs(psi), float(problem.s @ problem.s))
    if not most > 0 or not np.isfinite(most):
        return 0.0
    # kᵀK†k falls in μ and μ/2 rises: one crossing, sought by its logarithm
    top = float(np.log(2 * most)) + 1
    bottom = top - 300.0
    if excess(bottom) <= 0:
        return 0.0
    return float(np.exp(brentq(excess, bottom, top, xtol=1e-15, rtol=1e-14)))

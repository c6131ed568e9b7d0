r"""Both ends for any α and any weights: no programs.

For α with αᵗ in S(t) let A = maxᵢ Σₜ Gᵢᵗ(α) and B = Σₜ maxᵢ Gᵢᵗ(α), so that A ≤ B ≤ kA. With
c = 1 - Σᵢ ζᵢ, the share of the kernel that a label has for itself, the least of
Σₜ D(αᵗ, Σᵢ (ζᵢ + γᵢᵗ)Gᵢ) over ζ and γ of that share puts ζ on one kernel and each γᵗ on one, and is

    Σₜ αᵗᵀe - ½((1 - c)A + cB).

It falls with c. With the price λΩ = ½kλc the best c is 0 or 1:  Σₜ αᵗᵀe - ½ max(A, B - kλ); under
Ω ≤ β it is the largest, c = 2β/k or 1. Either is a lower bound of the minimum over the weights.

Upper: at any weights k support vector machines are left, whose bounds g(θᵗ) `svm` has. More of a
kernel is never worse. So let θ ≥ 0 be any numbers, ζᵢ = minₜ θᵢᵗ, s the largest row sum and
c = s - Σᵢ ζᵢ. Where s ≤ 1 and what is missing is given to all labels alike as far as it can be, the
rows add up to one, and Ω = ½kc. Where not, θ/τ is of that kind for every τ ≥ s, and a machine with
a τ-th of its kernel has at most τ times the optimum, since α/τ is feasible with α:

    τ Σₜ g(θᵗ) + ½kλc,  τ = max(1, s),  bounds (3),    τ Σₜ g(θᵗ),  τ = max(1, s, kc/2β),  (11).
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009.data import MultiLabelled
from cvxkernel.formulations.tang2009.programs import Regularized, Separate, Shared

NEARLY_SAME = 1e-4  # of Ω/k: a large λ charges what a solver leaves of γ; the mean has none


# -- Weights ------------------------------------------------------------------------------------


def simplex(F: Arithmetic, theta: Any) -> Tensor:
    """Weights (k, p) clipped at zero, each row scaled to sum 1; a row of zeros becomes uniform."""
    theta = F.clipped(theta)
    sums = theta.sum(axis=1)
    some = sums.mid > TINY  # whose reciprocal is a double
    made = theta * (1 / F.where(some, sums, 1.0))[:, None]
    made = F.where(some[:, None], made, 1 / F.exact(float(theta.shape[1])))
    return made.point()


def parts(F: Arithmetic, theta: Tensor) -> tuple[Tensor, Tensor]:
    """ζᵢ = minₜ θᵢᵗ and γ = θ - ζ: of all parts of θ the ones with the least Ω."""
    zeta = reduce(F.minimum, theta)
    return zeta, theta - zeta


def omega(theta: Array) -> float:
    """Ω = ½ Σₜ Σᵢ γᵢᵗ (7), the least that θ allows, in doubles."""
    return float((theta - theta.min(axis=0)).sum()) / 2


def within(F: Arithmetic, theta: Tensor, beta: float) -> Tensor:
    """θ, or where Ω may exceed β a point of Ω ≤ β on the way to its mean over the labels.

    With (1 - x)θᵗ + x·mean θ the parts γ shrink by 1 - x: so does Ω.
    """
    k, p = theta.shape
    Omega = parts(F, theta)[1].sum() / 2
    if Omega <= beta or beta >= k / 2:
        return theta
    rounding = k * p * 2.0 ** (4 - F.bits)
    keep = F.clipped((F.exact(beta) - rounding) / Omega, 1.0)
    mean = theta.sum(axis=0) / k
    return F.clipped(mean + (theta - mean) * keep).point()


def weights(F: Arithmetic, problem: MultiLabelled, point: Point) -> Tensor:
    """θ of a point, or ζ + γ, each row on the simplex."""
    k, p = problem.k, problem.p
    if "theta" in point:
        return simplex(F, given(F, point, "theta", np.zeros((k, p))))
    zeta, gamma = given(F, point, "zeta", np.zeros(p)), given(F, point, "gamma", np.zeros((k, p)))
    return simplex(F, F.clipped(zeta) + F.clipped(gamma))


# -- Ends ---------------------------------------------------------------------------------------


class Bounds:
    """The Gᵢ₊ of a problem."""

    def __init__(self, F: Arithmetic, problem: MultiLabelled) -> None:
        self.F, self.problem, self.kernels = F, problem, F.kernels(problem.kernels)

    def feasible(self, alpha: Any) -> Tensor:
        """Each αᵗ clipped to the box, then its heavier class scaled down until αᵗᵀyᵗ = 0."""
        rows = zip(self.F.exact(alpha), self.problem.Y, strict=True)
        return self.F.stack([svm.feasible(self.F, a, y, self.problem.C) for a, y in rows])

    def alphas(self, point: Point) -> tuple[Tensor, Tensor]:
        """α for the lower end and for the upper, each row in S(t).

        An iterative method has two of them: the mixture `alpha` that no weights beat, and
        `machines`, those of its best weights. Where one is missing the other is taken.
        """
        default = np.full(self.problem.Y.shape, self.problem.C)
        symbols = [s for s in ("alpha", "machines") if s in point] or ["alpha"]
        found = [self.feasible(given(self.F, point, s, default)) for s in symbols]
        return found[0], found[-1]

    def forms(self, alpha: Any) -> Tensor:
        """Gᵢᵗ(α) (8) as (k, p)."""
        alpha = self.F.exact(alpha)
        v = self.F.where(self.problem.Y > 0, alpha, -alpha)
        return self.F.forms(self.kernels, v).T

    def largest(self, alpha: Any) -> tuple[Tensor, Tensor]:
        """maxᵢ Σₜ Gᵢᵗ(α), which is A, and the maxᵢ Gᵢᵗ(α), whose sum is B."""
        forms = self.forms(alpha)
        return forms.sum(axis=0).max(), self.F.stack([row.max() for row in forms])

    def extremes(self, alpha: Any) -> tuple[Tensor, Tensor]:
        """A and B"""
        A, each = self.largest(alpha)
        return A, each.sum()

    def spread(self, A: Tensor, B: Tensor) -> Tensor:
        """max(A, B - kλ); with β in place of λ (1 - c)A + cB, c = 2β/k."""
        if isinstance(self.problem, Regularized):
            return self.F.maximum(A, B - self.problem.k * self.F.exact(self.problem.lam))
        return A + self.share * (B - A)

    @property
    def share(self) -> Tensor:
        """c = 2β/k, at most 1; with a price instead of β all of it"""
        most = self.problem.most if isinstance(self.problem, Shared) else self.problem.k / 2
        return 2 * self.F.exact(most) / self.problem.k

    def value(self, alpha: Any) -> Tensor:
        """The least over the weights at an α in S(t): the objective of Theorem 3.1."""
        return self.F.exact(alpha).sum() - self.spread(*self.extremes(alpha)) / 2

    def combined(self, theta: Any) -> list[Tensor]:
        """(Σᵢ θᵢᵗGᵢ) ∘ yᵗyᵗᵀ for every label"""
        rows = zip(self.F.exact(theta), self.problem.Y, strict=True)
        return [self.F.signed(y, self.F.combination(row, self.kernels)) for row, y in rows]

    def own(self) -> list[Tensor]:
        """𝒢ᵗ ∘ yᵗyᵗᵀ of (2), where label t has kernel t"""
        pairs = zip(self.problem.Y, self.kernels, strict=True)
        return [self.F.signed(y, K) for y, K in pairs]

    def values(self, Q: list[Tensor], alpha: Tensor) -> Tensor:
        """D(αᵗ, 𝒢ᵗ) for each label, from the matrices 𝒢ᵗ ∘ yᵗyᵗᵀ."""
        return self.F.stack([svm.value(self.F, Qt, a) for Qt, a in zip(Q, alpha, strict=True)])

    def machines(self, Q: list[Tensor], alpha: Tensor) -> Tensor:
        """For each label an upper bound of its machine with the matrix Q, near αᵗ."""
        rows = zip(Q, self.problem.Y, alpha, strict=True)
        return self.F.stack([svm.upper(self.F, Qt, y, self.problem.C, a) for Qt, y, a in rows])

    def upper(self, theta: Tensor, g: Tensor) -> Tensor:
        """τ Σₜ gᵗ and the price, for any θ ≥ 0 and bounds g of its machines."""
        F, problem = self.F, self.problem
        tau = F.maximum(theta.sum(axis=1).max(), 1.0)
        own = parts(F, theta)[1].sum(axis=1).max()
        if isinstance(problem, Regularized):
            return tau * g.sum() + F.exact(problem.lam) * problem.k / 2 * own
        if not own <= 0:
            tau = F.maximum(tau, own / self.share)
        return tau * g.sum()


# -- Enclosures: any point repaired, and both ends of the optimum computed there -----------------


@encloses("tang2009-eq2")
def enclose_separate(F: Arithmetic, problem: Separate, point: Point) -> Any:
    """(2): Σₜ D(αᵗ, 𝒢ᵗ), and the sum of the machines' upper bounds."""
    ends = Bounds(F, problem)
    alpha, _ = ends.alphas(point)
    Q = ends.own()
    low = ends.values(Q, alpha).sum()
    return F.enclosure(low, low, ends.machines(Q, alpha).sum(), {"alpha": alpha})


@encloses("tang2009-thm3.1", inside=True)
@encloses("tang2009-eq3-sdp", inside=False)
def enclose_regularized(
    F: Arithmetic, problem: Regularized, point: Point, *, inside: bool = True
) -> Any:
    """Theorem 3.1, whose value is the lower end, and (3), whose value is the upper end."""
    ends = Bounds(F, problem)
    alpha, v = ends.alphas(point)
    s0, s_t = ends.largest(alpha)
    s = ends.spread(s0, s_t.sum())
    low, tried = alpha.sum() - s / 2, [weights(F, problem, point)]
    if omega(tried[0].mid) < NEARLY_SAME * problem.k:
        tried.append(within(F, tried[0], 0.0))
    uppers = ((ends.upper(theta, ends.machines(ends.combined(theta), v)), theta) for theta in tried)
    high, theta = min(uppers, key=lambda end: end[0].upper)
    zeta, gamma = parts(F, theta)
    variables = {"alpha": alpha, "zeta": zeta, "gamma": gamma}
    if inside:
        return F.enclosure(low, low, high, {**variables, "s": s, "s0": s0, "s_t": s_t})
    return F.enclosure(high, low, high, variables)


@encloses("tang2009-eq11")
def enclose_shared(F: Arithmetic, problem: Shared, point: Point) -> Any:
    """(11), whose value is the upper end: weights of Ω ≤ β, and gᵗ that no cut exceeds."""
    ends = Bounds(F, problem)
    alpha, v = ends.alphas(point)
    theta = within(F, weights(F, problem, point), problem.beta)
    g = ends.machines(ends.combined(theta), v)
    high, (zeta, gamma) = ends.upper(theta, g), parts(F, theta)
    variables = {"theta": theta, "zeta": zeta, "gamma": gamma, "g": g}
    variables |= {"alpha": alpha, "machines": v}
    return F.enclosure(high, ends.value(alpha), high, variables)

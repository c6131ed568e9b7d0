r"""Both ends of (5) and (7) at a gating, and a lower bound over a box of gatings: no programs.

Those of section 3.2 are in `extension`.

At a gating: any α in the box with αᵀy = 0 gives a lower value; from above the two bounds of `svm`
with Q = Σ_m diag(yη_m)K_mdiag(yη_m), the first of which is the primal (5) at the w_m that (6) makes
of α.

Over a box of gatings, two kernels and points on a line: η₁(x) = σ(z), η₂(x) = σ(-z) with
z = ax + c, a = v₁ - v₂, c = v₁₀ - v₂₀, and σ the logistic function. For every feasible α,

    J(a, c) ≥ 1ᵀα - ½q(a, c),   q = η₁ᵀA₁η₁ + η₂ᵀA₂η₂,   A_m = diag(αy)K_mdiag(αy),

so that a number above q on the box bounds J from below there. With the ranges lᵢ ≤ η₁(xᵢ) ≤ hᵢ,
which corners of the box attain, there are three:

    signs     Σᵢⱼ max of (A₁)ᵢⱼη₁ᵢη₁ⱼ at (l, l) or (h, h), and as much for η₂
    centre    q₀ + 2|A₁η₁ - A₂η₂|ᵀρ + ρᵀ|A₁ + A₂|ρ  at the middle of [l, h], ρ its half length
    Taylor    q(a₀, c₀) + |∂q/∂a|rₐ + |∂q/∂c|r_c + ½ max of the second derivative

In the last, along (hₐ, h_c) with δᵢ = xᵢhₐ + h_c,

    q″ = 2(σ′δ)ᵀ(A₁ + A₂)(σ′δ) + 2Σᵢ(A₁η₁ - A₂η₂)ᵢσ″ᵢδᵢ².

It is of second order in the size of the box around a stationary point.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.gonen2008.data import Gating, Points
from cvxkernel.formulations.gonen2008.extension import Extension, OneClass, Regression
from cvxkernel.formulations.gonen2008.programs import (
    Gated,
    GatedOneClass,
    GatedRegression,
    Localized,
    LocalizedOneClass,
    LocalizedRegression,
)


def share(F: Arithmetic, above: Tensor) -> Tensor:
    """1/(1 + Σ_k exp(d_k)) over the rows d of `above`, between zero and one.

    It is less than what d_k cut at a large number gives; where it is not known at all, anything.
    """
    most = 13.0 * F.bits  # its exponential is a double for doubles
    eta = 1 / (1 + F.minimum(above, most).exp().sum(axis=0))
    eta = F.where((above <= most).all(axis=0), eta, F.between(0.0, eta))
    return F.where((eta > -1.0) & (eta < 2.0), eta, F.between(0.0, 1.0))


def gates(F: Arithmetic, problem: Gating) -> Tensor:
    """η_m(xᵢ) = 1/Σ_k exp(z_k - z_m), as (p, n)."""
    z = (F.exact(problem.X) @ problem.V.T + problem.v0).T
    others = [np.arange(problem.p) != m for m in range(problem.p)]
    return F.stack([share(F, z[other] - z[m]) for m, other in enumerate(others)])


def combined(F: Arithmetic, problem: Gated) -> Tensor:
    """Q = Σ_m diag(yη_m)K_mdiag(yη_m)"""
    eta = gates(F, problem)
    return mixture(F, problem, F.where(problem.y > 0, eta, -eta))


def mixture(F: Arithmetic, problem: Gating, eta: Tensor) -> Tensor:
    """Σ_m diag(η_m)K_mdiag(η_m)"""
    made = [F.congruence(eta[m], K) for m, K in enumerate(F.kernels(problem.kernels))]
    return sum(made[1:], made[0])


def extended(F: Arithmetic, problem: GatedRegression | GatedOneClass) -> Extension:
    """The machine of section 3.2 at the gating."""
    K = mixture(F, problem, gates(F, problem))
    if isinstance(problem, GatedRegression):
        return Regression(F, K, problem.y, problem.C, problem.epsilon)
    return OneClass(F, K, problem.nu)


def value(F: Arithmetic, problem: Points, Q: Tensor, alpha: Any) -> tuple[Tensor, Tensor]:
    """(7) at α clipped and balanced, at its best multiple x = 1ᵀα/αᵀQα, or at 0; and that α."""
    alpha = svm.feasible(F, alpha, problem.y, problem.C)
    best = svm.value(F, Q, alpha), alpha
    total = float(alpha.mid.sum())
    form = 2 * (total - float(best[0].mid))
    tried = [F.exact(np.zeros(problem.n))] if not best[0] > 0 else []
    gap = total - form
    if gap * gap > EPS * total * abs(form):  # it is worth more than rounding
        x = min(problem.C / float(alpha.mid.max()), total / form if form > 0 else np.inf)
        tried.append(svm.feasible(F, x * alpha.mid, problem.y, problem.C))
    for other in tried:
        low = svm.value(F, Q, other)
        best = (low, other) if low.lower > best[0].lower else best
    return best


def box_bound(
    F: Arithmetic, problem: Points, alpha: Any, box: tuple[float, float, float, float]
) -> Tensor:
    """A number below J(a, c) for all a in [a₋, a₊], c in [c₋, c₊]; α is made feasible."""
    if (problem.p, problem.d) != (2, 1):
        raise ValueError("a box of gatings needs two kernels and points on a line")
    alpha = svm.feasible(F, alpha, problem.y, problem.C)
    beta, x = F.where(problem.y > 0, alpha, -alpha), F.exact(problem.X[:, 0])
    A1, A2 = (F.congruence(beta, K) for K in F.kernels(problem.kernels))
    a_low, a_high, c_low, c_high = (F.exact(end) for end in box)
    a0, c0 = (a_low + a_high) / 2, (c_low + c_high) / 2
    r_a, r_c = (a_high - a_low) / 2, (c_high - c_low) / 2
    ends = a_low * x, a_high * x
    z = F.stack([F.minimum(*ends) + c_low, F.maximum(*ends) + c_high, a0 * x + c0])
    l, h, s1 = share(F, -z[None])
    h2, l2, s2 = share(F, z[None])  # η₂, not as 1 - η₁: it may be tiny

    signs = _signs(F, A1, l, h) + _signs(F, A2, l2, h2)

    e1, e2, radius = (l + h) / 2, (l2 + h2) / 2, ((h - l) / 2).positive()
    size, linear = abs(A1 + A2), abs(A1 @ e1 - A2 @ e2)
    spread = size @ radius
    centre = F.inner(e1, A1 @ e1) + F.inner(e2, A2 @ e2)
    centre = centre + 2 * F.inner(linear, radius) + F.inner(radius, spread)

    w1, w2 = A1 @ s1, A2 @ s2
    slope = 2 * s1 * s2 * (w1 - w2)
    delta = abs(x) * r_a + r_c
    # σ′ = η₁η₂ and σ″ = η₁η₂(η₂ - η₁) on the box, by the ranges of η₁ and η₂; the largest are
    # ¼ and 1/(6√3).
    steep = F.minimum(h * h2, 0.25)
    bend = F.minimum(steep * F.maximum(abs(h2 - l), abs(l2 - h)), 1 / (6 * F.exact(3.0).sqrt()))
    moved = steep * delta
    second = 2 * F.inner(moved, size @ moved) + 2 * F.inner(linear + spread, bend * delta.square())
    taylor = F.inner(s1, w1) + F.inner(s2, w2) + second / 2
    taylor = taylor + abs(F.inner(slope, x)) * r_a + abs(slope.sum()) * r_c

    return alpha.sum() - F.minimum(signs, F.minimum(centre, taylor)) / 2


def _signs(F: Arithmetic, A: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Σᵢⱼ Aᵢⱼηᵢηⱼ with every positive term at the upper ends, every negative one at the lower."""
    return F.inner(high, A.positive() @ high) - F.inner(low, (-A).positive() @ low)


# -- Enclosures: any point repaired, and both ends of the optimum computed there -----------------


@encloses("gonen2008-eq7")
def enclose_gated(F: Arithmetic, problem: Gated, point: Point) -> Any:
    """(7), whose value is the lower end."""
    low, high, variables = _machine(F, problem, point)
    return F.enclosure(low, low, high, variables)


@encloses("gonen2008-eq5")
def enclose_primal(F: Arithmetic, problem: Gated, point: Point) -> Any:
    """(5) at w_m = Σⱼ c_mjΦ_m(xⱼ), its best b and the ξ that are needed there; (7) below.

    The best of the c given and of those that (6) makes of α, and of α moved onto the margin.
    """
    Q, y = combined(F, problem), problem.y
    low, alpha = value(F, problem, Q, given(F, point, "alpha", np.full(problem.n, problem.C)))
    eta, K = gates(F, problem), F.kernels(problem.kernels)
    moved = [svm.on_margin(Q.mid, y, problem.C, alpha.mid, small) for small in svm.FREE]
    tried = [
        [(eta[m] * v).point() for m in range(problem.p)]
        for v in (y * alpha.point(), *(F.exact(y * v) for v in moved))
    ]
    if "c" in point:
        c = given(F, point, "c", np.zeros((problem.p, problem.n)))
        tried.append([c[m].point() for m in range(problem.p)])
    every = (primal(F, problem, eta, K, c) for c in tried)
    high, variables = min(every, key=lambda end: end[0].upper)
    return F.enclosure(high, low, high, {**variables, "alpha": alpha})


def primal(
    F: Arithmetic, problem: Gated, eta: Tensor, K: list[Tensor], c: list[Tensor]
) -> tuple[Tensor, dict[str, Tensor]]:
    """½Σ c_mᵀK_mc_m + C·1ᵀξ at the best b, and the point there."""
    images = [K_m @ c_m for K_m, c_m in zip(K, c, strict=True)]
    form = F.stack([F.inner(*pair) for pair in zip(c, images, strict=True)]).sum().positive()
    parts = [eta[m] * image for m, image in enumerate(images)]
    f = sum(parts[1:], parts[0])
    b = svm.kink(F, problem.y * f, problem.y)
    xi = (1 - problem.y * (f + b)).positive()
    return form / 2 + F.exact(problem.C) * xi.sum(), {"c": F.stack(c), "b": b, "xi": xi}


@encloses("gonen2008-alg1")
def enclose_localized(F: Arithmetic, problem: Localized, point: Point) -> Any:
    """J at the gating of the point, equal gates where it has none: an upper bound of the least."""
    at = problem.at(point.get("V"), point.get("v0"))
    low, high, variables = _machine(F, at, point)
    return F.enclosure(high, low, high, {**variables, "V": at.V, "v0": at.v0})


@encloses("gonen2008-alg1-regression")
def enclose_regression(F: Arithmetic, problem: LocalizedRegression, point: Point) -> Any:
    """J at the gating of the point, equal gates where it has none."""
    at = problem.at(point.get("V"), point.get("v0"))
    beta = given(F, point, "beta", np.zeros(problem.n))
    low, high, beta, b = extended(F, at).ends(beta)
    return F.enclosure(high, low, high, {"beta": beta, "b": b, "V": at.V, "v0": at.v0})


@encloses("gonen2008-alg1-oneclass")
def enclose_one_class(F: Arithmetic, problem: LocalizedOneClass, point: Point) -> Any:
    """The same; without α all are 1/n."""
    at = problem.at(point.get("V"), point.get("v0"))
    alpha = given(F, point, "alpha", np.full(problem.n, 1 / problem.n))
    low, high, alpha, b = extended(F, at).ends(alpha)
    return F.enclosure(high, low, high, {"alpha": alpha, "rho": -b, "V": at.V, "v0": at.v0})


def _machine(F: Arithmetic, problem: Gated, point: Point) -> tuple[Tensor, Tensor, dict[str, Any]]:
    """Both bounds of (7), and (α, b): w_m follows from α by (6), ξ from both."""
    Q = combined(F, problem)
    low, alpha = value(F, problem, Q, given(F, point, "alpha", np.full(problem.n, problem.C)))
    high = svm.upper(F, Q, problem.y, problem.C, alpha)
    b = svm.offset((Q @ alpha).mid, problem.y)
    return low, high, {"alpha": alpha, "b": b}

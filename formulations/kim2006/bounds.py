r"""Both ends of kim2006: no code of the program.

By the same steps as for ye2008. With q(u) = (a - Ju)ᵀG(a - Ju) + λuᵀu one has λF₁*(G) = min_u q(u),
linear in θ for fixed u, so that

    value(θ) = (q(u) - ‖∇q(u)/2‖²/λ)/λ ≤ F₁*(G(θ))    any u: q is 2λ-strongly convex    (lower)
    bound(u) = uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ       any u                             (upper)

∇q(u)/2 = λu - JG(a - Ju). The difference v = a - Ju is orthogonal to e, and J takes e to zero: the
kernels may be centred. Weights that sum to τ are worth 1/max(1, τ) times that, once divided by τ,
since F₁* grows with G and F₁*(xG) ≥ xF₁*(G) for x ≤ 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic import Arithmetic, Tensor, settled
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kim2006.programs import KernelFisher
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.weights import overspent, simplex
from cvxkernel.formulations.ye2008.data import solver

LITTLE = 1e-3  # of the width: another u that adds less is not looked for


@dataclass(frozen=True)
class Seen:
    """A point u: uᵀu, the forms vᵀGᵢv and the Gᵢv at v = a - Ju."""

    u: Tensor
    square: Tensor
    forms: Tensor
    images: list[Tensor]


class Bounds:
    """The kernels, centred, a, and J by its classes."""

    def __init__(self, F: Arithmetic, problem: KernelFisher) -> None:
        self.F, self.problem, self.lam = F, problem, F.exact(problem.lam)
        self.G = F.centred(problem.kernels, *problem.near)
        self.positive = problem.y == problem.y.max()
        self.sizes = [F.exact(float(rows.sum())) for rows in (self.positive, ~self.positive)]
        self.ones = F.exact(np.ones(problem.p))
        self.roots = [size.sqrt() for size in self.sizes]

    @property
    def a(self) -> Tensor:
        """1/m₊, -1/m₋"""
        plus, minus = self.sizes
        return self.F.where(self.positive, 1 / plus, -1 / minus)

    def within(self, u: Tensor) -> Tensor:
        """Ju: in each class the deviations from its mean, divided by the root of its size."""
        F, (plus, minus), rows = self.F, self.sizes, self.positive
        sums = u[rows].sum(axis=0), u[~rows].sum(axis=0)
        rows = rows if u.ndim == 1 else rows[:, None]
        means = F.where(rows, sums[0] / plus, sums[1] / minus)
        return (u - means) / F.where(rows, *self.roots)

    def seen(self, u: Tensor) -> Seen:
        """One pass over the kernels."""
        F, v = self.F, self.a - self.within(u)
        images = F.images(self.G, v)
        forms = F.stack([F.inner(v, image) for image in images])
        return Seen(u, F.inner(u, u), forms, images)

    def gradient(self, theta: Tensor, at: Seen) -> Tensor:
        """∇q(u)/2 = λu - JG(a - Ju)"""
        terms = [theta[i] * image for i, image in enumerate(at.images) if theta[i] > 0]
        return self.lam * at.u - self.within(sum(terms, 0.0 * at.u))

    def value(self, theta: Tensor, at: Seen) -> tuple[Tensor, Tensor]:
        """q(u)/λ, and what it may be above F₁*(G(θ))."""
        gradient = self.gradient(theta, at)
        q = self.F.inner(theta, at.forms) + self.lam * at.square
        return q / self.lam, self.F.inner(gradient, gradient) / self.lam / self.lam

    def lower(self, theta: Tensor, at: Seen) -> tuple[Tensor, Tensor]:
        """The lower end at weights within the budget, F₁* ≥ 0; and what another u may add to it."""
        high, over = self.value(theta, at)
        return ((high - over) / overspent(self.F, theta, self.ones)).positive(), over

    def bound(self, at: Seen) -> Tensor:
        """uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ"""
        return at.square + at.forms.max() / self.lam

    def weights(self, point: Point) -> Tensor:
        """Clipped at zero and divided by their sum."""
        return simplex(self.F, given(self.F, point, "theta", np.ones(len(self.G))), self.ones)

    def start(self) -> Seen:
        """u = 0, where v = a; no number of the problem stands in it."""
        known = _begun(self.problem.near.kernels)
        key = self.F.bits, self.problem.y.tobytes()
        if key not in known:
            known[key] = self.seen(self.F.exact(np.zeros(self.problem.n)))
        return known[key]

    def best(self, theta: Tensor, start: Seen) -> Seen:
        """Near the minimizer of q, by Newton's steps, as many as F has digits for."""
        at, solve = start, system(self.problem, theta.mid)[1]
        for _ in range(1 + self.F.bits // 60):
            step = solve(self.gradient(theta, at).mid[:, None])[:, 0]
            at = self.seen((at.u - step).point())
        return at


@per_array
def _begun(kernels: Array) -> dict[tuple[int, bytes], Seen]:
    """What is seen of a stack at u = 0, by the bits of the arithmetic and the labels."""
    return {}


def system(problem: KernelFisher, theta: Array) -> tuple[Array, Callable[[Array], Array]]:
    """G, and B ↦ (λI + JGJ)⁻¹B at these weights, in doubles."""
    G = np.tensordot(theta, problem.near.kernels, axes=1)
    M = within(problem.y, within(problem.y, G).T)
    M += M.T.copy()
    M /= 2
    M.flat[:: problem.n + 1] += problem.lam
    return G, solver(M, problem.lam, refined=True)


def within(y: Array, U: Array) -> Array:
    """JU"""
    out: Array = np.empty_like(U)
    positive = y == y.max()
    for rows in (positive, ~positive):
        out[rows] = (U[rows] - U[rows].mean(axis=0)) / np.sqrt(rows.sum())
    return out


def value(F: Arithmetic, problem: KernelFisher, theta: Any) -> Tensor:
    """F₁*(G(θ)), for θ ≥ 0."""
    bounds, theta = Bounds(F, problem), F.exact(theta)
    high, over = bounds.value(theta, bounds.best(theta, bounds.start()))
    return F.between(high - over, high).positive()


def bound(F: Arithmetic, problem: KernelFisher, u: Any) -> Tensor:
    """uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ, for any u."""
    bounds = Bounds(F, problem)
    return bounds.bound(bounds.seen(F.exact(u)))


@encloses("kim2006")
@encloses("kim2006-epigraph", epigraph=True)
def enclose(F: Arithmetic, problem: KernelFisher, point: Point, *, epigraph: bool = False) -> Any:
    """Both ends at the point's own u and, if that moves them, at the best u of the weights.

    t is what the matrix inequality asks for at θ, in the epigraph the largest form at u.
    """
    bounds = Bounds(F, problem)
    theta, start = bounds.weights(point), bounds.start()
    near = bounds.seen(given(F, point, "u", start.u)) if "u" in point else start
    (low, over), upper = bounds.lower(theta, near), bounds.bound(near)
    if not settled(F, low, upper) and not over <= LITTLE * (upper - low):
        own = bounds.best(theta, start)
        low = max(low, bounds.lower(theta, own)[0], key=lambda end: end.lower)
        least = bounds.bound(own)
        upper, near = (least, own) if least.upper < upper.upper else (upper, near)
    if epigraph:
        point = {"u": near.u, "t": near.forms.max(), "theta": theta}
        return F.enclosure(upper, low, upper, point)
    t = F.inner(theta, start.forms) - bounds.lam * low  # aᵀGa - λF₁*
    return F.enclosure(low, low, upper, {"theta": theta, "t": t, "u": near.u})

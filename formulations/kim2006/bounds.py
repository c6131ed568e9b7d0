r"""Both ends of kim2006: plain numpy, no code of the program.

By the same steps as for ye2008. With q(u) = (a - Ju)ᵀG(a - Ju) + λuᵀu one has λF₁*(G) = min_u q(u),
linear in θ for fixed u, so that

    value(θ) = (q(u) - ‖∇q(u)/2‖²/λ)/λ ≤ F₁*(G(θ))    any u: q is 2λ-strongly convex    (lower)
    bound(u) = uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ       any u                             (upper)

The Gᵢ are the nearest semidefinite matrices, and those that a problem holds are within sᵢ of them
in norm: with v = a - Ju that is sᵢ‖v‖² of a form, and Σᵢ θᵢsᵢ‖v‖ of ∇q(u)/2, since ‖J‖ ≤ 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.enclosure import Bounded, Enclosure, rounding
from cvxkernel.formulations.formulation import Point, encloses
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kim2006.programs import KernelFisher
from cvxkernel.formulations.ye2008.data import solver


def _class_difference(problem: KernelFisher) -> Array:
    positive = problem.y == problem.y.max()
    a: Array = positive / positive.sum() - ~positive / (~positive).sum()
    return a[:, None]


def _within(problem: KernelFisher, u: Array) -> Array:
    """Ju: in each class the deviations from its mean, divided by the root of its size."""
    return _by_class(problem, u, -1)


def _by_class(problem: KernelFisher, u: Array, sign: int) -> Array:
    """(uᵢ ± the mean of its class)/√m±; with + and |u|, what Ju is summed from."""
    out: Array = np.empty_like(u)
    for label in np.unique(problem.y):
        rows = problem.y == label
        out[rows] = (u[rows] + sign * u[rows].mean(axis=0)) / np.sqrt(rows.sum())
    return out


def system(problem: KernelFisher, theta: Array) -> tuple[Array, Callable[[Array], Array]]:
    """G, and B ↦ (λI + JGJ)⁻¹B at these weights."""
    G = np.tensordot(theta, problem.near.kernels, axes=1)
    M = _within(problem, _within(problem, G).T)
    M += M.T.copy()
    M /= 2
    M.flat[:: problem.n + 1] += problem.lam
    return G, solver(M, problem.lam, refined=True)


def best_u(problem: KernelFisher, theta: Array) -> Array:
    """(λI + JGJ)⁻¹JGa, the minimizer of q at these weights."""
    G, solve = system(problem, theta)
    return solve(_within(problem, G @ _class_difference(problem)))


class Difference(NamedTuple):
    """v = a - Ju, and what it is summed from in absolute values."""

    v: Array
    size: Array

    @classmethod
    def at(cls, problem: KernelFisher, u: Array) -> Difference:
        """At this u."""
        a = _class_difference(problem)
        return cls(a - _within(problem, u), np.abs(a) + _by_class(problem, np.abs(u), 1))

    def form(self, G: Array) -> Bounded:
        """vᵀGv; v itself, on either side, is rounded as the product is"""
        made_of = float(np.sum(self.size * (np.abs(G) @ self.size)))
        return float(np.sum(self.v * (G @ self.v))), 3 * rounding(len(G), made_of)


def value(problem: KernelFisher, theta: Array) -> Bounded:
    """A number not above F₁*(G(θ)), and the allowance for its rounding; the solve is charged."""
    lam, u = problem.lam, best_u(problem, theta)
    G, at = np.tensordot(theta, problem.near.kernels, axes=1), Difference.at(problem, u)
    form, rounded = at.form(G)
    square, off = float(np.sum(u**2)), float(theta @ problem.near.slack)
    gradient = lam * u - _within(problem, G @ at.v)
    made_of = lam * np.abs(u) + 2 * np.abs(G) @ at.size
    spread = float(np.linalg.norm(at.size))
    steep = float(np.linalg.norm(gradient))
    most = steep + off * spread + rounding(problem.n, float(np.linalg.norm(made_of)))
    q = form + lam * square - steep**2 / lam
    allowance = rounded + off * spread**2 + rounding(problem.n, lam * square)
    return q / lam, (allowance + (most**2 - steep**2) / lam) / lam


def bound(problem: KernelFisher, u: Array) -> Bounded:
    """uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ, and the allowance for its rounding."""
    at = Difference.at(problem, u)
    forms = np.array([at.form(K) for K in problem.near.kernels])
    forms[:, 1] += problem.near.slack * float(np.sum(at.size**2))
    square, top = float(np.sum(u**2)), float(forms[:, 0].max())
    more = float(forms.sum(axis=1).max()) - top
    return square + top / problem.lam, rounding(problem.n, square) + more / problem.lam


@encloses("kim2006")
def enclose(problem: KernelFisher, point: Point) -> Enclosure:
    """Weights clipped at zero and divided by their sum; u the point's own or the weights' best."""
    ones = np.ones(problem.p)
    theta = np.maximum(inputs.weights("theta", point.get("theta", ones), (problem.p,)), 0.0)
    theta = theta / theta.sum() if theta.sum() > 0 else ones / problem.p
    low, down = value(problem, theta)
    candidates = [best_u(problem, theta)]
    if "u" in point:
        candidates.append(inputs.weights("u", point["u"], (problem.n, 1)))
    (high, up), u = min(((bound(problem, u), u) for u in candidates), key=lambda c: sum(c[0]))
    a, G = _class_difference(problem), np.tensordot(theta, problem.near.kernels, axes=1)
    t = (a.T @ G @ a).item() - problem.lam * low
    lower = max(low - down, 0.0)  # F₁* ≥ 0
    return Enclosure(
        max(low, 0.0), lower, high + up, {"theta": theta, "t": np.array(t), "u": u[:, 0]}
    )

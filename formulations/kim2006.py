r"""Kim, Magnani and Boyd (2006): optimal kernel selection in kernel Fisher discriminant analysis.

The semidefinite program that Ye, Ji and Chen (2008) compare with, in their notation: maximize (4),

    F₁*(G) = (1/λ) aᵀ(G - GJ(λI + JGJ)⁻¹JG)a     over G = Σᵢ θᵢGᵢ, θ ≥ 0, Σᵢ θᵢ = 1,

with a from (3) and J the block diagonal of (1/√m±)(I - eeᵀ/m±), as printed below (3).

# With this J, (4) is the maximum of Kim's ratio, whose denominator is S⁺ + S⁻ + λI. It is the
# maximum of (1) only if both blocks carry 1/√m.

Both ends, by the same steps as for ye2008. With q(u) = (a - Ju)ᵀG(a - Ju) + λuᵀu one has
λF₁*(G) = min_u q(u), linear in θ for fixed u, so that

    value(θ) = (q(u) - ‖∇q(u)/2‖²/λ)/λ ≤ F₁*(G(θ))    any u: q is 2λ-strongly convex    (lower)
    bound(u) = uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ       any u                             (upper)

The Gᵢ are the nearest semidefinite matrices, and those that a problem holds are within sᵢ of them
in norm: with v = a - Ju that is sᵢ‖v‖² of a form, and Σᵢ θᵢsᵢ‖v‖ of ∇q(u)/2, since ‖J‖ ≤ 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import cvxpy as cp
import numpy as np
from scipy.linalg import block_diag

from cvxkernel.formulations import inputs
from cvxkernel.formulations.enclosure import Bounded, Enclosure, rounding
from cvxkernel.formulations.legacy import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.program import Program, combination
from cvxkernel.formulations.ye2008.data import TwoClasses, solver
from cvxkernel.formulations.ye2008.units import Scaled, computing


@dataclass(frozen=True, eq=False)
class KernelFisher(TwoClasses):
    """Kernels (p, n, n) not centred, labels y (n,) of two classes, λ > 0."""

    lam: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "lam", inputs.positive("lam", self.lam))
        inputs.check_classes("y", self.k, at_most=2)
        inputs.check_traces("kernels", np.trace(self.kernels, axis1=1, axis2=2), self.kernels)

    @cached_property
    def J(self) -> Array:
        """Below (3): the blocks (1/√m₊)(I - eeᵀ/m₊) and (1/√m₋)(I - eeᵀ/m₋), in the order of y."""
        blocks, order = [], []
        for label in self.classes[::-1]:
            rows = np.flatnonzero(self.y == label)
            m = len(rows)
            blocks.append((np.eye(m) - np.ones((m, m)) / m) / np.sqrt(m))
            order.append(rows)
        place = np.argsort(np.concatenate(order))
        J: Array = block_diag(*blocks)[np.ix_(place, place)]
        return J

    def sdp(self) -> Program:
        r"""Maximize (4), by the Schur complement of λI + JGJ.

        maximize    (1/λ) (aᵀGa - t)                      over θ ∈ Rᵖ, t ∈ R, G = Σᵢ θᵢGᵢ
        subject to  [ λI + JGJ   JGa ]
                    [ aᵀGJ       t   ]  ⪰ 0               (lmi)
                    Σᵢ θᵢ = 1                             (budget)
                    θ ≥ 0                                 (nonneg)
        """
        theta, t = cp.Variable(self.p, name="theta"), cp.Variable((1, 1), name="t")
        a, J, K = self.a, self.J, self.near.kernels
        JGJ = combination(theta, J @ K @ J)
        JGa = combination(theta, J @ K @ a)
        aGa = combination(theta, a.T @ K @ a)
        return Program(
            maximize=aGa[0, 0] / self.lam - t[0, 0] / self.lam,
            lmi=cp.bmat([[self.lam * np.eye(self.n) + JGJ, JGa], [JGa.T, t]]) >> 0,
            budget=cp.sum(theta) == 1,
            nonneg=theta >= 0,
        )

    def u_from_lmi(self, program: Program) -> Array:
        r"""u = -Z₁₂/Z₂₂ from the dual matrix of the LMI.

        ∂L/∂t = -1/λ + Z₂₂ = 0; with Z₁₂ = -u/λ, Z₁₁ = uuᵀ/λ the rest of the Lagrangian is bound(u).
        """
        Z = program.dual("lmi")
        u: Array = -Z[:-1, [-1]] / Z[-1, -1]
        return u


# -- Both ends: plain numpy, no code of the program --------------------------------------------


def _class_difference(problem: KernelFisher) -> Array:
    positive = problem.y == problem.y.max()
    a: Array = positive / positive.sum() - ~positive / (~positive).sum()
    return a[:, None]


def _within(problem: KernelFisher, u: Array) -> Array:
    """Ju: in each class the deviations from its mean, divided by the root of its size."""
    out: Array = np.empty_like(u)
    for label in np.unique(problem.y):
        rows = problem.y == label
        out[rows] = (u[rows] - u[rows].mean(axis=0)) / np.sqrt(rows.sum())
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
        a, within = _class_difference(problem), _within(problem, u)
        return cls(a - within, np.abs(a) + np.abs(within))

    def form(self, G: Array) -> Bounded:
        """vᵀGv"""
        made_of = float(np.sum(self.size * (np.abs(G) @ self.size)))
        return float(np.sum(self.v * (G @ self.v))), rounding(len(G), made_of)


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


def _unit(problem: KernelFisher) -> Scaled:
    """Kernels and λ divided by the largest trace, which changes no value; 1 at equal weights."""
    top = float(np.trace(problem.kernels, axis1=1, axis2=2).max())
    low, _ = value(problem, np.full(problem.p, 1 / problem.p))
    made = computing(problem, problem.near.kernels / top, lam=problem.lam / top)
    return Scaled(made, 1 / float(np.sqrt(low)) if low > 0 else 1.0)


def _restore(problem: KernelFisher, unit: Scaled, point: Point) -> Point:
    return {**point, "u": point["u"] / unit.scale}


FORMULATIONS = (
    Formulation(
        id="kim2006",
        where="ye2008, (4) and below",
        kind="SDP",
        sense="maximize",
        statement="max (aᵀGa - t)/λ, [λI + JGJ, JGa; aᵀGJ, t] ⪰ 0, G = ΣθᵢGᵢ, θ ≥ 0, Σθᵢ = 1",
        problem=KernelFisher,
        keys=("kernels", "y", "lam"),
        program=KernelFisher.sdp,
        recover=lambda problem, program: {
            "theta": program.value("theta"),
            "u": problem.u_from_lmi(program),
        },
        enclose=enclose,
        unit=_unit,
        restore=_restore,
        binary=True,
    ),
)

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
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cvxpy as cp
import numpy as np
from scipy.linalg import block_diag, cho_factor, cho_solve

from cvxkernel.formulations import inputs
from cvxkernel.formulations.enclosure import Enclosure, quadratic, rounding
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.program import Program, combination
from cvxkernel.formulations.ye2008.data import TwoClasses


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
        a, J, K = self.a, self.J, self.kernels
        JGJ = combination(theta, J @ K @ J)
        JGa = combination(theta, J @ K @ a)
        aGa = combination(theta, a.T @ K @ a)
        return Program(
            maximize=(aGa - t)[0, 0] / self.lam,
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
    return np.multiply(problem.scale, a[:, None])


def _within(problem: KernelFisher, u: Array) -> Array:
    """Ju: in each class the deviations from its mean, divided by the root of its size."""
    out: Array = np.empty_like(u)
    for label in np.unique(problem.y):
        rows = problem.y == label
        out[rows] = (u[rows] - u[rows].mean(axis=0)) / np.sqrt(rows.sum())
    return out


def best_u(problem: KernelFisher, theta: Array) -> Array:
    """(λI + JGJ)⁻¹JGa, the minimizer of q at these weights."""
    G = np.tensordot(theta, problem.kernels, axes=1)
    JGJ = _within(problem, _within(problem, G).T)
    rhs = _within(problem, G @ _class_difference(problem))
    M = (JGJ + JGJ.T) / 2 + problem.lam * np.eye(problem.n)
    u: Array = cho_solve(cho_factor(M, lower=True), rhs)
    return u


def value(problem: KernelFisher, theta: Array) -> tuple[float, float]:
    """A number not above F₁*(G(θ)), and the allowance for its rounding; the solve is charged."""
    G, u = np.tensordot(theta, problem.kernels, axes=1), best_u(problem, theta)
    v = _class_difference(problem) - _within(problem, u)
    form, slack = quadratic(G, v)
    gradient = problem.lam * u - _within(problem, G @ v)
    q = form + problem.lam * float(np.sum(u**2)) - float(np.sum(gradient**2)) / problem.lam
    return q / problem.lam, (slack + rounding(problem.n, q)) / problem.lam


def bound(problem: KernelFisher, u: Array) -> tuple[float, float]:
    """uᵀu + maxᵢ (a - Ju)ᵀGᵢ(a - Ju)/λ, and the allowance for its rounding."""
    v = _class_difference(problem) - _within(problem, u)
    forms = np.array([quadratic(K, v) for K in problem.kernels])
    square = float(np.sum(u**2))
    slack = rounding(problem.n, square) + forms[:, 1].max() / problem.lam
    return square + float(forms[:, 0].max()) / problem.lam, slack


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
    a, G = _class_difference(problem), np.tensordot(theta, problem.kernels, axes=1)
    t = (a.T @ G @ a).item() - problem.lam * low
    return Enclosure(low, low - down, high + up, {"theta": theta, "t": np.array(t), "u": u[:, 0]})


def _unit(problem: KernelFisher) -> KernelFisher:
    """Kernels and λ divided by the largest trace, which changes no value; 1 at equal weights."""
    top = float(np.trace(problem.kernels, axis1=1, axis2=2).max())
    low, _ = value(problem, np.full(problem.p, 1 / problem.p))
    scale = problem.scale / np.sqrt(low) if low > 0 else problem.scale
    return with_numbers(problem, kernels=problem.kernels / top, lam=problem.lam / top, scale=scale)


def _restore(problem: KernelFisher, unit: KernelFisher, point: Point) -> Point:
    return {**point, "u": point["u"] / (unit.scale / problem.scale)}


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

"""Exercises of tang2009, on one small instance."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cvxkernel.formulations import kernels
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009 import Regularized, Shared, bounds, to_beta, to_lam
from cvxkernel.solvers import Solution, solve
from cvxkernel.validation.exercises import shapes

NEAR = 0.01  # of the price from which on all is shared


@cache
def problem() -> Regularized:
    """Thirty samples, three labels, four Gaussian kernels that see a coordinate each, λ = 1."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 4))
    V = np.array([[2, 0, 0, 0], [1, 1.5, 0, 0], [1, 0, 1.5, 0]])
    Y = np.where(V @ X.T + 0.5 * rng.normal(size=(3, 30)) > 0, 1.0, -1.0)
    G = np.stack([kernels.gaussian(X[:, [i]], 1.5) for i in range(4)])
    return Regularized(G, Y, 1.0, 1.0)


@cache
def optimum() -> Solution:
    """Of Theorem 3.1 there."""
    return solve("tang2009-thm3.1", problem())


@cache
def same() -> tuple[Shared, Solution]:
    """One kernel for all labels, by (11)."""
    at = problem()
    shared = Shared(at.kernels, at.Y, at.C, 0.0)
    return shared, solve("tang2009-eq11", shared, tol=1e-9)


def same_from() -> float:
    """The λ from which on the optimum is that of Same: (B - A)/k at the α of Same."""
    shared, found = same()
    return to_lam(shared, found.variables).lam


def read(answer: Any) -> str | None:
    """The optimum of Theorem 3.1."""
    best, at = optimum(), problem()
    paid = at.lam * to_beta(at, best.variables).beta
    return shapes.number(answer, best.lower, best.upper, {
        "that is the optimum of (11): λΩ is a part of (3)": best.value - paid,
    })  # fmt: skip


def difference(answer: Any) -> str | None:
    """The least Ω that weights θ allow."""
    rng = np.random.default_rng(0)
    places = [(rng.dirichlet(np.ones(p), size=k),) for k, p in ((2, 3), (3, 4), (5, 2))]
    return shapes.same(answer, bounds.omega, places, {
        "(7) has a factor of one half": lambda theta: 2 * bounds.omega(theta),
        "ζ is at most the smallest θᵢᵗ of each kernel; that is the mean": lambda theta: (
            np.maximum(theta - theta.mean(axis=0), 0).sum() / 2
        ),
    })  # fmt: skip


def recovery(answer: Any) -> str | None:
    """θ from the multipliers of Theorem 3.1."""
    rng = np.random.default_rng(1)
    places = [(rng.random(4), rng.random((3, 4))) for _ in range(3)]
    return shapes.same(answer, lambda mu, nu: 2 * (mu + nu), places, {
        "s has the coefficient one half, and so the multipliers add up to that": (
            lambda mu, nu: mu + nu
        ),
        "those are the γ: θ = ζ + γ": lambda mu, nu: 2 * nu,
    })  # fmt: skip


def bound(answer: Any) -> str | None:
    """A lower end for any α, from the closed form of the least over the weights."""
    at = problem()

    def end(alpha: Array, choose: Callable[[Any, Any], Any], k: float = at.k) -> Any:
        forms = 2 * (alpha.sum(axis=1)[:, None] - at.D(alpha))
        A, B = forms.sum(axis=0).max(), forms.max(axis=1).sum()
        return alpha.sum() - choose(A, B - k * at.lam) / 2

    rng = np.random.default_rng(2)
    best = optimum().variables["alpha"]
    moved = [rng.random() * best + rng.random(best.shape) / 4 for _ in range(20)]
    feasible = bounds.Bounds(DOUBLES, at).feasible
    tried = [best, same()[1].variables["alpha"], *(feasible(alpha).mid for alpha in moved)]
    places = [(alpha,) for alpha in tried]
    return shapes.lower_end(answer, lambda alpha: end(alpha, max), places, {
        "it takes the smaller of the two: s is at least as large as each": lambda alpha: end(
            alpha, min
        ),
        "each of the k labels pays λ: B - kλ": lambda alpha: end(alpha, max, 1.0),
    }, optimum().upper)  # fmt: skip


def share(answer: Any) -> str | None:
    """The β at which k labels share at least a part of the kernel."""
    places = [(part, k) for part in (0.1, 0.6, 0.8) for k in (2, 7)]
    return shapes.same(answer, lambda part, k: k * (1 - part) / 2, places, {
        "Ω has a factor of one half": lambda part, k: k * (1 - part),
        "β bounds what is not shared": lambda part, k: k * part / 2,
    })  # fmt: skip


def price(answer: Any) -> str | None:
    """The λ from which on the optimum is that of Same."""
    lam = same_from()
    return shapes.number(answer, (1 - NEAR) * lam, (1 + NEAR) * lam, {
        "that is B - A, which the k labels pay together": problem().k * lam,
    })  # fmt: skip


EXERCISES: dict[str, tuple[str, Callable[[Any], str | None]]] = {
    "tang2009-1": ("the optimum of Theorem 3.1", read),
    "tang2009-2": ("a function of θ: the least Ω", difference),
    "tang2009-3": ("a function of the multipliers μ and ν: the weights θ", recovery),
    "tang2009-4": ("a function of α: a lower end of the optimum", bound),
    "tang2009-5": ("a function of the share and k: the bound β", share),
    "tang2009-6": ("the λ from which on all is shared, to one per cent", price),
}

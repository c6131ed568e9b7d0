"""Exercises of ye2008, on one small instance."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import Discriminant
from cvxkernel.solvers import Solution, solve
from cvxkernel.validation.exercises import shapes
from cvxkernel.validation.instances import blobs, gaussian_kernels


@cache
def problem() -> Discriminant:
    """Twenty points, two classes, four Gaussian kernels, λ = 0.01."""
    X, y = blobs(20, 2, d=2, seed=3)
    return Discriminant(gaussian_kernels(X, 4), y, lam=0.01)


@cache
def optimum() -> Solution:
    """Of Theorem 2.2 there."""
    return solve("ye2008-thm2.2", problem())


def read(answer: Any) -> str | None:
    """The optimum of Theorem 2.2."""
    best = optimum()
    return shapes.number(answer, best.lower, best.upper, {
        "that is minus the optimum: (13) is a maximum, and its value is positive": -best.value,
    })  # fmt: skip


def sign(answer: Any) -> str | None:
    """The optimum of Theorem 2.3."""
    best = optimum()
    return shapes.number(answer, -best.upper, -best.lower, {
        "that is the optimum of Theorems 2.1 and 2.2; γ is at most -v(θ)": best.value,
    })  # fmt: skip


def weights(answer: Any) -> str | None:
    """Optimal θ of Theorem 2.1."""
    return shapes.point("ye2008-thm2.1", problem(), theta=answer)


def one_kernel(answer: Any) -> str | None:
    """v of one kernel, from its centred matrix, a and λ: (10), its second term."""

    def right(G: Array, a: Array, lam: float) -> Any:
        return a @ np.linalg.solve(np.eye(len(a)) + G / (lam * np.trace(G)), a)

    def unscaled(G: Array, a: Array, lam: float) -> Any:
        return a @ np.linalg.solve(np.eye(len(a)) + G / lam, a)

    def ratio(G: Array, a: Array, lam: float) -> Any:
        return a @ a - right(G, a, lam)

    at = problem()
    a = np.ravel(at.a)
    places = [(at.G[i], a, lam) for i in range(at.p) for lam in (0.01, 1.0)]
    return shapes.same(answer, right, places, {
        "θ is 1/r, not 1: θᵀr = 1 is a constraint": unscaled,
        "that is F₂* itself; asked is the term that is subtracted from aᵀa": ratio,
    })  # fmt: skip


def bound(answer: Any) -> str | None:
    """A lower end for any β, from the dual (13)."""
    at, a = problem(), np.ravel(problem().a)

    def forms(beta: Array) -> Array:
        return np.array([beta @ at.G[i] @ beta / at.r[i] for i in range(at.p)])

    def end(beta: Array, choose: Callable[[Array], Any]) -> Any:
        return beta @ a - beta @ beta / 4 - choose(forms(beta)) / (4 * at.lam)

    rng = np.random.default_rng(0)
    best = np.ravel(optimum().variables["beta"])
    places = [(best,), *((best + 0.02 * rng.normal(size=at.n),) for _ in range(20))]
    return shapes.lower_end(answer, lambda beta: end(beta, np.max), places, {
        "it takes the smallest of the p forms: t is at least as large as each": lambda beta: end(
            beta, np.min
        ),
        "it takes their mean: a vertex of the simplex is worst, not its middle": lambda beta: end(
            beta, np.mean
        ),
    }, optimum().upper)  # fmt: skip


def recovery(answer: Any) -> str | None:
    """θ from the multipliers μ of (13), with r and λ."""
    rng = np.random.default_rng(1)
    places = [(rng.random(4), 1 + rng.random(4), lam) for lam in (0.01, 2.0)]
    return shapes.same(answer, lambda mu, r, lam: 4 * lam * mu / r, places, {
        "the multiplier of t is 1/(4λ): the μ add up to that, and θᵀr to one": (
            lambda mu, r, lam: mu / r
        ),
        "each constraint has its 1/rᵢ: θᵀr = 1, not Σθ = 1": lambda mu, r, lam: 4 * lam * mu,
    })  # fmt: skip


EXERCISES: dict[str, tuple[str, Callable[[Any], str | None]]] = {
    "ye2008-1": ("the optimum of Theorem 2.2", read),
    "ye2008-2": ("the optimum of Theorem 2.3", sign),
    "ye2008-3": ("weights θ that are optimal for Theorem 2.1", weights),
    "ye2008-4": ("a function of G, a and λ: v for one kernel", one_kernel),
    "ye2008-5": ("a function of β: a lower end of the optimum", bound),
    "ye2008-6": ("a function of μ, r and λ: the weights θ", recovery),
}

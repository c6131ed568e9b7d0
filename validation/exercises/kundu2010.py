"""Exercises of kundu2010, on one small instance."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities
from cvxkernel.solvers import Solution, solve
from cvxkernel.solvers.mirror_descent.maps import logarithm, mirror, printed_step
from cvxkernel.validation.exercises import shapes
from cvxkernel.validation.instances import sample

SIZE, TAU = 5, 5.0


@cache
def problem() -> Similarities:
    """Ten samples, three similarities, the loss L3."""
    data = sample("kundu2010-eq4", 10, 3)
    return Similarities(*(data[key] for key in ("S", "y", "C", "rho", "tau", "loss")))


@cache
def optimum() -> Solution:
    """Of (4) there."""
    return solve("kundu2010-eq4", problem())


def _symmetric(rng: np.random.Generator) -> Array:
    A = rng.normal(size=(SIZE, SIZE))
    W: Array = A + A.T
    return W


def _kernel(rng: np.random.Generator) -> Array:
    A = rng.normal(size=(SIZE, SIZE))
    K = A @ A.T + 0.1 * np.eye(SIZE)
    scaled: Array = TAU * K / np.trace(K)
    return scaled


def _true(K: Array, g: Array, eta: float) -> Array:
    K_next: Array = mirror(logarithm(K[None]) - eta * g, TAU)[0][0]
    return K_next


def _printed(K: Array, g: Array, eta: float) -> Array:
    lam: Array = np.asarray(np.linalg.eigvalsh(K), dtype=np.float64)
    K_next: Array = printed_step(lam[None], g[None], eta, TAU)[1][0]
    return K_next


def read(answer: Any) -> str | None:
    """The optimum of (4)."""
    best = optimum()
    slips = {"that is minus the optimum: (4) is a minimum, and positive": -best.value}
    return shapes.number(answer, best.lower, best.upper, slips)


def learned(answer: Any) -> str | None:
    """An optimal K of (4)."""
    return shapes.point("kundu2010-eq4", problem(), tol=1e-4, K=answer)


def least(answer: Any) -> str | None:
    """The least value of ⟨W, K⟩ over K ⪰ 0 with trace K = τ."""
    rng = np.random.default_rng(0)
    places = [(_symmetric(rng), tau) for tau in (1.0, 2.5, 10.0)]
    return shapes.same(answer, lambda W, tau: tau * np.linalg.eigvalsh(W)[0], places, {
        "the trace of K is τ, not one": lambda W, tau: np.linalg.eigvalsh(W)[0],
        "that is the largest value": lambda W, tau: tau * np.linalg.eigvalsh(W)[-1],
    })  # fmt: skip


def slope(answer: Any) -> str | None:
    """The gradient in K of 1ᵀα - ½αᵀYKYα."""
    rng = np.random.default_rng(1)
    signs = np.where(np.arange(SIZE) % 2, 1.0, -1.0)
    places = [(rng.random(SIZE), signs) for _ in range(3)]
    return shapes.same(answer, lambda alpha, y: -np.outer(y * alpha, y * alpha) / 2, places, {
        "K enters with a minus": lambda alpha, y: np.outer(y * alpha, y * alpha) / 2,
        "Y stands on both sides of K": lambda alpha, y: -np.outer(alpha, alpha) / 2,
    })  # fmt: skip


def step(answer: Any) -> str | None:
    """The mirror step from K along g with size η, at trace τ = 5."""
    rng = np.random.default_rng(2)
    places = [(_kernel(rng), _symmetric(rng), eta) for eta in (0.1, 0.5)]
    return shapes.same(answer, _true, places, {
        "that is the printed step: the eigenvalues of K in the eigenvectors of g": _printed,
        "its trace is one, not τ = 5": lambda K, g, eta: _true(K, g, eta) / TAU,
    })  # fmt: skip


def apart(answer: Any) -> str | None:
    """A pair K, g for which the printed step is not the mirror step."""
    K, g = (np.asarray(matrix, dtype=float) for matrix in answer)
    for name, matrix in (("K", K), ("g", g)):
        if matrix.shape != (len(K), len(K)) or not np.allclose(matrix, matrix.T):
            return f"{name} is not a symmetric matrix of the size of K"
    if np.linalg.eigvalsh(K)[0] <= 0 or not np.isclose(np.trace(K), TAU):
        return "K is not positive definite with trace 5"
    far = float(np.linalg.norm(_true(K, g, 0.1) - _printed(K, g, 0.1)))
    if far > 0.1:
        return None
    size = np.linalg.norm(K @ g - g @ K)
    why = "they commute" if np.isclose(size, 0) else "they nearly agree"
    return f"with η = 0.1 the two steps differ by {far:.1g}, asked is 0.1: {why}"


EXERCISES: dict[str, tuple[str, Callable[[Any], str | None]]] = {
    "kundu2010-1": ("the optimum of (4)", read),
    "kundu2010-2": ("a kernel K that is optimal for (4) to 1e-4", learned),
    "kundu2010-3": ("a function of W and τ: the least ⟨W, K⟩", least),
    "kundu2010-4": ("a function of α and y: the gradient in K", slope),
    "kundu2010-5": ("a function of K, g and η: the mirror step, τ = 5", step),
    "kundu2010-6": ("a pair K, g that tells the two steps apart", apart),
}

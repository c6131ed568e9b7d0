"""Exercises of gonen2008, on one small instance."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from cvxkernel.formulations.gonen2008 import Gated, gates
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import Solution, solve
from cvxkernel.validation.exercises import shapes
from cvxkernel.validation.instances import random_kernels


@cache
def problem() -> Gated:
    """Eight points in the plane, two kernels, C = 10 and a gating."""
    rng = np.random.default_rng(3)
    y = np.where(np.arange(8) % 2, 1.0, -1.0)
    X = rng.normal(size=(8, 2)) + 0.7 * y[:, None]
    kernels = 8 * random_kernels(8, 2, rank=3, seed=3)
    return Gated(kernels, y, X, 10.0, np.array([[1.0, 0.5], [-0.5, 0.0]]), np.array([0.2, -0.2]))


@cache
def optimum() -> Solution:
    """Of (7) at its gating."""
    return solve("gonen2008-eq7", problem(), tol=1e-9)


@cache
def summed() -> Solution:
    """Of (7) with the kernels added up: both gates are ½, and each stands twice in K_η."""
    at = problem()
    equal = Gated(4 * at.kernels, at.y, at.X, at.C, np.zeros((2, 2)), np.zeros(2))
    return solve("gonen2008-eq7", equal, tol=1e-9)


def read(answer: Any) -> str | None:
    """The optimum of (7) at the gating."""
    best = optimum()
    return shapes.number(answer, best.lower, best.upper, {
        "that is with the kernels added up: the gates are left out": summed().value,
    })  # fmt: skip


def gating(answer: Any) -> str | None:
    """The gates η_m(xᵢ), a row for each kernel."""
    rng = np.random.default_rng(0)
    places = [
        (rng.normal(size=(n, d)), rng.normal(size=(p, d)), rng.normal(size=p))
        for n, d, p in ((5, 2, 3), (4, 1, 2))
    ]

    def raised(X: Array, V: Array, v0: Array) -> Array:
        power: Array = np.exp(V @ X.T + v0[:, None])
        return power

    return shapes.same(answer, gates, places, {
        "the gates of a point add up to one": raised,
        "the gates of a point add up to one, not those of a kernel": lambda X, V, v0: (
            raised(X, V, v0) / raised(X, V, v0).sum(axis=1, keepdims=True)
        ),
        "the threshold v_m0 is left out": lambda X, V, v0: gates(X, V, 0 * v0),
        "a row for each kernel is asked, not for each point": lambda X, V, v0: gates(X, V, v0).T,
    })  # fmt: skip


def _weighted(left: Array, kernels: Array, right: Array) -> Array:
    K: Array = np.einsum("mi,mij,mj->ij", left, kernels, right)
    return K


def combined(answer: Any) -> str | None:
    """K_η from the kernels and the gates."""
    rng = np.random.default_rng(1)
    places = [
        (random_kernels(n, p, seed=n), rng.dirichlet(np.ones(p), n).T) for n, p in ((4, 2), (5, 3))
    ]
    return shapes.same(answer, lambda K, eta: _weighted(eta, K, eta), places, {
        "each kernel has the gates of both points": lambda K, eta: _weighted(eta, K, eta**0),
        "the gates of one point are a column": lambda K, eta: np.einsum(
            "m,mij->ij", eta.mean(axis=1), K
        ),
    })  # fmt: skip


def constant(answer: Any) -> str | None:
    """The weights of the kernels where V = 0."""
    rng = np.random.default_rng(2)
    places = [(rng.normal(size=p),) for p in (2, 3, 5)]

    def share(v0: Array) -> Array:
        eta: Array = np.exp(v0) / np.exp(v0).sum()
        return eta

    return shapes.same(answer, lambda v0: share(v0) ** 2, places, {
        "those are the gates; K_η holds each of them twice": share,
        "those add up to one; the gates do, and their squares do not": lambda v0: (
            share(v0) ** 2 / (share(v0) ** 2).sum()
        ),
    })  # fmt: skip


def _forms(alpha: Array, y: Array, K: Array) -> Array:
    """diag(α∘y) K_m diag(α∘y), for each m."""
    A: Array = np.outer(alpha * y, alpha * y) * K
    return A


def slope(answer: Any) -> str | None:
    """The gradient of J in v0."""
    rng = np.random.default_rng(3)
    signs = np.where(np.arange(5) % 2, 1.0, -1.0)
    places = [
        (rng.random(5), signs, random_kernels(5, p, seed=p), rng.dirichlet(np.ones(p), 5).T)
        for p in (2, 3)
    ]

    def right(alpha: Array, y: Array, K: Array, eta: Array) -> Array:
        s = eta * np.einsum("mij,mj->mi", _forms(alpha, y, K), eta)
        gradient: Array = -(s - eta * s.sum(axis=0)).sum(axis=1)
        return gradient

    def own(alpha: Array, y: Array, K: Array, eta: Array) -> Array:
        s = eta * np.einsum("mij,mj->mi", _forms(alpha, y, K), eta)
        gradient: Array = -(s * (1 - eta)).sum(axis=1)
        return gradient

    return shapes.same(answer, right, places, {
        "v_m0 moves every gate, and not only the m-th": own,
        "½ stands before the form, but each gate stands in it twice": lambda *at: right(*at) / 2,
        "that is the direction downhill: (7) subtracts the form": lambda *at: -right(*at),
    })  # fmt: skip


def upper(answer: Any) -> str | None:
    """An upper end of (7) for any v and b, from (5)."""
    at, rng = problem(), np.random.default_rng(4)
    Q = np.outer(at.y, at.y) * at.K_eta

    def end(v: Array, b: float, C: float = at.C, part: float = 0.5) -> Any:
        return part * v @ Q @ v + C * np.maximum(1 - Q @ v - b * at.y, 0).sum()

    best = optimum().variables
    places = [(best["alpha"] * rng.random(at.n), rng.normal()) for _ in range(20)]
    return shapes.same(answer, end, [(best["alpha"], float(best["b"])), *places], {
        "½ stands before the norms": lambda v, b: end(v, b, part=1.0),
        "the slacks cost C each": lambda v, b: end(v, b, C=1.0),
        "b enters (5) with the label of the sample": lambda v, b: (
            v @ Q @ v / 2 + at.C * np.maximum(1 - Q @ v - b, 0).sum()
        ),
    })  # fmt: skip


def _least(alpha: Array) -> float:
    """The least of (7) at α over all gates: the form is convex in them, and largest at 0 and 1."""
    at = problem()
    A = _forms(alpha, at.y, at.kernels)
    corners = np.array(list(product((0.0, 1.0), repeat=at.n)))
    largest = sum(
        np.einsum("ci,ij,cj->c", g, A_m, g)
        for g, A_m in zip((corners, 1 - corners), A, strict=True)
    )
    return float(alpha.sum() - np.max(largest) / 2)


def every(answer: Any) -> str | None:
    """A lower end for any α that holds for every gating; any that holds is right, if it tells."""
    if not callable(answer):
        return f"a function was asked for; came {type(answer).__name__}"
    at, rng = problem(), np.random.default_rng(5)
    for _ in range(30):
        alpha = 0.3 * rng.random() * rng.random(at.n)
        told, least = float(answer(alpha)), _least(alpha)
        if told > least + 1e-9 * abs(least):
            return f"there are gates with which (7) is {told - least:.2g} below it at a random α"
        crude = alpha.sum() - np.abs(_forms(alpha, at.y, at.kernels)).sum() / 2
        if told < crude - 1e-9 * abs(crude):
            return "it holds, but says less than the sum of all |αᵢαⱼK_m(xᵢ, xⱼ)| does"
    return None


EXERCISES: dict[str, tuple[str, Callable[[Any], str | None]]] = {
    "gonen2008-1": ("the optimum of (7) at the gating", read),
    "gonen2008-2": ("a function of X, V and v0: the gates, a row for each kernel", gating),
    "gonen2008-3": ("a function of the kernels and the gates: K_η", combined),
    "gonen2008-4": ("a function of v0: the weights of the kernels at V = 0", constant),
    "gonen2008-5": ("a function of α, y, the kernels and the gates: ∂J/∂v0", slope),
    "gonen2008-6": ("a function of v and b: an upper end of (7)", upper),
    "gonen2008-7": ("a function of α: a lower end for every gating", every),
}

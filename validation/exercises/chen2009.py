"""Exercises of chen2009, on one small instance."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cvxkernel.formulations.chen2009 import KernelMachine, RegularizedMachine, spectrum
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import Solution, solve
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.exercises import shapes

NEAR = 0.01  # of the γ from which on nothing is learned


@cache
def problem() -> KernelMachine:
    """Twelve samples, a third of the eigenvalues of S negative, η = 0.05 and γ = 0.05."""
    S, y = similarity(12, kind="random", seed=2)
    return KernelMachine(S, y, 0.05, 0.05)


@cache
def optimum() -> Solution:
    """Of (7) there."""
    return solve("chen2009-eq7", problem(), tol=1e-9)


@cache
def clipped() -> Solution:
    """Of (3) on S_clip there."""
    at = problem()
    return solve("chen2009-eq3", RegularizedMachine(spectrum.clip(at.S), at.y, at.eta), tol=1e-9)


def threshold() -> float:
    """The γ from which on (12) with h = ‖a - a_clip‖ has the solution of the machine on S_clip."""
    at = problem()
    lam, U = spectrum.eigen(at.S)
    w = U.T @ (at.y * clipped().variables["alpha"])
    return float(np.linalg.norm(at.eta * lam * w**2))


def read(answer: Any) -> str | None:
    """The optimum of (7)."""
    best, at, clip = optimum(), problem(), clipped().value
    far = at.gamma * float(np.linalg.norm(spectrum.clip(at.S) - at.S))
    return shapes.number(answer, best.lower, best.upper, {
        "that is the best with K = S_clip kept: K is a variable too": clip + far,
        "that is the machine on S_clip: γ‖K - S‖ is a part of (7), and K is a variable": clip,
    })  # fmt: skip


def _symmetric(rng: np.random.Generator, size: int) -> Array:
    A = rng.normal(size=(size, size))
    S: Array = (A + A.T) / 2
    return S


def nearest(answer: Any) -> str | None:
    """The positive semidefinite matrix nearest to S."""
    rng = np.random.default_rng(0)
    places = [(_symmetric(rng, size),) for size in (3, 5, 8)]
    return shapes.same(answer, spectrum.clip, places, {
        "that is flip: as far again on the other side of zero": spectrum.flip,
        "that is shift: every eigenvalue is moved, and not only the negative ones": spectrum.shift,
    })  # fmt: skip


def box(answer: Any) -> str | None:
    """The C at which (3) is 2η times (1)."""
    places = [(eta, n) for eta in (0.02, 0.5) for n in (10, 30)]
    return shapes.same(answer, lambda eta, n: 1 / (2 * eta * n), places, {
        "ηcᵀKc has no factor of one half: (3) divided by 2η has": lambda eta, n: 1 / (eta * n),
        "the slacks of (3) are averaged over n samples": lambda eta, n: 1 / (2 * eta),
    })  # fmt: skip


def inner(answer: Any) -> str | None:
    """The K ⪰ 0 that is the minimum in (2) at α."""
    rng = np.random.default_rng(1)
    signs = np.where(np.arange(6) % 2, 1.0, -1.0)
    places = [(_symmetric(rng, 6), signs, 3 * rng.random(6), rho) for rho in (0.1, 0.5)]

    def moved(S: Array, y: Array, alpha: Array, rho: float) -> Array:
        K: Array = S + np.outer(y * alpha, y * alpha) / (4 * rho)
        return K

    return shapes.same(answer, lambda *at: spectrum.clip(moved(*at)), places, {
        "K ⪰ 0 is missing: the free minimum has to be projected": moved,
        "the derivative of ρ‖K - S‖² is 2ρ(K - S), and ½ stands before αᵀYKYα": (
            lambda S, y, alpha, rho: spectrum.clip(moved(S, y, alpha, rho / 2))
        ),
    })  # fmt: skip


def _feasible(rng: np.random.Generator) -> tuple[Array, Array]:
    """A point of the dual of (7): α in the box and balanced, W above its rank one, in the ball."""
    at = problem()
    alpha = at.C * rng.random(at.n)
    for sign in (1.0, -1.0):
        alpha[at.y == sign] /= alpha[at.y == sign].sum()
    alpha *= at.C * rng.random() / alpha.max()
    v, B = at.y * alpha, rng.normal(size=(at.n, 3))
    W = at.eta * np.outer(v, v) + 0.1 * at.gamma * B @ B.T / np.linalg.norm(B @ B.T)
    shrink = min(1.0, at.gamma / float(np.linalg.norm(W)))
    return np.sqrt(shrink) * alpha, shrink * W


def bound(answer: Any) -> str | None:
    """A lower end of (7) for any α and W that are feasible for its dual."""
    at, rng = problem(), np.random.default_rng(2)
    best = solve("chen2009-eq7-dual", at, tol=1e-9).variables
    places = [(best["alpha"], best["W"]), *(_feasible(rng) for _ in range(20))]
    return shapes.lower_end(
        answer, lambda alpha, W: 2 * at.eta * alpha.sum() - (W * at.S).sum(), places, {
            "⟨W, K - S⟩ is what the norm is: S enters with a minus": (
                lambda alpha, W: 2 * at.eta * alpha.sum() + (W * at.S).sum()
            ),
            "(7) is 2η times the machine (1)": lambda alpha, W: alpha.sum() - (W * at.S).sum(),
        }, optimum().upper,
    )  # fmt: skip


def certificate(answer: Any) -> str | None:
    """A pair α, W that proves the optimum of (7) to one in a million."""
    alpha, W = answer
    return shapes.point("chen2009-eq7-dual", problem(), tol=1e-6, alpha=alpha, W=W)


def nothing_learned(answer: Any) -> str | None:
    """The γ from which on (12) with clip learns nothing."""
    gamma, at = threshold(), problem()
    lam, U = spectrum.eigen(at.S)
    w = U.T @ (at.y * clipped().variables["alpha"])
    return shapes.number(answer, (1 - NEAR) * gamma, (1 + NEAR) * gamma, {
        "λ is missing: q = ηλ∘w²": float(np.linalg.norm(at.eta * w**2)),
        "w stands squared in q": float(np.linalg.norm(at.eta * lam * w)),
    })  # fmt: skip


EXERCISES: dict[str, tuple[str, Callable[[Any], str | None]]] = {
    "chen2009-1": ("the optimum of (7)", read),
    "chen2009-2": ("a function of S: the nearest positive semidefinite matrix", nearest),
    "chen2009-3": ("a function of η and n: the C of (1)", box),
    "chen2009-4": ("a function of S, y, α and ρ: the minimizing K of (2)", inner),
    "chen2009-5": ("a function of α and W: a lower end of (7)", bound),
    "chen2009-6": ("a pair α, W that proves the optimum to 1e-6", certificate),
    "chen2009-7": ("the γ from which on nothing is learned, to one per cent", nothing_learned),
}

"""Points with explicit features: what ye2008 says of φ(X) can be computed there directly."""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np

from cvxkernel.formulations import kim2006
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008 import Discriminant

STRETCH = np.array([1.0, 0.4, 2.0, 0.7])


def solve(M: Array, b: Array) -> Array:
    """M⁻¹b"""
    x: Array = np.asarray(np.linalg.solve(M, b), dtype=np.float64)
    return x


class Space:
    """φ(X) = X of shape (d, n), d features; classes of the given sizes; λ.

    The vectors a, H, the centred kernel and J are the package's own; scatter matrices are made
    from the points.
    """

    def __init__(self, sizes: tuple[int, ...], seed: int, *, d: int = 3, lam: float = 0.3) -> None:
        rng = np.random.default_rng([seed, *sizes])
        labels = np.repeat(np.arange(len(sizes)), sizes)
        points = rng.normal(size=(len(labels), d)) * np.resize(STRETCH, d)
        points += 0.8 * rng.normal(size=(len(sizes), d))[labels]
        self.X: Array = np.asarray(points.T, dtype=np.float64)
        signs, numbers = 1.0 - 2.0 * labels, labels + 1.0
        self.y: Array = np.asarray(signs if len(sizes) == 2 else numbers, dtype=np.float64)
        self.lam, self.n, self.d, self.rng = lam, len(labels), d, rng
        self.problem = Discriminant(self.G[None], self.y, lam)

    @cached_property
    def G(self) -> Array:
        """The Gram matrix."""
        G: Array = self.X.T @ self.X
        return G

    @cached_property
    def P(self) -> Array:
        """(5)"""
        P: Array = np.eye(self.n) - 1 / self.n
        return P

    @property
    def centred(self) -> Array:
        """G̃"""
        G: Array = self.problem.centred[0]
        return G

    @property
    def a(self) -> Array:
        """(3)"""
        return self.problem.a[:, 0]

    @property
    def H(self) -> Array:
        """(24)"""
        return self.problem.H

    @property
    def J(self) -> Array:
        """Below (3), as printed."""
        return kim2006.KernelFisher(self.G[None], self.y, self.lam).J

    def members(self, label: float) -> Array:
        """The points of a class, in columns."""
        return self.X[:, self.y == label]

    @cached_property
    def delta(self) -> Array:
        """μ⁺ - μ⁻"""
        delta: Array = self.members(1.0).mean(axis=1) - self.members(-1.0).mean(axis=1)
        return delta

    def scatter(self, label: float) -> Array:
        """S_K of a class."""
        S: Array = np.cov(self.members(label), bias=True)
        return S

    @cached_property
    def within(self) -> Array:
        """m₊/m S⁺ + m₋/m S⁻"""
        sizes = [self.members(label).shape[1] for label in (1.0, -1.0)]
        S: Array = (sizes[0] * self.scatter(1.0) + sizes[1] * self.scatter(-1.0)) / self.n
        return S

    @cached_property
    def total(self) -> Array:
        """Σ_K as the scatter about the global centroid, the second line of (7)."""
        D = self.X - self.X.mean(axis=1, keepdims=True)
        S: Array = D @ D.T
        return S

    @cached_property
    def ridged(self) -> Array:
        """Σ_K + λI"""
        return self.total + self.lam * np.eye(self.d)

    @cached_property
    def system(self) -> Array:
        """I + G̃/λ"""
        return np.eye(self.n) + self.centred / self.lam


@cache
def space(sizes: tuple[int, ...], seed: int, d: int = 3, lam: float = 0.3) -> Space:
    """One space per arguments."""
    return Space(sizes, seed, d=d, lam=lam)


def two(seed: int) -> Space:
    """m₊ = 9, m₋ = 5."""
    return space((9, 5), seed)


def three(seed: int) -> Space:
    """Classes of 7, 5 and 3."""
    return space((7, 5, 3), seed, 4)


def unit(v: Array) -> Array:
    """v / ‖v‖"""
    return v / float(np.linalg.norm(v))


def some_weights(r: Array, seed: int) -> Array:
    """Every vertex of θ ≥ 0, θᵀr = 1, its centre and some points between, in rows."""
    shares = np.random.default_rng(seed).dirichlet(np.ones(len(r)), size=4)
    rows: Array = np.vstack([np.eye(len(r)), np.full(len(r), 1 / len(r)), shares]) / r
    return rows

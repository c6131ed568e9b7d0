"""What is given: a kernel or a similarity with labels, and a test sample; checked and read-only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cvxkernel.formulations import eigenbasis, inputs, semidefinite
from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import Problem


def assign(problem: object, **values: object) -> None:
    """Set fields of a frozen dataclass to what its checks made of them."""
    for name, value in values.items():
        object.__setattr__(problem, name, value)


def signs(value: object, n: int) -> Array:
    """Labels (n,) of ±1."""
    y = inputs.labels("y", value, n)
    inputs.check_signs("y", y)
    return y


@dataclass(frozen=True, eq=False, repr=False)
class GivenKernel(Problem):
    """A kernel K (n, n) ⪰ 0 and labels y (n,) of ±1."""

    K: Array
    y: Array

    def __post_init__(self) -> None:
        K = inputs.kernel("K", self.K)
        assign(self, K=K, y=signs(self.y, len(K)))

    @property
    def n(self) -> int:
        """How many samples."""
        return len(self.y)


@dataclass(frozen=True, eq=False, repr=False)
class Similarity(Problem):
    """A symmetric similarity S (n, n), indefinite as a rule, and labels y (n,) of ±1."""

    S: Array
    y: Array

    def __post_init__(self) -> None:
        S = inputs.similarity("S", self.S)
        assign(self, S=S, y=signs(self.y, len(S)))

    @property
    def n(self) -> int:
        """How many samples."""
        return len(self.y)


class Eigen(NamedTuple):
    """K = V* diag(d)V*ᵀ with low ≤ d ≤ high and ‖V - V*‖₂ ≤ error, V* orthonormal."""

    low: Array
    high: Array
    V: Array
    error: float


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Problem):
    """A learned kernel K (n, n) ⪰ 0, the similarities s (n,) of a test sample, and ψ(x, x)."""

    K: Array
    s: Array
    psi: float

    def __post_init__(self) -> None:
        K = inputs.kernel("K", self.K)
        s = inputs.weights("s", self.s, (len(K),))
        s.flags.writeable = False
        psi = inputs.weights("psi", self.psi, (1,)).item()
        assign(self, K=K, s=s, psi=psi)

    @property
    def n(self) -> int:
        """How many training samples."""
        return len(self.K)

    @cached_property
    def basis(self) -> eigenbasis.Basis:
        """Of the K that came."""
        known = semidefinite.held(self.K)
        K = self.K if known is None else known.came
        return eigenbasis.basis(K, np.ones(self.n), matter="none")

    @cached_property
    def eigen(self) -> Eigen:
        """Of the kernel that K stands for: the eigenvalues below zero left out."""
        basis = self.basis
        slack = basis.off + 4 * EPS * np.abs(basis.lam)
        none = basis.sign <= 0
        low, high = (np.where(none, 0.0, basis.lam + x) for x in (-slack, slack))
        return Eigen(np.maximum(low, 0.0), np.maximum(high, 0.0), basis.U, basis.error)

"""The three algorithms: what one support vector machine, or one problem (10), tells of a point.

What differs between them: Algorithm 1 (ESKL) learns one kernel for all similarities, Algorithm 2
(EMKL) a block for each, Algorithm 3 (REKL) a spectrum for each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES, Tensor
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.formulations.kundu2010.bounds import (
    Bounds,
    LearnedSpectra,
    Omega,
    OneKernel,
    SeveralKernels,
    combine,
    shares,
)
from cvxkernel.solvers.mkl import mkl

Dual = tuple[Array, Array, Array]  # α, γ and the Wᵢ (or wᵢ)

BRIEF, ENTRYWISE = 12, 400  # iterations before the conic solvers are asked


@dataclass
class Linearization:
    """What the oracle says of a point x: f(x) from below at α, γ; W, and the subgradient."""

    dual: Dual
    gradient: Array
    value: float


@dataclass(frozen=True)
class Algorithm(ABC):
    """What the three have in common; a point x is a stack of blocks, matrices unless it says so."""

    problem: Similarities | Spectra

    ids: ClassVar[tuple[str, ...]]  # of the problem and of the algorithm
    kind: ClassVar[type[Bounds]]  # that both ends are made by
    # Whether the step as it is printed is the mirror step: where all blocks commute.
    commutes: ClassVar[bool] = False

    @cached_property
    def bounds(self) -> Bounds:
        """Both ends, in doubles."""
        return self.kind(DOUBLES, self.problem)

    @property
    def blocks(self) -> int:
        """How many simplices or spectahedra x has."""
        return self.bounds.blocks

    @property
    def brief(self) -> int:
        """How many iterations are worth a try before a conic solver is asked."""
        return BRIEF

    def origin(self) -> Array:
        """log of (τ/n)I or (τ/n)1, up to a constant."""
        return np.zeros(self.bounds.shape)

    def kernels(self, x: Array) -> Array:
        """K, or K₁, …, K_m"""
        return x

    def ask(self, x: Array, start: Dual | None = None, blur: float = 0.0) -> Linearization:
        """One support vector machine or multiple kernel problem; L smoothed where blur > 0."""
        p, K = self.problem, self.kernels(x)
        alpha, gamma = mkl(K, p.y, p.C, start=None if start is None else start[:2])
        W = self.bounds.subgradients(x, blur)
        M = [DOUBLES.signed(p.y, DOUBLES.exact(K_i)) for K_i in K]
        value = float(Omega(DOUBLES, M, p.y, p.C).value(alpha).mid)
        value += self.bounds.smoothed(x, blur)
        return Linearization((alpha, gamma, W), self.gradient(alpha, gamma, W), value)

    @abstractmethod
    def gradient(self, alpha: Array, gamma: Array, W: Array) -> Array:
        """(8), (12) or the g′ of Algorithm 3."""

    def printed_gradient(self, dual: Dual) -> Array:
        """The same as the algorithm has it."""
        alpha, gamma, W = dual
        # Paper prints L′ᵢ(Kᵢ - Sᵢ) where the subgradient of F has ρL′ᵢ(Kᵢ - Sᵢ).
        return self.gradient(alpha, gamma, W / self.problem.rho if self.problem.rho > 0 else W)

    def sizes(self, g: Array) -> Array:
        """‖gᵢ‖_F, in Algorithm 3 maxⱼ|gᵢⱼ|: the norms of Propositions 3.1, 3.2, Theorem 3.2."""
        sizes: Array = np.sqrt((g * g).sum(axis=(1, 2)))
        return sizes

    def upper(self, x: Array, alpha: Array) -> float:
        """f(x) from above."""
        made = self.bounds.repaired(DOUBLES.exact(x))
        return float(self.bounds.values(made, [alpha])[0].upper)

    def lower(self, dual: Dual, response: Array | None = None) -> tuple[float, Dual]:
        """The optimum from below, and the dual point: W as given, or at the x that answers α."""
        p, (alpha, gamma, W) = self.problem, dual
        if response is not None:
            W = self.bounds.subgradients(response)
        inside = self.bounds.inside(W)
        feasible = svm.feasible(DOUBLES, alpha, p.y, p.C)
        low = self.bounds.bound(feasible, shares(DOUBLES, gamma), inside)
        return float(low.lower), (alpha, gamma, DOUBLES.stack(inside).mid)

    def response(self, dual: Dual, x: Array) -> Array | None:
        """The x that is best for α and γ, near x, where that has a closed form: not with L1."""
        return self.bounds.response(*dual[:2], x)

    def gathered(self, centre: Array, beta: float) -> tuple[Array, float]:
        """Σᵢ ½β‖Kᵢ - Cᵢ‖² as a sum over the blocks, up to a constant: centres, and the weight."""
        return centre, beta

    def learned(self, x: Array) -> Array:
        """x in the shape that its symbol has."""
        return x

    def point(self, x: Array, alpha: Array, dual: Dual) -> dict[str, Array]:
        """Under the paper's symbols, as `Formulation.enclose` takes it."""
        names = ("alpha", "gamma", self.kind.dual)
        learned = {self.kind.symbol: self.learned(x)}
        return {**dict(zip(names, dual, strict=True)), "x": alpha, **learned}

    def known_lip(self) -> float:
        """A bound on every ‖f′(K)‖_F; for (6) and (7) there is none.

        1/γᵢ has no bound, and Ω no Lipschitz constant.
        """
        raise InputError("lip", "the norms seen so far for (6) and (7)", "known")


class HingeAlone(OneKernel):
    """ω from above by the hinge alone: K may be singular, and half of the work is saved."""

    def margin(self, omega: Omega, x: Any) -> Tensor:
        """At v = x."""
        return svm.hinge_bound(self.F, omega.M[0], self.y, self.C, x)


@dataclass(frozen=True)
class ESKL(Algorithm):
    """Algorithm 1, on (4): one kernel for all similarities; points are (1, n, n)."""

    problem: Similarities

    ids = ("kundu2010-eq4", "kundu2010-alg1")
    kind = HingeAlone

    def gradient(self, alpha: Array, gamma: Array, W: Array) -> Array:
        """(8)"""
        a = self.problem.y * alpha
        g: Array = (W.sum(axis=0) - np.outer(a, a) / 2)[None]
        return g

    def printed_gradient(self, dual: Dual) -> Array:
        """ρ is printed."""
        return self.gradient(*dual)

    def gathered(self, centre: Array, beta: float) -> tuple[Array, float]:
        """One K for all: the mean of the centres, and m times the weight."""
        return centre.mean(axis=0, keepdims=True), beta * self.problem.m

    def learned(self, x: Array) -> Array:
        """K"""
        K: Array = x[0]
        return K

    def known_lip(self) -> float:
        """½nC² + ρΣᵢ(a bound on ‖Lᵢ′‖_F): n (L1), 1 (L2), 2(τ + ‖Sᵢ‖_F) (L3)"""
        p = self.problem
        sizes = np.sqrt((p.S * p.S).sum(axis=(1, 2)))
        every = zip(p.losses, p.tau + sizes, strict=True)
        slope = sum(L.steepest(float(reach), p.n**2) for L, reach in every)
        return p.n * p.C**2 / 2 + p.rho * slope


@dataclass(frozen=True)
class EMKL(Algorithm):
    """Algorithm 2, on (6): a kernel for each similarity; points are (m, n, n)."""

    problem: Similarities

    ids = ("kundu2010-eq6", "kundu2010-alg2")
    kind = SeveralKernels

    @property
    def brief(self) -> int:
        """More with L1.

        # Measured on (6) with L1: 2.6 s at n = 30 and 4 s at n = 60, where no conic solver ends
        # within a minute.
        """
        return ENTRYWISE if self.problem.loss == "L1" else BRIEF

    def gradient(self, alpha: Array, gamma: Array, W: Array) -> Array:
        """(12)"""
        a = self.problem.y * alpha
        g: Array = W - np.outer(a, a) / (2 * gamma)[:, None, None]
        return g


@dataclass(frozen=True)
class REKL(Algorithm):
    """Algorithm 3, on (7): a spectrum for each similarity; points are (m, n)."""

    problem: Spectra

    ids = ("kundu2010-eq7", "kundu2010-alg3")
    kind = LearnedSpectra
    commutes = True

    def kernels(self, x: Array) -> Array:
        """Kᵢ = Σⱼ μᵢⱼvᵢⱼvᵢⱼᵀ"""
        return combine(self.problem, x)

    def gradient(self, alpha: Array, gamma: Array, W: Array) -> Array:
        """The g′ of Algorithm 3."""
        a = self.problem.y * alpha
        g: Array = W - np.einsum("ijk,j->ik", self.problem.V, a) ** 2 / (2 * gamma)[:, None]
        return g

    def sizes(self, g: Array) -> Array:
        """maxⱼ|gᵢⱼ|"""
        sizes: Array = np.abs(g).max(axis=1)
        return sizes


# By the number that the paper gives them, and by the ids that they answer.
ALGORITHMS: dict[int, type[Algorithm]] = {1: ESKL, 2: EMKL, 3: REKL}
PRINTED = "-printed"


def algorithm(id: str) -> tuple[type[Algorithm], bool]:
    """The algorithm of an id, and whether it is run as printed."""
    for each in ALGORITHMS.values():
        if id.removesuffix(PRINTED) in each.ids:
            return each, id.endswith(PRINTED)
    raise InputError("solver", f"a conic solver for {id}", "mirror_descent")

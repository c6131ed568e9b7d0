"""The dual over α and γ, and Newton's step on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cvxkernel.formulations import svm as machine
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.bounds import balanced
from cvxkernel.solvers.box import quadratic_program
from cvxkernel.solvers.dual_ascent import best_response
from cvxkernel.solvers.mkl import mkl
from cvxkernel.solvers.response_ascent.response import Block, Response

LEAST = 0.1  # of what γᵢ was
SETTLED = 1e-6  # a γ that moves by less stays


@dataclass(frozen=True, eq=False)
class Dual:
    """α and γ, and the K of every block that is best for them: the value of the dual there."""

    y: Array
    alpha: Array
    gamma: Array
    responses: tuple[Response, ...]

    @classmethod
    def of(
        cls, blocks: Sequence[Block], y: Array, alpha: Array, gamma: Array, xs: Sequence[Array]
    ) -> Dual:
        """From log t = x on, for each block."""
        a = y * alpha
        every = zip(blocks, gamma, xs, strict=True)
        return cls(y, alpha, gamma, tuple(B.best(a / np.sqrt(g), x) for B, g, x in every))

    def at(self, alpha: Array, gamma: Array) -> Dual:
        """The same elsewhere."""
        blocks, xs = [r.block for r in self.responses], [r.x for r in self.responses]
        return Dual.of(blocks, self.y, alpha, gamma, xs)

    @cached_property
    def value(self) -> float:
        """1ᵀα + Σᵢψᵢ"""
        return float(self.alpha.sum()) + sum(r.value for r in self.responses)

    @cached_property
    def kernels(self) -> Array:
        """K, or K₁, …, K_m"""
        return np.stack([r.K for r in self.responses])

    @property
    def forms(self) -> Array:
        """αᵀYKᵢYα"""
        forms: Array = self.gamma * np.array([r.form for r in self.responses])
        return forms

    @property
    def evened(self) -> Dual:
        """At the γ that is best for the kernels, if that is better."""
        gamma = np.maximum(balanced(self.forms), LEAST * self.gamma)
        gamma = gamma / gamma.sum()
        if not np.abs(gamma - self.gamma).max() > SETTLED:
            return self
        there = self.at(self.alpha, gamma)
        return there if there.value > self.value else self

    def upper(self, C: float, alpha: Array, gamma: Array) -> float:
        """The objective at the kernels, Ω at x = α/γ."""
        M = [machine.signed(self.y, K) for K in self.kernels]
        images = np.stack([M_i @ alpha / g for M_i, g in zip(M, gamma, strict=True)])
        image, form = images.sum(axis=0), float((images @ alpha / gamma).max())
        hinges = np.maximum(0.0, 1 - image - machine.offset(image, self.y) * self.y)
        return form / 2 + C * float(hinges.sum()) + sum(r.loss for r in self.responses)

    def direction(self, C: float) -> tuple[Array, Array, float]:
        """Newton's step in α and γ, and what the value rises by at first."""
        y, gamma, a = self.y, self.gamma, self.y * self.alpha
        sums = np.stack([r.K @ a for r in self.responses])
        hessians = np.stack([r.hessian for r in self.responses])
        gradient = 1 - y * (sums / gamma[:, None]).sum(axis=0)
        H = np.outer(y, y) * np.tensordot(1 / gamma, hessians, 1)
        rises, sides = self.forms / (2 * gamma**2), np.zeros((len(a), len(gamma)))
        shares = np.zeros((len(gamma), len(gamma)))
        if len(gamma) > 1:
            sides = (y * (sums + hessians @ a) / (2 * gamma**2)[:, None]).T
            inverse = 4 * gamma**3 / np.maximum(3 * sums @ a + a @ (hessians @ a).T, TINY)
            shares = np.diag(inverse) - np.outer(inverse, inverse) / inverse.sum()
        H = H - sides @ shares @ sides.T
        linear = gradient + sides @ (shares @ rises)
        H = (H + H.T) / 2
        d = quadratic_program(H, linear + H @ self.alpha, y, C, near=self.alpha) - self.alpha
        e = shares @ (rises + sides.T @ d)
        return d, e, float(gradient @ d + rises @ e)

    def ascended(self, C: float) -> Dual:
        """Where the value rises enough along Newton's step; here where it does not."""
        d, e, slope = self.direction(C)
        if not np.isfinite(slope):
            return self
        falls = e < 0
        t = min(1.0, float(((1 - LEAST) * self.gamma[falls] / -e[falls]).min(initial=1.0)))
        for _ in range(30):
            there = self.at(self.alpha + t * d, self.gamma + t * e)
            if there.value >= self.value + 1e-4 * t * slope - 1e-14 * abs(self.value):
                return there.evened
            # the top of the parabola through the value and the slope here, and the value there
            top = slope * t * t / max(2 * (self.value + slope * t - there.value), TINY)
            t = float(np.clip(top, t / 10, t / 2))
        return self


def answered(dual: Dual, C: float) -> tuple[Array, Array]:
    """The machine, or the problem (10), on the kernels."""
    if len(dual.gamma) == 1:
        return best_response(dual.kernels[0], dual.y, C, near=dual.alpha), dual.gamma
    return mkl(dual.kernels, dual.y, C, start=(dual.alpha, dual.gamma))

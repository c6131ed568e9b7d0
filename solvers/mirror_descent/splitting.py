"""Both ends with any loss but L2 and L3, by the alternating direction method of multipliers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import bounds
from cvxkernel.solvers.mirror_descent.algorithms import Algorithm, Dual

SPLITS = 3  # steps in an iteration
PENALTY = 0.3  # β in units of ρ/(mean of |K - S|)
CLOSEST = 1e-12  # that mean is taken as no less, relative to τ
GROWTH = 1.5  # of the step in α before each line search
HALVINGS = 60  # of it at most
SMALLEST_SHARE = 1e-9  # γ is kept above it


@dataclass
class Splitting:
    """L1 has no closed response to α: the saddle point itself, by steps of alternating directions.

    min over K, D, max over α, γ of 1ᵀα - ½Σᵢ aᵀKᵢa/γᵢ + ρΣL(D), D = K - S, with the multiplier W
    and the penalty β: D by the proximal map of L, with L1 by soft thresholds and
    W + β(K - S - D) = clip(W + β(K - S), ±ρ); then K, which is a projection for every α and γ, by
    one step of ascent in each of these two, each short enough to ascend. From where the last
    iteration ended. W stays in the domain of (ρL)* and α in A, so that they make a lower end, and K
    is feasible. Any other loss but L2 and L3 is treated alike.
    """

    algorithm: Algorithm
    K: Array | None = None
    dual: Dual = field(init=False)
    size: float = field(init=False)  # of the step in α
    share: float = 0.5  # of the way from γ to the best γ for K

    def kernels(self) -> Array:
        """The K of the last step, as a stack like x."""
        assert self.K is not None
        return np.array(self.K[: self.algorithm.blocks])

    def steps(self, dual: Dual, x: Array) -> Dual:
        """A few of them; the first ones of all start at x and the dual point given."""
        p = self.algorithm.problem
        if self.K is None:
            self.K, self.dual, self.size = np.broadcast_to(x, p.S.shape), dual, 1 / p.tau
        distance = float(np.abs(x - p.S).mean())
        slope = p.rho
        if p.loss != "L1":  # whose W is ±ρ
            W = self.algorithm.bounds.subgradients(x)
            slope = float(np.abs(W).mean()) or p.rho
        beta = PENALTY * slope / max(distance, CLOSEST * p.tau)
        for _ in range(SPLITS):
            self.step(beta)
        return self.dual

    def step(self, beta: float) -> None:
        """D and W, then γ, α and K."""
        p, (alpha, gamma, W) = self.algorithm.problem, self.dual
        assert self.K is not None
        every = zip(p.losses, W + beta * (self.K - p.S), strict=True)
        moved = np.stack([L.multiplier(V, beta, p.rho) for L, V in every])
        D = (W - moved) / beta + self.K - p.S
        centre, weight = self.algorithm.gathered(p.S + D - moved / beta, beta)
        now = Inner(p.y, p.tau, centre, weight, alpha, gamma)
        if len(gamma) > 1:
            mixed = (1 - self.share) * gamma + self.share * bounds.balanced(now.forms)
            mixed = np.maximum(mixed, SMALLEST_SHARE)
            then = replace(now, gamma=mixed / mixed.sum())
            better = then.value >= now.value
            self.share = min(1.0, 1.2 * self.share) if better else self.share / 2
            now = then if better else now
        slope = 1 - p.y * (np.einsum("i,ijk->jk", 1 / now.gamma, now.K) @ (p.y * alpha))
        for _ in range(HALVINGS):
            then = replace(now, alpha=nearest(alpha + self.size * slope, p.y, p.C))
            way = then.alpha - alpha
            least = float(slope @ way - way @ way / (2 * self.size))
            if then.value >= now.value + least - 1e-12 * abs(now.value):
                now = then
                break
            self.size /= 2
        self.size *= GROWTH
        self.K, self.dual = np.broadcast_to(now.K, p.S.shape), (now.alpha, now.gamma, moved)


@dataclass(frozen=True)
class Inner:
    """min over Kᵢ in the spectahedron of 1ᵀα - ½Σᵢ aᵀKᵢa/γᵢ + ½βΣᵢ‖Kᵢ - Cᵢ‖², concave in (α, γ)."""

    y: Array
    tau: float
    centre: Array
    beta: float
    alpha: Array
    gamma: Array

    @cached_property
    def K(self) -> Array:
        """The minimizer, the projection of Cᵢ + aaᵀ/(2βγᵢ)."""
        a = self.y * self.alpha
        pull = np.outer(a, a) / (2 * self.beta * self.gamma[:, None, None])
        return bounds.spectahedron(self.centre + pull, self.tau)

    @cached_property
    def forms(self) -> Array:
        """aᵀKᵢa"""
        a = self.y * self.alpha
        q: Array = np.einsum("ijk,j,k->i", self.K, a, a)
        return q

    @cached_property
    def value(self) -> float:
        """The minimum."""
        away = float(((self.K - self.centre) ** 2).sum())
        return float(self.alpha.sum() - (self.forms / self.gamma).sum() / 2) + self.beta * away / 2


def nearest(alpha: Array, y: Array, C: float) -> Array:
    """The point of A nearest to α: clip(α - by, 0, C) at the b where that is orthogonal to y."""
    # yᵀclip(α - by, 0, C) falls with b, from C·n₊ to -C·n₋, and is linear between these.
    breaks = np.sort(np.concatenate([y * alpha, y * (alpha - C)]))[::-1]
    heights = np.clip(alpha - breaks[:, None] * y, 0.0, C) @ y
    b = float(np.interp(0.0, heights, breaks))
    return svm.repair(alpha - b * y, y, C)

"""Oracles: what one support vector machine, or one problem (10), tells of a point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra, bounds
from cvxkernel.solvers.mkl import mkl

Dual = tuple[Array, Array, Array]  # α, γ and the Wᵢ (or wᵢ)


@dataclass
class Answer:
    """What the oracle says of a point x: f(x) from below at α, γ; W, and the subgradient."""

    dual: Dual
    gradient: Array
    value: float


@dataclass(frozen=True)
class Oracle:
    """Problem (4), (6) or (7): points are stacks (1, n, n), (m, n, n) and (m, n)."""

    number: int
    problem: Spectra

    @property
    def blocks(self) -> int:
        """How many simplices or spectahedra x has."""
        return 1 if self.number == 1 else self.problem.m

    def origin(self) -> Array:
        """log of (τ/n)I or (τ/n)1, up to a constant."""
        n = self.problem.n
        return np.zeros((self.blocks, n) if self.number == 3 else (self.blocks, n, n))

    def kernels(self, x: Array) -> Array:
        """K, or K₁, …, K_m"""
        return bounds.combine(self.problem, x) if self.number == 3 else x

    def differences(self, x: Array) -> Array:
        """K - Sᵢ, Kᵢ - Sᵢ or μᵢ - λᵢ"""
        return x - (self.problem.lam if self.number == 3 else self.problem.S)

    def ask(self, x: Array, start: Dual | None = None, blur: float = 0.0) -> Answer:
        """One support vector machine or multiple kernel problem; L smoothed where blur > 0."""
        p, X = self.problem, self.differences(x)
        K = self.kernels(x)
        alpha, gamma = mkl(K, p.y, p.C, start=None if start is None else start[:2])
        W = bounds.subgradients(p, X, blur)
        value = bounds.omega_value(bounds.signed(p.y, K), alpha)[0] + smoothed(p, X, blur)
        return Answer((alpha, gamma, W), self.gradient(alpha, gamma, W), value)

    def gradient(self, alpha: Array, gamma: Array, W: Array) -> Array:
        """(8), (12) or the g′ of Algorithm 3."""
        a = self.problem.y * alpha
        if self.number == 1:
            g: Array = (W.sum(axis=0) - np.outer(a, a) / 2)[None]
        elif self.number == 2:
            g = W - np.outer(a, a) / (2 * gamma)[:, None, None]
        else:
            g = W - np.einsum("ijk,j->ik", self.problem.V, a) ** 2 / (2 * gamma)[:, None]
        return g

    def sizes(self, g: Array) -> Array:
        """‖gᵢ‖_F, in Algorithm 3 maxⱼ|gᵢⱼ|: the norms of Propositions 3.1, 3.2, Theorem 3.2."""
        sizes: Array = np.abs(g).max(axis=1) if g.ndim == 2 else np.sqrt((g * g).sum(axis=(1, 2)))
        return sizes

    def upper(self, x: Array, alpha: Array) -> float:
        """f(x) from above."""
        p = self.problem
        if self.number == 3:
            return sum(bounds.eq7_value(p, x, alpha))
        assert isinstance(p, Similarities)
        if self.number == 2:
            return sum(bounds.eq6_value(p, x, alpha))
        # By the hinge alone: K may be singular, and half of the work is saved.
        margin = svm.hinge_bound(svm.signed(p.y, x[0]), p.y, p.C, alpha)
        return sum(margin) + sum(bounds.loss(p, x))

    def lower(self, dual: Dual, answer: Array | None = None) -> tuple[float, Dual]:
        """The optimum from below, and the dual point: W as given, or at the x that answers α."""
        p, (alpha, gamma, W) = self.problem, dual
        if answer is not None:
            W = bounds.subgradients(p, self.differences(answer))
        ball = bounds.dual_ball(p, W)
        if self.number == 3:
            low, down = bounds.eq7_bound(p, alpha, gamma, ball)
        else:
            assert isinstance(p, Similarities)
            if self.number == 2:
                low, down = bounds.eq6_bound(p, alpha, gamma, ball)
            else:
                low, down = bounds.eq4_bound(p, alpha, ball)
        return low - down, (alpha, gamma, ball)

    def response(self, dual: Dual, x: Array) -> Array | None:
        """The x that is best for α and γ, near x, where that has a closed form: not with L1."""
        p, (alpha, gamma, _) = self.problem, dual
        if self.number == 3:
            return bounds.eq7_response(p, alpha, gamma, x)
        assert isinstance(p, Similarities)
        if self.number == 2:
            return bounds.eq6_response(p, alpha, gamma, x)
        K = bounds.eq4_response(p, alpha, x[0])
        return None if K is None else K[None]

    def point(self, x: Array, alpha: Array, dual: Dual) -> dict[str, Array]:
        """Under the paper's symbols, as `Formulation.enclose` takes it."""
        names = ("alpha", "gamma", "w" if self.number == 3 else "W")
        point = {**dict(zip(names, dual, strict=True)), "x": alpha}
        return {**point, "mu" if self.number == 3 else "K": x[0] if self.number == 1 else x}

    def known_lip(self) -> float:
        """A bound on every ‖f′(K)‖_F of (4): ½nC² + ρmn (L1), ρm (L2), 2ρΣᵢ(τ + ‖Sᵢ‖_F) (L3).

        For (6) and (7) there is none: 1/γᵢ has no bound, and Ω no Lipschitz constant.
        """
        p = self.problem
        if self.number != 1 or not isinstance(p, Similarities):
            raise InputError("lip", "the norms seen so far for (6) and (7)", "known")
        sizes = np.sqrt((p.S * p.S).sum(axis=(1, 2)))
        slope = {"L1": p.m * p.n, "L2": p.m, "L3": 2 * float((p.tau + sizes).sum())}[p.loss]
        return p.n * p.C**2 / 2 + p.rho * slope


def smoothed(problem: Spectra, X: Array, blur: float) -> float:
    """ρ Σᵢ L(Xᵢ), with |x| (L1) and ‖X‖ (L2) replaced by x²/(2h) + h/2 below h = blur.

    Not below L, by at most h/2 for each |x| or ‖X‖, and less for a smaller h.
    """
    kind = problem.loss if isinstance(problem, Similarities) else "L2"
    if kind == "L3":
        return problem.rho * float((X * X).sum())
    sizes = np.abs(X) if kind == "L1" else np.sqrt((X * X).sum(axis=tuple(range(1, X.ndim))))
    if blur > 0:
        sizes = np.where(sizes < blur, sizes**2 / (2 * blur) + blur / 2, sizes)
    return problem.rho * float(sizes.sum())

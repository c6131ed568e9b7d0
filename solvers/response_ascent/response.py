"""The kernel that is best for b, and its derivatives in b: one eigendecomposition each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.formulations.kundu2010.bounds import composed, simplex
from cvxkernel.solvers.dual_ascent import differences

ONE_KERNEL = frozenset({"kundu2010-eq4", "kundu2010-alg1"})

CLOSEST = 1e-8  # of τ: t is no less
NEAR = 1e-6  # of t: how near ‖K - S‖ has to be
FARTHEST = np.log(1e3)  # how far one step may take log t
INNER = 60  # such steps
SHARES = (1.0, 0.25, 0.06, 0.015)  # of such a step, in turn
FLAT = 1e-12  # the least curvature in log t, where 1 is that of a K that does not move


@dataclass(frozen=True, eq=False)
class Block:
    """What one kernel is held to: S (m, n, n), or the λ (1, n) of one and its eigenvectors V."""

    S: Array
    rho: float
    tau: float
    squared: bool
    V: Array | None = None

    @property
    def farthest(self) -> Array:
        """log of the largest tᵢ there can be."""
        sizes = np.linalg.norm(self.S.reshape(len(self.S), -1), axis=1)
        far: Array = np.log(self.tau + sizes)
        return far

    @property
    def floor(self) -> float:
        """log of the least t."""
        return float(np.log(CLOSEST * self.tau))

    def best(self, b: Array, x: Array) -> Response:
        """The K of ψ(b), from log t = x on."""
        here = Response.of(self, b, x)
        for _ in range(INNER):
            if not np.abs(here.wrong).max() > NEAR:
                break
            step = here.newton
            # The last one, the least for K and the least for t in turn, always lets the value fall.
            for way in (*(share * step for share in SHARES), here.wrong):
                there = Response.of(self, b, np.maximum(here.x + way, self.floor))
                if there.value < here.value:
                    break
            else:
                break
            here = there
        return here


@dataclass(frozen=True, eq=False)
class Response:
    """The K of a block that is best for b at log t = x, from one eigendecomposition."""

    block: Block
    b: Array
    x: Array
    c: Array
    m: Array  # less ν
    U: Array
    k: Array

    @classmethod
    def of(cls, block: Block, b: Array, x: Array) -> Response:
        """One eigendecomposition, in (7) none."""
        c = np.full(len(x), 2 * block.rho) if block.squared else block.rho * np.exp(-x)
        total = float(c.sum())
        if block.V is None:
            M = np.tensordot(c / total, block.S, 1) + np.outer(b, b) / (2 * total)
            m, U = eigh(M, check_finite=False)
        else:
            m, U = block.S[0] + (block.V.T @ b) ** 2 / (2 * total), block.V
        k = simplex(m, block.tau)
        nu = float((m - k)[k > 0].max())
        m = np.where(k > 0, np.maximum(m - nu, TINY), np.minimum(m - nu, 0.0))
        return cls(block, b, x, c, m, U, k)

    @cached_property
    def w(self) -> Array:
        """Uᵀb"""
        w: Array = self.U.T @ self.b
        return w

    @cached_property
    def K(self) -> Array:
        """U diag(k)Uᵀ"""
        return composed(self.k, self.U)

    @property
    def learned(self) -> Array:
        """K, or the μ of (7)."""
        return self.K if self.block.V is None else self.k

    @cached_property
    def X(self) -> Array:
        """K - Sᵢ, or μ - λ"""
        return self.learned - self.block.S

    @cached_property
    def distances(self) -> Array:
        """‖Xᵢ‖"""
        d: Array = np.linalg.norm(self.X.reshape(len(self.x), -1), axis=1)
        return d

    @property
    def loss(self) -> float:
        """ρΣᵢL(Xᵢ)"""
        return self.block.rho * float((self.distances ** (2 if self.block.squared else 1)).sum())

    @cached_property
    def form(self) -> float:
        """bᵀKb"""
        return float(self.k @ self.w**2)

    @cached_property
    def value(self) -> float:
        """ψ(b) of the envelope, if the tᵢ are where they have to be, and more elsewhere."""
        held = float(self.c @ self.distances**2) / 2
        if not self.block.squared:
            held += self.block.rho * float((np.exp(self.x) - np.exp(self.block.floor)).sum()) / 2
        return held - self.form / 2

    @property
    def W(self) -> Array:
        """cᵢXᵢ; what rounding leaves of it where K stays at S is too much: there a part of ½bbᵀ."""
        parts: Array = np.multiply.outer(self.c / self.c.sum(), self.pull)
        stays = not (self.block.squared or self.free.any())
        if stays and np.linalg.norm(parts[0]) <= self.block.rho:
            return parts
        W: Array = np.einsum("i,i...->i...", self.c, self.X)
        return W

    @property
    def pull(self) -> Array:
        """½bbᵀ, in (7) its diagonal in the eigenbasis."""
        return np.outer(self.b, self.b) / 2 if self.block.V is None else self.w**2 / 2

    @cached_property
    def wrong(self) -> Array:
        """log‖Xᵢ‖ - log tᵢ; zero where tᵢ cannot be less, and with L3."""
        if self.block.squared:
            return np.zeros(len(self.x))
        h = np.log(np.maximum(self.distances, TINY)) - self.x
        return np.where((self.x <= self.block.floor) & (h < 0), 0.0, h)

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """The tᵢ that follow b."""
        if self.block.squared:
            return np.zeros(len(self.x), dtype=bool)
        return (self.x > self.block.floor) | (self.distances > np.exp(self.x))

    @cached_property
    def Omega(self) -> Array:
        """Ω"""
        return differences(self.m) if self.block.V is None else np.diag(1.0 * (self.m > 0))

    @cached_property
    def bent(self) -> tuple[Array, Array]:
        """⟨Xᵢ, P[Xⱼ]⟩, and P[Xᵢ]b in the eigenbasis."""
        at = np.flatnonzero(self.m > 0)
        if self.block.V is None:
            X = self.U.T @ self.X @ self.U
        else:
            X = self.X[:, :, None] * np.eye(self.X.shape[1])
        P = self.Omega * X
        P[:, at, at] -= X[:, at, at].mean(axis=1, keepdims=True)
        return np.einsum("ijk,ljk->il", X, P), P @ self.w

    @cached_property
    def root(self) -> Array:
        """R with RᵀR = T⁻¹, of the tᵢ that follow b: T in units of √cᵢ‖Xᵢ‖ is between 0 and 1."""
        some = self.free
        c, d = self.c[some], np.maximum(self.distances[some], TINY)
        unit = np.sqrt(c) * d
        slope = self.bent[0][np.ix_(some, some)] * np.outer(c / unit, c / unit) / self.c.sum()
        eig, V = eigh(np.eye(len(c)) - slope)
        R: Array = V.T / np.sqrt(np.maximum(eig, FLAT))[:, None] / unit
        return R

    @property
    def newton(self) -> Array:
        """The step for log‖Xᵢ‖ = log tᵢ: -∂ψ/∂log tᵢ is about cᵢ‖Xᵢ‖² times the difference."""
        some, step = self.free, np.zeros(len(self.x))
        step[some] = self.root.T @ (self.root @ (self.c * self.distances**2 * self.wrong)[some])
        return np.clip(step, -FARTHEST, FARTHEST)

    @cached_property
    def hessian(self) -> Array:
        """-∇²ψ"""
        w, total, above = self.w, float(self.c.sum()), self.m > 0
        pulled = np.where(above, w, 0.0)
        inner = (np.diag(self.Omega @ w**2) + np.outer(w, w) * self.Omega) / (2 * total)
        inner += np.diag(self.k) - np.outer(pulled, pulled) / (total * above.sum())
        some = self.free
        if some.any():
            Z = self.root @ (self.c[some, None] / total * self.bent[1][some])
            inner += Z.T @ Z
        return rotated(inner, self.U)


def rotated(inner: Array, U: Array) -> Array:
    """UAUᵀ"""
    A: Array = U @ ((inner + inner.T) / 2) @ U.T
    return A


def parts(id: str, problem: Similarities | Spectra) -> list[Block]:
    """One block in (4), m in (6) and (7)."""
    common = problem.rho, problem.tau, problem.loss == "L3"
    if isinstance(problem, Spectra):
        pairs = zip(problem.lam, problem.V, strict=True)
        return [Block(lam[None], *common, V) for lam, V in pairs]
    stack = (problem.S + problem.S.transpose(0, 2, 1)) / 2
    return [Block(S, *common) for S in ([stack] if id in ONE_KERNEL else stack[:, None])]

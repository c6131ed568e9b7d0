r"""Both ends of the fifteen programs at any point: no programs.

With M(θ) = I + (1/λ) Σᵢ θᵢG̃ᵢ (fixed λ) or Σᵢ θᵢG̃ᵢ, i = 0, …, p (joint), and class vectors
h₁, …, h_k (h₁ = a with two classes), the programs ask for the least of

    value(θ) = Σⱼ hⱼᵀ M(θ)⁻¹ hⱼ          over θ ≥ 0, θᵀr = 1,                          (upper)

and since hᵀM⁻¹h = max_β βᵀh - ¼βᵀMβ, and a linear function of θ is largest at a vertex,

    bound(β) = Σⱼ βⱼᵀhⱼ - ¼ max_θ Σⱼ βⱼᵀM(θ)βⱼ                                          (lower)
             = Σⱼ (βⱼᵀhⱼ - ¼βⱼᵀβⱼ) - maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/(4λrᵢ)     fixed λ
             = Σⱼ βⱼᵀhⱼ - maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/(4rᵢ)                  joint

is below it for every β. Scaling β by its best scalar is free: with b = Σⱼ βⱼᵀhⱼ and q/4 the rest,
max_c (cb - c²q/4) = b²/q. No form exceeds the trace: Σⱼ βⱼᵀG̃ᵢβⱼ ≤ rᵢ‖Pβ‖².

An X ≈ M⁻¹H is charged, not trusted: with its residual E = H - MX, and M ⪰ mI,

    HᵀM⁻¹H = HᵀX + XᵀE + EᵀM⁻¹E,   0 ⪯ EᵀM⁻¹E ⪯ (‖E‖²/m) I

m is 1 where λ is given, and θ₀ where it is learned; at θ₀ = 0 a number below the eigenvalues of
M + c·eeᵀ, which no hᵀM⁻¹h sees. Weights with θᵀr = τ are worth max(1, τ) times that once divided by
τ.

The restricted programs (32) and (45) ask for diag(t) ⪰ S(θ) = HᵀM(θ)⁻¹H. For given θ, any t > 0
becomes feasible when it is multiplied by λ_max(D^{-½} S D^{-½}), D = diag(t), or raised by
λ_max(S - D); and min Σⱼ tⱼ = max ⟨S, Z⟩ over Z ⪰ 0 with unit diagonal, so that with Z = RRᵀ the
bound above holds with H replaced by HR.

A point may hold `theta`, `beta`, or both, and for the restricted programs `t` and `Z`; what is
missing is made from the rest. Weights are clipped at zero and divided by θᵀr; β needs no repair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh

from cvxkernel.formulations.arithmetic import Arithmetic, Tensor
from cvxkernel.formulations.enclosure import EPS, TINY
from cvxkernel.formulations.formulation import Point, encloses, given
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.weights import overspent, simplex, with_identity
from cvxkernel.formulations.ye2008.data import Scatter, solver
from cvxkernel.formulations.ye2008.programs import Discriminant

EXACT = 1e-9  # of the value: what the residual of a given X may cost


def class_vectors(F: Arithmetic, y: Array, *, binary: bool) -> Tensor:
    """a as P1₊ · n/(n₊n₋), or hᵢ as P1ᵢ · √(n/nᵢ), in columns."""
    labels, n = np.unique(y), F.exact(float(len(y)))
    ones = (y[:, None] == labels[-1:] if binary else y[:, None] == labels).astype(float)
    sizes = F.exact(ones.sum(axis=0))
    factors = n / (sizes * (n - sizes)) if binary else (n / sizes).sqrt()
    return factors * (ones - sizes / n)


@per_array
def _begun(kernels: Array) -> dict[tuple[int, bool, bytes], Tensor]:
    """The class vectors beside a stack, by the bits of the arithmetic and the labels."""
    return {}


@dataclass(frozen=True)
class Dual:
    """A dual point and max_c bound(cβ) = b²/q there; `top` = maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/rᵢ."""

    beta: Tensor
    bound: Tensor
    b: Tensor
    q: Tensor
    top: Tensor

    @property
    def scale(self) -> float:
        """The best c, about."""
        return float(2 * self.b.mid / self.q.mid) if self.bound > 0 else 0.0

    @property
    def best(self) -> Tensor:
        """cβ"""
        return self.scale * self.beta


@dataclass(frozen=True)
class Solved:
    """Weights, X ≈ M(θ)⁻¹H, its residual E, what EᵀM⁻¹E is at most, and the forms of X."""

    F: Arithmetic
    theta: Tensor
    H: Tensor
    X: Tensor
    E: Tensor
    rest: Tensor
    forms: Tensor

    @cached_property
    def value(self) -> Tensor:
        """Σⱼ hⱼᵀM⁻¹hⱼ = Σⱼ hⱼᵀxⱼ + eⱼᵀxⱼ + eⱼᵀM⁻¹eⱼ"""
        least = self.F.inner(self.H, self.X) + self.F.inner(self.E, self.X)
        return self.F.between(least, least + self.rest)

    @property
    def schur(self) -> Tensor:
        """HᵀX + XᵀE: `rest` times the identity above it is HᵀM⁻¹H at the least."""
        return self.H.T @ self.X + self.X.T @ self.E


class Bounds:
    """The G̃ᵢ, their traces r and the class vectors H."""

    def __init__(self, F: Arithmetic, problem: Scatter, *, binary: bool) -> None:
        self.F, self.n = F, problem.n
        self.joint = not isinstance(problem, Discriminant)
        self.lam = F.exact(problem.lam if isinstance(problem, Discriminant) else 1.0)
        self.G = F.centred(problem.kernels, *problem.near)
        r = [G.trace() for G in self.G]
        self.r = F.stack([F.exact(float(self.n)), *r] if self.joint else r)
        known, key = _begun(problem.kernels), (F.bits, binary, problem.y.tobytes())
        if key not in known:
            known[key] = class_vectors(F, problem.y, binary=binary)
        self.H = known[key]

    # -- The value at weights -----------------------------------------------------------------

    def factors(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Those of I and of G̃₁, …, G̃_p in M(θ)."""
        return (theta[0], theta[1:]) if self.joint else (self.F.exact(1.0), theta / self.lam)

    def system(self, theta: Tensor) -> Tensor:
        """M(θ)"""
        first, weights = self.factors(theta)
        return self.F.shifted(self.F.combination(weights, self.G), first)

    def lifted(self, M: Any) -> Any:
        """M plus a multiple of eeᵀ where it may be singular there."""
        return M + M.trace() / float(self.n) ** 2 if self.joint else M

    def inverse(self, M: Tensor, theta: Tensor, steps: int) -> Callable[[Tensor], Tensor]:
        """B ↦ M⁻¹B about, an exact point; refined so many times by its residual in F."""
        first = float(self.factors(theta)[0].mid)
        F, solve = self.F, solver(self.lifted(M.mid), first, refined=True)

        def refined(B: Tensor) -> Tensor:
            X = F.exact(solve(B.mid))
            for _ in range(steps):
                X = (X + solve((B - M @ X).mid)).point()
            return X

        return refined

    def solved(self, theta: Tensor) -> Solved | None:
        """One factorization, one pass over the kernels; None where M(θ) may be singular."""
        F, M, (first, _) = self.F, self.system(theta), self.factors(theta)
        if not first > 0:
            above = self.n * EPS * float(np.linalg.norm(M.mid))
            first = F.least(self.lifted(M), above=above)
            if not first > 0:
                return None
        try:
            X = self.inverse(M, theta, F.bits // 60)(self.H)
        except LinAlgError:
            X = F.exact(np.zeros(self.H.shape))
        return self.charged(theta, X, first)

    def charged(self, theta: Tensor, X: Tensor, least: Tensor) -> Solved:
        """Whatever X is: its residual, in one pass, with M ⪰ least·I."""
        F, (first, weights), (forms, images) = self.F, self.factors(theta), self.forms(X)
        E = self.H - first * X
        for i, (share, image) in enumerate(zip(theta[-len(images) :], images, strict=True)):
            if share > 0:
                E = E - weights[i] * image
        return Solved(F, theta, self.H, X, E, F.inner(E, E) / least, forms)

    def forms(self, B: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Σⱼ βⱼᵀG̃ᵢβⱼ, i = 1, …, p, and the G̃ᵢB."""
        B = self.projected(B)
        images = self.F.images(self.G, B)
        return self.F.stack([self.F.inner(B, image) for image in images]), images

    def projected(self, B: Tensor) -> Tensor:
        """PB"""
        return B - B.sum(axis=0) / float(self.n)

    # -- The bound at a dual point --------------------------------------------------------------

    def dual(self, beta: Tensor, H: Tensor, forms: Tensor | None = None) -> Dual:
        """max_c bound(cβ), for any β; H holds the class vectors, or HR. β = 0 is always there."""
        F, beta = self.F, self.F.exact(beta)
        b, square, top = self.terms(beta, H, forms)
        q = top if self.joint else square + top / self.lam
        bound = b * b / q if b > 0 and q > 0 else F.exact(0.0)
        return Dual(beta, bound if bound.is_finite() else F.exact(0.0), b, q, top)

    def terms(
        self, beta: Tensor, H: Tensor, forms: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Σⱼ βⱼᵀhⱼ, Σⱼ βⱼᵀβⱼ, and maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/rᵢ."""
        F, centred = self.F, self.projected(beta)
        square, r = F.inner(beta, beta), self.r[1:] if self.joint else self.r
        forms = self.forms(beta)[0] if forms is None else forms
        top = F.minimum(forms / r, F.inner(centred, centred)).max()
        return F.inner(beta, H), square, F.maximum(top, square / self.r[0]) if self.joint else top

    # -- From a point to both ends ----------------------------------------------------------------

    def weights(self, point: Point) -> Iterator[Tensor]:
        """Feasible weights to try: the point's own; in the joint programs also with more I."""
        theta = simplex(self.F, given(self.F, point, "theta", 1.0 / self.r.mid), self.r)
        return with_identity(self.F, theta, self.r) if self.joint else iter((theta,))

    def tried(self, point: Point) -> Iterator[Solved]:
        """The systems at these weights that are definite, as long as more identity may help."""
        for theta in self.weights(point):
            at = self.solved(theta)
            if at is not None:
                yield at
                low, high = at.value.lower, at.value.upper
                if at.rest.upper <= max((high - low) / 4, 2.0 ** (-0.9 * self.F.bits) * low):
                    return

    def given(self, point: Point) -> Solved | None:
        """Where the point has an X that is exact enough: no factorization."""
        theta = next(self.weights(point))
        first = self.factors(theta)[0]
        if "X" not in point or not first > 0:
            return None
        at = self.charged(theta, given(self.F, point, "X", np.zeros(self.H.shape)), first)
        value = at.value
        return at if value.upper - value.lower <= EXACT * value.lower else None

    def upper(self, at: Solved) -> Tensor:
        """The value, once the weights are within the budget."""
        return at.value * overspent(self.F, at.theta, self.r)


def value(F: Arithmetic, problem: Scatter, theta: Any, *, binary: bool) -> Tensor:
    """Σⱼ hⱼᵀM(θ)⁻¹hⱼ for θ ≥ 0; nothing is known where M(θ) may be singular."""
    at = Bounds(F, problem, binary=binary).solved(F.exact(theta))
    return F.inf if at is None else at.value


def bound(F: Arithmetic, problem: Scatter, beta: Any, *, binary: bool) -> Tensor:
    """max_c bound(cβ), for any β."""
    bounds = Bounds(F, problem, binary=binary)
    return bounds.dual(F.exact(beta), bounds.H).bound


@dataclass(frozen=True)
class Certificate:
    """The best of the weights and the value there, the better of the dual points."""

    at: Solved
    upper: Tensor
    dual: Dual


def certify(F: Arithmetic, problem: Scatter, point: Point, *, binary: bool) -> Certificate:
    """The least value over the weights to try; the bound at X, or at the point's own β.

    Whoever has M(θ)⁻¹H already gives it as `X`: then no factorization is needed.
    """
    bounds = Bounds(F, problem, binary=binary)
    known = bounds.given(point)
    tried = list(bounds.tried(point)) if known is None else [known]
    upper, at = min(((bounds.upper(at), at) for at in tried), key=lambda end: end[0].upper)
    duals = [bounds.dual(at.X, at.H, at.forms)]
    if "beta" in point and known is None:
        duals.append(bounds.dual(given(F, point, "beta", np.zeros(at.H.shape)), at.H))
    return Certificate(at, upper, max(duals, key=lambda dual: dual.bound.lower))


# -- The restricted programs -----------------------------------------------------------------------


class Restricted(Bounds):
    """(32) and (45)."""

    def __init__(self, F: Arithmetic, problem: Scatter) -> None:
        super().__init__(F, problem, binary=False)

    def raised(self, at: Solved, point: Point) -> Tensor:
        """t ≥ S(θ) on the diagonal, as any feasible one is; k times the latter where none is."""
        diagonal = at.schur.diagonal()
        k = float(len(diagonal))
        return self.F.maximum(given(self.F, point, "t", k * diagonal), diagonal).point()

    def feasible(self, at: Solved, t: Tensor) -> Tensor:
        """t > 0 multiplied up, or raised, to diag(t) ⪰ S(θ): whichever is less."""
        F, S, root, eye = self.F, at.schur, t.sqrt(), np.eye(len(t))
        c = at.rest / t.min() - F.least(-(S / (root[:, None] * root[None, :])))
        more = (at.rest - F.least(eye * t - S)).positive()
        return min((c * t, t + more), key=lambda each: each.sum().upper)

    def root(self, point: Point) -> Tensor:
        """R with rows of norm one: given, from Z, or the best for β; else the identity.

        ⟨β, HR⟩ is the largest where each row of R is along that of Hᵀβ.
        """
        F, k = self.F, self.H.shape[1]
        R = np.eye(k)
        if "R" in point:
            return rows_of_norm_one(F, point["R"])
        if "Z" in point:
            R = unit_diagonal_root(given(F, point, "Z", R).mid)
        elif "beta" in point:
            best = (self.H.T @ given(F, point, "beta", np.zeros(self.H.shape))).mid
            size = np.abs(best).max(axis=1, keepdims=True)
            if np.isfinite(size).all() and (size > 0).all():
                R = best / size
        return rows_of_norm_one(F, R)


def rows_of_norm_one(F: Arithmetic, R: Any) -> Tensor:
    """Each row divided by its norm."""
    rows = F.exact(R)
    return rows / rows.square().sum(axis=1).sqrt()[:, None]


def unit_diagonal_root(Z: Array) -> Array:
    """R with RRᵀ ⪰ 0 of unit diagonal: the symmetric root of Z, its rows divided by their norms."""
    Z = Z / max(float(np.abs(Z).max()), TINY)
    eig, V = eigh((Z + Z.T) / 2)
    R: Array = (V * np.sqrt(np.maximum(eig, 0.0))) @ V.T
    norms = np.linalg.norm(R, axis=1, keepdims=True)
    empty = norms[:, 0] == 0
    R[empty] = np.eye(len(R))[empty]
    return R / np.where(norms == 0, 1.0, norms)


# -- What each program calls its variables ---------------------------------------------------


@encloses("ye2008-thm2.1", "ye2008-eq41", binary=True)
@encloses("ye2008-eq29", binary=False)
@encloses("ye2008-eq29-single", "ye2008-eq45-single", binary=False, matrix=True)
def sdp(
    F: Arithmetic, problem: Scatter, point: Point, *, binary: bool, matrix: bool = False
) -> Any:
    """t or T = HᵀM⁻¹H at the weights."""
    c = certify(F, problem, point, binary=binary)
    S = c.at.schur
    symbol = {"T": (S + S.T) / 2} if matrix else {"t": S[0, 0] if binary else S.diagonal()}
    point = {"theta": c.at.theta, "beta": _columns(c.dual.best, binary), **symbol}
    return F.enclosure(c.upper, c.dual.bound, c.upper, point)


@encloses("ye2008-thm3.1", "ye2008-eq45")
def restricted_sdp(F: Arithmetic, problem: Scatter, point: Point) -> Any:
    """t at the weights, and the unit-diagonal Z of the bound."""
    bounds = Restricted(F, problem)
    ends = [
        (bounds.feasible(at, bounds.raised(at, point)) * overspent(F, at.theta, bounds.r), at)
        for at in bounds.tried(point)
    ]
    t, at = min(ends, key=lambda end: end[0].sum().upper)
    high, R = t.sum(), bounds.root(point)
    duals = [bounds.dual((at.X @ R).point(), at.H @ R)]
    if "beta" in point:
        duals.append(bounds.dual(given(F, point, "beta", np.zeros(at.H.shape)), at.H @ R))
    dual = max(duals, key=lambda dual: dual.bound.lower)
    point = {"theta": at.theta, "t": t, "beta": dual.best, "Z": R @ R.T}
    return F.enclosure(high, dual.bound, high, point)


@encloses("ye2008-thm2.2", "ye2008-eq43", binary=True)
@encloses("ye2008-thm3.2", "ye2008-eq46", binary=False)
def qcqp(F: Arithmetic, problem: Scatter, point: Point, *, binary: bool) -> Any:
    """β at its best scale, and t = maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/rᵢ there."""
    c = certify(F, problem, point, binary=binary)
    beta, t = _columns(c.dual.best, binary), c.dual.scale * (c.dual.scale * c.dual.top)
    point = {"beta": beta, "t": t, "theta": c.at.theta}
    return F.enclosure(c.dual.bound, c.dual.bound, c.upper, point)


@encloses("ye2008-thm2.3", "ye2008-eq44", binary=True)
@encloses("ye2008-thm3.3", "ye2008-eq47", binary=False)
def silp(F: Arithmetic, problem: Scatter, point: Point, *, binary: bool) -> Any:
    """γ = -value(θ); the enclosure changes sign."""
    c = certify(F, problem, point, binary=binary)
    beta = _columns(c.dual.best, binary)
    point = {"theta": c.at.theta, "gamma": -c.upper, "beta": beta}
    return -F.enclosure(c.upper, c.dual.bound, c.upper, point)


def _columns(beta: Tensor, binary: bool) -> Tensor:
    """β as the programs have it: a vector with two classes."""
    return beta[:, 0] if binary else beta

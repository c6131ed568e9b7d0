r"""Newton's ascent on the dual over α, where the kernels that answer it best are explicit.

For (4), (6) and (7) of Kundu et al. (2010) with L2 or L3. Given α and γ what is left of the saddle
problem is a minimum for each kernel alone, or for the one kernel of (4), with b = Yα/√γ:

    ψ(b) = min over K ⪰ 0, trace K = τ of -½bᵀKb + ρΣᵢL(K - Sᵢ)
    (4) = max over α ∈ A of 1ᵀα + ψ(Yα),   (6), (7) = max over α ∈ A, γ ∈ Δ of 1ᵀα + Σᵢψᵢ(Yα/√γᵢ)

ψ is concave, and so is Σᵢψᵢ in (α, γ) together, being a minimum of -½Σᵢ αᵀYKᵢYα/γᵢ + …. L3 is
½cᵢ‖Xᵢ‖² with cᵢ = 2ρ; for L2, ρ‖Xᵢ‖ is the least ρ‖Xᵢ‖²/(2tᵢ) + ρtᵢ/2, where cᵢ = ρ/tᵢ. With
c = Σᵢcᵢ and bbᵀ/2 - Σᵢcᵢ(K - Sᵢ) = c(M - K),

    M = (Σᵢcᵢ Sᵢ + ½bbᵀ)/c = U diag(m)Uᵀ,   K = U diag(k)Uᵀ,  k = (m - ν)₊,  Σⱼkⱼ = τ,   ∇ψ = -Kb

A change of M by H (in the eigenbasis) changes K by P[H] = Ω∘(H - h̄I), h̄ the mean of Hⱼⱼ where
kⱼ > 0, Ω the divided differences of m ↦ (m - ν)₊. With dM = (b dbᵀ + db bᵀ)/(2c) and w = Uᵀb

    -∇²ψ = U[diag(k + Ωw²/2c) + (wwᵀ∘Ω)/2c - w₊w₊ᵀ/(c·|{kⱼ > 0}|)]Uᵀ,   w₊ being w where kⱼ > 0

In (7) U is V, given, m = λ + w²/2c, and Ω the identity where kⱼ > 0. The tᵢ are where ‖Xᵢ‖ = tᵢ;
dM = (cᵢ/c)(K - M + Xᵢ) d log tᵢ, and P[K - M] = 0, since K - M is -ν where kⱼ > 0: so
dK = (cᵢ/c)P[Xᵢ] d log tᵢ, which gives Newton's steps for log‖Xᵢ‖ = log tᵢ, and what -∇²ψ gains where
the tᵢ follow b: ZᵀT⁻¹Z, Zᵢ = (cᵢ/c)P[Xᵢ]b and Tᵢⱼ = ∂²ψ/∂log tᵢ∂log tⱼ = [i = j]cᵢ‖Xᵢ‖² -
cᵢcⱼ⟨Xᵢ, P[Xⱼ]⟩/c. tᵢ is no less than t₀, a small share of τ: with ρ(tᵢ - t₀)/2 in place of ρtᵢ/2
that is the envelope of Moreau of ρ‖Xᵢ‖, which lies below it.

With H = -∇²ψ the derivatives of ψ(a/√γ) in a and γ are -Ka/γ, aᵀKa/2γ², -H/γ, (K + H)a/2γ² and
-(3aᵀKa + aᵀHa)/4γ³. γ is eliminated from a step, which leaves a quadratic program over the box.
The lower end is the dual at α, γ and Wᵢ = cᵢXᵢ; the upper one the machine on the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cvxkernel.formulations import inputs
from cvxkernel.formulations import svm as machine
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.formulations.kundu2010.bounds import balanced, composed, simplex
from cvxkernel.solvers import units
from cvxkernel.solvers.box import quadratic_program
from cvxkernel.solvers.dual_ascent import best_response, differences
from cvxkernel.solvers.method import Iterative, State
from cvxkernel.solvers.mkl import mkl

ONE_KERNEL = frozenset({"kundu2010-eq4", "kundu2010-alg1"})
IDS = ONE_KERNEL | {f"kundu2010-{label}" for label in ("eq6", "alg2", "eq7", "alg3")}

CLOSEST = 1e-8  # of τ: t is no less
NEAR = 1e-6  # of t: how near ‖K - S‖ has to be
FARTHEST = np.log(1e3)  # how far one step may take log t
INNER = 60  # such steps
SHARES = (1.0, 0.25, 0.06, 0.015)  # of such a step, in turn
FLAT = 1e-12  # the least curvature in log t, where 1 is that of a K that does not move
SMALLEST = 1e-60  # the first α, relative to the machine on the projections of S
LEAST = 0.1  # of what γᵢ was
ROUGH = 0.1  # of the value: where it rises by more, the upper end need not be sharp
SLOW = 8  # steps in which the gap has to be halved


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
            # The last one, the least for K and the least for t in turn, always lets the value fall.
            for step in (*(here.newton * share for share in SHARES), here.wrong):
                there = Response.of(self, b, np.maximum(here.x + step, self.floor))
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
        parts = np.multiply.outer(self.c / self.c.sum(), self.pull)
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
        """R with RᵀR = T⁻¹, among the tᵢ that follow b: T in units of √cᵢ‖Xᵢ‖ is between 0 and 1."""
        some = self.free
        c, d = self.c[some], np.maximum(self.distances[some], TINY)
        unit = np.sqrt(c) * d
        slope = self.bent[0][np.ix_(some, some)] * np.outer(c / unit, c / unit) / self.c.sum()
        eig, V = eigh(np.eye(len(c)) - slope)
        return V.T / np.sqrt(np.maximum(eig, FLAT))[:, None] / unit

    @property
    def newton(self) -> Array:
        """The step for log‖Xᵢ‖ = log tᵢ, where minus the derivative of ψ is about cᵢ‖Xᵢ‖² times the difference."""
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
        return composed_symmetric(inner, self.U)


def composed_symmetric(inner: Array, U: Array) -> Array:
    """UAUᵀ"""
    A: Array = U @ ((inner + inner.T) / 2) @ U.T
    return A


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
        return self.gamma * np.array([r.form for r in self.responses])

    @property
    def evened(self) -> Dual:
        """At the γ that is best for the kernels, if that is better."""
        gamma = np.maximum(balanced(self.forms), LEAST * self.gamma)
        gamma = gamma / gamma.sum()
        if not np.abs(gamma - self.gamma).max() > NEAR:
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


@dataclass
class ResponseState(State):
    """α, γ and the kernels that answer them; all but the ends in the units of `unit`."""

    form: Formulation
    problem: Similarities | Spectra
    unit: Similarities | Spectra
    dual: Dual
    scale: float  # of the objective
    rise: float = 0.0  # of the value, in the last step
    bound: float = -np.inf
    attained: float = np.inf
    best: tuple[Dual, Array] | None = None  # of the upper end: the kernels, and an α
    highest: Dual | None = None  # of the lower end
    gaps: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class ResponseAscent(Iterative[ResponseState]):
    """The hyper-parameters; it answers (4), (6) and (7) with L2 or L3, the algorithms' ids too."""

    name = "response_ascent"
    answers = first = IDS
    warm = True

    max_iterations: int = 200

    @classmethod
    def takes(cls, problem: Any) -> bool:
        """Where the best response is explicit."""
        return problem.loss in ("L2", "L3") and problem.rho > 0

    def init(self, form: Formulation, problem: Any, start: Point | None) -> ResponseState:
        """The machine on the projections of S, scaled down; or the point of a problem nearby."""
        unit = units.of(form).scaled(problem)
        blocks = parts(form.id, unit)
        scale = problem.C / unit.C
        if start is None or not {"alpha", symbol(unit)} <= set(start):
            dual = first(blocks, unit)
        else:
            dual = near(blocks, unit, scale, start)
        return ResponseState(form, problem, unit, dual, scale)

    def step(self, state: ResponseState) -> bool:
        """One Newton step, where it is not the first, and both ends at the α it leads to."""
        C = state.unit.C
        if state.gaps:
            there = state.dual.ascended(C)
            if there is state.dual or self.slow(state):
                return False
            state.rise, state.dual = there.value - state.dual.value, there
        dual = state.dual
        alpha, gamma = dual.alpha, dual.gamma
        if state.rise <= ROUGH * abs(dual.value):
            alpha, gamma = answered(dual, C)
        value = dual.upper(C, alpha, gamma)
        if value < state.attained or state.best is None:
            state.attained, state.best = value, (dual, alpha)
        if dual.value > state.bound or state.highest is None:
            state.bound, state.highest = dual.value, dual
        state.lower, state.upper = state.scale * state.bound, state.scale * state.attained
        state.gaps.append(state.attained - state.bound)
        return True

    def slow(self, state: ResponseState) -> bool:
        """Whether the gap has not been halved for a while."""
        return len(state.gaps) > SLOW and state.gaps[-1] > state.gaps[-1 - SLOW] / 2

    def point(self, state: ResponseState) -> Point:
        """α, γ and Wᵢ of the lower end, the kernels and the α of the upper end."""
        assert state.best is not None
        assert state.highest is not None
        (made, x), dual = state.best, state.highest
        learned = np.stack([r.learned for r in made.responses])
        W = np.concatenate([r.W for r in dual.responses])
        one = state.form.id in ONE_KERNEL
        point = {"alpha": dual.alpha, "gamma": dual.gamma, "x": x}
        point[symbol(state.unit)] = learned[0] if one else learned
        point["w" if isinstance(state.unit, Spectra) else "W"] = W
        if one:
            del point["gamma"]
        return units.of(state.form).restored(state.problem, state.unit, point)


def symbol(problem: Similarities | Spectra) -> str:
    """Of what is learned."""
    return "mu" if isinstance(problem, Spectra) else "K"


def parts(id: str, problem: Similarities | Spectra) -> list[Block]:
    """One block in (4), m in (6) and (7)."""
    common = problem.rho, problem.tau, problem.loss == "L3"
    if isinstance(problem, Spectra):
        pairs = zip(problem.lam, problem.V, strict=True)
        return [Block(lam[None], *common, V) for lam, V in pairs]
    stack = (problem.S + problem.S.transpose(0, 2, 1)) / 2
    return [Block(S, *common) for S in ([stack] if id in ONE_KERNEL else stack[:, None])]


def answered(dual: Dual, C: float) -> tuple[Array, Array]:
    """The machine, or the problem (10), on the kernels."""
    if len(dual.gamma) == 1:
        return best_response(dual.kernels[0], dual.y, C, near=dual.alpha), dual.gamma
    return mkl(dual.kernels, dual.y, C, start=(dual.alpha, dual.gamma))


def first(blocks: Sequence[Block], problem: Similarities | Spectra) -> Dual:
    """The machine on the projections of S, its α scaled down as far as the value rises."""
    nothing, even = np.zeros(problem.n), np.full(len(blocks), 1 / len(blocks))
    dual = Dual.of(blocks, problem.y, nothing, even, [block.farthest for block in blocks])
    alpha, gamma = answered(dual, problem.C)
    gamma = (gamma + even) / (gamma + even).sum()  # none is zero: every K will answer α
    dual, shrink = dual.at(alpha, gamma), 1.0
    while shrink > SMALLEST:
        shrink /= 2
        there = dual.at(shrink * alpha, gamma)
        if not there.value > dual.value:
            break
        dual = there
    return dual.evened


def near(
    blocks: Sequence[Block], problem: Similarities | Spectra, scale: float, point: Point
) -> Dual:
    """α, γ and the distances ‖Kᵢ - Sᵢ‖ of a point of a problem nearby."""
    given = inputs.weights("alpha", point["alpha"], problem.y.shape)
    alpha = machine.repair(given / scale, problem.y, problem.C)
    gamma = np.ones(len(blocks))
    if len(blocks) > 1:
        shares = inputs.weights("gamma", point["gamma"], gamma.shape) if "gamma" in point else gamma
        gamma = np.maximum(shares, 1e-9)
        gamma = gamma / gamma.sum()
    learned = scale * np.asarray(point[symbol(problem)]).reshape(len(blocks), -1)
    xs = []
    for block, x in zip(blocks, learned, strict=True):
        away = np.linalg.norm(x - block.S.reshape(len(block.S), -1), axis=1)
        xs.append(np.log(np.maximum(away, CLOSEST * block.tau)))
    return Dual.of(blocks, problem.y, alpha, gamma, xs)

r"""Support vector machines on combined kernels, as a function of the weights.

With k labels yᵗ, weights θᵗ of each and Aᵢᵗ = aᵢ·diag(yᵗ)Kᵢdiag(yᵗ), all of these programs ask for
the least of

    J(θ) = Σₜ Jₜ(θᵗ),   Jₜ(θ) = max 1ᵀα - ½αᵀQα  over  0 ≤ α ≤ C, αᵀyᵗ = 0,   Q = A₀ + Σᵢ θᵢAᵢᵗ

    lanckriet2004      k = 1, twice this, θᵢ = μᵢrᵢ/c on the simplex, aᵢ = c/rᵢ; in sm1 A₀ = 0, in
                       sm2 A₀ = I/C, in sm2c the identity is one of the kernels; the last two have
                       no box
    kundu2010 (5)      k = 1, θᵢ = βᵢrᵢ/τ on the simplex, aᵢ = τ/rᵢ
    rakotomamonjy2008  k = 1, θ = d on the simplex
    tang2009           aᵢ = 1, θ = ζ + γᵗ: one set of weights at β = 0, `Sharing` elsewhere

Jₜ is convex. By the theorem of the envelope, and because on the samples F with 0 < αᵢ < C the KKT
conditions say [Q_FF y_F; y_Fᵀ 0][dα; db] = -[(Aⱼα)_F; 0]dθⱼ,

    ∂Jₜ/∂θᵢ = -½αᵀAᵢα,   ∂²Jₜ/∂θᵢ∂θⱼ = (Aᵢα)_Fᵀ P (Aⱼα)_F,   P = Q_FF⁻¹ - Q_FF⁻¹yyᵀQ_FF⁻¹/yᵀQ_FF⁻¹y,

the second as long as F stays. Or by elimination: with α = α₀ + Zz on F, ZᵀY = 0, Jₜ is
½lᵀ(ZᵀQZ)⁻¹l and what does not depend on z, l = Zᵀ(1 - Qα₀), so that dz = -(ZᵀQZ)⁻¹ZᵀAⱼα dθⱼ, and
P = Z(ZᵀQZ)⁻¹Zᵀ. Each evaluation is k machines, each from the active set of the last, a label whose
weights stay keeping its own; and one pass over the kernels for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from cvxkernel.formulations import inputs
from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004 import JointMargin
from cvxkernel.formulations.tang2009 import Regularized, Shared, prohibitive
from cvxkernel.formulations.ye2008.data import combined
from cvxkernel.solvers.box import borders
from cvxkernel.solvers.svm import svm
from cvxkernel.solvers.weights import SIMPLEX, Region, Sharing

MARGIN = frozenset({"lanckriet2004-sm1", "lanckriet2004-sm2", "lanckriet2004-sm2c"})
LABELS = frozenset({"tang2009-thm3.1", "tang2009-eq3-sdp", "tang2009-eq11"})
SIMPLE = frozenset({"rakotomamonjy2008"})
BUDGET = frozenset({"kundu2010-eq5"})
ANSWERS = MARGIN | LABELS | SIMPLE | BUDGET


class MarginFunction(ABC):
    """J and its derivatives, in units where Q has the trace n, or less where C would be below 1.

    kernels, Y, C : as above; C may be infinite
    a             : the aᵢ
    ridge         : A₀ = ridge·I
    identity      : whether the identity is the first of the kernels, before those given
    times         : what the paper's objective is of J
    """

    def __init__(
        self,
        kernels: Array,
        Y: Array,
        C: float,
        a: Array,
        *,
        times: float = 1.0,
        ridge: float = 0.0,
        identity: bool = False,
        region: Region = SIMPLEX,
    ) -> None:
        self.kernels, self.Y, self.identity, self.region = kernels, Y, identity, region
        n = Y.shape[1]
        diagonals = np.trace(kernels, axis1=1, axis2=2) / n
        diagonals = np.append(1.0, diagonals) if identity else diagonals
        # α is `scale` times the α used here, and so is J; C is C/scale, Q is scale·Q.
        self.scale: float = min(1 / float((a * diagonals).max()), C)
        self.unit = times * self.scale
        self.top, self.ridge = C / self.scale, self.scale * ridge
        self.factors = self.scale * a  # Aᵢ = factorᵢ·G(Kᵢ)
        self.p = len(a) if region is SIMPLEX else len(Y) * len(a)
        self.alpha: Array | None = None  # (k, n): where the first machines begin

    def at(self, w: Array, near: MarginEvaluation | None = None) -> MarginEvaluation:
        """The machines of the labels whose weights are not those of one nearby."""
        theta = self.region.labels(w, len(self.Y))
        known = dict(enumerate(near.machines)) if near is not None else {}
        moved = [t for t, m in known.items() if not np.array_equal(m.theta, theta[t])]
        moved = moved if known else list(range(len(theta)))
        solved = []
        for t in moved:
            if t == moved[0] or self.region is not SIMPLEX:  # there all labels have one kernel
                K, diagonal = self.combined(theta[t])
            begin = None if self.alpha is None else self.alpha[t]
            if t in known:
                begin = known[t].moved(theta[t] - known[t].theta)
            solved.append(self.machine(K, diagonal, self.Y[t], known.get(t), begin))
        images = self.images(moved, np.array([alpha for alpha, _, _ in solved]))
        for t, machine, image in zip(moved, solved, images, strict=True):
            known[t] = MachineEvaluation(self, theta[t], self.Y[t], image, *machine)
        return MarginEvaluation(w, theta, [known[t] for t in range(len(theta))], self)

    def combined(self, weights: Array) -> tuple[Array, float]:
        """Σᵢ θᵢaᵢKᵢ + A₀, and what of it is a multiple of the identity."""
        shares = weights * self.factors
        K = combined(self.kernels, shares[1:] if self.identity else shares)
        diagonal = self.ridge + (float(shares[0]) if self.identity else 0.0)
        K.flat[:: len(K) + 1] += diagonal
        return K, diagonal

    def machine(
        self,
        K: Array,
        diagonal: float,
        y: Array,
        near: MachineEvaluation | None,
        begin: Array | None,
    ) -> tuple[Array, NDArray[np.bool_], Array]:
        """The α of one support vector machine, from that of one nearby; F and Q_FF."""
        top = self.top
        if not np.isfinite(top):
            # αᵢ ≤ αᵀ1 = 2J: wherever J falls the box is of no effect.
            fell = near is not None and near.value > 0  # else lost at the end of the doubles
            top = 4 * near.value if near is not None and fell else len(y) / diagonal
        alpha = svm(K, y, top, start=begin)
        at_top, at_zero = borders(alpha, self.top)
        free = ~(at_top | at_zero)
        return alpha, free, bounds.signed(y[free], K[free][:, free])

    def images(self, labels: list[int], alpha: Array) -> Array:
        """Aᵢᵗαᵗ of these labels, as (·, p, n): one pass over the kernels."""
        if not labels:
            return np.zeros((0, len(self.factors), self.Y.shape[1]))
        n, Y = self.Y.shape[1], self.Y[labels]
        flat = self.kernels.reshape(-1, n) @ (Y * alpha).T
        images: Array = flat.reshape(-1, n, len(labels)).transpose(2, 0, 1) * Y[:, None]
        if self.identity:
            images = np.concatenate([alpha[:, None], images], axis=1)
        images *= self.factors[:, None]
        return images

    def begin(self, start: Point) -> None:
        """The first machines begin at the α of a point; what was at another C is at this."""
        if "alpha" not in start:
            return
        alpha = inputs.weights("alpha", start["alpha"], self.Y.shape)
        highest = alpha.max(axis=1, keepdims=True)
        at_top = alpha >= (1 - 1e-9) * highest
        several = at_top.sum(axis=1, keepdims=True) > 1
        self.alpha = np.where(at_top & several, self.top, alpha / self.scale)

    def ahead(self, at: MarginEvaluation, w: Array) -> Point | None:
        """The point at w, α to first order; None where that leaves the box."""
        theta = self.region.labels(w, len(self.Y))
        alphas = [m.moved(row - m.theta) for m, row in zip(at.machines, theta, strict=True)]
        if any((a < 0).any() or (a > self.top).any() for a in alphas):
            return None
        return self.named(w, theta, np.array(alphas))

    def point(self, at: MarginEvaluation) -> Point:
        """The weights and the α of their machines, in the paper's symbols."""
        return self.named(at.w, at.theta, at.alpha)

    @abstractmethod
    def named(self, w: Array, theta: Array, alpha: Array) -> Point:
        """These, of any weights."""


class WeightsFunction(MarginFunction):
    """One label: `symbol` holds the weights, wᵢ times those of each kernel alone, the aᵢ."""

    def __init__(self, symbol: str, alone: Array, problem: Any, C: float, **options: Any) -> None:
        super().__init__(problem.kernels, problem.y[None], C, alone, **options)
        self.symbol, self.alone = symbol, alone

    def near(self, start: Point) -> Array:
        """The weights."""
        self.begin(start)
        w: Array = inputs.weights(self.symbol, start[self.symbol], self.alone.shape) / self.alone
        return w

    def named(self, w: Array, theta: Array, alpha: Array) -> Point:
        """α and the weights."""
        return {"alpha": self.scale * alpha[0], self.symbol: self.alone * w}


class LabelsFunction(MarginFunction):
    """The programs of tang2009 over weights: λ as a price, β as a bound; θ, or ζ and γ."""

    def __init__(self, problem: Regularized | Shared) -> None:
        self.problem, k, p = problem, problem.k, problem.p
        lam, beta = 0.0, k / 2
        if isinstance(problem, Shared):
            beta = problem.most
        elif problem.lam >= (1 - 1e-9) * prohibitive(problem):
            beta = 0.0  # no difference is worth its price
        else:
            lam = problem.lam
        super().__init__(problem.kernels, problem.Y, problem.C, np.ones(p))
        if k > 1 and beta > 0:
            self.region, self.p = Sharing(k, p, beta, lam / self.scale), k * p

    def near(self, start: Point) -> Array:
        """θ, or its mean where all labels have the same."""
        self.begin(start)
        p, shape = self.problem.p, (self.problem.k, self.problem.p)
        shapes = {"theta": shape} if "theta" in start else {"zeta": (p,), "gamma": shape}
        theta = np.zeros(shape)
        for symbol in shapes.keys() & start.keys():
            theta = theta + inputs.weights(symbol, start[symbol], shapes[symbol])
        mean: Array = theta.mean(axis=0)
        return mean if self.region is SIMPLEX else theta.ravel()

    def named(self, w: Array, theta: Array, alpha: Array) -> Point:
        """θ and the α of its machines."""
        return {"alpha": self.scale * alpha, "theta": np.array(theta)}


@dataclass
class MachineEvaluation:
    """The machine of one label at its weights, and its derivatives."""

    phi: MarginFunction
    theta: Array
    y: Array
    images: Array  # A₁α, …, A_pα
    alpha: Array
    free: NDArray[np.bool_]  # F
    Q: Array  # Q_FF

    @cached_property
    def forms(self) -> Array:
        """αᵀAᵢα"""
        return self.images @ self.alpha

    @cached_property
    def image(self) -> Array:
        """Qα"""
        return self.theta @ self.images + self.phi.ridge * self.alpha

    @cached_property
    def value(self) -> float:
        """1ᵀα - ½αᵀQα"""
        return float(self.alpha.sum()) - float(self.alpha @ self.image) / 2

    @property
    def upper(self) -> float:
        """½αᵀQα + C Σᵢ max(0, 1 - (Qα)ᵢ - byᵢ); without a box α is scaled to have no such i."""
        y, image, top = self.y, self.image, self.phi.top
        form = float(self.alpha @ image) / 2
        if np.isfinite(top):
            losses = np.maximum(0.0, 1 - image - bounds.offset(image, y) * y)
            return form + top * float(losses.sum())
        margin = float(image[y > 0].min() + image[y < 0].min()) / 2
        return form / margin**2 if margin > 0 else np.inf

    @cached_property
    def factor(self) -> Array:
        """L, LLᵀ = Q_FF"""
        return _factor(self.Q)

    @cached_property
    def projected(self) -> Array:
        """The L⁻¹(Aᵢα)_F less their parts along L⁻¹y: P is L⁻ᵀ times what does this."""
        right = np.c_[self.images[:, self.free].T, self.y[self.free]]
        solved = solve_triangular(self.factor, right, lower=True, check_finite=False)
        along = solved[:, -1] / max(float(np.linalg.norm(solved[:, -1])), TINY)
        rest: Array = solved[:, :-1] - np.outer(along, along @ solved[:, :-1])
        return rest

    @cached_property
    def hessian(self) -> Array:
        """(Aᵢα)_Fᵀ P (Aⱼα)_F"""
        H: Array = self.projected.T @ self.projected
        return H

    def moved(self, d: Array) -> Array:
        """α - Σⱼ dⱼP(Aⱼα)_F: that of the machine at θ + d, as long as F stays."""
        right = self.projected @ d
        alpha = self.alpha.copy()
        alpha[self.free] -= solve_triangular(
            self.factor, right, trans="T", lower=True, check_finite=False
        )
        return alpha


@dataclass
class MarginEvaluation:
    """A point, its machines and its derivatives."""

    w: Array
    theta: Array
    machines: list[MachineEvaluation]
    phi: MarginFunction

    @cached_property
    def alpha(self) -> Array:
        """That of every machine, as (k, n)."""
        return np.array([machine.alpha for machine in self.machines])

    @cached_property
    def value(self) -> float:
        """J and the price."""
        return sum(machine.value for machine in self.machines) + self.phi.region.price(self.w)

    @cached_property
    def upper(self) -> float:
        """The sum of the machines' upper ends, and the price."""
        return sum(machine.upper for machine in self.machines) + self.phi.region.price(self.w)

    @cached_property
    def bound(self) -> float:
        """Σ1ᵀα - ½ΣαᵀA₀α - the dearest ½θᵀ(αᵀAα) - price, at α or a better multiple in the box."""
        phi, alpha = self.phi, self.alpha
        forms = np.array([machine.forms for machine in self.machines])
        total, ridge = float(alpha.sum()), phi.ridge * float(np.sum(alpha**2)) / 2
        dearest = ridge + phi.region.dearest(forms)
        x = min(total / max(2 * dearest, TINY), phi.top / max(float(alpha.max()), TINY))
        return max(y * total - y * y * ridge - phi.region.dearest(y * y * forms) for y in (1.0, x))

    @cached_property
    def gradient(self) -> Array:
        """-½αᵀAᵢα, without that of the price"""
        forms = np.array([machine.forms for machine in self.machines])
        return -self.phi.region.gathered(forms) / 2

    @property
    def gap(self) -> float:
        """(upper - bound)/upper"""
        return (self.upper - self.bound) / self.upper if np.isfinite(self.upper) else np.inf

    def hessian(self) -> Array:
        """Of the labels, together."""
        each = np.array([machine.hessian for machine in self.machines])
        return self.phi.region.curvature(each)


def function(form: Formulation, problem: Any) -> WeightsFunction | LabelsFunction:
    """What a program of `ANSWERS` asks for the least of."""
    if form.id in LABELS:
        return LabelsFunction(problem)
    if form.id in SIMPLE:
        ones = np.ones(problem.p)
        return WeightsFunction("d", ones, problem, problem.C)
    if form.id in BUDGET:
        return WeightsFunction("beta", problem.tau / problem.r, problem, problem.C)
    mu = problem.c / problem.r
    return WeightsFunction(
        "mu",
        mu,
        problem,
        problem.C if form.id == "lanckriet2004-sm1" else np.inf,
        times=2.0,
        ridge=1 / problem.C if form.id == "lanckriet2004-sm2" else 0.0,
        identity=isinstance(problem, JointMargin),
    )


def _factor(Q: Array) -> Array:
    """A Cholesky factor of Q, with as little of the identity as makes it definite in doubles."""
    size = float(Q.diagonal().max(initial=TINY))
    for share in (0.0, *np.logspace(-14, 0, 8)):
        shifted = Q.copy()
        shifted.flat[:: len(Q) + 1] += share * size
        try:
            L: Array = cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
            return L
        except LinAlgError:
            pass
    raise LinAlgError("the kernels are not semidefinite")

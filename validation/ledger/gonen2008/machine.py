"""Section 2 at a gating: the discriminant, (5) to (8), K_η, the gates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.gonen2008 import Discriminant, Gated, bounds
from cvxkernel.formulations.gonen2008.discriminant import Kernel
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.solvers import solve
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    about,
    at_most,
    equal,
    identity,
    not_above,
    worst,
)
from cvxkernel.validation.ledger.gonen2008.code import CODE
from cvxkernel.validation.ledger.shared import KINDS, literal, optimum, problem

EQ7 = "gonen2008-eq7"


def solved(at: Gated) -> Enclosure:
    """(7) at a gating, by libsvm polished."""
    return solve(EQ7, at, solver="svm").enclosure


def _product(M: Array, Z: Array, W: Array) -> Array:
    return Z @ M @ W.T


@dataclass(frozen=True, eq=False)
class Space:
    """Points x in R³ with explicit features Φ_m(x) = A_mx, a gating, α in the box with αᵀy = 0."""

    seed: int
    n: int = 9
    p: int = 3

    @cached_property
    def A(self) -> list[Array]:
        """A_m, of 2, 3 and 4 features."""
        rng = np.random.default_rng([self.seed, 1])
        return [rng.normal(size=(2 + m, 3)) for m in range(self.p)]

    @cached_property
    def at(self) -> Gated:
        """The problem."""
        rng = np.random.default_rng([self.seed, 2])
        X, y = rng.normal(size=(self.n, 3)), np.where(np.arange(self.n) % 2, 1.0, -1.0)
        K = np.stack([X @ A.T @ A @ X.T for A in self.A])
        return Gated(K, y, X, 2.0, rng.normal(size=(self.p, 3)), rng.normal(size=self.p))

    @cached_property
    def alpha(self) -> Array:
        """Feasible, in no way optimal."""
        alpha = np.random.default_rng([self.seed, 3]).random(self.n)
        plus = self.at.y > 0
        alpha[plus] *= alpha[~plus].sum() / alpha[plus].sum()
        scaled: Array = alpha / alpha.max()
        return scaled

    @property
    def kernels(self) -> list[Kernel]:
        """K_m(Z, W) = ⟨A_mz, A_mw⟩"""
        return [partial(_product, A.T @ A) for A in self.A]

    def features(self, m: int, X: Array) -> Array:
        """Φ_m(x), one row for each x."""
        return X @ self.A[m].T

    def gates(self, X: Array) -> Array:
        """η_m(x), as (p, points): the printed quotient."""
        powers = np.exp(X @ self.at.V.T + self.at.v0).T
        eta: Array = powers / powers.sum(axis=0)
        return eta

    @cached_property
    def w(self) -> list[Array]:
        """w_m = Σᵢ αᵢyᵢη_m(xᵢ)Φ_m(xᵢ), of (6)"""
        at, eta = self.at, self.gates(self.at.X)
        return [(self.alpha * at.y * eta[m]) @ self.features(m, at.X) for m in range(self.p)]

    def f(self, X: Array, w: list[Array], b: float) -> Array:
        """(4)"""
        eta = self.gates(X)
        terms = [eta[m] * (self.features(m, X) @ w[m]) for m in range(self.p)]
        f: Array = np.sum(terms, axis=0) + b
        return f

    @property
    def size(self) -> float:
        """What the sums of this space add up to, in absolute values, at most."""
        return float(self.n * self.p * np.abs(self.at.kernels).max() * 10)


@cache
def space(seed: int) -> Space:
    """One for each seed."""
    return Space(seed)


# -- (1) to (4) -----------------------------------------------------------------------------------


def eq3(seed: int) -> Evidence:
    """(2) with w_m = η_mΣαᵢyᵢΦ_m(xᵢ) against (3), at other points."""
    s = space(seed)
    at, rng = s.at, np.random.default_rng(seed)
    Z, eta = rng.normal(size=(7, 3)), rng.dirichlet(np.ones(s.p))
    beta = s.alpha * at.y
    two, three = np.zeros(7), np.zeros(7)
    for m in range(s.p):
        w = eta[m] * (beta @ s.features(m, at.X))
        two += s.features(m, Z) @ w
        three += eta[m] * (s.features(m, Z) @ s.features(m, at.X).T) @ beta
    return Evidence(identity(two, three, n=s.n, magnitude=s.size))


def not_convex(seed: int) -> Evidence:
    """Were (5) convex, its least over w, b, ξ would be convex in the gating."""
    rng = np.random.default_rng(seed)
    K = np.array([[0.5, 0.45], [0.45, 0.5]]) * (1 + rng.random())
    X, y = np.array([[-1.0], [1.0]]), np.array([1.0, -1.0])
    ends = {}
    for a in (-3.0, 0.0, 3.0):
        at = Gated(np.stack([K, K]), y, X, 100.0, np.array([[a], [-a]]), np.zeros(2))
        ends[a] = solved(at)
    least, most = ends[0.0].lower, max(ends[-3.0].upper, ends[3.0].upper)
    numbers = {"J in the middle": least, "J at the ends, at most": most}
    return Evidence(at_most(most, least, n=2, **about("two points, one kernel twice", numbers)))


# -- (5) to (7) -----------------------------------------------------------------------------------


def lagrangian(seed: int) -> Evidence:
    """L_D as printed against ½Σ‖w_m‖² + CΣξ less the multipliers times the constraints."""
    s, rng = space(seed), np.random.default_rng(seed)
    at, n = s.at, s.n
    w = [rng.normal(size=len(A)) for A in s.A]
    b, xi, alpha, beta = rng.normal(), rng.random(n), rng.random(n), rng.random(n)
    f = s.f(at.X, w, b)
    half = sum(float(v @ v) for v in w) / 2
    printed = half + (at.C - alpha - beta) @ xi + alpha.sum() - (alpha * at.y) @ f
    direct = half + at.C * xi.sum() - alpha @ (at.y * f - 1 + xi) - beta @ xi
    size = half + float(np.abs(f).sum()) + n * (at.C + 2)
    return Evidence(identity(printed, direct, n=n, magnitude=size))


def eq6(seed: int) -> Evidence:
    """At w_m of (6) and αᵀy = 0 no change of w and b changes L_D to first order."""
    s, rng = space(seed), np.random.default_rng(seed)
    at, found = s.at, []

    def L(w: list[Array], b: float) -> float:  # without the terms of ξ, zero by C = α + β
        half = sum(float(v @ v) for v in w) / 2
        return half + float(s.alpha.sum() - (s.alpha * at.y) @ s.f(at.X, w, b))

    for _ in range(4):
        d, b = [rng.normal(size=len(A)) for A in s.A], rng.normal()
        # L is quadratic in w, so that half its central difference is the derivative exactly.
        ends = [L([v + t * x for v, x in zip(s.w, d, strict=True)], t * b) for t in (1.0, -1.0)]
        found.append(at_most(abs(ends[0] - ends[1]), 0.0, n=s.n, magnitude=s.size))
    return Evidence(worst(found))


def eq7(seed: int) -> Evidence:
    """(7) held against its ends; (5) at the w_m, b and ξ that (6) makes of α has its value."""
    found: list[Finding] = []
    for kind in KINDS:
        found += literal(EQ7, kind, seed)
        at: Gated = problem(EQ7, kind, seed)
        best = solved(at)
        found.append(equal(best, optimum(EQ7, kind, seed), instance=kind))
        alpha, b = best.variables["alpha"], float(best.variables["b"])
        program = at.eq5()
        f = np.full(at.n, b)
        for m in range(at.p):
            Phi = factor(at.kernels[m])
            w = Phi @ (alpha * at.y * at.eta[m])  # (6)
            program.variables[f"w{m + 1}"].value = w
            f += at.eta[m] * (Phi.T @ w)
        program.variables["b"].value = np.array(b)
        program.variables["xi"].value = np.maximum(0.0, 1 - at.y * f)
        value = float(program.problem.objective.value)
        _, allowance = bounds.primal(at, bounds.combined(at)[0], alpha, b)
        allowed = best.width + allowance / best.upper
        told = about(f"(5), {kind}", {"(5)": value, "(7)": best.value})
        found.append(Finding(abs(value - best.value) / best.value, allowed, **told))
        most = max(float(np.max(c.violation())) for c in program.problem.constraints)
        found.append(at_most(most, 0.0, n=at.n, magnitude=float(np.abs(f).max()) + 1))
    return Evidence(worst(found))


def K_eta(seed: int) -> Evidence:
    """The canonical dual form of ‖Σ_m w_m‖ with (6): Σ_m‖w_m‖² = (αy)ᵀK_η(αy)."""
    s = space(seed)
    at, beta = s.at, s.alpha * s.at.y
    norms = sum(float(w @ w) for w in s.w)
    Q, _ = bounds.combined(at)
    found = [
        identity(norms, float(beta @ at.K_eta @ beta), n=s.n, magnitude=s.size),
        identity(norms, float(s.alpha @ Q @ s.alpha), n=s.n, magnitude=s.size),
    ]
    return Evidence(worst(found))


def definite(seed: int) -> Evidence:
    """The smallest eigenvalue of K_η for gates of the model, mild to crisp."""
    found = []
    for kind in KINDS:
        at: Gated = problem(EQ7, kind, seed)
        for spread in (0.0, 1.0, 10.0):
            moved = Gated(at.kernels, at.y, at.X, at.C, spread * at.V, spread * at.v0)
            d = np.linalg.eigvalsh(moved.K_eta)
            told = about(f"{kind}, gating × {spread:g}")
            found.append(at_most(-d[0], 0.0, n=at.n * at.p, magnitude=float(d[-1]), **told))
    return Evidence(worst(found))


def any_sign(seed: int) -> Evidence:
    """Gates of both signs, which the restriction excludes: K_η all the same."""
    rng, excluded, found = np.random.default_rng(seed), 0, []
    for _ in range(20):
        B, eta = rng.normal(size=(3, 8, 4)), rng.normal(size=(3, 8))
        K = sum(np.outer(e, e) * (b @ b.T) for e, b in zip(eta, B, strict=True))
        d = np.linalg.eigvalsh(np.asarray(K))
        excluded += bool(eta.min() < 0)
        found.append(at_most(-d[0], 0.0, n=24, magnitude=float(d[-1])))
    semidefinite = sum(one.holds for one in found)
    told = about("random gates", {"excluded": excluded, "semidefinite": semidefinite})
    # A restriction that is needed leaves nothing semidefinite outside.
    return Evidence(Finding(semidefinite / excluded, 0.0, **told), worst(found))


# -- The gates ------------------------------------------------------------------------------------


def gating(seed: int) -> Evidence:
    """The printed quotient against the package's gates; nonnegative, of sum one; regions."""
    s, found = space(seed), []
    Z = np.random.default_rng(seed).normal(size=(11, 3))
    eta, z = s.gates(Z), Z @ s.at.V.T + s.at.v0
    loss = float(np.abs(z).max()) + 1  # exp turns the rounding of z into a relative one
    found.append(identity(s.gates(s.at.X), s.at.eta, n=s.p, magnitude=loss))
    found.append(identity(s.at.eta, bounds.gates(s.at)[0], n=s.p, magnitude=loss))
    found.append(identity(eta.sum(axis=0), np.ones(11), n=s.p))
    found.append(at_most(-float(eta.min()), 0.0, n=1))
    # Where one gate is above another is a half space: log η_m - log η_k is linear in x.
    logs = np.log(eta)
    found.append(identity(logs[1:] - logs[0], (z[:, 1:] - z[:, :1]).T, n=s.p, magnitude=10 * loss))
    return Evidence(worst(found))


def constant(seed: int) -> Evidence:
    """v_m = 0: what (7) is at constant gates, at their best, against MKL."""
    rng, p = np.random.default_rng(seed), 2
    B = rng.normal(size=(p, 10, 4))
    K = np.stack([b @ b.T / np.sum(b * b) * 10 for b in B])  # equal traces
    X, y, C = rng.normal(size=(10, 1)), np.where(np.arange(10) % 2, 1.0, -1.0), 5.0
    # With equal traces sm1 at C/p is the least over Σμ = 1 of the machine's optimum, times 2/p.
    mkl = solve("lanckriet2004-sm1", SoftMargin(K, y, C / p)).enclosure
    mkl = Enclosure(p / 2 * mkl.value, p / 2 * mkl.lower, p / 2 * mkl.upper, {})
    ends, sums, found = [], [], []
    for t in np.linspace(-4, 4, 17):
        at = Gated(K, y, X, C, np.zeros((p, 1)), np.array([t, 0.0]))
        eta = at.eta[:, 0]
        squares = np.tensordot(eta**2, K, axes=1)
        found.append(identity(at.K_eta, squares, n=p, magnitude=float(np.abs(K).max())))
        ends.append(solved(at))
        sums.append(float(np.sum(eta**2)))
        found.append(not_above(mkl, ends[-1]))
    least = min(ends, key=lambda end: end.upper)
    numbers = {"MKL": mkl.value, "best constant gating": least.value, "least Ση²": min(sums)}
    printed = equal(least, mkl, **about("two kernels of equal trace", numbers))
    return Evidence(printed, worst(found))


def unweighted(seed: int) -> Evidence:
    """Equal gates against the unweighted sum, with C and with C/p²."""
    printed, corrected = [], []
    for kind in KINDS:
        at: Gated = problem(EQ7, kind, seed)
        p, total = at.p, at.kernels.sum(axis=0)[None]
        equal_gates = solved(Gated(at.kernels, at.y, at.X, at.C, 0 * at.V, 0 * at.v0))
        plain, small = (
            solved(Gated(total, at.y, at.X, C, 0 * at.V[:1], 0 * at.v0[:1]))
            for C in (at.C, at.C / p**2)
        )
        numbers = {"equal gates": equal_gates.value, "sum": plain.value, "sum, C/p²": small.value}
        printed.append(equal(equal_gates, plain, **about(kind, numbers)))
        corrected.append(equal(equal_gates, small, factor=p**2, **about(kind, numbers)))
    return Evidence(worst(printed), worst(corrected))


# -- (8) ------------------------------------------------------------------------------------------


def eq8(seed: int) -> Evidence:
    """(4) at the w_m of (6) against (8), at other points."""
    s = space(seed)
    f = Discriminant.fit(s.at, s.alpha, s.kernels)
    Z = np.random.default_rng(seed).normal(size=(12, 3))
    found = identity(f(Z), s.f(Z, s.w, f.b), n=s.n, magnitude=s.size)
    return Evidence(found)


def testing(seed: int) -> Evidence:
    """How many of the K_m(x, xᵢ) are saved where both gates are nonzero, and with a threshold."""
    s = space(seed)
    at = Gated(s.at.kernels, s.at.y, s.at.X, s.at.C, 5 * s.at.V, s.at.v0)  # crisp
    f = Discriminant.fit(at, s.alpha, s.kernels)
    Z = np.random.default_rng(seed).normal(size=(40, 3))
    every = len(Z) * s.n * s.p
    count = {tau: f.evaluations(Z, threshold=tau) for tau in (0.0, 1e-3, 1e-2)}
    size = sum(np.abs(K(Z, at.X)) @ s.alpha for K in s.kernels)  # Σᵢ Σ_m |αᵢK_m(x, xᵢ)|
    found = [
        at_most(
            float(np.max(np.abs(f(Z) - f(Z, threshold=tau)) / np.asarray(size))),
            tau,
            n=s.n,
            magnitude=1.0,
        )
        for tau in count
    ]
    numbers = {f"above {tau:g}": share / every for tau, share in count.items()}
    told = about("shares of the K_m(x, xᵢ), crisp gates", numbers)
    # Printed: fewer than all of them are needed. Softmax is zero nowhere.
    return Evidence(Finding(count[0.0] / every, 1 - 1 / every, **told), worst(found))


# fmt: off
CLAIMS = (
    Claim("gonen2008-eq3", "Section 1, (2) and (3)",
        "w_m = η_mΣαᵢyᵢΦ_m(xᵢ) makes of (2) f(x) = Σ_m η_m Σᵢ αᵢyᵢK_m(x, xᵢ) + b",
        "points with explicit features", eq3),
    Claim("gonen2008-eq5-convex", "Section 2, below (5)",
        "(5) is not convex",
        "its least over w, b, ξ at three gatings on a line: higher in the middle than at both ends",
        not_convex, programs=("gonen2008-eq7",)),
    Claim("gonen2008-lagrangian", "Section 2, above (6)",
        "L_D = ½Σ‖w_m‖² + Σ(C − αᵢ − βᵢ)ξᵢ + Σαᵢ − Σαᵢyᵢf(xᵢ)",
        "points with explicit features, any multipliers: against the constraints of (5)",
        lagrangian),
    Claim("gonen2008-eq6", "Section 2, (6)",
        "w_m = Σᵢ αᵢyᵢη_m(xᵢ)Φ_m(xᵢ), Σαᵢyᵢ = 0, C = αᵢ + βᵢ make L_D stationary",
        "points with explicit features: derivatives of L_D in random directions", eq6),
    Claim("gonen2008-eq7", "Section 2, (7) against (5)",
        "for a given gating max (7) = min (5)",
        "(7) solved twice and held against its ends; (5) evaluated at the w_m, b and ξ of (6)",
        eq7, programs=("gonen2008-eq7",)),
    Claim("gonen2008-K_eta", "Section 2, below (7)",
        "K_η(xᵢ, xⱼ) = Σ_m η_m(xᵢ)K_m(xᵢ, xⱼ)η_m(xⱼ) is the kernel of (7)",
        "points with explicit features: Σ‖w_m‖² of (6) against the form of K_η", K_eta,
        programs=("gonen2008-eq7",)),
    Claim("gonen2008-psd", "Section 2, below (7)",
        "K_η is positive semidefinite for gates that are not negative",
        "its smallest eigenvalue, gates equal, mild and crisp", definite),
    Claim("gonen2008-nonnegative", "Section 2, below (7)",
        "the only restriction is to have nonnegative η_m(x) to get a positive semidefinite K_η",
        "K_η with gates of both signs", any_sign, printed="imprecise",
        correction="no restriction: ΣD_mK_mD_m ⪰ 0 for real gates of any sign, by congruence",
        code=CODE["gonen2008-nonnegative"]),
    Claim("gonen2008-gating", "Section 2, the gating model",
        "η_m(x) = exp(⟨v_m, x⟩ + v_m0)/Σ_k exp(⟨v_k, x⟩ + v_k0) ≥ 0, with linear regions",
        "the printed quotient against the gates of the programs and of the bounds", gating),
    Claim("gonen2008-constant", "Section 2, below the gating model",
        "a constant gating gives a fixed combination, similar to the original MKL formulation",
        "(7) over constant gatings against the optimum of MKL with the same kernels", constant,
        printed="imprecise",
        correction="K_η = Ση_m²K_m with Ση_m = 1: the weights add up to less than one, and J is "
        "never below that of MKL",
        programs=("gonen2008-eq7", "lanckriet2004-sm1"), code=CODE["gonen2008-constant"]),
    Claim("gonen2008-unweighted", "Section 4.1",
        "equal gates are equivalent to an unweighted summation of the kernel matrices",
        "(7) with equal gates against (7) with the sum of the kernels", unweighted,
        printed="imprecise",
        correction="K_η = ΣK_m/p²: p² times the optimum of the sum with C/p² for C",
        programs=("gonen2008-eq7",), code=CODE["gonen2008-unweighted"]),
    Claim("gonen2008-eq8", "Section 2, (8)",
        "f(x) = Σᵢ Σ_m αᵢyᵢη_m(x)K_m(x, xᵢ)η_m(xᵢ) + b",
        "points with explicit features: (4) at the w_m of (6), at other points", eq8),
    Claim("gonen2008-testing", "Sections 3.1 and 4.1",
        "K_m(x, xᵢ) is needed only where η_m(x) and η_m(xᵢ) are nonzero: testing takes less time",
        "evaluations of kernels at crisp gates", testing, printed="imprecise",
        correction="softmax is never zero: what saves is a threshold τ, at a cost of at most "
        "τΣᵢΣ_m|αᵢK_m(x, xᵢ)| in f", code=CODE["gonen2008-testing"]),
)
# fmt: on

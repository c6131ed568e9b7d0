"""Section 2 at a gating: the discriminant, (5) to (8), K_η, the gates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np
from scipy.special import softmax

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.gonen2008 import Discriminant, Gated, bounds
from cvxkernel.formulations.gonen2008.prediction import Kernel
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.solvers import solve
from cvxkernel.validation.ledger.claim import (
    Claim,
    Evidence,
    Finding,
    Remark,
    about,
    at_most,
    equal,
    identity,
    not_above,
    worst,
)
from cvxkernel.validation.ledger.shared import KINDS, as_written, literal, optimum, problem

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
        found.append(as_written(EQ7, at, best, instance=kind))
        # where the box matters to every sample, and where to none
        for C in (at.C / 100, at.C * 100):
            other = replace(at, C=C)
            found.append(as_written(EQ7, other, solved(other), instance=f"{kind}, C = {C:g}"))
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
        Q = bounds.combined(DOUBLES, at)
        image = Q @ alpha
        at_b = svm.primal(DOUBLES, DOUBLES.inner(alpha, image), image, at.y, at.C, b)
        allowed = best.width + (at_b.upper - at_b.lower) / best.upper
        told = about(f"(5), {kind}", {"(5)": value, "(7)": best.value})
        found.append(Finding(abs(value - best.value) / best.value, allowed, **told))
        most = max(float(np.max(c.violation())) for c in program.problem.constraints)
        found.append(at_most(most, 0.0, n=at.n, magnitude=float(np.abs(f).max()) + 1))
        found.append(equal(optimum("gonen2008-eq5", kind, seed), best, **told))
        found.append(as_written("gonen2008-eq5", at, best, instance=f"(5), {kind}"))
    return Evidence(worst(found))


def K_eta(seed: int) -> Evidence:
    """The canonical dual form of ‖Σ_m w_m‖ with (6): Σ_m‖w_m‖² = (αy)ᵀK_η(αy)."""
    s = space(seed)
    at, beta = s.at, s.alpha * s.at.y
    norms = sum(float(w @ w) for w in s.w)
    Q = bounds.combined(DOUBLES, at).mid
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


def any_sign(seed: int) -> Finding:
    """Gates of both signs: K_η is semidefinite all the same."""
    rng, found = np.random.default_rng(seed), []
    for rank in (1, 4, 8):
        for _ in range(10):
            B, eta = rng.normal(size=(3, 8, rank)), rng.normal(size=(3, 8))
            K = sum(np.outer(e, e) * (b @ b.T) for e, b in zip(eta, B, strict=True))
            d = np.linalg.eigvalsh(np.asarray(K))
            told = about(f"rank {rank}", {"smallest": d[0], "largest": d[-1]})
            found.append(at_most(-d[0], 0.0, n=24, magnitude=float(d[-1]), **told))
    return worst(found)


# -- The gates ------------------------------------------------------------------------------------


def gating(seed: int) -> Evidence:
    """The printed quotient against the package's gates; nonnegative, of sum one; regions."""
    s, found = space(seed), []
    Z = np.random.default_rng(seed).normal(size=(11, 3))
    eta, z = s.gates(Z), Z @ s.at.V.T + s.at.v0
    loss = float(np.abs(z).max()) + 1  # exp turns the rounding of z into a relative one
    found.append(identity(s.gates(s.at.X), s.at.eta, n=s.p, magnitude=loss))
    found.append(identity(s.at.eta, bounds.gates(DOUBLES, s.at).mid, n=s.p, magnitude=loss))
    found.append(identity(eta.sum(axis=0), np.ones(11), n=s.p))
    found.append(at_most(-float(eta.min()), 0.0, n=1))
    # Where one gate is above another is a half space: log η_m - log η_k is linear in x.
    logs = np.log(eta)
    found.append(identity(logs[1:] - logs[0], (z[:, 1:] - z[:, :1]).T, n=s.p, magnitude=10 * loss))
    return Evidence(worst(found))


def constant(seed: int) -> Evidence:
    """v_m = 0: K_η is a fixed combination with weights η_m² that do not depend on x."""
    found = []
    for kind in KINDS:
        at: Gated = problem(EQ7, kind, seed)
        same = replace(at, V=0 * at.V)
        eta = same.eta
        found.append(identity(eta, eta[:, :1] * np.ones(at.n), n=at.p, instance=kind))
        fixed = np.tensordot(eta[:, 0] ** 2, at.kernels, axes=1)
        size = float(np.abs(at.kernels).max())
        found.append(identity(same.K_eta, fixed, n=at.p, magnitude=size, instance=kind))
    return Evidence(worst(found))


def never_below(seed: int) -> Finding:
    """J over constant gatings is not below the optimum of MKL with the same kernels."""
    rng, p = np.random.default_rng(seed), 2
    B = rng.normal(size=(p, 10, 4))
    K = np.stack([b @ b.T / np.sum(b * b) * 10 for b in B])  # equal traces
    X, y, C = rng.normal(size=(10, 1)), np.where(np.arange(10) % 2, 1.0, -1.0), 5.0
    # With equal traces sm1 at C/p is the least over Σμ = 1 of the machine's optimum, times 2/p.
    mkl = solve("lanckriet2004-sm1", SoftMargin(K, y, C / p)).enclosure
    mkl = Enclosure(p / 2 * mkl.value, p / 2 * mkl.lower, p / 2 * mkl.upper, {})
    found = []
    for t in np.linspace(-4, 4, 17):
        at = Gated(K, y, X, C, np.zeros((p, 1)), np.array([t, 0.0]))
        J = solved(at)
        told = about(f"v₁₀ − v₂₀ = {t:g}", {"MKL": mkl.value, "J": J.value})
        found.append(not_above(mkl, J, **told))
    return worst(found)


def unweighted(seed: int) -> Evidence:
    """Equal gates: p² times the machine of the unweighted sum, its C divided by p²."""
    found = []
    for kind in KINDS:
        at: Gated = problem(EQ7, kind, seed)
        p, total = at.p, at.kernels.sum(axis=0)[None]
        equal_gates = solved(Gated(at.kernels, at.y, at.X, at.C, 0 * at.V, 0 * at.v0))
        plain = solved(Gated(total, at.y, at.X, at.C / p**2, 0 * at.V[:1], 0 * at.v0[:1]))
        numbers = {"equal gates": equal_gates.value, "sum, C/p²": plain.value}
        found.append(equal(equal_gates, plain, factor=p**2, **about(kind, numbers)))
    return Evidence(worst(found))


# -- (8) ------------------------------------------------------------------------------------------


def eq8(seed: int) -> Evidence:
    """(4) at the w_m of (6) against (8), at other points."""
    s = space(seed)
    f = Discriminant.fit(s.at, s.alpha, s.kernels)
    Z = np.random.default_rng(seed).normal(size=(12, 3))
    found = identity(f(Z), s.f(Z, s.w, f.b), n=s.n, magnitude=s.size)
    return Evidence(found)


def testing(seed: int) -> Evidence:
    """(8) as the whole sum, against that over the K_m(x, xᵢ) whose gates are both nonzero."""
    s, found = space(seed), []
    Z = np.random.default_rng(seed).normal(size=(40, 3))
    for spread in (1.0, 30.0, 1000.0):  # so crisp that gates are zero in doubles
        at = Gated(s.at.kernels, s.at.y, s.at.X, s.at.C, spread * s.at.V, s.at.v0)
        f = Discriminant.fit(at, s.alpha, s.kernels)
        here, there = (softmax(x @ at.V.T + at.v0, axis=1).T for x in (Z, at.X))
        terms = [
            here[m] * (K(Z, at.X) @ (s.alpha * at.y * there[m])) for m, K in enumerate(s.kernels)
        ]
        needed = int(np.sum((here > 0).sum(axis=1) * (there > 0).sum(axis=1)))
        told = about(f"gating × {spread:g}", {"evaluated": needed, "of": len(Z) * s.n * s.p})
        found.append(identity(f(Z), np.sum(terms, axis=0) + f.b, n=s.n, magnitude=s.size, **told))
        found.append(identity(f.evaluations(Z), needed, n=1, **told))
    found.append(at_most(needed, len(Z) * s.n * s.p / 2, n=1, **told))  # at last many are left out
    return Evidence(worst(found))


def threshold(seed: int) -> Finding:
    """Gates below τ taken as zero cost at most τΣᵢΣ_m|αᵢK_m(x, xᵢ)| in f."""
    s, found = space(seed), []
    at = Gated(s.at.kernels, s.at.y, s.at.X, s.at.C, 5 * s.at.V, s.at.v0)  # crisp
    f = Discriminant.fit(at, s.alpha, s.kernels)
    Z = np.random.default_rng(seed).normal(size=(40, 3))
    size = sum(np.abs(K(Z, at.X)) @ s.alpha for K in s.kernels)  # Σᵢ Σ_m |αᵢK_m(x, xᵢ)|
    for tau in (0.0, 1e-3, 1e-2):
        lost = float(np.max(np.abs(f(Z) - f(Z, threshold=tau)) / np.asarray(size)))
        share = f.evaluations(Z, threshold=tau) / (len(Z) * s.n * s.p)
        told = about(f"τ = {tau:g}", {"lost": lost, "share of the K_m(x, xᵢ)": share})
        found.append(at_most(lost, tau, n=s.n, magnitude=1.0, **told))
    return worst(found)


# fmt: off
CLAIMS = (
    Claim("gonen2008-eq3", "Section 1, (2) and (3)",
        "w_m = η_mΣαᵢyᵢΦ_m(xᵢ) makes of (2) f(x) = Σ_m η_m Σᵢ αᵢyᵢK_m(x, xᵢ) + b",
        "points with explicit features", eq3,
        quote="from duality conditions into (2), we obtain"),
    Claim("gonen2008-eq5-convex", "Section 2, below (5)",
        "(5) is not convex",
        "its least over w, b, ξ at three gatings on a line: higher in the middle than at both ends",
        not_convex, quote="Note that the optimization problem in (5) is not convex",
        programs=("gonen2008-eq7",)),
    Claim("gonen2008-lagrangian", "Section 2, above (6)",
        "L_D = ½Σ‖w_m‖² + Σ(C − αᵢ − βᵢ)ξᵢ + Σαᵢ − Σαᵢyᵢf(xᵢ)",
        "points with explicit features, any multipliers: against the constraints of (5)",
        lagrangian, quote="we obtain the Lagrangian of the primal problem in (5) as follows"),
    Claim("gonen2008-eq6", "Section 2, (6)",
        "w_m = Σᵢ αᵢyᵢη_m(xᵢ)Φ_m(xᵢ), Σαᵢyᵢ = 0, C = αᵢ + βᵢ make L_D stationary",
        "points with explicit features: derivatives of L_D in random directions", eq6,
        quote="with respect to the primal variables gives"),
    Claim("gonen2008-eq7", "Section 2, (7) against (5)",
        "for a given gating max (7) = min (5)",
        "(7) solved as it is written and by libsvm, with C large and small, and held against its "
        "ends; (5) evaluated at the w_m, b and ξ of (6), and solved as it is written",
        eq7, quote="the objective value of (7) is equal to the objective value of (5) due to "
        "strong duality", programs=("gonen2008-eq5", "gonen2008-eq7")),
    Claim("gonen2008-K_eta", "Section 2, below (7)",
        "K_η(xᵢ, xⱼ) = Σ_m η_m(xᵢ)K_m(xᵢ, xⱼ)η_m(xⱼ) is the kernel of (7)",
        "points with explicit features: Σ‖w_m‖² of (6) against the form of K_η", K_eta,
        quote="This formulation corresponds to solving a canonical SVM dual problem with the "
        "kernel matrix", programs=("gonen2008-eq7",)),
    Claim("gonen2008-psd", "Section 2, below (7)",
        "K_η is positive semidefinite for gates that are not negative",
        "its smallest eigenvalue, gates equal, mild and crisp", definite,
        quote="The only restriction is to have nonnegative … to get a positive semidefinite kernel "
        "matrix",
        remark="Read as: it is enough. Gates of any sign would do, see gonen2008-signs."),
    Claim("gonen2008-gating", "Section 2, the gating model",
        "η_m(x) = exp(⟨v_m, x⟩ + v_m0)/Σ_k exp(⟨v_k, x⟩ + v_k0) ≥ 0, with linear regions",
        "the printed quotient against the gates of the programs and of the bounds", gating,
        quote="the softmax guarantees nonnegativity"),
    Claim("gonen2008-constant", "Section 2, below the gating model",
        "a constant gating gives a fixed combination over the whole input space",
        "K_η with v_m = 0 against Ση_m²K_m", constant,
        quote="our algorithm finds a fixed combination over the whole input space, similar to the "
        "original MKL formulation",
        remark="Similar, as it says: the weights are η_m² with Ση_m = 1, see gonen2008-weights."),
    Claim("gonen2008-unweighted", "Section 4.1",
        "equal gates: the unweighted sum of the kernel matrices, up to a factor",
        "(7) with equal gates against (7) with the sum of the kernels", unweighted,
        quote="This is equivalent to taking an unweighted summation of the original kernel "
        "matrices",
        remark="Read as: up to the factor 1/p², K_η = ΣK_m/p²; so p² times the optimum of the sum "
        "with C/p² for C.",
        programs=("gonen2008-eq7",)),
    Claim("gonen2008-eq8", "Section 2, (8)",
        "f(x) = Σᵢ Σ_m αᵢyᵢη_m(x)K_m(x, xᵢ)η_m(xᵢ) + b",
        "points with explicit features: (4) at the w_m of (6), at other points", eq8,
        quote="the resulting discriminant function is"),
    Claim("gonen2008-testing", "Section 3.1",
        "K_m(x, xᵢ) needs to be evaluated only if both η_m(x) and η_m(xᵢ) are nonzero",
        "(8) as the whole sum and without the others, gates so crisp that some are zero in doubles",
        testing,
        quote="needs to be evaluated only if both … are nonzero",
        remark="A softmax is positive: what saves time is a threshold, see gonen2008-threshold."),
)

REMARKS = (
    Remark("gonen2008-signs", "Section 2, below (7)",
        "ΣD_mK_mD_m ⪰ 0 for real gates of any sign, by congruence: nonnegative gates are a choice.",
        "K_η with gates of both signs, kernels of three ranks", any_sign, about="gonen2008-psd"),
    Remark("gonen2008-weights", "Section 2, below the gating model",
        "A constant gating weighs the kernels with η_m², Ση_m = 1: the weights add up to less than "
        "one, and J is never below the optimum of MKL.",
        "(7) over constant gatings against the optimum of MKL with the same kernels", never_below,
        about="gonen2008-constant"),
    Remark("gonen2008-threshold", "Section 3.1",
        "Gates below a threshold τ taken as zero save evaluations at a cost of at most "
        "τΣᵢΣ_m|αᵢK_m(x, xᵢ)| in f.",
        "evaluations of kernels at crisp gates", threshold, about="gonen2008-testing"),
)
# fmt: on

r"""kundu2010 in balls: the bounds of `formulations.kundu2010.bounds`, at points that are feasible.

(10), with Mᵢ = YKᵢY and qᵢ = αᵀMᵢα, from below at any α ∈ A and from above at any xᵢ and b:

    1ᵀα - ½(Σᵢ√qᵢ)²  ≤  Ω  ≤  ½maxᵢ xᵢᵀMᵢxᵢ + C Σⱼ max(0, 1 - (Σᵢ Mᵢxᵢ)ⱼ - byⱼ)

A kernel of (10) that is not proved semidefinite stands for every K′ ⪰ 0 with ‖K′ - K‖₂ ≤ ε, ε being
what is not proved: an eigenvalue that rounding left below zero counts as zero there.

(4), (6) and (7) from above: Kᵢ + εI ⪰ 0, scaled to the trace τ, and Ω there; one kernel is ω. From
below: α, γ ∈ Δ and Wᵢ in the domain of the conjugate, with a proved λ_min.

(7) is about the eigenvectors of the Sᵢ. Where the eigenvalues of an Sᵢ are proved to be simple its
vᵢⱼ and λᵢⱼ are enclosed; where they coincide to rounding the paper does not determine the vᵢⱼ, and
the doubles of `Spectra` are them, exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from flint import acb_mat, arb, arb_mat, ctx

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Combination, Similarities, Spectra
from cvxkernel.solvers.mkl import mkl
from cvxkernel.validation import balls
from cvxkernel.validation.balls import column, inner, matrix
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import (
    Examination,
    Point,
    Proof,
    excess,
    numbers,
    simplex,
    solution,
)

STEPS = 12  # of Newton's method
FREE = 1e-7  # of C: nearer to the border α is taken as there
SAME = 1e-6  # an eigenvector farther than this from that of the doubles is another one


# -- (10) at given matrices -----------------------------------------------------------------------


class Omega:
    """Ω of Mᵢ = YKᵢY, each known to within εᵢ in the spectral norm and semidefinite."""

    def __init__(self, M: list[arb_mat], y: Array, C: float, eps: list[arb] | None = None) -> None:
        self.M, self.y, self.C, self.n = M, y, C, len(y)
        self.eps = [arb(0)] * len(M) if eps is None else eps

    def roots(self, alpha: list[arb]) -> list[arb]:
        """√qᵢ, of every matrix that is near enough"""
        a = column(alpha)
        size = inner(a, a)
        near = [arb(0, (e * size).upper()) for e in self.eps]
        forms = [inner(a, M * a) + e for M, e in zip(self.M, near, strict=True)]
        return [q.nonnegative_part().sqrt() for q in forms]

    def value(self, alpha: list[arb]) -> arb:
        """1ᵀα - ½(Σᵢ√qᵢ)²"""
        return balls.total(alpha) - balls.total(self.roots(alpha)) ** 2 / 2

    def bound(self, x: list[arb_mat]) -> arb:
        """½maxᵢ xᵢᵀMᵢxᵢ + C Σⱼ max(0, 1 - (Σᵢ Mᵢxᵢ)ⱼ - byⱼ) at a good b"""
        forms, image, doubt = [], arb_mat(self.n, 1), arb(0)
        for M, x_i, e in zip(self.M, x, self.eps, strict=True):
            w = M * x_i
            forms.append(inner(x_i, w) + e * inner(x_i, x_i))
            image, doubt = image + w, doubt + e * balls.norm(x_i)
        b = svm.offset(image, self.y)
        rows = zip(image.entries(), self.y, strict=True)
        hinges = balls.total((1 - m - b * int(s) + doubt).nonnegative_part() for m, s in rows)
        return balls.largest(forms).nonnegative_part() / 2 + arb(self.C) * hinges

    def spread(self, alpha: list[arb]) -> list[arb_mat]:
        """xᵢ = α/γᵢ, γᵢ ∝ √qᵢ; zero where that is not proved to be positive."""
        roots, a = self.roots(alpha), column(alpha)
        total = balls.total(roots)
        return [a * (total / r).mid() if r > 0 else a * 0 for r in roots]

    def given(self, x: Any) -> list[arb_mat]:
        """x as m vectors: they may be made of one α."""
        rows = x if isinstance(x, arb_mat) else matrix(np.asarray(x, dtype=float))
        if rows.nrows() == len(self.M) and rows.ncols() == self.n:
            return [column(row) for row in rows.tolist()]
        return self.spread(svm.feasible(rows.entries(), self.y, self.C))

    def upper(self, x: Any) -> arb:
        """The bound at x: m vectors, or one α."""
        end = self.bound(self.given(x))
        return end.upper() if end.is_finite() else arb.pos_inf()

    def machine(self) -> Iterator[list[arb]]:
        """α near the optimum, in doubles; and what Newton's method makes of it."""
        K = np.stack([balls.doubles(svm.signed(self.y, M)) for M in self.M])
        alpha, _ = mkl(K, self.y, self.C)
        yield [arb(x) for x in alpha]
        better = self.polished(alpha)
        if better is not None:
            yield better

    def polished(self, alpha: Array) -> list[arb] | None:
        """Newton's method for 1ᵀα - ½(Σᵢ√qᵢ)² on the samples that are free; no proof rests on it.

        rᵢ = √qᵢ, gᵢ = Mᵢα/rᵢ, R = Σrᵢ, g = Σgᵢ: ∇ = 1 - Rg, -∇² = ggᵀ + RΣᵢ(Mᵢ - gᵢgᵢᵀ)/rᵢ.
        """
        margin = FREE * self.C
        free = [j for j in range(self.n) if margin < alpha[j] < self.C - margin]
        top = arb(self.C)
        a = [arb(x) if margin < x < self.C - margin else top * int(x > margin) for x in alpha]
        if not free:
            return a
        for _ in range(STEPS):
            at = column(a)
            images = [M * at for M in self.M]
            q = [inner(at, w).mid() for w in images]
            if not all(x > 0 for x in q):
                return None
            r = [x.sqrt() for x in q]
            G = [w / root for w, root in zip(images, r, strict=True)]
            R, g = balls.total(r), sum(G[1:], G[0])
            bend = g * g.transpose()
            for M, g_i, root in zip(self.M, G, r, strict=True):
                bend = bend + (M - g_i * g_i.transpose()) * (R / root)
            rows = [[bend[i, j] for j in free] + [arb(int(self.y[i]))] for i in free]
            rows.append([arb(int(self.y[j])) for j in free] + [arb(0)])
            balance = balls.total(x * int(s) for x, s in zip(a, self.y, strict=True))
            right = column([*(1 - R * g[j, 0] for j in free), -balance])
            step = solution(arb_mat(rows).mid(), right.mid())[:-1]
            for j, d in zip(free, step, strict=True):
                a[j] = (a[j] + d).mid()
            if not all(0 <= a[j] <= top for j in free):
                return None
            if max(abs(float(d)) for d in step) <= self.C * 2.0 ** (30 - ctx.prec):
                break
        return a


class Kernels:
    """(10) itself: α from below, xᵢ from above."""

    def __init__(self, problem: Combination) -> None:
        self.problem, self.y, self.C = problem, problem.y, problem.C
        M = [svm.signed(self.y, balls.symmetric(matrix(K))) for K in problem.kernels]
        eps = [(-balls.lambda_min(M_i)).max(arb(0)).upper() for M_i in M]
        self.omega = Omega(M, self.y, self.C, eps)

    def lower(self, point: Point) -> arb:
        """The objective at α and its best γ; that of α = 0 at least."""
        if "alpha" not in point:
            return arb.neg_inf()
        low = self.omega.value(svm.feasible(numbers(point["alpha"]), self.y, self.C))
        return low.lower() if low > 0 else arb(0)

    def upper(self, point: Point) -> arb:
        """The bound at x, or at what belongs to α."""
        every = [self.omega.upper(point[symbol]) for symbol in ("x", "alpha") if symbol in point]
        return _least(every)

    def better(self, point: Point) -> Iterator[Point]:
        """The point in doubles with all its symbols, and α polished."""
        found = CATALOGUE["kundu2010-eq10"].enclose(self.problem, point).variables
        yield found
        alpha = self.omega.polished(found["alpha"])
        if alpha is not None:
            yield {"alpha": alpha, "x": _stack(self.omega.spread(alpha))}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced, with the γ given, or the best where there is none."""
        found = Examination()
        if "alpha" in point:
            found.violations.update(svm.off_box(point["alpha"], self.y, self.C))
            alpha = svm.feasible(numbers(point["alpha"]), self.y, self.C)
            found.repaired["alpha"] = alpha
            value = self.omega.value(alpha)
            if "gamma" in point:
                found.violations.update(_off_simplex(point["gamma"]))
                gamma = found.repaired["gamma"] = _gamma(point["gamma"])
                shares = zip(self.omega.roots(alpha), gamma, strict=True)
                forms = [
                    r * r / g if g > 0 else arb.pos_inf() for r, g in shares if not r.is_zero()
                ]
                value = balls.total(alpha) - balls.total(forms) / 2
            if value.is_finite():
                found.objectives["lower"] = Proof.of(value)
        if "x" in point:
            found.repaired["x"] = point["x"]  # any will do
            found.objectives["upper"] = Proof.of(self.omega.bound(self.omega.given(point["x"])))
        return found


# -- (4), (6), (7) --------------------------------------------------------------------------------


class Learned(ABC):
    """What (4), (6) and (7) share; α is in A, γ in Δ."""

    id: str
    symbol: str  # of what is learned
    dual: str  # of the subgradients of the loss

    def __init__(self, problem: Spectra) -> None:
        self.problem, self.y, self.n, self.C = problem, problem.y, problem.n, problem.C
        self.m = problem.m
        self.rho, self.tau = arb(problem.rho), arb(problem.tau)

    @abstractmethod
    def feasible(self, given: Any) -> list[arb_mat]:
        """The matrices, or spectra, of which the objective is taken."""

    @abstractmethod
    def kernels(self, learned: list[arb_mat]) -> list[arb_mat]:
        """K, or K₁, …, K_m"""

    @abstractmethod
    def cost(self, learned: list[arb_mat]) -> arb:
        """ρΣᵢL(Kᵢ - Sᵢ) or ρΣᵢ‖μᵢ - λᵢ‖"""

    @abstractmethod
    def least(self, a: arb_mat, gamma: list[arb], W: list[arb_mat]) -> arb:
        """What remains of the Lagrangian beside 1ᵀα, at its least: minus infinity at worst."""

    @abstractmethod
    def inside(self, W: Any) -> list[arb_mat]:
        """Wᵢ in the domain of the conjugate."""

    def omega(self, learned: list[arb_mat]) -> Omega:
        """Ω of the kernels, ω where there is one."""
        M = [svm.signed(self.y, K) for K in self.kernels(learned)]
        return Omega(M, self.y, self.C)

    def alpha(self, point: Point) -> list[arb]:
        """α ∈ A"""
        return svm.feasible(numbers(point["alpha"]), self.y, self.C)

    def gamma(self, point: Point) -> list[arb]:
        """γ ∈ Δ; equal shares where there is none."""
        return _gamma(point.get("gamma", np.full(self.m, 1.0)))

    def bound(self, alpha: list[arb], gamma: list[arb], W: list[arb_mat]) -> arb:
        """The objective of the dual."""
        a = column(x * int(s) for x, s in zip(alpha, self.y, strict=True))
        return balls.total(alpha) + self.least(a, gamma, W)

    # -- As a judge ---------------------------------------------------------------------------

    def lower(self, point: Point) -> arb:
        """The dual at α, γ and the Wᵢ."""
        if "alpha" not in point or self.dual not in point:
            return arb.neg_inf()
        low = self.bound(self.alpha(point), self.gamma(point), self.inside(point[self.dual]))
        return low.lower() if low.is_finite() else arb.neg_inf()

    def upper(self, point: Point) -> arb:
        """The objective at what is learned, Ω from above at x or at α."""
        if self.symbol not in point:
            return arb.pos_inf()
        learned = self.feasible(point[self.symbol])
        omega = self.omega(learned)
        given = [point[symbol] for symbol in ("x", "alpha") if symbol in point]
        end = _least([omega.upper(x) for x in (*given, np.zeros(self.n))]) + self.cost(learned)
        return end.upper() if end.is_finite() else arb.pos_inf()

    def better(self, point: Point) -> Iterator[Point]:
        """The point in doubles with all its symbols; and the machine there, polished."""
        found = CATALOGUE[self.id].enclose(self.problem, point).variables
        yield found
        omega = self.omega(self.feasible(found[self.symbol]))
        for x in omega.machine():
            yield {self.symbol: found[self.symbol], "x": _stack(omega.spread(x))}

    def examine(self, point: Point) -> Examination:
        """What is learned made feasible and Ω there; α, γ and Wᵢ made feasible in the dual."""
        found = Examination()
        if self.symbol in point:
            learned = self.feasible(point[self.symbol])
            found.violations.update(self.off(point[self.symbol]))
            found.repaired[self.symbol] = _doubles(learned, point[self.symbol])
            if "x" in point:
                found.repaired["x"] = point["x"]  # any will do
            omega = self.omega(learned)
            points = [svm.feasible(a, self.y, self.C) for a in omega.machine()]
            low = balls.largest([omega.value(a).lower() for a in points])
            high = _least([omega.upper(_stack(omega.spread(a))) for a in points])
            cost = self.cost(learned)
            found.objectives["upper"] = Proof.of(cost + low, cost + high)
        if "alpha" in point:
            found.violations.update(svm.off_box(point["alpha"], self.y, self.C))
            found.repaired["alpha"] = self.alpha(point)
            if "gamma" in point:
                found.violations.update(_off_simplex(point["gamma"]))
                found.repaired["gamma"] = self.gamma(point)
            if self.dual in point:
                W = self.inside(point[self.dual])
                found.repaired[self.dual] = _doubles(W, point[self.dual])
                low = self.bound(found.repaired["alpha"], self.gamma(point), W)
                if low.is_finite():
                    found.objectives["lower"] = Proof.of(low)
        return found

    @abstractmethod
    def off(self, given: Any) -> dict[str, arb]:
        """How far what is learned is from its constraints."""


class Matrices(Learned):
    """(4) and (6): kernels of trace τ."""

    symbol, dual = "K", "W"

    def __init__(self, problem: Similarities) -> None:
        super().__init__(problem)
        self.loss = problem.loss
        self.S = [matrix(S) for S in problem.S]

    def matrices(self, given: Any) -> list[arb_mat]:
        """n × n matrices, as many as there are."""
        return [matrix(A) for A in np.reshape(np.asarray(given, dtype=float), (-1, self.n, self.n))]

    def feasible(self, given: Any) -> list[arb_mat]:
        """Kᵢ + εI ⪰ 0, scaled to the trace τ."""
        return [spectahedron(A, self.tau) for A in self.matrices(given)]

    def kernels(self, learned: list[arb_mat]) -> list[arb_mat]:
        """Themselves."""
        return learned

    def cost(self, learned: list[arb_mat]) -> arb:
        """ρΣᵢL(Kᵢ - Sᵢ)"""
        K = learned if len(learned) == self.m else learned * self.m
        return self.rho * balls.total(
            self.distance(K_i - S) for K_i, S in zip(K, self.S, strict=True)
        )

    def distance(self, X: arb_mat) -> arb:
        """L(X)"""
        if self.loss == "L1":
            return balls.total(abs(x) for x in X.entries())
        return balls.norm(X) if self.loss == "L2" else inner(X, X)

    def inside(self, W: Any) -> list[arb_mat]:
        """Clipped for L1, scaled for L2; zero where ρ is."""
        every = self.matrices(W)
        if self.loss == "L1":
            return [_clip(A, self.rho) for A in every]
        if self.loss == "L2":
            return [_ball(A, self.rho) for A in every]
        return every if self.rho > 0 else [A * 0 for A in every]

    def paid(self, W: list[arb_mat]) -> arb:
        """Σᵢ ⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)"""
        total = balls.total(inner(A, S) for A, S in zip(W, self.S, strict=True))
        if self.loss == "L3" and self.rho > 0:
            total += balls.total(inner(A, A) for A in W) / (4 * self.rho)
        return total

    def off(self, given: Any) -> dict[str, arb]:
        """From K ⪰ 0, relative to its norm, and from trace K = τ."""
        out = {"psd": arb(0), "trace": arb(0)}
        for A in self.matrices(given):
            A = balls.symmetric(A)
            size = balls.norm(A)
            out["psd"] = out["psd"].max(excess(-balls.least_eigenvalue(A), size))
            out["trace"] = out["trace"].max(abs(A.trace() - self.tau) / self.tau)
        return out


class Single(Matrices):
    """(4)"""

    id = "kundu2010-eq4"

    def least(self, a: arb_mat, gamma: list[arb], W: list[arb_mat]) -> arb:
        """τλ_min(ΣᵢWᵢ - ½aaᵀ) less what the Wᵢ cost"""
        X = balls.symmetric(sum(W[1:], W[0])) - a * a.transpose() / 2
        return self.tau * balls.lambda_min(X) - self.paid(W)


class Several(Matrices):
    """(6), with the Ω of (10)"""

    id = "kundu2010-eq6"

    def least(self, a: arb_mat, gamma: list[arb], W: list[arb_mat]) -> arb:
        """τΣᵢλ_min(Wᵢ - aaᵀ/(2γᵢ)) less what the Wᵢ cost"""
        if not all(g > 0 for g in gamma):
            return arb.neg_inf()
        outer = a * a.transpose()
        ends = [
            balls.lambda_min(balls.symmetric(A) - outer / (2 * g))
            for A, g in zip(W, gamma, strict=True)
        ]
        return self.tau * balls.total(ends) - self.paid(W)


class Eigenvectors(Learned):
    """(7), with the Ω of (10): spectra of sum τ."""

    id, symbol, dual = "kundu2010-eq7", "mu", "w"

    def __init__(self, problem: Spectra) -> None:
        super().__init__(problem)
        pairs = [eigen(*each) for each in zip(problem.S, problem.lam, problem.V, strict=True)]
        self.lam, self.V = [p[0] for p in pairs], [p[1] for p in pairs]

    def rows(self, given: Any) -> list[arb_mat]:
        """A column for every similarity."""
        return [matrix(row) for row in np.reshape(np.asarray(given, dtype=float), (-1, self.n))]

    def feasible(self, given: Any) -> list[arb_mat]:
        """μᵢ ≥ 0, scaled to the sum τ"""
        one = [arb(1)] * self.n
        return [column(simplex(row.entries(), one, self.tau)) for row in self.rows(given)]

    def kernels(self, learned: list[arb_mat]) -> list[arb_mat]:
        """Kᵢ = Σⱼ μᵢⱼvᵢⱼvᵢⱼᵀ"""
        out = []
        for V, mu in zip(self.V, learned, strict=True):
            weights = mu.entries()
            scaled = arb_mat([[x * w for x, w in zip(r, weights, strict=True)] for r in V.tolist()])
            out.append(scaled * V.transpose())
        return out

    def cost(self, learned: list[arb_mat]) -> arb:
        """ρΣᵢ‖μᵢ - λᵢ‖"""
        pairs = zip(learned, self.lam, strict=True)
        return self.rho * balls.total(balls.norm(mu - lam) for mu, lam in pairs)

    def inside(self, W: Any) -> list[arb_mat]:
        """‖wᵢ‖ ≤ ρ"""
        return [_ball(row, self.rho) for row in self.rows(W)]

    def least(self, a: arb_mat, gamma: list[arb], W: list[arb_mat]) -> arb:
        """Σᵢ τminⱼ(wᵢⱼ - (vᵢⱼᵀa)²/(2γᵢ)) - wᵢᵀλᵢ"""
        if not all(g > 0 for g in gamma):
            return arb.neg_inf()
        total = arb(0)
        for w, lam, V, g in zip(W, self.lam, self.V, gamma, strict=True):
            images = (V.transpose() * a).entries()
            ends = [x - z * z / (2 * g) for x, z in zip(w.entries(), images, strict=True)]
            total += self.tau * _least(ends) - inner(w, lam)
        return total

    def off(self, given: Any) -> dict[str, arb]:
        """From μ ≥ 0, relative to its largest entry, and from Σμ = τ."""
        out = {"spectrum": arb(0), "trace": arb(0)}
        for row in self.rows(given):
            x = row.entries()
            size = balls.largest([abs(v) for v in x])
            out["spectrum"] = out["spectrum"].max(excess(balls.largest([-v for v in x]), size))
            out["trace"] = out["trace"].max(abs(balls.total(x) - self.tau) / self.tau)
        return out


def eigen(S: Array, lam: Array, V: Array) -> tuple[arb_mat, arb_mat]:
    """λ and V enclosed where eigenvalues are simple and V is near; else the doubles, exactly."""
    taken = matrix(lam), matrix(V)
    with balls.precision(2 * ctx.prec):
        try:
            values, R = acb_mat(balls.symmetric(matrix(S))).eig(right=True)
        except ValueError:
            return taken
        order = sorted(range(len(lam)), key=lambda j: float(values[j].real.mid()))
        vectors = []
        for j, like in zip(order, V.T, strict=True):
            # Eigenvectors of a simple real eigenvalue are real but for a complex factor.
            z = [R[i, j] for i in range(len(lam))]
            lead = int(np.argmax(np.abs(like)))
            if z[lead].contains(0):
                return taken
            v = column((x / z[lead]).real for x in z)
            v = v / balls.norm(v) * (1 if like[lead] > 0 else -1)
            if not balls.norm(v - matrix(like)) < SAME:
                return taken
            vectors.append(v.entries())
        return column(values[j].real for j in order), arb_mat(vectors).transpose()


# -- Feasible points ------------------------------------------------------------------------------


def spectahedron(A: arb_mat, tau: arb) -> arb_mat:
    """A plus the multiple of I with which it is proved semidefinite, scaled to the trace τ."""
    n = A.nrows()
    A = balls.symmetric(A)
    least = balls.lambda_min(A)
    if least < 0 or not least.is_finite():
        A = A - balls.identity(n) * least
    trace = A.trace()
    if not (trace.is_finite() and trace > 0):
        return balls.identity(n) * (tau / n)
    return A * (tau / trace)


def _gamma(given: Any) -> list[arb]:
    """γ clipped and scaled to Σγᵢ = 1."""
    every = numbers(given)
    return simplex(every, [arb(1)] * len(every))


def _off_simplex(given: Any) -> dict[str, arb]:
    """From γ ≥ 0 and from Σγᵢ ≤ 1."""
    every = numbers(given)
    size = balls.largest([abs(x) for x in every])
    return {
        "gamma": excess(balls.largest([-x for x in every]), size),
        "simplex": (balls.total(every) - 1).nonnegative_part(),
    }


def _clip(A: arb_mat, rho: arb) -> arb_mat:
    """Entries in [-ρ, ρ]"""
    entries = [x.min(rho).max(-rho) for x in A.entries()]
    return arb_mat(A.nrows(), A.ncols(), entries)


def _ball(A: arb_mat, rho: arb) -> arb_mat:
    """‖A‖_F ≤ ρ"""
    size = balls.norm(A)
    return A if size <= rho else A * (rho / size.upper())


def _least(values: Sequence[arb]) -> arb:
    """A ball that holds the smallest; infinite where there is none."""
    finite = [x for x in values if x.is_finite()]
    return -balls.largest([-x for x in finite]) if finite else arb.pos_inf()


def _doubles(x: list[arb_mat], like: Any) -> Array:
    """A stack in doubles, of the shape of what was given."""
    return np.stack([balls.doubles(A) for A in x]).reshape(np.shape(like))


def _stack(x: list[arb_mat]) -> arb_mat:
    """Columns as the rows of one matrix."""
    return arb_mat([row.entries() for row in x])

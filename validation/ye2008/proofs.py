r"""ye2008 in balls: the value at any weights, the bound at any dual point, as `bounds` has them.

Nothing is centred kernel by kernel: with eᵀβ taken off, βᵀPGPβ = βᵀGβ; trace(PGP) is
trace(G) - eᵀGe/n; and M(θ) is centred once. An inexact X ≈ M⁻¹H is charged through its residual
E = H - MX: hᵀM⁻¹h = hᵀx + eᵀx + eᵀM⁻¹e, and the last term lies between 0 and ‖e‖²/λ_min(M).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx
from scipy.linalg import cho_factor, cho_solve

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    asymmetry,
    excess,
    inner,
    matrix,
    newton,
    numbers,
    off_simplex,
    simplex,
)
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.enclosure import IDENTITY_SHARES
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008.bounds import unit_diagonal_root
from cvxkernel.formulations.ye2008.data import Scatter
from cvxkernel.formulations.ye2008.programs import Discriminant
from cvxkernel.validation.proofs.proof import Examination, Judge, Negated, Point


class Balls:
    """What the bounds are made of, from the doubles of a problem."""

    def __init__(self, problem: Scatter, *, binary: bool, kind: str = "SDP") -> None:
        self.problem, self.binary, self.kind, self.n = problem, binary, kind, problem.n
        self.joint = not isinstance(problem, Discriminant)
        self.lam = arb(problem.lam) if isinstance(problem, Discriminant) else arb(1)
        self.K = balls.kernels(problem.kernels)
        self.e = balls.ones(self.n)

    @cached_property
    def r(self) -> list[arb]:
        """trace(PGᵢP), with r₀ = n in the joint programs."""
        r = [K.trace() - inner(self.e, K * self.e) / self.n for K in self.K]
        return [arb(self.n), *r] if self.joint else r

    @cached_property
    def H(self) -> arb_mat:
        """a as P1₊ · n/(n₊n₋), or hᵢ as P1ᵢ · √(n/nᵢ), in columns."""
        n, y = self.n, self.problem.y
        columns = []
        for label in np.unique(y)[-1:] if self.binary else np.unique(y):
            size = int((y == label).sum())
            factor = arb(n) / (size * (n - size)) if self.binary else (arb(n) / size).sqrt()
            mean = arb(size) / n
            columns.append([factor * (int(v == label) - mean) for v in y])
        return arb_mat([list(row) for row in zip(*columns, strict=True)])

    def projected(self, B: arb_mat) -> arb_mat:
        """PB: every column less its mean."""
        return B - self.e * (self.e.transpose() * B / self.n)

    def system(self, theta: list[arb]) -> arb_mat:
        """M(θ); in the joint programs plus a multiple of eeᵀ, which no hᵀM⁻¹h sees."""
        first, weights = (theta[0], theta[1:]) if self.joint else (arb(1), theta)
        G = balls.combination(weights, self.K)
        means = G * self.e / self.n
        mean = inner(self.e, means) / self.n
        # PGP = G - meᵀ - emᵀ + c·eeᵀ = G - [m e][e, m - c·e]ᵀ
        lift = self.e * (mean + (G.trace() / self.n**2 if self.joint else 0))
        G = G - means * self.e.transpose() - self.e * (means - lift).transpose()
        if not self.joint:
            G = G / self.lam
        return balls.symmetric(G + balls.identity(self.n) * first)

    def solved(self, M: arb_mat, H: arb_mat, *, steps: int = 2) -> tuple[arb_mat, arb_mat]:
        """X ≈ M⁻¹H, refined with residuals in balls, as exact numbers; and the residual H - MX."""
        factor = cho_factor(balls.doubles(M), lower=True)
        X = matrix(cho_solve(factor, balls.doubles(H)))
        for _ in range(steps):
            E = H - M * X
            X = (X + matrix(cho_solve(factor, balls.doubles(E)))).mid()
        return X, H - M * X

    def schur(self, theta: list[arb], H: arb_mat) -> tuple[arb_mat, arb, arb_mat]:
        """HᵀX + XᵀE, a number ε below which EᵀM⁻¹E stays in norm, and X ≈ M⁻¹H."""
        M = self.system(theta)
        least = balls.lambda_min(M)
        if not least > 0:
            raise np.linalg.LinAlgError
        X, E = self.solved(M, H)
        return H.transpose() * X + X.transpose() * E, inner(E, E) / least, X

    def value(self, theta: list[arb]) -> tuple[arb, arb_mat]:
        """Σⱼ hⱼᵀM(θ)⁻¹hⱼ, and X."""
        S, rest, X = self.schur(theta, self.H)
        return S.trace() + rest.union(arb(0)), X

    def bound(self, beta: arb_mat, H: arb_mat) -> arb:
        """max_c bound(cβ) = b²/(4q), b = Σⱼ βⱼᵀhⱼ; zero where b is not positive."""
        b, square, top = self.terms(beta, H)
        q = top if self.joint else square + top / self.lam
        return b * b / q if b > 0 and q > 0 else arb(0)

    def terms(self, beta: arb_mat, H: arb_mat) -> tuple[arb, arb, arb]:
        """Σⱼ βⱼᵀhⱼ, Σⱼ βⱼᵀβⱼ, and maxᵢ Σⱼ βⱼᵀG̃ᵢβⱼ/rᵢ."""
        B = self.projected(beta)
        forms = [inner(B, K * B) for K in self.K]
        square = inner(beta, beta)
        if self.joint:
            forms = [square, *forms]
        top = balls.largest([f / r for f, r in zip(forms, self.r, strict=True)])
        return inner(beta, H), square, top

    # -- As a judge ---------------------------------------------------------------------------

    def upper(self, point: Point) -> arb:
        """The value at θ, clipped and scaled to θᵀr = 1; infinite where M(θ) is not definite."""
        if "theta" not in point:
            return arb.pos_inf()
        try:
            return self.value(simplex(point["theta"], self.r))[0].upper()
        except np.linalg.LinAlgError:
            return arb.pos_inf()

    def lower(self, point: Point) -> arb:
        """The bound at β."""
        if "beta" not in point:
            return arb.neg_inf()
        return self.bound(self.columns(point["beta"]), self.H).lower()

    def better(self, point: Point) -> Iterator[Point]:
        """The weights with more identity where it is learned, and polished; each with its β."""
        theta = simplex(point.get("theta", [1 / r for r in self.r]), self.r)
        shares = IDENTITY_SHARES if self.joint else (0.0,)
        for share in map(arb, shares):
            mixed = [(1 - share) * x for x in theta]
            mixed[0] += share / self.r[0] if self.joint else 0
            yield from self.with_beta(mixed)
        try:
            yield from self.with_beta(polished(self, theta))
        except np.linalg.LinAlgError:
            return  # singular at the weights given

    def examine(self, point: Point) -> Examination:
        """θ clipped and scaled, t, T, γ moved until they are feasible; β as it is, unscaled."""
        found = Examination()
        if "theta" in point:
            found.violations.update(off_simplex(point["theta"], self.r))
            found.repaired["theta"], S, rest = self.definite(point["theta"], self.H)
            if S is None:
                found.objectives["upper"] = Proof(arb(0), arb.pos_inf())
            else:
                self.attained(point, S, rest, found)
        if "beta" in point:
            found.repaired["beta"] = point["beta"]
            self.dual(point, self.H, found)
        return found

    def definite(self, given: Any, H: arb_mat) -> tuple[list[arb], arb_mat | None, arb]:
        """Feasible weights with M(θ) definite, S ≈ HᵀM⁻¹H there and what it lacks, in norm."""
        theta = simplex(given, self.r)
        for share in map(arb, IDENTITY_SHARES if self.joint else (0.0,)):
            mixed = [(1 - share) * x for x in theta]
            mixed[0] += share / self.r[0] if self.joint else 0
            try:
                S, rest, _ = self.schur(mixed, H)
            except np.linalg.LinAlgError:
                continue
            return mixed, S, rest
        return theta, None, arb(0)

    def attained(self, point: Point, S: arb_mat, rest: arb, found: Examination) -> None:
        """The objective of the SDPs and SILPs at θ and at t, T or γ, if they are given."""
        k, value = S.ncols(), S.trace() + rest.union(arb(0))
        best = value
        if self.kind == "SILP" and "gamma" in point:
            gamma = numbers(point["gamma"])[0]
            found.violations["cuts"] = excess(value + gamma, abs(value))
            best = value.max(-gamma)
            found.repaired["gamma"] = -best
        elif self.kind == "SDP" and "t" in point:
            each = [S[j, j] + rest.union(arb(0)) for j in range(k)]
            t = numbers(point["t"])
            short = balls.largest([e - x for e, x in zip(each, t, strict=True)])
            found.violations["lmi"] = excess(short, abs(value))
            raised = [e.max(x) for e, x in zip(each, t, strict=True)]
            best, found.repaired["t"] = balls.total(raised), raised
        elif self.kind == "SDP" and "T" in point:
            T = matrix(point["T"])
            least = balls.least_eigenvalue(balls.symmetric(T - S)) - rest.union(arb(0))
            shift = (-least).nonnegative_part()
            found.violations["lmi"] = excess(shift, abs(value))
            found.violations["symmetry"] = asymmetry(T)
            found.repaired["T"] = balls.symmetric(T) + balls.identity(k) * shift.upper()
            best = found.repaired["T"].trace()
        found.objectives["upper"] = Proof.of(best)

    def dual(self, point: Point, H: arb_mat, found: Examination) -> None:
        """The objective of the QCQPs at β, and at t if it is given: no multiple of β is taken."""
        b, square, top = self.terms(self.columns(point["beta"]), H)
        if self.kind == "QCQP" and "t" in point:
            t = numbers(point["t"])[0]
            found.violations["quad"] = excess(top - t, top)
            found.repaired["t"] = top = top.max(t)
        value = b - (top if self.joint else square + top / self.lam) / 4
        found.objectives["lower"] = Proof.of(value)

    def with_beta(self, theta: list[arb]) -> Iterator[Point]:
        """θ with β = 2M(θ)⁻¹H, if M(θ) is definite."""
        try:
            yield {"theta": theta, "beta": self.value(theta)[1] * 2}
        except np.linalg.LinAlgError:
            return

    def columns(self, beta: Any) -> arb_mat:
        """β as n × 1 or n × k."""
        if isinstance(beta, arb_mat):
            return beta
        return matrix(np.asarray(beta, dtype=float).reshape(self.n, self.H.ncols()))


class RestrictedBalls(Balls):
    """The same for (32) and (45): diag(t) ⪰ S(θ), and Z = RRᵀ of unit diagonal."""

    def __init__(self, problem: Scatter) -> None:
        super().__init__(problem, binary=False)

    def upper(self, point: Point) -> arb:
        """Σⱼ tⱼ at θ, with t multiplied up to diag(t) ⪰ S(θ)."""
        k = self.H.ncols()
        if "theta" not in point:
            return arb.pos_inf()
        try:
            S, rest, _ = self.schur(simplex(point["theta"], self.r), self.H)
        except np.linalg.LinAlgError:
            return arb.pos_inf()
        least = [S[j, j].upper() for j in range(k)]
        given = point["t"] if "t" in point else [k * x for x in least]
        t = [arb(x).max(low) for x, low in zip(given, least, strict=True)]
        return (self.factor(S, rest, t) * balls.total(t)).upper()

    def lower(self, point: Point) -> arb:
        """The bound at β with H replaced by HR."""
        if "beta" not in point:
            return arb.neg_inf()
        return self.bound(self.columns(point["beta"]), self.H * self.root(point)).lower()

    def better(self, point: Point) -> Iterator[Point]:
        """The weights with more identity where it is learned, each with its β; no polish."""
        theta = simplex(point.get("theta", [1 / r for r in self.r]), self.r)
        for share in map(arb, IDENTITY_SHARES if self.joint else (0.0,)):
            mixed = [(1 - share) * x for x in theta]
            mixed[0] += share / self.r[0] if self.joint else 0
            try:
                X = self.schur(mixed, self.H * self.root(point))[2]
            except np.linalg.LinAlgError:
                continue
            yield {**point, "theta": mixed, "beta": X * 2}

    def attained(self, point: Point, S: arb_mat, rest: arb, found: Examination) -> None:
        """Σⱼ tⱼ with t multiplied up to diag(t) ⪰ S(θ); without a t, the least there is."""
        k = S.ncols()
        diagonal = [S[j, j] for j in range(k)]
        t, Z = least_diagonal(balls.doubles(S))
        given = numbers(point.get("t", t))
        low = [x if x > s else s for x, s in zip(given, diagonal, strict=True)]
        c = self.factor(S, rest, low).max(arb(1))
        found.repaired["t"] = raised = [x * c for x in low]
        total = balls.total(raised)
        if "t" in point:
            gap = [[(given[i] if i == j else 0) - S[i, j] for j in range(k)] for i in range(k)]
            short = rest.union(arb(0)) - balls.least_eigenvalue(balls.symmetric(arb_mat(gap)))
            found.violations["lmi"] = excess(short, balls.total(diagonal))
            found.objectives["upper"] = Proof.of(total)
        else:  # ⟨S, Z⟩ ≤ Σⱼ tⱼ for every feasible t
            R = self.rows_of_norm_one(unit_diagonal_root(Z))
            found.objectives["upper"] = Proof.of(inner(S, R * R.transpose()), total)

    def factor(self, S: arb_mat, rest: arb, t: list[arb]) -> arb:
        """c with c·diag(t) ⪰ S: λ_max(D^{-½}SD^{-½}), and what the residual leaves."""
        k = len(t)
        scaled = [[-S[i, j] / (t[i] * t[j]).sqrt() for j in range(k)] for i in range(k)]
        smallest = -balls.largest([-x for x in t])
        c = -balls.lambda_min(balls.symmetric(arb_mat(scaled))) + rest / smallest
        return c.upper()

    def dual(self, point: Point, H: arb_mat, found: Examination) -> None:
        """The bound at β, with HR for H."""
        R = self.root(point)
        super().dual(point, H * R, found)
        if "Z" in point:
            Z = matrix(point["Z"])
            psd = (-balls.least_eigenvalue(balls.symmetric(Z))).nonnegative_part()
            found.violations["Z unit diagonal"] = balls.largest(
                [abs(Z[j, j] - 1) for j in range(Z.ncols())]
            )
            found.violations.update({"Z semidefinite": psd, "Z symmetry": asymmetry(Z)})
            found.repaired["Z"] = R * R.transpose()

    def root(self, point: Point) -> arb_mat:
        """R with rows of norm one: from Z, or the best for β; the identity where there is neither.

        ⟨β, HR⟩ is the largest where each row of R is along that of Hᵀβ.
        """
        k = self.H.ncols()
        if "Z" in point:
            return self.rows_of_norm_one(unit_diagonal_root(np.asarray(point["Z"], dtype=float)))
        if "beta" in point:
            best = balls.doubles(self.H.transpose() * self.columns(point["beta"]))
            size = np.abs(best).max(axis=1, keepdims=True)
            if np.isfinite(size).all() and (size > 0).all():
                return self.rows_of_norm_one(best / size)
        return self.rows_of_norm_one(np.eye(k))

    @staticmethod
    def rows_of_norm_one(R: Array) -> arb_mat:
        """Each row divided by its norm, in balls."""
        rows = matrix(R).tolist()
        norms = [balls.total(x * x for x in row).sqrt() for row in rows]
        return arb_mat([[x / c for x in row] for row, c in zip(rows, norms, strict=True)])


def least_diagonal(S: Array) -> tuple[Array, Array]:
    """t and Z near the optima of min Σⱼ tⱼ, diag(t) ⪰ S and of max ⟨S, Z⟩, Z ⪰ 0, diag Z = 1.

    One row of V at a time, Z = VVᵀ: vᵢ along gᵢ = Σ_{j≠i} Sᵢⱼvⱼ; and tᵢ = Sᵢᵢ + ‖gᵢ‖ at the end.
    """
    k = len(S)
    V = np.linalg.qr(np.random.default_rng(0).normal(size=(k, k)))[0]
    off = S - np.diag(S.diagonal())
    for _ in range(500):
        before = V.copy()
        for i in range(k):
            g = off[i] @ V
            V[i] = g / (np.linalg.norm(g) or 1.0) if g.any() else V[i]
        if np.abs(V - before).max() < 1e-14:
            break
    t: Array = S.diagonal() + np.linalg.norm(off @ V, axis=1)
    return t, V @ V.T


def polished(made: Balls, theta: list[arb]) -> list[arb]:
    r"""Weights nearer to the optimum: Newton's method on the active set, to the working precision.

    With wᵢ = θᵢrᵢ on the unit simplex, M = M₀ + ΣwᵢAᵢ and X = M⁻¹H, the value has the gradient
    -⟨X, AᵢX⟩ and the Hessian 2⟨AᵢX, M⁻¹AⱼX⟩. Both are computed to the working precision: kernels
    that nearly coincide make the Hessian singular in doubles.
    """
    p = len(made.r)
    w = [(x * r).mid() for x, r in zip(theta, made.r, strict=True)]
    w = [x if x > 1e-7 else arb(0) for x in w]  # an interior point leaves small weights everywhere
    active = [i for i in range(p) if w[i] > 0]
    target = arb(2) ** (20 - ctx.prec)
    for _ in range(60):
        M, images, gradient = _derivatives(made, w)
        mean = balls.total(w[i] * gradient[i] for i in active) / balls.total(w)
        excess = [(gradient[i] - mean).mid() for i in active]
        if not any(abs(x) > target * abs(mean) for x in excess):
            off = [i for i in range(p) if i not in active]
            worst = min(off, key=lambda i: float(gradient[i] - mean), default=None)
            if worst is None or not gradient[worst] - mean < -target * abs(mean):
                break
            active.append(worst)
            continue
        inverse = [made.solved(M, images[i], steps=ctx.prec // 30)[0] for i in active]
        hessian = [[2 * inner(images[i], Z).mid() for Z in inverse] for i in active]
        step = newton(hessian, excess)
        # as far as no weight becomes negative; one that reaches zero leaves the active set
        ratios = {i: -w[i] / d for i, d in zip(active, step, strict=True) if w[i] + d < 0}
        length = min(ratios.values(), key=float, default=arb(1))
        for i, d in zip(active, step, strict=True):
            w[i] = (w[i] + length * d).mid()
        for i in [i for i, x in ratios.items() if float(x) <= float(length)]:
            w[i] = arb(0)
            active.remove(i)
    return simplex([x / r for x, r in zip(w, made.r, strict=True)], made.r)


def _derivatives(made: Balls, w: list[arb]) -> tuple[arb_mat, list[arb_mat], list[arb]]:
    """M, the AᵢX and the gradient."""
    theta = simplex([x / r for x, r in zip(w, made.r, strict=True)], made.r)
    M = made.system([x.mid() for x in theta])
    X, _ = made.solved(M, made.H, steps=ctx.prec // 30)
    centred = [made.projected(K * made.projected(X)) for K in made.K]
    scaled = [X, *centred] if made.joint else [C / made.lam for C in centred]
    images = [(C / r).mid() for C, r in zip(scaled, made.r, strict=True)]
    return M, images, [-inner(X, C).mid() for C in images]


def semi_infinite(problem: Scatter, *, binary: bool) -> Negated:
    """A judge of max γ, γ ≤ -value(θ, β): minus the program of the others."""
    return Negated(Balls(problem, binary=binary, kind="SILP"))


def _judge(form: Formulation) -> Callable[[Any], Judge]:
    if form.kind == "SILP":
        return partial(semi_infinite, binary=form.binary)
    return partial(Balls, binary=form.binary, kind=form.kind)


JUDGES: dict[str, Callable[[Any], Judge]] = {
    **{id: _judge(form) for id, form in CATALOGUE.items() if form.paper == "ye2008"},
    "ye2008-thm3.1": RestrictedBalls,
    "ye2008-eq45": RestrictedBalls,
}

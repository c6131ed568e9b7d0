r"""(8) in balls, without a pseudoinverse: no rank of K is decided.

By Lemma 1 k is feasible where k = Kc and r ≥ cᵀKc, for any c at all; and for every μ > 0

    min 2‖k - s‖² + (r - ψ)²  ≥  μ sᵀ(K + ½μI)⁻¹s - μψ - ¼μ²

with sᵀM⁻¹s = sᵀx + eᵀx + eᵀM⁻¹e ≥ sᵀx + eᵀx, e = s - Mx. The two meet at c = (K + ½μI)⁻¹s.

The K of a file is often singular, and then not so to the last bit, nor semidefinite: it stands for
K₊, which is enclosed. With any X near an eigenbasis, ‖XᵀX - I‖ ≤ ω, and any D,

    ‖X diag(D₊)Xᵀ - K₊‖_F ≤ ‖K - X diag(D)Xᵀ‖_F + 4.2 ω‖D‖₂

since taking the positive part is nonexpansive: no sign of an eigenvalue has to be known.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import Proof, inner, matrix, numbers
from cvxkernel.formulations.chen2009 import AugmentedSample, NewSample, bounds
from cvxkernel.formulations.eigenbasis.decomposition import orthonormal
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.chen2009.proofs.kernel import least, short_of
from cvxkernel.validation.proofs.proof import Examination, Point

LEAST = 1e-22  # of the size of s: where the best multiplier is zero
CUTS = (1e-13, 1e-11, 1e-9, 1e-7, 1e-5)  # of the largest eigenvalue: where c is cut off


class Column:
    """The program below (9): 2‖k - s‖² + (r - ψ)²"""

    def __init__(self, problem: NewSample) -> None:
        self.problem, self.n = problem, problem.n
        self.K, self.s = kernel(problem.K), matrix(problem.s)
        self.psi = arb(problem.psi)

    # -- The ends, without the root and the constant of (8) -----------------------------------

    def bound(self, mu: arb) -> arb:
        """The dual at μ."""
        if not mu > 0:
            return arb(0)
        M = self.K + balls.identity(self.n) * (mu / 2)
        x = self.solved(M, self.s)
        e = self.s - M * x
        low = mu * (inner(self.s, x) + inner(e, x)) - mu * self.psi - mu * mu / 4
        return low if low > 0 else arb(0)

    @staticmethod
    def solved(M: arb_mat, b: arb_mat) -> arb_mat:
        """x near M⁻¹b"""
        try:
            return M.mid().solve(b.mid()).mid()
        except ZeroDivisionError:
            return matrix(np.linalg.pinv(balls.doubles(M), hermitian=True) @ balls.doubles(b))

    def value(self, c: arb_mat, r: arb | None = None) -> tuple[arb, arb_mat, arb]:
        """The objective at k = Kc and the least r, or one that is not below; and k and r."""
        k = self.K * c
        r = inner(c, k).nonnegative_part().max(self.psi if r is None else r)
        return 2 * balls.norm(k - self.s) ** 2 + (r - self.psi) ** 2, k, r

    def exact(self) -> bool:
        """Whether k = s and r = ψ are proved to be feasible: sᵀK⁻¹s ≤ ψ, or s = 0."""
        if not any(self.problem.s):
            return bool(self.psi >= 0)
        try:
            return bool(inner(self.s, self.K.solve(self.s)) <= self.psi)
        except ZeroDivisionError:
            return False

    def coefficients(self, k: Array | None, mu: arb) -> Iterator[arb_mat]:
        """c with Kc near k, or near k(μ), cut off at several eigenvalues."""
        d, V = np.linalg.eigh(balls.doubles(self.K))
        if k is None and mu > 0:
            M = self.K + balls.identity(self.n) * (mu / 2)
            yield self.solved(M, self.s)
        image = V.T @ (self.problem.s if k is None else k)
        for cut in CUTS:
            kept = d > cut * max(float(d[-1]), 0.0)
            below = d[kept] + (float(mu) / 2 if k is None else 0.0)
            yield matrix(V[:, kept] @ (image[kept] / below)) if kept.any() else self.s * 0

    def mu(self, point: Point) -> arb:
        """2(r - ψ), zero where that is negative or there is no r."""
        r = numbers(point["r"])[0] if "r" in point else self.psi
        return (2 * (r - self.psi)).nonnegative_part().mid()

    def best(self) -> float:
        """The μ of the largest bound, in doubles; positive even where the best is zero."""
        mu = bounds.multiplier(self.problem)
        size = float(np.linalg.norm(self.problem.s)) or 1.0
        return mu or LEAST * size / max(1.0, abs(self.problem.psi) / size)

    # -- As a judge: (8) has its constant and its root in `whole` ------------------------------

    def whole(self, part: arb) -> arb:
        """The objective of the program, from 2‖k - s‖² + (r - ψ)²."""
        return part

    def lower(self, point: Point) -> arb:
        """The bound at μ = 2(r - ψ); zero without an r."""
        low = self.bound(self.mu(point))
        return self.whole(low if low.is_finite() else arb(0)).lower()

    def upper(self, point: Point) -> arb:
        """The objective at k, or at what belongs to r."""
        if self.exact():
            return self.whole(arb(0)).upper()
        k = np.asarray(point["k"], dtype=float) if "k" in point else None
        ends = [self.value(c)[0] for c in self.coefficients(k, self.mu(point))]
        return self.whole(least([x.upper() for x in ends if x.is_finite()]).upper()).upper()

    def better(self, point: Point) -> Iterator[Point]:
        """The r of the best μ, and the k that belongs to it."""
        yield {"r": self.psi + arb(self.best()) / 2}
        yield {"r": self.psi}

    def examine(self, point: Point) -> Examination:
        """k brought into the range of K and r raised, or the least where there is none."""
        found = Examination()
        if "k" not in point:
            return found
        r = numbers(point["r"])[0] if "r" in point else None
        own = np.asarray(point["k"], dtype=float)
        made = [self.value(c, r) for c in self.coefficients(own, arb(0))]
        value, found.repaired["k"], above = min(made, key=lambda one: float(one[0].upper()))
        given = numbers(own)
        rows = [[*row, x] for row, x in zip(self.K.tolist(), given, strict=True)]
        whole = arb_mat([*rows, [*given, above.mid() if r is None else r]])
        found.violations["lmi"] = short_of(whole)
        if r is not None:
            found.repaired["r"] = above
        found.objectives["upper"] = Proof.of(self.whole(value))
        return found


class Augmented(Column):
    """(8): the root of that and ‖K - S‖²"""

    def __init__(self, problem: AugmentedSample) -> None:
        super().__init__(problem)
        self.S = balls.symmetric(matrix(problem.S))

    def whole(self, part: arb) -> arb:
        """(‖K - S‖² + part)^½"""
        return (balls.norm(self.K - self.S) ** 2 + part).sqrt()


def kernel(K: Array) -> arb_mat:
    """K₊ of the K that came."""
    if not semidefinite.slack(K):
        return matrix(K)
    known = semidefinite.held(K)
    A = balls.symmetric(matrix(K if known is None else known.came))
    n = len(K)
    X = orthonormal(A.mid())
    D = [(X.transpose() * (A * X))[i, i].mid() for i in range(n)]
    omega = balls.norm(X.transpose() * X - balls.identity(n))
    parts = [
        arb_mat([[x * d for x, d in zip(row, signed, strict=True)] for row in X.tolist()])
        * X.transpose()
        for signed in (D, [d.nonnegative_part() for d in D])
    ]
    near = balls.norm(A - parts[0]) + 4.2 * omega * balls.norm(balls.column(D))
    radius = arb(0, near.upper()) if omega < 0.1 else arb.nan()
    return balls.symmetric(parts[1]) + arb_mat(n, n, [radius] * (n * n))

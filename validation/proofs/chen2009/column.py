r"""(8) in balls, without a pseudoinverse: no rank of K is decided.

By Lemma 1 k is feasible where k = Kc and r ≥ cᵀKc, for any c at all; and for every μ > 0

    min 2‖k - s‖² + (r - ψ)²  ≥  μ sᵀ(K + ½μI)⁻¹s - μψ - ¼μ²

with sᵀM⁻¹s = sᵀx + eᵀx + eᵀM⁻¹e ≥ sᵀx + eᵀx, e = s - Mx. The two meet at c = (K + ½μI)⁻¹s.

The K of a file is often singular, and then not so to the last bit, nor semidefinite. Where `eigen`
takes an eigenvalue for zero or K ⪰ 0 is not proved, the interval holds (8) for every K' ⪰ 0 with
‖K' - K‖₂ ≤ ε, ε being the larger of what is zero there and of what is not proved. From below that
is (8) for K + εI, from above K'c and cᵀK'c are K's up to ε‖c‖ and ε‖c‖². The interval is then about
√(εψ) wide where s is off the range of K: a large ψ makes it wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from flint import arb, arb_mat
from scipy.optimize import minimize_scalar

from cvxkernel.formulations.chen2009 import AugmentedSample, NewSample, spectrum
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation import balls
from cvxkernel.validation.balls import inner, matrix
from cvxkernel.validation.proofs.chen2009.kernel import least, short_of
from cvxkernel.validation.proofs.proof import Examination, Point, Proof, numbers

CUTS = (1e-13, 1e-11, 1e-9, 1e-7, 1e-5)  # of the largest eigenvalue: where c is cut off


class Column:
    """The program below (9): 2‖k - s‖² + (r - ψ)²"""

    def __init__(self, problem: NewSample) -> None:
        self.problem, self.n = problem, problem.n
        self.K, self.s = balls.symmetric(matrix(problem.K)), matrix(problem.s)
        self.psi = arb(problem.psi)

    @cached_property
    def smallest(self) -> arb:
        """λ_min(K) at least"""
        return balls.lambda_min(self.K)

    @cached_property
    def shift(self) -> arb:
        """ε: what rounding leaves open where an eigenvalue of K is zero in doubles."""
        d, _ = self.problem.eigen
        known = arb(0) if (d > 0).all() else arb(spectrum.ZERO * self.n * float(d.max()))
        return known.max(-self.smallest).upper()

    def near(self, size: arb) -> arb:
        """[-ε·size, ε·size]"""
        return arb(0, (self.shift * size).upper())

    # -- The ends, without the root and the constant of (8) -----------------------------------

    def bound(self, mu: arb) -> arb:
        """The dual at μ for K + εI."""
        if not mu > 0:
            return arb(0)
        M = self.K + balls.identity(self.n) * (self.shift + mu / 2)
        x = self.solved(M, self.s)
        e = self.s - M * x
        low = mu * (inner(self.s, x) + inner(e, x)) - mu * self.psi - mu * mu / 4
        return low if low > 0 else arb(0)

    @staticmethod
    def solved(M: arb_mat, b: arb_mat) -> arb_mat:
        """x near M⁻¹b: the residual in balls, the steps in doubles."""
        x, inverse = b * 0, np.linalg.pinv(balls.doubles(M), hermitian=True)
        for _ in range(4):
            x = (x + matrix(inverse @ balls.doubles(b - M * x))).mid()
        return x

    def value(self, c: arb_mat, r: arb | None = None) -> tuple[arb, arb_mat, arb]:
        """The objective at k = Kc and the least r, or one that is not below; and k and r."""
        k, size = self.K * c, balls.norm(c)
        low = (inner(c, k) + self.near(size * size)).nonnegative_part()
        r = low.max(self.psi if r is None else r)
        off = (balls.norm(k - self.s) + self.near(size)).nonnegative_part()
        return 2 * off**2 + (r - self.psi) ** 2, k, r

    def exact(self) -> bool:
        """Whether k = s and r = ψ are proved to be feasible."""
        if not self.smallest > 0:
            return False
        x = self.solved(self.K, self.s)
        e = self.s - self.K * x
        form = inner(self.s, x) + inner(e, x) + inner(e, e) / self.smallest
        return bool(form <= self.psi)

    def coefficients(self, k: Array | None, mu: arb) -> Iterator[arb_mat]:
        """c with Kc near k, or near k(μ), cut off at several eigenvalues."""
        d, V = np.linalg.eigh(balls.doubles(self.K))
        if k is None and mu > 0:
            M = self.K + balls.identity(self.n) * (self.shift + mu / 2)
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
        d, V = np.linalg.eigh(balls.doubles(self.K))
        d = np.maximum(d, 0.0) + float(self.shift)
        sigma2, psi = (V.T @ self.problem.s) ** 2, self.problem.psi
        scale = max(float(np.sqrt(sigma2.sum())), abs(psi), float(d[-1])) or 1.0

        def loss(x: float) -> float:
            mu = scale * float(np.exp(x))
            return -float(np.sum(sigma2 * mu / (d + mu / 2)) - mu * psi - mu * mu / 4) / scale**2

        grid = np.linspace(-60.0, 3.0, 64)
        at = float(grid[int(np.argmin([loss(x) for x in grid]))])
        found = minimize_scalar(loss, bounds=(at - 1, at + 1), method="bounded",
                                options={"xatol": 1e-9})  # fmt: skip
        return scale * float(np.exp(found.x))

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
        K, given = self.K + balls.identity(self.n) * self.shift, numbers(own)
        rows = [[*row, x] for row, x in zip(K.tolist(), given, strict=True)]
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
        """(‖K' - S‖² + part)^½, with ‖K' - K‖ ≤ √n·ε"""
        distance = balls.norm(self.K - self.S) + self.near(arb(self.n).sqrt())
        return (distance.nonnegative_part() ** 2 + part).sqrt()

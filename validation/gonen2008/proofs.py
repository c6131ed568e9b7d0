r"""gonen2008 in balls: the gates, K_η and (7) from the doubles of V, v0, X and the kernels.

    η_m(xᵢ) = exp(z_m - z)/Σ_k exp(z_k - z),   z_m = ⟨v_m, xᵢ⟩ + v_m0,   z any number: the largest
    Q = Σ_m diag(yη_m) K_m diag(yη_m)

Algorithm 1 is not convex. Proved is J at the gating of the point: the optimum of (7) there. Of an
answer it is asked besides whether the gating is stationary. With u_m = diag(yη_m)α and
t_m = u_m∘K_mu_m at the α of (7),

    ∂J/∂z_m(xᵢ) = -t_m(i) + η_m(xᵢ)Σ_k t_k(i) = ρ_m(i),   (∂J/∂V_m, ∂J/∂v_m0) = [X 1]ᵀρ_m

and the slope of J is the most that it changes when the z change by 1, in the root of the mean
square over the samples: slope² = nΣ_m ‖Pρ_m‖², P the projection onto the columns of [X 1]. It does
not depend on the units or the origin of X. Where J bends by about J for such a change, ½slope²/J is
what a better gating nearby can win; the violation is at least that, relative to J.

Where a gate is nearly 0 or 1 no such change moves it, and every slope is small: that says nothing.
So the violation is at most what is left to win there by the gates themselves: Σᵢ of the most that
-⟨∂J/∂η(xᵢ), η' - η(xᵢ)⟩ is over the simplex, ∂J/∂η_m(xᵢ) = -s_m(i), s_m = diag(yα)K_mu_m,

    maxₘ s_m(i) - Σ_k η_k(xᵢ)s_k(i)   over the i with a gate above `SATURATED`, relative to J.

Where that is more than the tolerance, and the slope less, the verdict is "undecided". Either is
local: it tells nothing of gatings far away.

α is known to within √(2δ/λ_min(Q)), δ the gap between both ends. Where Q is singular, or a column
of [X 1] is taken for a combination of others, the slope is computed but not proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from flint import arb, arb_mat
from scipy.linalg import qr

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import column, inner, matrix
from cvxkernel.formulations.gonen2008 import Gated, Localized
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.proofs.machine import Machine
from cvxkernel.validation.proofs.proof import STATIONARITY, Examination, Point, prove

SATURATED = 0.95  # the largest gate of a sample that a change of z by 1 hardly moves
RANK = 1e-12  # of the largest: a column of [X 1] that is nearer to others is one of them


def gates(X: Array, V: Array, v0: Array) -> list[list[arb]]:
    """η_m(xᵢ), one list for each kernel."""
    z = matrix(X) * matrix(V).transpose()  # (n, p)
    rows = [_softmax([z[i, m] + arb(float(v0[m])) for m in range(len(v0))]) for i in range(len(X))]
    return [list(gate) for gate in zip(*rows, strict=True)]


def _softmax(z: Sequence[arb]) -> list[arb]:
    top = max((x.mid() for x in z), key=float)
    powers = [(x - top).exp() for x in z]
    eta = [power / balls.total(powers) for power in powers]
    return [e if e.is_finite() else arb(0.5, 0.5) for e in eta]  # z too large for the precision


def combined(problem: Gated) -> arb_mat:
    """Q = Σ_m diag(yη_m) K_m diag(yη_m)"""
    n = problem.n
    Q = arb_mat(n, n)
    eta_m = gates(problem.X, problem.V, problem.v0)
    for eta, K in zip(eta_m, balls.kernels(problem.kernels), strict=True):
        d = [e * int(s) for e, s in zip(eta, problem.y, strict=True)]
        rows = K.tolist()
        Q = Q + arb_mat([[d[i] * rows[i][j] * d[j] for j in range(n)] for i in range(n)])
    return Q


class Balls(Machine):
    """(7) at the gating of the problem."""

    def __init__(self, problem: Gated) -> None:
        super().__init__(combined(problem), problem.y, problem.C)
        self.problem = problem

    def pulls(self, alpha: list[arb]) -> tuple[list[list[arb]], list[list[arb]]]:
        """η_m and s_m = -∂J/∂η_m, by kernels."""
        eta = gates(self.problem.X, self.problem.V, self.problem.v0)
        signed = [x * int(s) for x, s in zip(alpha, self.y, strict=True)]
        pulls = []
        for gate, K in zip(eta, balls.kernels(self.problem.kernels), strict=True):
            images = (K * column(x * e for x, e in zip(signed, gate, strict=True))).entries()
            pulls.append([x * w for x, w in zip(signed, images, strict=True)])
        return eta, pulls

    def slope(self, eta: list[list[arb]], pulls: list[list[arb]]) -> tuple[arb, bool]:
        """The slope of J, squared, and whether no column was left out."""
        t = [[e * s for e, s in zip(*pair, strict=True)] for pair in zip(eta, pulls, strict=True)]
        sums = [balls.total(each) for each in zip(*t, strict=True)]
        rho = [
            [e * s - x for e, s, x in zip(gate, sums, own, strict=True)]
            for gate, own in zip(eta, t, strict=True)
        ]
        A, whole = independent(self.problem.X)
        square = arb(0)
        for row in rho:
            g = A.transpose() * column(row)
            square += inner(g, (A.transpose() * A).solve(g))
        return square * self.n, whole

    def hidden(self, eta: list[list[arb]], pulls: list[list[arb]]) -> arb:
        """What the saturated gates could win, which no slope shows."""
        every = arb(0)
        for gate, pull in zip(zip(*eta, strict=True), zip(*pulls, strict=True), strict=True):
            if not balls.largest(gate) < SATURATED:
                held = balls.total(e * s for e, s in zip(gate, pull, strict=True))
                every += (balls.largest(pull) - held).nonnegative_part()
        return every

    def stationarity(self) -> tuple[arb, bool]:
        """From ½slope²/J up to what saturated gates hide, relative to J; and whether proved."""
        best = list(self.better({}))[-1]
        alpha, ends = self.feasible(best["alpha"]), prove(self, best)
        least = balls.lambda_min(self.Q)
        near = (2 * (ends.upper - ends.lower) / least).sqrt() if least > 0 else arb.pos_inf()
        if near.is_finite():
            alpha = [x + arb(0, near.upper()) for x in alpha]
        eta, pulls = self.pulls(alpha)
        square, whole = self.slope(eta, pulls)
        J = ends.lower.union(ends.upper)
        shown = square.nonnegative_part() / (2 * J * J)
        return shown.union(shown.max(self.hidden(eta, pulls) / J)), whole and near.is_finite()


def independent(X: Array) -> tuple[arb_mat, bool]:
    """The columns of [X 1] that span all of them, and whether these are all."""
    A = np.column_stack([X, np.ones(len(X))])
    A = A * 2.0 ** -np.frexp(np.abs(A).max(axis=0))[1]  # exactly
    R, order = qr(A, mode="r", pivoting=True)
    diagonal = np.abs(R.diagonal())
    kept = np.sort(order[: int((diagonal > RANK * diagonal[0]).sum())])
    return matrix(A[:, kept]), len(kept) == A.shape[1]


class AtGating:
    """(7) at the gating of the point, the gates being equal where it has none."""

    def __init__(self, problem: Localized) -> None:
        self.problem = problem
        self.made: dict[bytes, Balls] = {}

    def at(self, point: Point) -> tuple[Balls, dict[str, Array]]:
        """The machine there, and the gating."""
        gated = self.problem.at(point.get("V"), point.get("v0"))
        key = gated.V.tobytes() + gated.v0.tobytes()
        if key not in self.made:
            self.made[key] = Balls(gated)
        return self.made[key], {"V": gated.V, "v0": gated.v0}

    def lower(self, point: Point) -> arb:
        """(7) at α."""
        return self.at(point)[0].lower(point)

    def upper(self, point: Point) -> arb:
        """The machine's bound."""
        return self.at(point)[0].upper(point)

    def better(self, point: Point) -> Iterator[Point]:
        """Better α at the same gating."""
        machine, gating = self.at(point)
        for better in machine.better(point):
            yield {**better, **gating}

    def examine(self, point: Point) -> Examination:
        """What the machine finds at the gating as it is; and whether that is stationary."""
        machine, gating = self.at(point)
        found = machine.examine(point)
        found.repaired.update({symbol: gating[symbol] for symbol in gating if symbol in point})
        if all(symbol in point for symbol in gating):
            found.violations[STATIONARITY], proved = machine.stationarity()
            found.unproved.update(set() if proved else {STATIONARITY})
        return found


JUDGES = {"gonen2008-eq7": Balls, "gonen2008-alg1": AtGating}

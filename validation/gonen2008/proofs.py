r"""gonen2008 judged: (5) and (7) at a gating, and whether that is stationary.

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

from collections.abc import Iterator

import numpy as np
from flint import arb, arb_mat
from scipy.linalg import qr

from cvxkernel.formulations.arithmetic import BALLS, balls
from cvxkernel.formulations.arithmetic.balls import Proof, column, exact, inner, matrix, numbers
from cvxkernel.formulations.gonen2008 import Gated, Localized
from cvxkernel.formulations.gonen2008.bounds import combined, enclose_gated, gates
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.chen2009.proofs.machine import margins
from cvxkernel.validation.proofs.machine import Machine
from cvxkernel.validation.proofs.proof import STATIONARITY, Examination, Point

SATURATED = 0.95  # the largest gate of a sample that a change of z by 1 hardly moves
RANK = 1e-12  # of the largest: a column of [X 1] that is nearer to others is one of them


class AtGating:
    """(7) at a gating: that of the problem, else that of the point, or equal gates."""

    def __init__(self, problem: Gated | Localized) -> None:
        self.problem = problem
        self.made: dict[bytes, GatedJudge] = {}

    def at(self, point: Point) -> GatedJudge:
        """The machine there."""
        gated = self.problem
        if not isinstance(gated, Gated):
            gated = gated.at(point.get("V"), point.get("v0"))
        key = gated.V.tobytes() + gated.v0.tobytes()
        if key not in self.made:
            self.made[key] = GatedJudge(gated)
        return self.made[key]

    def better(self, point: Point) -> Iterator[Point]:
        """Better α at the same gating."""
        gating = {symbol: point[symbol] for symbol in ("V", "v0") if symbol in point}
        for better in self.at(point).machine.better(point):
            yield {"alpha": exact(better["alpha"]), **gating}

    def examine(self, point: Point) -> Examination:
        """What the machine finds at the gating as it is; and whether that is stationary."""
        judge = self.at(point)
        found = judge.machine.examine(point)
        found.repaired.update({symbol: point[symbol] for symbol in ("V", "v0") if symbol in point})
        if all(symbol in point for symbol in ("V", "v0")):
            found.violations[STATIONARITY], proved = judge.stationarity()
            found.unproved.update(set() if proved else {STATIONARITY})
        return found


class GatedJudge:
    """(7) at the gating of the problem."""

    def __init__(self, problem: Gated) -> None:
        self.problem = problem
        self.machine = Machine(combined(BALLS, problem).matrix, problem.y, problem.C)

    def pulls(self, alpha: list[arb]) -> tuple[list[list[arb]], list[list[arb]]]:
        """η_m and s_m = -∂J/∂η_m, by kernels."""
        eta = gates(BALLS, self.problem)
        signed = BALLS.where(self.problem.y > 0, exact(alpha), -exact(alpha))
        kernels = BALLS.kernels(self.problem.kernels)
        pulls = [signed * (K @ (signed * eta[m])) for m, K in enumerate(kernels)]
        return eta.x.tolist(), [list(pull.x) for pull in pulls]

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
        return square * self.problem.n, whole

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
        best = list(self.machine.better({}))[-1]["alpha"]
        ends = enclose_gated(BALLS, self.problem, {"alpha": exact(best)})
        alpha, least = self.machine.feasible(best), balls.lambda_min(self.machine.Q)
        near = (2 * (ends.upper - ends.lower) / least).sqrt() if least > 0 else arb.pos_inf()
        if near.is_finite():
            alpha = [x + arb(0, near.upper()) for x in alpha]
        eta, pulls = self.pulls(alpha)
        square, whole = self.slope(eta, pulls)
        J = ends.lower.union(ends.upper)
        shown = square.nonnegative_part() / (2 * J * J)
        return shown.union(shown.max(self.hidden(eta, pulls) / J)), whole and near.is_finite()


class PrimalJudge:
    """(5) at the gating of the problem: c_m, b and ξ from above, α from below."""

    def __init__(self, problem: Gated) -> None:
        self.problem, self.gated = problem, GatedJudge(problem)

    def better(self, point: Point) -> Iterator[Point]:
        """Better α, of which the bounds make c_m."""
        for better in self.gated.machine.better(point):
            yield {"alpha": exact(numbers(better["alpha"]))}

    def examine(self, point: Point) -> Examination:
        """ξ raised to what the margins ask for, b the best where there is none."""
        found, problem = Examination(), self.problem
        if "c" in point:
            c = found.repaired["c"] = exact(point["c"])
            eta, kernels = gates(BALLS, problem), BALLS.kernels(problem.kernels)
            images = [K @ c[m] for m, K in enumerate(kernels)]
            f = BALLS.stack([eta[m] * image for m, image in enumerate(images)]).sum(axis=0)
            form = BALLS.stack([BALLS.inner(c[m], x) for m, x in enumerate(images)]).sum()
            xi = margins(point, f, problem.y, found)
            if "slack" in found.violations:
                found.violations["nonneg"] = found.violations.pop("slack")  # as (5) calls it
            value = form / 2 + exact(problem.C) * xi.sum()
            found.objectives["upper"] = Proof.of(value.number)
        if "alpha" in point:
            below = self.gated.machine.examine({"alpha": point["alpha"]})
            found.violations.update({f"alpha {at}": x for at, x in below.violations.items()})
            found.objectives.update(below.objectives)
            found.repaired.update(below.repaired)
        return found


def independent(X: Array) -> tuple[arb_mat, bool]:
    """The columns of [X 1] that span all of them, and whether these are all."""
    A = np.column_stack([X, np.ones(len(X))])
    A = A * 2.0 ** -np.frexp(np.abs(A).max(axis=0))[1]  # exactly
    R, order = qr(A, mode="r", pivoting=True)
    diagonal = np.abs(R.diagonal())
    kept = np.sort(order[: int((diagonal > RANK * diagonal[0]).sum())])
    return matrix(A[:, kept]), len(kept) == A.shape[1]


JUDGES = {"gonen2008-eq5": PrimalJudge, "gonen2008-eq7": AtGating, "gonen2008-alg1": AtGating}

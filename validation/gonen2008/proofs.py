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
from functools import reduce
from typing import Any

import numpy as np
from flint import arb, arb_mat
from scipy.linalg import qr

from cvxkernel.formulations.arithmetic import BALLS, Tensor, balls
from cvxkernel.formulations.arithmetic.balls import (
    Proof,
    column,
    exact,
    excess,
    inner,
    matrix,
)
from cvxkernel.formulations.gonen2008 import Gated, GatedOneClass, GatedRegression
from cvxkernel.formulations.gonen2008.bounds import combined, enclose_gated, extended, gates
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.extension import coefficients
from cvxkernel.validation.chen2009.proofs.machine import margins
from cvxkernel.validation.proofs.machine import Machine
from cvxkernel.validation.proofs.proof import STATIONARITY, Examination, Point

SATURATED = 0.95  # the largest gate of a sample that a change of z by 1 hardly moves
BORDER = 1e-7  # of the box, of the largest β: what is nearer to a border is there
RANK = 1e-12  # of the largest: a column of [X 1] that is nearer to others is one of them


AnyGated = Gated | GatedRegression | GatedOneClass


class AtGating:
    """(7) at a gating: that of the problem, else that of the point, or equal gates."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.made: dict[bytes, GatedJudge] = {}

    def at(self, point: Point) -> GatedJudge:
        """The machine there."""
        gated = self.problem
        if not isinstance(gated, AnyGated):
            gated = gated.at(point.get("V"), point.get("v0"))
        key = gated.V.tobytes() + gated.v0.tobytes()
        if key not in self.made:
            self.made[key] = GatedJudge(gated)
        return self.made[key]

    def better(self, point: Point) -> Iterator[Point]:
        """Better α, or β, at the same gating."""
        gating = {symbol: point[symbol] for symbol in ("V", "v0") if symbol in point}
        judge = self.at(point)
        for better in judge.machine.better(point):
            yield {**better, **gating}

    def examine(self, point: Point) -> Examination:
        """What the machine finds at the gating as it is; and whether that is stationary."""
        judge = self.at(point)
        found: Examination = judge.machine.examine(point)
        found.repaired.update({symbol: point[symbol] for symbol in ("V", "v0") if symbol in point})
        if all(symbol in point for symbol in ("V", "v0")):
            found.violations[STATIONARITY], proved = judge.stationarity()
            found.unproved.update(set() if proved else {STATIONARITY})
        return found


class GatedJudge:
    """(7) at the gating of the problem, or what section 3.2 has for it."""

    def __init__(self, problem: AnyGated) -> None:
        self.problem = problem
        self.symbol = "beta" if isinstance(problem, GatedRegression) else "alpha"
        self.machine: Any
        if isinstance(problem, Gated):
            self.machine = Machine(combined(BALLS, problem), problem.y, problem.C)
        else:
            self.machine = ExtendedMachine(problem, self.symbol)

    def pulls(self, alpha: Tensor) -> tuple[Tensor, Tensor]:
        """η_m and s_m = -∂J/∂η_m, by kernels."""
        eta = gates(BALLS, self.problem)
        signed = alpha * self.problem.y if isinstance(self.problem, Gated) else alpha
        kernels = BALLS.kernels(self.problem.kernels)
        pulls = [signed * (K @ (signed * eta[m])) for m, K in enumerate(kernels)]
        return eta, BALLS.stack(pulls)

    def enclose(self, alpha: Any) -> Any:
        """Both ends of J."""
        if isinstance(self.problem, Gated):
            return enclose_gated(BALLS, self.problem, {"alpha": alpha})
        low, high, made, _ = self.machine.bounds.ends(alpha)
        return BALLS.enclosure(high, low, high, {self.symbol: made})

    def slope(self, eta: Tensor, pulls: Tensor) -> tuple[arb, bool]:
        """The slope of J, squared, and whether no column was left out."""
        t = eta * pulls
        rho = (eta * t.sum(axis=0) - t).matrix  # ρ_m in rows
        A, whole = independent(self.problem.X)
        g = A.transpose() * rho.transpose()
        return inner(g, (A.transpose() * A).solve(g)) * self.problem.n, whole

    def hidden(self, eta: Tensor, pulls: Tensor) -> arb:
        """What the saturated gates could win, which no slope shows."""
        largest, pull = reduce(BALLS.maximum, eta), reduce(BALLS.maximum, pulls)
        more = (pull - (eta * pulls).sum(axis=0)).positive()
        hidden: arb = BALLS.where(largest < SATURATED, 0.0, more).sum().number
        return hidden

    def stationarity(self) -> tuple[arb, bool]:
        """From ½slope²/J up to what saturated gates hide, relative to J; and whether proved."""
        best = list(self.machine.better({}))[-1][self.symbol]
        ends: Proof = self.enclose(exact(best))
        alpha, least = self.machine.feasible(best), balls.lambda_min(self.machine.Q.matrix)
        near = (2 * (ends.upper - ends.lower) / least).sqrt() if least > 0 else arb.pos_inf()
        if near.is_finite():
            alpha = alpha + arb(0, near.upper())
        eta, pulls = self.pulls(alpha)
        square, whole = self.slope(eta, pulls)
        J = ends.lower.union(ends.upper)
        shown = square.nonnegative_part() / (2 * J * J)
        return shown.union(shown.max(self.hidden(eta, pulls) / abs(J))), whole and near.is_finite()


class ExtendedMachine:
    """A machine of section 3.2 at the gating of the problem."""

    def __init__(self, problem: GatedRegression | GatedOneClass, symbol: str) -> None:
        self.problem, self.symbol = problem, symbol
        self.bounds = extended(BALLS, problem)
        self.Q, self.feasible = self.bounds.K, self.bounds.feasible

    def better(self, point: Point) -> Iterator[Point]:
        """β polished; where there is none, or none in the box, the solver's."""
        given = [self.feasible(point[self.symbol]).mid] if self.symbol in point else []
        for start in (*given, coefficients(self.problem)):
            yield {self.symbol: start}
            made = self.polished(start)
            if made is not None:
                yield {self.symbol: made}

    def polished(self, beta: Array) -> Tensor | None:
        """What is free put where the loss has its kinks: (Kβ)ᵢ + b = tᵢ ∓ ε, 1ᵀβ = s."""
        at = self.bounds
        low, high = float(at.low.mid), float(at.high.mid)
        room, most = BORDER * (high - low), float(np.abs(beta).max())
        top, bottom = beta >= high - room, (beta <= low + room) & (low < 0)
        zero = (np.abs(beta) <= BORDER * most) if at.epsilon or not low else beta > np.inf
        free = ~(top | bottom | zero)
        made = BALLS.where(top, at.high, BALLS.where(bottom, at.low, 0.0))
        if not free.any():
            return None
        e = np.ones((int(free.sum()), 1))
        system = exact(np.block([[self.Q.x[np.ix_(free, free)], e], [e.T, np.zeros((1, 1))]]))
        right = exact(at.t) - at.epsilon * np.sign(beta) - self.Q @ made
        try:
            found = system.matrix.solve(column([*right[free].x, (at.total - made.sum()).number]))
        except ZeroDivisionError:
            return None
        made.x[free] = found.entries()[:-1]
        return made if made.is_finite() else None

    def examine(self, point: Point) -> Examination:
        """β clipped and of the right sum; with b, or ρ, beside it, the primal there."""
        found, at = Examination(), self.bounds
        if self.symbol not in point:
            return found
        beta, top = exact(point[self.symbol]), at.high.number
        if isinstance(self.problem, GatedOneClass):
            top = 1 / (arb(self.problem.nu) * self.problem.n)  # as the box is written
        off, size = abs(beta.sum() - at.total), abs(beta)
        found.violations["balance"] = excess(off.number, size.sum().number)
        outside = (size if at.low.mid else beta).max().number
        found.violations["box"] = excess(outside - top, top)
        if not at.low.mid:
            found.violations["nonneg"] = excess((-beta).max().number, size.max().number)
        made = found.repaired[self.symbol] = self.feasible(beta)
        found.objectives["lower"] = Proof.of(at.value(made).number)
        for symbol, sign in (("b", 1), ("rho", -1)):
            if symbol in point:
                b = found.repaired[symbol] = exact(point[symbol]).reshape()
                f = at.K @ made
                high = BALLS.inner(made, f) / 2 + at.losses(f, sign * b)
                found.objectives["upper"] = Proof.of(high.number)
        return found


class PrimalJudge:
    """(5) at the gating of the problem: c_m, b and ξ from above, α from below."""

    def __init__(self, problem: Gated) -> None:
        self.problem, self.gated = problem, GatedJudge(problem)

    def better(self, point: Point) -> Iterator[Point]:
        """Better α, of which the bounds make c_m."""
        yield from self.gated.machine.better(point)

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


JUDGES = {
    "gonen2008-eq5": PrimalJudge,
    "gonen2008-eq7": AtGating,
    "gonen2008-alg1": AtGating,
    "gonen2008-alg1-regression": AtGating,
    "gonen2008-alg1-oneclass": AtGating,
}

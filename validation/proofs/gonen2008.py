r"""gonen2008 in balls: the gates, K_η and (7) from the doubles of V, v0, X and the kernels.

    η_m(xᵢ) = exp(z_m - z)/Σ_k exp(z_k - z),   z_m = ⟨v_m, xᵢ⟩ + v_m0,   z any number: the largest
    Q = Σ_m diag(yη_m) K_m diag(yη_m)

Algorithm 1 is not convex. Proved is J at the gating of the point: the optimum of (7) there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import arb, arb_mat

from cvxkernel.formulations.gonen2008 import Gated, Localized
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation import balls
from cvxkernel.validation.balls import matrix
from cvxkernel.validation.proofs.machine import Machine
from cvxkernel.validation.proofs.proof import Examination, Point


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
    for eta, K in zip(gates(problem.X, problem.V, problem.v0), problem.kernels, strict=True):
        d = [e * int(s) for e, s in zip(eta, problem.y, strict=True)]
        rows = balls.symmetric(matrix(K)).tolist()
        Q = Q + arb_mat([[d[i] * rows[i][j] * d[j] for j in range(n)] for i in range(n)])
    return Q


class Balls(Machine):
    """(7) at the gating of the problem."""

    def __init__(self, problem: Gated) -> None:
        super().__init__(combined(problem), problem.y, problem.C)


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
        """What the machine finds; the gating is taken as it is."""
        machine, gating = self.at(point)
        found = machine.examine(point)
        found.repaired.update({symbol: gating[symbol] for symbol in gating if symbol in point})
        return found

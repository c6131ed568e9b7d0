r"""What the exchange methods share: the linear program over the cuts, and where the next cut is.

The papers make the next cut at the linear program's own weights. These swing from vertex to vertex
of the simplex while the cuts are few, and the more so the more kernels take part. `Pull` moves them
towards the best weights so far: there a cut is of more use. The cuts stay cuts and the ends ends,
whatever the weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from cvxkernel.formulations.errors import SolverError
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import deadline

LEAST = 1.0  # seconds for a linear program, however few are left
PATIENCE = 59  # iterations without a narrower gap


@dataclass
class Pull:
    """How far from the linear program's weights to the best: farther after a cut that was worse."""

    share: float = 0.0

    def towards(self, best: Array, weights: Array, *, better: bool) -> Array:
        """The weights at which to make the next cut; `better`: whether the last were the best."""
        if better:
            self.share = self.share / 2 if self.share > 0.25 else 0.0
        elif self.share < 0.9:
            self.share = (1 + self.share) / 2
        moved: Array = (1 - self.share) * weights + self.share * best
        return moved


def linear_program(
    solver: str, A_ub: Array, b_ub: Array, A_eq: Array, k: int, cost: Array | None = None
) -> tuple[Array, Array]:
    """The minimum of the last k variables' sum by HiGHS, all others ≥ 0; and its multipliers ≥ 0.

    The others may have a cost.
    A_ub x ≤ b_ub, A_eq x = 1. Whoever calls has brought the rows to one size: with unscaled rows
    HiGHS stops at a gap of 4e-6.
    """
    m = A_ub.shape[1] - k
    result = linprog(
        c=np.append(np.zeros(m) if cost is None else cost, np.ones(k)),
        A_ub=A_ub,
        b_ub=b_ub,
        A_eq=A_eq,
        b_eq=np.ones(len(A_eq)),
        bounds=[(0.0, None)] * m + [(None, None)] * k,
        method="highs",
        options={
            "primal_feasibility_tolerance": 1e-10,
            "dual_feasibility_tolerance": 1e-10,
            "time_limit": max(deadline.left(), LEAST),
        },
    )
    if result.x is None:
        raise SolverError(solver, {"HiGHS": result.message})
    x: Array = result.x
    x[:m] = np.maximum(x[:m], 0.0)
    return x, np.maximum(-result.ineqlin.marginals, 0.0)

"""A printed program as a CVXPY problem, its variables by symbol and its constraints by label."""

from __future__ import annotations

from collections.abc import Sequence

import cvxpy as cp
import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.shown import Shown

LONG = 160  # characters of an expression that is shown whole
Constraints = cp.Constraint | Sequence[cp.Constraint]


class Program(Shown):
    """`Program(minimize=f, label=constraint, …)`, in the order of the paper.

    A label may hold one constraint or a family of them (i = 1, …, p). Constraints are always
    explicit: an attribute such as `nonneg=True` on a variable would lose its multiplier.
    """

    def __init__(
        self,
        *,
        minimize: cp.Expression | None = None,
        maximize: cp.Expression | None = None,
        **constraints: Constraints,
    ) -> None:
        if (minimize is None) == (maximize is None):
            raise TypeError("a program either minimizes or maximizes")
        objective = cp.Minimize(minimize) if maximize is None else cp.Maximize(maximize)
        self.constraints = constraints
        self.text = ""
        self.weight = 1.0
        every: list[cp.Constraint] = []
        for family in constraints.values():
            every += [family] if isinstance(family, cp.Constraint) else family
        self.problem = cp.Problem(objective, every)
        self.variables = {v.name(): v for v in self.problem.variables()}

    def headline(self) -> str:
        """What is optimized, how many variables and constraints."""
        sense = self.problem.objective.NAME
        count = f"{len(self.variables)} variables, {len(self.problem.constraints)} constraints"
        return f"Program: {sense} over {', '.join(self.variables)} ({count})"

    def mathematics(self) -> str:
        """The program as the paper prints it, where it is one of a paper's."""
        return self.text

    def rows(self) -> dict[str, str]:
        """The objective, and the constraints by label as CVXPY writes them."""
        told = {self.problem.objective.NAME: _short(str(self.problem.objective.expr))}
        for label, family in self.constraints.items():
            if isinstance(family, cp.Constraint):
                told[label] = _short(str(family))
            else:
                first = "".join(_short(str(one)) for one in family[:1])
                told[label] = f"{first}, and so on: {len(family)} of them" if first else "none"
        return told

    def weigh(self, weight: float) -> None:
        """Multiply the objective, for a solver whose tolerances are absolute.

        `dual` divides by it, so that the multipliers stay those of the program as it was made.
        """
        objective = self.problem.objective
        self.problem = cp.Problem(
            type(objective)(weight * objective.expr), self.problem.constraints
        )
        self.weight *= weight

    def value(self, symbol: str) -> Array:
        """The value a solver has left in the variable of this name."""
        value = self.variables[symbol].value
        if value is None:
            raise ValueError(f"{symbol} has no value: the program has not been solved")
        return np.asarray(value, dtype=np.float64)

    def dual(self, label: str) -> Array:
        """The multiplier of the constraint of this label; a family's are stacked."""
        family = self.constraints[label]
        if isinstance(family, cp.Constraint):
            return _dual(family) / self.weight
        return np.stack([_dual(c) for c in family]) / self.weight


def combination(weights: cp.Expression, matrices: Array) -> cp.Expression:
    """Σᵢ wᵢMᵢ of weights (p,) and matrices (p, n, m).

    As one product: CVXPY compiles the sum of p products to the same numbers, a third slower.
    """
    columns = matrices.reshape(len(matrices), -1).T
    total: cp.Expression = cp.reshape(columns @ weights, matrices.shape[1:], order="C")
    return total


def _short(text: str) -> str:
    """On one line, the middle left out where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONG else f"{line[: LONG // 2]} … {line[-LONG // 2 :]}"


def _dual(constraint: cp.Constraint) -> Array:
    if constraint.dual_value is None:
        raise ValueError("no multiplier: the program has not been solved")
    value = np.asarray(constraint.dual_value, dtype=np.float64)
    # A scalar constraint's dual_value has shape (1,) or (): both are the number.
    return value.reshape(()) if value.size == 1 else value

"""How it is solved: the conic panel and the papers' own methods, all returning a `Solution`."""

from __future__ import annotations

from typing import Any

from cvxkernel.formulations import inputs
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.solvers.column_generation import ColumnGeneration
from cvxkernel.solvers.conic import conic
from cvxkernel.solvers.panel import PANEL
from cvxkernel.solvers.solution import Progress, Solution, Step


def solve(
    id: str,
    problem: Any,
    *,
    solver: str | None = None,
    tol: float = 1e-6,
    progress: Progress | None = None,
) -> Solution:
    """Solve a problem of this formulation by the route that suits it, or by the solver named."""
    tol = inputs.positive("tol", tol)
    names = {name.lower(): name for name in PANEL}
    if solver is not None and solver.lower() not in {*names, "column_generation"}:
        expected = f"one of {', '.join([*PANEL, 'column_generation'])}"
        raise InputError("solver", expected, repr(solver))
    semi_infinite = formulation(id).exchange is not None
    if semi_infinite if solver is None else solver.lower() == "column_generation":
        return ColumnGeneration(tol=tol).solve(id, problem, progress=progress)
    chosen = None if solver is None else [names[solver.lower()]]
    return conic(id, problem, solvers=chosen, tol=tol, progress=progress)


__all__ = ["PANEL", "ColumnGeneration", "Solution", "Step", "conic", "solve"]

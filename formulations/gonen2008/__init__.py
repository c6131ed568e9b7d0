"""Gönen and Alpaydın (2008): localized multiple kernel learning. ICML 25.

`Gated(kernels, y, X, C, V, v0)` holds (5) and (7) at a given gating. `Localized(kernels, y, X, C)`
is what Algorithm 1 learns a gating for: not convex, and enclosed at the gating it is asked at.
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations import inputs, svm
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.legacy import Formulation, Machine, Point
from cvxkernel.formulations.gonen2008 import bounds
from cvxkernel.formulations.gonen2008.discriminant import Discriminant, support
from cvxkernel.formulations.gonen2008.programs import Gated, Localized, Points, gates
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.program import Program


def _ends(problem: Gated, point: Point) -> tuple[tuple[float, ...], dict[str, Array]]:
    """The values and the ends of (7), and (α, b): w_m follows from α by (6), ξ from both."""
    given = point.get("alpha", np.full(problem.n, problem.C))
    alpha = inputs.weights("alpha", given, (problem.n,))
    Q, slack = bounds.combined(problem)
    alpha = bounds.repair(problem, alpha, Q)
    low, down = svm.value(Q, alpha, slack)
    high, up = svm.upper(Q, problem.y, problem.C, alpha, slack)
    b = np.array(svm.offset(Q @ alpha, problem.y))
    return (low, high, low - down, high + up), {"alpha": alpha, "b": b}


def _enclose_eq7(problem: Gated, point: Point) -> Enclosure:
    (low, _, lower, upper), variables = _ends(problem, point)
    return Enclosure(low, lower, upper, variables)


def _enclose_alg1(problem: Localized, point: Point) -> Enclosure:
    """J at the gating of the point, equal gates where it has none: an upper bound of the least."""
    at = problem.at(point.get("V"), point.get("v0"))
    (_, high, lower, upper), variables = _ends(at, point)
    return Enclosure(high, lower, upper, {**variables, "V": at.V, "v0": at.v0})


def _from_program(problem: Points, program: Program) -> Point:
    return {"alpha": program.value("alpha")}


def _scale(problem: Points, trace: float) -> float:
    """s with sK_η of trace n, or smaller where C/s would fall below 1."""
    return min(problem.n / trace, problem.C) if trace > 0 else problem.C


def _scaled(problem: Points, s: float) -> Points:
    """sK and C/s for K and C take α to α/s and (7) to 1/s times itself."""
    return with_numbers(problem, kernels=problem.kernels * s, C=problem.C / s)


def _unit_eq7(problem: Gated) -> Points:
    return _scaled(problem, _scale(problem, float(np.trace(problem.K_eta))))


def _unit_alg1(problem: Localized) -> Points:
    return _scaled(problem, _scale(problem, float(np.trace(problem.at().K_eta))))


def _restore(problem: Points, unit: Points, point: Point) -> Point:
    return {**point, "alpha": point["alpha"] * (problem.C / unit.C)}


FORMULATIONS = (
    Formulation(
        id="gonen2008-eq7",
        where="(7), the gating given",
        kind="QP",
        sense="maximize",
        statement="max Σαᵢ - ½ΣΣαᵢαⱼyᵢyⱼK_η(xᵢ,xⱼ), Σαᵢyᵢ = 0, C ≥ α ≥ 0",
        problem=Gated,
        keys=("kernels", "X", "y", "C", "V", "v0"),
        program=Gated.eq7,
        recover=_from_program,
        enclose=_enclose_eq7,
        unit=_unit_eq7,
        restore=_restore,
        binary=True,
        machine=lambda problem: Machine(problem.K_eta, problem.y, problem.C),
    ),
    Formulation(
        id="gonen2008-alg1",
        where="Algorithm 1, (5)",
        kind="nonconvex",
        sense="minimize",
        statement="min over V, v0 of J = max (7); enclosed: J at the V, v0 found",
        problem=Localized,
        keys=("kernels", "X", "y", "C"),
        program=Localized.eq7,
        recover=_from_program,
        enclose=_enclose_alg1,
        unit=_unit_alg1,
        restore=_restore,
        binary=True,
        fixed=("V", "v0"),
    ),
)

__all__ = ["FORMULATIONS", "Discriminant", "Gated", "Localized", "bounds", "gates", "support"]

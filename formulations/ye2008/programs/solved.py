"""What is read off a solved program, and what the semi-infinite ones have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cvxpy as cp

from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.ye2008.data import Scatter

if TYPE_CHECKING:
    from cvxkernel.formulations.ye2008.programs import Discriminant, JointDiscriminant


def from_lmi(problem: Scatter, program: Program) -> Point:
    """θ, and β from the multiplier of the matrix inequality."""
    return {"theta": program.value("theta"), "beta": problem.beta_from_lmi(program)}


def from_restricted_lmi(problem: Scatter, program: Program) -> Point:
    """θ and t, and β and Z from the multiplier."""
    Z, beta = problem.restricted_from_lmi(program)
    return {"theta": program.value("theta"), "t": program.value("t"), "beta": beta, "Z": Z}


def from_quad(problem: Discriminant | JointDiscriminant, program: Program) -> Point:
    """β, and θ from the multipliers of the quadratic constraints."""
    return {"theta": problem.weights_from_quad(program), "beta": program.value("beta")}


def from_cuts(problem: Scatter, program: Program) -> Point:
    """θ, the variable."""
    return {"theta": program.value("theta")}


def restricted_master(r: Array, S: Sequence[Array]) -> Program:
    """The semi-infinite programs (16), (37), (44), (47) with finitely many rows S(β).

    maximize γ  subject to  θ ≥ 0 (nonneg),  θᵀr = 1 (budget),  Σᵢ θᵢSᵢ(β) ≥ γ (cuts)
    """
    theta, gamma = cp.Variable(len(r), name="theta"), cp.Variable(name="gamma")
    return Program(
        maximize=gamma,
        nonneg=theta >= 0,
        budget=theta @ r == 1,
        cuts=[theta @ S_beta >= gamma for S_beta in S],
    )

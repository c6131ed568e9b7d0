"""Tang, Chen and Ye (2009). On multiple kernel learning with multiple labels. IJCAI.

`Separate(kernels, Y, C)` holds (2), `Regularized(kernels, Y, C, lam)` Theorem 3.1 and (3), and
`Shared(kernels, Y, C, beta)` the semi-infinite (11).
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from cvxkernel.formulations.legacy import Formulation, Point
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.tang2009 import bounds
from cvxkernel.formulations.tang2009.bridge import Bridge, beta_of_share, to_beta, to_lam
from cvxkernel.formulations.tang2009.enclosures import (
    enclose_minimum,
    enclose_qcqp,
    enclose_separate,
    enclose_shared,
)
from cvxkernel.formulations.tang2009.prediction import (
    MultiLabelClassifier,
    accuracy,
    at_weights,
    average,
    mean_auc,
    one_against_rest,
)
from cvxkernel.formulations.tang2009.programs import MultiLabelled, Regularized, Separate, Shared

M = TypeVar("M", bound=MultiLabelled)


def _from_separate(problem: Separate, program: Program) -> Point:
    return {"alpha": program.value("alpha")}


def _from_qcqp(problem: Regularized, program: Program) -> Point:
    zeta, gamma = problem.weights_from_quad(program)
    return {"alpha": program.value("alpha"), "zeta": zeta, "gamma": gamma}


def _from_sdp(problem: Regularized, program: Program) -> Point:
    alpha = problem.alpha_from_lmi(program)
    return {"alpha": alpha, "zeta": program.value("zeta"), "gamma": program.value("gamma")}


def _from_cuts(problem: Shared, program: Program) -> Point:
    return {"theta": program.value("theta")}


def _unit(problem: M) -> M:
    """Kernels times σ, C and λ divided by σ: α and the optimum are then divided by σ too.

    σ brings the largest mean of a diagonal to 1, unless C would fall below 1; it is C then. A λ
    beyond which nothing changes is cut: B ≤ kA, and A ≤ 2 Σₜ αᵗᵀe where the optimum is not below
    zero, so that B - kλ ≤ A for the α of the Same model once kλ ≥ 2(k - 1) Σₜ αᵗᵀe.
    """
    size = float(np.trace(problem.kernels, axis1=1, axis2=2).max()) / problem.n
    sigma = min(1 / size, problem.C) if size > 0 else problem.C
    unit = with_numbers(problem, kernels=problem.kernels * sigma, C=problem.C / sigma)
    if isinstance(problem, Regularized):
        unit = with_numbers(unit, lam=min(problem.lam, prohibitive(problem)) / sigma)
    return unit


def prohibitive(problem: MultiLabelled) -> float:
    """A λ from which on no kernel difference is worth its price: twice the largest Σₜ αᵗᵀe."""
    plus = (problem.Y > 0).sum(axis=1)
    return 4 * float(np.minimum(plus, problem.n - plus).sum()) * problem.C


def _restore(problem: MultiLabelled, unit: MultiLabelled, point: Point) -> Point:
    """α by σ = C/Ĉ; the weights are the same."""
    sigma = problem.C / unit.C
    scaled = {symbol: point[symbol] * sigma for symbol in ("alpha", "machines") if symbol in point}
    return {**point, **scaled}


FORMULATIONS = (
    Formulation(
        id="tang2009-eq2",
        where="(2)",
        kind="QP",
        sense="maximize",
        statement="max Σₜ D(αᵗ, 𝒢ᵗ), αᵗᵀyᵗ = 0, 0 ≤ αᵗ ≤ C",
        problem=Separate,
        keys=("kernels", "Y", "C"),
        program=Separate.eq2,
        recover=_from_separate,
        enclose=enclose_separate,
        unit=_unit,
        restore=_restore,
    ),
    Formulation(
        id="tang2009-thm3.1",
        where="Theorem 3.1",
        kind="QCQP",
        sense="maximize",
        statement="max Σₜ αᵗᵀe - ½s, s ≥ s₀, s ≥ Σₜ s_t - kλ, s₀ ≥ Σₜ Gᵢᵗ(α), s_t ≥ Gᵢᵗ(α), "
        "αᵗᵀyᵗ = 0, 0 ≤ αᵗ ≤ C",
        problem=Regularized,
        keys=("kernels", "Y", "C", "lam"),
        program=Regularized.thm3_1,
        recover=_from_qcqp,
        enclose=enclose_qcqp,
        unit=_unit,
        restore=_restore,
    ),
    Formulation(
        id="tang2009-eq3-sdp",
        where="(3) with (4)-(7), ours",
        kind="SDP",
        sense="minimize",
        statement="min λΩ + ½ Σₜ τₜ, [(Σᵢ θᵢᵗGᵢ) ∘ yᵗyᵗᵀ, e + νᵗ - δᵗ + bₜyᵗ; ·, τₜ - 2C eᵀδᵗ] ⪰ "
        "0, θᵗ = ζ + γᵗ, Σᵢ θᵢᵗ = 1",
        problem=Regularized,
        keys=("kernels", "Y", "C", "lam"),
        program=Regularized.eq3_sdp,
        recover=_from_sdp,
        enclose=enclose_minimum,
        unit=_unit,
        restore=_restore,
    ),
    Formulation(
        id="tang2009-eq11",
        where="(11)-(13) with (10)",
        kind="SILP",
        sense="minimize",
        statement="min Σₜ gᵗ, Σᵢ θᵢᵗD(αᵗ, Gᵢ) ≤ gᵗ for all αᵗ ∈ S(t), Σᵢ θᵢᵗ = 1, θᵗ = ζ + γᵗ, "
        "Ω ≤ β",
        problem=Shared,
        keys=("kernels", "Y", "C", "beta"),
        program=Shared.eq11,
        recover=_from_cuts,
        enclose=enclose_shared,
        unit=_unit,
        restore=_restore,
    ),
)

__all__ = [
    "FORMULATIONS",
    "Bridge",
    "MultiLabelClassifier",
    "Regularized",
    "Separate",
    "Shared",
    "accuracy",
    "at_weights",
    "average",
    "beta_of_share",
    "bounds",
    "mean_auc",
    "one_against_rest",
    "prohibitive",
    "to_beta",
    "to_lam",
]

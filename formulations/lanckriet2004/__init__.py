"""Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan (2004). JMLR 5.

Learning the kernel matrix with semidefinite programming: the soft margin programs.

`SoftMargin(kernels, y, C)` holds sm1 and sm2, `JointMargin(kernels, y)` holds sm2c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.enclosure import IDENTITY_SHARES, Enclosure
from cvxkernel.formulations.legacy import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004 import bounds
from cvxkernel.formulations.lanckriet2004.programs import JointMargin, Margin, SoftMargin
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.program import Program


def _weights(problem: Margin, point: Point) -> Iterator[Array]:
    """μ clipped at zero and scaled to μᵀr = c; for sm2c also with a small share of the identity."""
    r = problem.r
    mu = inputs.weights("mu", point["mu"], r.shape) if "mu" in point else 1.0 / r
    mu = np.maximum(mu, 0.0)
    mu = mu * r.sum() / (mu @ r) if mu @ r > 0 else r.sum() / (len(r) * r)
    shares = (0.0,) if isinstance(problem, SoftMargin) else IDENTITY_SHARES
    for share in shares:
        mixed = (1 - share) * mu
        mixed[0] += share * r.sum() / r[0]
        yield mixed if share else mu


def _enclose(*, squared: bool) -> Callable[[Margin, Point], Enclosure]:
    def enclose(problem: Margin, point: Point) -> Enclosure:
        given = inputs.weights("alpha", point.get("alpha", np.ones(problem.n)), (problem.n,))
        (low, down), alpha, total = bounds.value(
            problem, bounds.repair(problem, given, squared=squared), squared=squared
        )
        ends = [
            (bounds.upper(problem, mu, alpha, squared=squared), mu)
            for mu in _weights(problem, point)
        ]
        (high, up), mu = min(ends, key=lambda end: sum(end[0]))
        t = np.array(total / problem.c)
        return Enclosure(low, low - down, high + up, {"alpha": alpha, "t": t, "mu": mu})

    return enclose


def _from_quad(problem: Margin, program: Program) -> Point:
    return {"mu": problem.weights_from_quad(program), "alpha": program.value("alpha")}


def _unit(problem: Margin) -> Margin:
    """Kernels of equal trace; C·s for C, where s takes 2αᵀ1 - c·t to s times itself at sα.

    The trace is n, or smaller where C·s would fall below 1.
    """
    trace = float(problem.n)
    if isinstance(problem, SoftMargin):
        trace *= min(1.0, problem.c * problem.C / (problem.p * problem.n))
    factors = trace / np.trace(problem.kernels, axis1=1, axis2=2)
    unit = with_numbers(problem, kernels=problem.kernels * factors[:, None, None])
    if isinstance(problem, SoftMargin):
        return with_numbers(unit, C=problem.C * problem.c / unit.c)
    return unit


def _restore(problem: Margin, unit: Margin, point: Point) -> Point:
    """α by s = c/ĉ; μᵢ by its share μᵢrᵢ/c of the budget."""
    return {
        "alpha": point["alpha"] * (unit.c / problem.c),
        "mu": point["mu"] * (unit.r / unit.c) * (problem.c / problem.r),
    }


def _formulation(
    label: str, name: str, statement: str, program: Any, *, squared: bool
) -> Formulation:
    joint = program is JointMargin.sm2c
    return Formulation(
        id=f"lanckriet2004-{label}",
        where=name,
        kind="QCQP",
        sense="maximize",
        statement=statement,
        problem=JointMargin if joint else SoftMargin,
        keys=("kernels", "y") if joint else ("kernels", "y", "C"),
        program=program,
        recover=_from_quad,
        enclose=_enclose(squared=squared),
        unit=_unit,
        restore=_restore,
        binary=True,
    )


FORMULATIONS = (
    _formulation(
        "sm1",
        "1-norm soft margin",
        "max 2αᵀ1 - c·t, t ≥ αᵀG(Kᵢ)α/rᵢ, αᵀy = 0, 0 ≤ α ≤ C",
        SoftMargin.sm1,
        squared=False,
    ),
    _formulation(
        "sm2",
        "2-norm soft margin",
        "max 2αᵀ1 - αᵀα/C - c·t, t ≥ αᵀG(Kᵢ)α/rᵢ, αᵀy = 0, α ≥ 0",
        SoftMargin.sm2,
        squared=True,
    ),
    _formulation(
        "sm2c",
        "2-norm soft margin, C learned",
        "max 2αᵀ1 - c·t, t ≥ αᵀG(Kᵢ)α/rᵢ (K₀ = I), αᵀy = 0, α ≥ 0",
        JointMargin.sm2c,
        squared=True,
    ),
)

__all__ = ["FORMULATIONS", "JointMargin", "SoftMargin"]

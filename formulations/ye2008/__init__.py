r"""Ye, Ji and Chen (2008): Multi-class Discriminant Kernel Learning via Convex Programming. JMLR 9.

`Discriminant(kernels, y, lam)` holds the programs of sections 2 and 3,
`JointDiscriminant(kernels, y)` those of section 4, `RKDA` the classifier for learned weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.formulation import Exchange, Formulation, Point
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.ye2008 import bounds, enclosures
from cvxkernel.formulations.ye2008.data import Scatter
from cvxkernel.formulations.ye2008.fixed import Discriminant
from cvxkernel.formulations.ye2008.joint import JointDiscriminant
from cvxkernel.formulations.ye2008.rkda import RKDA


def _from_lmi(problem: Scatter, program: Program) -> Point:
    return {"theta": program.value("theta"), "beta": problem.beta_from_lmi(program)}


def _from_restricted_lmi(problem: Scatter, program: Program) -> Point:
    Z, beta = problem.restricted_from_lmi(program)
    return {"theta": program.value("theta"), "t": program.value("t"), "beta": beta, "Z": Z}


def _from_quad(problem: Discriminant | JointDiscriminant, program: Program) -> Point:
    return {"theta": problem.weights_from_quad(program), "beta": program.value("beta")}


def _from_cuts(problem: Scatter, program: Program) -> Point:
    return {"theta": program.value("theta")}


def _unit(*, binary: bool, power: float) -> Callable[[Scatter], Scatter]:
    """Kernels of equal centred trace; a and H scaled to the value (1/4λ)^power at equal weights.

    Value and t = 4λ·value cannot both be near 1 when λ is small. The QCQPs want it of t (power 1),
    the LMIs are best in between (power ½): at λ = 1e-8 the widths fall from 1e-1 to below 1e-7.
    """

    def unit(problem: Scatter) -> Scatter:
        if isinstance(problem, Discriminant):
            trace, target = 1.0, max(1.0, 1 / (4 * problem.lam)) ** power
        else:
            trace, target = float(problem.n), 1.0
        r = enclosures.traces(problem)
        at_equal_weights, _ = bounds.value(problem, 1.0 / (len(r) * r), binary=binary)
        if not np.isfinite(at_equal_weights):  # not definite in doubles: the enclosure will tell
            target = at_equal_weights = 1.0
        return with_numbers(
            problem,
            kernels=problem.kernels * (trace / problem.traces)[:, None, None],
            scale=problem.scale * np.sqrt(target / at_equal_weights),
        )

    return unit


def _restore(problem: Scatter, unit: Scatter, point: Point) -> Point:
    """θᵢ by the ratio of the traces; t and β by the ratio of the scales."""
    scale = unit.scale / problem.scale
    ratio = enclosures.traces(unit) / enclosures.traces(problem)
    powers = {"t": scale**2, "T": scale**2, "gamma": scale**2, "beta": scale}
    return {
        symbol: value * ratio if symbol == "theta" else value / powers.get(symbol, 1.0)
        for symbol, value in point.items()
    }


def _exchange(*, binary: bool) -> Callable[[Discriminant | JointDiscriminant], Exchange]:
    """The exchange method's view of (16), (44) with h = a, of (37), (47) with h = H."""

    def exchange(problem: Discriminant | JointDiscriminant) -> Exchange:
        h = problem.a if binary else problem.H
        return Exchange(
            r=problem.r,
            S=lambda beta: problem.S(beta, h),
            argmin=lambda theta: problem.argmin(theta, h),
        )

    return exchange


def _formulation(
    problem: type[Discriminant | JointDiscriminant],
    label: str,
    where: str,
    kind: Any,
    statement: str,
    program: Callable[..., Program],
    recover: Callable[[Any, Program], Point],
    enclose: Callable[[Any, Point], Enclosure],
    *,
    binary: bool,
) -> Formulation:
    return Formulation(
        id=f"ye2008-{label}",
        where=where,
        kind=kind,
        sense="minimize" if kind == "SDP" else "maximize",
        statement=statement,
        problem=problem,
        keys=("kernels", "y", "lam") if problem is Discriminant else ("kernels", "y"),
        program=program,
        recover=recover,
        enclose=enclose,
        unit=_unit(binary=binary, power=0.5 if kind == "SDP" else 1.0),
        restore=_restore,
        binary=binary,
        exchange=_exchange(binary=binary) if kind == "SILP" else None,
    )


# fmt: off
FORMULATIONS = (
    _formulation(Discriminant, "thm2.1", "Theorem 2.1, (8)", "SDP",
        "min t, [I + ΣθᵢG̃ᵢ/λ, a; aᵀ, t] ⪰ 0, θ ≥ 0, θᵀr = 1",
        Discriminant.thm2_1, _from_lmi, enclosures.sdp(binary=True), binary=True),
    _formulation(Discriminant, "thm2.2", "Theorem 2.2, (13)", "QCQP",
        "max -¼βᵀβ + βᵀa - t/(4λ), t ≥ βᵀG̃ᵢβ/rᵢ",
        Discriminant.thm2_2, _from_quad, enclosures.qcqp(binary=True), binary=True),
    _formulation(Discriminant, "thm2.3", "Theorem 2.3, (16)", "SILP",
        "max γ, θ ≥ 0, θᵀr = 1, ΣθᵢSᵢ(β) ≥ γ for all β",
        Discriminant.thm2_3, _from_cuts, enclosures.silp(binary=True), binary=True),
    _formulation(Discriminant, "eq29", "Equation (29)", "SDP",
        "min Σtⱼ, [I + ΣθᵢG̃ᵢ/λ, hⱼ; hⱼᵀ, tⱼ] ⪰ 0 for all j, θ ≥ 0, θᵀr = 1",
        Discriminant.eq29, _from_lmi, enclosures.sdp(binary=False), binary=False),
    _formulation(Discriminant, "eq29-single", "(29) as one LMI, our form", "SDP",
        "min trace T, [I + ΣθᵢG̃ᵢ/λ, H; Hᵀ, T] ⪰ 0, θ ≥ 0, θᵀr = 1",
        Discriminant.eq29_single, _from_lmi, enclosures.sdp(binary=False, matrix=True),
        binary=False),
    _formulation(Discriminant, "thm3.1", "Theorem 3.1, (32)", "SDP",
        "min Σtⱼ, [I + ΣθᵢG̃ᵢ/λ, H; Hᵀ, diag(t)] ⪰ 0, θ ≥ 0, θᵀr = 1",
        Discriminant.thm3_1, _from_restricted_lmi, enclosures.restricted_sdp, binary=False),
    _formulation(Discriminant, "thm3.2", "Theorem 3.2, (34)", "QCQP",
        "max Σⱼβⱼᵀhⱼ - ¼Σⱼβⱼᵀβⱼ - t/(4λ), t ≥ ΣⱼβⱼᵀG̃ᵢβⱼ/rᵢ",
        Discriminant.thm3_2, _from_quad, enclosures.qcqp(binary=False), binary=False),
    _formulation(Discriminant, "thm3.3", "Theorem 3.3, (37)", "SILP",
        "max γ, θ ≥ 0, θᵀr = 1, ΣθᵢSᵢ(β) ≥ γ for all β",
        Discriminant.thm3_3, _from_cuts, enclosures.silp(binary=False), binary=False),
    _formulation(JointDiscriminant, "eq41", "Equation (41)", "SDP",
        "min t, [ΣθᵢG̃ᵢ, a; aᵀ, t] ⪰ 0, θ̃ ≥ 0, θ̃ᵀr = 1, G̃₀ = I",
        JointDiscriminant.eq41, _from_lmi, enclosures.sdp(binary=True), binary=True),
    _formulation(JointDiscriminant, "eq43", "Equation (43)", "QCQP",
        "max βᵀa - ¼t, t ≥ βᵀG̃ᵢβ/rᵢ, i = 0, …, p",
        JointDiscriminant.eq43, _from_quad, enclosures.qcqp(binary=True), binary=True),
    _formulation(JointDiscriminant, "eq44", "Equation (44)", "SILP",
        "max γ, θ̃ ≥ 0, θ̃ᵀr = 1, ΣθᵢSᵢ(β) ≥ γ for all β",
        JointDiscriminant.eq44, _from_cuts, enclosures.silp(binary=True), binary=True),
    _formulation(JointDiscriminant, "eq45", "Equation (45)", "SDP",
        "min Σtⱼ, [ΣθᵢG̃ᵢ, H; Hᵀ, diag(t)] ⪰ 0, θ̃ ≥ 0, θ̃ᵀr = 1, G̃₀ = I",
        JointDiscriminant.eq45, _from_restricted_lmi, enclosures.restricted_sdp, binary=False),
    _formulation(JointDiscriminant, "eq45-single", "(45) made exact, our form", "SDP",
        "min trace T, [ΣθᵢG̃ᵢ, H; Hᵀ, T] ⪰ 0, θ̃ ≥ 0, θ̃ᵀr = 1, G̃₀ = I",
        JointDiscriminant.eq45_single, _from_lmi, enclosures.sdp(binary=False, matrix=True),
        binary=False),
    _formulation(JointDiscriminant, "eq46", "Equation (46)", "QCQP",
        "max Σⱼβⱼᵀhⱼ - ¼t, t ≥ ΣⱼβⱼᵀG̃ᵢβⱼ/rᵢ, i = 0, …, p",
        JointDiscriminant.eq46, _from_quad, enclosures.qcqp(binary=False), binary=False),
    _formulation(JointDiscriminant, "eq47", "Equation (47)", "SILP",
        "max γ, θ̃ ≥ 0, θ̃ᵀr = 1, ΣθᵢSᵢ(β) ≥ γ for all β",
        JointDiscriminant.eq47, _from_cuts, enclosures.silp(binary=False), binary=False),
)
# fmt: on

__all__ = ["FORMULATIONS", "RKDA", "Discriminant", "JointDiscriminant"]

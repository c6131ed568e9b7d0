r"""Ye, Ji and Chen (2008): Multi-class Discriminant Kernel Learning via Convex Programming. JMLR 9.

`Discriminant(kernels, y, lam)` holds the programs of sections 2 and 3,
`JointDiscriminant(kernels, y)` those of section 4, `RKDA` the classifier for learned weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.legacy import Exchange, Formulation, Point
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.ye2008 import enclosures, units
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
        unit=units.unit(binary=binary, power=0.5 if kind == "SDP" else 1.0),
        restore=units.restore,
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

"""Section 3.2: the other problems, and the gradients of what they come to."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from cvxkernel.formulations import kernels
from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.gonen2008 import LocalizedOneClass, LocalizedRegression
from cvxkernel.formulations.gonen2008.programs import Local
from cvxkernel.solvers.localized import MACHINES, Iterate
from cvxkernel.validation import rigorous
from cvxkernel.validation.gonen2008.claims.descent import STEP
from cvxkernel.validation.instances import sample
from cvxkernel.validation.ledger.claim import Claim, Evidence, Finding, Remark, about, worst
from cvxkernel.validation.ledger.shared import KINDS, PROMISE, TIGHT, as_written

IDS = ("gonen2008-alg1-regression", "gonen2008-alg1-oneclass")


def instance(id: str, kind: str, seed: int, n: int = 13, p: int = 3) -> Any:
    """A problem and a gating that favours one kernel here and another there."""
    data = sample(id, n, p, kind=kind, seed=seed)
    data["kernels"] = n * kernels.unit_trace(data["kernels"])
    return formulation(id).make(data), data["V"], data["v0"]


def solved(problem: Local, V: Any, v0: Any) -> tuple[Enclosure, Point]:
    """J at a gating, and the point it is enclosed at."""
    made = Iterate.make(problem, V, v0, None)
    return made.J, made.point


def problems(seed: int) -> Evidence:
    """Primal and dual at a gating, as they are written, against both ends of J."""
    found: list[Finding] = []
    for id in IDS:
        for kind in KINDS:
            at, V, v0 = instance(id, kind, seed)
            others: list[Any] = [at]
            if isinstance(at, LocalizedRegression):  # the box at all, or none; no tube, or wide
                others += [replace(at, C=at.C / 100), replace(at, epsilon=0.0)]
            if isinstance(at, LocalizedOneClass):
                others += [replace(at, nu=0.9), replace(at, nu=0.5)]
            for other in others:
                J, _ = solved(other, V, v0)
                found.append(Finding(J.width, PROMISE, **about(f"{id}, {kind}, both ends")))
                found.append(as_written(id, other, J, V, v0, instance=kind))
                program = other.at(V, v0).primal()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # it may call itself inaccurate
                    program.problem.solve(solver="CLARABEL", **TIGHT)
                value = float(program.problem.value)
                size = max(abs(J.lower), abs(J.upper))
                off = max(J.lower - value, value - J.upper, 0.0) / size
                numbers = {"primal": value, "lower": J.lower, "upper": J.upper}
                found.append(Finding(off, PROMISE, **about(f"{id}, {kind}, primal", numbers)))
    return Evidence(worst(found))


def gradients(seed: int) -> Evidence:
    """The printed gradient with the coefficients of these machines, against differences of J."""
    found = []
    for id in IDS:
        at, V, v0 = instance(id, "random", seed, n=7, p=2)
        _, point = solved(at, V, v0)
        symbol = MACHINES[type(at)][1]
        with balls.precision():
            *_, best = rigorous.judge(id, at).better(point)
        beta = balls.doubles(best[symbol])
        printed = dict(zip(("V", "v0"), at.at(V, v0).gradient(beta), strict=True))
        size = max(float(np.abs(part).max()) for part in printed.values())
        for key, part in printed.items():
            for place in np.ndindex(part.shape):
                ends, where = [], []
                for h in (STEP, -STEP):
                    moved = {"V": V.copy(), "v0": v0.copy()}
                    moved[key][place] += h
                    ends.append(rigorous.proof(id, at, {symbol: beta, **moved}))
                    where.append(float(moved[key][place]))
                with balls.precision():
                    slope = float((ends[0].lower - ends[1].lower) / (where[0] - where[1]))
                # What the difference itself is off is of second order in the step.
                told = about(f"{id}, ∂J/∂{key}", {"printed": part[place], "difference": slope})
                found.append(Finding(abs(slope - part[place]) / size, STEP, **told))
    return Evidence(worst(found))


def larger(seed: int) -> Finding:
    """One class: with K_η twice as large J is twice as low, so that gates go to large kernels."""
    at, V, v0 = instance(IDS[1], "random", seed)
    twice = replace(at, kernels=2.0 * at.kernels)
    one, other = solved(at, V, v0)[0], solved(twice, V, v0)[0]
    told = about("kernels doubled", {"J": one.value, "J, doubled": other.value})
    return Finding(abs(other.value / one.value - 2), one.width + other.width, **told)


# fmt: off
CLAIMS = (
    Claim("gonen2008-extensions", "Section 3.2, (a)",
        "regression and one-class machines with K_η: another objective in place of (5), (7)",
        "primal and dual at a gating, as written, against both ends; several C, ε and ν",
        problems, quote="LMKL can also be applied to kernel-based algorithms other than binary "
        "classification SVM, such as regression and one-class SVMs",
        remark="The paper prints neither. The ε-insensitive loss, and ν with ρ, are our reading.",
        programs=IDS),
    Claim("gonen2008-extensions-gradient", "Section 3.2, (b)",
        "gradients of the objective value found: −½ΣΣΣβᵢβⱼη_kK_kη_k(…), β the coefficients",
        "at the β that solves the dual, against differences of J, which is proved to 30 digits",
        gradients, quote="We need to make two basic changes: (a) optimization problem and (b) "
        "gradient calculations from the objective value found",
        remark="The gating is in K_η alone: the printed sums, βᵢ in place of αᵢyᵢ.",
        programs=IDS),
)

REMARKS = (
    Remark("gonen2008-one-class-size", "Section 3.2",
        "J of one class is -½‖w‖²: the larger a kernel is, the lower. Gates go to the largest one; "
        "kernels have to be of one size, as the unit traces of section 4 make them.",
        "J of one class with kernels twice as large", larger, about="gonen2008-extensions"),
)
# fmt: on

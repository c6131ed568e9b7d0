"""What the papers' modules share: instances, optima solved once, programs against their ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import cvxpy as cp
import numpy as np
from scipy.linalg import eigvalsh

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.solvers import METHODS, solve, units
from cvxkernel.validation.instances import sample
from cvxkernel.validation.ledger.claim import Evidence, Finding, equal, rounding, worst

KINDS = ("gaussian", "random", "low rank")
PROMISE = 1e-6  # the relative width within which `solve` answers
TIGHT = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-9, "tol_feas": 1e-10}  # of Clarabel
BINDING = ("lmi", "quad", "cuts")  # the labels of constraints that hold with equality at an optimum


@cache
def problem(id: str, kind: str, seed: int) -> Any:
    """The built-in instance of a formulation: n = 13, so that no classes are equal; p = 3."""
    return formulation(id).make(sample(id, 13, 3, kind=kind, seed=seed))


@cache
def optimum(id: str, kind: str, seed: int) -> Enclosure:
    """The enclosure of its optimum; of minus the optimum for a semi-infinite program."""
    return optimum_of(id, problem(id, kind, seed))


def optimum_of(id: str, at: Any) -> Enclosure:
    """The same for any problem, solved every time; by the cone where Newton would not read it."""
    form = formulation(id)
    by_newton = form.id in METHODS["newton"].answers and form.kind != "SILP"
    found = solve(id, at, solver="conic" if by_newton else None).enclosure
    return -found if form.kind == "SILP" else found


def same(*ids: str) -> Callable[[int], Evidence]:
    """The programs have the same optimum, whatever the kernels; each is held against its ends."""

    def test(seed: int) -> Evidence:
        found: list[Finding] = []
        for kind in KINDS:
            first = optimum(ids[0], kind, seed)
            for id in ids:
                found += literal(id, kind, seed)
                found.append(equal(optimum(id, kind, seed), first, instance=f"{id}, {kind}"))
        return Evidence(worst(found))

    return test


def recovered(id: str, seed: int) -> Evidence:
    """The multipliers of `quad` as weights: as they come, and by the formulation's own formula.

    A solver's multipliers are as exact as it was asked to be: to the width `solve` promises.
    """
    form, printed, corrected = formulation(id), [], []
    for kind in KINDS:
        made = problem(id, kind, seed)
        at = units.of(form).scaled(made)
        program = form.program(at)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it may call itself inaccurate: the weights tell
            program.problem.solve(solver="CLARABEL")
        mu, theta = program.dual("quad"), at.weights_from_quad(program)
        numbers = {"Σμᵢ": mu.sum(), "μᵀr": mu @ at.r, "θᵀr": theta @ at.r}
        told: Mapping[str, Any] = {"instance": f"{id}, {kind}", "numbers": numbers}
        printed.append(Finding(abs(mu @ at.r - 1) / max(1.0, mu @ at.r), PROMISE, **told))
        corrected.append(Finding(abs(theta @ at.r - 1), PROMISE, **told))
        point = units.of(form).restored(made, at, {"theta": theta, "beta": program.value("beta")})
        corrected.append(Finding(form.enclose(made, point).width, PROMISE, **told))
    return Evidence(worst(printed), worst(corrected))


# -- A printed program against the ends of its enclosure ------------------------------------------


def as_written(id: str, at: Any, found: Enclosure, *cuts: Any, instance: str = "") -> Finding:
    """The program as it is written, solved by a cone as it stands, has the optimum enclosed.

    The enclosure comes from other code. A solver's value is as exact as it was asked to be: to the
    width that `solve` promises. Where it has no value the program has no optimum, and this fails.
    """
    program = formulation(id).program(at, *cuts)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it may call itself inaccurate: the value tells
            program.problem.solve(solver="CLARABEL", **TIGHT)
            if program.problem.value is None:  # for want of progress
                program.problem.solve(solver="CLARABEL")
    except cp.error.SolverError:
        return Finding(np.inf, PROMISE, instance=f"{id}, {instance}: no value")
    value = program.problem.value
    value = np.inf if value is None else float(value)
    numbers = {"as written": value, "lower": found.lower, "upper": found.upper}
    size = max(abs(found.lower), abs(found.upper), np.finfo(float).tiny)
    off = max(found.lower - value, value - found.upper, 0.0) / size
    return Finding(off, PROMISE, instance=f"{id}, {instance}: as written", numbers=numbers)


def literal(id: str, kind: str, seed: int) -> Iterator[Finding]:
    """The program as built has the value the enclosure says at the point the enclosure names.

    Its objective there is the enclosure's value, its constraints hold, and those that bind at an
    optimum bind. The enclosure was computed by other code: a slip in either is seen.
    """
    form, at = formulation(id), problem(id, kind, seed)
    found = optimum(id, kind, seed)
    found = -found if form.kind == "SILP" else found
    beta = [_as(found.variables["beta"], (at.n, -1))] if form.kind == "SILP" else None
    program = form.program(at) if beta is None else form.program(at, beta)
    for symbol, variable in program.variables.items():
        variable.value = _as(found.variables[symbol], variable.shape)
    objective = float(program.problem.objective.value)
    told: Mapping[str, Any] = {"instance": f"{id}, {kind}: objective"}
    width = found.width + rounding(at.n**2, 1.0)
    yield Finding(abs(objective - found.value) / abs(found.upper), width, **told)
    for label, family in program.constraints.items():
        told = {"instance": f"{id}, {kind}: {label}"}
        members = [family] if isinstance(family, cp.Constraint) else family
        least = min(_slack(c) for c in members)
        yield Finding(abs(least) if label in BINDING else max(0.0, -least), width, **told)


def _as(value: Any, shape: tuple[int, ...]) -> Any:
    return np.asarray(value, dtype=float).reshape(shape)


def _slack(constraint: cp.Constraint) -> float:
    """How far inside a constraint the point is, relative to what is compared; minus: outside."""
    if isinstance(constraint, cp.constraints.PSD):
        eigenvalues = eigvalsh(np.asarray(constraint.args[0].value))
        return float(eigenvalues[0] / eigenvalues[-1])
    sides = [np.atleast_1d(np.asarray(arg.value, dtype=float)) for arg in constraint.args]
    size = max(float(np.abs(side).max()) for side in sides) or 1.0
    if isinstance(constraint, cp.constraints.Equality):  # as αᵀy = 0: of the size of α
        size = max(size, *(float(np.abs(v.value).max()) for v in constraint.variables()))
        return -float(np.abs(sides[0] - sides[1]).max()) / size
    return float((sides[1] - sides[0]).min()) / size  # left ≤ right

"""Where no slip was made: a right method stopped early, numbers that were rounded, a lone value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.slips import Slip, measure
from cvxkernel.validation.slips.slip import AS_IT_IS
from cvxkernel.validation.slips.told import MERE

if TYPE_CHECKING:
    from cvxkernel.validation.check import Judgement

TOLERANCE, ROUNDED, STOPPED, VALUE = (
    "a solver's tolerance",
    "rounded numbers",
    "stopped early",
    "another value",
)
KINDS = {TOLERANCE, ROUNDED, STOPPED, VALUE}
SOLVERS = 1e-5  # what a solver leaves at most
LOOSEST = 1e-2  # the largest duality gap at which programs stop by default (SimpleMKL)
WIDEST = 5e-2  # and the largest gap of an answer whose objective is as near as that
DUAL = {"alpha", "beta", "u", "c", "machines"}
FEW, MANY = 3, 8  # digits of numbers that were written short


def inaccuracy(
    made: Judgement, form: Formulation, problem: Any, point: Mapping[str, Array]
) -> tuple[Slip, ...]:
    """What an answer that no slip explains is consistent with, if with anything."""
    violated = max((x.upper for x in made.violations.values()), default=0.0)
    far = max((side.relative.upper for side in made.sides.values()), default=0.0)
    claimed = made.claimed
    if claimed is not None and claimed.relative.lower > max(made.tol, 2 * far):
        value, optimum = claimed.objective.upper, made.optimum.upper
        if not point:
            close = claimed.relative.upper <= SOLVERS
            told = f"{TOLERANCE}: the value is off by {claimed.relative.upper:.1e}"
            return (Slip(TOLERANCE, told, claimed.relative.upper),) if close else ()
        if max(far, violated) <= made.tol and optimum:
            told = f"the variables are optimal; the value is {value / optimum:.6g} of the optimum"
            return (Slip(VALUE, told, far),)
        return ()
    digits = _digits(point)
    if far <= SOLVERS and digits is not None and made.tol < violated <= 10.0 ** (1 - digits):
        told = f"numbers written with {digits} digits: repaired, they are off by {far:.1e}"
        return (Slip(ROUNDED, told, far),)
    if not point or violated > made.tol:
        return ()
    gap = max(far, _gap(form, problem, point))
    if far <= SOLVERS:
        told = f"{TOLERANCE}: off by {far:.1e}, and nothing is violated"
        return (Slip(TOLERANCE, told, far),)
    if far > LOOSEST or gap > WIDEST or not _both_sides(point):
        return ()
    at = min(10.0 ** ceil(log10(gap)), WIDEST)
    told = f"consistent with stopping at a relative duality gap of {at:.0e}: it is {gap:.1e} here"
    if set(point) <= MERE:
        told += " (weights alone do not tell that from another problem's optimum)"
    return (Slip(STOPPED, told, gap),)


def _both_sides(point: Mapping[str, Array]) -> bool:
    """Whether the gap is the answer's: it has a dual point, or weights, which make one.

    A kernel that was learned is optimal for some problem whatever made it.
    """
    spectra = np.ndim(point.get("mu", 0)) > 1  # of kernels that were learned
    return bool(DUAL & set(point)) or (set(point) <= MERE and not spectra)


def _gap(form: Formulation, problem: Any, point: Mapping[str, Array]) -> float:
    """The duality gap at the answer alone; zero where it has none."""
    held: Any = measure(form, problem, point, None)
    gap = AS_IT_IS.at(replace(held, claims={}), 1.0)
    return gap if np.isfinite(gap) else 0.0


def _digits(point: Mapping[str, Array]) -> int | None:
    """The digits, or decimals, that all numbers of an answer are written with, where few."""
    numbers = np.concatenate([np.ravel(x) for x in point.values()]) if point else np.zeros(0)
    for digits in range(FEW, MANY + 1):
        short = np.array([float(f"{x:.{digits}g}") for x in numbers])
        if (short == numbers).all() or (np.round(numbers, digits) == numbers).all():
            return digits
    return None

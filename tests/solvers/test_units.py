"""What restoring is for: the point of the problem in units, taken back, is the problem's own.

An enclosure holds at any point, and most repair what they are given, so that none of them says
whether a point was restored rightly. Here the literal program is solved twice, in its units and as
it came, and the two points are compared; and where kernels are of very different sizes the width is
reached, and is not with weights that were not restored.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, Formulation, SolverError
from cvxkernel.solvers import units
from cvxkernel.solvers.conic import conic
from cvxkernel.solvers.units.ye2008 import Scaled
from cvxkernel.validation.instances import sample

DECLARED = [id for id, form in CATALOGUE.items() if not isinstance(units.of(form), units.AsItIs)]
# What a semi-infinite program is restricted to finitely many of.
CUTS = {"ye2008": "beta", "tang2009": "alpha"}
# These declare every symbol of their programs, the others what is read off a solution.
WHOLE = ("ye2008", "kim2006")
LAM = {"ye2008": 0.3, "kim2006": 3.0}
# Both points are a solver's: a gap of 1e-12 leaves up to 1e-4 in them, a wrong power 5 % or more.
POINT = 1e-3
TIGHT = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
# Kernels of very different sizes and a small λ, in units of theirs: ids that reach the width there.
WIDE = [id for id in DECLARED if CATALOGUE[id].paper in WHOLE and CATALOGUE[id].kind != "SILP"]


def problem_of(id: str) -> Any:
    """One whose unit is far from its own, and whose solution is unique."""
    form, data = CATALOGUE[id], dict(sample(id, 8, 3, kind="random"))
    for key in {"kernels", "S", "K"} & set(form.keys):
        sizes = np.array([4.0, 12.0, 5.0])[:, None, None] if key == "kernels" else 7.0
        data[key] = data[key] * sizes
    if "K" in form.keys:  # singular, it would leave c open
        data["K"] = data["K"] + np.eye(8)
    return form.make(data | ({"lam": LAM[form.paper]} if form.paper in LAM else {}))


def solved_point(form: Formulation, problem: Any, *cuts: Any) -> dict[str, Any]:
    """What is read off the literal program, solved for these numbers."""
    program = form.program(problem, *cuts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program.problem.solve(solver=cp.CLARABEL, **TIGHT)
    point = dict(form.recover(problem, program))
    if form.paper in WHOLE:
        point |= {symbol: program.value(symbol) for symbol in program.variables}
    return point


class Points(NamedTuple):
    """A problem, itself in units, and the points of both; `sigma` is the size of the units."""

    problem: Any
    unit: Any
    own: dict[str, Any]
    in_units: dict[str, Any]
    sigma: float

    def differ(self, scaling: units.Scaling) -> list[str]:
        """The symbols in which the point restored is not the problem's own."""
        restored = scaling.restored(self.problem, self.unit, self.in_units)
        return [
            symbol
            for symbol, value in self.own.items()
            if np.abs(restored[symbol] - value).max() > POINT * np.abs(value).max()
        ]


@cache
def points(id: str) -> Points:
    form, problem = CATALOGUE[id], problem_of(id)
    scaling = units.of(form)
    unit = scaling.scaled(problem)
    cuts, cuts_in_units = (), ()
    if form.kind == "SILP":
        symbol, rng = CUTS[form.paper], np.random.default_rng(0)
        shape = form.enclose(problem, {}).variables[symbol].shape
        shape = (problem.n, 1) if shape == (problem.n,) else shape
        some = [rng.random(shape) for _ in range(4)]
        cuts_in_units = (some,)
        cuts = ([scaling.restored(problem, unit, {symbol: cut})[symbol] for cut in some],)
    if isinstance(scaling, units.Units):
        sigma = scaling.size(problem)
    else:
        sigma = unit.scale if isinstance(unit, Scaled) else 2.0  # of no one size: any factor
    own, in_units = solved_point(form, problem, *cuts), solved_point(form, unit, *cuts_in_units)
    return Points(problem, unit, own, in_units, float(sigma))


class Slipped:
    """A declaration that restores one symbol by one power of σ too many."""

    def __init__(self, scaling: units.Scaling, symbol: str, sigma: float) -> None:
        self.right, self.symbol, self.sigma = scaling, symbol, sigma
        self.scaled = scaling.scaled

    def restored(self, problem: Any, unit: Any, point: Any) -> Any:
        right = self.right.restored(problem, unit, point)
        return {**right, self.symbol: right[self.symbol] * self.sigma}


@pytest.mark.parametrize("id", DECLARED)
def test_the_point_restored_is_the_problems_own(id):
    assert points(id).differ(units.of(CATALOGUE[id])) == []


@pytest.mark.parametrize("id", DECLARED)
def test_a_symbol_restored_by_one_power_too_many_is_seen(id):
    both = points(id)
    assert abs(both.sigma - 1) > 0.05, "a slip by this σ would not be seen"
    for symbol in both.own:
        slipped = Slipped(units.of(CATALOGUE[id]), symbol, both.sigma)
        assert both.differ(slipped) == [symbol]


def uneven(id: str) -> Any:
    data = dict(sample(id, 10, 3, kind="random"))
    data["kernels"] = data["kernels"] * np.array([1e-6, 1.0, 1e6])[:, None, None]
    # ye2008 weighs traces, kim2006 the kernels as they are.
    return CATALOGUE[id].make(data | {"lam": 1.0 if id == "kim2006" else 1e-6})


@pytest.mark.parametrize("id", WIDE)
def test_the_width_is_reached_where_kernels_are_of_very_different_sizes(id, tolerances):
    assert conic(id, uneven(id)).width <= tolerances.width


@pytest.mark.parametrize("id", [id for id in WIDE if id.startswith("ye2008")])
def test_it_is_not_reached_with_weights_left_in_units(id, monkeypatch, tolerances):
    scaling = units.of(CATALOGUE[id])

    class Left(Slipped):
        def restored(self, problem, unit, point):
            return {**self.right.restored(problem, unit, point), "theta": point["theta"]}

    monkeypatch.setattr(units, "of", lambda form: Left(scaling, "theta", 1.0))
    try:
        width = conic(id, uneven(id), solvers=["CLARABEL"]).width
    except SolverError as error:
        width = error.best.width
    assert width > tolerances.width

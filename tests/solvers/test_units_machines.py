"""The units of tang2009, lanckriet2004 and gonen2008: a solution of what is scaled, taken back.

It has to be the solution of the problem as it came. Both are found by methods that ask for no
units, and are unique on these instances: definite kernels, some α at the box and some not, and
every symbol with an entry that is not zero. An enclosure would hold at any point: it tells nothing.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.gonen2008 import Gated
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.formulations.tang2009 import prohibitive
from cvxkernel.solvers import units
from cvxkernel.solvers.alternation import Alternation
from cvxkernel.solvers.extension import coefficients
from cvxkernel.solvers.newton import Newton
from cvxkernel.solvers.svm import separate, svm
from cvxkernel.validation.instances import sample

PAPERS = ("tang2009", "lanckriet2004", "gonen2008")
CLOSE = 1e-6  # of the largest entry
SCALES = (-10, 10)  # the logarithms of what kernels are multiplied by, and C and λ divided by
GATING = sample("gonen2008-eq7", 10, 2, kind="random", seed=1)

# What an instance has in place of `sample`'s numbers. With a C this small σ is 1/C.
CASES = {
    **{id: (id, {}) for id, form in CATALOGUE.items() if form.paper in PAPERS},
    "lanckriet2004-sm1": ("lanckriet2004-sm1", {"C": 1.5}),
    "gonen2008-alg1-oneclass": (
        "gonen2008-alg1-oneclass",
        {"kernels": 4 * GATING["kernels"], "nu": 0.9},
    ),
    "tang2009-eq2, C small": ("tang2009-eq2", {"C": 0.1}),
    "tang2009-eq11, C small": ("tang2009-eq11", {"C": 0.3}),
    "gonen2008-eq7, C small": ("gonen2008-eq7", {"C": 2.0}),
    "lanckriet2004-sm2, C small": ("lanckriet2004-sm2", {"C": 0.1}),
    "tang2009-thm3.1, λ prohibitive": ("tang2009-thm3.1", {"lam": 1e9}),
}


@cache
def problem_of(case, e):
    """The instance with kernels times 2ᵉ, and with them what is measured by them."""
    id, changes = CASES[case]
    data = {**sample(id, 10, 2, kind="random", seed=1), **changes}
    data["kernels"] = data["kernels"] * 2.0**e
    if id.startswith("lanckriet2004"):
        data["kernels"] = data["kernels"] * np.array([1.0, 8.0])[:, None, None]  # traces differ
    for key in {"C", "lam"} & set(data):
        data[key] = data[key] / 2.0**e
    return CATALOGUE[id].make(data)


def solved(form, problem):
    """The variables of its solution, by a method that no declared unit has touched."""
    if form.paper == "gonen2008":
        at = problem.at(GATING["V"], GATING["v0"]) if form.fixed else problem
        symbol = next(iter(form.symbols)) if form.fixed else "alpha"
        made = svm(at.K_eta, at.y, at.C) if isinstance(at, Gated) else coefficients(at)
        point = {symbol: made, "V": at.V, "v0": at.v0}
    elif form.id == "tang2009-eq2":
        point = {"alpha": separate(problem)}
    else:
        method = Newton if form.paper == "lanckriet2004" else Alternation
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(units, "of", lambda form: units.AsItIs())
            point = method(tol=1e-10).solve(form.id, problem).variables
    return form.enclose(problem, point).variables


@cache
def as_it_came(case, e):
    """The variables of the problem's own solution."""
    return solved(CATALOGUE[CASES[case][0]], problem_of(case, e))


@cache
def scaled(case, e):
    """The problem in its units, and the variables of its solution."""
    form = CATALOGUE[CASES[case][0]]
    unit = units.of(form).scaled(problem_of(case, e))
    return unit, solved(form, unit)


def differing(case, e, point):
    """The symbols at which a point is not the solution."""
    right = as_it_came(case, e)
    assert set(point) == set(right)
    return {
        symbol
        for symbol, value in right.items()
        if not np.abs(point[symbol] - value).max() <= CLOSE * np.abs(value).max()
    }


def size(problem, unit):
    """By what the first kernel was divided."""
    return float(np.trace(problem.kernels[0]) / np.trace(unit.kernels[0]))


@pytest.mark.parametrize("e", SCALES)
@pytest.mark.parametrize("case", CASES)
def test_a_solution_in_units_is_taken_back_to_the_solution(case, e):
    form, problem = CATALOGUE[CASES[case][0]], problem_of(case, e)
    unit, variables = scaled(case, e)
    assert not 0.01 < size(problem, unit) < 100  # else a wrong power might not be seen
    assert not differing(case, e, units.of(form).restored(problem, unit, variables))


@pytest.mark.parametrize("e", SCALES)
@pytest.mark.parametrize("case", [case for case in CASES if "," not in case])
def test_a_symbol_with_one_more_power_of_the_size_is_seen(case, e):
    form, problem = CATALOGUE[CASES[case][0]], problem_of(case, e)
    unit, variables = scaled(case, e)
    restored = units.of(form).restored(problem, unit, variables)
    for symbol in form.symbols:
        wrong = {**restored, symbol: restored[symbol] * size(problem, unit)}
        assert differing(case, e, wrong) == {symbol}


@pytest.mark.parametrize("case", [case for case in CASES if "," not in case])
def test_a_field_with_one_more_power_of_the_size_is_seen(case):
    form, problem = CATALOGUE[CASES[case][0]], problem_of(case, 3)
    unit = units.of(form).scaled(problem)
    seen = {"y", "Y"}  # labels, which nothing divides
    if form.id == "lanckriet2004-sm2c":
        seen.add("kernels")  # any factors will do there
    for field in fields(problem):
        if field.name not in seen:
            changed = getattr(unit, field.name) / size(problem, unit)
            wrong = with_numbers(unit, **{field.name: changed})
            back = units.of(form).restored(problem, wrong, solved(form, wrong))
            assert differing(case, 3, back), field.name


@pytest.mark.parametrize("case", CASES)
def test_in_units_every_scale_is_the_same_and_has_the_size_one(case):
    form = CATALOGUE[CASES[case][0]]
    small, large = (scaled(case, e)[0] for e in SCALES)
    again = units.of(form).scaled(large)
    for field in fields(large):
        one, other, twice = (getattr(unit, field.name) for unit in (small, large, again))
        np.testing.assert_allclose(one, other, rtol=1e-12)
        np.testing.assert_allclose(other, twice, rtol=1e-12)


def test_a_small_box_is_brought_to_one_and_a_prohibitive_price_is_cut():
    for case in CASES:
        unit, variables = scaled(case, 10)
        if "C small" in case:
            np.testing.assert_allclose(unit.C, 1)
        if "prohibitive" in case:
            np.testing.assert_allclose(unit.lam, prohibitive(unit))
            assert not variables["gamma"].any()

"""The units of kundu2010: what is restored is the answer of the problem itself, by every power."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers import units
from cvxkernel.solvers.units.kundu2010 import UNITS
from cvxkernel.validation.instances import sample

# At 1e-12 the solver stops where it can do no more, which the enclosure measures.
pytestmark = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")

# C is such that some α are at the bound and some are not: both sides of the box are told.
C = {
    ("kundu2010-eq4", "L1"): 0.28,
    ("kundu2010-eq4", "L2"): 0.17,
    ("kundu2010-eq4", "L3"): 0.30,
    ("kundu2010-eq6", "L1"): 0.12,
    ("kundu2010-eq6", "L2"): 0.065,
    ("kundu2010-eq6", "L3"): 0.12,
    ("kundu2010-eq7", "L2"): 0.18,
    ("kundu2010-eq10", "none"): 3.0,
}
CASES = list(C)
SCALES = (2.0**-8, 2.0**8)
WIDTH = 1e-6  # relative, of the enclosure that is restored, and from the one without units
NEAR = 1e-3  # of a symbol, relative to its largest entry: a wrong power is off by 2⁵ at least


@cache
def problem_of(id, loss, scale):
    """An instance whose kernels are of this size, its other parameters in proportion."""
    data = {**sample(id, 6, 2, kind="random"), "loss": loss, "C": C[id, loss] / scale}
    if id == "kundu2010-eq10":
        return CATALOGUE[id].make({**data, "kernels": data["kernels"] * scale})
    data |= {"S": data["S"] * scale, "tau": data["tau"] * scale}
    data["rho"] /= scale ** (3 if loss == "L3" else 2)
    problem = CATALOGUE[id].make(data)
    return replace(problem, U=problem.V) if id == "kundu2010-eq7" else problem


def solved(form, problem):
    """The literal program by a conic solver, in the problem's own numbers.

    Without units the optimum is far from 1, and tolerances are absolute: the objective is weighed.
    """
    program = form.program(problem)
    program.problem.solve(solver="CLARABEL")
    program.weigh(1 / abs(program.problem.value))
    tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12)
    program.problem.solve(solver="CLARABEL", **tight)
    return form.enclose(problem, form.recover(problem, program))


@cache
def without_units(id, loss, scale):
    return solved(CATALOGUE[id], problem_of(id, loss, scale))


def complaints(scaling, id, loss, scale):
    """What of the answer in units, taken back, is not the answer without units."""
    form, problem = CATALOGUE[id], problem_of(id, loss, scale)
    unit = scaling.scaled(problem)
    point = scaling.restored(problem, unit, solved(form, unit).variables)
    expected, enclosure = without_units(id, loss, scale), form.enclose(problem, point)
    if enclosure.width > WIDTH:
        yield f"width {enclosure.width:.1e}"
    if enclosure.lower < expected.lower - WIDTH * abs(expected.lower):
        yield f"lower {enclosure.lower!r}, not {expected.lower!r}"
    if enclosure.upper > expected.upper + WIDTH * abs(expected.upper):
        yield f"upper {enclosure.upper!r}, not {expected.upper!r}"
    for symbol, value in point.items():
        other = expected.variables[symbol]
        far = np.abs(value - other).max() / np.abs(other).max()
        if far > NEAR:
            yield f"{symbol} off by {far:.1e}"


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("id", "loss"), CASES)
def test_what_is_restored_is_the_answer_without_units(id, loss, scale):
    scaling = units.of(CATALOGUE[id])
    assert scaling is UNITS[CATALOGUE[id].problem]
    alpha = without_units(id, loss, scale).variables["alpha"] * scale / C[id, loss]
    assert alpha.max() > 0.999
    assert alpha.min() < 0.95
    assert not list(complaints(scaling, id, loss, scale))


# In (5) every kernel has a factor of its own: `test_budget` holds its units at both ends.
POWERS = [id for id in CATALOGUE if id.startswith("kundu2010-") and id != "kundu2010-eq5"]


@pytest.mark.parametrize("id", POWERS)
def test_every_power_is_of_a_field_or_a_symbol(id):
    form = CATALOGUE[id]
    known = {*form.keys, *form.symbols}
    assert units.of(form).powers.keys() <= known


def wrong(id, name):
    """The same units with one more factor for one field or symbol."""
    scaling = copy(units.of(CATALOGUE[id]))
    scaling.powers = {**scaling.powers, name: scaling.powers.get(name, 0) + 1}
    return scaling


WRONG = [
    (id, loss, name)
    for id, loss in CASES
    for name in dict.fromkeys((*units.of(CATALOGUE[id]).powers, *CATALOGUE[id].symbols))
]


@pytest.mark.parametrize(("id", "loss", "name"), WRONG)
def test_a_wrong_power_is_seen(id, loss, name):
    for scale in SCALES:
        assert list(complaints(wrong(id, name), id, loss, scale)), scale

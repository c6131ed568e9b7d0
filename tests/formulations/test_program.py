"""Every program: labelled constraints, variables named by symbol, DCP, all constraints explicit."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, Program
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import UnknownFormulationError

STACKED = ("ye2008", "kim2006", "lanckriet2004")  # a stack of kernels, y, λ, C
LMI = {"lmi", "nonneg", "budget"}
CUTS = {"nonneg", "budget", "cuts"}

# id: (labels of the constraints, symbols of the variables, "minimize" or "maximize")
PRINTED = {
    "ye2008-thm2.1": (LMI, {"t", "theta"}, "minimize"),
    "ye2008-thm2.2": ({"quad"}, {"beta", "t"}, "maximize"),
    "ye2008-thm2.3": (CUTS, {"theta", "gamma"}, "maximize"),
    "ye2008-eq29": (LMI, {"t", "theta"}, "minimize"),
    "ye2008-eq29-single": (LMI, {"T", "theta"}, "minimize"),
    "ye2008-thm3.1": (LMI, {"t", "theta"}, "minimize"),
    "ye2008-thm3.2": ({"quad"}, {"beta", "t"}, "maximize"),
    "ye2008-thm3.3": (CUTS, {"theta", "gamma"}, "maximize"),
    "ye2008-eq41": (LMI, {"t", "theta"}, "minimize"),
    "ye2008-eq43": ({"quad"}, {"beta", "t"}, "maximize"),
    "ye2008-eq44": (CUTS, {"theta", "gamma"}, "maximize"),
    "ye2008-eq45": (LMI, {"t", "theta"}, "minimize"),
    "ye2008-eq45-single": (LMI, {"T", "theta"}, "minimize"),
    "ye2008-eq46": ({"quad"}, {"beta", "t"}, "maximize"),
    "ye2008-eq47": (CUTS, {"theta", "gamma"}, "maximize"),
    "kim2006": (LMI, {"theta", "t"}, "maximize"),
    "kim2006-epigraph": ({"quad"}, {"u", "t"}, "minimize"),
    "lanckriet2004-sm1": ({"quad", "balance", "nonneg", "box"}, {"alpha", "t"}, "maximize"),
    "lanckriet2004-sm2": ({"quad", "balance", "nonneg"}, {"alpha", "t"}, "maximize"),
    "lanckriet2004-sm2c": ({"quad", "balance", "nonneg"}, {"alpha", "t"}, "maximize"),
}


def build(id, problem):
    form = CATALOGUE[id]
    if form.kind != "SILP":
        return form.program(problem)
    h = problem.a if form.binary else problem.H
    return form.program(problem, [h, 2 * h, np.zeros_like(h)])


def test_the_catalogue_holds_the_twenty_ids():
    assert {id for id, form in CATALOGUE.items() if form.paper in STACKED} == set(PRINTED)


@pytest.mark.parametrize("id", PRINTED)
def test_constraints_are_labelled_and_variables_named(id, solved):
    labels, symbols, sense = PRINTED[id]
    program = build(id, solved(id)[0])
    assert set(program.constraints) == labels
    assert set(program.variables) == symbols
    assert CATALOGUE[id].sense == sense
    expected = cp.Minimize if sense == "minimize" else cp.Maximize
    assert type(program.problem.objective) is expected
    assert program.problem.is_dcp()


@pytest.mark.parametrize("id", PRINTED)
def test_no_constraint_hides_in_an_attribute(id, solved):
    # A symmetric T carries no multiplier; any other attribute would swallow one.
    for variable in build(id, solved(id)[0]).variables.values():
        given = {name for name, value in variable.attributes.items() if value}
        assert given <= {"symmetric"}, variable.name()


@pytest.mark.parametrize("id", PRINTED)
def test_a_program_is_fresh_every_time(id, solved):
    problem = solved(id)[0]
    one, two = build(id, problem), build(id, problem)
    ids = {v.id for v in one.variables.values()} & {v.id for v in two.variables.values()}
    assert not ids


@pytest.mark.parametrize("id", PRINTED)
def test_the_catalogue_says_where_and_what(id):
    form = CATALOGUE[id]
    assert form.id == id
    assert id.startswith(form.paper)
    assert form.where
    assert form.statement.startswith(form.sense[:3])


def test_families_are_as_long_as_the_paper_says(solved):
    problem = solved("ye2008-eq29")[0]
    assert len(problem.eq29().constraints["lmi"]) == problem.k
    assert len(problem.thm3_2().constraints["quad"]) == problem.p
    joint = solved("ye2008-eq46")[0]
    assert len(joint.eq46().constraints["quad"]) == joint.p + 1


def test_one_objective_and_only_one():
    x = cp.Variable(name="x")
    with pytest.raises(TypeError, match="minimizes or maximizes"):
        Program(positive=x >= 0)
    with pytest.raises(TypeError, match="minimizes or maximizes"):
        Program(minimize=x, maximize=x, positive=x >= 0)


def test_values_and_multipliers_of_a_small_program():
    x, y = cp.Variable(2, name="x"), cp.Variable(name="y")
    program = Program(minimize=cp.sum(x) + y, low=x >= 1, family=[y >= 2, y >= 1])
    with pytest.raises(ValueError, match="not been solved"):
        program.value("x")
    with pytest.raises(ValueError, match="not been solved"):
        program.dual("low")
    program.problem.solve(solver=cp.CLARABEL)
    assert program.value("x") == pytest.approx([1, 1])
    assert program.dual("low") == pytest.approx([1, 1])
    assert program.dual("family").shape == (2,)
    assert program.dual("family") == pytest.approx([1, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("ye2008-thm21", "ye2008-thm2.1"),
        ("lanckriet2004-sm3", "lanckriet2004-sm2"),
        ("kim2007", "kim2006"),
        ("eq29-single", "ye2008-eq29-single"),
    ],
)
def test_an_unknown_id_is_told_the_nearest(asked, near):
    with pytest.raises(UnknownFormulationError, match=near) as caught:
        formulation(asked)
    assert caught.value.key == "ID"


def test_an_id_near_to_nothing_is_told_where_to_look():
    with pytest.raises(UnknownFormulationError, match="cvxkernel list"):
        formulation("????")

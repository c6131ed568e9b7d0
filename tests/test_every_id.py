"""What holds for every formulation of the catalogue, whatever its paper and its data."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations import errors as e
from cvxkernel.solvers import METHODS, promise, units
from cvxkernel.validation.instances import sample

KINDS = ("gaussian", "random", "low rank")
STACKED = ("ye2008", "kim2006", "lanckriet2004")  # formulations/test_bounds has the same of these
OTHERS = [id for id, form in CATALOGUE.items() if form.paper not in STACKED]


@pytest.mark.parametrize("id", CATALOGUE)
def test_the_catalogue_says_where_and_what(id):
    form = CATALOGUE[id]
    assert form.id == id
    assert form.where
    assert form.statement.startswith(form.sense[:3])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", CATALOGUE)
def test_a_sample_makes_a_problem(id, kind):
    form = CATALOGUE[id]
    data = sample(id, 9, 2, kind=kind)
    assert form.make(data).n == 9
    again = sample(id, 9, 2, kind=kind)
    for key in form.keys:
        assert np.array_equal(data[key], again[key])
        with pytest.raises(e.MissingKeyError) as caught:
            form.make({k: v for k, v in data.items() if k != key})
        assert caught.value.key == key


@pytest.mark.parametrize("id", [id for id in OTHERS if CATALOGUE[id].kind != "SILP"])
def test_a_program_is_fresh_labelled_and_convex(id):
    form = CATALOGUE[id]
    problem = form.make(sample(id, 9, 2, kind="random"))
    one, two = form.program(problem), form.program(problem)
    assert one.problem.is_dcp()
    assert one.constraints
    assert not {v.id for v in one.variables.values()} & {v.id for v in two.variables.values()}
    for variable in one.variables.values():
        # Any attribute but symmetry would swallow a multiplier.
        given = {name for name, value in variable.attributes.items() if value}
        assert given <= {"symmetric"}, variable.name()


def fixed(form, solution):
    """What says which convex program is enclosed, where the whole one is not convex."""
    return {symbol: solution.variables[symbol] for symbol in form.fixed}


def corruptions(point, rng, kept):
    """Points a caller might hand in: from nearly optimal to garbage."""

    def every(change):
        changed = {k: np.asarray(change(np.asarray(v, dtype=float))) for k, v in point.items()}
        return {**changed, **kept}

    yield "perturbed", every(lambda v: v * (1 + 1e-3 * rng.normal(size=v.shape)))
    yield "zero", every(np.zeros_like)
    yield "negated", every(np.negative)
    yield "rounded", every(lambda v: np.float64(np.float16(np.clip(v, -6e4, 6e4))))
    yield "garbage", every(lambda v: rng.normal(size=v.shape))
    yield "large", every(lambda v: 1e30 * rng.normal(size=v.shape))
    for missing in point.keys() - kept.keys():
        yield f"without {missing}", {k: v for k, v in point.items() if k != missing}
    yield "nothing", kept


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", OTHERS)
def test_a_corrupted_solution_never_excludes_the_optimum(id, kind, solved):
    problem, solution = solved(id, kind)
    form, rng = CATALOGUE[id], np.random.default_rng(0)
    for what, point in corruptions(solution.variables, rng, fixed(form, solution)):
        enclosure = form.enclose(problem, point)
        assert enclosure.lower <= enclosure.value <= enclosure.upper, what
        assert enclosure.meets(solution.enclosure), what


@pytest.mark.parametrize("id", OTHERS)
def test_the_enclosure_at_the_solution_is_the_solution(id, solved):
    problem, solution = solved(id)
    again = CATALOGUE[id].enclose(problem, solution.variables)
    assert again.width <= 2 * max(solution.width, 1e-9)
    assert again.meets(solution.enclosure)


@pytest.mark.parametrize("id", OTHERS)
def test_points_of_the_wrong_shape_or_not_finite_are_refused(id, solved):
    problem, solution = solved(id)
    enclose = CATALOGUE[id].enclose
    fixed = {symbol: solution.variables[symbol] for symbol in CATALOGUE[id].fixed}
    nothing, refused = enclose(problem, fixed), 0
    for symbol, value in solution.variables.items():
        alone = enclose(problem, {**fixed, symbol: value})
        if (alone.lower, alone.upper) == (nothing.lower, nothing.upper):
            continue  # a symbol that the enclosure computes itself is not read
        refused += 1
        with pytest.raises(e.ShapeError, match=f"^{symbol}: "):
            enclose(problem, {**fixed, symbol: np.ones((17, 2, 3))})
        with pytest.raises(e.NotFiniteError, match=f"^{symbol}: "):
            enclose(problem, {**fixed, symbol: np.full(np.shape(value), np.nan)})
    # Where the enclosure is wide anyway no symbol need matter; (8) finds its multiplier by itself.
    assert refused or promise(id) is None or id.startswith("chen2009-eq8")


@pytest.mark.parametrize("id", OTHERS)
def test_the_unit_of_every_formulation_undoes_itself(id, solved):
    form = CATALOGUE[id]
    problem, solution = solved(id)
    unit = units.of(form).scaled(problem)
    scaled = form.enclose(unit, fixed(form, solution))
    back = form.enclose(problem, units.of(form).restored(problem, unit, scaled.variables))
    assert back.meets(solution.enclosure)


def test_every_route_answers_ids_of_the_catalogue():
    for route in METHODS.values():
        assert route.first <= route.answers <= set(CATALOGUE)

"""Support vector machines in balls: gonen2008 and chen2009 (1), (3)."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, fmpq

from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES, balls
from cvxkernel.formulations.gonen2008.bounds import gates
from cvxkernel.solvers import solve
from cvxkernel.validation import enclose, rigorous
from cvxkernel.validation.check import check
from cvxkernel.validation.instances import sample

SIX = np.array([1.0, -1.0] * 3)


def gated(X, V, v0):
    """A problem with this gating."""
    kernels, y = np.stack([np.eye(len(X))] * len(V)), np.array([1.0, -1.0] * (len(X) // 2))
    data = {"kernels": kernels, "y": y, "X": X, "C": 1.0, "V": V, "v0": v0}
    return CATALOGUE["gonen2008-eq7"].make(data)


def exact_gates(X, V, v0):
    """The printed quotient of exponentials, each of an exact rational, with many bits."""
    with balls.precision(2000):
        z = [[sum(fmpq(*float(a).as_integer_ratio()) * fmpq(*float(b).as_integer_ratio())
                  for a, b in zip([*x, 1.0], [*v, w], strict=True))
              for v, w in zip(V, v0, strict=True)] for x in X]  # fmt: skip
        powers = [[arb(q).exp() for q in row] for row in z]
        return [[e / sum(row, arb(0)) for e in row] for row in powers]


@pytest.mark.parametrize("size", [0.0, 1e-8, 1.0, 300.0, 1e5])
def test_the_gates_hold_the_printed_quotient(size):
    rng = np.random.default_rng(3)
    X, V, v0 = rng.normal(size=(4, 2)), size * rng.normal(size=(3, 2)), size * rng.normal(size=3)
    problem = gated(X, V, v0)
    with balls.precision():
        eta = gates(BALLS, problem).x
        near = gates(DOUBLES, problem)
    for i, row in enumerate(exact_gates(X, V, v0)):
        for m, e in enumerate(row):
            assert eta[m, i].overlaps(e)
            assert float(eta[m, i].rad()) <= 1e-30 * max(size, 1.0)
            assert near.lower[m, i] <= e <= near.upper[m, i]
            assert near.radius[m, i] <= 1e-14 * max(size, 1.0)


@pytest.mark.parametrize("size", [1e30, 1e90])
def test_gates_that_the_bits_cannot_tell_are_anything_between_zero_and_one(size):
    data = sample("gonen2008-eq7", 8, 2)
    data["V"] = size * data["V"]
    problem = CATALOGUE["gonen2008-eq7"].make(data)
    found = enclose("gonen2008-eq7", problem, alpha=np.ones(8))
    assert 0 <= found.lower <= found.upper
    assert found.meets(solve("gonen2008-eq7", problem, tol=1e6).enclosure)
    # At zero v0 decides, and nothing is lost to V.
    with balls.precision():
        eta = gates(BALLS, gated(np.zeros((4, 2)), data["V"], np.zeros(2)))
    assert (eta.mid == 0.5).all()


@pytest.mark.parametrize("id", ["gonen2008-eq7", "gonen2008-alg1"])
def test_equal_gates_of_the_identity_have_a_rational_optimum(id):
    # K_η = (¼ + ¼)I and C = 1: max of 6α - ½·6·½α² at α = 1, which is 9/2.
    data = {"kernels": np.stack([np.eye(6)] * 2), "X": np.zeros((6, 1)), "y": SIX, "C": 1.0}
    data |= {"V": np.zeros((2, 1)), "v0": np.zeros(2)}
    found = rigorous.proof(id, CATALOGUE[id].make(data), {})
    assert found.lower <= 4.5 <= found.upper
    assert found.width <= 1e-30


def test_the_primal_of_chen_has_the_optimum_that_its_parameter_says():
    # K = I, η = 0.1: C = 1/(2ηn) = 5/6 binds, and 2η(6C - 3C²) = 7/12 for η = 1/10. The double 0.1
    # is above 1/10 by 5.6e-18, which 20 digits tell: C is not a double either.
    problem = CATALOGUE["chen2009-eq3"].make({"K": np.eye(6), "y": SIX, "eta": 0.1})
    with balls.precision(256):
        found = rigorous.proof("chen2009-eq3", problem, {}, bits=256)
        eta = arb(0.1)
        C = 1 / (12 * eta)
        value = 2 * eta * (6 * C - 3 * C * C)
        assert found.lower <= value.upper()
        assert value.lower() <= found.upper
        assert found.width <= 1e-60
        assert not arb(fmpq(7, 12)) <= found.upper or not found.lower <= arb(fmpq(7, 12))


def test_a_kernel_that_is_not_semidefinite_stands_for_the_nearest_that_is():
    K = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, -1e-17])
    dual = CATALOGUE["chen2009-eq1"].make({"K": K, "y": SIX, "C": 0.5})
    primal = CATALOGUE["chen2009-eq3"].make({"K": K, "y": SIX, "eta": 1 / 6})
    first = rigorous.proof("chen2009-eq1", dual, {})
    third = rigorous.proof("chen2009-eq3", primal, {})
    # At α = C: 6C - ½·5C², exactly; it is the best, every slope being positive there.
    with balls.precision():
        eta = arb(1 / 6)
        for found, C, factor in ((first, arb(1) / 2, 1), (third, 1 / (12 * eta), 2 * eta)):
            best = factor * (6 * C - 5 * C * C / 2)
            assert found.lower <= best.upper()
            assert best.lower() <= found.upper
            assert found.width <= 1e-30


@pytest.mark.parametrize("scale", [1e-50, 1e50])
@pytest.mark.parametrize("id", ["chen2009-eq1", "chen2009-eq3", "gonen2008-eq7"])
def test_units_do_not_matter_and_no_point_is_needed(id, scale):
    data = sample(id, 10, 2, kind="random")
    scaled = {k: scale * data[k] for k in ("kernels", "K", "eta") if k in data}
    scaled |= {"C": data["C"] / scale}
    for changes in ({}, scaled):
        found = rigorous.proof(id, CATALOGUE[id].make({**data, **changes}), {})
        assert found.width <= 1e-11


@pytest.mark.parametrize("id", ["chen2009-eq1", "chen2009-eq3", "gonen2008-eq7"])
@pytest.mark.parametrize("kind", ["gaussian", "low rank"])
def test_the_machines_solver_answers_them_and_the_proofs_agree(id, kind, solved):
    problem, conic = solved(id, kind)
    found = rigorous.solve(id, problem, solver="svm", tol=1e-10)
    assert found.solver == "svm"
    assert found.enclosure.meets(conic.enclosure)
    assert found.enclosure.meets(solve(id, problem, solver="svm", tol=1e-8).enclosure)


def test_an_answer_at_a_gating_is_judged_there():
    problem = CATALOGUE["gonen2008-alg1"].make(sample("gonen2008-alg1", 8, 2))
    solution = rigorous.solve("gonen2008-alg1", problem)
    assert solution.status == "optimal at the gating"
    told = check("gonen2008-alg1", problem, value=solution.value, **solution.variables)
    assert told.within(1e-6)
    # Another gating has another J, of which a good α is as near; but it is not stationary.
    V = np.zeros_like(solution.variables["V"])
    v0 = np.zeros_like(solution.variables["v0"])
    alpha = solve("gonen2008-eq7", problem.at(V, v0)).variables["alpha"]
    other = check("gonen2008-alg1", problem, V=V, v0=v0, alpha=alpha)
    assert other.sides["lower"].relative.upper < 1e-6
    assert other.violations["stationarity"].lower > 1e-3
    assert other.verdict() == "not within"
    assert other.optimum.lower > told.optimum.upper
    half = check("gonen2008-alg1", problem, V=V, v0=v0, alpha=alpha / 2)
    assert half.sides["lower"].relative.lower > 1e-3
    with pytest.raises(InputError, match="judged at V, v0"):
        check("gonen2008-alg1", problem, alpha=alpha)


@pytest.mark.parametrize("kind", ["gaussian", "random", "low rank"])
@pytest.mark.parametrize("id", ["chen2009-eq1", "chen2009-eq3", "gonen2008-eq7"])
def test_a_solver_s_answer_is_within_and_a_moved_one_is_not(id, kind, solved):
    problem, solution = solved(id, kind)
    assert check(id, problem, value=solution.value, **solution.variables).within(1e-6)
    alpha = solution.variables["alpha"]
    moved = check(id, problem, alpha=1.01 * alpha, why=False)
    assert moved.verdict() == "not within"
    assert moved.violations["box"].lower > 0 or moved.sides["lower"].distance.lower > 0
    unbalanced = check(id, problem, alpha=alpha * np.where(problem.y > 0, 1, 0.9), why=False)
    assert unbalanced.violations["balance"].lower > 1e-3


def test_b_and_the_slacks_are_judged_beside_what_they_belong_to(solved):
    problem, solution = solved("chen2009-eq3")
    point = {k: solution.variables[k] for k in ("c", "b", "xi")}
    short = check("chen2009-eq3", problem, **{**point, "xi": point["xi"] - 0.1}, why=False)
    assert short.violations["margin"].lower > 0.01
    assert short.violations["slack"].lower > 0.01
    wrong = check("chen2009-eq3", problem, **{**point, "b": point["b"] + 0.3}, why=False)
    assert wrong.verdict() == "not within"
    without = check("chen2009-eq3", problem, c=point["c"], why=False)
    assert without.within(1e-6)
    problem, solution = solved("gonen2008-eq7")
    alpha, b = (solution.variables[k] for k in ("alpha", "b"))
    assert check("gonen2008-eq7", problem, alpha=alpha, b=b + 0.3).sides["upper"].distance.lower > 0
    with pytest.raises(InputError, match="b: "):
        check("gonen2008-eq7", problem, b=b)

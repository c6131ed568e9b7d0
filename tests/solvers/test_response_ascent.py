"""Newton's ascent where the best response is explicit: derivatives, ends, degenerate problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.solvers import ResponseAscent, conic, route, solve
from cvxkernel.solvers.response_ascent import Dual, parts
from cvxkernel.validation.kundu2010.samples import similarities

CASES = [("eq4", "L2"), ("eq4", "L3"), ("eq6", "L2"), ("eq6", "L3"), ("eq7", "L2")]
GIVEN = pytest.mark.parametrize(("equation", "loss"), CASES)


def problem_of(equation, loss, S, y, C=1.0, rho=0.3, tau=None):
    tau = float(len(y)) if tau is None else tau
    if equation == "eq7":
        return Spectra(S, y, C, rho, tau)
    return Similarities(S, y, C, rho, tau, loss)


def ascended(equation, problem, tol=1e-6):
    return ResponseAscent(tol=tol).solve(f"kundu2010-{equation}", problem)


# -- The dual --------------------------------------------------------------------------------------


def dual_at(equation, problem, alpha, gamma):
    blocks = parts(f"kundu2010-{equation}", problem)
    return Dual.of(blocks, problem.y, alpha, gamma[: len(blocks)], [B.farthest for B in blocks])


@GIVEN
def test_the_derivatives_are_those_of_the_value(equation, loss):
    S, y = similarities(7, 2, kind="random")
    problem = problem_of(equation, loss, S, y, rho=0.2 if loss == "L3" else 0.6)
    rng = np.random.default_rng(0)
    gamma = np.ones(1) if equation == "eq4" else np.array([0.4, 0.6])
    alpha, d = 0.5 + rng.random(7), rng.normal(size=7)
    e = np.zeros(1) if equation == "eq4" else np.array([0.3, -0.3])
    here, step = dual_at(equation, problem, alpha, gamma), 1e-4
    values = [dual_at(equation, problem, alpha + t * d, gamma + t * e).value for t in (-step, step)]
    rise = (values[1] - values[0]) / (2 * step)
    bend = (values[1] - 2 * here.value + values[0]) / step**2
    # The same from the responses: aᵀ(Ka)/γ and its kin, one matrix for each kernel.
    a, b = y * alpha, y * d
    first, second = float(d.sum()), 0.0
    for r, g, h in zip(here.responses, gamma, e, strict=True):
        # ψ(b) along a curve: b(t) = (a + td)/√(γ + te)
        speed = b / np.sqrt(g) - a * h / (2 * g**1.5)
        turn = -b * h / g**1.5 + 0.75 * a * h * h / g**2.5
        first -= float(r.K @ r.b @ speed)
        second -= float(speed @ r.hessian @ speed) + float(r.K @ r.b @ turn)
    assert rise == pytest.approx(first, rel=1e-5)
    assert bend == pytest.approx(second, rel=1e-3)


@GIVEN
def test_newton_goes_where_the_value_rises(equation, loss):
    """Its step ends where the model has no slope left, in the box or, at a border, some."""
    S, y = similarities(6, 2, kind="random")
    problem = problem_of(equation, loss, S, y, C=1e6, rho=2.0)
    gamma = np.ones(1) if equation == "eq4" else np.array([0.4, 0.6])
    alpha = np.full(6, 0.5)
    here = dual_at(equation, problem, alpha, gamma)
    d, e, slope = here.direction(problem.C)
    assert abs(y @ d) + abs(e.sum()) <= 1e-8
    step = 1e-4
    small = [dual_at(equation, problem, alpha + t * d, gamma + t * e).value for t in (-step, step)]
    assert (small[1] - small[0]) / (2 * step) == pytest.approx(slope, rel=1e-5)
    bend = (small[1] - 2 * here.value + small[0]) / step**2
    assert slope >= -bend * (1 - 1e-3) > 0
    if (alpha + d).min() > 1e-3:
        assert slope == pytest.approx(-bend, rel=1e-3)


# -- Answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gaussian", "random"])
@GIVEN
def test_it_meets_the_conic_solvers(equation, loss, kind, tolerances):
    S, y = similarities(6, 2, kind=kind, seed=1)
    problem = problem_of(equation, loss, S, y)
    found = ascended(equation, problem)
    assert found.width <= tolerances.width
    assert found.enclosure.meets(conic(found.formulation, problem).enclosure)


def test_a_kink_in_alpha_is_left_to_others(tolerances):
    """With L2 K may be near S or far from it, and at the best α it is between: it is not unique."""
    S, y = similarities(6, 2, kind="low rank", seed=1)
    found = solve("kundu2010-eq6", problem_of("eq6", "L2", S, y))
    assert found.width <= tolerances.width
    assert next(iter(found.attempts)) == "response_ascent"


@GIVEN
def test_equal_similarities_are_one_of_more_weight(equation, loss, tolerances):
    S, y = similarities(6, 1)
    problem = problem_of(equation, loss, np.repeat(S, 3, axis=0), y)
    one = replace(problem, S=S, rho=3 * problem.rho)
    found, alone = ascended(equation, problem), ascended(equation, one)
    assert max(found.width, alone.width) <= tolerances.width
    if equation == "eq4":
        assert found.enclosure.meets(alone.enclosure)
    else:  # Ω of three kernels is less than ω of their mean, each loss is as before
        assert not found.lower > alone.upper


@GIVEN
def test_a_kernel_of_the_right_trace_is_kept_where_rho_is_large(equation, loss, tolerances):
    """S ⪰ 0 is singular with trace τ: the optimum is ω(S), and with L2 at a kink."""
    rng = np.random.default_rng(2)
    B = rng.normal(size=(8, 3))
    S = (B @ B.T)[None]
    y = np.where(np.arange(8) % 2, 1.0, -1.0)
    problem = problem_of(equation, loss, S, y, C=0.1, rho=1e3, tau=float(np.trace(S[0])))
    found = ascended(equation, problem)
    machine = solve("chen2009-eq1", CATALOGUE["chen2009-eq1"].make({"K": S[0], "y": y, "C": 0.1}))
    assert found.width <= tolerances.width
    assert found.value == pytest.approx(machine.value, rel=1e-3)
    assert found.lower <= machine.upper


@pytest.mark.parametrize("tau", [1e-2, 1e3])
@pytest.mark.parametrize("rho", [1e-6, 1e4])
@pytest.mark.parametrize(("equation", "loss"), CASES[:-1])
def test_small_and_large_parameters(equation, loss, rho, tau, tolerances):
    S, y = similarities(6, 2, kind="random")
    found = ascended(equation, problem_of(equation, loss, S, y, rho=rho, tau=tau))
    assert found.width <= tolerances.width


@GIVEN
def test_no_similarity_and_two_samples(equation, loss, tolerances):
    problem = problem_of(equation, loss, np.zeros((1, 2, 2)), np.array([1.0, -1.0]), tau=1.0)
    assert ascended(equation, problem).width <= tolerances.width


@GIVEN
def test_it_starts_from_its_own_answer(equation, loss, tolerances):
    S, y = similarities(8, 2)
    problem = problem_of(equation, loss, S, y)
    found = ascended(equation, problem)
    again = ResponseAscent().solve(found.formulation, problem, start=found.variables)
    assert again.iterations == 1 < found.iterations
    assert again.width <= tolerances.width


# -- Which problems it takes -----------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "rho"), [("L1", 1.0), ("L2", 0.0), (["L2", "L3"], 1.0)])
def test_other_losses_go_another_way(loss, rho):
    S, y = similarities(6, 2)
    problem = Similarities(S, y, 1.0, rho, 6.0, loss)
    with pytest.raises(InputError, match=r"^solver: "):
        solve("kundu2010-eq4", problem, solver="response_ascent")
    for id in ("kundu2010-eq4", "kundu2010-alg1"):
        assert route.route(CATALOGUE[id])[0] == "response_ascent"
        assert "response_ascent" not in route.route(CATALOGUE[id], problem)
        found = solve(id, problem)
        assert found.attempts is None or "response_ascent" not in found.attempts

"""chen2009: which programs have the same value, judged by enclosures; every id at n = 30."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.chen2009 import (
    REGULARIZERS,
    KernelMachine,
    RobustMachine,
    SpectrumMachine,
    spectrum,
)
from cvxkernel.solvers import conic, solve
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.instances import sample

IDS = [id for id, form in CATALOGUE.items() if form.paper in ("chen2009", "luss2007")]
INSTANCES = [("random", 0), ("random", 1), ("low rank", 0), ("gaussian", 0)]


@pytest.mark.parametrize(("kind", "seed"), INSTANCES)
@pytest.mark.parametrize("id", IDS)
def test_every_id_answers_at_n_30(id, kind, seed, tolerances):
    data = sample(id, 30, 1, kind=kind, seed=seed)
    rank = np.linalg.matrix_rank(data["S"], hermitian=True)
    assert rank == 15 if kind == "low rank" else rank > 15
    assert np.linalg.eigvalsh(data["S"])[0] < -0.01
    problem = CATALOGUE[id].make(data)
    assert solve(id, problem).width <= tolerances.width


@pytest.mark.parametrize("kind", ["random", "low rank", "gaussian"])
@pytest.mark.parametrize("eta", [1e-3, 0.05, 1.0])
def test_the_primal_is_2_eta_times_the_dual(kind, eta, optimum, meet):
    data = {**sample("chen2009-eq3", 20, 1, kind=kind), "eta": eta}
    data["C"] = 1 / (2 * eta * 20)
    assert meet(optimum("chen2009-eq3", data), optimum("chen2009-eq1", data), factor=2 * eta)
    if eta == 1.0:  # every α is at its bound, and at another C the two differ
        data["C"] *= 3
        assert not meet(optimum("chen2009-eq3", data), optimum("chen2009-eq1", data), factor=2.0)


@pytest.mark.parametrize(("kind", "seed"), INSTANCES)
def test_eq7_and_its_dual_by_both_routes(kind, seed):
    data = sample("chen2009-eq7", 24, 1, kind=kind, seed=seed)
    problem = CATALOGUE["chen2009-eq7"].make(data)
    found = [
        route(id, problem).enclosure
        for route in (solve, conic)
        for id in ("chen2009-eq7", "chen2009-eq7-dual")
    ]
    assert max(e.lower for e in found) <= min(e.upper for e in found)


@pytest.mark.parametrize(("kind", "seed"), INSTANCES)
def test_luss2007_by_its_two_routes(kind, seed):
    """The convex program in K, and the concave maximization over α with K*(α)."""
    problem = CATALOGUE["luss2007"].make(sample("luss2007", 24, 1, kind=kind, seed=seed))
    ascent, program = solve("luss2007", problem), conic("luss2007", problem)
    assert ascent.solver == "dual_ascent"
    assert program.solver != "dual_ascent"
    assert ascent.enclosure.meets(program.enclosure)


@pytest.mark.parametrize(("kind", "seed"), INSTANCES)
def test_eq8_and_its_reduction(kind, seed, optimum):
    data = sample("chen2009-eq8", 20, 1, kind=kind, seed=seed)
    constant = np.sum((data["K"] - data["S"]) ** 2)
    eight, squared = optimum("chen2009-eq8", data), optimum("chen2009-eq8-qcqp", data)
    assert eight.lower**2 <= (constant + squared.upper) * (1 + 1e-12)
    assert eight.upper**2 >= (constant + squared.lower) * (1 - 1e-12)


@pytest.mark.parametrize("kind", ["random", "low rank", "gaussian"])
@pytest.mark.parametrize(("eta", "gamma"), [(0.05, 0.1), (0.01, 0.01), (0.001, 1.0)])
def test_a_spectrum_modification_is_never_below_eq7(kind, eta, gamma):
    S, y = similarity(20, kind=kind)
    free = solve("chen2009-eq7", KernelMachine(S, y, eta, gamma))
    restricted = solve("chen2009-eq12", SpectrumMachine(S, y, eta, gamma, "spectrum"))
    assert restricted.upper >= free.lower
    if gamma < 1:  # and the restriction costs something
        assert restricted.lower > free.upper


def test_eq2_and_eq7_differ_in_their_regularizer_only():
    """(7) = γτ/2 + 2η·(2) at C = 1/(2ηn) and ρ = γ/(4ητ), where τ = ‖K - S‖ at the optimum."""
    S, y = similarity(18, kind="random")
    kernel = KernelMachine(S, y, 0.02, 0.05)
    seven = solve("chen2009-eq7", kernel, tol=1e-8)
    tau = float(seven.variables["v"])
    robust = solve("luss2007", RobustMachine(S, y, kernel.C, 0.05 / (4 * 0.02 * tau)), tol=1e-8)
    low, high = (0.05 * tau / 2 + 2 * 0.02 * end for end in (robust.lower, robust.upper))
    assert low <= seven.upper
    assert high >= seven.lower
    assert (high - low) / high <= 1e-8
    # any other τ is an upper bound, since the sum is convex in τ and least there
    for other in (0.5 * tau, 2 * tau):
        rho = 0.05 / (4 * 0.02 * other)
        worse = solve("luss2007", RobustMachine(S, y, kernel.C, rho))
        assert 0.05 * other / 2 + 2 * 0.02 * worse.lower > seven.upper


def test_as_gamma_grows_K_tends_to_S_clip_like_one_over_gamma():
    S, y = similarity(16, kind="random")
    clip = spectrum.clip(S)
    gammas = np.array([2.0, 20.0, 200.0, 2000.0])
    distance = np.array(
        [
            np.linalg.norm(
                solve("chen2009-eq7", KernelMachine(S, y, 0.05, g), tol=1e-12).variables["K"] - clip
            )
            for g in gammas
        ]
    )
    assert np.allclose(distance[1:] / distance[:-1], 0.1, rtol=0.05)


@pytest.mark.parametrize("h", REGULARIZERS)
def test_as_gamma_grows_a_tends_to_the_centre_of_h(h, tolerances):
    S, y = similarity(16, kind="random")
    problem = SpectrumMachine(S, y, 0.05, 1e3, h)
    solution = solve("chen2009-eq12", problem)
    lam, a = problem.Lam, solution.variables["a"]
    if h == "both":  # anywhere on the segment between the two
        assert np.allclose(a[lam > 0], 1, atol=tolerances.stationarity)
        assert np.ptp(a[lam < 0]) <= tolerances.stationarity
        assert -1 - 1e-4 <= a[lam < 0].mean() <= 1e-4
    else:
        centre = np.sign(lam) if h == "flip" else np.where(lam > 0, 1.0, 0.0)
        assert np.allclose(lam * a, lam * centre, atol=tolerances.stationarity)


@pytest.mark.parametrize("kind", ["random", "low rank"])
@pytest.mark.parametrize("h", ["clip", "flip"])
def test_from_a_finite_gamma_on_nothing_is_learned(h, kind, optimum):
    """(12) is the machine on S_clip (S_flip) where γ ≥ ‖ηλ∘w²‖ at its α; paper: "very close"."""
    S, y = similarity(16, kind=kind)
    lam, U = spectrum.eigen(S)
    K = getattr(spectrum, h)(S)
    plain = optimum("chen2009-eq3", {"K": K, "y": y, "eta": 0.05})
    w = U.T @ (y * plain.variables["alpha"])
    threshold = float(np.linalg.norm(0.05 * lam * w**2))
    beyond = solve("chen2009-eq12", SpectrumMachine(S, y, 0.05, 1.001 * threshold, h))
    before = solve("chen2009-eq12", SpectrumMachine(S, y, 0.05, 0.8 * threshold, h))
    assert beyond.enclosure.meets(plain)
    assert before.upper < plain.lower


def test_invariances(meet):
    """The order of the samples, their signs together, and the unit of S."""
    S, y = similarity(14, kind="random")
    order = np.random.default_rng(0).permutation(14)
    eta, gamma, C, rho = 0.05, 0.1, 1.0, 0.5
    for h in (None, *REGULARIZERS):
        id = "chen2009-eq7" if h is None else "chen2009-eq12"

        def value(S, y, eta, gamma, id=id, h=h):
            data = {"S": S, "y": y, "eta": eta, "gamma": gamma, "h": h}
            return solve(id, CATALOGUE[id].make(data)).enclosure

        base = value(S, y, eta, gamma)
        assert meet(base, value(S[np.ix_(order, order)], y[order], eta, gamma))
        assert meet(base, value(S, -y, eta, gamma))
        weight = gamma / 7 if h in (None, "spectrum") else gamma
        assert meet(base, value(7 * S, y, 7 * eta, weight))
    base = solve("luss2007", RobustMachine(S, y, C, rho)).enclosure
    scaled = solve("luss2007", RobustMachine(7 * S, y, C / 7, rho / 343)).enclosure
    assert meet(base, scaled, factor=7)

"""Newton's ascent on the dual of (12): derivatives, the panel's answers, and the limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.chen2009 import SpectrumMachine, spectrum
from cvxkernel.formulations.errors import SolverError
from cvxkernel.solvers import SpectrumAscent, conic, solve
from cvxkernel.solvers.spectrum_ascent import Modified
from cvxkernel.validation.chen2009.samples import similarity

ONE_NORM = ("clip", "flip", "spectrum")


@pytest.mark.parametrize("h", ONE_NORM)
def test_the_derivatives_are_those_of_the_dual(h):
    S, y = similarity(8, kind="random")
    problem, s, rng = SpectrumMachine(S, y, 0.1, 0.1, h), 0.3, np.random.default_rng(0)
    alpha, step = rng.random(8), 1e-6

    def at(alpha, s=s):
        return Modified(problem, alpha, s)

    here, up, down = at(alpha), at(alpha, s + step), at(alpha, s - step)
    assert check_grad(lambda x: at(x).value, lambda x: 1 - at(x).image, alpha) <= 1e-5
    for d in rng.normal(size=(3, 8)):
        turned = (at(alpha + step * d).image - at(alpha - step * d).image) / (2 * step)
        assert np.allclose(turned, here.bent() @ d, rtol=1e-5, atol=1e-6)
    square = (problem.gamma / problem.eta) ** 2
    assert (up.value - down.value) / (2 * step) + square / 4 == pytest.approx(here.rate(), rel=1e-6)
    slope = (up.rate() - down.rate()) / (2 * step)
    assert slope == pytest.approx(here.curvature(), rel=1e-6, abs=1e-8)
    assert np.allclose((down.image - up.image) / (2 * step), here.cross(), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("h", ONE_NORM)
def test_both_ends_of_a_step_are_those_of_its_enclosure(h):
    S, y = similarity(8, kind="random")
    problem, form = SpectrumMachine(S, y, 0.05, 0.1, h), CATALOGUE["chen2009-eq12"]
    state = SpectrumAscent().init(form, problem, None)
    for _ in range(3):
        SpectrumAscent().step(state)
        here = state.here
        found = form.enclose(problem, {"alpha": here.alpha, "a": here.a})
        slack = 1e-9 * found.upper
        assert found.lower >= 2 * problem.eta * here.lower - slack
        assert found.upper <= 2 * problem.eta * here.upper + slack


@pytest.mark.parametrize("h", ONE_NORM)
@pytest.mark.parametrize(("eta", "gamma"), [(0.02, 0.03), (0.3, 0.01), (1e-3, 1e-2)])
def test_it_meets_the_conic_solvers(h, eta, gamma):
    S, y = similarity(10, kind="random")
    problem = SpectrumMachine(S, y, eta, gamma, h)
    found = SpectrumAscent(tol=1e-7).solve("chen2009-eq12", problem)
    assert found.width <= 1e-7
    assert found.enclosure.meets(conic("chen2009-eq12", problem).enclosure)


@pytest.mark.parametrize("h", ["clip", "flip", "both"])
@pytest.mark.parametrize("gamma", [1e2, 1e8, 1e20])
def test_where_gamma_is_large_it_is_the_machine_on_the_modified_similarity(h, gamma, tolerances):
    S, y = similarity(10, kind="random")
    found = solve("chen2009-eq12", SpectrumMachine(S, y, 0.01, gamma, h))
    assert found.width <= tolerances.width
    K = spectrum.clip(S) if h == "clip" else spectrum.flip(S)
    plain = solve("chen2009-eq3", CATALOGUE["chen2009-eq3"].make({"K": K, "y": y, "eta": 0.01}))
    constant = gamma * np.sqrt((np.linalg.eigvalsh(S) < 0).sum()) if h == "both" else 0.0
    assert found.lower <= (plain.upper + constant) * (1 + 1e-9)
    assert found.upper >= (plain.lower + constant) * (1 - 1e-9)


def test_a_gap_that_is_not_reached_raises_with_what_is_known():
    S, y = similarity(8, kind="random")
    problem = SpectrumMachine(S, y, 0.1, 0.05, "both")
    with pytest.raises(SolverError) as caught:
        SpectrumAscent().solve("chen2009-eq12", problem)
    assert caught.value.best.lower <= solve("chen2009-eq12", problem).upper


def test_an_eigenvalue_that_doubles_hardly_know_is_no_harm(tolerances):
    # λ₀ = 1e-9 is known to 1e-4 of itself, and a₀ = k₀/λ₀ is large: K is known where k is
    rng = np.random.default_rng(0)
    n, U = 61, np.linalg.qr(rng.normal(size=(61, 61)))[0]
    lam = np.linspace(-0.5, 1.0, n)
    lam[np.abs(lam).argmin()] = 1e-9
    S = (U * lam) @ U.T
    problem = SpectrumMachine((S + S.T) / 2, rng.choice([-1.0, 1.0], n), 1e-3, 1e-3, "spectrum")
    assert problem.basis.off >= 1e-4 * np.abs(problem.Lam).min()
    assert SpectrumAscent().solve("chen2009-eq12", problem).width <= tolerances.width

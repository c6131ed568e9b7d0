"""Numbers at the ends of what is accepted: answered, or refused by this package's own errors."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import product

import mpmath as mp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations import errors as e
from cvxkernel.solvers import METHODS, Newton, SpectrumAscent, solve
from cvxkernel.solvers.method import known
from cvxkernel.solvers.svm import svm
from cvxkernel.validation import check, rigorous
from cvxkernel.validation.instances import sample


def fisher(diagonal, lam):
    """kim2006 with one diagonal kernel, y = (1, -1, 1), in 200 digits."""
    with mp.workdps(200):
        G, half = mp.diag([mp.mpf(float(x)) for x in diagonal]), mp.mpf(1) / 2
        a = mp.matrix([half, -1, half])
        J = mp.matrix([[half, 0, -half], [0, 0, 0], [-half, 0, half]]) / mp.sqrt(2)
        M = mp.mpf(lam) * mp.eye(3) + J * G * J
        right = J * G * a
        rest = (right.T * mp.lu_solve(M, right))[0]
        return ((a.T * G * a)[0] - rest) / mp.mpf(lam)


@pytest.mark.parametrize("diagonal", [(0, 1e9, 1e9), (0, 0, 1e12), (1e-12, 1e9, 1e9), (1e9, 0, 0)])
def test_a_system_that_is_singular_in_doubles_is_solved_in_balls(diagonal):
    data = {"kernels": np.diag(diagonal)[None], "y": [1.0, -1.0, 1.0], "lam": 1e-9}
    problem = CATALOGUE["kim2006"].make(data)
    found, truth = rigorous.solve("kim2006", problem), fisher(diagonal, 1e-9)
    assert found.lower <= truth <= found.upper
    assert check("kim2006", problem, theta=[1.0]).within(1e-6)


# -- Whatever comes out is ours --------------------------------------------------------------------

SIZES = (1e99, 1e-99, 1e40, 1e-40, 1e24)
NUMBERS = ("lam", "C", "rho", "tau", "eta", "gamma", "psi", "beta")
MATRICES = ("kernels", "S", "K")
FOUND = {  # what a stranger found
    "kundu2010-eq7": ("C", 1e24),
    "kundu2010-alg3": ("C", 1e24),
    "kundu2010-alg1": ("C", 1e24),
    "kundu2010-eq4": ("C", 1e99),
    "kundu2010-eq6": ("tau", 1e40),
    "lanckriet2004-sm2": ("C", 1e-40),
    "tang2009-thm3.1": ("kernels", 1e40),
    "luss2007": ("S", 1e60),
    "chen2009-eq12": ("gamma", 1e-80),
}


def cases(id):
    """One of all for every id, another for each; all of them where examples are asked for."""
    keys = [key for key in CATALOGUE[id].keys if key in NUMBERS + MATRICES]
    every = list(product(keys, SIZES))
    if "CVXKERNEL_EXAMPLES" in os.environ:
        return every
    return [FOUND.get(id, every[7 * list(CATALOGUE).index(id) % len(every)])]


@pytest.mark.parametrize("id", CATALOGUE)
def test_numbers_at_both_ends_give_an_answer_or_an_error_of_this_package(id):
    form, limit = CATALOGUE[id], 0.3
    for key, size in cases(id):
        data = sample(id, 3, 2, kind="random")
        data[key] = np.asarray(data[key]) * size if key in MATRICES else size
        try:
            problem = form.make(data)
        except e.InputError:
            continue
        for answer in (solve, rigorous.solve):
            with suppress(e.SolverError):  # nothing else: the problem is one
                found = answer(id, problem, limit=limit)
                assert found.lower <= found.upper


@pytest.mark.parametrize("id", ["luss2007", "chen2009-eq7", "chen2009-eq7-dual", "chen2009-eq12"])
def test_an_answer_of_huge_numbers_is_judged(id):
    problem = CATALOGUE[id].make(sample(id, 3, 2, kind="random"))
    symbols = ({"a": np.full(3, 1e200)}, {"a": np.full(3, 1e200), "z": np.ones(3)})
    for huge in symbols if id == "chen2009-eq12" else ({"K": 1e200 * np.eye(3)},):
        assert check(id, problem, why=False, **huge).verdict() == "not within"


@pytest.mark.parametrize(("size", "C"), list(product((1e-99, 1e-40, 1.0, 1e40, 1e99), repeat=2)))
def test_a_machine_of_any_units_has_a_feasible_answer(size, C):
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    B = np.random.default_rng(0).normal(size=(5, 5))
    alpha = svm(size * (B @ B.T), y, C)
    assert (alpha >= 0).all()
    assert (alpha <= C).all()
    assert abs(y @ alpha) <= 1e-12 * alpha.max()
    assert alpha.max() > 0 or size * C > 1e100


def test_a_machine_does_not_see_its_units():
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    B = np.random.default_rng(1).normal(size=(5, 5))
    alpha = svm(B @ B.T, y, 2.0)
    for power in (-200, -30, 30, 200):
        unit = 2.0**power
        assert np.array_equal(svm(unit * (B @ B.T), y, 2.0 / unit) * unit, alpha)


def test_what_libsvm_cannot_read_is_zero():
    assert not svm(np.full((2, 2), np.nan), np.array([1.0, -1.0]), 1.0).any()


def test_symbols_that_a_method_has_lost_are_none_of_a_point():
    lost = {"alpha": None, "K": np.full((4, 4), np.nan), "z": np.ones(4)}
    assert list(known(lost)) == ["z"]
    form = CATALOGUE["luss2007"]
    with pytest.raises(e.NotFiniteError):  # by a caller it is not lost, but wrong
        form.enclose(form.make(sample("luss2007", 4, 2)), {"K": lost["K"]})


@pytest.mark.parametrize(
    "error",
    [ValueError("NaN"), TypeError(), ZeroDivisionError(), e.NotFiniteError("K", "numbers", "nan")],
)
def test_what_a_method_raises_is_its_failure_and_the_next_is_asked(error, monkeypatch):
    def fails(*args, **kwargs):
        raise error

    monkeypatch.setattr(SpectrumAscent, "solve", fails)
    monkeypatch.setattr(Newton, "solve", fails)
    problem = CATALOGUE["chen2009-eq12"].make(sample("chen2009-eq12", 4, 2))
    found = solve("chen2009-eq12", problem)
    assert type(error).__name__ in found.attempts["spectrum_ascent"]
    alone = CATALOGUE["kim2006"].make(sample("kim2006", 4, 2))
    assert "newton" in METHODS
    with pytest.raises(e.SolverError, match=type(error).__name__) as told:
        solve("kim2006", alone, solver="newton")
    assert "newton" in told.value.attempts


@pytest.mark.parametrize(
    "error", [e.ContradictionError(2.0, 1.0), e.InputError("U", "a basis", "none")]
)
def test_what_is_wrong_with_the_bounds_or_the_problem_is_not_hidden(error, monkeypatch):
    def fails(*args, **kwargs):
        raise error

    monkeypatch.setattr(SpectrumAscent, "solve", fails)
    problem = CATALOGUE["chen2009-eq12"].make(sample("chen2009-eq12", 4, 2))
    with pytest.raises(type(error)):
        solve("chen2009-eq12", problem)

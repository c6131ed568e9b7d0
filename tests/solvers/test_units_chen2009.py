"""The units of chen2009: restored points are those of the problem as it is; a wrong power shows."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.chen2009 import (
    AugmentedSample,
    KernelMachine,
    Machine,
    NewSample,
    RegularizedMachine,
    RobustMachine,
    SpectrumMachine,
    bounds,
)
from cvxkernel.formulations.errors import SolverError
from cvxkernel.solvers import DualAscent, SpectrumAscent, svm, units
from cvxkernel.solvers.units import AsItIs, Units
from cvxkernel.solvers.units.chen2009 import TINY_WEIGHT, UNITS, SpectrumUnits
from cvxkernel.validation.kundu2010.samples import alternating

N = 8
SCALES = (2.0**-10, 2.0**10)
CLOSE = 1e-6  # of the largest entry of a symbol
NEAR = 1e-8  # the width that counts as solved where 1e-13 is out of reach, for clip and flip
(EVERY,), LABELS = alternating(N + 1, 1)
S, SIMILAR, PSI, Y = EVERY[:-1, :-1], EVERY[:-1, -1], float(EVERY[-1, -1]), LABELS[:-1]
K = S @ S / N + np.eye(N) / 4

# The problems at a scale t of the data, and the power of t in the value. The parameters go along,
# so that every one of them matters: some α are on the border of the box, K is not S clipped.
PROBLEMS = {
    "chen2009-eq1": (lambda t: Machine(t * K, Y, 0.6 / t), -1),
    "chen2009-eq3": (lambda t: RegularizedMachine(t * K, Y, t * 0.1), 0),
    "luss2007": (lambda t: RobustMachine(t * S, Y, 0.18 / t, 0.02 / t**3), -1),
    "chen2009-eq7": (lambda t: KernelMachine(t * S, Y, t * 0.35, 0.08 / t), 0),
    "chen2009-eq7-dual": (lambda t: KernelMachine(t * S, Y, t * 0.35, 0.08 / t), 0),
    "chen2009-eq8": (lambda t: AugmentedSample(t * K, t * SIMILAR, t * PSI, t * S), 1),
    "chen2009-eq8-qcqp": (lambda t: NewSample(t * K, t * SIMILAR, t * PSI), 2),
    "chen2009-eq12 clip": (lambda t: SpectrumMachine(t * S, Y, t * 0.25, 0.05, "clip"), 0),
    "chen2009-eq12 flip": (lambda t: SpectrumMachine(t * S, Y, t * 0.25, 0.05, "flip"), 0),
    "chen2009-eq12 spectrum": (
        lambda t: SpectrumMachine(t * S, Y, t * 0.25, 0.08 / t, "spectrum"),
        0,
    ),
}


@pytest.fixture(autouse=True)
def no_units(monkeypatch):
    """Every solver below solves what it is given, as it is."""
    monkeypatch.setattr(units, "of", lambda form: AsItIs())


def answer(id, problem):
    """The value and every symbol, by methods that end at rounding; in the data's own units."""
    form = CATALOGUE[id]
    if isinstance(problem, Machine | RegularizedMachine):
        point = {"alpha": svm.svm(problem.K, problem.y, problem.C)}
    elif isinstance(problem, NewSample):
        point = {"r": np.array(problem.psi + bounds.multiplier(problem) / 2)}
    else:
        method = SpectrumAscent if isinstance(problem, SpectrumMachine) else DualAscent
        try:
            point = method(tol=1e-13).solve(id, problem).variables
        except SolverError as error:  # as near as doubles come
            if not error.best.width <= NEAR:
                raise
            point = error.best.variables
    enclosure = form.enclose(problem, point)
    variables = dict(enclosure.variables)
    if {"c", "K"} <= set(variables):  # any c with Kc = z: the least one
        variables["c"] = np.linalg.pinv(variables["K"], rcond=1e-9) @ variables["z"]
    return enclosure.value, variables


def size(scaling, problem):
    of = scaling.of(problem) if isinstance(scaling, SpectrumUnits) else scaling
    return of.size(problem)


def off(name, t, scaling, known):
    """How far the restored point and the value are from those without units, by symbol."""
    make, power = PROBLEMS[name]
    problem = make(t)
    value, point = known(name, t)
    unit = scaling.scaled(problem)
    in_units, scaled = answer(name.split()[0], unit)
    restored = scaling.restored(problem, unit, scaled)
    away = {
        symbol: float(np.abs(restored[symbol] - point[symbol]).max() / np.abs(point[symbol]).max())
        for symbol in point
    }
    return {**away, "value": abs(in_units * size(scaling, problem) ** power / value - 1)}


@pytest.fixture(scope="module")
def known():
    answers = {}

    def get(name, t):
        if (name, t) not in answers:
            answers[name, t] = answer(name.split()[0], PROBLEMS[name][0](t))
        return answers[name, t]

    return get


def declared(name):
    return UNITS[CATALOGUE[name.split()[0]].problem]


@pytest.mark.parametrize("t", SCALES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_restored_is_the_answer_without_units(name, t, known):
    problem, scaling = PROBLEMS[name][0](t), declared(name)
    assert 2.0**-3 <= size(scaling, problem) / t <= 2.0**3
    away = off(name, t, scaling, known)
    assert max(away.values()) <= CLOSE, away


def numbers(name):
    """The fields and the symbols that may carry a power: not labels, a choice, an orthonormal U."""
    form = CATALOGUE[name.split()[0]]
    given = {field.name for field in fields(form.problem)}
    return sorted((given | set(form.symbols)) - {"y", "h", "U"})


def wrong(scaling, symbol):
    """One more factor σ."""

    def more(of):
        return type(of)(of.size, **{**of.powers, symbol: of.powers.get(symbol, 0) + 1})

    if isinstance(scaling, Units):
        return more(scaling)
    return SpectrumUnits(a=more(scaling.a), k=more(scaling.k))


@pytest.mark.parametrize("t", SCALES)
@pytest.mark.parametrize(
    ("name", "symbol"), [(name, symbol) for name in PROBLEMS for symbol in numbers(name)]
)
def test_another_power_is_seen(name, symbol, t, known):
    away = off(name, t, wrong(declared(name), symbol), known)
    assert max(away.values()) > 0.1, away


def test_the_eigenvalues_are_not_decided_again():
    sample = PROBLEMS["chen2009-eq8"][0](2.0**10)
    unit = UNITS[AugmentedSample].scaled(sample)
    sigma = sample.K.flat[0] / unit.K.flat[0]
    assert np.array_equal(unit.eigen.low * sigma, sample.eigen.low)
    assert unit.eigen.V is sample.eigen.V
    machine = PROBLEMS["chen2009-eq12 clip"][0](2.0**10)
    unit = UNITS[SpectrumMachine].scaled(machine)
    assert np.array_equal(unit.Lam * (machine.S.flat[0] / unit.S.flat[0]), machine.Lam)
    assert unit.basis.U is machine.basis.U


def test_a_tiny_eigenvalue_has_another_weight_and_a_follows():
    Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(N, N)))
    lam = np.array([-3.0, -1.0, -1e-8, 1e-8, 0.5, 1.0, 2.0, 4.0])
    problem = SpectrumMachine(2.0**10 * (Q * lam) @ Q.T, Y, 50.0, 1e-5, "spectrum")
    scaling = UNITS[SpectrumMachine]
    unit = scaling.scaled(problem)
    assert (np.abs(unit.weights) >= TINY_WEIGHT).all()
    a = np.linspace(0.5, 1.5, N) * np.sign(unit.Lam)
    restored = scaling.restored(problem, unit, {"a": a})["a"]
    k = unit.weights * a * size(scaling, problem)
    assert np.allclose(problem.Lam * restored, k, rtol=1e-12, atol=0)

"""Aural Sonar and Voting of the chen2009 collection, in the folder CVXKERNEL_DATA."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations.chen2009 import KernelMachine, SpectrumMachine, prediction, spectrum
from cvxkernel.solvers import solve
from cvxkernel.solvers.estimators import selected_regularizer


@pytest.fixture(scope="module")
def read(shared_data):
    def get(name):
        path = shared_data / f"{name}.npz"
        if not path.is_file():
            pytest.skip(f"no file {path}")
        with np.load(path) as file:
            return file["S"], file["y"].astype(float)

    return get


@pytest.mark.parametrize(("eta", "gamma"), [(1e-3, 1e-3), (1e-2, 1e-1), (1e-1, 1e-2)])
def test_aural_sonar_eq7(read, eta, gamma):
    solution = solve("chen2009-eq7", KernelMachine(*read("aural_sonar"), eta, gamma), tol=1e-5)
    assert solution.width <= 1e-5


@pytest.mark.parametrize("h", ["clip", "flip", "both", "spectrum"])
def test_aural_sonar_eq12(read, h, tolerances):
    solution = solve("chen2009-eq12", SpectrumMachine(*read("aural_sonar"), 1e-2, 1e-2, h))
    assert solution.width <= tolerances.width


def test_voting_eq12_and_eq7(read, tolerances):
    S, y = read("voting")
    assert (spectrum.eigen(S)[0] == 0).sum() > 90  # equal rows: its rank is decided, and told
    modified = solve("chen2009-eq12", SpectrumMachine(S, y, 1e-2, 1e-1, "spectrum"))
    free = solve("chen2009-eq7", KernelMachine(S, y, 1e-2, 1e-1))
    for solution in (modified, free):
        assert solution.width <= tolerances.width
    assert modified.upper >= free.lower


def test_the_paper_on_aural_sonar_test_samples(read):
    """Section 3.2: a classifier trained on K is to be applied to k, not to s."""
    S, y = read("aural_sonar")
    order = np.random.default_rng(0).permutation(len(y))
    test, train = order[:40], order[40:]
    inside, across = S[np.ix_(train, train)], S[np.ix_(train, test)]
    assert selected_regularizer(inside, y[train], [0.1, 1.0, 10.0])[0] in ("clip", "flip", "both")
    problem = SpectrumMachine(inside, y[train], 1e-2, 1e-2, "clip")
    found = solve("chen2009-eq12", problem).variables
    c, b = prediction.from_spectrum(problem, found["a"], found["z"]).c, float(found["b"])
    k = spectrum.transformation(inside, found["a"]) @ across
    assert np.mean(prediction.predict(c, b, k) != y[test]) <= 0.25

"""Classifiers on similarities: what they predict, and how h is selected."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.solvers import similarities
from cvxkernel.validation.instances import similarity


@pytest.fixture(scope="module")
def split():
    S, y = similarity(60, kind="random", seed=3)
    train, test = np.arange(40), np.arange(40, 60)
    return S[np.ix_(train, train)], y[train], S[np.ix_(train, test)], y[test]


def test_the_nearest_is_the_most_similar(split):
    S, y, s, _ = split
    expected = y[s.argmax(axis=0)]
    assert np.array_equal(similarities.nearest_neighbours(S, y, s, 1), expected)


def test_all_of_them_learn_a_similarity_that_tells_of_the_labels(split):
    S, y, s, truth = split
    for found in (
        similarities.nearest_neighbours(S, y, s, 5),
        similarities.linear_machine(S, y, s),
        similarities.modified_machine(S, y, s, spectrum.a_clip),
        similarities.modified_machine(S, y, s, spectrum.a_flip),
    ):
        assert np.mean(found == truth) >= 0.8


def test_training_samples_are_treated_as_test_samples(split):
    S, y, _, _ = split
    found = similarities.modified_machine(S, y, S, spectrum.a_clip, C=100.0)
    assert np.array_equal(found, y)


def test_the_regularizer_follows_the_cross_validation_error():
    rng = np.random.default_rng(0)
    y = np.tile([1.0, -1.0], 20)
    noise = 0.1 * rng.normal(size=(40, 40))
    good, bad = np.outer(y, y), rng.normal(size=(40, 2))
    # The labels are in a negative eigenvalue: clip loses them, flip does not.
    S = -good + 0.2 * bad @ bad.T + (noise + noise.T) / 2
    chosen, errors = similarities.select_regularizer(S, y, [1.0], folds=5)
    assert chosen == "flip"
    assert errors["flip"] < errors["clip"]
    # A semidefinite similarity: nothing to clip or to flip, a tie.
    chosen, errors = similarities.select_regularizer(good + bad @ bad.T, y, [1.0], folds=5)
    assert chosen == "both"
    assert errors["clip"] == errors["flip"]
    # Noise in the negative eigenvalues: flip learns it.
    wide = rng.normal(size=(40, 30))
    S = good + 0.5 * (bad @ bad.T) - 2 * (wide @ wide.T) / 30
    chosen, errors = similarities.select_regularizer(S, y, [1.0], folds=5)
    assert (chosen == "clip") == (errors["clip"] < errors["flip"])

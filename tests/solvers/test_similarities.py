"""Classifiers on similarities: what they predict, and how h is selected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.kundu2010 import LOSSES, Similarities, columns, nearest
from cvxkernel.solvers import similarities, solve
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.kundu2010.samples import similarities as similarity_stack


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
    # The labels in a positive eigenvalue, noise in the negative ones: flip learns the noise.
    wide = rng.normal(size=(40, 30))
    S = 0.05 * good + 0.1 * bad @ bad.T - 2 * (wide @ wide.T) / 30
    chosen, errors = similarities.select_regularizer(S, y, [1.0], folds=5)
    assert chosen == "clip"
    assert errors["clip"] < errors["flip"]


# -- Section 4 of kundu2010 -----------------------------------------------------------------------


def several(S, y, train, test):
    psi = np.diagonal(S, axis1=1, axis2=2)[:, test]
    inside, across = S[:, train][:, :, train], S[:, train][:, :, test]
    return similarities.Comparison(inside, y[train], across, psi), y[test]


def every(comparison):
    return {
        "linear": comparison.linear(),
        "denoise": comparison.baseline(spectrum.clip),
        "flip": comparison.baseline(spectrum.flip),
        "shift": comparison.baseline(spectrum.shift),
        "IndSVM": comparison.robust(),
        **{f"ESKL {loss}": comparison.eskl(loss) for loss in LOSSES},
        **{f"EMKL {loss}": comparison.emkl(loss) for loss in ("L2", "L3")},
        "REKL": comparison.rekl(),
    }


def test_every_method_of_section_4_learns_what_the_similarities_tell():
    S, y = similarity_stack(60, 2, kind="random", seed=1)
    comparison, truth = several(S, y, np.arange(30), np.arange(30, 60))
    for name, found in every(comparison).items():
        assert np.mean(found == truth) >= 0.85, name


def test_a_kernel_for_a_similarity_makes_all_of_them_the_support_vector_machine():
    """With S ⪰ 0 and m = 1 denoise, flip and shift are S itself; ρ → ∞ with τ = trace S too.

    The samples are those of one definite kernel: its own columns are consistent, and (8) keeps
    them.
    """
    rng = np.random.default_rng(2)
    B, y = rng.normal(size=(30, 40)), np.where(np.arange(30) % 2, 1.0, -1.0)
    S = B @ B.T / 40 + 0.5 * np.outer(y, y)
    train, test = np.arange(14), np.arange(14, 30)
    alone, _ = several(S[None], y, train, test)
    inside, across = S[np.ix_(train, train)], S[np.ix_(train, test)]
    assert nearest(inside, across, S[test, test]) == pytest.approx(across, abs=1e-9)
    expected = similarities.kernel_machine(inside, y[train], across)
    for modify in (spectrum.clip, spectrum.flip, spectrum.shift):
        assert np.array_equal(alone.baseline(modify), expected)
    stiff = replace(alone, rho=dict.fromkeys(LOSSES, 1e4), tau=float(np.trace(inside)), tol=1e-3)
    assert np.array_equal(stiff.robust(), expected)
    assert np.array_equal(stiff.eskl("L3"), expected)


def test_nearest_columns_where_the_extended_map_fails(shared_data):
    """Aural Sonar, half of it for training, as `kundu2010.prediction` says."""
    path = shared_data / "aural_sonar.npz"
    if not path.is_file():
        pytest.skip(f"no file {path}")
    with np.load(path) as file:
        S, y = file["S"], file["y"].astype(float)
    order = np.random.default_rng(0).permutation(len(y))
    comparison, truth = several(S[None], y, order[:50], order[50:])
    assert np.mean(comparison.eskl("L3") == truth) >= 0.85
    assert np.mean(comparison.robust() == truth) >= 0.85
    inside, across = comparison.S[0], comparison.s[0]
    problem = Similarities(comparison.S, comparison.y, 1.0, 0.1, comparison.trace, "L3")
    K = solve("kundu2010-alg1", problem, tol=1e-2).variables["K"]
    extended = similarities.kernel_machine(K, comparison.y, columns(K, inside, across))
    assert np.mean(extended == truth) < 0.5

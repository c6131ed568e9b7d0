"""Estimators on similarities: their programs, their treatment of test samples, slicing."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict

from cvxkernel.formulations import chen2009, kundu2010
from cvxkernel.formulations.chen2009 import prediction, spectrum
from cvxkernel.formulations.errors import InputError
from cvxkernel.solvers import solve
from cvxkernel.solvers.estimators import (
    LearnedKernelSVM,
    ModifiedSVM,
    RobustSVM,
    SimilarityMKL,
    SpectrumSVM,
)
from cvxkernel.validation.chen2009.samples import similarity

TRAIN, TEST = np.arange(30), np.arange(30, 44)


@pytest.fixture(scope="module")
def given():
    S, y = similarity(44, kind="random", seed=3)
    np.fill_diagonal(S, 1.0)
    return S, y


def split(S):
    return S[np.ix_(TRAIN, TRAIN)], S[np.ix_(TEST, TRAIN)]


MODELS = {
    "clip": ModifiedSVM("clip", solver="svm"),
    "flip": ModifiedSVM("flip", solver="svm", treatment="augmented"),
    "shift": ModifiedSVM("shift", solver="svm", treatment="raw"),
    "(12)": SpectrumSVM(eta=1e-2, gamma=0.1, tol=1e-4),
    "(7)": LearnedKernelSVM(eta=1e-2, gamma=0.1),
    "robust": RobustSVM(rho=0.5),
    "ESKL": SimilarityMKL("ESKL", rho=0.5),
    "EMKL": SimilarityMKL("EMKL", rho=0.5, tol=1e-3),
    "REKL": SimilarityMKL("REKL", rho=0.5),
}
every = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())


@every
def test_a_function_and_its_values_are_one(given, model):
    S, y = given
    train, test = split(S)
    precomputed = clone(model).fit(train, y[TRAIN])

    def psi(X, Z):
        return S[np.ix_(X[:, 0].astype(int), Z[:, 0].astype(int))]

    index = np.arange(len(S))[:, None]
    function = clone(model).set_params(similarity=psi).fit(index[TRAIN], y[TRAIN])
    ours, theirs = precomputed.decision_function(test), function.decision_function(index[TEST])
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert precomputed.score(test, y[TEST]) > 0.6
    assert precomputed.lower_ <= precomputed.upper_


@every
def test_a_training_sample_is_met_as_it_was_trained(given, model):
    # Section 3.2's consistency, for k = As and for the spectra of (7) of kundu2010 that keep U.
    S, y = given
    train, _ = split(S)
    fitted = clone(model).fit(train, y[TRAIN])
    if (
        isinstance(model, (ModifiedSVM, SpectrumSVM))
        and model.get_params().get("treatment", "linear") == "linear"
    ):
        K = fitted._columns(train)
        assert np.array_equal(
            fitted.predict(train) == 1, K.T @ fitted.coef_ + fitted.intercept_ >= 0
        )
        assert np.abs(K - K.T).max() < 1e-8  # K = AS on the training samples


def test_the_programs_are_the_papers(given):
    S, y = given
    train, _ = split(S)
    t = y[TRAIN]
    rho, C = 0.5, 1.0
    tau = float(np.trace(spectrum.clip(train)))
    problems = {
        "clip": chen2009.Machine(spectrum.clip(train), t, C),
        "(12)": chen2009.SpectrumMachine(train, t, 1e-2, 0.1, "clip"),
        "(7)": chen2009.KernelMachine(train, t, 1e-2, 0.1),
        "robust": chen2009.RobustMachine(train, t, C, rho),
        "ESKL": kundu2010.Similarities(train[None], t, C, rho, tau, "L2"),
        "REKL": kundu2010.Spectra(train[None], t, C, rho, tau),
    }
    for name, problem in problems.items():
        fitted = clone(MODELS[name]).fit(train, t)
        tol = fitted.tol
        assert fitted.solution_.enclosure.meets(
            solve(fitted.solution_.formulation, problem, tol=tol).enclosure
        )


def test_8_is_solved_for_many_samples_as_for_one(given):
    S, y = given
    train, test = split(S)
    K = RobustSVM(rho=0.5).fit(train, y[TRAIN]).kernel_
    together = prediction.nearest_columns(K, test.T, np.ones(len(test)))
    for j, s in enumerate(test):
        assert together[:, j] == pytest.approx(prediction.nearest(K, s, 1.0)[0], abs=1e-9)


def test_raw_and_augmented_shift_are_one_and_linear_is_the_consistent_one(given):
    S, y = given
    train, test = split(S)
    f = {}
    for treatment in ("raw", "augmented", "linear"):
        model = ModifiedSVM("shift", treatment=treatment, solver="svm").fit(train, y[TRAIN])
        f[treatment] = model.decision_function(test)
        if treatment == "linear":
            assert model._columns(train) == pytest.approx(model.kernel_, abs=1e-8)
    assert f["raw"] == pytest.approx(f["augmented"], abs=1e-9)
    assert np.abs(f["raw"] - f["linear"]).max() > 1e-3


def test_slices_go_through_scikit_learn(given):
    S, y = given
    search = GridSearchCV(RobustSVM(), {"C": [0.1, 1.0], "rho": [0.1, 1.0]}, cv=3).fit(S, y)
    assert search.best_score_ > 0.7
    three = np.stack([S, S @ S / len(S), np.eye(len(S)) + S], axis=-1)
    model = SimilarityMKL("EMKL", algorithm=True, tol=0.05, self_similarity=1.0)
    labels = cross_val_predict(model, three, y, cv=2)
    assert np.mean(labels == y) > 0.6


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (ModifiedSVM("denoise"), "modification: expected one of clip, flip, shift"),
        (ModifiedSVM(treatment="none"), "treatment"),
        (ModifiedSVM(C=-1.0), "C: expected a positive number"),
        (SpectrumSVM(h="ridge"), "h: expected one of"),
        (SpectrumSVM(eta=0.0), "eta"),
        (LearnedKernelSVM(gamma=-1.0), "gamma"),
        (RobustSVM(rho=0.0), "rho"),
        (SimilarityMKL("MKL"), "method: expected one of ESKL"),
        (SimilarityMKL(loss="L4"), "loss"),
        (SimilarityMKL(tau=-2.0), "tau"),
        (RobustSVM(similarity="cosine"), "similarity"),
    ],
)
def test_an_error_at_fit_names_the_parameter(given, model, names):
    S, y = given
    with pytest.raises(InputError, match=names):
        model.fit(*[split(S)[0], y[TRAIN]])


def test_what_is_no_similarity_is_refused(given):
    S, y = given
    with pytest.raises(InputError, match="X: expected similarities of shape"):
        RobustSVM().fit(S[:10, :8], y[:10])
    with pytest.raises(InputError, match="one kind"):
        RobustSVM().fit(np.stack([S, S], axis=-1), y)
    uneven = S + np.diag(np.arange(len(S)))
    fitted = RobustSVM().fit(uneven, y)
    with pytest.raises(InputError, match="self_similarity"):
        fitted.predict(uneven)
    assert fitted.set_params(self_similarity=1.0).predict(uneven).shape == y.shape

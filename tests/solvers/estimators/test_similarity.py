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
    Entries,
    LearnedKernelSVM,
    ModifiedSVM,
    RobustSVM,
    SimilarityMKL,
    SpectrumSVM,
    selected_regularizer,
)
from cvxkernel.solvers.svm import svm
from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.kundu2010.samples import similarities

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

    index = np.arange(len(S))[:, None]
    function = clone(model).set_params(similarity=Entries(S)).fit(index[TRAIN], y[TRAIN])
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


TREATED = [
    *(ModifiedSVM(m, solver="svm") for m in ("clip", "flip", "shift")),
    SpectrumSVM(eta=1e-2, gamma=0.1, tol=1e-4),
    LearnedKernelSVM(eta=1e-2, gamma=0.1),
    RobustSVM(rho=0.5),
]


@pytest.mark.parametrize("model", TREATED, ids=lambda m: getattr(m, "modification", type(m)))
def test_every_method_of_table_1_takes_every_treatment_it_has(given, model):
    S, y = given
    train, test = split(S)
    fitted = clone(model).fit(train, y[TRAIN])
    own = {
        "raw": test.T,
        "linear": fitted._transformation() @ test.T,
        "nearest": np.stack([prediction.nearest(fitted.kernel_, s, 1.0)[0] for s in test], axis=1),
    }
    for treatment in fitted.treatments:
        k = fitted.set_params(treatment=treatment)._columns(test)
        assert fitted.score(test, y[TEST]) >= 0.5
        if treatment in own:
            assert k == pytest.approx(own[treatment], abs=1e-9)
        else:  # Wu et al.: the last column of the whole, modified
            whole = np.block([[train, test[:1].T], [test[:1], np.ones((1, 1))]])
            assert k[:, 0] == pytest.approx(fitted._modify(whole)[:-1, -1], abs=1e-12)
            # ... and of the training samples alone it is the kernel
            K = fitted._modify(fitted.similarities_)
            assert pytest.approx(fitted.kernel_, abs=1e-4) == K
    # k = As: a training sample has its column of K, the same as in training
    fitted.set_params(treatment="linear")
    assert fitted._columns(train) == pytest.approx(fitted.kernel_, abs=1e-8)


def test_the_rank_one_update_is_K_star(given):
    S, y = given
    train, _ = split(S)
    fitted = RobustSVM(C=2.0, rho=0.3).fit(train, y[TRAIN])
    problem = chen2009.RobustMachine(train, y[TRAIN], 2.0, 0.3)
    for alpha in (fitted.solution_.variables["alpha"], np.linspace(0, 2, 30)):
        made = prediction.updated(train, y[TRAIN] * alpha, 1 / (4 * 0.3))
        assert made == pytest.approx(problem.K_star(alpha), abs=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_where_the_similarity_is_a_kernel_no_treatment_moves_a_sample(scale):
    """A kernel of all samples, and a price at which K is S: every k is s."""
    rng = np.random.default_rng(1)
    B, y = rng.normal(size=(26, 40)), np.where(np.arange(26) % 2, 1.0, -1.0)
    S = scale * (B @ B.T / 40 + 0.5 * np.outer(y, y))
    np.fill_diagonal(S, S.max())
    S[np.diag_indices(26)] *= 1.5
    train, test = S[:16, :16], S[16:, :16]
    C = 1 / scale
    for model in (
        *(ModifiedSVM(m, C, solver="svm") for m in ("clip", "flip", "shift")),
        RobustSVM(C=C, rho=1e5 / scale**2 * C),
    ):
        fitted = model.fit(train, y[:16])
        for treatment in fitted.treatments:
            k = fitted.set_params(treatment=treatment)._columns(test)
            assert k == pytest.approx(test.T, abs=1e-4 * scale)


def test_equal_samples_are_treated_alike():
    """S of rank 8 for 16 samples, each twice: S⁺ is of what is left."""
    S, y = similarity(8, kind="random", seed=2)
    S, y = np.tile(S, (2, 2)), np.tile(y, 2)
    np.fill_diagonal(S, 1.0)
    S[:8, 8:][np.diag_indices(8)] = S[8:, :8][np.diag_indices(8)] = 1.0
    for model in TREATED:
        fitted = clone(model).set_params(self_similarity=1.0).fit(S, y)
        for treatment in set(fitted.treatments) - {"augmented"}:
            k = fitted.set_params(treatment=treatment)._columns(S)
            assert np.isfinite(k).all()
            assert k[:, :8] == pytest.approx(k[:, 8:], abs=1e-8)


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
        (SpectrumSVM(treatment="augmented"), "treatment: expected one of linear, nearest, raw"),
        (LearnedKernelSVM(treatment="none"), "treatment"),
        (RobustSVM(treatment=None), "treatment"),
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
    with pytest.raises(InputError, match="X: expected a symmetric matrix"):
        RobustSVM().fit(S + np.triu(S), y)
    uneven = S + np.diag(np.arange(len(S)))
    fitted = RobustSVM().fit(uneven, y)
    with pytest.raises(InputError, match="self_similarity"):
        fitted.predict(uneven)
    assert fitted.set_params(self_similarity=1.0).predict(uneven).shape == y.shape


def test_the_regularizer_follows_the_cross_validation_error():
    rng = np.random.default_rng(0)
    y = np.tile([1.0, -1.0], 20)
    noise = 0.1 * rng.normal(size=(40, 40))
    good, bad = np.outer(y, y), rng.normal(size=(40, 2))
    # The labels are in a negative eigenvalue: clip loses them, flip does not.
    S = -good + 0.2 * bad @ bad.T + (noise + noise.T) / 2
    chosen, errors = selected_regularizer(S, y, [1.0], folds=5)
    assert chosen == "flip"
    assert errors["flip"] < errors["clip"]
    # A semidefinite similarity: nothing to clip or to flip, a tie.
    chosen, errors = selected_regularizer(good + bad @ bad.T, y, [1.0], folds=5)
    assert chosen == "both"
    assert errors["clip"] == errors["flip"]
    # The labels in a positive eigenvalue, noise in the negative ones: flip learns the noise.
    wide = rng.normal(size=(40, 30))
    S = 0.05 * good + 0.1 * bad @ bad.T - 2 * (wide @ wide.T) / 30
    chosen, errors = selected_regularizer(S, y, [1.0], folds=5)
    assert chosen == "clip"
    assert errors["clip"] < errors["flip"]


# -- Section 4 of kundu2010 ------------------------------------------------------------------------


def test_every_method_of_section_4_learns_what_the_similarities_tell():
    S, y = similarities(60, 2, kind="random", seed=1)
    index = np.arange(60)[:, None]
    one, each = Entries(S.mean(axis=0)), Entries(np.moveaxis(S, 0, -1))
    descent = {"similarity": each, "algorithm": True, "tol": 1e-2}
    for model in (
        *(ModifiedSVM(m, treatment="nearest", similarity=one) for m in ("clip", "flip", "shift")),
        RobustSVM(rho=0.1, similarity=one),
        *(
            SimilarityMKL("ESKL", rho=rho, loss=loss, **descent)
            for loss, rho in (("L1", 0.02), ("L2", 0.5), ("L3", 0.1))
        ),
        SimilarityMKL("EMKL", rho=0.5, loss="L2", **descent),
        SimilarityMKL("EMKL", rho=0.1, loss="L3", **descent),
        SimilarityMKL("REKL", rho=0.5, **descent),
    ):
        assert model.fit(index[:30], y[:30]).score(index[30:], y[30:]) >= 0.85, model


def test_a_kernel_for_a_similarity_makes_all_of_them_the_support_vector_machine():
    """With S ⪰ 0 and m = 1 denoise, flip and shift are S itself; ρ → ∞ with τ = trace S too.

    The samples are those of one definite kernel: its own columns are consistent, and (8) keeps
    them.
    """
    rng = np.random.default_rng(2)
    B, y = rng.normal(size=(30, 40)), np.where(np.arange(30) % 2, 1.0, -1.0)
    S = B @ B.T / 40 + 0.5 * np.outer(y, y)
    train, test = np.arange(14), np.arange(14, 30)
    inside, across = S[np.ix_(train, train)], S[np.ix_(train, test)]
    assert kundu2010.nearest(inside, across, S[test, test]) == pytest.approx(across, abs=1e-9)
    c = y[train] * svm(inside, y[train], 1.0)
    expected = c @ (across - across[:, :1])  # whatever b is
    index, psi = np.arange(30)[:, None], {"similarity": Entries(S)}
    stiff = {"rho": 1e4, **psi}
    for model, off in (
        *((ModifiedSVM(m, treatment="nearest", **psi), 1e-6) for m in ("clip", "flip", "shift")),
        (RobustSVM(**stiff), 1e-2),
        (SimilarityMKL(loss="L3", algorithm=True, tol=1e-3, **stiff), 1e-2),
    ):
        f = model.fit(index[train], y[train]).decision_function(index[test])
        assert f - f[0] == pytest.approx(expected, abs=off)


def test_nearest_columns_where_the_extended_map_fails(shared_data):
    """Aural Sonar, half of it for training, as `kundu2010.prediction` says."""
    path = shared_data / "aural_sonar.npz"
    if not path.is_file():
        pytest.skip(f"no file {path}")
    with np.load(path) as file:
        S, y = file["S"], file["y"].astype(float)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:50], order[50:]
    inside, across = S[np.ix_(train, train)], S[np.ix_(test, train)]
    model = SimilarityMKL(rho=0.1, loss="L3", algorithm=True, tol=1e-2).fit(inside, y[train])
    assert model.score(across, y[test]) >= 0.85
    assert RobustSVM(rho=0.1).fit(inside, y[train]).score(across, y[test]) >= 0.85
    extended = kundu2010.columns(model.kernel_, inside, across.T)
    labels = prediction.predict(model.coef_, model.intercept_, extended)
    assert np.mean(labels == y[test]) < 0.5

"""Rows of the studies are what their names say."""

from __future__ import annotations

import numpy as np

from cvxkernel.validation.chen2009.samples import similarity
from cvxkernel.validation.studies import chen2009, kundu2010, study, tang2009, ye2008
from cvxkernel.validation.studies.data import Data
from cvxkernel.validation.studies.study import Fit
from cvxkernel.validation.studies.ye2008 import regularization


def test_the_rows_of_chen2009_differ_in_what_they_are_called_after():
    S, y = similarity(24, kind="random", seed=0)
    treatments = {m: chen2009._asked(m, S, y, 0)[0] for m in chen2009.METHODS if "w/" in m}
    assert treatments["SVM w/ shift"].treatment == "raw"
    assert treatments["SVM w/ shift, k = As"].treatment == "linear"
    assert {m.modification for m in treatments.values()} == {"clip", "flip", "shift"}
    assert treatments["SVM w/ flip"].treatment == "linear"


def test_a_fold_of_the_linear_machine_has_features_of_its_own_samples_alone():
    tags = chen2009.SimilaritiesAsFeatures().__sklearn_tags__()
    assert tags.input_tags.pairwise


def test_one_fit_of_every_paper_that_needs_no_file():
    rng = np.random.default_rng(0)
    S, y = similarity(40, kind="random", seed=1)
    S = (S - S.min()) / np.ptp(S)
    np.fill_diagonal(S, 1.0)
    told = chen2009.measure(Fit("s", "aural_sonar", "SVM w/ flip", 0), Data("d", S, y))
    assert 0 <= told["error"] <= 100
    assert "raw error" in told
    told = kundu2010.measure(Fit("s", "aural_sonar", "Denoise", 0), Data("d", S, y))
    assert {"accuracy", "F-score", "C"} <= set(told)
    digits = np.repeat(np.arange(3.0), 110)
    X = rng.normal(size=(330, 5)) + digits[:, None]
    told = tang2009.measure(Fit("s", "usps:2%", "Same", 0), Data("usps", X, digits))
    assert told["accuracy"] > 50
    assert sum(told[k] for k in tang2009.KERNELS) <= 1 + 1e-9


def test_rkda_on_one_kernel_is_chosen_by_its_folds():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=60) > 0, 1.0, -1.0)
    for method in ye2008.CHOSEN:
        told = ye2008.measure(Fit("s", "sonar", method, 0), Data("sonar", X, y))
        assert told["alone"][told["kernel"] - 1] == round(told["accuracy"], 4)
        assert told["accuracy"] > 60


def test_noisy_similarities_are_indefinite():
    rng = np.random.default_rng(2)
    S = kundu2010.noisy(rng.normal(size=(50, 4)), rng)
    assert np.array_equal(S, S.T)
    assert np.linalg.eigvalsh(S)[0] < -0.1


def test_the_spectra_are_of_the_matrix_and_its_blocks_have_its_mean():
    S, y = similarity(48, kind="random", seed=3)
    told = chen2009.seen(Fit("s", "voting", "S", 0), Data("voting", S, y))
    assert told["spectrum"] == sorted(told["spectrum"], reverse=True)
    assert np.isclose(sum(told["spectrum"]), np.trace(S))
    assert told["positive"] + told["negative"] <= 48
    assert told["least"] < 0 < told["largest"]
    assert np.isclose(np.mean(told["blocks"]), S.mean())


def test_a_time_is_a_multiple_of_one_row_on_the_same_split():
    table = study("ye2008-table16")
    seconds = {"SILP_θ": [2.0, 4.0], "QCQP_θ": [20.0, 20.0]}
    records = [
        {"study": table.id, "data": "wine:3", "method": m, "split": i, "measures": {"time": t}}
        for m, row in seconds.items()
        for i, t in enumerate(row)
    ]
    cells = table.cells(records)
    assert cells["QCQP_θ", "wine:3", "time"].values == (10.0, 5.0)
    assert cells["SILP_θ", "wine:3", "time"].values == (1.0, 1.0)
    assert np.isclose(cells["QCQP_θ", "wine:3", "time"].printed, 1.15 / 0.30)


def test_labels_and_classes_are_drawn_until_each_is_there():
    rng = np.random.default_rng(4)
    Y = np.array([rng.random(60) < 0.2, rng.random(60) < 0.8]).astype(float)
    X = rng.normal(size=(60, 3)) + Y.T @ np.ones((2, 3))
    fit = Fit("s", "yeast_multilabel:10%", "Same", 0)
    told = tang2009.differing(fit, Data("yeast_multilabel", X, Y))
    assert 0 <= told["score"] <= 100
    assert told["width"] <= 1e-4


def test_a_curve_oscillates_if_it_rises_and_falls():
    assert regularization.oscillates([80, 81, 80])
    assert not regularization.oscillates([80, 80, 70])

"""Section 4 of Kundu et al. (2010): Tables 1 and 2."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.metrics import f1_score

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import gaussian_half
from cvxkernel.solvers.estimators import ModifiedSVM, RobustSVM, SimilarityMKL
from cvxkernel.validation.kundu2010.claims.tables import TABLE_1, TABLE_2
from cvxkernel.validation.studies.data import NOT_TO_BE_HAD, Data
from cvxkernel.validation.studies.protocol import (
    LIMIT,
    normalized,
    per_class,
    right,
    searched,
)
from cvxkernel.validation.studies.study import Cells, Fit, Measures, Sentence, Study, Unrun

CS, RHOS = (0.1, 1.0, 10.0), (0.01, 0.1, 1.0)
FOLDS = 5
NOISE = 0.1
TOL = 1e-3  # of ESKL; a thousandth is what mirror descent promises
METHODS = ("Denoise", "Flip", "Shift", "IndSVM", "ESKL L1", "ESKL L2", "ESKL L3")
UCI = {"Sonar": "sonar", "Liver disorder": "liver", "Ionosphere": "ionosphere",
       "Diabetes": "pima", "Heart": "heart"}  # fmt: skip


def measure(fit: Fit, data: Data) -> Measures:
    """One method on one split, as many positive as negative samples in each part."""
    rng = np.random.default_rng(fit.split)
    fewest = int(np.unique(data.y, return_counts=True)[1].min())
    some = per_class(data.y, fewest, seed=fit.split)
    y = data.y[some]
    S = data.X[np.ix_(some, some)] if fit.data == "aural_sonar" else noisy(data.X[some], rng)
    parts = [rng.permutation(np.flatnonzero(y == c)) for c in np.unique(y)]
    tested = round(0.2 * fewest)
    test = np.sort(np.concatenate([part[:tested] for part in parts]))
    train = np.sort(np.concatenate([part[tested:] for part in parts]))
    own, across = S[np.ix_(train, train)], S[np.ix_(test, train)]
    model, grid = _asked(fit.method)
    model.set_params(self_similarity=1.0)
    search = searched(model, grid, own, y[train], folds=FOLDS, seed=fit.split)
    told: Measures = {
        "accuracy": right(search, across, y[test]),
        "F-score": 100 * float(f1_score(y[test], search.predict(across))),
        "width": search.best_estimator_.solution_.width,
    }
    return {**told, **search.best_params_}


def noisy(X: Array, rng: np.random.Generator) -> Array:
    """Our reading of the similarities of [16]: a Gaussian kernel on z-scores, and noise.

    The width is the median distance; the noise is 0.1 times the symmetric part of standard normal
    deviates, with which the matrix is indefinite.
    """
    Z = normalized(X, "z-scores")
    E = rng.standard_normal((len(Z), len(Z)))
    S = gaussian_half(Z, float(np.median(pdist(Z)))) + NOISE * (E + E.T) / 2
    return np.asarray(S)


def _asked(method: str) -> tuple[Any, dict[str, Any]]:
    names = {"Denoise": "clip", "Flip": "flip", "Shift": "shift"}
    if method in names:
        treatment = "raw" if method == "Shift" else "linear"
        model: Any = ModifiedSVM(names[method], treatment=treatment, solver="svm", tol=1e-4)
        return model, {"C": CS}
    if method == "IndSVM":
        return RobustSVM(tol=1e-4, limit=LIMIT), {"C": CS, "rho": RHOS}
    loss = method.rpartition(" ")[2]
    return SimilarityMKL(loss=loss, tol=TOL, limit=LIMIT), {"C": CS, "rho": RHOS}


def best_loss(case: str, loss: str) -> Sentence:
    """Which loss has the highest accuracy."""

    def agrees(cells: Cells) -> bool | None:
        means = [cells[f"ESKL {each}", case, "accuracy"].mean for each in ("L1", "L2", "L3")]
        own = cells[f"ESKL {loss}", case, "accuracy"].mean
        known = [m for m in means if m is not None]
        return None if own is None or len(known) < 3 else own >= max(known)

    return Sentence(f"on {case} ESKL works best with the {loss} loss function", agrees)


def _printed(table: dict[str, Any], names: dict[str, str]) -> dict[Any, Any]:
    return {
        (method, names.get(name, name), measure): (float(rows[i][j]), None)
        for name, rows in table.items()
        for i, measure in enumerate(("accuracy", "F-score"))
        for j, method in enumerate(METHODS)
    }


CHOICES = (
    "A split: as many samples of each class as the smaller has, a fifth of them tested; that the "
    "printed accuracies are multiples of 1/n says as much.",
    f"Five stratified folds over C in {CS} and ρ in {RHOS}; τ is the trace of the clipped S.",
    "Test samples: k = As for Denoise and Flip, k = s for Shift, (8) of chen2009 for IndSVM and "
    "ESKL; ψ(x, x) = 1.",
    "ESKL is (4), proved to a thousandth, IndSVM luss2007 without a trace.",
)
TABLE_ONE = Study(
    id="kundu2010-table1",
    where="Table 1",
    about="accuracy and F-score on UCI data with noisy similarities, our reading of its [16]",
    data=tuple(UCI.values()),
    methods=METHODS,
    measure=measure,
    splits=5,
    quick=1,
    columns=("accuracy", "F-score"),
    printed=_printed(TABLE_1, UCI),
    choices=(
        *CHOICES,
        "The similarities are our reading of the paper's [16], not its: a Gaussian kernel of the "
        f"median width on z-scores, plus {NOISE} times the symmetric part of normal deviates.",
    ),
    sentences=(best_loss("liver", "L2"),),
    why=(
        "It does not come out: heart is 10 to 20 points above the printed rows, pima up to 13, "
        "ionosphere by Flip and Shift 5 to 9 below. The similarities are our reading, and so is "
        "their noise: on these data the rows tell of that more than of the methods.",
        "ESKL was run on one split of sonar, and with L1 on one of liver: its 45 fits take "
        "minutes where the other rows take seconds.",
    ),
)
TABLE_TWO = Study(
    id="kundu2010-table2",
    where="Table 2",
    about="accuracy and F-score on Aural Sonar",
    data=("aural_sonar",),
    methods=METHODS,
    measure=measure,
    splits=5,
    quick=1,
    columns=("accuracy", "F-score"),
    printed=_printed(TABLE_2, {"AuralSonar": "aural_sonar"}),
    choices=CHOICES,
    missing={
        "Amazon": NOT_TO_BE_HAD["Amazon"],
        "Yeast-SW-5-7": NOT_TO_BE_HAD["Yeast-5-7"],
        "Yeast-SW-5-12": NOT_TO_BE_HAD["Yeast-5-12"],
    },
    sentences=(best_loss("aural_sonar", "L3"),),
    why=(
        "With 20 test samples a split and five splits, the rows are within their standard errors "
        "of each other and of the printed ones: which loss is best cannot be told.",
    ),
)

STUDIES = (TABLE_ONE, TABLE_TWO)
UNRUN = (
    Unrun(
        "kundu2010-table3",
        "Table 3",
        "eight superfamilies of proteins, three similarities: EMKL, REKL and others",
        f"SCOP {NOT_TO_BE_HAD['SCOP proteins']}",
    ),
)

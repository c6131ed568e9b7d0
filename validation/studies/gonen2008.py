"""Section 4 of Gönen and Alpaydın (2008): Table 1, Figure 3. GAUSS4 has a command of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import wilcoxon
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split

from cvxkernel.solvers.estimators import KernelBank, LocalizedMKL, SharedMKL
from cvxkernel.validation.gauss4 import BASE, GRID
from cvxkernel.validation.studies.data import NOT_TO_BE_HAD, Data
from cvxkernel.validation.studies.protocol import LIMIT, TOL, five_by_two, right
from cvxkernel.validation.studies.study import (
    Cells,
    Fit,
    Measures,
    Sentence,
    Study,
    Unrun,
    common,
)

LEVEL = 0.05
METHODS = {"SVM K_P": "P", "SVM K_G": "G", "MKL K_P-K_G": "PG", "LMKL K_P-K_G": "PG",
           "SVM K_L": "L", "LMKL K_L-K_L-K_L": "LLL"}  # fmt: skip


def measure(fit: Fit, data: Data) -> Measures:
    """One of ten halves: trained with every C, measured on the other half and on the test set.

    A third is the test set, one for all; the rest is halved five times.
    """
    X, X_test, y, y_test = train_test_split(
        data.X, data.y, test_size=1 / 3, stratify=data.y, random_state=0
    )
    folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)
    train, rest = list(folds.split(X, y))[fit.split]
    bank = KernelBank(
        [BASE[name] for name in (METHODS | PICTURED)[fit.method]], scale="z-scores", trace=1.0
    )
    told: Measures = {"validation": [], "test": [], "SV by C": [], "width": 0.0}
    if fit.method in PICTURED:
        told["weights by C"] = []
    for C in GRID:
        model = _machine(fit, bank, C).fit(X[train], y[train])
        told["validation"].append(right(model, X[rest], y[rest]))
        told["test"].append(right(model, X_test, y_test))
        told["SV by C"].append(100 * len(model.support_) / len(train))
        told["width"] = max(told["width"], model.solution_.width)
        if fit.method in PICTURED:
            told["weights by C"].append(float(model.weights_.reshape(-1)[-1]))
    return told


def _machine(fit: Fit, bank: KernelBank, C: float) -> Any:
    if fit.method.startswith("LMKL"):
        return LocalizedMKL(bank, C=C, search=False, random_state=fit.split, tol=TOL)
    return SharedMKL(bank, C=C, tol=TOL, limit=LIMIT)


def best_C(halves: list[Measures]) -> list[Measures]:
    """C by the average accuracy on the validation halves, the same for all."""
    best = int(np.mean([half["validation"] for half in halves], axis=0).argmax())
    names = {"accuracy": "test", "SV": "SV by C", "last weight": "weights by C"}
    return [
        {"C": GRID[best]} | {name: half[by][best] for name, by in names.items() if by in half}
        for half in halves
    ]


SETS = {"banana": "BANANA", "german": "GERMANNUMERIC", "heart": "HEART", "ionosphere": "IONOSPHERE",
        "liver": "LIVERDISORDER", "pima": "PIMA", "ringnorm": "RINGNORM", "sonar": "SONAR",
        "spambase": "SPAMBASE", "wdbc": "WDBC"}  # fmt: skip
TABLE_1 = {  # accuracy and support vectors by method, per cent
    "banana": [56.51, 75.99, 83.57, 92.67, 81.99, 93.39, 83.84, 83.97, 59.18, 93.99, 81.39, 54.03],
    "german": [71.80, 54.17, 68.65, 58.44, 73.32, 84.89, 73.92, 80.90, 74.58, 97.09, 75.09, 57.21],
    "heart": [72.78, 73.89, 77.67, 79.11, 75.78, 87.89, 79.44, 81.44, 78.33, 67.00, 77.00, 58.44],
    "ionosphere": [
        91.54, 38.55, 94.36, 61.71, 93.68, 64.10, 93.33, 53.33, 86.15, 36.58, 87.86, 49.06],
    "liver": [60.35, 69.83, 64.26, 74.43, 63.39, 93.57, 64.87, 92.52, 64.78, 85.65, 64.78, 78.35],
    "pima": [66.95, 24.26, 71.91, 74.26, 72.62, 80.39, 72.89, 73.63, 70.04, 100.0, 73.98, 53.09],
    "ringnorm": [
        70.66, 53.91, 98.82, 40.68, 98.86, 57.68, 98.69, 56.69, 76.91, 78.68, 78.92, 52.53],
    "sonar": [65.29, 67.54, 72.71, 73.48, 80.29, 89.57, 79.57, 90.00, 73.86, 68.41, 77.14, 60.43],
    "spambase": [
        84.18, 47.92, 79.80, 49.50, 90.46, 57.47, 91.41, 58.24, 85.98, 77.43, 91.18, 34.93],
    "wdbc": [88.73, 27.11, 94.44, 54.74, 95.50, 58.11, 95.98, 42.95, 95.08, 13.11, 94.34, 21.89],
}  # fmt: skip
PICTURED = {"MKL K_L-K_P": "LP", "LMKL K_L-K_P": "LP", "LMKL K_L-K_L-K_L": "LLL"}
PRINTED_3 = ((70.52, 82.36), (84.46, 41.28), (81.39, 54.03))  # accuracy and support vectors
PAIRS = {"different": ("LMKL K_P-K_G", "MKL K_P-K_G"), "linear": ("LMKL K_L-K_L-K_L", "SVM K_L")}


def significant(case: str, pair: tuple[str, str], column: str, sign: int, quote: str) -> Sentence:
    """By the 5×2 cv F test LMKL is better (sign +1: larger), or, sign 0, similar."""

    def agrees(cells: Cells) -> bool | None:
        a, b = common(*(cells[method, case, column] for method in pair))
        if len(a) < 10:
            return None
        level = five_by_two(a, b)
        better = sign * (np.mean(a) - np.mean(b)) > 0
        return level > LEVEL if sign == 0 else bool(level <= LEVEL and better)

    return Sentence(quote, agrees)


def over_sets(pair: tuple[str, str], column: str, sign: int, quote: str) -> Sentence:
    """Wilcoxon's signed rank test over the data sets that are there, six at the least."""

    def agrees(cells: Cells) -> bool | None:
        gains = []
        for case in SETS:
            ours, theirs = (cells[method, case, column].mean for method in pair)
            if ours is not None and theirs is not None:
                gains.append(sign * (ours - theirs))
        if len(gains) < 6:
            return None
        return bool(np.mean(gains) > 0 and wilcoxon(gains).pvalue <= LEVEL)

    return Sentence(quote, agrees)


STUDY = Study(
    id="gonen2008-table1",
    where="Table 1",
    about="accuracy and support vectors of SVM, MKL and LMKL on ten data sets",
    data=("heart", "sonar", "liver", "ionosphere", "wdbc", "pima", "german", "banana", "spambase",
          "ringnorm"),
    methods=tuple(METHODS),
    measure=measure,
    splits=10,
    columns=("accuracy", "SV"),
    printed={
        (method, case, column): (row[2 * i + j], None)
        for case, row in TABLE_1.items()
        for i, method in enumerate(METHODS)
        for j, column in enumerate(("accuracy", "SV"))
    },
    choices=(
        "Features are z-scores by the training half; kernels have unit trace there, as printed.",
        "The test third and the halves are scikit-learn's, random_state 0; Algorithm 1 starts from "
        "0.01 times normal deviates seeded by the half, 50 steps of 0.01.",
        "MKL has weights that add up to one, proved optimal; LMKL is not convex: what is proved is "
        "J at its gating.",
        "Means and errors are over the ten halves of one test set, as the paper's are.",
    ),
    reduce=best_C,
    why=(
        "The ten halves share one test set: the standard errors are of the halves, and leave "
        "out which third was drawn. With 69 to 190 test samples that alone is 2 to 6 points, "
        "for ours and for theirs; differences in standard errors are to be read with that in "
        "mind.",
        "C is at the edge of the paper's set, 100, for every machine but the linear ones on "
        "heart: with unit trace the box binds nearly everywhere.",
    ),
    sentences=(
        *(significant(case, PAIRS["different"], "accuracy", 0,
                      f"LMKL achieves statistically similar accuracies compared with MKL ({case})")
          for case in SETS),
        *(significant(case, PAIRS["different"], "SV", -1,
                      f"LMKL stores significantly fewer support vectors on {case}")
          for case in ("heart", "pima", "wdbc")),
        *(significant(case, PAIRS["linear"], "accuracy", 1,
                      f"three linear kernels: accuracy is significantly improved on {case}")
          for case in ("banana", "pima", "spambase")),
        over_sets(PAIRS["different"], "SV", -1,
                  "over the data sets LMKL stores significantly fewer support vectors than MKL"),
        over_sets(PAIRS["linear"], "accuracy", 1,
                  "over the data sets LMKL is significantly more accurate than canonical SVM"),
    ),
)  # fmt: skip


def on_banana(column: str, holds: Callable[[float, float], bool]) -> Callable[[Cells], bool | None]:
    """Of what MKL and LMKL with K_L-K_P come to."""

    def agrees(cells: Cells) -> bool | None:
        mkl, lmkl = (cells[method, "banana", column].mean for method in list(PICTURED)[:2])
        return None if mkl is None or lmkl is None else holds(mkl, lmkl)

    return agrees


FIGURE_3 = Study(
    id="gonen2008-figure3",
    where="Figure 3",
    about="banana: MKL and LMKL with linear kernels",
    data=("banana",),
    methods=tuple(PICTURED),
    measure=measure,
    splits=10,
    quick=1,
    columns=("accuracy", "SV", "last weight"),
    printed={
        (method, "banana", column): (number, None)
        for method, row in zip(PICTURED, PRINTED_3, strict=True)
        for column, number in zip(("accuracy", "SV"), row, strict=True)
    }
    | {("MKL K_L-K_P", "banana", "last weight"): (1.0, None)},
    choices=STUDY.choices,
    reduce=best_C,
    sentences=(
        Sentence(
            "MKL assigns 1.00 to K_P ignoring the linear kernel",
            on_banana("last weight", lambda mkl, _: mkl >= 0.995),
        ),
        Sentence(
            "The average testing accuracy increases from 70.52 to 84.46 per cent (by ten or more)",
            on_banana("accuracy", lambda mkl, lmkl: lmkl >= mkl + 10),
        ),
        Sentence(
            "the support vector count is halved (0.55 or less)",
            on_banana("SV", lambda mkl, lmkl: lmkl <= 0.55 * mkl),
        ),
    ),
)

STUDIES = (STUDY, FIGURE_3)
UNRUN = (
    Unrun(
        "gonen2008-gauss4",
        "Section 4.1, Figures 1 and 2",
        "GAUSS4: SVM, MKL and LMKL",
        "by `cvxkernel gauss4`",
        documented="10 of 10",
        state="–",
    ),
    Unrun(
        "gonen2008-table2",
        "Table 2",
        "Arabidopsis and Vertebrates: SVM, MKL and LMKL",
        NOT_TO_BE_HAD["Arabidopsis, Vertebrates"],
    ),
)

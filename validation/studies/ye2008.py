"""Section 5 of Ye, Ji and Chen (2008): Tables 2 to 15 and 17."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sklearn.svm import SVC

from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import centre
from cvxkernel.formulations.ye2008 import RKDA
from cvxkernel.formulations.ye2008.data import Near, Scatter
from cvxkernel.solvers.estimators import DiscriminantMKL, KernelBank, MarginMKL, gaussians
from cvxkernel.validation.studies.data import Data
from cvxkernel.validation.studies.protocol import (
    LIMIT,
    TOL,
    halves,
    normalized,
    per_class,
    right,
    searched,
)
from cvxkernel.validation.studies.store import Record
from cvxkernel.validation.studies.study import Cells, Fit, Measures, Sentence, Study
from cvxkernel.validation.ye2008.claims.printed import ACCURACY, SUPPORT

LAM = 5e-4
LAMS = tuple(np.logspace(-8, 0, 9).tolist())  # for kernels of unit centred trace
CS = tuple(np.logspace(-2, 4, 7).tolist())
FOLDS = 5
PER_CLASS = 100

# Of the six readings of "normalized" and of the Gaussian kernel, z-scores, [0, 1] or the file's
# numbers with exp(-d²/2σ²) or exp(-d²/σ²), the one whose learned θᵢrᵢ are nearest to the printed
# row of SILP_θ (sum of absolute differences, three splits). No accuracy was looked at for it.
READINGS: Mapping[str, tuple[str, str]] = {
    "sonar": ("z-scores", "gaussian_half"),  # 0.15 away
    "heart": ("unit", "gaussian_half"),  # 0.20
    "ionosphere": ("unit", "gaussian_half"),  # 1.13
    "cancer": ("unit", "gaussian"),  # 0.72
    "wine": ("unit", "gaussian"),  # 0.72
    "usps": ("z-scores", "gaussian_half"),  # 1.41
    "satimage": ("z-scores", "gaussian_half"),  # 0.73
    "segment": ("z-scores", "gaussian_half"),  # 0.74
    "waveform": ("z-scores", "gaussian"),  # 1.31
}

TWO = {
    "SDP_θ": DiscriminantMKL(lam=LAM, program="ye2008-thm2.1"),
    "SDP_θ,λ": DiscriminantMKL(lam="learned", program="ye2008-eq41"),
    "QCQP_θ": DiscriminantMKL(lam=LAM, program="ye2008-thm2.2"),
    "QCQP_θ,λ": DiscriminantMKL(lam="learned", program="ye2008-eq43"),
    "SILP_θ": DiscriminantMKL(lam=LAM, program="ye2008-thm2.3"),
    "SILP_θ,λ": DiscriminantMKL(lam="learned", program="ye2008-eq44"),
    "SDP_Kim": DiscriminantMKL(lam=1e-8, program="kim2006"),
    "SM1": MarginMKL(C=1.0, norm=1),
    "SM2": MarginMKL(C=1.0, norm=2),
    "SM2_C": MarginMKL(C="learned", norm=2),
}
MANY = {
    "SDP_θ": DiscriminantMKL(lam=LAM, program="ye2008-thm3.1"),
    "SDP_θ,λ": DiscriminantMKL(lam="learned", program="ye2008-eq45"),
    "QCQP_θ": DiscriminantMKL(lam=LAM, program="ye2008-thm3.2"),
    "QCQP_θ,λ": DiscriminantMKL(lam="learned", program="ye2008-eq46"),
    "SILP_θ": DiscriminantMKL(lam=LAM, program="ye2008-thm3.3"),
    "SILP_θ,λ": DiscriminantMKL(lam="learned", program="ye2008-eq47"),
}
CHOSEN = ("RKDA_K,λ", "SVM_K,C")


def measure(fit: Fit, data: Data) -> Measures:
    """One method on one random partition: 8:2 with two classes, 6:4 with more."""
    name, _, classes = fit.data.partition(":")
    X, y, (how, kernel) = data.X, data.y, READINGS[name]
    if classes:
        some = np.isin(y, np.unique(y)[: int(classes)])
        X, y = X[some], y[some]
        if name != "wine":
            drawn = per_class(y, PER_CLASS, seed=0)
            X, y = X[drawn], y[drawn]
    train, test = halves(len(y), 0.6 if classes else 0.8, fit.split)
    bank = KernelBank(gaussians(name=kernel))
    Z = normalized(X, how)
    K, k = bank.fit_transform(Z[train]), bank.transform(Z[test])
    if fit.method in CHOSEN:
        return chosen(fit, K, k, y[train], y[test])
    made = (MANY if classes else TWO)[fit.method]
    model = type(made)(**made.get_params() | {"kernels": "precomputed", "tol": TOL, "limit": LIMIT})
    model.fit(K, y[train])
    told: Measures = {"accuracy": right(model, k, y[test]), "width": model.solution_.width}
    shares = model.weights_
    if isinstance(model, DiscriminantMKL) and fit.method != "SDP_Kim":
        shares = shares * np.trace(centre(np.moveaxis(K, -1, 0)), axis1=1, axis2=2)
    told |= {"weights": shares.round(6).tolist()}
    if isinstance(model, MarginMKL):
        told |= {"support": len(model.support_), "share": 100 * len(model.support_) / len(train)}
    else:
        told["lam"] = model.lam_
    return told


def chosen(fit: Fit, K: Array, k: Array, y: Array, truth: Array) -> Measures:
    """RKDA or SVM with kernel and parameter by cross-validation; and each kernel alone."""
    alone = []
    for i in range(K.shape[2]):
        pair = (K[:, :, i], k[:, :, i], y, truth)
        alone.append(_rkda(*pair, fit.split) if fit.method == CHOSEN[0] else _svm(*pair, fit.split))
    best = int(np.argmax([validated for validated, _ in alone]))
    return {
        "accuracy": alone[best][1],
        "kernel": best + 1,
        "alone": [round(accuracy, 4) for _, accuracy in alone],
    }


def _svm(K: Array, k: Array, y: Array, truth: Array, seed: int) -> tuple[float, float]:
    search = searched(SVC(kernel="precomputed"), {"C": CS}, K, y, folds=FOLDS, seed=seed)
    return float(search.best_score_), right(search, k, truth)


def _rkda(K: Array, k: Array, y: Array, truth: Array, seed: int) -> tuple[float, float]:
    search = searched(OneKernelRKDA(), {"lam": LAMS}, K, y, folds=FOLDS, seed=seed)
    return float(search.best_score_), right(search, k, truth)


class OneKernelRKDA(DiscriminantMKL):
    """RKDA on one kernel: nothing is learned but the classifier, θ being 1/r."""

    def __init__(self, *, lam: float = LAM) -> None:
        super().__init__("precomputed", lam=lam)

    def fit(self, X: Array, y: Array) -> OneKernelRKDA:
        """The classifier alone."""
        K = self._fit_bank(X)
        index = self._classes(y, K.shape[1], binary=False)
        try:
            problem = Scatter(K, index.astype(float))
        except InputError:
            raise ValueError("a kernel that is constant to rounding") from None
        # No end is computed from this: the doubles will do, however near to a constant.
        problem.__dict__["near"] = Near(problem.kernels, np.zeros(1))
        self.classifier_ = RKDA.fit(problem, 1 / problem.r, self.lam)  # type: ignore[arg-type]
        return self


# -- The tables ------------------------------------------------------------------------------------

TABLES = {
    "2": "sonar", "3": "heart", "4": "ionosphere", "5": "cancer",
    "6": "usps:3", "7": "usps:6", "8": "usps:8", "9": "wine:3", "10": "satimage:3",
    "11": "satimage:5", "12": "satimage:6", "13": "segment:3", "14": "segment:4",
    "15": "waveform:3",
}  # fmt: skip
CHOICES = (
    "Partitions are uniform, not stratified: numpy's default_rng(split).",
    "Kernels and the normalization of the data: per data set, the reading nearest to the printed "
    "weights (READINGS); features are normalized on the whole data set, before the partition.",
    "SDP_Kim classifies by α* below (4), b at the midpoint of the projected class means, as RKDA.",
    f"Cross-validation: {FOLDS} folds, λ in 1e-8 … 1 on kernels of unit centred trace, C in "
    "0.01 … 10000, ties to the smaller kernel and parameter.",
    f"Every program is proved to a relative width of {TOL:g}.",
)
DRAWN = (f"{PER_CLASS} samples of each class, drawn once; the paper says so of USPS alone.",)


WHY = {
    "2": (
        "Of two classes, SDP_θ, QCQP_θ and SILP_θ are one program (Theorems 2.1 to 2.3), and "
        "ours come to one optimum: where the printed rows differ, a printed solver had stopped "
        "before it.",
        "All rows are below the printed ones, those with a learned kernel by three points, "
        "those by cross-validation by one and a half, on the same partitions. Partitions alone "
        "do not explain the former; we do not know what does.",
    ),
    "4": (
        "SDP_Kim is five points above the printed row, whose λ = 1e-8 leaves a solver in doubles "
        "little room; ours is proved.",
        "Where λ is learned to be zero and samples are equal, our enclosure stays wide: "
        "such fits are not counted.",
    ),
    "6": (
        "All rows, also those by cross-validation, are one and a half to two points below the "
        "printed ones: which 100 digits of each class were drawn, and how they were normalized, "
        "is not printed. None of our readings comes near the printed weights, so the scale is "
        "another.",
    ),
    "3": (
        "RKDA_K,λ is five points above the printed row: the paper does not print its set of λ, "
        'and that of the other rows, 5e-4, was "tuned manually".',
    ),
}


def similar(methods: tuple[str, ...], points: float) -> Sentence:
    """All of these within so many points of each other."""

    def agrees(cells: Cells, _: Sequence[Record]) -> bool | None:
        means = [c.mean for (m, _, _), c in cells.items() if m in methods and c.mean is not None]
        return max(means) - min(means) <= points if len(means) == len(methods) else None

    quote = (
        "formulations that optimize λ jointly achieve similar accuracies to the ones with λ fixed"
    )
    return Sentence(f"{quote} (within {points:g} points)", agrees)


def table(number: str, case: str) -> Study:
    """Tables 2 to 15, less the weights."""
    many = ":" in case
    methods = (*(MANY if many else TWO), *CHOSEN)
    printed = {
        (method, case, "accuracy"): (float(mean), float(deviation))
        for method, (mean, deviation) in zip(methods, ACCURACY[f"Table {number}"], strict=True)
    }
    return Study(
        id=f"ye2008-table{number}",
        where=f"Table {number}",
        about=f"{case.replace(':', ', classes: ')}: test accuracy of {len(methods)} methods",
        data=(case,),
        methods=methods,
        measure=measure,
        splits=30,
        printed=printed,
        choices=CHOICES + (DRAWN if many and case != "wine:3" else ()),
        sentences=(similar(tuple(MANY), 1.5),),
        why=WHY.get(number, ()),
    )


MACHINES = ("SM1", "SM2", "SM2_C")
TABLE_17 = Study(
    id="ye2008-table17",
    where="Table 17",
    about="support vectors of the soft margin machines, and their percentage",
    data=("sonar", "heart", "ionosphere", "cancer"),
    methods=MACHINES,
    measure=measure,
    splits=30,
    columns=("support", "share"),
    printed={
        (method, name, column): (float(SUPPORT[i][1 + 2 * j + (column == "share")]), None)
        for i, name in enumerate(("sonar", "heart", "ionosphere", "cancer"))
        for j, method in enumerate(MACHINES)
        for column in ("support", "share")
    },
    choices=(*CHOICES[:2], "A support vector has α above a millionth of the largest."),
    why=(
        "SM1 and SM2_C come out to a few samples. SM2 does not: ours has as many support "
        "vectors as SM1, the printed one up to a third fewer. The paper adapted another's code "
        "for the 2-norm and does not print where it puts C.",
        "SM2_C on cancer, and on some partitions of ionosphere, has no proof: C is learned to "
        "be infinite, equal samples make the kernels singular, and our upper end is then "
        "infinite.",
    ),
)

STUDIES = (*(table(*each) for each in TABLES.items()), TABLE_17)

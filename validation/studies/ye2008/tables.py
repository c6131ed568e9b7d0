"""Tables 2 to 15 and 17: accuracy, weights, support vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
from cvxkernel.validation.studies.study import Cells, Fit, Measures, Sentence, Study
from cvxkernel.validation.ye2008.claims.printed import ACCURACY, SUPPORT, WEIGHTS
from cvxkernel.validation.ye2008.claims.printed import CHOSEN as SELECTED

LAM = 5e-4
LAMS = tuple(np.logspace(-8, 0, 9).tolist())  # for kernels of unit centred trace
CS = tuple(np.logspace(-2, 4, 7).tolist())
FOLDS = 5
PER_CLASS = 100
Printed = dict[tuple[str, str, str], tuple[float, float | None]]
THETAS = tuple(f"θ{i}" for i in range(1, 11))

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


def prepared(fit: Fit, data: Data, draw: int = 0) -> tuple[Array, Array, Array, Array]:
    """Kernels (n, n, p) and labels of one random partition: 8:2 with two classes, 6:4 with more.

    The kernels of the training samples, those of the test samples, and both labels. `draw` is the
    seed of the samples of each class that are taken at all.
    """
    name, _, classes = fit.data.partition(":")
    X, y, (how, kernel) = data.X, data.y, READINGS[name]
    if classes:
        some = np.isin(y, np.unique(y)[: int(classes)])
        X, y = X[some], y[some]
        if name != "wine":
            drawn = per_class(y, PER_CLASS, seed=draw)
            X, y = X[drawn], y[drawn]
    train, test = halves(len(y), 0.6 if classes else 0.8, fit.split)
    bank = KernelBank(gaussians(name=kernel))
    Z = normalized(X, how)
    return bank.fit_transform(Z[train]), bank.transform(Z[test]), y[train], y[test]


def measure(fit: Fit, data: Data) -> Measures:
    """One method on one random partition."""
    K, k, y, truth = prepared(fit, data)
    classes = ":" in fit.data
    if fit.method in CHOSEN:
        return chosen(fit, K, k, y, truth)
    made = (MANY if classes else TWO)[fit.method]
    model = type(made)(**made.get_params() | {"kernels": "precomputed", "tol": TOL, "limit": LIMIT})
    model.fit(K, y)
    told: Measures = {"accuracy": right(model, k, truth), "width": model.solution_.width}
    shares = model.weights_
    if isinstance(model, DiscriminantMKL) and fit.method != "SDP_Kim":
        shares = shares * np.trace(centre(np.moveaxis(K, -1, 0)), axis1=1, axis2=2)
    told |= {"weights": shares.round(6).tolist()}
    if isinstance(model, MarginMKL):
        told |= {"support": len(model.support_), "share": 100 * len(model.support_) / len(y)}
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


DRAWING = (
    "Which 100 samples of each class are drawn is not printed, and matters more than the "
    "partitions, whose scatter the standard errors tell: see `ye2008-draws`, where ten draws are "
    "compared. The rows by cross-validation differ from the printed ones alike."
)
WHY = {
    "2": (
        "Of two classes, SDP_θ, QCQP_θ and SILP_θ are one program (Theorems 2.1 to 2.3), and "
        "ours come to one optimum. The printed SDP_θ is what a negligible λ gives, as in the rows "
        "with λ learned; QCQP_θ and SILP_θ are as for a larger one (`ye2008-table2`).",
        "All rows are below the printed ones, those with a learned kernel by three points, "
        "those by cross-validation by one and a half, on the same partitions. Partitions alone "
        "do not explain the former; we do not know what does.",
    ),
    "4": (
        "SDP_Kim is five points above the printed row, whose λ = 1e-8 leaves a solver in doubles "
        "little room; ours is proved.",
    ),
    "5": (
        "SDP_Kim is 24 points above the printed row. We do not know why: with the λ = 1e-8 of "
        "section 5.1, which ours has, a solver in doubles has little room; but as transcribed the "
        "row has 5.0e-4 (`ye2008-kim-lam`).",
    ),
    "6": (
        DRAWING,
        "None of our readings comes near the printed weights of USPS, so the scale is another.",
    ),
    "10": (DRAWING,),
    "14": (
        "QCQP_θ,λ was not run: at the time most of its fits found no proof. On one split libsvm "
        "takes minutes at the largest C, which is why SVM_K,C has fewer.",
    ),
    "11": (
        DRAWING,
        "But none of the ten draws comes to the printed accuracies of five classes of satimage: "
        "the order of the classes or their scale must be another. We do not know which.",
    ),
    "3": (
        "RKDA_K,λ is five points above the printed row: the paper does not print its set of λ, "
        'and that of the other rows, 5e-4, was "tuned manually".',
    ),
}


SIMILAR = 1.5  # points


def means(cells: Cells, methods: Sequence[str], measure: str = "accuracy") -> list[float] | None:
    """Of these rows, on the one data set of the table; None where one was not run."""
    found = [c.mean for (m, _, name), c in cells.items() if m in methods and name == measure]
    known = [mean for mean in found if mean is not None]
    return known if len(known) == len(methods) else None


def jointly(cells: Cells) -> bool | None:
    """Each program with λ learned is near the one with λ fixed."""
    pairs = [means(cells, [f"{name}_θ", f"{name}_θ,λ"]) for name in ("SDP", "QCQP", "SILP")]
    known = [abs(pair[0] - pair[1]) for pair in pairs if pair is not None]
    return max(known) <= SIMILAR if len(known) == len(pairs) else None


def validated(cells: Cells) -> bool | None:
    """The six on the average are near the two by cross-validation."""
    six, two = means(cells, tuple(MANY)), means(cells, CHOSEN)
    if six is None or two is None:
        return None
    return abs(float(np.mean(six) - np.mean(two))) <= SIMILAR


def all_similar(cells: Cells) -> bool | None:
    """The twelve are near each other."""
    every = means(cells, (*TWO, *CHOSEN))
    return None if every is None else max(every) - min(every) <= 2 * SIMILAR


def weighing(
    rows: Sequence[str], holds: Callable[[Sequence[float]], bool], fewest: int | None = None
) -> Callable[[Cells], bool | None]:
    """Whether it holds of the ten shares of every row, or of so many rows at the least."""

    def agrees(cells: Cells) -> bool | None:
        verdicts = []
        for row in rows:
            shares = [means(cells, (row,), name) for name in THETAS]
            if None in shares:
                return None
            verdicts.append(holds([share[0] for share in shares if share is not None]))
        return sum(verdicts) >= (len(rows) if fewest is None else fewest)

    return agrees


def largest(count: int, among: set[int]) -> Callable[[Sequence[float]], bool]:
    """The largest so many shares are of these kernels."""
    return lambda shares: {int(i) + 1 for i in np.argsort(shares)[-count:]} <= among


JOINTLY = Sentence(
    "formulations that optimize λ jointly achieve similar accuracies to the ones with λ fixed "
    f"(within {SIMILAR:g} points)",
    jointly,
)
VALIDATED = Sentence(
    "the proposed formulations have similar performance with approaches based on double "
    f"cross-validation (on the average within {SIMILAR:g} points)",
    validated,
)
TWELVE = Sentence(
    f"all the twelve compared methods achieve similar performance (within {2 * SIMILAR:g} points)",
    all_similar,
)
ABOUT_WEIGHTS = {
    "2": (
        Sentence(
            "methods using linear combination of kernels favor kernels corresponding to θ5 and θ6",
            weighing(tuple(TWO), largest(2, {5, 6})),
        ),
    ),
    "3": (
        Sentence(
            "all the ten MKL formulations give the first kernel a large weight (a quarter or more)",
            weighing(tuple(TWO), lambda shares: shares[0] >= 0.25),
        ),
        Sentence(
            "Our six formulations all give kernels corresponding to θ1 and θ10 large weights (the "
            "two largest)",
            weighing(tuple(MANY), largest(2, {1, 10})),
        ),
        Sentence(
            "SVM-based MKL formulations all set θ10 to zero",
            weighing(("SM1", "SM2", "SM2_C"), lambda shares: shares[9] < 5e-4),
        ),
    ),
    "4": (
        Sentence(
            "θ5 is assigned a zero weight by nine out of the ten MKL-based methods",
            weighing(tuple(TWO), lambda shares: shares[4] < 5e-4, fewest=9),
        ),
    ),
    "5": (
        Sentence(
            "MKL-based formulations tend to assign a large weight to the kernel corresponding to "
            "θ2 (the largest, in most rows)",
            weighing(tuple(TWO), largest(1, {2}), fewest=6),
        ),
    ),
}


def with_weights(measured: list[Measures]) -> list[Measures]:
    """Shares of the kernels by name; of a cross-validated row, which kernel was selected."""
    told = []
    for measures in measured:
        shares = np.zeros(len(THETAS))
        if "kernel" in measures:
            shares[measures["kernel"] - 1] = 1.0
        else:
            weights = np.asarray(measures["weights"])
            shares = weights[: len(THETAS)] / max(float(weights[: len(THETAS)].sum()), 1e-300)
        told.append(measures | dict(zip(THETAS, shares.tolist(), strict=True)))
    return told


def printed_weights(number: str, case: str) -> Printed:
    """The six formulations' θ to sum one, and how often cross-validation selected a kernel."""
    rows: dict[str, Array] = dict(zip(MANY, WEIGHTS[f"Table {number}"][:, :10], strict=True))
    rows |= dict(zip(CHOSEN, SELECTED[f"Table {number}"], strict=True))
    return {
        (method, case, name): (float(share), None)
        for method, row in rows.items()
        for name, share in zip(THETAS, row / row.sum(), strict=True)
    }


def table(number: str, case: str) -> Study:
    """One of Tables 2 to 15."""
    many = ":" in case
    methods = (*(MANY if many else TWO), *CHOSEN)
    printed: Printed = {
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
        details=THETAS,
        reduce=with_weights,
        printed=printed | printed_weights(number, case),
        choices=CHOICES + (DRAWN if many and case != "wine:3" else ()),
        sentences=(
            JOINTLY,
            VALIDATED,
            *(() if many else (TWELVE,)),
            *ABOUT_WEIGHTS.get(number, ()),
        ),
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
        "SM1 and SM2_C come out to a few samples, but on cancer have 15 more of 546: samples are "
        "equal there, and how α is divided among them is the solver's. SM2 does not come out: ours "
        "has as many support vectors as SM1, the printed one up to two fifths fewer. The paper "
        "adapted another's code for the 2-norm and does not print where it puts C.",
    ),
)

STUDIES = (*(table(*each) for each in TABLES.items()), TABLE_17)

"""The toy experiment of gonen2008, section 4.1: GAUSS4, its protocol, and what comes out.

A random third is the test set. The other two thirds are halved five times, with stratification:
ten pairs of a training and a validation set. C is the one of best average accuracy on the
validation sets; the machines trained with it on the ten training sets are tested. Algorithm 1
takes 50 steps of 0.01 from one start.

Kernels have unit trace on the training set, as printed; or, our second reading, trace n, an average
diagonal of one: with unit trace and C ≤ 100 the box binds nearly everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split

from cvxkernel.formulations import kernels
from cvxkernel.formulations.gonen2008 import Discriminant, Gated, Localized, support
from cvxkernel.formulations.gonen2008.prediction import Kernel
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.solvers import GatingDescent, solve
from cvxkernel.solvers.method import Progress
from cvxkernel.solvers.svm import svm
from cvxkernel.validation.gonen2008.samples import gauss4, gauss4_bayes

Trace = Literal["1", "n"]
GRID = (0.01, 0.1, 1.0, 10.0, 100.0)


def base(name: str, X: Array, trace: Trace) -> Kernel:
    """K_L, K_P (q = 2) or K_G (s the average nearest-neighbour distance), of this trace on X."""
    s = kernels.neighbour_distance(X)
    made: dict[str, Kernel] = {
        "L": lambda Z, W: kernels.linear(Z, W),
        "P": lambda Z, W: kernels.polynomial(Z, 2, W),
        "G": lambda Z, W: kernels.gaussian(Z, s, W),
    }
    unit = float(np.trace(made[name](X, X))) / (1 if trace == "1" else len(X))
    return lambda Z, W: made[name](Z, W) / unit


@dataclass(frozen=True, eq=False)
class Trained:
    """A discriminant, the share of the training set that are support vectors, the weights."""

    decide: Callable[[Array], Array]
    support: float
    weights: Array  # of the kernels; for LMKL the average gates on the training set


Fit = Callable[..., Trained]  # of X, y, C, trace and seed


def fit_svm(names: str, X: Array, y: Array, C: float, trace: Trace, seed: int) -> Trained:
    """One kernel; with more of them, the weights of lanckriet2004-sm1, which add up to one here."""
    bases = [base(name, X, trace) for name in names]
    K = np.stack([k(X, X) for k in bases])
    p = len(K)
    weights = np.ones(1)
    if p > 1:
        # Equal traces: sm1 has Σμ = p and is twice 1ᵀα - (p/2)maxᵢαᵀG(Kᵢ)α. In α' = pα that is
        # 2/p times the program with weights μ/p, which add up to one, and the box pC: hence C/p.
        weights = solve("lanckriet2004-sm1", SoftMargin(K, y, C / p)).variables["mu"] / p
    combined = np.tensordot(weights, K, axes=1)
    alpha = svm(combined, y, C)

    def together(Z: Array, W: Array) -> Array:
        return np.asarray(sum(w * k(Z, W) for w, k in zip(weights, bases, strict=True)))

    # One kernel has one gate, which is 1 everywhere.
    alone = Gated(combined[None], y, X, C, np.zeros((1, X.shape[1])), np.zeros(1))
    decide = Discriminant.fit(alone, alpha, [together])
    return Trained(decide, float(support(alpha, C).mean()), weights)


def fit_lmkl(names: str, X: Array, y: Array, C: float, trace: Trace, seed: int) -> Trained:
    """Algorithm 1 as in section 4."""
    bases = [base(name, X, trace) for name in names]
    problem = Localized(np.stack([k(X, X) for k in bases]), y, X, C)
    method = GatingDescent(search=False, starts=1, seed=seed)
    *_, last = method.path(problem, *method.start(problem, 0))
    decide = Discriminant.fit(last.at, last.alpha, bases)
    return Trained(decide, float(support(last.alpha, C).mean()), last.at.eta.mean(axis=1))


MACHINES: Mapping[str, Fit] = {
    "SVM (K_L)": partial(fit_svm, "L"),
    "SVM (K_P)": partial(fit_svm, "P"),
    "SVM (K_G)": partial(fit_svm, "G"),
    "MKL (K_L-K_P)": partial(fit_svm, "LP"),
    "LMKL (K_L-K_P)": partial(fit_lmkl, "LP"),
    "LMKL (K_L-K_L-K_L)": partial(fit_lmkl, "LLL"),
}

# What section 4.1 reports: test accuracy and support vectors in per cent, weights.
PAPER: Mapping[str, tuple[float | None, float | None, tuple[float, ...] | None]] = {
    "SVM (K_G)": (89.67, 100.0, None),
    "MKL (K_L-K_P)": (None, None, (0.30, 0.70)),
    "LMKL (K_L-K_L-K_L)": (92.00, 23.18, None),
}


@dataclass(frozen=True)
class Row:
    """One machine: averages over the training sets, with the C of best validation accuracy."""

    trace: Trace
    machine: str
    C: float
    accuracy: float  # on the test set, in per cent
    deviation: float  # of the accuracies of the training sets
    support: float  # support vectors, in per cent of a training set
    weights: tuple[float, ...]
    validation: tuple[float, ...]  # in per cent, by C of the grid
    test: tuple[float, ...]  # the same on the test set, for every C


@dataclass(frozen=True)
class Toy:
    """The experiment: how many points, how many times halved, which C are tried, the seed."""

    seed: int = 0
    n: int = 1200
    repeats: int = 5
    grid: tuple[float, ...] = GRID

    def data(self) -> tuple[Array, Array, Array, Array]:
        """X and y of what is resampled, then of the test set."""
        X, y = gauss4(self.n, seed=self.seed)
        X, X_test, y, y_test = train_test_split(
            X, y, test_size=1 / 3, stratify=y, random_state=self.seed
        )
        return X, y, X_test, y_test

    def bayes(self) -> float:
        """How much of the test set the densities' ratio itself gets right, in per cent."""
        _, _, X, y = self.data()
        return percent(gauss4_bayes(X), y)

    def rows(
        self,
        machines: Sequence[str] = tuple(MACHINES),
        traces: Sequence[Trace] = ("1", "n"),
        *,
        progress: Progress | None = None,
    ) -> Iterator[Row]:
        """Each machine in turn, with kernels of unit trace, then of trace n."""
        X, y, X_test, y_test = self.data()
        folds = RepeatedStratifiedKFold(n_splits=2, n_repeats=self.repeats, random_state=self.seed)
        pairs = list(folds.split(X, y))
        for trace, name in product(traces, machines):
            trained: list[list[Trained]] = []
            for C in self.grid:
                if progress is not None:
                    progress(f"trace {trace}, {name}, C = {C:g}")
                fit = partial(MACHINES[name], C=C, trace=trace)
                trained.append([fit(X[i], y[i], seed=k) for k, (i, _) in enumerate(pairs)])
            validation = np.array(
                [
                    [percent(m.decide(X[j]), y[j]) for m, (_, j) in zip(ms, pairs, strict=True)]
                    for ms in trained
                ]
            )
            test = np.array([[percent(m.decide(X_test), y_test) for m in ms] for ms in trained])
            best = int(validation.mean(axis=1).argmax())
            yield Row(
                trace,
                name,
                self.grid[best],
                float(test[best].mean()),
                float(test[best].std(ddof=1)),
                100 * float(np.mean([m.support for m in trained[best]])),
                tuple(np.mean([m.weights for m in trained[best]], axis=0).tolist()),
                tuple(validation.mean(axis=1).tolist()),
                tuple(test.mean(axis=1).tolist()),
            )


def percent(f: Array, y: Array) -> float:
    """How many signs are right, in per cent; f = 0 counts as positive."""
    return 100 * float(np.mean(np.where(f >= 0, 1.0, -1.0) == y))

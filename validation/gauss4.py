"""The toy experiment of gonen2008, section 4.1: GAUSS4, its protocol, and what comes out.

A random third is the test set. The other two thirds are halved five times, with stratification:
ten pairs of a training and a validation set. C is the one of best average accuracy on the
validation sets; the machines trained with it on the ten training sets are tested. Algorithm 1
takes 50 steps of 0.01 from one start.

Kernels have unit trace on the training set, as printed; or, our second reading, trace n, an average
diagonal of one: with unit trace and C ≤ 100 the box binds nearly everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split

from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.estimators import KernelBank, LocalizedMKL, SharedMKL
from cvxkernel.solvers.method import Progress
from cvxkernel.validation.gonen2008.samples import gauss4, gauss4_bayes

Trace = Literal["1", "n"]
GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
# K_L, K_P (q = 2) and K_G (s the average nearest-neighbour distance)
BASE = {
    "L": "linear",
    "P": ("polynomial", {"q": 2}),
    "G": ("gaussian", {"sigma": "neighbour"}),
}
MACHINES: Mapping[str, str] = {
    "SVM (K_L)": "L",
    "SVM (K_P)": "P",
    "SVM (K_G)": "G",
    "MKL (K_L-K_P)": "LP",
    "LMKL (K_L-K_P)": "LP",
    "LMKL (K_L-K_L-K_L)": "LLL",
}


def bank(names: str, trace: Trace) -> KernelBank:
    """These kernels, of unit trace on the training set or of trace n."""
    return KernelBank([BASE[name] for name in names], trace=1.0 if trace == "1" else "n")


def machine(name: str, C: float, trace: Trace, seed: int) -> Any:
    """One of `MACHINES`; LMKL by Algorithm 1 as in section 4, the others proved optimal."""
    kernels = bank(MACHINES[name], trace)
    if name.startswith("LMKL"):
        return LocalizedMKL(kernels, C=C, search=False, random_state=seed)
    return SharedMKL(kernels, C=C)


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
        return 100 * float(np.mean(np.where(gauss4_bayes(X) >= 0, 1.0, -1.0) == y))

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
            trained = []
            for C in self.grid:
                if progress is not None:
                    progress(f"trace {trace}, {name}, C = {C:g}")
                each = [machine(name, C, trace, k) for k in range(len(pairs))]
                trained.append([m.fit(X[i], y[i]) for m, (i, _) in zip(each, pairs, strict=True)])
            validation = 100 * np.array(
                [
                    [m.score(X[j], y[j]) for m, (_, j) in zip(ms, pairs, strict=True)]
                    for ms in trained
                ]
            )
            test = 100 * np.array([[m.score(X_test, y_test) for m in ms] for ms in trained])
            best = int(validation.mean(axis=1).argmax())
            yield Row(
                trace,
                name,
                self.grid[best],
                float(test[best].mean()),
                float(test[best].std(ddof=1)),
                100 * float(np.mean([len(m.support_) for m in trained[best]]) / len(pairs[0][0])),
                tuple(np.mean([m.weights_.reshape(-1) for m in trained[best]], axis=0).tolist()),
                tuple(validation.mean(axis=1).tolist()),
                tuple(test.mean(axis=1).tolist()),
            )

"""What the protocols have in common: splits, scales, cross-validation by a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f, wilcoxon
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import minmax_scale, scale

from cvxkernel.formulations.inputs import Array

Index = NDArray[np.int64]
TOL, LIMIT = 1e-4, 300.0  # of every fit in a study: relative width, seconds


def halves(n: int, share: float, seed: int) -> tuple[Index, Index]:
    """A random part of so many, and the rest."""
    order = np.random.default_rng(seed).permutation(n)
    m = round(share * n)
    return np.sort(order[:m]), np.sort(order[m:])


def per_class(y: Array, size: int, seed: int) -> Index:
    """So many samples of every class, at random."""
    rng = np.random.default_rng(seed)
    some = [rng.choice(np.flatnonzero(y == c), size, replace=False) for c in np.unique(y)]
    return np.sort(np.concatenate(some))


def normalized(X: Array, how: str) -> Array:
    """ "z-scores", "unit" (every column to [0, 1]) or "raw"; a constant column stays constant."""
    if how == "raw":
        return X
    return np.asarray(scale(X) if how == "z-scores" else minmax_scale(X))


def searched(
    model: Any, grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: Array, y: Array, *, folds: int, seed: int,
) -> GridSearchCV:  # fmt: skip
    """The best of a grid by stratified cross-validation; a fit that cannot be proved loses."""
    fewest = int(np.unique(y, return_counts=True)[1].min())
    split = StratifiedKFold(min(folds, fewest), shuffle=True, random_state=seed)
    return GridSearchCV(model, grid, cv=split, error_score=-1.0).fit(X, y)


def right(model: Any, X: Array, y: Array) -> float:
    """The accuracy, in per cent."""
    return 100 * float(np.mean(model.predict(X) == y))


def wilcoxon_worse(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The level at which a one-sided Wilcoxon signed-rank test says that ours is larger."""
    if np.array_equal(ours, theirs):
        return 1.0
    return float(wilcoxon(ours, theirs, alternative="greater").pvalue)


def five_by_two(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Alpaydın's combined 5×2 cv F test: the level of "there is no difference".

    The ten numbers come in pairs, the two halves of each of five repetitions.
    """
    p = (np.asarray(ours) - np.asarray(theirs)).reshape(5, 2)
    spread = float(np.sum((p - p.mean(axis=1, keepdims=True)) ** 2))
    if spread == 0:
        return 1.0 if not p.any() else 0.0
    return float(f.sf(np.sum(p**2) / (2 * spread), 10, 5))


def seconds() -> float:
    """Of the processor, by this process and by those it has waited for."""
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))

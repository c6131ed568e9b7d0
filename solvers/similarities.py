"""Classifiers on a similarity matrix: what section 4 of chen2009 compares, and how it selects h.

S (n, n) holds the similarities of the training samples, s (n, m) those of m test samples to them.
Every function returns labels -1 and +1 for the columns of s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.chen2009 import prediction, spectrum
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.svm import svm

Modification = Callable[[Array], Array]  # of the eigenvalues λ: the a of A = U diag(a)Uᵀ


def nearest_neighbours(S: Array, y: Array, s: Array, k: int = 1) -> Array:
    """k-NN, the nearest being the most similar; scikit-learn's, on max S - S as a distance."""
    top = max(float(S.max()), float(s.max()))
    model = KNeighborsClassifier(n_neighbors=k, metric="precomputed", algorithm="brute")
    labels: Array = model.fit(top - S, y).predict((top - s).T)
    return labels


def linear_machine(S: Array, y: Array, s: Array, C: float = 1.0) -> Array:
    """The linear SVM with the rows of S as features."""
    labels: Array = SVC(C=C, kernel="linear").fit(S, y).predict(s.T)
    return labels


def modified_machine(S: Array, y: Array, s: Array, modify: Modification, C: float = 1.0) -> Array:
    """The SVM on K = AS, A = U diag(a)Uᵀ with a = modify(λ), its test columns being k = As."""
    lam, U = spectrum.eigen(S)
    A = spectrum.compose(modify(lam), U)
    K = spectrum.compose(modify(lam) * lam, U)
    alpha = svm(K, y, C)
    b = bounds.offset(y * (K @ (y * alpha)), y)
    return prediction.predict(y * alpha, b, A @ s)


def select_regularizer(
    S: Array, y: Array, Cs: Sequence[float], *, folds: int = 10, seed: int = 0
) -> tuple[str, dict[str, float]]:
    """Section 3.4: "clip", "flip", or "both" where they tie; and the two cross-validation errors.

    The error of a modification is its least over `Cs`.
    """
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    errors = {}
    for name, modify in (("clip", spectrum.a_clip), ("flip", spectrum.a_flip)):
        wrong = np.zeros(len(Cs))
        for train, test in split.split(S, y):
            inside, across = S[np.ix_(train, train)], S[np.ix_(train, test)]
            for i, C in enumerate(Cs):
                found = modified_machine(inside, y[train], across, modify, C)
                wrong[i] += float(np.sum(found != y[test]))
        errors[name] = float(wrong.min()) / len(y)
    if errors["clip"] == errors["flip"]:
        return "both", errors
    return min(errors, key=lambda name: errors[name]), errors

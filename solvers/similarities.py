"""Classifiers on similarities: what section 4 of chen2009 compares, and section 4 of kundu2010.

S (n, n) holds the similarities of the training samples, s (n, t) those of t test samples to them,
and psi (t,) those of the test samples to themselves. In `Comparison` there are m of each.
Every classifier returns labels -1 and +1 for the columns of s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.chen2009 import RobustMachine, prediction, spectrum
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra, nearest
from cvxkernel.formulations.kundu2010 import bounds as kundu2010
from cvxkernel.solvers import solve
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
    return kernel_machine(K, y, A @ s, C)


def kernel_machine(K: Array, y: Array, k: Array, C: float = 1.0) -> Array:
    """The SVM on a kernel, its test columns being k."""
    alpha = svm(K, y, C)
    b = bounds.offset(y * (K @ (y * alpha)), y)
    return prediction.predict(y * alpha, b, k)


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
                labels = modified_machine(inside, y[train], across, modify, C)
                wrong[i] += float(np.sum(labels != y[test]))
        errors[name] = float(wrong.min()) / len(y)
    if errors["clip"] == errors["flip"]:
        return "both", errors
    return min(errors, key=lambda name: errors[name]), errors


@dataclass(frozen=True, eq=False)
class Comparison:
    """Section 4 of kundu2010: S (m, n, n), y (n,), s (m, n, t), psi (m, t), and the parameters.

    A baseline, and ESKL, meets the test samples through the average similarity. Every learned K
    is met by the nearest columns k that are consistent with it, (8) of chen2009.
    τ is the trace of the denoised average where none is given.
    """

    S: Array
    y: Array
    s: Array
    psi: Array
    C: float = 1.0
    rho: Mapping[str, float] = field(default_factory=lambda: {"L1": 0.02, "L2": 0.5, "L3": 0.1})
    tau: float | None = None
    tol: float = 1e-2  # of mirror descent: labels need no more

    @property
    def average(self) -> Array:
        """The average similarity."""
        mean: Array = self.S.mean(axis=0)
        return mean

    @property
    def trace(self) -> float:
        """τ"""
        return float(np.trace(spectrum.clip(self.average))) if self.tau is None else self.tau

    def baseline(self, modify: Callable[[Array], Array]) -> Array:
        """Denoise, flip or shift: `spectrum.clip`, `flip`, `shift` of the average similarity."""
        return self._labels(modify(self.average))

    def linear(self) -> Array:
        """The linear SVM with the similarities as features."""
        return linear_machine(self.average, self.y, self.s.mean(axis=0), self.C)

    def robust(self, rho: float | None = None) -> Array:
        """IndSVM: luss2007, (2) without a trace, on the average similarity."""
        rho = self.rho["L3"] if rho is None else rho
        problem = RobustMachine(self.average, self.y, self.C, rho)
        return self._labels(solve("luss2007", problem).variables["K"])

    def eskl(self, loss: str) -> Array:
        """Algorithm 1 with L1, L2 or L3: one kernel for all similarities."""
        problem = Similarities(self.S, self.y, self.C, self.rho[loss], self.trace, loss)
        return self._labels(solve("kundu2010-alg1", problem, tol=self.tol).variables["K"])

    def emkl(self, loss: str) -> Array:
        """Algorithm 2: the SVM of Σᵢ Kᵢ/γᵢ, its columns Σᵢ kᵢ/γᵢ."""
        problem = Similarities(self.S, self.y, self.C, self.rho[loss], self.trace, loss)
        learned = solve("kundu2010-alg2", problem, tol=self.tol).variables
        return self._combined(learned["K"], learned["gamma"])

    def rekl(self) -> Array:
        """Algorithm 3, the same with kernels that keep the eigenvectors of the similarities."""
        problem = Spectra(self.S, self.y, self.C, self.rho["L2"], self.trace)
        learned = solve("kundu2010-alg3", problem, tol=self.tol).variables
        return self._combined(kundu2010.combine(problem, learned["mu"]), learned["gamma"])

    def _labels(self, K: Array) -> Array:
        k = nearest(K, self.s.mean(axis=0), self.psi.mean(axis=0))
        return kernel_machine(K, self.y, k, self.C)

    def _combined(self, K: Array, gamma: Array) -> Array:
        k = np.stack([nearest(*each) for each in zip(K, self.s, self.psi, strict=True)])
        weights = 1 / np.maximum(gamma, kundu2010.SMALLEST_GAMMA)
        total, columns = (np.einsum("i,ijk->jk", weights, each) for each in (K, k))
        return kernel_machine(total, self.y, columns, self.C)

"""What every estimator has: a program solved at `fit`, and what is known of it afterwards.

    solution_          the Solution, with its enclosure, variables, solver and seconds
    lower_, upper_     both ends of the optimum
    weights_           of the kernels, where kernels are combined
    classes_           as scikit-learn has them

An estimator that could not prove its optimum to `tol` raises SolverError at `fit`; what is wrong
with a parameter is an InputError, a ValueError, that names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import LabelError, ShapeError
from cvxkernel.formulations.gonen2008 import support
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.estimators.bank import bank_of
from cvxkernel.solvers.route import solve

Flags = NDArray[np.bool_]


@dataclass(eq=False, repr=False, kw_only=True)
class Solved(BaseEstimator):  # type: ignore[misc]
    """The parameters that every estimator has.

    tol        : the relative width to which the optimum is proved; None: what is promised
    solver     : as in `solve`
    limit      : seconds for one `fit`
    warm_start : start from the last solution, where the solver can: along a grid of λ or C
    """

    tol: float | None = None
    solver: str | None = None
    limit: float | None = None
    warm_start: bool = False

    def _solve(self, id: str, problem: Any) -> None:
        start = None
        size = (problem.n, getattr(problem, "p", 1), getattr(problem, "k", 1))
        last, known = getattr(self, "solution_", None), getattr(self, "_size", None)
        if self.warm_start and last is not None and (last.formulation, known) == (id, size):
            start = last.variables
        self._keep(
            solve(id, problem, solver=self.solver, tol=self.tol, limit=self.limit, start=start)
        )
        self._size: Any = size

    def _keep(self, solution: Any) -> None:
        self.solution_ = solution
        self.lower_, self.upper_ = solution.lower, solution.upper

    def _support(self, alpha: Array, C: float = np.inf) -> NDArray[np.int64]:
        return np.flatnonzero(support(alpha, C))


@dataclass(eq=False, repr=False, kw_only=True)
class SolvedClassifier(ClassifierMixin, Solved):  # type: ignore[misc]
    """One that predicts classes."""

    def _classes(self, y: Any, n: int, *, binary: bool) -> NDArray[np.int64]:
        """The index of each sample's class."""
        if y is None:
            raise LabelError(
                "y", "labels (it requires y to be passed, but the target y is None)", "None"
            )
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if len(y) != n:
            raise ShapeError("y", f"shape ({n},), one label per sample", f"shape {y.shape}")
        self.classes_, index = np.unique(y, return_inverse=True)
        inputs.check_classes("y", len(self.classes_))
        if binary and len(self.classes_) > 2:
            what = f"The type of the target is {type_of_target(y)}."
            told = f"{len(self.classes_)}. Only binary classification is supported. {what}"
            raise LabelError("y", "two classes", told)
        return np.asarray(index)

    def _signs(self, y: Any, n: int) -> Array:
        """±1, the larger label being +1."""
        return np.where(self._classes(y, n, binary=True) == 1, 1.0, -1.0)

    def predict(self, X: Any) -> Any:
        """The label of each row: the sign of the decision function, or its largest column."""
        check_is_fitted(self)
        f = self.decision_function(X)
        best = (f >= 0).astype(int) if f.ndim == 1 else f.argmax(axis=1)
        return self.classes_[best]

    def decision_function(self, X: Any) -> Array:
        """f(x): (n_samples,) for two classes, (n_samples, k) for more."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class Banked(Solved):
    """One whose kernels come from a bank.

    kernels : a list, "precomputed" or a `KernelBank`; see `cvxkernel.solvers.estimators.bank`
    """

    kernels: Any = None

    def _fit_bank(self, X: Any) -> Array:
        """(p, n, n) of the training samples."""
        self.bank_ = bank_of(self.kernels)
        K = self.bank_.stack_of_fit(X)
        self._take_features()
        return K

    def _stack(self, X: Any) -> Array:
        """(p, n_samples, n_train) of any samples."""
        check_is_fitted(self)
        return self.bank_.stack(X)

    def _take_features(self) -> None:
        self.n_features_in_ = self.bank_.n_features_in_
        if hasattr(self.bank_, "feature_names_in_"):
            self.feature_names_in_ = self.bank_.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = bank_of(self.kernels).is_precomputed
        tags.input_tags.three_d_array = tags.input_tags.pairwise
        return tags


@dataclass(eq=False, repr=False)
class BankClassifier(SolvedClassifier, Banked):
    """Both."""

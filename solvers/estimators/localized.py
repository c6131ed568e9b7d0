"""Estimators with gates: gonen2008, its machines for classes, and section 3.2's for the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin, RegressorMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import ParameterError, ShapeError
from cvxkernel.formulations.gonen2008 import (
    Discriminant,
    Localized,
    LocalizedOneClass,
    LocalizedRegression,
)
from cvxkernel.formulations.gonen2008.data import gates
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.estimators.solved import BankClassifier, Banked
from cvxkernel.solvers.localized import MACHINES, GatingDescent

BORDER = 1e-9  # of ρ: nearer to it f is ρ


@dataclass(eq=False, repr=False, kw_only=True)
class LocalBank(Banked):
    """Algorithm 1. The gates look at X, so that kernels cannot be precomputed.

    search       : with a line search, else with the fixed `step` of section 4
    iterations   : at most with a search, exactly without
    starts       : how many
    random_state : of the starts, a whole number

    `lower_` and `upper_` enclose J at the gating that was found; the program is not convex.
    `weights_` are the average gates on the training set; `gates` has those of any samples.
    """

    search: bool = True
    step: float = 0.01
    iterations: int = 50
    starts: int = 1
    random_state: int = 0

    def _fit_bank(self, X: Any) -> Array:
        if self.__sklearn_tags__().input_tags.pairwise:
            raise ParameterError("kernels", "a list: the gates look at X", "'precomputed'")
        return super()._fit_bank(X)

    def _descend(self, problem: Any, top: float) -> None:
        """The gating and the machine; its coefficients are `top` at most."""
        for name in ("iterations", "starts", "random_state"):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < (name == "starts"):
                raise ParameterError(name, "a whole number", repr(value))
        method = GatingDescent(
            tol=1e-6 if self.tol is None else inputs.positive("tol", self.tol),
            search=self.search,
            mu=inputs.positive("step", self.step),
            iterations=self.iterations,
            starts=self.starts,
            seed=self.random_state,
        )
        id, symbol, _ = MACHINES[type(problem)]
        self._keep(method.solve(id, problem))
        found = self.solution_.variables
        at = problem.at(found["V"], found["v0"])
        self.discriminant_ = Discriminant.fit(at, found[symbol], self.bank_.functions())
        self.weights_ = at.eta.mean(axis=1)
        self.support_ = self._support(np.abs(found[symbol]), top)

    def gates(self, X: Any) -> Array:
        """η_m(x), (n_samples, p)."""
        check_is_fitted(self)
        return gates(self.bank_.features(X), self.discriminant_.V, self.discriminant_.v0).T

    def _f(self, X: Any) -> Array:
        """(8)"""
        check_is_fitted(self)
        return self.discriminant_(self.bank_.features(X))


@dataclass(eq=False, repr=False)
class LocalizedMKL(LocalBank, BankClassifier):
    """gonen2008: localized kernels for two classes; the parameters of `LocalBank`, and

    C : C > 0
    """

    C: float = 1.0

    def fit(self, X: Any, y: Any) -> LocalizedMKL:
        """Learn the gating and the machine."""
        K = self._fit_bank(X)
        problem = Localized(K, self._signs(y, K.shape[1]), self.bank_.X_fit_, self.C)
        self._descend(problem, problem.C)
        return self

    def decision_function(self, X: Any) -> Array:
        """(8)"""
        return self._f(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


@dataclass(eq=False, repr=False)
class LocalizedSVR(RegressorMixin, LocalBank):  # type: ignore[misc]
    """gonen2008, section 3.2: regression with localized kernels; as `LocalizedMKL`, and

    epsilon : ε ≥ 0, what y and f may differ by for nothing
    """

    C: float = 1.0
    epsilon: float = 0.1

    def fit(self, X: Any, y: Any) -> LocalizedSVR:
        """Learn the gating and the machine."""
        K = self._fit_bank(X)
        if y is None:
            expected = "numbers (it requires y to be passed, but the target y is None)"
            raise ShapeError("y", expected, "None")
        type_of_target(y, input_name="y", raise_unknown=True)
        y = column_or_1d(y, warn=True)
        problem = LocalizedRegression(K, y, self.bank_.X_fit_, self.C, self.epsilon)
        self._descend(problem, problem.C)
        return self

    def predict(self, X: Any) -> Array:
        """f(x)"""
        return self._f(X)


@dataclass(eq=False, repr=False)
class LocalizedOneClassSVM(OutlierMixin, LocalBank):  # type: ignore[misc]
    """gonen2008, section 3.2: what is like the training set, with localized kernels.

    nu : in (0, 1], the part of the training set that may be outside, at most
    """

    nu: float = 0.5

    def fit(self, X: Any, y: Any = None) -> LocalizedOneClassSVM:
        """Learn the gating and the machine; y is not looked at."""
        K = self._fit_bank(X)
        problem = LocalizedOneClass(K, self.bank_.X_fit_, self.nu)
        self._descend(problem, 1 / (problem.nu * problem.n))
        self.offset_ = -self.discriminant_.b  # ρ
        return self

    def decision_function(self, X: Any) -> Array:
        """f(x) - ρ, negative outside; zero on the border, where rounding alone tells them apart."""
        f = self._f(X)
        return np.where(np.abs(f) <= BORDER * abs(self.offset_), 0.0, f)

    def score_samples(self, X: Any) -> Array:
        """f(x)"""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> Any:
        """1 inside and on the border, -1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

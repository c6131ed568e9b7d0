"""Estimators that combine given kernels: ye2008 with kim2006, lanckriet2004, tang2009.

rakotomamonjy2008, SimpleMKL, is `SharedMKL` with two classes: the same program.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from cvxkernel.formulations import inputs, tang2009
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError, ParameterError, ShapeError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kim2006 import FisherClassifier, KernelFisher
from cvxkernel.formulations.lanckriet2004 import JointMargin, MarginClassifier, SoftMargin
from cvxkernel.formulations.ye2008 import RKDA, Discriminant, JointDiscriminant
from cvxkernel.solvers.estimators.solved import BankClassifier

LEARNED = "learned"
GIVEN_LAM = {True: "ye2008-thm2.2", False: "ye2008-thm3.2"}  # by whether there are two classes
LEARNED_LAM = {True: "ye2008-eq43", False: "ye2008-eq46"}


@dataclass(eq=False, repr=False)
class DiscriminantMKL(TransformerMixin, BankClassifier):  # type: ignore[misc]
    """ye2008: regularized kernel discriminant analysis with a learned kernel, two classes or more.

    lam     : λ > 0, or "learned", by section 4
    program : the id that is solved, of ye2008 or kim2006; None: Theorem 2.2 or 3.2, (43) or (46)
              for a learned λ. kim2006 has the classifier of Kim et al., two classes, λ given.

    `weights_` are θ, `lam_` is λ. `transform` projects onto the k - 1 directions.
    """

    lam: float | str = 5e-4
    program: str | None = None

    def fit(self, X: Any, y: Any) -> DiscriminantMKL:
        """Learn θ, and λ if asked for."""
        K = self._fit_bank(X)
        index = self._classes(y, K.shape[1], binary=self.program == "kim2006").astype(float)
        if isinstance(self.lam, str) and self.lam != LEARNED:
            raise ParameterError("lam", 'a positive number or "learned"', repr(self.lam))
        joint = self.lam == LEARNED
        id = self.program or (LEARNED_LAM if joint else GIVEN_LAM)[len(self.classes_) == 2]
        if id == "kim2006":
            fisher = KernelFisher(K, index, self.lam)  # type: ignore[arg-type]
            self._solve(id, fisher)
            self.weights_, self.lam_ = self.solution_.variables["theta"], fisher.lam
            self.classifier_: Any = FisherClassifier.fit(fisher, self.weights_)
            return self
        problem: Any = JointDiscriminant(K, index) if joint else Discriminant(K, index, self.lam)  # type: ignore[arg-type]
        try:
            formulation(id).require(problem)
        except InputError as error:
            lam = f"λ {LEARNED if joint else 'given'}"
            expected = f"an id of ye2008 for {len(self.classes_)} classes and {lam}, or kim2006"
            raise ParameterError("program", expected, repr(id)) from error
        self._solve(id, problem)
        theta = self.solution_.variables["theta"]
        self.lam_ = float(theta[0]) if joint else problem.lam
        self.weights_ = theta[1:] if joint else theta
        self.classifier_ = RKDA.fit(problem, self.weights_, self.lam_)
        return self

    def transform(self, X: Any) -> Array:
        """Wᵀ(φ(x) - μ), (n_samples, k - 1)."""
        check_is_fitted(self)
        if isinstance(self.classifier_, FisherClassifier):
            return self.decision_function(X)[:, None]
        return np.asarray(self.classifier_.transform(self._stack(X)))

    def decision_function(self, X: Any) -> Array:
        """How much nearer a centroid is: of two, by how much the second is; of more, -distance."""
        K = self._stack(X)
        if isinstance(self.classifier_, FisherClassifier):
            return self.classifier_.scores(K)
        away = self.classifier_.distances(K)
        return np.asarray(away[:, 0] - away[:, 1] if away.shape[1] == 2 else -away)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.program != "kim2006"
        return tags


@dataclass(eq=False, repr=False)
class MarginMKL(BankClassifier):
    """lanckriet2004: the soft margin machine with learned weights, two classes.

    C    : C > 0, or "learned", for norm 2
    norm : of the slacks, 1 (SM1) or 2 (SM2, SM2_C)

    `weights_` are μ with μᵀr = Σᵢ rᵢ, `C_` is C, infinite where its learned inverse is zero.
    """

    C: float | str = 1.0
    norm: int = 1

    def fit(self, X: Any, y: Any) -> MarginMKL:
        """Learn μ, and C if asked for."""
        K = self._fit_bank(X)
        signs = self._signs(y, K.shape[1])
        if self.norm not in (1, 2):
            raise ParameterError("norm", "1 or 2", repr(self.norm))
        if isinstance(self.C, str) and (self.C != LEARNED or self.norm == 1):
            expected = "a positive number" + (' or "learned"' if self.norm == 2 else "")
            raise ParameterError("C", expected, repr(self.C))
        joint, squared = self.C == LEARNED, self.norm == 2
        problem: Any = JointMargin(K, signs) if joint else SoftMargin(K, signs, self.C)  # type: ignore[arg-type]
        self._solve(f"lanckriet2004-sm{int(self.norm)}{'c' if joint else ''}", problem)
        found = self.solution_.variables
        self.classifier_ = MarginClassifier.fit(problem, found, squared=squared)
        self.weights_ = self.classifier_.mu
        with np.errstate(divide="ignore"):
            self.C_ = float(1 / found["mu"][0]) if joint else problem.C
        self.support_ = self._support(found["alpha"], np.inf if squared else self.C_)
        return self

    def decision_function(self, X: Any) -> Array:
        """f(x)"""
        K = self._stack(X)
        return self.classifier_.scores(K)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


SHARES = {"same": 1.0, "independent": 0.0}
AVERAGE = "average"


@dataclass(eq=False, repr=False)
class SharedMKL(BankClassifier):
    """tang2009: support vector machines for several labels, whose kernels share a part.

    C     : C > 0
    share : how much of its kernel each label has in common with all, from 0 (or "independent") to
            1 (or "same"); "average" learns no weights
    beta  : the β of (10) in place of `share`

    y is one of k classes per sample (for k > 2 one against the rest), or indicators (n, k) of
    labels. `weights_` are θ, (k, p).
    """

    C: float = 1.0
    share: float | str = "same"
    beta: float | None = None

    def fit(self, X: Any, y: Any) -> SharedMKL:
        """Learn θ and the k machines."""
        K = self._fit_bank(X)
        n = K.shape[1]
        self.multilabel_ = y is not None and type_of_target(y).startswith("multilabel")
        if self.multilabel_:
            indicators = np.asarray(y)
            if len(indicators) != n:
                raise ShapeError("y", f"shape ({n}, k)", f"shape {indicators.shape}")
            self.classes_ = np.arange(indicators.shape[1])
            Y = inputs.label_rows("y", np.where(indicators.T > 0, 1.0, -1.0), n)
        else:
            index = self._classes(y, n, binary=False)
            # With two classes one machine tells both.
            some = [1] if len(self.classes_) == 2 else range(len(self.classes_))
            Y = np.stack([np.where(index == c, 1.0, -1.0) for c in some])
        if self.share == AVERAGE:
            problem: Any = tang2009.average(tang2009.Shared(K, Y, self.C, 0.0))
            self._solve("tang2009-eq2", problem)
            self.weights_ = np.full((len(Y), len(K)), 1.0 / len(K))
        else:
            problem = tang2009.Shared(K, Y, self.C, self._beta(len(Y)))
            self._solve("tang2009-eq11", problem)
            self.weights_ = self.solution_.variables["theta"]
        self.classifier_ = tang2009.MultiLabelClassifier.fit(problem, self.solution_.variables)
        used = np.abs(self.classifier_.coefficients)
        self.support_ = np.flatnonzero(np.any([self._used(row) for row in used], axis=0))
        return self

    def _used(self, alpha: Array) -> Any:
        mask = np.zeros(len(alpha), dtype=bool)
        mask[self._support(alpha, self.C)] = True
        return mask

    def _beta(self, k: int) -> float:
        if self.beta is not None:
            return self.beta
        share: Any = (
            SHARES.get(self.share, self.share) if isinstance(self.share, str) else self.share
        )
        if not isinstance(share, Real) or not 0 <= float(share) <= 1:
            names = ", ".join((*SHARES, AVERAGE))
            raise ParameterError("share", f"a number from 0 to 1, or one of {names}", repr(share))
        return tang2009.beta_of_share(float(share), k)

    def decision_function(self, X: Any) -> Array:
        """fᵗ(x): (n_samples,) for two classes, (n_samples, k) for more or for labels."""
        K = self._stack(X)
        if self.share == AVERAGE:  # the classifier has a kernel for each label
            mean = K.mean(axis=0)
            K = np.broadcast_to(mean, (len(self.weights_), *mean.shape))
        f = self.classifier_.scores(K).T
        return f if self.multilabel_ or f.shape[1] > 1 else f[:, 0]

    def predict(self, X: Any) -> Any:
        """The class of each row, or the indicators of its labels."""
        check_is_fitted(self)
        if not self.multilabel_:
            return super().predict(X)
        return (self.decision_function(X) >= 0).astype(int)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

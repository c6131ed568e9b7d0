r"""Estimators that learn a kernel from similarities: chen2009, luss2007 and kundu2010.

X holds the similarities of its samples to the training samples, (n_samples, n_train), or of
several kinds (n_samples, n_train, m) where a paper has several; scikit-learn slices them as it
slices a Gram matrix. `similarity` may also be a function ψ(X, Z) of two sets of rows; `Entries` is
one that looks them up.

A test sample is treated as its paper says: through the modification that was learned (k = As), or
by the column that is nearest to its similarities s and consistent with the learned kernel, (8) of
chen2009, which needs ψ(x, x). A precomputed slice does not have it: it is `self_similarity`, by
default the diagonal of the training samples, if that is one number.

Those of chen2009 take any `treatment` of its section 3.2, "raw" too, k = s, which it warns of:

                 "linear"                 "nearest"   "augmented", by Wu et al.
    clip, flip   k = As, K = AS           (8)         modified with the sample in it
    shift        the same, I + |λ_min|S⁺  (8)         k = s
    (12)         k = As, A = U diag(a)Uᵀ  (8)         none: a belongs to the λ of S
    (7), (2)     I + (K - S)S⁺            (8)         K* at α with the sample in it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.utils.validation import check_is_fitted, validate_data

from cvxkernel.formulations import inputs, svm
from cvxkernel.formulations.chen2009 import (
    KernelMachine,
    Machine,
    RobustMachine,
    SpectrumMachine,
    prediction,
    spectrum,
)
from cvxkernel.formulations.errors import ParameterError, ShapeError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import Similarities, Spectra
from cvxkernel.formulations.kundu2010 import bounds as kundu2010
from cvxkernel.formulations.kundu2010.prediction import nearest
from cvxkernel.solvers.estimators.bank import PRECOMPUTED
from cvxkernel.solvers.estimators.solved import SolvedClassifier
from cvxkernel.solvers.svm import svm as machine

MODIFICATIONS = {"clip": spectrum.a_clip, "flip": spectrum.a_flip}
TREATMENTS: tuple[str, ...] = ("linear", "augmented", "nearest", "raw")


@dataclass(frozen=True, eq=False)
class Entries:
    """ψ of samples that are told by their number: S (n, n), or (n, n, m) for several kinds."""

    S: Array

    def __call__(self, X: Array, Z: Array) -> Array:
        """The similarities of the samples in the column X to those in the column Z."""
        rows, columns = (np.asarray(each)[:, 0].astype(int) for each in (X, Z))
        return np.asarray(self.S[np.ix_(rows, columns)])


@dataclass(eq=False, repr=False, kw_only=True)
class SimilarityClassifier(SolvedClassifier):
    """What classifiers on similarities have in common, two classes each.

    similarity      : "precomputed", or a function ψ(X, Z)
    self_similarity : ψ(x, x) of every test sample; None: of the training samples, if it is one
                      number. A function ψ tells it itself.
    """

    similarity: Any = PRECOMPUTED
    self_similarity: float | None = None

    def _fit_similarities(self, X: Any, y: Any) -> tuple[Array, Array]:
        """S (m, n, n) and the labels ±1."""
        S = self._similarities(X, reset=True)
        for each in S:
            inputs.check_symmetric("X", each, hint="; if it should be one, pass (X + Xᵀ)/2")
        signs = self._signs(y, S.shape[1])
        self.diagonal_ = np.diagonal(S, axis1=1, axis2=2)
        return S, signs

    def _similarities(self, X: Any, *, reset: bool) -> Array:
        """(m, n_samples, n_train)"""
        if isinstance(self.similarity, str) and self.similarity != PRECOMPUTED:
            raise ParameterError("similarity", '"precomputed" or a function', repr(self.similarity))
        checked = {"dtype": np.float64, "order": "C", "reset": reset}
        X = validate_data(self, X, allow_nd=self._precomputed, **checked)
        if not self._precomputed:
            if reset:
                self.X_fit_ = X
            S = np.asarray(self.similarity(X, self.X_fit_), dtype=np.float64)
            if S.shape[:2] != (len(X), len(self.X_fit_)) or S.ndim > 3:
                expected = f"values of shape {(len(X), len(self.X_fit_))}"
                raise ShapeError("similarity", expected, f"shape {S.shape}")
            return np.moveaxis(S[..., None] if S.ndim == 2 else S, -1, 0)
        if X.ndim > 3 or (reset and X.shape[0] != X.shape[1]):
            expected = f"shape ({len(X)}, {len(X)}), or one more dimension for several kinds"
            raise ShapeError("X", f"similarities of {expected}", f"shape {X.shape}")
        return np.moveaxis(X[..., None] if X.ndim == 2 else X, -1, 0)

    def _test(self, X: Any) -> Array:
        """s, (m, n_train, n_samples)."""
        check_is_fitted(self)
        s = np.swapaxes(self._similarities(X, reset=False), 1, 2)
        if s.shape[0] != len(self.diagonal_):
            expected = f"{len(self.diagonal_)} kinds of similarities, as at fit"
            raise ShapeError("X", expected, f"{s.shape[0]}")
        return s

    def _psi(self, X: Any, s: Array) -> Array:
        """ψ (m, n_samples) of the samples with themselves."""
        m, _, t = s.shape
        if self.self_similarity is not None:
            own = inputs.weights("self_similarity", self.self_similarity, (1,))
            return np.full((m, t), float(own.item()))
        if not self._precomputed:
            rows = np.asarray(X, dtype=np.float64)
            each = [np.ravel(self.similarity(row[None], row[None])) for row in rows]
            return np.array(each, dtype=np.float64).T
        first = self.diagonal_[:, :1]
        if not np.allclose(self.diagonal_, first, rtol=1e-9, atol=0):
            expected = "the ψ(x, x) of test samples, since those of the training samples differ"
            raise ParameterError("self_similarity", expected, "None")
        return np.repeat(first, t, axis=1)

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.similarity, str) and self.similarity == PRECOMPUTED

    def _one(self, S: Array) -> Array:
        if len(S) > 1:
            raise ShapeError("X", "one kind of similarities", f"{len(S)}")
        return np.asarray(S[0])

    def _trained(self, K: Array, signs: Array, alpha: Array, C: float) -> None:
        """The machine at α on the learned kernel: c = y ∘ α, and the b of the least losses."""
        self.kernel_ = K
        self.coef_ = signs * alpha
        self.intercept_ = svm.offset(signs * (K @ self.coef_), signs)
        self.support_ = self._support(alpha, C)

    def decision_function(self, X: Any) -> Array:
        """cᵀk + b, (9)."""
        check_is_fitted(self)
        return np.asarray(self.coef_ @ self._columns(X) + self.intercept_)

    def _columns(self, X: Any) -> Array:
        """k of every sample, (n_train, n_samples): by (8)."""
        s = self._test(X)
        return prediction.nearest_columns(self.kernel_, s[0], self._psi(X, s)[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.classifier_tags.multi_class = False
        return tags


@dataclass(eq=False, repr=False)
class TreatedClassifier(SimilarityClassifier):
    """What those of chen2009 have in common: k of a test sample in any of its treatments."""

    treatments = TREATMENTS

    def _checked_treatment(self) -> str:
        treatment: str = self.treatment
        if treatment not in self.treatments:
            expected = f"one of {', '.join(self.treatments)}"
            raise ParameterError("treatment", expected, repr(treatment))
        return treatment

    def _columns(self, X: Any) -> Array:
        check_is_fitted(self)
        s, treatment = self._test(X), self._checked_treatment()
        if treatment == "raw":
            return np.asarray(s[0])
        if treatment == "linear":
            return np.asarray(self._transformation() @ s[0])
        psi = self._psi(X, s)[0]
        if treatment == "nearest":
            return prediction.nearest_columns(self.kernel_, s[0], psi)
        S, pairs = self.similarities_, zip(s[0].T, psi.tolist(), strict=True)
        return np.stack([spectrum.augment(self._modify, S, *pair) for pair in pairs], axis=1)

    def _transformation(self) -> Array:
        """A, by which k = As."""
        return prediction.consistent(self.kernel_, self.similarities_)

    def _modify(self, S: Array) -> Array:
        """What was made of the training similarities, of these."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class ModifiedSVM(TreatedClassifier):
    """chen2009, section 2: the machine (1) on the spectrum clipped, flipped or shifted.

    modification : "clip", "flip" or "shift"
    C            : C > 0
    treatment    : of test samples
    """

    modification: str = "clip"
    C: float = 1.0
    treatment: str = "linear"

    def fit(self, X: Any, y: Any) -> ModifiedSVM:
        """Modify the spectrum and train the machine."""
        S, signs = self._fit_similarities(X, y)
        self.similarities_ = self._one(S)
        if self.modification not in (*MODIFICATIONS, "shift"):
            names = ", ".join((*MODIFICATIONS, "shift"))
            raise ParameterError("modification", f"one of {names}", repr(self.modification))
        self._checked_treatment()
        problem = Machine(self._modify(self.similarities_), signs, self.C)
        self._solve("chen2009-eq1", problem)
        self._trained(problem.K, signs, self.solution_.variables["alpha"], problem.C)
        return self

    def _modify(self, S: Array) -> Array:
        modified: Array = getattr(spectrum, self.modification)(S)
        return modified

    def _transformation(self) -> Array:
        if self.modification == "shift":
            return super()._transformation()
        lam, U = spectrum.eigen(self.similarities_)
        return spectrum.compose(MODIFICATIONS[self.modification](lam), U)


@dataclass(eq=False, repr=False)
class SpectrumSVM(TreatedClassifier):
    """chen2009 (12): a modification of the spectrum is learned, and k = As.

    eta, gamma : η, γ > 0
    h          : "clip", "flip", "both" or "spectrum"
    treatment  : of test samples, not "augmented"
    """

    treatments = ("linear", "nearest", "raw")

    eta: float = 1e-2
    gamma: float = 1.0
    h: str = "clip"
    treatment: str = "linear"

    def fit(self, X: Any, y: Any) -> SpectrumSVM:
        """Learn a, and the machine with it."""
        S, signs = self._fit_similarities(X, y)
        self._checked_treatment()
        problem = SpectrumMachine(self._one(S), signs, self.eta, self.gamma, self.h)
        self._solve("chen2009-eq12", problem)
        found = self.solution_.variables
        self.coef_ = prediction.from_spectrum(problem, found["a"], found["z"]).c
        self.intercept_ = float(found["b"])
        self.weights_ = found["a"]
        self.transformation_ = spectrum.compose(found["a"], problem.basis.U)
        self.kernel_ = spectrum.compose(found["a"] * problem.Lam, problem.basis.U)
        self.support_ = self._support(found["alpha"], problem.C)
        return self

    def _transformation(self) -> Array:
        return self.transformation_


@dataclass(eq=False, repr=False)
class LearnedKernelSVM(TreatedClassifier):
    """chen2009 (7): the kernel matrix is learned, and test samples are met by (8).

    eta, gamma : η, γ > 0
    treatment  : of test samples
    """

    eta: float = 1e-2
    gamma: float = 1.0
    treatment: str = "nearest"

    def fit(self, X: Any, y: Any) -> LearnedKernelSVM:
        """Learn K and c."""
        S, signs = self._fit_similarities(X, y)
        self._checked_treatment()
        self.similarities_ = self._one(S)
        problem = KernelMachine(self.similarities_, signs, self.eta, self.gamma)
        self._solve("chen2009-eq7", problem)
        found = self.solution_.variables
        self.kernel_, self.machine_ = found["K"], signs * found["alpha"]
        self.coef_ = prediction.from_kernel(found["K"], found["z"]).c
        self.intercept_ = float(found["b"])
        self.support_ = self._support(found["alpha"], problem.C)
        return self

    def _modify(self, S: Array) -> Array:
        away = float(np.linalg.norm(self.kernel_ - self.similarities_))
        return prediction.updated(S, self.machine_, self.eta * away / self.gamma)


@dataclass(eq=False, repr=False)
class RobustSVM(TreatedClassifier):
    """luss2007, (2) of chen2009, IndSVM of kundu2010: the worst kernel near S.

    C, rho    : C, ρ > 0
    treatment : of test samples
    """

    C: float = 1.0
    rho: float = 1.0
    treatment: str = "nearest"

    def fit(self, X: Any, y: Any) -> RobustSVM:
        """Learn K and α."""
        S, signs = self._fit_similarities(X, y)
        self._checked_treatment()
        self.similarities_ = self._one(S)
        problem = RobustMachine(self.similarities_, signs, self.C, self.rho)
        self._solve("luss2007", problem)
        found = self.solution_.variables
        self._trained(found["K"], signs, found["alpha"], problem.C)
        return self

    def _modify(self, S: Array) -> Array:
        return prediction.updated(S, self.coef_, 1 / (4 * self.rho))


def selected_regularizer(
    X: Any, y: Any, Cs: Sequence[float], *, folds: int = 10, seed: int = 0, **parameters: Any
) -> tuple[str, dict[str, float]]:
    """Section 3.4: the h of (12), "both" where they tie; and the cross-validation errors.

    Those are of the machines on clip and on flip, each the least over `Cs`. `parameters` are of
    `ModifiedSVM`.
    """
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    errors = {}
    for name in MODIFICATIONS:
        model = ModifiedSVM(name, **{"solver": "svm", **parameters})
        search = GridSearchCV(model, {"C": list(Cs)}, cv=split, error_score=0.0).fit(X, y)
        errors[name] = 1 - float(search.best_score_)
    if errors["clip"] == errors["flip"]:
        return "both", errors
    return min(errors, key=lambda name: errors[name]), errors


METHODS = {"ESKL": "kundu2010-eq4", "EMKL": "kundu2010-eq6", "REKL": "kundu2010-eq7"}
ALGORITHMS = {"ESKL": "kundu2010-alg1", "EMKL": "kundu2010-alg2", "REKL": "kundu2010-alg3"}


@dataclass(eq=False, repr=False)
class SimilarityMKL(SimilarityClassifier):
    """kundu2010: ESKL (4), EMKL (6) or REKL (7), from one kind of similarities or several.

    method    : "ESKL", one kernel for all; "EMKL", one for each; "REKL", one for each, with the
                eigenvectors of its similarities
    C         : C > 0
    rho       : ρ ≥ 0
    tau       : τ > 0, the trace; None: that of the average similarity, clipped
    loss      : "L1", "L2" or "L3", for ESKL and EMKL
    algorithm : solve by the paper's mirror descent, to a thousandth; else the program

    The machine is trained on K, or on Σᵢ Kᵢ/γᵢ; every learned kernel is met by (8) of chen2009.
    """

    method: str = "ESKL"
    C: float = 1.0
    rho: float = 1.0
    tau: float | None = None
    loss: str = "L2"
    algorithm: bool = False

    def fit(self, X: Any, y: Any) -> SimilarityMKL:
        """Learn the kernels, and the machine on them."""
        S, signs = self._fit_similarities(X, y)
        if self.method not in METHODS:
            raise ParameterError("method", f"one of {', '.join(METHODS)}", repr(self.method))
        average = S.mean(axis=0)
        tau = float(np.trace(spectrum.clip(average))) if self.tau is None else self.tau
        given = (S, signs, self.C, self.rho, tau)
        problem: Any = Spectra(*given) if self.method == "REKL" else Similarities(*given, self.loss)
        self._solve((ALGORITHMS if self.algorithm else METHODS)[self.method], problem)
        found = self.solution_.variables
        if self.method == "ESKL":
            self.kernels_, self.weights_ = found["K"][None], np.ones(1)
        else:
            K = found["K"] if self.method == "EMKL" else kundu2010.combine(problem, found["mu"])
            self.kernels_ = K
            self.weights_ = 1 / np.maximum(found["gamma"], kundu2010.SMALLEST_GAMMA)
        K = np.tensordot(self.weights_, self.kernels_, axes=1)
        self._trained(K, signs, machine(K, signs, problem.C), problem.C)
        return self

    def _columns(self, X: Any) -> Array:
        s = self._test(X)
        psi = self._psi(X, s)
        if self.method == "ESKL":
            s, psi = s.mean(axis=0)[None], psi.mean(axis=0)[None]
        k = np.stack([nearest(*each) for each in zip(self.kernels_, s, psi, strict=True)])
        columns: Array = np.tensordot(self.weights_, k, axes=1)
        return columns

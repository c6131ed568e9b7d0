r"""A bank of kernels: what is fitted on the training samples, and slices of it for test samples.

A bank is given as a list. Each of its kernels is a name of `formulations.kernels`, or a function
K(X, Z) of two sets of rows; with parameters and the columns it sees, if any:

    "linear"                                       ⟨x, z⟩
    ("gaussian", {"sigma": 2.0})                   exp(-‖x - z‖²/σ²)
    ("gaussian", {"sigma": "neighbour"})           σ the average nearest-neighbour distance
    ("polynomial", {"q": 2}, [0, 1, 2])            of the first three columns

or it is "precomputed": then X holds the kernels themselves, as (n_samples, n_train, p), samples
first, so that scikit-learn's pairwise slicing cuts them like one Gram matrix.
`np.moveaxis(stack, 0, -1)` makes it of a stack (p, n, n).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from cvxkernel.formulations import inputs, kernels
from cvxkernel.formulations.errors import InputError, ParameterError, ShapeError
from cvxkernel.formulations.inputs import Array

Kernel = Callable[[Array, Array], Array]
PRECOMPUTED = "precomputed"
SCALES = {"z-scores": StandardScaler, "unit": MinMaxScaler}
# Kim et al. (2006), ye2008: ten widths from 0.1 to 100, evenly spaced in the logarithm.
WIDTHS = tuple(np.logspace(-1, 2, 10).tolist())


def gaussians(widths: Sequence[float] = WIDTHS, name: str = "gaussian") -> list[Any]:
    """A bank of Gaussian kernels of these widths; `name` may be "gaussian_half"."""
    return [(name, {"sigma": sigma}) for sigma in widths]


NAMES: dict[str, Callable[..., Array]] = {
    function.__name__: function
    for function in (kernels.linear, kernels.polynomial, kernels.gaussian, kernels.gaussian_half)
}


@dataclass(frozen=True, eq=False)
class Fitted:
    """One kernel of a bank after `fit`, and what it is divided by."""

    kernel: Callable[..., Array] | str
    parameters: dict[str, Any]
    columns: Any
    unit: float = 1.0

    def __call__(self, X: Array, Z: Array) -> Array:
        """K(X, Z)/unit"""
        if self.columns is not None:
            X, Z = X[:, self.columns], Z[:, self.columns]
        if isinstance(self.kernel, str):
            return NAMES[self.kernel](X, Z=Z, **self.parameters) / self.unit
        return np.asarray(self.kernel(X, Z, **self.parameters), dtype=np.float64) / self.unit


@dataclass(eq=False, repr=False)
class KernelBank(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Kernels of the rows of X against the training rows: (n_samples, n_train, p).

    kernels : the list, or "precomputed"; None: ten Gaussian kernels of widths 0.1 to 100
    scale   : None; "z-scores" or "unit", the columns scaled by their training mean and deviation,
              or to [0, 1] on the training set
    centre  : whether the training mean is taken out in feature space
    trace   : None; what every kernel's trace on the training set is made: "unit", "n" or a number

    Whatever is learned from the training rows is used on the test rows as it is.
    """

    kernels: Any = None
    scale: str | None = None
    centre: bool = False
    trace: float | str | None = None

    def fit(self, X: Any, y: Any = None) -> KernelBank:
        """Remember the training rows, and the scale of everything on them."""
        self.stack_of_fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Array:
        """The same, and the kernels of the training rows."""
        return np.moveaxis(self.stack_of_fit(X), 0, -1)

    def transform(self, X: Any) -> Array:
        """The kernels of these rows against the training rows."""
        return np.moveaxis(self.stack(X), 0, -1)

    def stack_of_fit(self, X: Any) -> Array:
        """Fit, and the kernels of the training rows as the programs have them, (p, n, n)."""
        X = self._checked(X, reset=True)
        if self.is_precomputed:
            if X.shape[0] != X.shape[1]:
                expected = f"({X.shape[0]}, {X.shape[0]}, p), the kernels of a square last"
                raise ShapeError("X", f"precomputed kernels of shape {expected}", f"{X.shape}")
            self.scaler_: Any = None
            self.X_fit_: Any = None
            self.kernels_ = [Fitted(PRECOMPUTED, {}, None) for _ in range(X.shape[2])]
            K = np.moveaxis(X, -1, 0)
        else:
            self.scaler_ = None if self.scale is None else self._scaler().fit(X)
            self.X_fit_ = X if self.scaler_ is None else self.scaler_.transform(X)
            self.kernels_ = [_fitted(i, spec, self.X_fit_) for i, spec in enumerate(self._specs())]
            K = np.stack([self._value(i, self.X_fit_) for i in range(len(self.kernels_))])
        self.means_ = K.mean(axis=1) if self.centre else None
        K = self._centred(K)
        self.units_ = self._units(K)
        return K / self.units_[:, None, None]

    def stack(self, X: Any) -> Array:
        """The kernels of these rows, rows first: (p, n_samples, n_train)."""
        check_is_fitted(self, "units_")
        X = self._checked(X, reset=False)
        if self.is_precomputed:
            K = np.moveaxis(X, -1, 0)
        else:
            Z = X if self.scaler_ is None else self.scaler_.transform(X)
            K = np.stack([self._value(i, Z) for i in range(len(self.kernels_))])
        return self._centred(K) / self.units_[:, None, None]

    def functions(self) -> list[Kernel]:
        """K(X, Z) of each kernel, of rows that `features` has scaled, at its training trace."""
        if self.centre:
            raise ParameterError("centre", "False where kernels are taken one by one", "True")
        return [
            Fitted(k.kernel, k.parameters, k.columns, k.unit * float(unit))
            for k, unit in zip(self.kernels_, self.units_, strict=True)
        ]

    def features(self, X: Any) -> Array:
        """The rows as the kernels see them."""
        X = self._checked(X, reset=False)
        return np.asarray(X if self.scaler_ is None else self.scaler_.transform(X))

    @property
    def is_precomputed(self) -> bool:
        """Whether X holds the kernels themselves."""
        return isinstance(self.kernels, str) and self.kernels == PRECOMPUTED

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.is_precomputed
        tags.input_tags.three_d_array = self.is_precomputed
        return tags

    def _checked(self, X: Any, *, reset: bool) -> Array:
        kept = {"dtype": np.float64, "order": "C", "reset": reset}
        X = validate_data(self, X, allow_nd=self.is_precomputed, **kept)
        if not self.is_precomputed:
            return np.asarray(X)
        X = np.asarray(X)[..., None] if X.ndim == 2 else np.asarray(X)
        known = X.shape[2] if reset else len(self.kernels_)
        if X.ndim != 3 or X.shape[2] != known:
            expected = "p" if reset else str(known)
            raise ShapeError("X", f"shape (n, n_train, {expected})", f"shape {X.shape}")
        return np.asarray(X)

    def _specs(self) -> list[Any]:
        if self.kernels is None:
            return gaussians()
        if isinstance(self.kernels, str) or not isinstance(self.kernels, Sequence):
            expected = 'a list of kernels, "precomputed" or None'
            raise InputError("kernels", expected, repr(self.kernels)[:60])
        if not self.kernels:
            raise InputError("kernels", "one kernel or more", "an empty list")
        return list(self.kernels)

    def _scaler(self) -> Any:
        if self.scale not in SCALES:
            raise ParameterError("scale", f"None or one of {', '.join(SCALES)}", repr(self.scale))
        return SCALES[self.scale]()

    def _value(self, i: int, Z: Array) -> Array:
        try:
            K = self.kernels_[i](Z, self.X_fit_)
        except TypeError as error:
            expected = "a kernel K(X, Z) with these parameters"
            raise InputError(f"kernels[{i}]", expected, str(error)) from error
        if K.shape != (len(Z), len(self.X_fit_)) or not np.isfinite(K).all():
            expected = f"a finite kernel of shape {(len(Z), len(self.X_fit_))}"
            came = f"shape {K.shape}" if np.isfinite(K).all() else "NaN or infinity"
            raise InputError(f"kernels[{i}]", expected, came)
        return K

    def _centred(self, K: Array) -> Array:
        if self.means_ is None:
            return K
        rows = K - self.means_[:, None, :]
        return np.asarray(rows - rows.mean(axis=2, keepdims=True))

    def _units(self, K: Array) -> Array:
        if self.trace is None:
            return np.ones(len(K))
        named = {"unit": 1.0, "n": float(K.shape[1])}
        given = named.get(self.trace) if isinstance(self.trace, str) else self.trace
        wanted = inputs.positive("trace", self.trace if given is None else given)
        r = np.trace(K, axis1=1, axis2=2)
        inputs.check_traces("kernels", r, K)
        return np.asarray(r / wanted)


def bank_of(kernels: Any) -> KernelBank:
    """The bank that an estimator's parameter `kernels` means, not fitted."""
    if isinstance(kernels, KernelBank):
        return KernelBank(**kernels.get_params(deep=False))
    return KernelBank(kernels)


def _fitted(i: int, spec: Any, X: Array) -> Fitted:
    """A kernel of the list with what it learns from the training rows."""
    given = tuple(spec) if isinstance(spec, (tuple, list)) else (spec,)
    name, parameters, columns = (*given, *({}, None)[len(given) - 1 :])[:3]
    if not 1 <= len(given) <= 3 or not isinstance(parameters, dict):
        expected = "a name or function, or (name or function, {parameters}, columns)"
        raise InputError(f"kernels[{i}]", expected, repr(spec)[:60])
    if not callable(name) and not (isinstance(name, str) and name in NAMES):
        expected = f"a function, or one of {', '.join(NAMES)}"
        raise InputError(f"kernels[{i}]", expected, repr(name)[:60])
    seen = X
    if columns is not None:
        expected = f"a list of columns of X, which has {X.shape[1]}"
        try:
            seen = X[:, columns]
        except (IndexError, TypeError) as error:
            raise InputError(f"kernels[{i}]", expected, str(error)) from None
        if seen.ndim != 2:
            raise InputError(f"kernels[{i}]", expected, repr(columns)[:60])
    made = dict(parameters)
    if made.get("sigma") == "neighbour":
        made["sigma"] = kernels.neighbour_distance(seen) if len(seen) > 1 else 1.0
    if "sigma" in made:
        made["sigma"] = inputs.positive(f"kernels[{i}].sigma", made["sigma"])
    return Fitted(name, made, columns)

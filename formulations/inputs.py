"""Checks of what a problem is made of. Each names the key, what was expected and what came.

What passes is used as it came, but for kernels: one that is not quite positive semidefinite, or
not quite symmetric, stands for the nearest matrix that is (`formulations.semidefinite`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cvxkernel.formulations import semidefinite
from cvxkernel.formulations.errors import (
    LabelError,
    NotFiniteError,
    NotPositiveSemidefiniteError,
    NotSymmetricError,
    ParameterError,
    ShapeError,
    ZeroTraceError,
)
from cvxkernel.formulations.memory import checked_once, per_array

Array = NDArray[np.float64]

ASYMMETRY = 1e-10  # relative to the largest entry
SMALLEST, LARGEST = 1e-100, 1e100  # products of a few numbers in between stay doubles
SHORT = 4  # decimals that jsonlite writes unless told otherwise
ZERO_TRACE = 1e-13  # relative to the largest entry times n: below it a trace is rounding


def array(key: str, value: Any) -> Array:
    """A real, finite array of doubles."""
    if np.ma.is_masked(value):
        raise NotFiniteError(key, "finite numbers", "entries that are masked")
    try:
        raw = np.asarray(value)
    except ValueError:
        raise ShapeError(key, "numbers in a full array", "rows of different lengths") from None
    if raw.dtype.kind not in "biuf":
        raise ShapeError(key, "real numbers", f"values of type {raw.dtype}")
    # In one memory order, so that the same numbers give the same answer to the last bit.
    out = raw.astype(np.float64, order="C")
    if not np.isfinite(out).all():
        where = ", ".join(map(str, np.argwhere(~np.isfinite(out))[0]))
        bad = out[~np.isfinite(out)][0]
        raise NotFiniteError(key, "finite numbers", f"{bad} at [{where}]" if out.ndim else f"{bad}")
    return out


def kernels(key: str, value: Any) -> Array:
    """p symmetric positive semidefinite matrices, stacked as (p, n, n); read-only."""
    if semidefinite.held(value) is not None:
        return value  # type: ignore[no-any-return]  # checked when it was made
    return _held(key, _stack(key, value, "p", "kernel"))


@checked_once
def similarities(key: str, value: Any) -> Array:
    """m symmetric matrices, definite or not, stacked as (m, n, n); read-only."""
    S = _stack(key, value, "m", "similarity")
    S.flags.writeable = False
    return S


def _stack(key: str, value: Any, count: str, one: str) -> Array:
    """Symmetric matrices, stacked as (count, n, n)."""
    K = array(key, value)
    if K.ndim != 3 or K.shape[1] != K.shape[2] or 0 in K.shape:
        hint = ""
        if K.ndim == 2:
            hint = f", also for one {one} (1, n, n)"
        elif K.ndim == 3 and K.shape[0] == K.shape[1]:  # as MATLAB stacks them
            hint = f"; of n×n×{count} permute({key}, [3 1 2])"
        raise ShapeError(key, f"shape ({count}, n, n){hint}", f"shape {K.shape}")
    for i, K_i in enumerate(K):
        check_size(f"{key}[{i}]", K_i)
        check_symmetric(f"{key}[{i}]", K_i)
    return K


def kernel(key: str, value: Any) -> Array:
    """One symmetric positive semidefinite matrix (n, n); read-only."""
    if semidefinite.held(value) is not None:
        return value  # type: ignore[no-any-return]
    K = square(key, value)
    check_symmetric(key, K)
    return _held(key, K)


@checked_once
def similarity(key: str, value: Any) -> Array:
    """One symmetric matrix (n, n), indefinite or not; read-only."""
    S = square(key, value)
    check_symmetric(key, S, hint=f"; if it should be one, pass ({key} + {key}ᵀ)/2")
    return S


def square(key: str, value: Any) -> Array:
    """One matrix (n, n) of entries that are neither too large nor too small; read-only."""
    K = array(key, value)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or 0 in K.shape:
        raise ShapeError(key, "shape (n, n)", f"shape {K.shape}")
    check_size(key, K)
    K.flags.writeable = False
    return K


def check_size(key: str, K: Array) -> None:
    """Refuse entries so large or so small that their products are no doubles."""
    size = float(np.abs(K).max())
    if size and not SMALLEST <= size <= LARGEST:
        expected = f"a largest entry between {SMALLEST:g} and {LARGEST:g}"
        raise ParameterError(key, expected, f"{size:g}")


def check_symmetric(key: str, K: Array, *, hint: str = "") -> None:
    """Refuse an asymmetry beyond 1e-10 of the largest entry."""
    size = float(np.abs(K).max())
    asymmetry = float(np.abs(K - K.T).max())
    if asymmetry > ASYMMETRY * size:
        raise NotSymmetricError(
            key, f"a symmetric matrix{hint}", f"an asymmetry of {asymmetry / size:.1e} (relative)"
        )


def _held(key: str, K: Array) -> Array:
    """As problems hold it; refuse an eigenvalue below -2⁻²⁴ of the largest one."""
    try:
        return semidefinite.hold(K)
    except semidefinite.NotNearError as error:
        came, *index = error.args
        where = "".join(f"[{i}]" for i in index)
        expected = "a positive semidefinite matrix"
        if _written_short(K[tuple(index)], error.least):
            came += f" (written with {SHORT} digits? in R: toJSON(..., digits = NA))"
        raise NotPositiveSemidefiniteError(key + where, expected, came) from None


def _written_short(K: Array, least: float) -> bool:
    """Whether K has four decimals, as jsonlite writes, whose rounding may move λ so far below 0."""
    short = np.array_equal(np.round(K, SHORT), K) and not np.array_equal(np.round(K), K)
    return short and -least <= len(K) * 10.0**-SHORT / 2  # ‖E‖₂ ≤ n max |Eᵢⱼ|


def check_traces(key: str, r: Array, K: Array, *, what: str = "trace") -> None:
    """Positive traces r of the kernels K, since the programs divide by them."""
    for i, (r_i, size) in enumerate(zip(r, _sizes(K), strict=True)):
        if not r_i > ZERO_TRACE * size * K.shape[1]:
            raise ZeroTraceError(
                f"{key}[{i}]", f"a kernel with positive {what}", f"{what} {r_i:.3g}"
            )


@per_array
def _sizes(K: Array) -> Array:
    """The largest entry of each matrix, in absolute value."""
    return np.array([np.abs(K_i).max() for K_i in K])


def labels(key: str, value: Any, n: int) -> Array:
    """n labels of at least two classes; read-only."""
    y = array(key, value)
    if y.shape != (n,):
        raise ShapeError(key, f"shape ({n},), one label per row of the kernels", f"shape {y.shape}")
    check_classes(key, len(np.unique(y)))
    y.flags.writeable = False
    return y


def label_rows(key: str, value: Any, n: int) -> Array:
    """k rows of n labels -1 and +1, both in every row; read-only."""
    Y = array(key, value)
    if Y.ndim != 2 or Y.shape[1] != n or not len(Y):
        one = f", also for one label (1, {n})" if Y.ndim == 1 else ""
        raise ShapeError(key, f"shape (k, {n}), a row per label{one}", f"shape {Y.shape}")
    check_signs(key, Y)
    for t, y in enumerate(Y):
        check_classes(f"{key}[{t}]", len(np.unique(y)))
    Y.flags.writeable = False
    return Y


def check_classes(key: str, k: int, *, at_most: int | None = None) -> None:
    """At least two classes, and no more than the program takes."""
    if k < 2:
        raise LabelError(key, "two classes or more", "one class")
    if at_most is not None and k > at_most:
        raise LabelError(key, "exactly two classes for a binary program", f"{k} classes")


def check_signs(key: str, y: Array) -> None:
    """Labels -1 and +1."""
    if not np.isin(y, (-1.0, 1.0)).all():
        raise LabelError(key, "labels -1 and +1", f"labels {_few(np.unique(y))}")


def positive(key: str, value: Any) -> float:
    """One positive number."""
    x = array(key, value)
    if x.size != 1:
        raise ShapeError(key, "one number", f"shape {x.shape}")
    if not SMALLEST <= x.item() <= LARGEST:
        within = "" if x.item() <= 0 else f" between {SMALLEST:g} and {LARGEST:g}"
        raise ParameterError(key, f"a positive number{within}", f"{x.item():g}")
    return x.item()


def nonnegative(key: str, value: Any) -> float:
    """Zero, or one positive number."""
    x = array(key, value)
    if x.size == 1 and x.item() == 0:
        return 0.0
    if x.size == 1 and x.item() < 0:
        raise ParameterError(key, "a number that is not negative", f"{x.item():g}")
    return positive(key, x)


def weights(key: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A finite array of the given shape, up to dimensions of length one."""
    x = array(key, value)
    if x.squeeze().shape != tuple(d for d in shape if d != 1):
        raise ShapeError(key, f"shape {shape}", f"shape {x.shape}")
    return x.reshape(shape)


def frozen(x: Array) -> Array:
    """The same, read-only."""
    x.flags.writeable = False
    return x


def choice(key: str, value: Any, options: Sequence[str]) -> str:
    """One of a few words, however a file holds it."""
    word = np.asarray(value).squeeze()
    if word.ndim == 0 and word.dtype.kind in "US" and str(word.astype(str)) in options:
        return str(word.astype(str))
    came = repr(str(word.astype(str))) if word.dtype.kind in "US" else f"{value}"
    raise ParameterError(key, f"one of {', '.join(options)}", came[:60])


def _few(values: Array) -> str:
    shown = ", ".join(f"{v:g}" for v in values[:5])
    return shown + (", …" if len(values) > 5 else "")

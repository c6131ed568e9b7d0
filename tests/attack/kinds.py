"""Instances of every id, of the kinds that break things; each is a function of a seed alone.

`draw(id, kind, n, seed)` is what a problem file would hold. The kinds are those of a kernel, or of
a similarity for the ids that take one; parameters are drawn from both ends of their range and from
its middle, and labels are balanced, random, or one sample against the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cvxkernel.formulations import CATALOGUE

Array = np.ndarray
Random = np.random.Generator

# -- Kernels ---------------------------------------------------------------------------------------


def _wishart(rng: Random, n: int, rank: int | None = None) -> Array:
    B = rng.normal(size=(n, rank or n))
    return B @ B.T / (rank or n)


def _with_spectrum(rng: Random, n: int, d: Array) -> Array:
    """Q diag(d) Qᵀ, symmetric; Q is the identity half of the time, so that d is exact."""
    Q = np.eye(n) if rng.random() < 0.5 else np.linalg.qr(rng.normal(size=(n, n)))[0]
    K = (Q * d) @ Q.T
    return (K + K.T) / 2


def _gaussian(rng: Random, n: int, sigma: float) -> Array:
    X = rng.normal(size=(n, 3))
    return np.exp(-((X[:, None] - X) ** 2).sum(-1) / (2 * sigma**2))


def _rounded(K: Array, digits: int) -> Array:
    """As a file holds it that was written with so many digits; 0 is single precision."""
    if digits == 0:
        return K.astype(np.float32).astype(np.float64)
    return np.array([float(f"{v:.{digits}g}") for v in K.flat]).reshape(K.shape)


def _words(rng: Random, n: int) -> Array:
    """Words of six letters out of two; some coincide."""
    words = rng.integers(0, 2, size=(n, 6))
    if n > 2:
        words[-1] = words[0]
    return words


def _hamming(rng: Random, n: int) -> Array:
    """How many letters agree: a kernel of small integers, with repeated eigenvalues."""
    words = _words(rng, n)
    return (words[:, None] == words).sum(-1).astype(float)


def _blocks(rng: Random, n: int) -> Array:
    """1 within a group and 0 outside: eigenvalues are the sizes of the groups, and zeros."""
    group = np.arange(n) % max(1, n // 2)
    return (group[:, None] == group).astype(float)


def _side_by_side(rng: Random, n: int) -> Array:
    """Samples of size 1e6 and of size 1e-6 in one kernel."""
    d = np.where(np.arange(n) % 2 == 0, 1e6, 1e-6)
    return d[:, None] * _wishart(rng, n) * d


def _planted(rng: Random, n: int) -> Array:
    d = rng.uniform(0.1, 1, size=n)
    d[: max(1, n // 2)] = rng.choice([1e-15, 3e-16, 1e-13, 1e-17])
    return _with_spectrum(rng, n, d)


KERNELS: dict[str, Callable[[Random, int], Array]] = {
    "random": _wishart,
    "rank deficient": lambda rng, n: _wishart(rng, n, max(1, n // 2)),
    "zero eigenvalues": lambda rng, n: (lambda B: B @ B.T)(
        np.vstack(
            [np.eye(max(1, n // 2)), rng.integers(-2, 3, size=(n - max(1, n // 2), max(1, n // 2)))]
        ).astype(float)
    ),
    "tiny eigenvalues": _planted,
    "repeated eigenvalues": lambda rng, n: _with_spectrum(
        rng, n, np.where(np.arange(n) < (n + 1) // 2, 1.0, 0.25)
    ),
    "6 digits": lambda rng, n: _rounded(_gaussian(rng, n, 1.0), 6),
    "9 digits": lambda rng, n: _rounded(_gaussian(rng, n, 10.0), 9),
    "12 digits": lambda rng, n: _rounded(_gaussian(rng, n, 30.0), 12),
    "single precision": lambda rng, n: _rounded(_gaussian(rng, n, 10.0), 0),
    "nearly identity": lambda rng, n: np.eye(n) + 1e-9 * _wishart(rng, n),
    "nearly constant": lambda rng, n: _gaussian(rng, n, 10.0 ** rng.integers(2, 7)),
    "side by side": _side_by_side,
    "hamming": _hamming,
    "blocks": _blocks,
    "identity": lambda rng, n: np.eye(n),
    "large": lambda rng, n: 1e12 * _wishart(rng, n),
    "small": lambda rng, n: 1e-12 * _wishart(rng, n),
}

# -- Similarities ----------------------------------------------------------------------------------


def _symmetric(rng: Random, n: int) -> Array:
    A = rng.normal(size=(n, n))
    return (A + A.T) / 2


def _planted_signs(rng: Random, n: int) -> Array:
    d = np.where(np.arange(n) % 2 == 0, 1.0, -1.0) * rng.uniform(0.3, 1, size=n)
    d[n // 2 :] *= rng.choice([1e-15, 1e-16, 1e-13])
    return _with_spectrum(rng, n, d)


SIMILARITIES: dict[str, Callable[[Random, int, Array], Array]] = {
    "random": lambda rng, n, y: _symmetric(rng, n),
    "rank deficient": lambda rng, n, y: _wishart(rng, n, 1) - _wishart(rng, n, 1),
    "zero eigenvalues": lambda rng, n, y: _with_spectrum(
        rng, n, np.where(np.arange(n) % 2 == 0, 0.0, np.where(np.arange(n) % 4 == 1, 1.0, -1.0))
    ),
    "tiny eigenvalues": lambda rng, n, y: _planted_signs(rng, n),
    "repeated eigenvalues": lambda rng, n, y: _with_spectrum(
        rng, n, np.where(np.arange(n) < (n + 1) // 2, 1.0, -0.5)
    ),
    "6 digits": lambda rng, n, y: _rounded(_gaussian(rng, n, 3.0), 6),
    "9 digits": lambda rng, n, y: _rounded(_gaussian(rng, n, 10.0), 9),
    "12 digits": lambda rng, n, y: _rounded(_symmetric(rng, n), 12),
    "single precision": lambda rng, n, y: _rounded(_gaussian(rng, n, 10.0), 0),
    "nearly identity": lambda rng, n, y: np.eye(n) + 1e-9 * _symmetric(rng, n),
    "nearly constant": lambda rng, n, y: np.ones((n, n)) + 1e-9 * _symmetric(rng, n),
    "side by side": lambda rng, n, y: (lambda d: d[:, None] * _symmetric(rng, n) * d)(
        np.where(np.arange(n) % 2 == 0, 1e6, 1e-6)
    ),
    "hamming": lambda rng, n, y: _hamming(rng, n) / 6,
    "blocks": lambda rng, n, y: _blocks(rng, n),
    "identity": lambda rng, n, y: np.eye(n),
    "minus identity": lambda rng, n, y: -np.eye(n),
    "nothing": lambda rng, n, y: np.zeros((n, n)),
    "labels": lambda rng, n, y: np.outer(y, y),
    "minus labels": lambda rng, n, y: -np.outer(y, y),
    "large": lambda rng, n, y: 1e4 * _symmetric(rng, n),
    "small": lambda rng, n, y: 1e-6 * _symmetric(rng, n),
}

# -- A problem of every id -------------------------------------------------------------------------

# Both ends of a range and its middle.
RANGES: dict[str, tuple[float, ...]] = {
    "lam": (1e-8, 1e-4, 1e-2, 1.0, 1e3),
    "C": (1e-4, 0.1, 1.0, 10.0, 1e6),
    "eta": (1e-6, 0.01, 0.05, 1.0, 100.0),
    "gamma": (1e-4, 0.1, 1.0, 1e3),
    "rho": (1e-4, 0.1, 0.5, 1e3),
    "tau": (1e-3, 1.0, 1e3),
    "psi": (-1.0, 0.0, 0.7, 1e6),
    "epsilon": (0.0, 1e-6, 0.1, 1.0, 1e3),
    "nu": (1e-6, 0.2, 0.5, 0.7, 1.0),
}
LABELS = ("balanced", "random", "one against the rest")


def kinds(id: str) -> tuple[str, ...]:
    """The kinds that an id has instances of: of similarities where it takes S, else of kernels."""
    return tuple(SIMILARITIES if _learns(id) else KERNELS)


def _learns(id: str) -> bool:
    return "S" in CATALOGUE[id].keys and "K" not in CATALOGUE[id].keys


def _labels(rng: Random, n: int, classes: int = 2) -> Array:
    """0, …, classes - 1, each at least once."""
    how = rng.choice(LABELS)
    y = np.arange(n) % classes
    if how == "random":
        y[classes:] = rng.integers(0, classes, size=n - classes)
        y = rng.permutation(y)
    if how == "one against the rest":
        y = np.minimum(np.arange(n), classes - 1)
    return y.astype(float)


def _stack(rng: Random, kind: str, n: int, p: int) -> Array:
    """p kernels, the first of a kind; at times equal ones, or of scales 1e±12 side by side."""
    K = np.stack([KERNELS[kind](rng, n)] + [_wishart(rng, n) for _ in range(p - 1)])
    how = rng.integers(4)
    if how == 0:
        K[:] = K[0]
    if how == 1:
        K = np.stack([KERNELS[kind](rng, n) for _ in range(p)])
    if how == 2:
        K *= (10.0 ** rng.choice([-12, 0, 12], size=p))[:, None, None]
    return K


def draw(id: str, kind: str, n: int, seed: int) -> dict[str, Any]:
    """The keys of a problem of this id: a function of the four arguments alone."""
    form = CATALOGUE[id]
    rng = np.random.default_rng([seed, n, *map(ord, kind), *map(ord, id)])
    p = int(rng.integers(1, 4))
    several = form.paper == "ye2008" and not form.binary and n > 2 and rng.random() < 0.5
    y = _labels(rng, n, 3 if several else 2)
    y = y if several else 2 * y - 1
    if "epsilon" in form.keys:  # numbers to be met
        y = rng.normal(size=n) * float(rng.choice([1e-3, 1.0, 1e3]))
    data: dict[str, Any] = {"y": y}
    data |= {key: float(rng.choice(values)) for key, values in RANGES.items()}
    data["loss"] = str(rng.choice(["L1", "L2", "L3"]))
    data["h"] = str(rng.choice(["clip", "flip", "both", "spectrum"]))
    if form.paper == "tang2009":
        k = p if id == "tang2009-eq2" else int(rng.integers(1, 3))
        data["Y"] = np.stack([2 * _labels(rng, n) - 1 for _ in range(k)])
        data["beta"] = float(rng.choice([0.0, k / 5, k / 2, 2 * k]))
    if "X" in form.keys:
        p = max(p, 2)
        data |= {
            "X": rng.normal(size=(n, 2)),
            "V": rng.normal(size=(p, 2)),
            "v0": rng.normal(size=p),
        }
    if "kernels" in form.keys:
        data["kernels"] = _stack(rng, kind, n, p)
    if "K" in form.keys:
        data["K"] = KERNELS[kind](rng, n)
        data["s"] = rng.normal(size=n) * max(1.0, float(np.abs(data["K"]).max()) ** 0.5)
        data["S"] = data["K"] + 0.1 * _symmetric(rng, n)
    if _learns(id):
        S = [SIMILARITIES[kind](rng, n, y)]
        if form.paper == "kundu2010":
            S = [*S, _symmetric(rng, n)][: int(rng.integers(1, 3))]
        data["S"] = np.stack(S) if form.paper == "kundu2010" else S[0]
    return {key: data[key] for key in form.keys}


# -- What may not change the answer ----------------------------------------------------------------

_SAMPLES = {
    "kernels": (1, 2),
    "K": (0, 1),
    "y": (0,),
    "Y": (1,),
    "s": (0,),
    "X": (0,),
    "alpha": (-1,),
}


def permuted(data: dict[str, Any], order: Array) -> dict[str, Any]:
    """The same problem, its samples in another order."""
    out = dict(data)
    for key, value in data.items():
        axes = (-2, -1) if key == "S" else _SAMPLES.get(key, ())
        for axis in axes:
            value = np.take(value, order, axis=axis)
        out[key] = value
    return out


def rescaled(id: str, data: dict[str, Any], s: float) -> tuple[dict[str, Any], float] | None:
    """The same problem in other units, s a power of two; and what that multiplies the optimum by.

    None where no change of units is known that rounds nothing.
    """
    powers: dict[str, int]
    factor = 0
    paper = CATALOGUE[id].paper
    if paper == "ye2008":
        powers = {"kernels": 1}
    elif paper == "kim2006":
        powers = {"kernels": 1, "lam": 1}
    elif id.startswith("gonen2008-alg1-"):  # regression in units of y, one class of the kernels
        powers, factor = {"kernels": 1, "y": 1, "epsilon": 1}, 1
    elif id in ("lanckriet2004-sm1", "lanckriet2004-sm2", "kundu2010-eq10") or paper in (
        "gonen2008",
        "tang2009",
        "rakotomamonjy2008",
    ):
        powers, factor = {"kernels": 1, "C": -1, "lam": -1}, -1
    elif id == "chen2009-eq1":
        powers, factor = {"K": 1, "C": -1}, -1
    elif id == "chen2009-eq3":
        powers = {"K": 1, "eta": 1}
    elif id in ("luss2007", "luss2007-maxmin"):
        powers, factor = {"S": 1, "C": -1, "rho": -3}, -1
    elif id.startswith("chen2009-eq8"):
        powers = {"K": 1, "S": 1, "s": 1, "psi": 1}
        factor = 1 if id == "chen2009-eq8" else 2
    elif paper == "chen2009":
        powers = {"S": 1, "eta": 1, "gamma": 0 if data.get("h", "spectrum") != "spectrum" else -1}
    elif paper == "kundu2010":
        degree = 2 if data.get("loss") == "L3" else 1
        powers, factor = {"S": 1, "tau": 1, "C": -1, "rho": -degree - 1}, -1
    else:
        return None
    return {key: v * s ** powers[key] if key in powers else v for key, v in data.items()}, s**factor

"""Small instances of gonen2008, and GAUSS4 of its section 4.1."""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.instances import instance

GAUSS4 = (  # label, mean, variances; each with probability ¼
    (+1.0, (-3.0, +1.0), (0.8, 2.0)),
    (+1.0, (+1.0, +1.0), (0.8, 2.0)),
    (-1.0, (-1.0, -2.2), (0.8, 4.0)),
    (-1.0, (+3.0, -2.2), (0.8, 4.0)),
)


def gauss4(n: int = 1200, *, seed: int = 0) -> tuple[Array, Array]:
    """n points in the plane from four Gaussians, two of each class, and their labels ±1."""
    rng = np.random.default_rng(seed)
    labels, means, variances = (np.array(column) for column in zip(*GAUSS4, strict=True))
    component = rng.integers(len(GAUSS4), size=n)
    X = means[component] + np.sqrt(variances[component]) * rng.normal(size=(n, 2))
    return X, labels[component]


def gauss4_bayes(X: Array) -> Array:
    """The logarithm of the two classes' densities' ratio: its sign is the best guess."""
    terms: dict[float, list[Array]] = {+1.0: [], -1.0: []}
    for label, mean, variances in GAUSS4:
        squares = ((X - np.array(mean)) ** 2 / np.array(variances)).sum(axis=1)
        terms[label].append(-squares / 2 - np.log(variances).sum() / 2)
    ratio: Array = np.logaddexp(*terms[+1.0]) - np.logaddexp(*terms[-1.0])
    return ratio


def sample(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """The kernels of `instance`, points in the plane, and a gating that favours one or another.

    What is to be met, in regression, depends on the points by a sine and a kink.
    """
    data = instance(n, p, 2, kind=kind, seed=seed)
    rng = np.random.default_rng(seed + 100)
    X = rng.normal(size=(n, 2)) + 0.7 * data["y"][:, None]
    made = {**data, "X": X, "V": rng.normal(size=(p, 2)), "v0": rng.normal(size=p), "C": 10.0}
    if id.endswith("regression"):
        made["y"] = np.sin(2 * X[:, 0]) + np.abs(X[:, 1])
    return {**made, "epsilon": 0.1, "nu": 0.3}

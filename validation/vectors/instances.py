"""The problems of the test vectors: few samples, numbers of few binary digits, nothing random.

Kernels are sums and products of multiples of powers of two, exact in doubles, and semidefinite to
the last bit. What is drawn comes from a generator that the language itself keeps as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.inputs import Array

NOTES = {
    "Ordinary": "nothing special",
    "Tiny": "as few samples as there may be",
    "OneKernel": "one kernel or similarity: nothing is left to choose, or little",
    "Duplicated": "a kernel or similarity twice: the weights are not unique",
    "RankDeficient": "kernels or similarities of low rank",
    "Unbalanced": "one sample in the smaller class",
    "SmallParameter": "little weight on what the parameter multiplies",
    "LargeParameter": "much weight on what the parameter multiplies",
    "DifferentSizes": "kernels or similarities of very different size side by side",
    "RealData": "measurements of iris flowers (Fisher 1936)",
    "Larger": "more samples than the others have",
    "Eigenvectors": "the similarities have eigenvectors of few binary digits",
    "RepeatedEigenvalues": "eigenvalues repeat: the eigenvectors U are a part of the problem",
}
GROUPS = {  # what the tests of a group have in common, by the flag
    "ordinary": ("Ordinary", "Tiny", "Larger", "RealData", "Eigenvectors"),
    "degenerate": (
        "OneKernel", "Duplicated", "RankDeficient", "Unbalanced", "RepeatedEigenvalues",
    ),
    "extreme": ("SmallParameter", "LargeParameter", "DifferentSizes"),
}  # fmt: skip


@dataclass(frozen=True)
class Instance:
    """A problem as its file holds it, what is special about it, and whether it shows slips."""

    flag: str
    comment: str
    problem: dict[str, Any]
    slips: bool = field(default=False)


# -- Samples ---------------------------------------------------------------------------------------


def drawn(n: int, d: int, seed: int) -> Array:
    """n points of d multiples of ¼ between -2 and 2."""
    numbers = Random(1000 * seed + 17 * n + d)
    return np.array([[int(17 * numbers.random()) - 8 for _ in range(d)] for _ in range(n)]) / 4


def signs(n: int, smaller: int | None = None) -> Array:
    """Labels ±1 in turn, or so many of +1 first."""
    if smaller is None:
        return np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return np.where(np.arange(n) < smaller, 1.0, -1.0)


def points(y: Array, seed: int, d: int = 3) -> Array:
    """Points of which the labels tell something, not all."""
    X = drawn(len(y), d, seed)
    X[:, 0] += np.where(y == y.max(), 0.5, -0.5)
    return X


def linear(X: Array) -> Array:
    """XXᵀ"""
    K: Array = X @ X.T
    return K


def quadratic(X: Array) -> Array:
    """(1 + XXᵀ)², by entries, over 8."""
    K: Array = (1 + X @ X.T) ** 2 / 8
    return K


def gaussian(X: Array, width: float) -> Array:
    """exp(-d²/width) to twelve binary places, 1/32 more on the diagonal: definite for n ≤ 100."""
    d = ((X[:, None] - X) ** 2).sum(axis=-1)
    K: Array = np.round(np.exp(-d / width) * 4096) / 4096 + np.eye(len(X)) / 32
    return K


def kernels(X: Array, p: int) -> Array:
    """p kernels of about the same size."""
    every = (
        lambda: linear(X) / 2,
        lambda: gaussian(X, 4.0),
        lambda: quadratic(X) / 4,
        lambda: gaussian(X, 1.0),
    )
    return np.stack([every[i % 4]() for i in range(p)])


def similarity(X: Array, y: Array, seed: int) -> Array:
    """Symmetric, indefinite, of multiples of 1/16."""
    B = drawn(len(X), 4, 50 + seed)
    B[:, 3] = y
    S: Array = (B * np.array([0.5, -0.25, 0.5, 1.0])) @ B.T / 2
    return S


def rotated(n: int, eigenvalues: list[float], seed: int) -> tuple[Array, Array]:
    """S = U diag(λ)Uᵀ and U, the product of two reflections I - ½vvᵀ with four entries ±1 in v."""
    U = np.eye(n)
    for i in range(2):
        numbers = Random(77 * seed + i)
        places = sorted(range(n), key=lambda _: numbers.random())[:4]
        v = np.zeros(n)
        v[places] = [1.0 if numbers.random() < 0.5 else -1.0 for _ in places]
        U = U @ (np.eye(n) - np.outer(v, v) / 2)
    return (U * np.array(eigenvalues)) @ U.T, U


def iris() -> tuple[Array, Array]:
    """Twelve flowers, four of each of three species, in tenths of a centimetre over 16."""
    from sklearn.datasets import load_iris

    rows = [0, 7, 21, 40, 52, 63, 77, 98, 101, 119, 130, 149]
    every = load_iris()
    X = np.round(np.asarray(every.data)[rows] * 10) / 16
    X -= np.round(X.mean(axis=0) * 16) / 16
    return X, np.asarray(every.target)[rows] + 1.0


# -- Instances -------------------------------------------------------------------------------------


def instances(id: str) -> Iterator[Instance]:
    """The tests of a formulation: twelve, or a few more."""
    form = formulation(id)
    keys = form.keys
    if "kernels" in keys:
        made = _kernels(id, keys, binary=form.binary)
    elif "K" in keys:
        made = _given(id, keys)
    else:
        made = _similarities(id, keys, form.optional)
    wanted = (*keys, *form.optional)
    for one in made:
        problem = {k: one.problem[k] for k in wanted if one.problem.get(k) is not None}
        # An algorithm has the program of an equation, where the slips are.
        yield Instance(one.flag, one.comment, problem, one.slips and "-alg" not in id)


def _labelled(id: str, keys: tuple[str, ...], K: Array, X: Array, y: Array) -> dict[str, Any]:
    """Kernels with everything that one of these programs may ask for."""
    p = len(K)
    rows = [y, np.where(X[:, 1] > np.median(X[:, 1]), 1.0, -1.0)]
    if id == "tang2009-eq2":
        rows = [np.roll(y, t) if t else y for t in range(p)]
    Y = np.array([row for row in rows if len(set(row.tolist())) == 2] or [y])
    gates = {"X": X[:, :2], "V": drawn(p, 2, 5), "v0": drawn(p, 1, 6)[:, 0]}
    return {"kernels": K, "y": y, "Y": Y, "lam": 0.25, "C": 1.0, "beta": 0.25, "tau": 4.0, **gates}


def _kernels(id: str, keys: tuple[str, ...], *, binary: bool) -> Iterator[Instance]:
    pm = binary or "Y" in keys or id.startswith(("kundu2010", "rakotomamonjy2008"))

    def labels(n: int) -> Array:
        three = np.array([1.0, 2.0, 3.0])[np.arange(n) % 3]
        return signs(n) if pm else three

    def made(y: Array, p: int, seed: int, K: Array | None = None) -> dict[str, Any]:
        X = points(y, seed)
        return _labelled(id, keys, kernels(X, p) if K is None else K, X, y)

    yield Instance("Ordinary", "three kernels", made(labels(7), 3, 1), slips=True)
    yield Instance("Ordinary", "two kernels", made(labels(8), 2, 2), slips=True)
    yield Instance("Ordinary", "four kernels", made(labels(9), 4, 3), slips=True)
    n = 3 if pm else 4
    yield Instance("Tiny", f"{n} samples", made(labels(n), 2, 4))
    yield Instance("OneKernel", "one kernel", made(labels(6), 1, 5))
    y = labels(6)
    X = points(y, 6)
    twice = np.stack([gaussian(X, 4.0), gaussian(X, 4.0), linear(X)])
    yield Instance("Duplicated", "the first two kernels are the same", made(y, 3, 6, twice))
    y = labels(8)
    X = points(y, 7)
    low = np.stack([linear(X[:, :1]), linear(X[:, 1:]), linear(X[:, :2])])
    yield Instance("RankDeficient", "ranks 1, 2 and 2", made(y, 3, 7, low))
    y = signs(7, 1) if pm else np.array([1.0, 2, 2, 2, 3, 3, 3])
    yield Instance("Unbalanced", "one sample against the others", made(y, 3, 8))
    small = made(labels(7), 3, 9)
    yield Instance("SmallParameter", "λ, C and β small", {**small, **_parameters(2.0**-8)})
    large = made(labels(7), 3, 10)
    yield Instance(
        "LargeParameter", "λ and C large, β near its end", {**large, **_parameters(2.0**8)}
    )
    y = labels(7)
    K = kernels(points(y, 11), 3) * np.array([2.0**10, 1.0, 2.0**-10])[:, None, None]
    yield Instance("DifferentSizes", "kernels a million times each other", made(y, 3, 11, K))
    X, y = iris()
    if pm:
        X, y = X[4:], np.where(y[4:] == 2, 1.0, -1.0)
    real = np.stack([linear(X), quadratic(X), gaussian(X, 2.0)])
    yield Instance(
        "RealData", "iris: petals and sepals", _labelled(id, keys, real, X, y), slips=True
    )
    y = labels(20)
    X = points(y, 12)
    two = np.stack([gaussian(X, 2.0), linear(X) / 4])
    yield Instance("Larger", "twenty samples", _labelled(id, keys, two, X, y))


def _parameters(x: float) -> dict[str, float]:
    return {"lam": x, "C": x, "tau": x, "beta": 1 / 64 if x < 1 else 63 / 64}


def _given(id: str, keys: tuple[str, ...]) -> Iterator[Instance]:
    """One kernel: chen2009 (1), (3), (8)."""

    def made(y: Array, seed: int, K: Array | None = None, **numbers: Any) -> dict[str, Any]:
        X = points(y, seed)
        S = similarity(X, y, seed)
        K = kernels(X, 2).sum(axis=0) if K is None else K
        s, psi = drawn(len(y), 1, 90 + seed)[:, 0], 0.5
        return {"K": K, "y": y, "C": 1.0, "eta": 1 / 16, "s": s, "psi": psi, "S": S, **numbers}

    for seed, n in ((1, 7), (2, 8), (3, 9)):
        yield Instance("Ordinary", f"{n} samples", made(signs(n), seed), slips=True)
    yield Instance("Tiny", "three samples", made(signs(3), 4))
    y = signs(6)
    X = points(y, 5)
    yield Instance("RankDeficient", "a kernel of rank 1", made(y, 5, linear(X[:, :1])))
    yield Instance(
        "RankDeficient", "a kernel of rank 3", made(signs(8), 6, linear(points(signs(8), 6)))
    )
    twice = np.kron(np.array([[1.0, 1.0], [1.0, 1.0]]), gaussian(points(signs(4), 7), 4.0))
    yield Instance("Duplicated", "every sample twice", made(np.tile(signs(4), 2), 7, twice))
    yield Instance("Unbalanced", "one sample against the others", made(signs(7, 1), 8))
    low: dict[str, Any] = {"C": 2.0**-8, "eta": 2.0**-10, "psi": 2.0**-8}
    yield Instance("SmallParameter", "C, η and ψ small", made(signs(7), 9, **low))
    high: dict[str, Any] = {"C": 2.0**8, "eta": 4.0, "psi": 64.0}
    low_rank = linear(points(signs(7), 10))
    yield Instance("LargeParameter", "C, η and ψ large", made(signs(7), 10, low_rank, **high))
    y = signs(7)
    yield Instance(
        "DifferentSizes", "a small kernel", made(y, 11, kernels(points(y, 11), 1)[0] / 1024)
    )
    X, y = iris()
    X, y = X[4:], np.where(y[4:] == 2, 1.0, -1.0)
    yield Instance("RealData", "iris", made(y, 12, linear(X) + gaussian(X, 2.0)), slips=True)
    y = signs(20)
    yield Instance("Larger", "twenty samples", made(y, 13, gaussian(points(y, 13), 2.0)))


def _similarities(id: str, keys: tuple[str, ...], optional: tuple[str, ...]) -> Iterator[Instance]:
    """Similarities: one for chen2009 (2), (7), (12), several for kundu2010 (4), (6), (7)."""
    several, spectral = id.startswith("kundu2010"), "U" in optional
    words = (("clip", "L2"), ("flip", "L3"), ("both", "L1"), ("spectrum", "L2"))

    def of(S: list[Array], y: Array, word: int, **numbers: Any) -> dict[str, Any]:
        h, loss = words[word % 4]
        tau, rho = float(len(y)), {"L1": 2.0**-6, "L2": 0.25, "L3": 2.0**-4}[loss]
        own = {
            "C": 1.0,
            "rho": rho,
            "tau": tau,
            "loss": loss,
            "eta": 1 / 16,
            "gamma": 0.125,
            "h": h,
        }
        return {"S": np.stack(S) if several else S[0], "y": y, **own, **numbers}

    def made(y: Array, seed: int, m: int = 2, **numbers: Any) -> dict[str, Any]:
        S = [similarity(points(y, seed + i), y, seed + 20 * i) + i * np.eye(len(y)) / 4
             for i in range(m)]  # fmt: skip
        if spectral:  # no eigenvalue that is zero, and none twice
            S = [A + np.diag(np.arange(len(y)) % 5 - 1.5) / 8 for A in S]
        return of(S, y, seed, **numbers)

    for seed, n in ((1, 5), (2, 6), (3, 6), (4, 7)):
        word = words[seed % 4][several]
        yield Instance("Ordinary", f"{n} samples, {word}", made(signs(n), seed), slips=True)
    yield Instance("Tiny", "three samples", made(signs(3), 5))
    yield Instance("OneKernel", "one similarity", made(signs(6), 6, 1))
    same = made(signs(5), 7, 1)["S"].reshape(5, 5)
    yield Instance("Duplicated", "the similarity twice", of([same, same], signs(5), 7))
    yield Instance("Unbalanced", "one sample against the others", made(signs(6, 1), 8))
    if spectral:
        S, _ = rotated(6, [2.0, -1.0, 0.5, 3.0, -0.25, 1.0], 1)
        yield Instance("Eigenvectors", "of quarters", of([S, S + np.eye(6) / 2], signs(6), 9))
        S, U = rotated(5, [1.0, 1.0, -0.5, 2.0, -0.5], 2)
        T, V = rotated(5, [0.5, 2.0, 0.5, -1.0, 1.5], 3)
        basis = np.stack([U, V]) if several else U
        yield Instance(
            "RepeatedEigenvalues", "two of them twice", of([S, T], signs(5), 10, U=basis)
        )
        if not several:
            S, U = rotated(6, [2.0, -1.0, 0.0, 3.0, 0.0, 1.0], 4)
            yield Instance("RankDeficient", "two eigenvalues are zero", of([S], signs(6), 11, U=U))
    else:
        B = drawn(6, 2, 9)
        S = (B * np.array([1.0, -0.5])) @ B.T
        yield Instance("RankDeficient", "rank 2", of([S, S + linear(B[:, :1])], signs(6), 9))
    low: dict[str, Any] = {
        "C": 2.0**-6,
        "eta": 2.0**-8,
        "rho": 2.0**-8,
        "gamma": 2.0**-6,
        "tau": 0.5,
    }
    yield Instance("SmallParameter", "all of them small", made(signs(6), 12, **low))
    high: dict[str, Any] = {"C": 2.0**6, "eta": 2.0, "rho": 4.0, "gamma": 4.0, "tau": 64.0}
    yield Instance("LargeParameter", "all of them large", made(signs(6), 13, **high))
    if several:
        y = signs(5)
        pair = [similarity(points(y, 14), y, 14) * 32, similarity(points(y, 15), y, 15) / 32]
        pair = [A + np.diag(np.arange(5) - 1.5) / 64 for A in pair]
        yield Instance("DifferentSizes", "one a thousand times the other", of(pair, y, 14))
    X, y = iris()
    X, y = X[4:], np.where(y[4:] == 2, 1.0, -1.0)
    d = ((X[:, None] - X) ** 2).sum(axis=-1)
    pair = [1 - d / 4 + gaussian(X, 1.0) / 16, gaussian(X, 2.0) - linear(X) / 2]  # not kernels
    yield Instance("RealData", "iris: one less a distance", of(pair, y, 15), slips=True)

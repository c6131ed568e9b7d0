"""What is timed: seeded problems of a given size, two real data sets, a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.files import read
from cvxkernel.validation.instances import blobs, gaussian_kernels, sample
from cvxkernel.validation.tang2009.samples import multi_label


@dataclass(frozen=True)
class Size:
    """n points of k Gaussian clouds, p Gaussian kernels of widths 0.1 to 100."""

    n: int
    p: int
    k: int
    lam: float = 5e-4

    def __str__(self) -> str:
        return f"n = {self.n}, p = {self.p}, k = {self.k}"

    def data(self) -> Mapping[str, Any]:
        """The problem, seeded."""
        X, y = blobs(self.n, self.k)
        y = 2 * y - 3 if self.k == 2 else y
        return {"kernels": gaussian_kernels(X, self.p), "y": y, "lam": self.lam, "C": 1.0}


@dataclass(frozen=True)
class Labels:
    """The same points with k labels of ±1, or other kernels, for tang2009."""

    n: int
    p: int
    k: int
    kind: str = "gaussian"
    beta: float | None = None
    lam: float | None = None

    def data(self) -> Mapping[str, Any]:
        """The problem, seeded."""
        given = {"beta": self.beta, "lam": self.lam}
        chosen = {key: value for key, value in given.items() if value is not None}
        return multi_label(self.n, self.p, self.k, kind=self.kind) | chosen

    def __str__(self) -> str:
        return f"n = {self.n}, p = {self.p}, k = {self.k}"


@dataclass(frozen=True)
class Sample:
    """A seeded sample of any formulation, a loss of its own if one is given."""

    id: str
    n: int
    p: int
    loss: str | None = None

    def data(self) -> Mapping[str, Any]:
        """The problem, seeded."""
        made = sample(self.id, self.n, self.p)
        return made if self.loss is None else made | {"loss": self.loss}

    def __str__(self) -> str:
        return f"n = {self.n}" + (f", {self.loss}" if self.loss else "")


@dataclass(frozen=True)
class Real:
    """Similarities of the chen2009 collection, in the folder CVXKERNEL_DATA, with numbers."""

    name: str
    numbers: tuple[tuple[str, Any], ...]
    stacked: bool = False

    @classmethod
    def of(cls, name: str, *, stacked: bool = False, **numbers: Any) -> Real:
        """`stacked`: S as kundu2010 has it."""
        return cls(name, tuple(numbers.items()), stacked)

    def data(self) -> Mapping[str, Any]:
        """The problem."""
        folder = os.environ.get("CVXKERNEL_DATA")
        if folder is None:
            raise InputError("CVXKERNEL_DATA", "a folder with the papers' data sets", "nothing")
        held = read(Path(folder) / f"{self.name}.npz")
        S = held["S"][None] if self.stacked else held["S"]
        return {"S": S, "y": np.asarray(held["y"], dtype=float), **dict(self.numbers)}

    def __str__(self) -> str:
        return ", ".join([self.name, *(f"{key} = {value}" for key, value in self.numbers)])


@dataclass(frozen=True)
class Digits:
    """The first n of scikit-learn's digits, ten classes, p Gaussian kernels on unit features."""

    n: int
    p: int
    lam: float = 5e-4

    def data(self) -> Mapping[str, Any]:
        """The problem."""
        X, y = load_digits(return_X_y=True)
        K = gaussian_kernels(_standardized(X[: self.n]), self.p)
        return {"kernels": K, "y": y[: self.n], "lam": self.lam}


@dataclass(frozen=True)
class Cancer:
    """The first n of scikit-learn's breast cancer, p Gaussian kernels on unit features."""

    n: int
    p: int
    C: float = 1.0

    def __str__(self) -> str:
        return f"breast cancer, n = {self.n}, p = {self.p}"

    def data(self) -> Mapping[str, Any]:
        """The problem."""
        X, y = load_breast_cancer(return_X_y=True)
        K = gaussian_kernels(_standardized(X[: self.n]), self.p)
        return {"kernels": K, "y": 2.0 * y[: self.n] - 1, "C": self.C}


@dataclass(frozen=True)
class File:
    """A problem file."""

    path: Path

    def data(self) -> Mapping[str, Any]:
        """What it holds."""
        return read(self.path)


Instance = Size | Labels | Sample | Real | Digits | Cancer | File


def _standardized(X: Array) -> Array:
    """Every feature of mean zero and deviation one; constant ones zero."""
    deviation = X.std(axis=0)
    Z: Array = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return Z

"""The data sets of the papers: where each can be had, and whether a folder holds them.

A folder holds an .npz file for each: X (rows are samples) or S (similarities), and y or Y. Its
class counts tell whether it is the data set; the checksum, of the numbers as doubles, whether it is
bit for bit the one behind the numbers of the documentation. Nothing is downloaded here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine

from cvxkernel.formulations.errors import FileError, InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.gonen2008.samples import gauss4

FOLDER = "CVXKERNEL_DATA"
SIMILARITY = "the similarity data sets of chen2009's authors (Aural Sonar, Voting, Protein …)"
MULAN = "the Mulan collection of multi-label data sets"
OPENML = (
    "not verified: as others write them, none of them fetched here; class counts and checksum "
    "tell whether it is the same data"
)


@dataclass(frozen=True, eq=False)
class Data:
    """A data set: X (n, d) or S (n, n), and y (n,), or Y (k, n) of 0 and 1."""

    name: str
    X: Array
    y: Array

    @property
    def n(self) -> int:
        """How many samples."""
        return len(self.X)


@dataclass(frozen=True)
class Source:
    """What is known of a data set.

    where    : where a user finds it
    openml   : its name and version for `sklearn.datasets.fetch_openml`; see `OPENML`
    make     : makes it without a file
    counts   : how many samples of each class, in the order of the labels; of labels, how many have
    keys     : what the file holds
    note     : which of several it is, or what its numbers are
    """

    where: str
    counts: tuple[int, ...]
    openml: tuple[str, int] | None = None
    make: Callable[[], tuple[Array, Array]] | None = None
    keys: tuple[str, str] = ("X", "y")
    note: str = ""
    read: Callable[[Mapping[str, Array]], tuple[Array, Array]] | None = field(default=None)


# -- Generators ------------------------------------------------------------------------------------


def ringnorm(n: int = 7400, seed: int = 0) -> tuple[Array, Array]:
    """Breiman (1996): N(0, 4I) against N(a·1, I), a = 2/√20, in 20 dimensions."""
    rng = np.random.default_rng(seed)
    half = n // 2
    wide = 2 * rng.standard_normal((half, 20))
    narrow = rng.standard_normal((n - half, 20)) + 2 / np.sqrt(20)
    return np.vstack([wide, narrow]), np.repeat([1.0, -1.0], [half, n - half])


def twonorm(n: int = 7400, seed: int = 0) -> tuple[Array, Array]:
    """Breiman (1996): N(a·1, I) against N(-a·1, I), a = 2/√20, in 20 dimensions."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], [n // 2, n - n // 2])
    return rng.standard_normal((n, 20)) + 2 / np.sqrt(20) * y[:, None], y


def waveform(n: int = 5000, seed: int = 0) -> tuple[Array, Array]:
    """Breiman et al. (1984): mixtures of two of three triangles, and noise, at 21 points."""
    rng = np.random.default_rng(seed)
    i = np.arange(1, 22)
    h = np.maximum(6 - np.abs(np.array([[11], [15], [7]]) - i), 0.0)
    y = rng.integers(3, size=n)
    first, second = np.array([[0, 1], [0, 2], [1, 2]]).T
    u = rng.uniform(size=(n, 1))
    return u * h[first[y]] + (1 - u) * h[second[y]] + rng.standard_normal((n, 21)), y.astype(float)


def _wdbc() -> tuple[Array, Array]:
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.where(y == 0, 1.0, -1.0)  # malignant is positive


def _wine() -> tuple[Array, Array]:
    X, y = load_wine(return_X_y=True)
    return X, y.astype(float)


def _protein(arrays: Mapping[str, Array]) -> tuple[Array, Array]:
    """The two most confusable classes, 72 samples each, of the four that the file has."""
    some = np.flatnonzero(arrays["y"])
    return arrays["S"][np.ix_(some, some)], arrays["y"][some]


def _usps(arrays: Mapping[str, Array]) -> tuple[Array, Array]:
    """From units of 1/2000 to grey values in [-1, 1]."""
    return arrays["X"] / 2000.0, arrays["y"]


# fmt: off
SOURCES: Mapping[str, Source] = {
    "sonar": Source("UCI, connectionist bench (sonar)", (97, 111), openml=("sonar", 1)),
    "ionosphere": Source("UCI", (126, 225), openml=("ionosphere", 1)),
    "heart": Source("Statlog", (150, 120), openml=("heart-statlog", 1)),
    "cancer": Source("UCI, breast cancer Wisconsin (original), without 16 incomplete rows",
        (444, 239), openml=("breast-w", 1)),
    "wdbc": Source("scikit-learn, load_breast_cancer", (357, 212), make=_wdbc),
    "wine": Source("scikit-learn, load_wine", (59, 71, 48), make=_wine),
    "pima": Source("UCI, Pima Indians diabetes", (500, 268), openml=("diabetes", 1)),
    "liver": Source("UCI, liver disorders (BUPA)", (200, 145), openml=("liver-disorders", 1)),
    "german": Source("Statlog, german.data-numeric", (300, 700), note="24 numeric columns"),
    "spambase": Source("UCI", (2788, 1813), openml=("spambase", 1)),
    "banana": Source("Rätsch's benchmark", (2924, 2376), openml=("banana", 1)),
    "ringnorm": Source("made here, seed 0", (3700, 3700), make=ringnorm),
    "twonorm": Source("made here, seed 0", (3700, 3700), make=twonorm),
    "waveform": Source("made here, seed 0", (1651, 1675, 1674), make=waveform,
        note="21 columns, without the 19 of noise that OpenML's has"),
    "gauss4": Source("made here, seed 0", (632, 568), make=gauss4),
    "satimage": Source("Statlog", (1533, 703, 1358, 626, 707, 1508), openml=("satimage", 1)),
    "segment": Source("Statlog", (330,) * 7, openml=("segment", 1)),
    "letter": Source("UCI", (789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792, 783,
        753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734), openml=("letter", 1)),
    "usps": Source("the files zip.train and zip.test",
        (1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821), openml=("USPS", 2), read=_usps,
        note="X in units of 1/2000"),
    "scene": Source(MULAN, (427, 364, 397, 433, 533, 431), keys=("X", "Y")),
    "yeast_multilabel": Source(MULAN, (), keys=("X", "Y")),
    "aural_sonar": Source(SIMILARITY, (50, 50), keys=("S", "y")),
    "voting": Source(SIMILARITY, (168, 267), keys=("S", "y")),
    "protein": Source(SIMILARITY, (72, 72), keys=("S", "y"), read=_protein),
    "yeast_sw": Source(SIMILARITY, (100, 100), keys=("S", "y"),
        note="200 samples of which pair of classes is not known"),
}
# fmt: on
NOT_TO_BE_HAD = {
    "Amazon": "not found",
    "Yeast-5-7": "not found under its name",
    "Yeast-5-12": "not found under its name",
    "Ligand": "not found",
    "Bio": "not found: eight kernels of 3588 proteins",
    "20news": "its 62 text kernels are not specified",
    "SCOP proteins": "not found, nor the three alignments' scores",
    "Arabidopsis, Vertebrates": "translation initiation sites: not found",
    "FlyExpress": "not found",
}


# -- A folder --------------------------------------------------------------------------------------


def folder(given: Path | None) -> Path:
    """The folder given, or the one that the environment names."""
    named = os.environ.get(FOLDER)
    if given is None and not named:
        raise InputError("--data", f"a folder, here or in {FOLDER}", "none")
    path = given if given is not None else Path(str(named))
    if not path.is_dir():
        raise FileError("--data", "a folder", f"{path}")
    return path


def load(name: str, at: Path | None) -> Data:
    """A data set from the folder; what is made, or in scikit-learn, needs no file."""
    source = _source(name)
    if source.make is not None:
        X, y = source.make()
    elif (path := folder(at) / f"{name}.npz").exists():
        X, y = read(name, path)
    else:
        raise FileError("--data", f"{name}.npz ({source.where})", f"no such file in {path.parent}")
    return Data(name, np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64))


def read(name: str, path: Path) -> tuple[Array, Array]:
    """The arrays of a file, pickles refused."""
    source = _source(name)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: np.asarray(file[key]) for key in file.files}
    except (OSError, ValueError, KeyError) as error:
        raise FileError(path.name, "an .npz file of numbers", str(error)[:80]) from None
    missing = [key for key in source.keys if key not in arrays]
    if missing:
        raise FileError(path.name, f"the keys {' and '.join(source.keys)}", ", ".join(arrays))
    if source.read is not None:
        return source.read(arrays)
    return arrays[source.keys[0]], arrays[source.keys[1]]


def counts(y: Array) -> tuple[int, ...]:
    """Samples of each class, or of each label of Y (k, n)."""
    if y.ndim == 2:
        return tuple(int(row.sum()) for row in y)
    return tuple(np.unique(y, return_counts=True)[1].tolist())


def checksum(data: Data) -> str:
    """Of the numbers as doubles, in their order: sixteen hexadecimal digits."""
    digest = hashlib.sha256()
    for array in (data.X, data.y):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()[:16]


def absent(name: str, at: Path | None) -> bool:
    """Whether it is neither made nor in the folder."""
    return _source(name).make is None and (at is None or not (at / f"{name}.npz").exists())


def state(name: str, at: Path | None) -> dict[str, Any]:
    """What the folder has of a data set: "missing", "as documented", "other values" or "wrong"."""
    source = _source(name)
    where = "; ".join(filter(None, (source.where, source.note)))
    told: dict[str, Any] = {"data": name, "where": where, "openml": source.openml}
    if absent(name, at):
        return told | {"state": "missing"}
    try:
        data = load(name, at)
    except FileError as error:
        return told | {"state": "wrong", "why": str(error)}
    own, expected = counts(data.y), CHECKSUMS.get(name)
    told |= {"samples": data.n, "classes": list(own), "checksum": checksum(data)}
    if source.counts and own != source.counts:
        return told | {"state": "wrong", "why": f"class counts {own}, not {source.counts}"}
    if expected is not None and told["checksum"] != expected:
        return told | {"state": "other values", "why": f"checksum {expected} in the documentation"}
    return told | {"state": "as documented"}


def _source(name: str) -> Source:
    if name not in SOURCES:
        raise InputError("NAME", f"one of {', '.join(SOURCES)}", repr(name))
    return SOURCES[name]


# Of the data behind the numbers in the documentation.
CHECKSUMS: Mapping[str, str] = {
    "sonar": "7c21430f88821151",
    "ionosphere": "f22b4102789c468d",
    "heart": "0423a8470654f4b2",
    "cancer": "35bf749787df96d2",
    "wdbc": "41e56a3af1e85997",
    "wine": "049274fae543b5d5",
    "pima": "af0f867475e1b1b9",
    "liver": "6697481615194e05",
    "german": "b7cb057949d5060a",
    "spambase": "e4ddf751fb2bcb16",
    "banana": "8700a8fc9f5b6548",
    "ringnorm": "32421c16d51c1fe3",
    "twonorm": "59586495ef4eb49d",
    "waveform": "9b67788cf9dcb966",
    "gauss4": "75ff71a45cc9b3fe",
    "satimage": "cf921a6bd1a402df",
    "segment": "b4cae16234da9f0c",
    "letter": "3e1d9d034d895a07",
    "usps": "aac00b6c32039d1d",
    "scene": "fe0470dbdadc2c04",
    "yeast_multilabel": "37a3ef7ac2d236e9",
    "aural_sonar": "0622766145973a8c",
    "voting": "422b5ffc974cfe89",
    "protein": "7539e3c0ce20d11c",
    "yeast_sw": "1a0e97a378888cbc",
}

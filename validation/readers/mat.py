"""MATLAB's files up to version 7: sizes are read from the tags before anything is unpacked."""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

from scipy.io import loadmat, whosmat
from scipy.sparse import issparse

from cvxkernel.formulations.errors import FileError, ShapeError
from cvxkernel.validation.readers.budget import afford
from cvxkernel.validation.readers.kinds import MAT, kind

VECTORS = {"y", "s", "v0"}  # what MATLAB can only store as a row or a column
COMPRESSED = 15  # miCOMPRESSED
EXPECTED = "a .mat file up to version 7"


def read_mat(path: Path) -> dict[str, Any]:
    """The arrays by key; vectors as such."""
    what = kind(path)
    if what not in (MAT, None):  # version 4 has no magic number
        raise FileError(path.name, EXPECTED, what or "")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            variables = whosmat(path)
            packed = sum(_elements(path)) if what == MAT else 0
            _check(path.name, variables, packed)
            data = loadmat(path)
    except FileError:
        raise
    except NotImplementedError:
        raise FileError(path.name, EXPECTED, "a MATLAB 7.3 file (save it with -v7)") from None
    except Exception as error:  # a damaged file; scipy raises whatever it stumbles over
        came = " ".join(str(error).split())[:120] or type(error).__name__
        raise FileError(path.name, "a whole .mat file", came) from None
    return {key: _plain(key, x) for key, x in data.items() if not key.startswith("__")}


def _check(file: str, variables: list[tuple[str, tuple[int, ...], str]], packed: int) -> None:
    """Each key once; and all of them, as doubles or as they are stored, fit into the memory."""
    names = [name for name, _, _ in variables]
    for name in names:
        if names.count(name) > 1:
            raise FileError(name, "a key once", "twice")
    full = [(8 * prod(shape), name, shape) for name, shape, how in variables if how != "sparse"]
    if full:
        _, name, shape = max(full)
        afford(file, f"{name} of shape {shape}", sum(size for size, _, _ in full))
    afford(file, "what it unpacks to", packed)


def _elements(path: Path) -> Iterator[int]:
    """The bytes of each variable of a version 5 file, unpacked, as its tag says."""
    with path.open("rb") as file:
        length = path.stat().st_size
        order = "<" if file.read(128)[126:128] == b"IM" else ">"
        while file.tell() + 8 <= length:
            what, size = struct.unpack(f"{order}II", file.read(8))
            end = file.tell() + size
            if end > length:
                raise ValueError(f"{size} bytes where {length - file.tell()} are left")
            yield _unpacked(file, size, order) if what == COMPRESSED else size
            file.seek(end)


def _unpacked(file: BinaryIO, size: int, order: str) -> int:
    """What the tag within a compressed element says; no more than that is ever unpacked."""
    tag = zlib.decompressobj().decompress(file.read(min(size, 4096)), 8)
    return int(struct.unpack(f"{order}II", tag)[1])


def _plain(key: str, value: Any) -> Any:
    if issparse(value):
        raise ShapeError(key, "a full array", "a sparse one")
    if key in VECTORS and value.ndim == 2 and 1 in value.shape:
        return value.ravel()
    return value

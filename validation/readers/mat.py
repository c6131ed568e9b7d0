"""MATLAB's files up to version 7: sizes are read from the tags before anything is unpacked.

Arrays are read, and structs of arrays. Whatever else holds other variables is not: scipy goes into
them as deep as they are nested, and beyond its stack.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from scipy.io import loadmat, whosmat
from scipy.sparse import issparse

from cvxkernel.formulations.errors import FileError, ShapeError
from cvxkernel.validation.readers.budget import afford
from cvxkernel.validation.readers.kinds import MAT, kind

VECTORS = {"y", "s", "v0"}  # what MATLAB can only store as a row or a column
COMPRESSED, MATRIX = 15, 14  # miCOMPRESSED, miMATRIX
CELL, STRUCT, OBJECT, FUNCTION, OPAQUE = 1, 2, 3, 16, 17  # classes of what holds others
CONTAINERS = ("cell", "struct", "object", "function", "opaque")  # as scipy calls them
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
            packed = sum(e.size for e in _elements(path)) if what == MAT else 0
            _check(path.name, variables, packed)
            structs = [e.name for e in _elements(path) if e.flat] if what == MAT else []
            plain = [name for name, _, how in variables if how not in CONTAINERS]
            data = loadmat(path, variable_names=[*plain, *structs])
    except FileError:
        raise
    except NotImplementedError:
        raise FileError(path.name, EXPECTED, "a MATLAB 7.3 file (save it with -v7)") from None
    except Exception as error:  # a damaged file; scipy raises whatever it stumbles over
        came = " ".join(str(error).split())[:120] or type(error).__name__
        raise FileError(path.name, "a whole .mat file", came) from None
    for name, _, how in variables:
        if name == "variables" and how in CONTAINERS and name not in structs:
            came = "one that holds others" if how == "struct" else f"a {how}"
            raise FileError(name, "a struct of arrays", came)
    held = {name: np.array(None) for name, _, how in variables if how in CONTAINERS}
    found = {key: _plain(key, x) for key, x in data.items() if not key.startswith("__")}
    return held | found  # whoever needs one of those held says that it is no array of numbers


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


class Element(NamedTuple):
    """A variable: its bytes, unpacked, as its tag says; and whether it is a struct of arrays."""

    size: int
    name: str = ""
    flat: bool = False


def _elements(path: Path) -> Iterator[Element]:
    """The variables of a version 5 file."""
    with path.open("rb") as file:
        length = path.stat().st_size
        order = "<" if file.read(128)[126:128] == b"IM" else ">"
        while file.tell() + 8 <= length:
            what, size = struct.unpack(f"{order}II", file.read(8))
            end = file.tell() + size
            if end > length:
                raise ValueError(f"{size} bytes where {length - file.tell()} are left")
            yield _element(file, what, size, order)
            file.seek(end)


def _element(file: BinaryIO, what: int, size: int, order: str) -> Element:
    """What the tags say; no more than they say is ever unpacked."""
    start, packed = file.tell(), what == COMPRESSED
    if packed:
        head = zlib.decompressobj().decompress(file.read(min(size, 4096)), 1024)
        what, unpacked = struct.unpack(f"{order}II", head[:8])
        head = head[8:]
    else:
        head, unpacked = file.read(min(size, 1024)), size
    if what != MATRIX or _class(head, order) != STRUCT:
        return Element(int(unpacked))
    file.seek(start)
    whole = file.read(size)
    if packed:
        whole = zlib.decompressobj().decompress(whole, unpacked + 8)[8:]
    return Element(int(unpacked), *_struct(whole, order))


def _class(content: bytes, order: str) -> int:
    """Of a variable: the lowest byte of its flags."""
    return struct.unpack(f"{order}I", content[8:12])[0] & 0xFF if len(content) >= 12 else 0


def _struct(content: bytes, order: str) -> tuple[str, bool]:
    """Its name, and whether none of its fields holds others."""
    at, parts = 0, []
    for _ in range(5):  # flags, shape, name, the length of names and the names of fields
        part, at = _part(content, at, order)
        parts.append(part)
    name = parts[2].decode("latin-1")
    while at + 8 <= len(content):
        what, size = struct.unpack(f"{order}II", content[at : at + 8])
        inner = content[at + 8 : at + 8 + min(size, 16)]
        if what != MATRIX or _class(inner, order) in (CELL, STRUCT, OBJECT, FUNCTION, OPAQUE):
            return name, False
        at += 8 + size
    return name, True


def _part(content: bytes, at: int, order: str) -> tuple[bytes, int]:
    """A part of a variable at this place, and where the next one is."""
    what, size = struct.unpack(f"{order}II", content[at : at + 8])
    if what >> 16:  # a small one, in its tag
        return content[at + 4 : at + 4 + (what >> 16)], at + 8
    return content[at + 8 : at + 8 + size], at + 8 + size + -size % 8


def _plain(key: str, value: Any) -> Any:
    if issparse(value):
        raise ShapeError(key, "a full array", "a sparse one")
    if key in VECTORS and value.ndim == 2 and 1 in value.shape:
        return value.ravel()
    return value

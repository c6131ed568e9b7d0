"""Archives of numpy: every header is read, and believed only if the archive is as long as it says.

A few hundred bytes can claim a million by a million, and a few megabytes unpack to gigabytes.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from cvxkernel.formulations.errors import FileError, InputError, ShapeError
from cvxkernel.validation.readers.budget import afford
from cvxkernel.validation.readers.kinds import NPZ, kind

MOST_KEYS = 1000
HEADERS = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
    (3, 0): npy.read_array_header_2_0,  # differs in the names of fields alone
}


@dataclass(frozen=True)
class Entry:
    """One array of an archive, as its header describes it."""

    key: str
    info: ZipInfo
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """Its bytes as doubles, if it is numbers."""
        return prod(self.shape) * max(self.dtype.itemsize, 8)


def read_npz(path: Path) -> dict[str, Any]:
    """The arrays by key; no pickles, and nothing unpacked that could not be solved."""
    what = kind(path)
    if what != NPZ:
        raise FileError(path.name, NPZ, what or "something else")
    try:
        with warnings.catch_warnings(), ZipFile(path) as archive:
            warnings.simplefilter("ignore")  # of a header written by Python 2
            entries = _entries(path.name, archive)
            largest = max(entries, key=lambda entry: entry.size, default=None)
            if largest is not None:
                total = sum(entry.size for entry in entries)
                afford(path.name, f"{largest.key} of shape {largest.shape}", total)
            return {entry.key: _unpacked(archive, entry) for entry in entries}
    except InputError:
        raise
    except Exception as error:  # a damaged archive; the libraries raise whatever they stumble over
        came = " ".join(str(error).split())[:120] or type(error).__name__
        raise FileError(path.name, "a whole .npz archive", came) from None


def _entries(file: str, archive: ZipFile) -> list[Entry]:
    infos = [info for info in archive.infolist() if info.filename.endswith(".npy")]
    if len(infos) > MOST_KEYS:
        raise FileError(file, f"at most {MOST_KEYS} arrays", str(len(infos)))
    entries: dict[str, Entry] = {}
    for info in infos:
        entry = _entry(archive, info)
        if entry.key in entries:
            raise FileError(entry.key, "a key once", "twice")
        entries[entry.key] = entry
    return list(entries.values())


def _entry(archive: ZipFile, info: ZipInfo) -> Entry:
    """What the header says, if the archive holds as much, no more and no less."""
    key = info.filename.removesuffix(".npy")
    with archive.open(info) as stream:
        version = npy.read_magic(stream)
        if version not in HEADERS:
            raise ValueError(f"{key}: version {version} of the format")
        shape, _, dtype = HEADERS[version](stream)
        start = stream.tell()
    if dtype.hasobject:
        raise ShapeError(key, "an array of numbers", "objects that would need pickle")
    if min(shape, default=0) < 0:
        raise ValueError(f"{key} of shape {shape}")
    said = prod(shape) * dtype.itemsize
    if info.file_size - start != said:
        held = f"{info.file_size - start} bytes"
        raise ValueError(f"{held} of {key}, whose header says shape {shape}, {said} bytes")
    return Entry(key, info, shape, dtype)


def _unpacked(archive: ZipFile, entry: Entry) -> Any:
    with archive.open(entry.info) as stream:
        return npy.read_array(stream, allow_pickle=False)

"""Problem and answer files: the contract with other implementations.

A problem is an .npz (pickles refused), .mat or .json file; an answer is one JSON object.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import FileError, ShapeError
from cvxkernel.solvers.solution import Solution

# What an answer may tell besides its symbols.
ABOUT = {
    *("formulation", "status", "value", "lower", "upper", "rigorous", "variables", "solver"),
    *("iterations", "seconds", "digits", "history"),
}
VECTORS = {"y", "s", "v0"}  # what MATLAB can only store as a row or a column


def read(path: str | Path) -> dict[str, Any]:
    """The arrays of a file by key."""
    path = Path(path)
    readers = {".npz": _npz, ".mat": _mat, ".json": _json}
    if path.suffix.lower() not in readers:
        raise FileError(path.name, "a .npz, .mat or .json file", f"{path.suffix or 'no ending'}")
    try:
        if not path.is_file():
            raise FileError(path.name, "a file", "a folder" if path.is_dir() else "nothing there")
        if path.stat().st_size == 0:
            raise FileError(path.name, "a problem", "an empty file")
        return readers[path.suffix.lower()](path)
    except OSError as error:
        raise FileError(path.name, "a file that can be read", _one_line(error)) from None


def load(id: str, path: str | Path, **given: Any) -> Any:
    """The problem of formulation `id` that a file describes; what is `given` stands for its own."""
    return formulation(id).make({**read(path), **given})


@dataclass(frozen=True)
class Answer:
    """What a file says: the variables by symbol, and the value and the formulation, if it does."""

    variables: Mapping[str, Any]
    value: Any = None
    formulation: str | None = None


def read_answer(path: str | Path) -> Answer:
    """An answer made by anybody: symbols at the top level, or under `variables` as ours are."""
    found = read(path)
    inner = found.get("variables")
    if isinstance(inner, np.ndarray) and inner.dtype.names and inner.size == 1:  # MATLAB's struct
        inner = {name: inner.reshape(-1)[0][name] for name in inner.dtype.names}
    if inner is not None and not isinstance(inner, dict):
        raise FileError("variables", "symbols and their values", f"a {type(inner).__name__}")
    variables = {k: v for k, v in found.items() if k not in ABOUT} | (inner or {})
    formulation = found.get("formulation")
    told = None if formulation is None else str(np.asarray(formulation).reshape(-1)[0])
    return Answer(variables, found.get("value"), told)


def answer(
    solution: Solution, *, history: bool = False, about: Mapping[str, Any] | None = None
) -> str:
    """The answer as one JSON object, numbers to 17 significant digits; `about` it comes first."""
    fields: dict[str, Any] = {
        **(about or {}),
        "formulation": solution.formulation,
        "status": solution.status,
        "value": solution.value,
        "lower": solution.lower,
        "upper": solution.upper,
        "rigorous": solution.rigorous,
        "variables": {k: np.asarray(v).tolist() for k, v in solution.variables.items()},
        "solver": solution.solver,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
    }
    if solution.digits is not None:
        fields["digits"] = solution.digits
    if solution.promises is not None:
        fields["promises"] = dict(solution.promises)
    if history:
        fields["history"] = [vars(step) for step in solution.history]
    return dump(fields)


def dump(value: Any) -> str:
    """JSON with every float to 17 significant digits, which name the double exactly."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {dump(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dump, value)) + "]"
    if isinstance(value, float):
        return f"{value:.17g}"
    return json.dumps(value)


def _npz(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as archive:
            data: dict[str, Any] = {}
            for key in archive.files:
                try:
                    data[key] = archive[key]
                except ValueError as error:
                    if "allow_pickle" in str(error):
                        raise ShapeError(
                            key, "an array of numbers", "objects that would need pickle"
                        ) from None
                    raise
            return data
    except (BadZipFile, EOFError, OSError, AttributeError, TypeError, zlib.error) as error:
        raise FileError(path.name, "a whole .npz archive", _one_line(error)) from None
    except ValueError as error:
        if isinstance(error, ShapeError):
            raise
        raise FileError(path.name, "a whole .npz archive", _one_line(error)) from None


def _mat(path: Path) -> dict[str, Any]:
    try:
        data = loadmat(path)
    except NotImplementedError:
        came = "a MATLAB 7.3 file (save it with -v7)"
        raise FileError(path.name, "a .mat file up to version 7", came) from None
    except (MatReadError, ValueError, TypeError, OSError, LookupError, zlib.error) as error:
        raise FileError(path.name, "a whole .mat file", _one_line(error)) from None
    data = {key: value for key, value in data.items() if not key.startswith("__")}
    for key in VECTORS & data.keys():
        if data[key].ndim == 2 and 1 in data[key].shape:
            data[key] = data[key].ravel()
    return data


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FileError(path.name, "JSON", _one_line(error)) from None
    if not isinstance(data, dict):
        raise FileError(path.name, "one JSON object", f"a {type(data).__name__}")
    return data


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__

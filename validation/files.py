"""Problem and answer files: the contract with other implementations.

A problem is an .npz (pickles refused), .mat or .json file; an answer is one JSON object.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import FileError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.solvers.export import map_beside
from cvxkernel.solvers.method import Solution
from cvxkernel.validation.readers import read_json, read_mat, read_npz
from cvxkernel.validation.readers.kinds import MAT, NPZ, kind

T = TypeVar("T")

# What an answer may tell besides its symbols.
ABOUT = {
    *("formulation", "status", "value", "lower", "upper", "rigorous", "variables", "solver"),
    *("iterations", "seconds", "digits", "history", "promises", "attempts", "open", "notes"),
}


STDIN = Path("-")
SOLUTION = ".sol"  # of csdp
ENDINGS = {NPZ: ".npz", MAT: ".mat", None: ".mat", "JSON text": ".json", "text": ".json"}
READERS = {".npz": read_npz, ".mat": read_mat, ".json": read_json}


def read(path: str | Path, *, what: str = "a problem") -> dict[str, Any]:
    """The arrays of a file by key; of standard input, where it is called "-"."""
    path = Path(path)
    if path == STDIN:
        with TemporaryDirectory() as folder:
            return read(_received(Path(folder)), what=what)
    if path.suffix.lower() not in READERS:
        raise FileError(
            path.name or str(path), "a .npz, .mat or .json file", f"{path.suffix or 'no ending'}"
        )
    return _opened(path, what, READERS[path.suffix.lower()])


def _opened(path: Path, what: str, reader: Callable[[Path], T]) -> T:
    """What is read of a file that is there and not empty."""
    try:
        if not path.is_file():
            other = "something that is no file" if path.exists() else "nothing there"
            raise FileError(path.name, "a file", "a folder" if path.is_dir() else other)
        if path.stat().st_size == 0:
            raise FileError(path.name, what, "an empty file")
        return reader(path)
    except OSError as error:
        raise FileError(path.name, "a file that can be read", _one_line(error)) from None


def _received(folder: Path) -> Path:
    """Standard input as a file, whose ending is told by how it begins."""
    source = getattr(sys.stdin, "buffer", None)
    if source is None or source.isatty():
        raise FileError("-", "a file on standard input", "a terminal" if source else "none")
    path = folder / "stdin"
    with path.open("wb") as file:
        copyfileobj(source, file)
    what = kind(path)
    if what not in ENDINGS:
        raise FileError("-", "an .npz, .mat or .json file", what or "")
    return path.rename(path.with_suffix(ENDINGS[what]))


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
    found = read(path, what="an answer")
    inner = found.get("variables")
    if isinstance(inner, np.ndarray) and inner.dtype.names and inner.size == 1:  # MATLAB's struct
        inner = {name: inner.reshape(-1)[0][name] for name in inner.dtype.names}
    if inner is not None and not isinstance(inner, dict):
        raise FileError("variables", "symbols and their values", f"a {type(inner).__name__}")
    variables = {k: v for k, v in found.items() if k not in ABOUT} | (inner or {})
    return Answer(variables, found.get("value"), _id(found.get("formulation")))


def read_solution(
    form: Formulation, problem: Any, path: str | Path, map: str | Path | None = None
) -> Answer:
    """What a solver elsewhere answers to the program that `export` wrote, through its map.

    The map is looked for beside the solution, where none is named.
    """
    from cvxkernel.validation.readers import solution

    path = Path(path)
    beside = map_beside(path) if map is None else Path(map)
    if not beside.exists():
        expected = "the map that `cvxkernel export` wrote (--map FILE)"
        raise FileError(beside.name, expected, "nothing there")
    mapped = _opened(beside, "a map", solution.read_map)
    if formulation(mapped.formulation) is not form:
        raise FileError("map", f"that of {form.id}", f"that of {mapped.formulation}")
    if path.suffix.lower() == SOLUTION:
        x, y = _opened(path, "a solution", lambda path: solution.read_csdp(path, mapped))
    else:
        x, y = solution.read_vectors(read(path, what="x and y"), mapped)
    return Answer(solution.point(form, problem, mapped, x, y), formulation=form.id)


def _id(came: Any) -> str | None:
    """The formulation that an answer names, as JSON or an array of one string has it."""
    if isinstance(came, np.ndarray) and came.size == 1 and came.dtype.kind in "US":
        came = str(came.reshape(-1)[0].astype(str))
    if came is not None and not isinstance(came, str):
        raise FileError("formulation", "one id", f"a {type(came).__name__}")
    return came


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
    if solution.open is not None:
        fields["open"] = solution.open
    if solution.digits is not None:
        fields["digits"] = solution.digits
    if solution.promises is not None:
        fields["promises"] = dict(solution.promises)
    if solution.notes:
        fields["notes"] = list(solution.notes)
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


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__

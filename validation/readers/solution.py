"""What a solver elsewhere answers to an exported program, read back through its map."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cvxkernel.formulations.errors import FileError
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array, weights
from cvxkernel.solvers.export import sdpa
from cvxkernel.solvers.export.conic_form import Cones, Entries, SymbolMap
from cvxkernel.validation.readers.budget import afford
from cvxkernel.validation.readers.text import read_json

PER_BYTE = 16  # bytes of memory that a byte of a solution may take
MOST = 2**31  # rows or variables of any program: more are none


def read_map(path: Path) -> SymbolMap:
    """The map that `cvxkernel export` has written beside the program."""
    found = read_json(path)
    try:
        cones = Cones(
            _count(found["cones"]["zero"]),
            _count(found["cones"]["nonnegative"]),
            tuple(map(_count, found["cones"]["second_order"])),
            tuple(map(_count, found["cones"]["semidefinite"])),
        )
        length = _count(found["length"])
        return SymbolMap(
            formulation=str(found["formulation"]),
            sign=float(found["optimum"]["sign"]),
            offset=float(found["optimum"]["offset"]),
            length=length,
            cones=cones,
            symbols={s: _entries(one, length) for s, one in found["symbols"].items()},
            multipliers={
                label: [_entries(one, cones.rows) for one in family]
                for label, family in found["multipliers"].items()
            },
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        came = f"one without {error}" if isinstance(error, KeyError) else str(error)
        raise FileError(path.name, "a map that `cvxkernel export` wrote", came[:120]) from None


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MOST:
        raise ValueError(f"{value!r} for a size")
    return value


def _entries(found: Mapping[str, Any], size: int) -> Entries:
    at, times = np.asarray(found["at"]), np.asarray(found["times"], dtype=float)
    if at.shape != times.shape or (at.size and at.dtype.kind != "i"):
        raise ValueError("places and factors that do not match")
    if at.size and not (at.min() >= 0 and at.max() < size):
        raise ValueError(f"a place beyond its {size}")
    return Entries(at.astype(np.intp), times)


def point(form: Formulation, problem: Any, map: SymbolMap, x: Array, y: Array) -> Point:
    """The paper's symbols, of a solver's x and y: read off the program as the panel's are."""
    program = form.program(problem)
    shapes = {symbol: variable.shape for symbol, variable in program.variables.items()}
    mapped = {symbol: entries.at.shape for symbol, entries in map.symbols.items()}
    if shapes != mapped or map.multipliers.keys() != program.constraints.keys():
        told = ", ".join(f"{symbol} {shape}" for symbol, shape in mapped.items())
        raise FileError("map", f"that of {form.id} for this problem", f"one of {told}")
    try:
        map.put(program, x, y)
    except ValueError:  # a family of another length
        raise FileError("map", f"that of {form.id} for this problem", "other families") from None
    return form.recover(problem, program)


def read_csdp(path: Path, map: SymbolMap) -> tuple[Array, Array]:
    """x and y of csdp's solution file: a line of x, then "matrix block i j value" for Z and X."""
    size = path.stat().st_size
    afford(path.name, f"{size} bytes of a solution, which take up to", PER_BYTE * size)
    expected = f"a solution of csdp with {map.length} numbers in its first line"
    try:
        first, _, rest = path.read_text(encoding="ascii").partition("\n")
        x = np.array(first.split(), dtype=float)
        lines = np.array(rest.split(), dtype=float)
    except ValueError as error:  # neither text nor numbers
        raise FileError(path.name, expected, str(error)[:80]) from None
    if len(x) != map.length:
        raise FileError(path.name, expected, str(len(x)))
    if len(lines) % 5:
        raise FileError(path.name, "five numbers in each further line", "a line cut short")
    lines = lines.reshape(-1, 5)
    sizes = sdpa.blocks(map.cones)
    X = {}
    if not (lines[:, :4] == np.rint(lines[:, :4])).all():
        raise FileError(path.name, "whole numbers for matrix, block, i and j", "others")
    for matrix, block, i, j, value in lines.tolist():
        if matrix not in (1, 2) or block not in range(1, len(sizes) + 1):
            came = f"matrix {matrix:g}, block {block:g}"
            raise FileError(path.name, f"matrices 1 and 2 of {len(sizes)} blocks", came)
        if not 1 <= i <= j <= abs(sizes[int(block) - 1]):
            expected = f"1 ≤ i ≤ j ≤ {abs(sizes[int(block) - 1])} in block {block:g}"
            raise FileError(path.name, expected, f"{i:g}, {j:g}")
        if matrix == 2:
            X[int(block), int(i), int(j)] = value
    return _finite("x", x, map.length), _finite("y", sdpa.multiplier(map.cones, X), map.cones.rows)


def _finite(key: str, vector: Any, length: int) -> Array:
    return weights(key, vector, (length,))


def read_vectors(found: Mapping[str, Any], map: SymbolMap) -> tuple[Array, Array]:
    """x and y by these keys, as scs and others return them."""
    for key in ("x", "y"):
        if key not in found:
            raise FileError(key, "x and y, the solver's", ", ".join(found) or "no key")
    return _finite("x", found["x"], map.length), _finite("y", found["y"], map.cones.rows)

"""SDPA's sparse format: minimize cᵀx subject to Σ xᵢFᵢ - F₀ ⪰ 0, in blocks.

An equality is two inequalities, a second-order cone its arrow: ‖z‖ ≤ t is [tI, z; zᵀ, t] ⪰ 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.export.conic_form import Cones, ConicForm, lower_triangle


def blocks(cones: Cones) -> list[int]:
    """Their sizes; a negative one is of a diagonal block, of the inequalities."""
    linear = 2 * cones.zero + cones.nonnegative
    return [*([-linear] if linear else []), *cones.second_order, *cones.semidefinite]


def entries(cones: Cones) -> Iterator[tuple[int, int, int, int, float]]:
    """Block, i ≤ j (from 1), the row of the conic form that stands there, and its factor."""
    block = 1 if cones.zero + cones.nonnegative else 0
    for row in range(cones.zero):
        yield 1, row + 1, row + 1, row, 1.0
        yield 1, cones.zero + row + 1, cones.zero + row + 1, row, -1.0
    for row in range(cones.zero, cones.zero + cones.nonnegative):
        yield 1, cones.zero + row + 1, cones.zero + row + 1, row, 1.0
    for rows in cones.second_order_rows():
        block += 1
        for k, row in enumerate(range(rows.start, rows.stop)):
            yield block, k + 1, k + 1, rows.start, 1.0
            if k:
                yield block, 1, k + 1, row, 1.0
    for d, rows in zip(cones.semidefinite, cones.semidefinite_rows(), strict=True):
        block += 1
        for i, j, row in zip(*lower_triangle(d), range(rows.start, rows.stop), strict=True):
            yield block, int(j) + 1, int(i) + 1, row, 1.0 if i == j else float(np.sqrt(0.5))


def write(form: ConicForm, path: Path, comments: list[str]) -> None:
    """The file; what stands at its top begins with an asterisk."""
    cones, sizes = form.map.cones, blocks(form.map.cones)
    placed: dict[int, list[tuple[int, int, int, float]]] = {}
    for block, i, j, row, factor in entries(cones):
        placed.setdefault(row, []).append((block, i, j, factor))
    with path.open("w", encoding="ascii") as file:
        file.writelines(f"* {comment}\n" for comment in comments)
        file.write(f"{form.map.length}\n{len(sizes)}\n{' '.join(map(str, sizes))}\n")
        file.write(" ".join(map(repr, form.c.tolist())) + "\n")
        for matrix in range(form.map.length + 1):
            rows, values = _column(form, matrix)
            lines = sorted(
                (block, i, j, factor * -value)
                for row, value in zip(rows, values, strict=True)
                for block, i, j, factor in placed[row]
            )
            file.writelines(f"{matrix} {b} {i} {j} {value!r}\n" for b, i, j, value in lines)


def _column(form: ConicForm, matrix: int) -> tuple[Any, Any]:
    """The rows and values of b, or of a column of A, that are not 0."""
    if matrix == 0:
        rows = np.flatnonzero(form.b)
        return rows.tolist(), form.b[rows].tolist()
    part = slice(form.A.indptr[matrix - 1], form.A.indptr[matrix])
    return form.A.indices[part].tolist(), form.A.data[part].tolist()


def multiplier(cones: Cones, X: dict[tuple[int, int, int], float]) -> Array:
    """That of the rows, of a matrix X by block and i ≤ j: ⟨X, the rows' place in the blocks⟩."""
    y = np.zeros(cones.rows)
    for block, i, j, row, factor in entries(cones):
        y[row] += (factor if i == j else 2 * factor) * X.get((block, i, j), 0.0)
    return y

"""The literal program in conic form, and which of its numbers are the paper's symbols.

    minimize  cᵀx   subject to  b - Ax ∈ zero × nonnegative × second-order … × semidefinite …

It is CVXPY's own, made for SCS with a linear objective: semidefinite rows are the lower triangle,
column by column, √2 times what is off the diagonal. Nothing is scaled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.program import Program


@dataclass(frozen=True)
class Cones:
    """The rows in their order: how many equalities, inequalities, and the sizes of the others."""

    zero: int
    nonnegative: int
    second_order: tuple[int, ...]
    semidefinite: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Of A."""
        triangles = sum(d * (d + 1) // 2 for d in self.semidefinite)
        return self.zero + self.nonnegative + sum(self.second_order) + triangles

    def second_order_rows(self) -> Iterator[slice]:
        """Those of each second-order cone."""
        start = self.zero + self.nonnegative
        for d in self.second_order:
            yield slice(start, start + d)
            start += d

    def semidefinite_rows(self) -> Iterator[slice]:
        """Those of each semidefinite cone."""
        start = self.zero + self.nonnegative + sum(self.second_order)
        for d in self.semidefinite:
            yield slice(start, start + d * (d + 1) // 2)
            start += d * (d + 1) // 2


def lower_triangle(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Its rows and columns in the order of the conic form."""
    column, row = np.triu_indices(d)
    return row, column


@dataclass(frozen=True)
class Entries:
    """An array whose entries are those of a vector v, each with a factor: times · v[at]."""

    at: NDArray[np.intp]
    times: Array

    def of(self, v: Array) -> Array:
        """The array."""
        return np.asarray(self.times * v[self.at])


@dataclass(frozen=True)
class SymbolMap:
    """What the numbers of a conic form are in the paper's words.

    The optimum is sign · cᵀx + offset. `symbols` are entries of x by the symbol, `multipliers`
    entries of y, the multiplier of the rows, by the label of the constraints, one after the other.
    """

    formulation: str
    sign: float
    offset: float
    length: int
    cones: Cones
    symbols: Mapping[str, Entries]
    multipliers: Mapping[str, Sequence[Entries]]

    def names(self) -> list[str]:
        """Of the entries of x: theta[0], T[1,0], or aux3 for what the paper does not name."""
        names = [f"aux{j}" for j in range(self.length)]
        for symbol, entries in self.symbols.items():
            for index in np.ndindex(entries.at.shape):
                if entries.times[index]:
                    where = f"[{','.join(map(str, index))}]" if index else ""
                    names[entries.at[index]] = f"{symbol}{where}"
        return names

    def put(self, program: Program, x: Array, y: Array) -> None:
        """A solver's x and y into the variables and constraints of the program."""
        for symbol, entries in self.symbols.items():
            program.variables[symbol].save_value(entries.of(x))
        for label, family in self.multipliers.items():
            for dual, entries in zip(_duals(program, label), family, strict=True):
                dual.save_value(entries.of(y))


@dataclass(frozen=True)
class ConicForm:
    """The data of a program as it is written, and its map."""

    A: Any  # sparse, by columns
    b: Array
    c: Array
    map: SymbolMap


def conic_form(form: Formulation, problem: Any) -> ConicForm:
    """That of a printed program, in no other units than its own."""
    program = form.program(problem)
    data, chain, inverse = program.problem.get_problem_data(
        "SCS", solver_opts={"use_quad_obj": False}
    )
    dims, A = data["dims"], data["A"].tocsc()
    sign = -1.0 if isinstance(program.problem.objective, cp.Maximize) else 1.0
    cones = Cones(dims.zero, dims.nonneg, tuple(dims.soc), tuple(dims.psd))
    if cones.rows != A.shape[0]:
        others = f"{A.shape[0] - cones.rows} rows of other cones"
        raise InputError("problem", "linear, second-order and semidefinite cones alone", others)
    A.sort_indices()
    symbols, multipliers = _located(program, chain, inverse, A.shape)
    return ConicForm(
        A,
        np.asarray(data["b"], dtype=float),
        np.asarray(data["c"], dtype=float),
        SymbolMap(
            formulation=form.id,
            sign=sign,
            offset=sign * float(inverse[-1]["offset"]) + 0.0,  # never -0
            length=A.shape[1],
            cones=cones,
            symbols=symbols,
            multipliers=multipliers,
        ),
    )


def _located(
    program: Program, chain: Any, inverse: Any, shape: tuple[int, int]
) -> tuple[dict[str, Entries], dict[str, list[Entries]]]:
    """Where the symbols and multipliers are in x and y.

    What CVXPY makes of a solver's x and y is linear, each number out of one: what comes of
    1, 1, … is the factor, and of 1, 2, 3, … the factor times the place.
    """
    probes = []
    for probe in (np.ones, lambda size: np.arange(1.0, size + 1)):
        info = {"status_val": 1, "solve_time": 0, "setup_time": 0, "iter": 0, "pobj": 0}
        raw = {"x": probe(shape[1]), "y": probe(shape[0]), "info": info}
        program.problem.unpack(chain.invert(raw, inverse))
        values = {symbol: program.value(symbol) for symbol in program.variables}
        duals = {
            label: [np.array(dual.value, dtype=float) for dual in _duals(program, label)]
            for label in program.constraints
        }
        probes.append((values, duals))
    (factors, dual_factors), (placed, dual_placed) = probes
    return (
        {symbol: _entries(factors[symbol], placed[symbol]) for symbol in factors},
        {
            label: [_entries(*both) for both in zip(family, dual_placed[label], strict=True)]
            for label, family in dual_factors.items()
        },
    )


def _entries(times: Array, placed: Array) -> Entries:
    ratio = np.divide(placed, times, out=np.ones_like(times), where=times != 0)
    return Entries(np.rint(ratio).astype(np.intp) - 1, times)


def _duals(program: Program, label: str) -> list[cp.Variable]:
    """CVXPY's multipliers of these constraints; a second-order cone has two."""
    family = program.constraints[label]
    every = [family] if isinstance(family, cp.Constraint) else family
    return [dual for constraint in every for dual in constraint.dual_variables]


def told(map: SymbolMap) -> dict[str, Any]:
    """The map as JSON has it."""

    def entries(one: Entries) -> dict[str, Any]:
        return {"at": one.at.tolist(), "times": one.times.tolist()}

    return {
        "formulation": map.formulation,
        "optimum": {"sign": map.sign, "offset": map.offset},
        "length": map.length,
        "cones": {field.name: _plain(getattr(map.cones, field.name)) for field in fields(Cones)},
        "symbols": {symbol: entries(one) for symbol, one in map.symbols.items()},
        "multipliers": {
            label: [entries(one) for one in family] for label, family in map.multipliers.items()
        },
    }


def _plain(value: Any) -> Any:
    return list(map(int, value)) if isinstance(value, tuple) else int(value)

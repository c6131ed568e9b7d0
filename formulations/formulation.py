"""What is known of a formulation: its id, where it stands, and how an answer to it is judged.

A program is registered on the method that is it, both ends of its enclosure on the function that
computes them, and the catalogue brings the two together by the id:

    @printed("ye2008-thm2.2", "Theorem 2.2, (13)", "QCQP", "max …",
             symbols={"beta": "n,1", "t": ""}, recover=from_quad, binary=True)
    def thm2_2(self) -> Program: ...                            # programs.py

    @encloses("ye2008-thm2.2", "ye2008-eq43", binary=True)
    def qcqp(F, problem, point, *, binary): ...                 # bounds.py
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from functools import partial, wraps
from types import ModuleType
from typing import Any, Literal, TypeVar, cast

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.arithmetic import DOUBLES, Arithmetic, Tensor
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import InputError, MissingKeyError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.shown import Shown

Point = Mapping[str, Any]  # by symbol: doubles, or tensors where doubles are not enough
Kind = Literal["QP", "QCQP", "SOCP", "SDP", "SILP", "nonconvex"]
Recover = Callable[[Any, Program], Point]
Ends = Callable[[Arithmetic, Any, Point], Any]
Frame = Callable[[Any, Point], tuple[Any, Point, str | None]]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Printed:
    """What is known of a program where it stands.

    `symbols` are those of its answers with their shapes: "n,k" is (problem.n, problem.k), "" a
    number. `recover(problem, program)` reads a point off a solved program: its variables, and dual
    ones through the KKT lines. A `binary` program takes two classes only. A "nonconvex" one has
    `fixed` symbols: with them given the rest is convex, and an enclosure is of the optimum there.
    `stacked` are the symbols that an answer may hold once, or once for each of the m kernels.
    """

    id: str
    where: str
    kind: Kind
    statement: str
    symbols: Mapping[str, str]
    recover: Recover
    binary: bool = False
    fixed: tuple[str, ...] = ()
    stacked: tuple[str, ...] = ()


def printed(
    id: str,
    where: str,
    kind: Kind,
    statement: str,
    *,
    symbols: Mapping[str, str],
    recover: Recover,
    binary: bool = False,
    fixed: tuple[str, ...] = (),
    stacked: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Register the method that is this program; one method may be the program of several ids."""
    what = Printed(id, where, kind, statement, symbols, recover, binary, fixed, stacked)

    def register(method: F) -> F:
        program = method if "printed" in vars(method) else _titled(method)
        vars(program)["printed"] = (what, *vars(program).get("printed", ()))
        return program

    return register


def _titled(method: F) -> F:
    """The same program, which knows how it is printed."""

    @wraps(method)
    def titled(*arguments: Any, **options: Any) -> Program:
        made: Program = method(*arguments, **options)
        made.text = inspect.getdoc(method) or ""
        return made

    return cast(F, titled)


def encloses(*ids: str, frame: Frame | None = None, **options: Any) -> Callable[[F], F]:
    """Register the function that computes both ends of these programs, called with the options.

    It is called with an arithmetic, the problem and a point, and returns `F.enclosure(…)`.
    `frame(problem, point)` is both in one basis, where an answer has coordinates in its own, and
    what had to be assumed for that.
    """

    def register(function: F) -> F:
        bound = partial(function, **options) if options else function
        known = dict.fromkeys(ids, (bound, frame))
        vars(function)["encloses"] = {**known, **vars(function).get("encloses", {})}
        return function

    return register


def given(F: Arithmetic, point: Point, symbol: str, default: Any) -> Tensor:
    """A symbol of a point, checked, or what to take in its place; both of one shape."""
    x = point.get(symbol)
    if x is None:
        return F.exact(default)
    shape = np.shape(default) if not isinstance(default, F.tensor) else default.shape
    if isinstance(x, F.tensor):
        return x.reshape(*shape)
    return F.exact(inputs.weights(symbol, x, shape))


@dataclass(frozen=True, repr=False)
class Formulation(Shown):
    """One row of `cvxkernel list`.

    `program(problem)` is the literal program (for a semi-infinite one, `program(problem, B)` its
    restriction to finitely many cuts). `ends(F, problem, point)` repairs the point and computes
    both ends of the enclosure from the problem's data alone, in the arithmetic F. The rest is as in
    `Printed`.
    """

    id: str
    where: str
    kind: Kind
    statement: str
    problem: type[Any]
    program: Callable[..., Program]
    symbols: Mapping[str, str]
    recover: Recover
    ends: Ends
    binary: bool = False
    fixed: tuple[str, ...] = ()
    stacked: tuple[str, ...] = ()
    frame: Frame | None = None

    def headline(self) -> str:
        """The id, the class, the place in the paper."""
        return f"Formulation {self.id}: {self.kind}, {self.where}"

    def mathematics(self) -> str:
        """The program as the paper prints it."""
        return inspect.getdoc(self.program) or self.statement

    def line(self, label: str) -> str | None:
        """The constraint of this label as the program prints it: "θᵀr = 1" of "budget"."""
        parts: list[str] = []
        for text in self.mathematics().partition("subject to")[2].splitlines():
            body, found, name = text.rpartition("  (")
            parts.append(" ".join((body if found else text).split()))
            if found:
                if name.partition(")")[0] == label:
                    return " ".join(filter(None, parts))
                parts = []
        return None

    def rows(self) -> dict[str, str]:
        """What a problem holds, and an answer."""
        told = {"problem": inspect.getdoc(self.problem) or "", "keys": ", ".join(self.keys)}
        if self.optional:
            told["if wanted"] = ", ".join(self.optional)
        symbols = (
            f"{symbol} ({shape})" if shape else symbol for symbol, shape in self.symbols.items()
        )
        return told | {"answer": ", ".join(symbols)}

    @property
    def paper(self) -> str:
        """The part of the id before the first dash."""
        return self.id.partition("-")[0]

    @property
    def sense(self) -> Literal["minimize", "maximize"]:
        """As the statement begins."""
        return "minimize" if self.statement.startswith("min") else "maximize"

    @property
    def keys(self) -> tuple[str, ...]:
        """What a problem has to hold: the fields of its class."""
        return tuple(f.name for f in fields(self.problem) if f.default is MISSING)

    @property
    def optional(self) -> tuple[str, ...]:
        """What it may hold beside."""
        return tuple(f.name for f in fields(self.problem) if f.default is not MISSING)

    def enclose(self, problem: Any, point: Point) -> Enclosure:
        """Both ends in doubles, proved: what overflows at a point far away is not known."""
        with np.errstate(over="ignore", invalid="ignore"):
            made: Enclosure = self.ends(DOUBLES, problem, point)
        return made

    def shapes(self, problem: Any) -> dict[str, tuple[int, ...]]:
        """The symbols of its answers, and their shapes in this problem."""
        return {symbol: _shape(problem, text) for symbol, text in self.symbols.items()}

    def read(self, problem: Any, answer: Mapping[str, Any]) -> tuple[Any, Point, str | None]:
        """The symbols of an answer, checked; both in one basis, and what was assumed for that."""
        known, point = self.shapes(problem), dict[str, Array]()
        for symbol, value in answer.items():
            if symbol not in known:
                expected = f"a symbol of {self.id}: {', '.join(known)}"
                raise InputError(symbol, expected, f"{', '.join(answer)}")
            shape = known[symbol]
            if symbol in self.stacked:
                several = (problem.m, shape[-1])
                once = np.squeeze(inputs.array(symbol, value)).shape
                shape = several if once == tuple(d for d in several if d != 1) else shape[-1:]
            point[symbol] = inputs.weights(symbol, value, shape)
        if self.frame is not None:
            framed, turned, assumed = self.frame(problem, point)
            return framed, turned, assumed or framed.open
        return problem, point, None

    def make(self, data: Mapping[str, Any]) -> Any:
        """The problem that a mapping of keys to arrays describes."""
        for key in self.keys:
            if key not in data:
                raise MissingKeyError(
                    key, f"the keys {', '.join(self.keys)}", self._came(key, data)
                )
        given = [key for key in self.optional if key in data]
        problem = self.problem(**{key: data[key] for key in (*self.keys, *given)})
        self.require(problem)
        return problem

    def require(self, problem: Any) -> None:
        """Refuse a problem of another kind, of too many classes, or with a U that is no basis."""
        if not isinstance(problem, self.problem):
            came = type(problem).__name__
            raise InputError("problem", f"a {self.problem.__name__} for {self.id}", f"a {came}")
        if self.optional and problem.U is not None:
            _ = problem.open  # makes the basis: one that is none of S is refused
        if self.binary:
            inputs.check_classes("y", problem.k, at_most=2)

    def _came(self, key: str, data: Mapping[str, Any]) -> str:
        spare = {k.lower(): k for k in data if k not in self.keys}
        near = get_close_matches(key.lower(), spare, n=1, cutoff=0.5)
        hint = f", with {spare[near[0]]!r} in place of {key!r}?" if near else ""
        return (", ".join(sorted(data)) or "no key") + hint


def _shape(problem: Any, text: str) -> tuple[int, ...]:
    """ "n,p+1" as numbers of this problem."""

    def number(term: str) -> int:
        return int(term) if term.isdigit() else int(getattr(problem, term))

    return tuple(sum(map(number, dim.split("+"))) for dim in text.split(",") if dim)


def formulations(programs: ModuleType, bounds: ModuleType) -> Iterator[Formulation]:
    """Those of a paper: its registered methods, each with the function that encloses it."""
    known: dict[str, tuple[Ends, Frame | None]] = {}
    for function in vars(bounds).values():
        known |= getattr(function, "encloses", {}) if callable(function) else {}
    for problem in vars(programs).values():
        if not isinstance(problem, type) or not problem.__module__.startswith(programs.__name__):
            continue
        for method in vars(problem).values():
            for what in getattr(method, "printed", ()):
                ends, frame = known[what.id]
                yield Formulation(
                    problem=problem, program=method, ends=ends, frame=frame, **vars(what)
                )

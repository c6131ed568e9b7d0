"""What is known of a formulation: its id, where it stands, and how an answer to it is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from typing import Any, Literal

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.errors import InputError, MissingKeyError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.program import Program

Point = Mapping[str, Array]


def known(point: Mapping[str, Any], *, finite: bool = False) -> dict[str, Any]:
    """The symbols that are there; those that a method has not lost among NaNs, where `finite`."""
    there = {symbol: x for symbol, x in point.items() if x is not None}
    if not finite:
        return there
    return {symbol: x for symbol, x in there.items() if _finite(x)}


def _finite(x: Any) -> bool:
    try:
        return bool(np.isfinite(np.asarray(x, dtype=np.float64)).all())
    except (TypeError, ValueError):
        return True  # balls


@dataclass(frozen=True)
class Exchange:
    """A semi-infinite program over weights, as an exchange method needs it.

    maximize γ over θ ≥ 0, θᵀr = 1, subject to Σᵢ θᵢSᵢ(β) ≥ γ for all β. `argmin(theta)` is the β of
    the most violated cut, and raises LinAlgError where there is none in doubles.
    """

    r: Array
    S: Callable[[Array], Array]
    argmin: Callable[[Array], Array]


@dataclass(frozen=True)
class Machine:
    """A support vector machine on a given kernel: all that its own solver needs."""

    K: Array
    y: Array
    C: float


@dataclass(frozen=True)
class Formulation:
    """One row of `cvxkernel list`.

    `program(problem)` is the literal program (for a semi-infinite one, `program(problem, B)` its
    restriction to finitely many cuts). `recover(problem, program)` reads a point off a solved
    program: its variables, and dual ones through the KKT lines. `enclose(problem, point)` repairs
    the point and computes both ends of the enclosure from the problem's data alone.
    `unit(problem)` is the same problem in units in which the optimum is near 1, and
    `restore(problem, unit, point)` takes a point of it back. A `binary` program takes two classes
    only. `exchange(problem)` is there for the semi-infinite programs, `machine(problem)` for those
    that are a support vector machine. `ask` names the conic solvers to ask before the others.
    `width` is the relative width that `solve` reaches unless another is asked for; None where
    nothing is promised. `optional` are the keys that a problem may hold beside `keys`.
    `frame(problem, point)` is both in one basis, where an answer has coordinates in its own, and
    what had to be assumed for that. `stacked` are the symbols that an answer may hold once, or once
    for each of the m kernels.

    A "nonconvex" one has `fixed` symbols: with them given the rest is convex, and `program` and
    `enclose` are of the optimum at those of the point. That is all an enclosure of it promises.
    """

    id: str
    where: str
    kind: Literal["QP", "QCQP", "SOCP", "SDP", "SILP", "nonconvex"]
    sense: Literal["minimize", "maximize"]
    statement: str
    problem: type[Any]
    keys: tuple[str, ...]
    program: Callable[..., Program]
    recover: Callable[[Any, Program], Point]
    enclose: Callable[[Any, Point], Enclosure]
    unit: Callable[[Any], Any] = lambda problem: problem
    restore: Callable[[Any, Any, Point], Point] = lambda problem, unit, point: point
    binary: bool = False
    exchange: Callable[[Any], Exchange] | None = None
    machine: Callable[[Any], Machine] | None = None
    fixed: tuple[str, ...] = ()
    stacked: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    width: float | None = 1e-6
    optional: tuple[str, ...] = ()
    frame: Callable[[Any, Point], tuple[Any, Point, str | None]] = lambda problem, point: (
        problem,
        point,
        None,
    )

    def __post_init__(self) -> None:
        """What a method has not found is no symbol of a point; one that is not finite is refused."""
        enclose, restore = self.enclose, self.restore

        def enclosed(problem: Any, point: Point) -> Enclosure:
            with np.errstate(all="ignore"):  # numbers at the end of the doubles: no end is known
                return enclose(problem, known(point))

        object.__setattr__(self, "enclose", wraps(enclose)(enclosed))
        object.__setattr__(
            self,
            "restore",
            wraps(restore)(lambda problem, unit, point: restore(problem, unit, known(point))),
        )

    @property
    def paper(self) -> str:
        """The part of the id before the first dash."""
        return self.id.partition("-")[0]

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
        if self.binary:
            inputs.check_classes("y", problem.k, at_most=2)
        if self.optional and problem.U is not None:
            _ = problem.open  # makes the basis: one that is none of S is refused

    def _came(self, key: str, data: Mapping[str, Any]) -> str:
        spare = {k.lower(): k for k in data if k not in self.keys}
        near = get_close_matches(key.lower(), spare, n=1, cutoff=0.5)
        hint = f", with {spare[near[0]]!r} in place of {key!r}?" if near else ""
        return (", ".join(sorted(data)) or "no key") + hint

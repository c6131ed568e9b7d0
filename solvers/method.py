"""What every solver returns, what a method is, and the one loop of the methods that iterate.

A method is a solver that is not a conic one: a frozen dataclass of hyper-parameters that declares
its name and the ids it answers. One that iterates says how it begins, what a step is, and which
point it has come to:

    class Bisection(Iterative[BisectionState]):
        name, answers, first = "bisection", IDS, IDS
        def init(self, form, problem, start): ...   # the state before the first step
        def step(self, state): ...                  # leaves lower and upper in it
        def point(self, state): ...                 # in the paper's symbols

All the rest is here: the history, patience, the line that tells of progress, the limit on the
seconds, the enclosure that alone decides, and the error that holds the best enclosure so far.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from scipy.linalg import LinAlgError

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.enclosure import Enclosure, relative_width
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.formulation import Formulation, Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.shown import Shown, shown
from cvxkernel.solvers import deadline

CROSSING = 1e-9  # relative: what the rounding of a method's own ends may come to
Progress = Callable[[str], None]  # called with a line that says what a solver is doing


@dataclass(frozen=True)
class Step:
    """One iteration of an iterative solver: the best ends so far and the seconds they took.

    The ends are in the solver's own arithmetic, with no allowance for rounding. Where it has made
    them cross by no more than rounding does they are exchanged; by more, neither is known.
    """

    iteration: int
    lower: float
    upper: float
    seconds: float

    def __post_init__(self) -> None:
        lower, upper = self.lower, self.upper
        if not lower <= upper:
            size = max(abs(lower), abs(upper))
            crossed = lower - upper <= CROSSING * size < np.inf
            lower, upper = (upper, lower) if crossed else (-np.inf, np.inf)
        object.__setattr__(self, "lower", float(lower))
        object.__setattr__(self, "upper", float(upper))

    @property
    def width(self) -> float:
        """(upper - lower) / max(|upper|, tiny)"""
        return relative_width(self.lower, self.upper)


@dataclass(frozen=True, repr=False)
class Solution(Shown):
    """lower ≤ optimum ≤ upper, the paper's objective and variables there, and who found them.

    `status` is "optimal": the enclosure was within the tolerance asked for. Anything else raises,
    unless another rule of stopping was asked for, which is then told.
    `promises` is what an answer to a program that is not convex promises beyond the enclosure,
    which is then of the optimum at what the method has fixed; `status` says so.
    `attempts` tells of the solvers that were tried before this one, and why each was passed over.
    Both ends are proved, for the doubles of the data taken as exact numbers. `open` says in words
    what of the problem is not determined or not proved: then the answer is not called `rigorous`.
    `digits` holds the optimum to as many digits as were asked for, every one proved.
    `notes` tells of kernels that are not quite semidefinite, and what is meant by them.
    """

    formulation: str
    value: float
    lower: float
    upper: float
    variables: Mapping[str, Array]
    solver: str
    iterations: int | None
    seconds: float
    status: str = "optimal"
    history: tuple[Step, ...] = ()
    attempts: Mapping[str, str] | None = None
    digits: str | None = None
    promises: Mapping[str, Any] | None = None
    open: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """(upper - lower) / max(|upper|, tiny)"""
        return relative_width(self.lower, self.upper)

    @property
    def rigorous(self) -> bool:
        """Whether the two ends are a theorem about the doubles of the data."""
        return self.open is None

    @classmethod
    def at(cls, id: str, enclosure: Enclosure, solver: str, **known: Any) -> Solution:
        """The solution whose ends, value and variables are those of an enclosure."""
        return cls(
            formulation=id,
            value=enclosure.value,
            lower=enclosure.lower,
            upper=enclosure.upper,
            variables=enclosure.variables,
            open=enclosure.open,
            solver=solver,
            **known,
        )

    def headline(self) -> str:
        """The formulation, the interval, and who found it."""
        ends = f"[{self.lower:.10g}, {self.upper:.10g}]"
        return f"Solution of {self.formulation}: {ends}, {self.status}, by {self.solver}"

    def mathematics(self) -> str:
        """What was solved, in a line."""
        return formulation(self.formulation).statement

    def rows(self) -> dict[str, str]:
        """The ends, the variables, and how they were found."""
        told = {"value": f"{self.value:.17g}", "lower": f"{self.lower:.17g}"}
        told |= {"upper": f"{self.upper:.17g}", "relative width": f"{self.width:.1e}"}
        told |= {symbol: shown(np.asarray(x)) for symbol, x in self.variables.items()}
        told |= {"rigorous": "yes" if self.rigorous else "no", "seconds": f"{self.seconds:.3g}"}
        if self.iterations is not None:
            told["iterations"] = str(self.iterations)
        if self.digits is not None:
            told["digits"] = self.digits
        if self.open is not None:
            told["open"] = self.open
        return told | {f"note {i}": note for i, note in enumerate(self.notes, 1)}

    @property
    def enclosure(self) -> Enclosure:
        """The same interval and point, without who found it."""
        return Enclosure(self.value, self.lower, self.upper, self.variables, self.open)


@dataclass(frozen=True)
class Method(ABC):
    """A solver that is not a conic one.

    answers : the ids it answers
    first   : those for which it is asked before any other
    after   : those for which it is asked when the first, a method or the panel, has failed
    warm    : whether it can start from the variables of a problem nearby
    """

    name: ClassVar[str]
    answers: ClassVar[frozenset[str]]
    first: ClassVar[frozenset[str]] = frozenset()
    after: ClassVar[frozenset[str]] = frozenset()
    warm: ClassVar[bool] = False

    tol: float = 1e-6  # the relative width to reach

    @abstractmethod
    def solve(
        self, id: str, problem: Any, *, progress: Progress | None = None, start: Point | None = None
    ) -> Solution:
        """Solve a problem of formulation `id`; SolverError where its enclosure is wider than `tol`.

        `start` holds the variables of a problem nearby; who is not `warm` does not look at it.
        """

    @classmethod
    def takes(cls, problem: Any) -> bool:
        """Whether it answers this problem of one of its ids."""
        return True

    def formulation(self, id: str, problem: Any) -> Formulation:
        """What is to be solved; refused where this method has no answer to it."""
        form = formulation(id)
        if form.id not in self.answers:
            raise InputError("solver", f"a conic solver for {id}", self.name)
        form.require(problem)
        if not self.takes(problem):
            raise InputError("solver", f"another for this problem of {id}", self.name)
        return form

    def solution(
        self,
        id: str,
        enclosure: Enclosure,
        *,
        iterations: int | None,
        seconds: float,
        status: str = "optimal",
        history: tuple[Step, ...] = (),
        promises: Mapping[str, Any] | None = None,
    ) -> Solution:
        """The answer that an enclosure is."""
        return Solution.at(
            id,
            enclosure,
            self.name,
            iterations=iterations,
            seconds=seconds,
            status=status,
            history=history,
            promises=promises,
        )

    def failure(self, id: str, enclosure: Enclosure, where: str = "") -> SolverError:
        """The error that holds an enclosure which is too wide, and says where it was left."""
        why = f"relative width {enclosure.width:.1e} above {self.tol:.1e}{where}"
        return SolverError(id, {self.name: why}, enclosure, limit=deadline.reached())


def known(point: Point) -> Point:
    """The symbols that were found, and are finite."""
    there = {symbol: x for symbol, x in point.items() if x is not None}
    return {symbol: x for symbol, x in there.items() if np.isfinite(x).all()}


@dataclass(kw_only=True)
class State:
    """Where an iterative method is: the best ends so far, in its own arithmetic.

    `enclosure` is the one it has come to, where a step computes that itself.
    """

    lower: float = -np.inf
    upper: float = np.inf
    enclosure: Enclosure | None = None


S = TypeVar("S", bound=State)


@dataclass(frozen=True)
class Iterative(Method, Generic[S]):
    """A method that takes one step after the other.

    patience : after so many steps without a narrower gap it ends; None: it ends by itself
    counted  : what one of them is called
    """

    patience: ClassVar[int | None] = None
    counted: ClassVar[str] = "iteration"

    max_iterations: int = 1000

    @abstractmethod
    def init(self, form: Formulation, problem: Any, start: Point | None) -> S:
        """The state before the first step."""

    @abstractmethod
    def step(self, state: S) -> bool:
        """One step, which leaves the best ends in the state; False where there is none to take."""

    @abstractmethod
    def point(self, state: S) -> Point:
        """The point at which it would be enclosed now."""

    def closed(self, state: S, last: Step) -> bool:
        """Whether an enclosure is worth its while."""
        return last.width <= self.tol

    def status(self, state: S, enclosure: Enclosure) -> str | None:
        """What an answer with this enclosure is called; None where it is none."""
        return "optimal" if enclosure.width <= self.tol else None

    def line(self, state: S, last: Step) -> str:
        """What is told of a step."""
        return f"{self.counted} {last.iteration}, relative gap {last.width:.1e}"

    def solve(
        self, id: str, problem: Any, *, progress: Progress | None = None, start: Point | None = None
    ) -> Solution:
        """Step after step until the enclosure is within `tol`, or no step is left to take."""
        form = self.formulation(id, problem)
        try:
            with np.errstate(all="ignore"):  # numbers at the end of the doubles: no end is known
                start = known(start or {}) or None if self.warm else None
                return self._iterate(form, problem, progress, start)
        except LinAlgError as error:
            raise SolverError(form.id, {self.name: f"failed ({error})"}) from error

    def _iterate(
        self, form: Formulation, problem: Any, progress: Progress | None, start: Point | None
    ) -> Solution:
        began, history = perf_counter(), list[Step]()
        state = self.init(form, problem, start)
        while True:
            moved = self.step(state)
            if moved:
                number, seconds = len(history) + 1, perf_counter() - began
                history.append(Step(number, state.lower, state.upper, seconds))
                if progress is not None:
                    progress(f"{form.id}: {self.line(state, history[-1])}")
            over = not moved or len(history) >= self.max_iterations or deadline.left() <= 0
            if not over and self.patience is not None and len(history) > self.patience:
                over = history[-1 - self.patience].width <= history[-1].width
            if not (over or self.closed(state, history[-1])):
                continue
            enclosure = state.enclosure or form.enclose(problem, known(self.point(state)))
            status = self.status(state, enclosure)
            if status is not None:
                return self.solution(
                    form.id,
                    enclosure,
                    iterations=len(history),
                    seconds=perf_counter() - began,
                    status=status,
                    history=tuple(history),
                )
            if over:
                raise self.failure(form.id, enclosure, f" after {len(history)} {self.counted}s")

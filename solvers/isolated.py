"""A conic program in a process of its own: what a solver does to it, nobody else suffers.

A solver that crashes, exits, hangs, eats all memory or writes where it should not has failed in one
attempt; the next one is asked. The process is made by `fork`, which needs nothing to be sent but
the answer; where there is none the program is solved in this process, and a solver is kept to its
time by its own option alone.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from math import inf
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from time import monotonic, sleep
from types import TracebackType
from typing import Any, NoReturn

import cvxpy as cp

try:
    import resource

    FORK = hasattr(os, "fork")
except ImportError:  # neither is there
    FORK = False

MOMENT = 2.0  # seconds that an ending process may take
PULSE = 0.2  # seconds between two looks at whether the process is still there
LINUX = ctypes.CDLL(None) if sys.platform == "linux" else None
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Left:
    """What a solver leaves behind: its status, its point and multipliers, and how it got there."""

    status: str
    value: float
    iterations: int | None
    variables: list[Any]  # in the order of the program's
    duals: list[list[Any]]  # of each constraint, in their order

    def put(self, problem: cp.Problem) -> None:
        """Into the variables and constraints of the program as this process has it."""
        for variable, value in zip(problem.variables(), self.variables, strict=True):
            variable.save_value(value)
        for constraint, values in zip(problem.constraints, self.duals, strict=True):
            for dual, value in zip(constraint.dual_variables, values, strict=True):
                dual.save_value(value)


def solved(problem: cp.Problem, name: str, options: Mapping[str, Any]) -> Left:
    """What the solver leaves, here and now; it starts afresh whatever was solved before."""
    with warnings.catch_warnings(), quiet():
        # "Solution may be inaccurate": that is for the enclosure to say.
        warnings.simplefilter("ignore")
        problem.solve(solver=name, warm_start=False, **options)
    stats = problem.solver_stats
    return Left(
        status=str(problem.status),
        value=float("nan") if problem.value is None else float(problem.value),
        iterations=None if stats is None or stats.num_iters is None else int(stats.num_iters),
        variables=[variable.value for variable in problem.variables()],
        duals=[[dual.value for dual in c.dual_variables] for c in problem.constraints],
    )


class Isolated:
    """A process that holds a program, compiled once, and solves it as often as it is asked."""

    def __init__(self, problem: cp.Problem) -> None:
        self.problem = problem
        self.pid: int | None = None
        self.pipe: Connection[Any, Any] | None = None

    def __enter__(self) -> Isolated:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()

    def solve(self, name: str, options: Mapping[str, Any], seconds: float) -> Left | str:
        """What the solver leaves, in the program too; or, in words, how it failed."""
        ask = self._ask if FORK else _here
        left = ask(self.problem, name, options, seconds)
        if isinstance(left, Left):
            left.put(self.problem)
        return left

    def _ask(
        self, problem: cp.Problem, name: str, options: Mapping[str, Any], seconds: float
    ) -> Left | str:
        end = monotonic() + seconds
        if self.pid is None:
            why = compiled(problem, name, options)  # here: a fork pays twice for what Python does
            if why is not None:
                return why
        try:
            pipe = self._started()
        except OSError as error:  # no more processes or files
            return failure(error)
        try:
            pipe.send((name, options))
            while not pipe.poll(max(min(end - monotonic(), PULSE), 0.0)):
                if monotonic() >= end:
                    self.end()
                    return f"not within {seconds:.3g} s"
                how = self._gone()
                if how is not None and not pipe.poll(0):
                    self.end()
                    return how
            answer: Left | str = pipe.recv()
        except (EOFError, OSError):
            return self._broken()
        return answer

    def _started(self) -> Connection[Any, Any]:
        """The pipe to the process, which is made where there is none."""
        if self.pipe is None or self.pid is None:
            self.pipe, theirs = Pipe()
            parent = os.getpid()
            with warnings.catch_warnings():
                # That a fork has one thread is known, and the solvers are kept to one.
                warnings.simplefilter("ignore")
                self.pid = os.fork()
            if self.pid == 0:
                _serve(theirs, self.pipe, self.problem, parent)
            theirs.close()
        return self.pipe

    def _gone(self) -> str | None:
        """How the process ended, if it has."""
        if self.pid is None:
            return "its process is gone"
        try:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:  # somebody else has waited for it
            pid, status = self.pid, 0
        if pid == 0:
            return None
        self.pid = None
        if os.WIFSIGNALED(status):
            return f"crashed ({signal.Signals(os.WTERMSIG(status)).name})"
        return f"ended its process (exit status {os.WEXITSTATUS(status)})"

    def _broken(self) -> str:
        """How a process ended whose pipe is closed; that is a moment before it is gone."""
        how, end = self._gone(), monotonic() + MOMENT
        while how is None and monotonic() < end:
            sleep(0.002)
            how = self._gone()
        self.end()
        return how or "closed its pipe"

    def end(self) -> None:
        """End the process, if it has not ended by itself."""
        if self.pipe is not None:
            self.pipe.close()
            self.pipe = None
        if self._gone() is None and self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = None


def _serve(pipe: Connection[Any, Any], other: Any, problem: cp.Problem, parent: int) -> NoReturn:
    """The process itself: it answers until nobody asks, and leaves by no other way."""
    try:
        if LINUX is not None:
            LINUX.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        gc.freeze()  # what the parent has is not collected here, so not copied
        faulthandler.disable()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's to act on
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        other.close()
        with open(os.devnull, "r+b") as nowhere:
            for standard in (0, 1, 2):
                os.dup2(nowhere.fileno(), standard)
        while True:
            name, options = pipe.recv()
            pipe.send(_here(problem, name, options))
    finally:
        os._exit(0)


def compiled(problem: cp.Problem, name: str, options: Mapping[str, Any]) -> str | None:
    """Compile the program for the solver, which CVXPY keeps; or, in words, why it cannot be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem.get_problem_data(name, solver_opts=dict(options))
    except Exception as error:
        return failure(error)
    return None


def _here(
    problem: cp.Problem, name: str, options: Mapping[str, Any], seconds: float = inf
) -> Left | str:
    """What the solver leaves, or what it raised, in this process; it keeps its own time."""
    try:
        return solved(problem, name, options)
    except Exception as error:  # whatever a solver raises is its failure, and the next one is asked
        return failure(error)
    except SystemExit as error:
        return f"failed (SystemExit: {error.code})"


def failure(error: Exception) -> str:
    """An exception in a few words."""
    return f"failed ({' '.join(str(error).split())[:120] or type(error).__name__})"


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing that a solver writes to standard output reaches it, compiled or not: SDPA does."""
    kept = os.dup(1)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        with redirect_stdout(StringIO()):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)

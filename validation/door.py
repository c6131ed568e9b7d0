"""The front door: what `import cvxkernel` gives; a problem is a mapping, a file or keywords."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.solvers.method import Progress, Solution
from cvxkernel.validation import files
from cvxkernel.validation.check import Judgement, judge
from cvxkernel.validation.progress import progress_line
from cvxkernel.validation.rigorous import answer as answered
from cvxkernel.validation.rigorous import solve as prove
from cvxkernel.validation.translation import fitted


def catalogue() -> Mapping[str, Formulation]:
    """Every formulation by its id."""
    return dict(CATALOGUE)


def problem(id: str, data: Any = None, /, **arrays: Any) -> Any:
    """The problem of formulation `id`: of a mapping, a file, or keywords, by the paper's symbols.

    `problem("ye2008-thm2.2", kernels=K, y=y, lam=1e-3)`. A problem that is one stays as it is.
    Of a mapping or a file what the formulation does not know is left aside; a keyword is refused.
    """
    form = formulation(id)
    wanted = (*form.keys, *form.optional)
    for key in arrays:
        if key not in wanted:
            raise InputError(key, f"one of the keys {', '.join(wanted)}", f"{key}=…")
    if isinstance(data, str | Path):
        return files.load(id, data, **arrays)
    if data is None or isinstance(data, Mapping):
        return form.make({**(data or {}), **arrays})
    if not isinstance(data, form.problem):
        expected = f"a mapping, a file or a {form.problem.__name__} for {form.id}"
        raise InputError("problem", expected, f"{type(data).__name__}")
    if arrays:
        raise InputError(next(iter(arrays)), "a problem, or keywords", "both")
    form.require(data)
    return data


def solve(
    id: str,
    data: Any = None,
    /,
    *,
    solver: str | None = None,
    tol: float | None = None,
    limit: float | None = None,
    rigorous: bool = False,
    digits: int | None = None,
    literal: bool = False,
    verbose: bool = False,
    **arrays: Any,
) -> Solution:
    """Solve a problem of formulation `id`, with both ends of the optimum.

    The problem is `data`, a mapping, a file or a problem, or keywords: see `problem`.
    `rigorous` fails unless both ends are proved, `digits` proves so many of the optimum; the rest
    is as `cvxkernel.solvers.solve` has it. `verbose` tells what is being done.
    """
    made = problem(id, data, **arrays)
    with _told(verbose) as progress:
        asked: Any = {"solver": solver, "tol": tol, "limit": limit, "literal": literal}
        if not rigorous and digits is None:
            return answered(id, made, progress=progress, **asked)
        return prove(id, made, digits=digits, progress=progress, **asked)


def check(
    id: str,
    data: Any,
    answer: Any = None,
    /,
    *,
    tol: float | None = None,
    value: Any = None,
    why: bool = True,
    limit: float | None = None,
    verbose: bool = False,
    **symbols: Any,
) -> Judgement:
    """Judge an answer: a mapping, file, solution or fitted SVC, or keywords by symbols.

    `assert check("ye2008-thm2.2", {"kernels": K, "y": y, "lam": 1e-3}, theta=w).within(1e-6)`
    """
    made = problem(id, data)
    given, claimed = _answer(answer)
    claimed = claimed if value is None else value
    with _told(verbose) as progress:
        return judge(
            id, made, tol, claimed, {**given, **symbols}, why=why, progress=progress, limit=limit
        )


def _answer(answer: Any) -> tuple[dict[str, Any], Any]:
    """The symbols, and the value where there is one."""
    if answer is None:
        return {}, None
    if isinstance(answer, Solution):
        return dict(answer.variables), answer.value
    if isinstance(answer, str | Path):
        read = files.read_answer(Path(answer))
        return dict(read.variables), read.value
    if (machine := fitted(answer)) is not None:
        return machine, None
    if not isinstance(answer, Mapping):
        expected = "a mapping, a file, a solution or a fitted SVC"
        raise InputError("answer", expected, f"{type(answer).__name__}")
    return {k: v for k, v in answer.items() if k != "value"}, answer.get("value")


@contextmanager
def _told(verbose: bool) -> Iterator[Progress | None]:
    if not verbose:
        yield None
        return
    with progress_line() as line:
        yield line

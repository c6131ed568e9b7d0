"""The way of one call through the package: how many files it crosses, how often it changes file.

    python -m cvxkernel.validation.notebooks.walk [ID]    # ye2008-thm2.2 unless another is named

Counted are the functions of cvxkernel in the order in which they are first entered, by
`sys.setprofile`: methods and lambdas too, each once; comprehensions, module bodies and what a
dataclass generates not. A change of file is two of them, one after the other, in different files.

The modules are imported, the catalogue is made and the problem is made from `instances.sample`
before anything is counted. `check` is asked about the answer of `solve`, its first symbol, with a
problem made afresh, so that nothing is remembered of the first; its report is not printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import cvxkernel.solvers
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.solvers import solve
from cvxkernel.validation import check
from cvxkernel.validation.instances import sample

ID = "ye2008-thm2.2"
ROOT = Path(cvxkernel.solvers.__file__).resolve().parents[1]
ROOMS = tuple(ROOT / room for room in ("formulations", "solvers", "validation"))
INLINE = ("<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # not functions

Steps = list[tuple[str, str]]  # the file and the name of every function


def walked(call: Callable[[], Any]) -> tuple[Steps, Any]:
    """The functions that a call enters, and what it returns."""
    codes: dict[CodeType, None] = {}

    def enter(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code not in codes and _ours(frame.f_code):
            codes[frame.f_code] = None

    sys.setprofile(enter)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    return [(str(_path(code).relative_to(ROOT)), code.co_qualname) for code in codes], result


def _path(code: CodeType) -> Path:
    return Path(code.co_filename).resolve()


@cache
def _ours(code: CodeType) -> bool:
    """Whether it is a function that stands in a file of one of the rooms."""
    return code.co_name not in INLINE and any(room in _path(code).parents for room in ROOMS)


def changes(steps: Steps) -> int:
    """How often two functions in turn are in different files."""
    return sum(one != two for (one, _), (two, _) in pairwise(steps))


def walks(id: str = ID) -> dict[str, Steps]:
    """That of `solve`, and that of `check` on its answer."""
    one, two = (formulation(id).make(sample(id)) for _ in range(2))
    solving, solution = walked(lambda: solve(id, one))
    symbol, value = next(iter(solution.variables.items()))
    checking, _ = walked(lambda: check(id, two, **{symbol: value}))
    return {"solve": solving, "check": checking}


if __name__ == "__main__":
    id = sys.argv[1] if len(sys.argv) > 1 else ID
    for name, steps in walks(id).items():
        where = f"{len(steps)} functions in {len({file for file, _ in steps})} files"
        print(f"{name} {id}: {where}, {changes(steps)} changes of file")
        for file, together in groupby(steps, key=lambda step: step[0]):
            print(f"    {file:40} {', '.join(function for _, function in together)}")

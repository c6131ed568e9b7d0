"""The way of one call through the package: how many files it crosses, how often it changes file.

    python docs/walk.py [ID]        # ye2008-thm2.2 unless another is named

Counted are the functions of cvxkernel in the order in which they are first entered, by
`sys.setprofile`: methods and lambdas too, each once; comprehensions, module bodies and what a
dataclass generates not. A change of file is two of them, one after the other, in different files.

The modules are imported, the catalogue is made and the problem is made from `instances.sample`
before anything is counted. `check` is asked about the answer of `solve`, its first symbol, with a
problem made afresh, so that nothing is remembered of the first; its report is not printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import cvxkernel.solvers
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.solvers import solve
from cvxkernel.validation import check
from cvxkernel.validation.instances import sample

ROOT = Path(cvxkernel.solvers.__file__).resolve().parents[1]
ROOMS = tuple(ROOT / room for room in ("formulations", "solvers", "validation"))
INLINE = ("<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # not functions


@dataclass
class Walk:
    """Functions in the order in which they are first entered."""

    codes: dict[CodeType, None] = field(default_factory=dict)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """What `sys.setprofile` calls."""
        code = frame.f_code
        if event == "call" and code not in self.codes and _ours(code):
            self.codes[code] = None

    def files(self) -> list[str]:
        """The file of every function."""
        return [str(_path(code).relative_to(ROOT)) for code in self.codes]

    def changes(self) -> int:
        """How often two functions in turn are in different files."""
        return sum(one != two for one, two in pairwise(self.files()))

    def stretches(self) -> Iterator[tuple[str, list[str]]]:
        """The functions in turn that are in one file."""
        entered = zip(self.files(), (code.co_qualname for code in self.codes), strict=True)
        for file, together in groupby(entered, key=lambda one: one[0]):
            yield file, [name for _, name in together]


def _path(code: CodeType) -> Path:
    return Path(code.co_filename).resolve()


def _ours(code: CodeType) -> bool:
    """Whether it is a function that stands in a file of one of the rooms."""
    return code.co_name not in INLINE and any(room in _path(code).parents for room in ROOMS)


def walked(call: Callable[[], Any]) -> tuple[Walk, Any]:
    """The walk of a call, and what it returns."""
    walk = Walk()
    sys.setprofile(walk)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    return walk, result


def walks(id: str) -> dict[str, Walk]:
    """That of `solve`, and that of `check` on its answer."""
    one, two = (formulation(id).make(sample(id)) for _ in range(2))
    solving, solution = walked(lambda: solve(id, one))
    symbol, value = next(iter(solution.variables.items()))
    checking, _ = walked(lambda: check(id, two, **{symbol: value}))
    return {"solve": solving, "check": checking}


if __name__ == "__main__":
    id = sys.argv[1] if len(sys.argv) > 1 else "ye2008-thm2.2"
    for name, walk in walks(id).items():
        where = f"{len(walk.codes)} functions in {len(set(walk.files()))} files"
        print(f"{name} {id}: {where}, {walk.changes()} changes of file")
        for file, names in walk.stretches():
            print(f"    {file:40} {', '.join(names)}")

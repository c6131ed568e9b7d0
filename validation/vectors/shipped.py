"""What is shipped beside the package's code: vectors, checker, schemas, harnesses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files as resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.solvers.method import Progress

HERE = resources("cvxkernel.validation.vectors")
FOLDERS = ("schemas", "harnesses")


def ids() -> tuple[str, ...]:
    """The formulations that have test vectors."""
    return tuple(sorted(f.name.removesuffix(".json") for f in (HERE / "data").iterdir()))


@cache
def vectors(id: str) -> Mapping[str, Any]:
    """The test vectors of a formulation."""
    made: Mapping[str, Any] = json.loads(_file(id).read_text(encoding="utf-8"))
    return made


def tests(id: str) -> list[Mapping[str, Any]]:
    """Its tests, of all groups."""
    return [test for group in vectors(id)["groups"] for test in group["tests"]]


def schema(name: str) -> dict[str, Any]:
    """A JSON Schema: problem, answer, judgement, vector or certificate."""
    text = (HERE / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    made: dict[str, Any] = json.loads(text)
    return made


def _file(id: str, among: tuple[str, ...] | None = None) -> Traversable:
    name = formulation(id).id
    if name not in (ids() if among is None else among):
        raise InputError("ID", "a formulation with test vectors", f"{name}, which has none")
    return HERE / "data" / f"{name}.json"


def write(
    folder: Path,
    wanted: tuple[str, ...] = (),
    *,
    again: bool = False,
    anew: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write them into a folder, the vectors as shipped, made again, or anew; how many files."""
    certified: tuple[str, ...] | None = None
    if anew:
        from cvxkernel.validation.vectors import build

        certified = tuple(build.IDS)  # one without a file as yet gets its first
    every = [_file(id, certified) for id in wanted or certified or ids()]
    folder.mkdir(parents=True, exist_ok=True)
    others = [f for name in FOLDERS for f in (HERE / name).iterdir() if f.is_file()]
    for file in (HERE / "checker.py", *others):
        (folder / file.name).write_bytes(file.read_bytes())
    for file in every:
        if again or anew:
            from cvxkernel.validation.vectors import build

            if progress is not None:
                progress(f"{file.name}: {'solving and ' if anew else ''}certifying")
            id = file.name.removesuffix(".json")
            points = None if anew else build.recorded(vectors(id))
            text = build.text(build.make(id, points))
            (folder / file.name).write_text(text, encoding="utf-8")
        else:
            (folder / file.name).write_bytes(file.read_bytes())
    return len(every) + len(others) + 1

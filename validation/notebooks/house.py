"""The house as it stands: which module imports which, read from the source."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cvxkernel

TOP = Path(next(iter(cvxkernel.__path__)))
ROOMS = ("formulations", "solvers", "validation")


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the rooms by its dotted name."""
    for room in ROOMS:
        for path in sorted((TOP / room).rglob("*.py")):
            parts = path.relative_to(TOP).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports() -> dict[str, set[str]]:
    """What each module imports of the package when it is imported itself."""
    known = dict(modules())
    found: dict[str, set[str]] = {}
    for name, path in known.items():
        tree, targets = ast.parse(path.read_text()), set()
        for node in tree.body:  # not inside functions, nor for types alone
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cvxkernel"):
                base = (node.module or "").removeprefix("cvxkernel").strip(".")
                for alias in node.names:
                    inner = f"{base}.{alias.name}".strip(".")
                    targets.add(inner if inner in known else base)
        found[name] = {target for target in targets if target in known and target != name}
    return found


def between_rooms() -> Counter[tuple[str, str]]:
    """How many imports lead from one room into another."""
    return Counter(
        (name.split(".")[0], target.split(".")[0])
        for name, targets in imports().items()
        for target in targets
    )


def cycle() -> list[str]:
    """Modules that import each other in a circle; empty where there is none."""
    graph, done = imports(), set()

    def visit(name: str, way: list[str]) -> list[str]:
        if name in way:
            return way[way.index(name) :]
        if name in done:
            return []
        for target in sorted(graph[name]):
            around = visit(target, [*way, name])
            if around:
                return around
        done.add(name)
        return []

    for name in graph:
        around = visit(name, [])
        if around:
            return around
    return []


def shape(room: str, paper: str) -> dict[str, int]:
    """The files or folders of a paper in a room, and how many lines each has."""
    folder = TOP / room / paper
    return {
        path.stem: sum(len(p.read_text().splitlines()) for p in _files(path))
        for path in sorted(folder.iterdir())
        if path.stem not in ("__init__", "__pycache__")
    }


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))

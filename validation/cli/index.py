"""What `list` and `show` tell of every formulation, without importing any.

The programs need CVXPY, and importing it takes longer than to tell all this. So it is written down
once, in index.json, and a test holds it to the catalogue. To write it anew:

    python -m cvxkernel.validation.cli.index
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from cvxkernel.formulations.catalogue import COMPARED, EQUAL, PAPERS

NAME = "index.json"
Index = dict[str, Any]
Row = dict[str, Any]


def read() -> Index:
    """As it is written down; of the catalogue itself where papers have been added to it."""
    written: Index = json.loads((resources.files(__package__) / NAME).read_text("utf-8"))
    return written if tuple(written["papers"]) == PAPERS else made()


def formulations() -> dict[str, Row]:
    """What is told of every formulation, by its id."""
    return {row["id"]: row for row in read()["formulations"]}


def every(key: str) -> list[str]:
    """What occurs under a key of the rows."""
    return list(dict.fromkeys(row[key] for row in formulations().values()))


def made() -> Index:
    """The same, made of the catalogue and of the routes."""
    from cvxkernel.solvers import METHODS, PANEL

    solvers = ["conic", *PANEL, *METHODS]
    return {"papers": list(PAPERS), "solvers": solvers, "formulations": list(rows())}


def rows() -> Iterator[Row]:
    """A row for each formulation."""
    from cvxkernel.formulations.catalogue import CATALOGUE
    from cvxkernel.solvers.route import route
    from cvxkernel.validation.papers import home

    for form in CATALOGUE.values():
        same = [x.id for x in CATALOGUE.values() if x.program is form.program]
        equal = next((group for group in EQUAL if form.id in group), ())
        folder = form.problem.__module__.partition(".programs")[0]
        yield {
            "id": form.id,
            "class": form.kind,
            "paper": form.paper,
            "where": form.where,
            "keys": list(form.keys),
            "optional": list(form.optional),
            "statement": form.statement,
            "program": inspect.getdoc(form.program),
            "problem": f"{folder}.{form.problem.__name__}",
            "data": inspect.getdoc(form.problem),
            "symbols": dict(form.symbols),
            "two classes": form.binary,
            "asked": list(route(form)),
            "same program": [x for x in same if x != form.id],
            "same optimum": [x for x in equal if x != form.id],
            "page": "comparisons" if home(form) in COMPARED else home(form),
        }


if __name__ == "__main__":
    text = json.dumps(made(), ensure_ascii=False, indent=1)
    Path(__file__).with_name(NAME).write_text(f"{text}\n", encoding="utf-8")

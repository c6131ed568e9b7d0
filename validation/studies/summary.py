"""A study as the documentation keeps it: every number with its splits, as a small JSON file.

What the pages say is computed from these files alone, so that a page takes no longer than reading
one; `cvxkernel study NAME --show --json` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from cvxkernel.validation.notebooks import DOCS
from cvxkernel.validation.studies.store import Record
from cvxkernel.validation.studies.study import Cell, Cells, Study

STORED = DOCS / "studies"
Summary = dict[str, Any]


def summary(study: Study, records: list[Record]) -> Summary:
    """What the store has of it."""
    table = study.cells(records)
    told: Summary = {
        "study": study.id,
        "where": study.where,
        "command": f"cvxkernel study {study.id} --json",
        "paper splits": study.splits,
        "widest": study.widest(records),
        "fits": len(records),
        "seconds": round(sum(r["seconds"] for r in records), 1),
        "versions": records[-1]["versions"] if records else {},
        "cells": [_told(study, cell) for cell in table.values() if cell.splits or cell.failures],
    }
    told["sentences"] = [[s.quote, s.agrees(table)] for s in study.sentences]
    return told | ({"series": _series(study, records)} if study.series else {})


def cells(study: Study, told: Summary) -> dict[tuple[str, str, str], Cell]:
    """The table again, with what is printed as it stands in the study."""
    empty = study.cells([])
    for each in told["cells"]:
        key = (each["method"], each["data"], each["measure"])
        if key in empty:
            cell = empty[key]
            empty[key] = Cell(
                *key,
                cell.printed,
                cell.printed_deviation,
                each["mean"],
                each["deviation"],
                each["splits"],
                each["failures"],
                tuple(each.get("values", ())),
            )
    return empty


def stored(id: str) -> Summary | None:
    """What the documentation has of a study; None where it was not run."""
    path = STORED / f"{id}.json"
    if not path.exists():
        return None
    told: Summary = json.loads(path.read_text("utf-8"))
    return told


def counted(table: Cells) -> str:
    """How many splits its numbers have that have any: "30", or "10 to 30"."""
    counts = sorted({cell.splits for cell in table.values() if cell.splits})
    if not counts:
        return "–"
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def verdicts(study: Study, told: Summary) -> dict[str, bool | None]:
    """Of every sentence of the paper, whether ours agree: None where they cannot tell.

    Computed from the numbers; where an older file has not kept those of the splits, what it says.
    """
    table = cells(study, told)
    before = dict(told.get("sentences", ()))
    found = {s.quote: s.agrees(table) for s in study.sentences}
    return {q: before.get(q) if verdict is None else verdict for q, verdict in found.items()}


def near(study: Study, table: Cells) -> tuple[int, int]:
    """How many numbers are within two standard errors of the printed ones, and of how many.

    Details are not counted.
    """
    every = (c.difference(study.splits) for c in table.values() if c.measure in study.columns)
    differences = [d for d in every if d is not None]
    return sum(abs(d) < 2 for d in differences), len(differences)


def _told(study: Study, cell: Cell) -> dict[str, Any]:
    numbers = {
        "printed": cell.printed,
        "printed deviation": cell.printed_deviation,
        "mean": cell.mean,
        "deviation": cell.deviation,
        "error": cell.error,
        "difference": cell.difference(study.splits),
    }
    rounded = {key: None if x is None else round(x, 4) for key, x in numbers.items()}
    names = {"method": cell.row, "data": cell.column, "measure": cell.measure}
    told = {**names, **rounded, "splits": cell.splits, "failures": cell.failures}
    if cell.measure in study.details:  # its splits are in the store alone
        return told
    return {**told, "values": [None if x is None else round(x, 4) for x in cell.values]}


def _series(study: Study, records: Sequence[Record]) -> list[dict[str, Any]]:
    """The lists that a picture is drawn of: the mean over the splits."""
    made = []
    for name in study.data:
        for method in study.methods:
            own = [m for m in study.measured(records, method, name).values() if m]
            for measure in study.series:
                lists = [m[measure] for m in own if measure in m]
                if lists:
                    mean = np.mean(lists, axis=0).round(4).tolist()
                    names = {"method": method, "data": name, "measure": measure}
                    made.append({**names, "mean": mean})
    return made

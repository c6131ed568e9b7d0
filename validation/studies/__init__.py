"""The papers' tables and figures, redone: `cvxkernel study`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from cvxkernel.formulations.catalogue import PAPERS
from cvxkernel.formulations.errors import InputError
from cvxkernel.validation.studies.study import Study, Unrun


def studies() -> dict[str, Study]:
    """Every study by its id: the `STUDIES` of each module here that has the name of a paper."""
    found: dict[str, Study] = {}
    for paper in PAPERS:
        if find_spec(f"{__name__}.{paper}") is not None:
            module = import_module(f"{__name__}.{paper}")
            found |= {study.id: study for study in module.STUDIES}
    return found


def unrun() -> list[Unrun]:
    """The tables and figures that no study runs, with the reason."""
    found: list[Unrun] = []
    for paper in PAPERS:
        if find_spec(f"{__name__}.{paper}") is not None:
            found += getattr(import_module(f"{__name__}.{paper}"), "UNRUN", ())
    return found


def study(id: str) -> Study:
    """The study of this id."""
    known = studies()
    if id not in known:
        raise InputError("NAME", f"one of {', '.join(known)}", repr(id))
    return known[id]

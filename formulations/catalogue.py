"""Every formulation by its id, and where the ids of a paper are found."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module

from cvxkernel.formulations.errors import UnknownFormulationError
from cvxkernel.formulations.formulation import Formulation, formulations

# The one line that names a paper: a folder of this name in every room is all the rest.
COMPARED = ("kim2006", "lanckriet2004", "rakotomamonjy2008")  # works that the papers compare with
PAPERS = ("ye2008", "tang2009", "chen2009", "kundu2010", "gonen2008", *COMPARED)


def _every() -> Iterator[Formulation]:
    for paper in PAPERS:
        name = f"cvxkernel.formulations.{paper}"
        yield from formulations(import_module(f"{name}.programs"), import_module(f"{name}.bounds"))


CATALOGUE: dict[str, Formulation] = {form.id: form for form in _every()}

# A program that another paper printed first.
ALIASES: dict[str, str] = {
    "chen2009-eq2": "luss2007",
    "kundu2010-eq1": "chen2009-eq1",
    "kundu2010-eq2": "luss2007",
}


def formulation(id: str) -> Formulation:
    """The formulation of this id; an unknown one is told its nearest neighbours."""
    id = ALIASES.get(id, id)
    if id in CATALOGUE:
        return CATALOGUE[id]
    near = get_close_matches(id, CATALOGUE, n=3, cutoff=0.4)
    hint = f" (nearest: {', '.join(near)})" if near else " (`cvxkernel list` shows all)"
    raise UnknownFormulationError("ID", f"the id of a formulation{hint}", repr(id))

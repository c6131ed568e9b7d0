"""Every formulation by its id, and where the ids of a paper are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from cvxkernel.formulations.errors import UnknownFormulationError

if TYPE_CHECKING:
    from cvxkernel.formulations.formulation import Formulation

    CATALOGUE: dict[str, Formulation]

T = TypeVar("T")

# The one line that names a paper: a folder of this name in every room is all the rest.
COMPARED = ("kim2006", "lanckriet2004", "rakotomamonjy2008")  # works that the papers compare with
PAPERS = ("ye2008", "tang2009", "chen2009", "kundu2010", "gonen2008", *COMPARED)

# A program that another paper printed first.
ALIASES: dict[str, str] = {
    "chen2009-eq2": "luss2007",
    "kundu2010-eq1": "chen2009-eq1",
    "kundu2010-eq2": "luss2007",
}

# Programs of one optimum, up to its sign where one is semi-infinite.
EQUAL: tuple[tuple[str, ...], ...] = (
    ("ye2008-thm2.1", "ye2008-thm2.2", "ye2008-thm2.3"),
    ("ye2008-eq29", "ye2008-eq29-single", "ye2008-thm3.2", "ye2008-thm3.3"),
    ("ye2008-eq41", "ye2008-eq43", "ye2008-eq44"),
    ("ye2008-eq45-single", "ye2008-eq46", "ye2008-eq47"),
    ("tang2009-thm3.1", "tang2009-eq3-sdp"),
    ("chen2009-eq7", "chen2009-eq7-dual"),
    ("luss2007", "luss2007-maxmin"),
    ("gonen2008-eq5", "gonen2008-eq7"),
)


def __getattr__(name: str) -> dict[str, Formulation]:
    if name != "CATALOGUE":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _catalogue()


@cache
def _catalogue() -> dict[str, Formulation]:
    """Read when it is first asked for: the programs need CVXPY."""
    return {form.id: form for form in _every()}


def _every() -> Iterator[Formulation]:
    from cvxkernel.formulations.formulation import formulations

    for paper in PAPERS:
        name = f"cvxkernel.formulations.{paper}"
        yield from formulations(import_module(f"{name}.programs"), import_module(f"{name}.bounds"))


def formulation(id: str) -> Formulation:
    """The formulation of this id; an unknown one is told its nearest neighbours."""
    return looked_up(id, _catalogue())


def looked_up(id: str, known: Mapping[str, T]) -> T:
    """What is known under an id, or under that of the paper that printed it first."""
    id = ALIASES.get(id, id)
    if id in known:
        return known[id]
    near = get_close_matches(id, known, n=3, cutoff=0.4)
    hint = f" (nearest: {', '.join(near)})" if near else " (`cvxkernel list` shows all)"
    raise UnknownFormulationError("ID", f"the id of a formulation{hint}", repr(id))

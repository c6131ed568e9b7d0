"""Every formulation by its id."""

from __future__ import annotations

from difflib import get_close_matches

from cvxkernel.formulations import (
    chen2009,
    gonen2008,
    kim2006,
    kundu2010,
    lanckriet2004,
    tang2009,
    ye2008,
)
from cvxkernel.formulations.errors import UnknownFormulationError
from cvxkernel.formulations.formulation import Formulation

CATALOGUE: dict[str, Formulation] = {
    f.id: f
    for f in (
        *ye2008.FORMULATIONS,
        *tang2009.FORMULATIONS,
        *chen2009.FORMULATIONS,
        *kundu2010.FORMULATIONS,
        *gonen2008.FORMULATIONS,
        *kim2006.FORMULATIONS,
        *lanckriet2004.FORMULATIONS,
    )
}

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

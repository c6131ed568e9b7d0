"""Rigorous ends: the upper and lower functions of the formulations, in ball arithmetic.

The doubles of a problem are exact numbers; centring, traces, class vectors, everything derived is
recomputed in balls. The point may come from anywhere: it is repaired in balls, so that it is
feasible exactly, and what that costs is inside the interval.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.validation.proofs import kim2006, kundu2010, lanckriet2004, ye2008
from cvxkernel.validation.proofs.proof import (
    Examination,
    Examiner,
    Judge,
    Negated,
    Point,
    Proof,
    examine,
    prove,
)

RESTRICTED = ("ye2008-thm3.1", "ye2008-eq45")


def _ye2008(id: str) -> Callable[[Any], Judge]:
    form = CATALOGUE[id]
    if form.kind == "SILP":
        return lambda problem: Negated(ye2008.Balls(problem, binary=form.binary, kind=form.kind))
    return lambda problem: ye2008.Balls(problem, binary=form.binary, kind=form.kind)


# The judge of a problem, by formulation. What is not here has no proof yet: UNPROVED says why.
JUDGES: dict[str, Callable[[Any], Judge]] = {
    **{id: _ye2008(id) for id, form in CATALOGUE.items() if form.paper == "ye2008"},
    **dict.fromkeys(RESTRICTED, ye2008.RestrictedBalls),
    "kim2006": kim2006.Balls,
    "lanckriet2004-sm1": lambda problem: lanckriet2004.Balls(problem, squared=False),
    "lanckriet2004-sm2": lambda problem: lanckriet2004.Balls(problem, squared=True),
    "lanckriet2004-sm2c": lambda problem: lanckriet2004.Balls(problem, squared=True),
    "kundu2010-eq10": kundu2010.Kernels,
    **{
        id: judge
        for judge, ids in (
            (kundu2010.Single, ("eq4", "alg1", "alg1-printed")),
            (kundu2010.Several, ("eq6", "alg2", "alg2-printed")),
            (kundu2010.Eigenvectors, ("eq7", "alg3", "alg3-printed")),
        )
        for id in (f"kundu2010-{name}" for name in ids)
    },
}
UNPROVED: dict[str, str] = {}

__all__ = [
    "JUDGES",
    "UNPROVED",
    "Examination",
    "Examiner",
    "Judge",
    "Point",
    "Proof",
    "examine",
    "prove",
]

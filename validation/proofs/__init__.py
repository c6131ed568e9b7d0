"""Rigorous ends: the upper and lower functions of the formulations, in ball arithmetic.

The doubles of a problem are exact numbers; centring, traces, class vectors, everything derived is
recomputed in balls. The point may come from anywhere: it is repaired in balls, so that it is
feasible exactly, and what that costs is inside the interval.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.validation.proofs import (
    chen2009,
    gonen2008,
    kim2006,
    kundu2010,
    lanckriet2004,
    tang2009,
    ye2008,
)
from cvxkernel.validation.proofs.proof import (
    STATIONARITY,
    Examination,
    Judge,
    Negated,
    Point,
    Proof,
    prove,
)

RESTRICTED = ("ye2008-thm3.1", "ye2008-eq45")


def _ye2008(id: str) -> Callable[[Any], Judge]:
    form = CATALOGUE[id]
    if form.kind == "SILP":
        return lambda problem: Negated(ye2008.Balls(problem, binary=form.binary, kind=form.kind))
    return lambda problem: ye2008.Balls(problem, binary=form.binary, kind=form.kind)


# The judge of a problem, by formulation.
JUDGES: dict[str, Callable[[Any], Judge]] = {
    **{id: _ye2008(id) for id, form in CATALOGUE.items() if form.paper == "ye2008"},
    **dict.fromkeys(RESTRICTED, ye2008.RestrictedBalls),
    "kim2006": kim2006.Balls,
    "lanckriet2004-sm1": lambda problem: lanckriet2004.Balls(problem, squared=False),
    "lanckriet2004-sm2": lambda problem: lanckriet2004.Balls(problem, squared=True),
    "lanckriet2004-sm2c": lambda problem: lanckriet2004.Balls(problem, squared=True),
    "tang2009-eq2": tang2009.SeparateBalls,
    **dict.fromkeys(("tang2009-thm3.1", "tang2009-eq3-sdp", "tang2009-eq11"), tang2009.Balls),
    "gonen2008-eq7": gonen2008.Balls,
    "gonen2008-alg1": gonen2008.AtGating,
    "chen2009-eq1": chen2009.Dual,
    "chen2009-eq3": chen2009.Primal,
    "luss2007": chen2009.Robust,
    "chen2009-eq7": chen2009.Kernel,
    "chen2009-eq7-dual": chen2009.Kernel,
    "chen2009-eq8": chen2009.Augmented,
    "chen2009-eq8-qcqp": chen2009.Column,
    "chen2009-eq12": chen2009.Spectrum,
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

__all__ = [
    "JUDGES",
    "STATIONARITY",
    "Examination",
    "Judge",
    "Point",
    "Proof",
    "prove",
]

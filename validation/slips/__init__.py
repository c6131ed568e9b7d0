"""The slips people make: which one explains an answer that is not optimal.

A paper adds its part in one place: a module with `measure(form, problem, point, value)`, the answer
as a `Measure`, and `variants(measure)`, the slips.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.slips import (
    chen2009,
    gonen2008,
    kim2006,
    kundu2010,
    lanckriet2004,
    tang2009,
    ye2008,
)
from cvxkernel.validation.slips.slip import Measure, Slip, Variant, ranked

PAPERS: dict[str, ModuleType] = {
    "ye2008": ye2008,
    "kim2006": kim2006,
    "lanckriet2004": lanckriet2004,
    "gonen2008": gonen2008,
    "chen2009": chen2009,
    "tang2009": tang2009,
    "kundu2010": kundu2010,
    "luss2007": chen2009,
}


def explain(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> list[Slip]:
    """The slips that explain an answer, best first."""
    if form.paper not in PAPERS:
        return []
    paper = PAPERS[form.paper]
    measure: Measure = paper.measure(form, problem, point, value)
    slips = paper.variants(measure)
    if not point:  # a number that is searched for would explain any value
        slips = (slip for slip in slips if slip.search is None)
    return ranked(measure, slips)


__all__ = ["PAPERS", "Measure", "Slip", "Variant", "explain", "ranked"]

"""The slips people make: which one explains an answer that is not optimal.

A paper's part is its module `slips`, with `measure(form, problem, point, value)`, the answer as a
`Measure`, and `variants(measure)`, the slips.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.papers import home, part
from cvxkernel.validation.slips.slip import Measure, Slip, Variant, ranked


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Measure:
    """The answer as it stands, to the problem as it stands."""
    made: Measure = part(home(form), "slips").measure(form, problem, point, value)
    return made


def variants(form: Formulation, answer: Measure) -> Iterator[Variant]:
    """The slips of a formulation's paper."""
    yield from part(home(form), "slips").variants(answer)


def explain(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> list[Slip]:
    """The slips that explain an answer, best first."""
    answer = measure(form, problem, point, value)
    slips = variants(form, answer)
    if not point:  # a number that is searched for would explain any value
        slips = (slip for slip in slips if slip.search is None)
    return ranked(answer, slips)


__all__ = ["Measure", "Slip", "Variant", "explain", "measure", "ranked", "variants"]

"""Slips in rakotomamonjy2008: ½ of lanckriet2004's 1-norm soft margin, the weights summing to 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.lanckriet2004 import slips as lanckriet2004
from cvxkernel.validation.lanckriet2004.slips import Answer, answers
from cvxkernel.validation.slips.data import data
from cvxkernel.validation.slips.machine import boxes
from cvxkernel.validation.slips.numbers import costs
from cvxkernel.validation.slips.slip import Variant, fixed


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    return Answer(
        kernels=problem.kernels,
        y=problem.y,
        C=problem.C,
        squared=False,
        alpha=point.get("alpha"),
        mu=point.get("d"),
        claims={} if value is None else {"value": value},
        traces="one",
        budget="one",
        scale=0.5,
    )


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of this program."""
    n, K = len(at.y), at.kernels
    assert at.C is not None
    for kind, told, C in costs(at.C, n):
        yield fixed(kind, told, C=C)
    yield from boxes(at.alpha, at.y, at.C)
    yield fixed("weights sum to p", "weights that sum to their number", budget="sum")
    told = "αᵀKα in place of αᵀ(K ∘ yyᵀ)α: the labels left out"
    yield fixed("labels", told, signed=False)
    told = "½αᵀ(K ∘ yyᵀ)α without its factor ½"
    yield fixed("½ of the form", told, kernels=2 * K)
    told = "a machine without b: the constraint αᵀy = 0 left out"
    yield fixed("no offset", told, offset=False)
    told = "the squares of the slacks, ½CΣξ²"
    yield fixed("other norm", told, squared=True)
    yield fixed("other norm", "the squares of the slacks, CΣξ²", squared=True, C=2 * at.C)
    yield fixed("both norms", "½Σα²/C and the box α ≤ C at once", both=True)
    yield fixed("2-norm MKL", "weights of 2-norm one, Σd_m² ≤ 1, in place of Σd_m = 1", norm=2.0)
    yield from lanckriet2004.uniform(at)
    yield from data(K, at.y, alpha=at.alpha)
    yield from answers(at)
    yield fixed("½ of the form", "¼αᵀ(K ∘ yyᵀ)α where ½ was meant", kernels=K / 2)

r"""Slips in kundu2010: ρ left out, C and τ in other units, another loss, labels, values.

The distance of an answer from the optimum of (4), (6) or (7) is the width of the enclosure at its
own kernels and at the α and subgradients that belong to them; of (10) at its own α and γ. A slipped
problem is one of the same kind with other numbers, and is judged at the answer alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010 import LOSSES, Budgeted, Combination, Similarities, losses
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.validation.slips.slip import FACTORS, Variant, costs, fixed, values


@dataclass(frozen=True)
class Answer:
    """An answer, the problem it is held against, and the values that are claimed."""

    form: Formulation
    problem: Any
    point: Mapping[str, Array]
    claims: Mapping[str, float]

    def distance(self) -> float:
        """The relative width at the answer, or how far its values lie outside."""
        try:
            found = self.form.enclose(self.problem, self.point)
        except (InputError, np.linalg.LinAlgError):
            return np.inf
        size = max(abs(found.upper), np.finfo(float).tiny)
        off = [max(x - found.upper, found.lower - x, 0.0) / size for x in self.claims.values()]
        return max(found.width, *off) if off else found.width


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    return Answer(form, problem, point, {} if value is None else {"value": value})


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of these programs."""
    problem, n = at.problem, at.problem.n
    for kind, told, C in costs(problem.C, n):
        yield fixed(kind, told, problem=with_numbers(problem, C=C))
    if not isinstance(problem, Combination):
        if not isinstance(problem, Budgeted) and problem.rho > 0:
            told = "ρ left out of the loss and its subgradients: ρ = 1"
            yield fixed("ρ left out", told, problem=with_numbers(problem, rho=1.0))
            for name, f in FACTORS.items():
                made = with_numbers(problem, rho=f * problem.rho)
                yield fixed(f"{name}ρ", f"{name}ρ in place of ρ", problem=made)
        for kind, tau in {"τ = 1": 1.0, "τ = n": float(n)}.items():
            if tau != problem.tau:
                yield fixed(
                    kind, f"trace {kind[4:]} in place of τ", problem=with_numbers(problem, tau=tau)
                )
    if isinstance(problem, Similarities):
        for loss in LOSSES:
            if problem.loss != loss:
                told = f"loss {loss} in place of {losses.told(problem.loss)}"
                yield fixed("other loss", told, problem=with_numbers(problem, loss=loss))
    for order in (np.sort(problem.y), np.sort(problem.y)[::-1]):
        if not np.array_equal(order, problem.y):
            told = "labels sorted while the similarities are not"
            yield fixed("labels", told, problem=with_numbers(problem, y=order))
    yield from answers(at)


def answers(at: Answer) -> Iterator[Variant]:
    """The right problem, its value told with another factor."""
    yield from values(at.claims, FACTORS)

"""Slips in chen2009: of the support vector machine, (1) and (3); `similarity` has the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cvxkernel.formulations import chen2009
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.slips import machine, similarity
from cvxkernel.validation.slips.numbers import costs
from cvxkernel.validation.slips.slip import Measure, Variant, fixed


@dataclass(frozen=True)
class Answer(machine.Answer):
    """An answer to (1), or to (3) with its η."""

    eta: float | None = None


@dataclass(frozen=True)
class Unknown:
    """An answer to (8), whose slips are not known."""

    claims: Mapping[str, float] = field(default_factory=dict)
    tells = False

    def distance(self) -> float:
        """Nothing to explain."""
        return 0.0


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Measure:
    """The answer as it stands, to the problem as it stands."""
    if isinstance(problem, chen2009.RobustMachine | chen2009.KernelMachine):
        return similarity.answer(problem, point, value)
    if not isinstance(problem, chen2009.Machine | chen2009.RegularizedMachine):
        return Unknown()
    eta = problem.eta if isinstance(problem, chen2009.RegularizedMachine) else None
    return Answer(
        kernels=problem.K[None],
        y=problem.y,
        C=problem.C,
        alpha=point.get("alpha"),
        b=float(point["b"]) if "b" in point and "c" in point else None,
        c=point.get("c"),
        claims={} if value is None else {"value": value},
        scale=1.0 if eta is None else 2 * eta,  # (3) is 2η times (1)
        eta=eta,
    )


def variants(at: Measure) -> Iterator[Variant]:
    """The slips of these programs."""
    if isinstance(at, similarity.Answer):
        yield from similarity.variants(at)
    if not isinstance(at, Answer):
        return
    n = len(at.y)
    if at.eta is None:
        for kind, told, C in costs(at.C, n):
            yield fixed(kind, told, C=C)
    else:
        yield from _regularized(at, at.eta, n)
        if at.c is not None:
            told = "cᵀc in place of cᵀKc: the coefficients penalized, not the function"
            K = at.kernels[0]
            c = np.linalg.lstsq(K, at.c, rcond=None)[0]
            yield fixed("cᵀc", told, kernels=(K @ K)[None], c=c)
    yield from coefficients(at)
    yield from machine.variants(at)


def answers(at: Measure) -> Iterator[Variant]:
    """The right problem, its answer told in another scale or sign."""
    if isinstance(at, similarity.Answer):
        yield from similarity.answers(at)
    if isinstance(at, Answer):
        yield from coefficients(at)
        yield from machine.answers(at)


def coefficients(at: Answer) -> Iterator[Variant]:
    """c told wrongly."""
    if at.c is not None:
        yield fixed("sign of c", "c with the other sign", c=-at.c)
        yield fixed("α for c", "cᵢ without the factor yᵢ: α in place of c", c=at.c * at.y)


def _regularized(at: Answer, eta: float, n: int) -> Iterator[Variant]:
    """Other weights of the two terms of (3); the value changes with them."""
    for kind, told, C, scale in (
        ("½η", "½ηcᵀKc in place of ηcᵀKc", 2 * at.C, eta),
        ("2η", "2ηcᵀKc in place of ηcᵀKc", at.C / 2, 4 * eta),
        ("losses summed", "Σξᵢ in place of its average: C = 1/(2η)", n * at.C, 2 * eta),
        ("η/n", "(η/n)cᵀKc in place of ηcᵀKc", n * at.C, 2 * eta / n),
        ("nη", "nηcᵀKc in place of ηcᵀKc", at.C / n, 2 * n * eta),
        ("1/η", "1/η in place of η", at.C * eta**2, 2 / eta),
        ("η for C", "½cᵀKc + ηΣξᵢ", eta, 1.0),
        ("η for C", "½cᵀKc + (η/n)Σξᵢ", eta / n, 1.0),
        ("1/η for C", "½cᵀKc + (1/η)Σξᵢ", 1 / eta, 1.0),
    ):
        yield fixed(kind, told, C=C, scale=scale)
    yield fixed("value of (1)", "the value of (1), which (3) is 2η times", scale=1.0)

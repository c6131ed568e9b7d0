r"""Slips in rakotomamonjy2008: those of tang2009's machines, with one label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.slips.slip import Variant, fixed
from cvxkernel.validation.tang2009.slips import Answer, machines


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    alpha, d = (point.get(symbol) for symbol in ("alpha", "d"))
    return Answer(
        kernels=problem.kernels,
        Y=problem.y[None],
        C=problem.C,
        lam=None,
        beta=0.0,
        alpha=None if alpha is None else alpha[None],
        theta=None if d is None else d[None],
        claims={} if value is None else {"value": value},
    )


def variants(at: Answer) -> Iterator[Variant]:
    """The slips of this program."""
    yield from machines(at)
    if at.theta is not None:
        told = "√d_m in place of d_m: the weights of the features, not of the kernels"
        yield fixed("roots of d", told, theta=np.maximum(at.theta, 0.0) ** 2)

"""Slips in gonen2008: those of a support vector machine, and of its gates.

An answer to Algorithm 1 is one to (7) at the gating it names; one to (5) by the α of its w_m.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.gonen2008 import Gated, gates
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.slips import machine
from cvxkernel.validation.slips.slip import Variant, costs, fixed


@dataclass(frozen=True)
class Answer(machine.Answer):
    """An answer, and the gating it was made at."""

    at: Gated | None = None


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Answer:
    """The answer as it stands, to the problem as it stands."""
    at: Gated = problem if isinstance(problem, Gated) else problem.at(point["V"], point["v0"])
    return Answer(
        kernels=at.kernels,
        y=at.y,
        C=at.C,
        alpha=point["alpha"] if "alpha" in point else machine_of(at, point.get("c")),
        b=float(point["b"]) if "b" in point and "alpha" in point else None,
        claims={} if value is None else {"value": value},
        gates=gates(at.X, at.V, at.v0),
        at=at,
    )


def machine_of(at: Gated, c: Array | None) -> Array | None:
    """The α that comes nearest to (6), c_mj = αⱼyⱼη_m(xⱼ)."""
    if c is None:
        return None
    alpha: Array = at.y * (c * at.eta).sum(axis=0) / (at.eta**2).sum(axis=0)
    return alpha


def variants(answer: Answer) -> Iterator[Variant]:
    """The slips of these programs."""
    at = answer.at
    assert at is not None
    eta, z = at.eta, at.V @ at.X.T + at.v0[:, None]  # (p, n)
    told = "√η_m(xᵢ)√η_m(xⱼ) in place of η_m(xᵢ)η_m(xⱼ): the gates not squared"
    yield fixed("gates not squared", told, gates=np.sqrt(eta))
    yield fixed("gates left out", "ΣK_m in place of K_η", gates=np.ones_like(eta))
    told = "ΣK_m/p in place of K_η"
    yield fixed("gates left out", told, gates=np.full_like(eta, at.p**-0.5))
    yield fixed("equal gates", "the gates 1/p everywhere", gates=np.full_like(eta, 1 / at.p))
    with np.errstate(over="ignore"):
        yield fixed("no softmax", "exp(⟨v_m, x⟩ + v_m0) not divided by their sum", gates=np.exp(z))
    yield fixed("no softmax", "a logistic function for every gate", gates=expit(z))
    told = "softmax over the samples in place of the kernels"
    yield fixed("softmax over samples", told, gates=softmax(z, axis=1))
    yield fixed("v0 left out", "the gates without v_m0", gates=gates(at.X, at.V, 0 * at.v0))
    told = "the gates of -V and -v0: the last kernel first"
    yield fixed("sign of the gating", told, gates=gates(at.X, -at.V, -at.v0))
    crisp = (eta == eta.max(axis=0)).astype(float)
    yield fixed("crisp gates", "one kernel for each sample, that of the largest gate", gates=crisp)
    for kind, sentence, C in costs(at.C, at.n):
        yield fixed(kind, sentence, C=C)
    yield from machine.variants(answer)


answers = machine.answers

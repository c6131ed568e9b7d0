"""Problems of tang2009 for any λ and β, and their optima, each solved once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import Enclosure
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009 import Regularized, Shared, bounds
from cvxkernel.formulations.tang2009.data import MultiLabelled
from cvxkernel.solvers import solve
from cvxkernel.validation.tang2009.samples import multi_label

QP, QCQP, SDP, SILP = "tang2009-eq2", "tang2009-thm3.1", "tang2009-eq3-sdp", "tang2009-eq11"


@cache
def data(kind: str, seed: int) -> dict[str, Any]:
    """13 samples, three kernels and three labels, as in the built-in instances."""
    return multi_label(13, 3, 3, kind=kind, seed=seed)


def priced(kind: str, seed: int, lam: float) -> Regularized:
    """With a price of kernel difference."""
    given = data(kind, seed)
    return Regularized(given["kernels"], given["Y"], given["C"], lam)


def bounded(kind: str, seed: int, beta: float) -> Shared:
    """With a bound on kernel difference."""
    given = data(kind, seed)
    return Shared(given["kernels"], given["Y"], given["C"], beta)


@cache
def at_lam(kind: str, seed: int, lam: float) -> Enclosure:
    """The optimum of Theorem 3.1."""
    return solve(QCQP, priced(kind, seed, lam)).enclosure


@cache
def at_beta(kind: str, seed: int, beta: float) -> Enclosure:
    """The optimum of (11)."""
    return solve(SILP, bounded(kind, seed, beta)).enclosure


def plus(one: Enclosure, number: float) -> Enclosure:
    """The enclosure of the optimum plus a number."""
    value, lower, upper = (x + number for x in (one.value, one.lower, one.upper))
    return Enclosure(value, lower, upper, one.variables)


def total(parts: list[Enclosure]) -> Enclosure:
    """The enclosure of a sum of optima."""
    value, lower, upper = (
        sum(getattr(part, end) for part in parts) for end in ("value", "lower", "upper")
    )
    return Enclosure(value, lower, upper, {})


def some_alpha(at: MultiLabelled, seed: int) -> Array:
    """α with every αᵗ in S(t)."""
    given = np.random.default_rng(seed).uniform(0, at.C, size=at.Y.shape)
    alpha: Array = bounds.Bounds(DOUBLES, at).feasible(given).mid
    return alpha


def some_theta(k: int, p: int, seed: int) -> Array:
    """Weights (k, p), every row with sum 1."""
    return np.random.default_rng(seed).dirichlet(np.ones(p), size=k)


def forms(at: MultiLabelled, alpha: Array) -> Array:
    """Gᵢᵗ(α) as (k, p), from the entries."""
    return np.array(
        [
            [np.sum(np.outer(a, a) * G * np.outer(y, y)) for G in at.kernels]
            for a, y in zip(alpha, at.Y, strict=True)
        ]
    )

"""Other people's multiple kernel learning on the same kernels: MKLpy (Lauriola and Aiolli, 2020).

Its algorithms optimize something else (the margin of averages, radius over margin, alignment), so
that what is compared is the time they take and the objective of lanckriet2004-sm1 at the weights
they end with: the soft margin of Σᵢ μᵢKᵢ, μ ≥ 0, μᵀr = c, which sm1 makes as small as it can.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.lanckriet2004 import SoftMargin
from cvxkernel.solvers import solve
from cvxkernel.solvers.isolated import quiet
from cvxkernel.validation.bench.data import Cancer
from cvxkernel.validation.bench.process import Limits, alone

ID = "lanckriet2004-sm1"
ALGORITHMS = ("AverageMKL", "EasyMKL", "FHeuristic", "PWMK", "CKA", "RMKL", "MEMO", "GRAM")


@dataclass(frozen=True)
class Peer:
    """Seconds, and the objective of sm1 at the weights, between two ends."""

    name: str
    seconds: float | None = None
    lower: float | None = None
    upper: float | None = None
    failure: str | None = None


def peers(instance: Cancer, *, limits: Limits) -> Iterator[Peer]:
    """Newton on sm1 itself, then each algorithm of MKLpy, each in a process of its own."""
    if find_spec("MKLpy") is None:
        raise InputError("peers", "MKLpy, the extra `peers`", "no such package")
    for name in ("newton", *ALGORITHMS):
        yield Peer(name, **alone(limits, _ours if name == "newton" else _theirs, name, instance))


def _ours(name: str, instance: Cancer) -> Iterator[dict[str, Any]]:
    data = instance.data()
    solve(ID, SoftMargin(**data), solver=name)  # what a process does once
    found = solve(ID, SoftMargin(**data), solver=name)
    yield {"seconds": found.seconds, "lower": found.lower, "upper": found.upper}


def _theirs(name: str, instance: Cancer) -> Iterator[dict[str, Any]]:
    data = instance.data()
    tensor = import_module("torch").tensor
    algorithm = getattr(import_module("MKLpy.algorithms"), name)
    kernels, y = [tensor(K) for K in data["kernels"]], tensor(data["y"])
    with warnings.catch_warnings(), quiet():  # it prints
        warnings.simplefilter("ignore")
        start = perf_counter()
        weights = algorithm().combine_kernels(kernels, y).weights
        seconds = perf_counter() - start
    ours = SoftMargin(**data)
    mu = np.maximum(np.asarray(weights, dtype=float), 0.0)  # CKA's may be negative
    mu *= ours.c / (mu @ ours.r)
    K = np.einsum("i,ijk->jk", mu, ours.kernels)
    at = solve(ID, SoftMargin(K[None], ours.y, ours.C))
    yield {"seconds": seconds, "lower": at.lower, "upper": at.upper}

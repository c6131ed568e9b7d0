"""Rigorous ends: the upper and lower functions of the formulations, in ball arithmetic.

The doubles of a problem are exact numbers; centring, traces, class vectors, everything derived is
recomputed in balls. The point may come from anywhere: it is repaired in balls, so that it is
feasible exactly, and what that costs is inside the interval.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cvxkernel.formulations.arithmetic.balls import Proof
from cvxkernel.formulations.catalogue import PAPERS
from cvxkernel.validation.papers import part
from cvxkernel.validation.proofs.proof import (
    STATIONARITY,
    Examination,
    Judge,
    Point,
    prove,
)

# The judge of a problem, by formulation: a paper declares those of its programs.
JUDGES: dict[str, Callable[[Any], Judge]] = {
    id: judge for paper in PAPERS for id, judge in part(paper, "proofs").JUDGES.items()
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

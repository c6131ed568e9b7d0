"""How long each route takes to the same enclosure, in one run: times, widths, memory, ratios.

Every route runs in a process of its own, so that one that takes too long or too much memory can be
ended and recorded.
"""

from __future__ import annotations

from cvxkernel.validation.bench.building import programs
from cvxkernel.validation.bench.data import Cancer, Digits, File, Labels, Sample, Size
from cvxkernel.validation.bench.mklpy import Peer, peers
from cvxkernel.validation.bench.process import Limits
from cvxkernel.validation.bench.rigorous import rigorous
from cvxkernel.validation.bench.routes import Measurement, measure, race
from cvxkernel.validation.bench.suites import (
    FAMILIES,
    SWEEPS,
    TABLE_16,
    Row,
    Target,
    growth,
    sweep,
    table16,
    targets,
)

__all__ = [
    "FAMILIES",
    "SWEEPS",
    "TABLE_16",
    "Cancer",
    "Digits",
    "File",
    "Labels",
    "Limits",
    "Measurement",
    "Peer",
    "Row",
    "Sample",
    "Size",
    "Target",
    "growth",
    "measure",
    "peers",
    "programs",
    "race",
    "rigorous",
    "sweep",
    "table16",
    "targets",
]

"""How long each route takes to the same enclosure, in one run: times, widths, memory, ratios."""

from __future__ import annotations

from cvxkernel.validation.bench.process import (
    ROUTES,
    Limits,
    Measurement,
    Problem,
    Size,
    bench,
    measure,
    race,
)

__all__ = ["ROUTES", "Limits", "Measurement", "Problem", "Size", "bench", "measure", "race"]

"""The line with which a run of the attack ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

COUNTS = "multiprecision optima, n ≤ 5"  # the property of a test's report that holds its counts


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many of the multiprecision optima the intervals from doubles contain."""
    total: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, counts in getattr(report, "user_properties", ()):
                if name == COUNTS and report.when == "call":
                    total.update(counts)
    if total:
        compared = total["contained"] + total["missed"]
        terminalreporter.write_line(
            f"attack, n ≤ 5: the intervals from doubles contain {total['contained']} of {compared} "
            f"multiprecision optima; {total['no reference']} instances had none to compare with"
        )

"""How soon the command line answers, beside what `import cvxpy` alone takes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from resource import RUSAGE_CHILDREN, getrusage

RUNS = 7
IMPORT = "import cvxpy"
COMMAND = "from cvxkernel.validation.cli import main; main()"
QUICK = (("--help",), ("--version",), ("list",), ("show", "ye2008-thm2.2"))
ASKED = 0.25  # of the import of cvxpy


@dataclass(frozen=True)
class Start:
    """The least CPU seconds of several runs in a process each, over those of `import cvxpy`."""

    what: str
    seconds: float
    ratio: float
    at_most: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the ratio is what is asked."""
        return None if self.at_most is None else self.ratio <= self.at_most


def starts(runs: int = RUNS) -> Iterator[Start]:
    """The commands that need no solver, in turn with the import: all see the same machine."""
    lines = {
        IMPORT: [IMPORT],
        "import cvxkernel": ["import cvxkernel"],
        **{f"cvxkernel {' '.join(words)}": [COMMAND, *words] for words in QUICK},
    }
    least = {
        what: min(seconds)
        for what, seconds in zip(
            lines,
            zip(*([_seconds(line) for line in lines.values()] for _ in range(runs)), strict=True),
            strict=True,
        )
    }
    for what, seconds in least.items():
        asked = None if what == IMPORT else ASKED
        yield Start(what, seconds, seconds / least[IMPORT], asked)


def _seconds(line: list[str]) -> float:
    """Of the processor, with all that the process starts: others on the machine do not count."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", *line], check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

"""The memory at hand, and whether what a file holds can be solved in it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from cvxkernel.formulations.errors import FileError, InputError

MEMORY = "CVXKERNEL_MEMORY"  # gigabytes, instead of what the system has available
COPIES = 4  # of the data: as they came, checked, as a solver has them, and factorized
GIGA = 1e9


def afford(file: str, what: str, size: float) -> None:
    """Refuse a file whose data take `size` bytes, if their copies do not fit."""
    memory = at_hand()
    if COPIES * size > memory:
        room = (
            f"at most {memory / COPIES / GIGA:.3g} GB of data, a {COPIES}th of the memory at hand"
        )
        raise FileError(file, f"{room} ({MEMORY}=… gigabytes sets it)", f"{what}: {told(size)}")


def told(size: float) -> str:
    """A number of bytes in a few words."""
    for unit, factor in (("GB", GIGA), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} bytes"


def at_hand() -> float:
    """The bytes that the environment says, else those that the system and its limits leave."""
    asked = os.environ.get(MEMORY)
    if asked is None:
        return min(_available(), _limit(resource.RLIMIT_AS), _limit(resource.RLIMIT_DATA), _group())
    try:
        memory = float(asked) * GIGA
    except ValueError:
        memory = -1.0
    if not memory > 0:
        raise InputError(MEMORY, "a positive number of gigabytes", repr(asked))
    return memory


def _available() -> float:
    """What is free or can be freed; where the system does not say, all there is."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * float(line.split()[1])
    except OSError:
        pass
    return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")


def _limit(which: int) -> float:
    """A limit on this process, as `ulimit` sets it."""
    soft = resource.getrlimit(which)[0]
    return float("inf") if soft == resource.RLIM_INFINITY else float(soft)


def _group() -> float:
    """A limit on the container it runs in."""
    try:
        return float(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):  # none, or "max"
        return float("inf")

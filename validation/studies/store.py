"""Where results go: a line of JSON for each fit, appended as it comes and never rewritten.

A process that is killed while it writes leaves half a line at most, which is not read; the next
line begins anew. So a study that is started again finds everything that was finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cvxkernel.formulations.errors import FileError

Record = dict[str, Any]


@dataclass(frozen=True)
class Store:
    """An append-only file of results."""

    path: Path

    def append(self, record: Record) -> None:
        """One more result, on the disk before this returns."""
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            expected = "a file that can be written to"
            raise FileError("--store", expected, f"{self.path}: {error.strerror}") from None
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                line = line if file.read(1) == b"\n" else "\n" + line
            file.write(line.encode())
            os.fsync(file.fileno())

    def records(self) -> Iterator[Record]:
        """Every result that was written to its end, in the order of writing."""
        if not self.path.exists():
            return
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            expected = "a file that can be read"
            raise FileError("--store", expected, f"{self.path}: {error.strerror}") from None
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:  # a line that was not finished, or the end
                continue
            if isinstance(record, dict) and {"study", "data", "method", "split"} <= set(record):
                yield record

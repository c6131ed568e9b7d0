"""A line on stderr about work that takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import perf_counter

from rich.console import Console

PATIENCE = 1.0  # seconds before anything is shown


class Line:
    """What is being done, called by the solvers; `advance` counts whole steps."""

    def __init__(self, total: int | None) -> None:
        self.text, self.done, self.total = "", 0, total

    def __call__(self, text: str) -> None:
        """Say what is being done."""
        self.text = text

    def advance(self) -> None:
        """One more step is done."""
        self.done += 1

    def __str__(self) -> str:
        return f"[{self.done}/{self.total}] {self.text}" if self.total else self.text


@contextmanager
def progress_line(total: int | None = None) -> Iterator[Line]:
    """A line that follows the work: redrawn on a terminal and in a notebook, else every 10 s."""
    line, stop, console = Line(total), Event(), Console(stderr=True, highlight=False)
    start = perf_counter()

    def show() -> None:
        with suppress(OSError):  # nobody to show it to
            follow()

    def follow() -> None:
        if stop.wait(PATIENCE):
            return
        if console.is_terminal:
            with console.status(str(line)) as status:
                while not stop.wait(0.1):
                    status.update(f"{line} ({perf_counter() - start:.0f} s)", spinner="dots")
        elif console.is_jupyter:
            while not stop.wait(0.5):
                print(f"\r{line} ({perf_counter() - start:.0f} s)", end=" " * 20, file=sys.stderr)
            print("\r", end=" " * 100 + "\r", file=sys.stderr)
        else:
            shown = ""
            while True:
                if line.text != shown:
                    print(f"{line} ({perf_counter() - start:.0f} s)", file=console.file)
                    shown = line.text
                if stop.wait(10.0):
                    return

    thread = Thread(target=show, daemon=True)
    thread.start()
    try:
        yield line
    finally:
        stop.set()
        thread.join()

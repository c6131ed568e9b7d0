"""Ctrl-C while the command line is being imported, which takes seconds: one line, no traceback."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from threading import current_thread, main_thread
from typing import NoReturn


def leave(number: int, frame: object) -> NoReturn:
    """Nothing has been started that would have to be ended."""
    os.write(2, f"cvxkernel: interrupted by {signal.Signals(number).name}\n".encode())
    os._exit(128 + number)


def command_starts() -> bool:
    """Whether this process is the command `cvxkernel`, and not a program that imports us."""
    named = bool(sys.argv) and Path(sys.argv[0]).name == "cvxkernel"
    python = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return named and python and current_thread() is main_thread()


if command_starts():
    signal.signal(signal.SIGINT, leave)

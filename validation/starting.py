"""Ctrl-C while the command line is being imported: one line, no traceback.

Few things are imported here, so that it begins soon.
"""

from __future__ import annotations

import os
import signal
import sys
from threading import current_thread, main_thread


def leave(number: int, frame: object) -> None:
    """Nothing has been started that would have to be ended."""
    os.write(2, f"cvxkernel: interrupted by {signal.Signals(number).name}\n".encode())
    os._exit(128 + number)


def command_starts() -> bool:
    """Whether this process is the command `cvxkernel`, and not a program that imports us."""
    named = bool(sys.argv) and os.path.basename(sys.argv[0]) == "cvxkernel"
    python = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return named and python and current_thread() is main_thread()


if command_starts():
    signal.signal(signal.SIGINT, leave)

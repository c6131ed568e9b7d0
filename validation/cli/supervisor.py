"""Ctrl-C ends everything at once: the work is done by a child that this process can kill.

Python looks at signals between two of its own instructions: not within a factorization, not within
a solver. The process that was started therefore only waits. It ends, with all that the work has
started, at the first SIGINT, SIGTERM or SIGHUP; and a library that crashes takes the work with it,
not the line that says so.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from cvxkernel.solvers.child import killed_with

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
UNFORESEEN = 70  # EX_SOFTWARE of sysexits.h
SHOW_CURSOR = "\r\x1b[K\x1b[?25h"


def supervised(work: Callable[[], int]) -> int:
    """The status of `work`, done in a process group of its own; only the child returns.

    Elsewhere than on Linux it is done here, and Ctrl-C is Python's.
    """
    if sys.platform != "linux":
        return work()
    awake, wake = os.pipe()
    os.set_blocking(wake, False)
    before = _note_signals()
    signal.set_wakeup_fd(wake)  # the handler in C writes to it
    parent = os.getpid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads: those of BLAS are made for it
        child = os.fork()
    if child:
        _wait(child, awake)
    signal.set_wakeup_fd(-1)
    os.close(awake)
    os.close(wake)
    for number, handler in before.items():
        signal.signal(number, handler)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's to answer
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # it may write to the terminal all the same
    os.setpgid(0, 0)
    killed_with(parent)
    return work()


def _note_signals() -> dict[int, Any]:
    """Wake up at these, but for what whoever started us has chosen to ignore (nohup)."""
    kept: dict[int, Any] = {}
    for number in (*ENDING, signal.SIGCHLD, signal.SIGTSTP):
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            kept[number] = signal.signal(number, lambda *_: None)
    return kept


def _wait(child: int, awake: int) -> NoReturn:
    """Until the child has ended, or a signal ends both."""
    with suppress(OSError):  # the child does the same: whoever is first
        os.setpgid(child, child)
    while True:
        number = os.read(awake, 1)[0]
        if number in ENDING:
            _end(child)
            _leave(f"interrupted by {signal.Signals(number).name}", 128 + number)
        elif number == signal.SIGTSTP:
            os.killpg(child, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGSTOP)  # until SIGCONT
            os.killpg(child, signal.SIGCONT)
        elif os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            status = _end(child)
            if status >= 0:
                os._exit(status)
            _leave(f"ended by {signal.Signals(-status).name}, {_reason(-status)}", UNFORESEEN)


def _end(child: int) -> int:
    """End everything that the work has started, and the work; its own status."""
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _reason(number: int) -> str:
    if number == signal.SIGKILL:
        return "as the system does when memory runs out"
    return "a crash in a library; please report it with the command and its files"


def _leave(message: str, status: int) -> NoReturn:
    with suppress(OSError):
        cursor = SHOW_CURSOR if sys.stderr.isatty() else ""
        print(f"{cursor}cvxkernel: {message}", file=sys.stderr, flush=True)
    os._exit(status)

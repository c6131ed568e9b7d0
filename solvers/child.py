"""A child process ends with its parent, however the parent ends."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from multiprocessing import parent_process
from threading import Thread

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def die_with_parent() -> None:
    """Called in a child of multiprocessing: killed with whoever started it, within C code too.

    Linux kills it with the process that forked it: the fork server, where there is one, which ends
    with its own parent. Elsewhere a thread waits for the parent's end.
    """
    if sys.platform == "linux":
        killed_with(os.getppid())
    Thread(target=_follow, daemon=True).start()


def killed_with(parent: int) -> None:
    """Ask Linux for SIGKILL at the end of the parent; the parent may have ended already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(128 + signal.SIGKILL)


def _follow() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(128 + signal.SIGKILL)

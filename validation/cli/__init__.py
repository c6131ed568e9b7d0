"""The command line.

Exit status: 0 done, 1 a claim or check failed, 2 bad input, 3 no solver could answer, 70 an error
that nobody foresaw, 74 the output cannot be written, 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from contextlib import suppress
from io import TextIOWrapper

import typer

from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.validation.cli import (  # noqa: F401  (register commands)
    answers,
    certificates,
    exporting,
    ledger,
    plain,
    studies,
    timing,
)
from cvxkernel.validation.cli.app import app
from cvxkernel.validation.cli.supervisor import UNFORESEEN, supervised

CANNOT_WRITE = 74  # EX_IOERR of sysexits.h
WRITING = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
COMPLETING = "_CVXKERNEL_COMPLETE"  # set by a shell that asks what it may offer
COMPLETION = {"--install-completion", "--show-completion"}
TRACEBACK = "CVXKERNEL_TRACEBACK"  # set, an error that nobody foresaw shows where it came from

# Typer carries click within itself or beside it, by version; this base is there in both.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def main() -> None:
    """Run the command line in a process that Ctrl-C can end."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what is wrong is one line
    if COMPLETING in os.environ or COMPLETION.intersection(sys.argv[1:2]):
        app(prog_name="cvxkernel")  # typer's own: leaves by itself
    sys.exit(supervised(command))


def command() -> int:
    """Run what the arguments say; what is wrong becomes one line on stderr and an exit status."""
    if sys.stdout is None:
        return _fail("output: expected a place that can be written to; came none", CANNOT_WRITE)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=plain.NAME)
    try:
        status = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        return _fail(str(error), 2)
    except SolverError as error:
        return _fail(str(error), 3)
    except UsageError as error:
        told = getattr(error, "format_message", error.__str__)()
        return _fail(f"{told} (see cvxkernel --help)", 2)
    except (typer.Abort, KeyboardInterrupt):
        return _fail("interrupted", 130)
    except MemoryError:
        return _fail("memory: expected enough for this problem; came MemoryError", 3)
    except (Exception, SystemExit) as error:  # a library may try to end this process
        cause = error.__context__ if isinstance(error, SystemExit) else error  # click: EPIPE
        if isinstance(cause, OSError) and cause.errno in WRITING:
            return _cannot_write(cause)
        return _unforeseen(error)
    return int(status or 0)


def _fail(message: str, status: int) -> int:
    if sys.stderr is not None:
        with suppress(OSError):  # the status says it, too
            print(f"cvxkernel: {' '.join(message.split())}", file=sys.stderr, flush=True)
    return status


def _cannot_write(error: OSError) -> int:
    """Nothing is said of a reader that has gone away; what was not written is dropped."""
    with suppress(OSError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):
        _fail(f"output: expected a place that can be written to; came {error}", CANNOT_WRITE)
    return CANNOT_WRITE


def _unforeseen(error: BaseException) -> int:
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    how = f"please report it with the command and its files; {TRACEBACK}=1 shows where"
    return _fail(f"unforeseen {type(error).__name__}: {error} ({how})", UNFORESEEN)

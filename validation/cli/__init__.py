"""The command line.

Exit status: 0 done, 1 a claim or check failed, 2 bad input, 3 no solver could answer.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.validation.cli import answers, timing  # noqa: F401  (they register commands)
from cvxkernel.validation.cli.app import app

# Typer carries click within itself or beside it, by version; this base is there in both.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def main() -> None:
    """Run the command line; what is wrong becomes one line on stderr and an exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without θ still gets its answer
    try:
        status = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except InputError as error:
        status = _fail(str(error), 2)
    except SolverError as error:
        status = _fail(str(error), 3)
    except UsageError as error:
        told = getattr(error, "format_message", error.__str__)()
        status = _fail(f"{told} (see cvxkernel --help)", 2)
    except (typer.Abort, KeyboardInterrupt):
        status = _fail("interrupted", 130)
    sys.exit(status)


def _fail(message: str, status: int) -> int:
    print(f"cvxkernel: {' '.join(message.split())}", file=sys.stderr)
    return status

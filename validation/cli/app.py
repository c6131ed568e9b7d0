"""The application, its console and its tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from errno import EPIPE
from functools import cached_property
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

import cvxkernel
from cvxkernel.formulations.errors import InputError
from cvxkernel.validation.cli import index

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

app = typer.Typer(
    help="The kernel-learning programs of five papers, with enclosed optima.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"cvxkernel {cvxkernel.__version__}")
        raise typer.Exit


@app.callback()
def _top(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


def completed(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What a shell offers for the word that has been begun."""
    return lambda incomplete: sorted(word for word in words() if word.startswith(incomplete))


class Output:
    """Standard output; rich is imported by the first table."""

    @property
    def width(self) -> int | None:
        """The columns of the terminal; None where there is none."""
        return get_terminal_size().columns if sys.stdout.isatty() else None

    def line(self, text: str) -> None:
        """A line as it is; rich is not needed for it."""
        print(text)

    def print(self, shown: str | Table, *, soft_wrap: bool = False) -> None:
        """A table, or a line that is folded at words unless it is `soft_wrap`."""
        self._console.print(shown, soft_wrap=soft_wrap)

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        class Raising(Console):
            """Who has gone away while reading is left to `command`."""

            def on_broken_pipe(self) -> None:
                """Raise it again: by itself the console would end with status 1."""
                raise BrokenPipeError(EPIPE, "the reader has gone away")

        return Raising(highlight=False, markup=False)  # a bracket is a bracket


out = Output()


def whole(least: int, most: int) -> Callable[[typer.CallbackParam, int | None], int | None]:
    """A check of an option: a whole number from `least` to `most`, or none at all."""

    def check(option: typer.CallbackParam, value: int | None) -> int | None:
        if value is not None and not least <= value <= most:
            expected = f"a whole number from {least} to {most}"
            raise InputError(option.opts[0], expected, str(value))
        return value

    return check


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
Id = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="A formulation; see `cvxkernel list`.",
        autocompletion=completed(index.formulations),
    ),
]
Seed = Annotated[
    int, typer.Option(help="Seed of the built-in instances.", callback=whole(0, 2**31 - 1))
]
Jobs = Annotated[int, typer.Option(help="Processes.", callback=whole(1, 1024))]
ProblemFile = Annotated[
    Path,
    typer.Argument(
        metavar="PROBLEM",
        help="An .npz, .mat or .json file; - is standard input.",
        allow_dash=True,
    ),
]
Width = Annotated[
    float | None,
    typer.Option(help="Relative width to reach; default: what the formulation promises."),
]
Solver = Annotated[
    str | None,
    typer.Option(
        help='One of the panel or of the methods, or "conic"; default: by itself.',
        autocompletion=completed(lambda: index.read()["solvers"]),
    ),
]
Limit = Annotated[
    float | None,
    typer.Option(
        "--limit", help="Seconds to take at most; default: 300 for the conic solvers together."
    ),
]


def table_of(*columns: str, title: str | None = None, figures: bool = False) -> Table:
    """An empty table of these columns; one of `figures` has no frame and folds nothing."""
    from rich.box import HEAVY_HEAD, SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        caption_justify="left",
        show_header=any(columns),
        box=SIMPLE_HEAD if figures else HEAVY_HEAD,
        padding=(0, 0) if figures else (0, 1),
    )
    for column in columns:
        # An id is for copying: it is never folded.
        whole = figures or column in ("id", "solver", "machine", "test %")
        table.add_column(column, overflow="fold", no_wrap=whole)
    return table

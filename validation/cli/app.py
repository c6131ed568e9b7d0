"""The application, its console and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

app = typer.Typer(
    help="The kernel-learning programs of five papers, with enclosed optima.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
out = Console(highlight=False, markup=False)  # a bracket is a bracket

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="A formulation; see `cvxkernel list`.")]
ProblemFile = Annotated[
    Path, typer.Argument(metavar="PROBLEM", help="An .npz, .mat or .json file.")
]
Width = Annotated[
    float | None,
    typer.Option(help="Relative width to reach; default: what the formulation promises."),
]
Solver = Annotated[
    str | None,
    typer.Option(help='One of the panel or of the methods, or "conic"; default: by itself.'),
]


def table_of(*columns: str, title: str | None = None, figures: bool = False) -> Table:
    """An empty table of these columns; one of `figures` has no frame and folds nothing."""
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

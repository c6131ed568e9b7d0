"""The command that writes a program for a solver elsewhere: `export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cvxkernel.validation.cli.app import Id, ProblemFile, app, out

# What a command needs is imported by it: --help is to be quick.


@app.command("export")
def export_(
    id: Id,
    problem: ProblemFile,
    format: Annotated[
        str, typer.Option("--format", help="sdpa, cbf, ptf, mps (no semidefinite cones) or scs.")
    ],
    file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Default: the id with the format's ending."),
    ] = None,
) -> None:
    """Write the literal program for a solver elsewhere, and its map to the paper's symbols."""
    from cvxkernel.solvers.export import ENDINGS, export
    from cvxkernel.validation import files

    if file is None:
        file = Path(f"{id}{ENDINGS.get(format, '')}")
    written = export(id, files.load(id, problem), format, file)
    out.line(f"{written.file}\n{written.map}")
    if written.dropped:
        out.line(
            f"{written.dropped} numbers of at most 1e-12 are 0 there (MOSEK's; sdpa keeps them)"
        )

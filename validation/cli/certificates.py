"""Commands of what leaves the house: `certify`, `vectors`, `conform`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cvxkernel.formulations.errors import FileError, InputError
from cvxkernel.validation import files
from cvxkernel.validation.cli.app import Id, Limit, ProblemFile, app, out
from cvxkernel.validation.progress import progress_line


@app.command("certify")
def certify_(
    id: Id,
    problem: ProblemFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; default: print it.")
    ] = None,
    tol: Annotated[float, typer.Option(help="Relative width to reach.")] = 1e-6,
    limit: Limit = None,
) -> None:
    """An answer with a certificate of its optimum, which checker.py checks without this package."""
    from cvxkernel.validation.vectors.certificate import certify

    if not 0 < tol < 1:
        raise InputError("--tol", "a number between 0 and 1", f"{tol:g}")
    made = files.load(id, problem)
    with progress_line() as progress:
        certificate = certify(id, made, tol=tol, progress=progress, limit=limit)
    text = files.dump(certificate)
    if output is None:
        typer.echo(text)
        return
    output.write_text(text + "\n", encoding="utf-8")
    lower, upper = certificate["optimum"]
    out.print(f"{output}: {id}, optimum in [{lower}, {upper}]", soft_wrap=True)


@app.command("vectors")
def vectors_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write them.")],
    id: Annotated[
        list[str] | None, typer.Option("--id", help="Those of this formulation only; repeatable.")
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Make them again from the recorded points: bit for bit."),
    ] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Solve and certify them anew: takes minutes.")
    ] = False,
) -> None:
    """Write the test vectors, with the checker, the schemas and harnesses for other languages."""
    from cvxkernel.validation.vectors import shipped

    if folder.exists() and not folder.is_dir():
        raise FileError(folder.name, "a folder", "a file")
    with progress_line() as progress:
        count = shipped.write(folder, tuple(id or ()), again=again, anew=anew, progress=progress)
    out.print(f"{folder}: {count} files", soft_wrap=True)

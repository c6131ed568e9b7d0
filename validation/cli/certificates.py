"""Commands of what leaves the house: `certify`, `vectors`, `notebooks`, `conform`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cvxkernel.formulations.errors import FileError, InputError
from cvxkernel.validation.cli.app import AsJson, Id, Limit, ProblemFile, app, out, table_of


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(str(path), "a file that can be written", error.strerror or "") from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(str(folder), "a folder that can be made", error.strerror or "") from None


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
    from cvxkernel.validation import files
    from cvxkernel.validation.progress import progress_line
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
    _write(output, text + "\n")
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
    from cvxkernel.validation.progress import progress_line
    from cvxkernel.validation.vectors import shipped

    _make(folder)
    with progress_line() as progress:
        count = shipped.write(folder, tuple(id or ()), again=again, anew=anew, progress=progress)
    out.print(f"{folder}: {count} files", soft_wrap=True)


@app.command("notebooks")
def notebooks_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write them.")],
) -> None:
    """Write the pages of the documentation as notebooks; they run where the package is installed.

    To run them takes Jupyter, or anything else with a kernel: pip install 'cvxkernel[notebooks]'.
    """
    from cvxkernel.validation import notebooks

    _make(folder)
    try:
        written = notebooks.write(folder)
    except OSError as error:
        raise FileError(str(folder), "a folder that can be written", error.strerror or "") from None
    out.print(f"{folder}: {len(written)} files", soft_wrap=True)


@app.command("conform", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def conform_(
    context: typer.Context,
    id: Annotated[
        list[str], typer.Option("--id", help="A formulation that the program solves; repeatable.")
    ],
    as_json: AsJson = False,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit's XML to this file.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page to this file.")] = None,
    tol: Annotated[float, typer.Option(help="Relative distance from the optimum.")] = 1e-6,
    timeout: Annotated[float, typer.Option(help="Seconds for each test.")] = 60.0,
) -> None:
    """Run a program through the test vectors: conform --id ID -- COMMAND {problem} {answer}.

    The command is run once for each test, {problem} and {answer} standing for JSON files; it leaves
    a value, the paper's symbols, or both. Exit status 1 where an answer is not right.
    """
    from cvxkernel.validation.progress import progress_line
    from cvxkernel.validation.vectors import conform

    for key, number in (("--tol", tol), ("--timeout", timeout)):
        if not number > 0:
            raise InputError(key, "a positive number", f"{number:g}")
    with progress_line() as progress:
        outcomes = list(
            conform.conform(context.args, id, tol=tol, timeout=timeout, progress=progress)
        )
    if junit is not None:
        _write(junit, conform.as_junit(outcomes))
    if html is not None:
        _write(html, conform.as_html(outcomes, " ".join(context.args)))
    if as_json:
        typer.echo(conform.as_json(outcomes))
    else:
        table = table_of("test", "flags", "outcome", "reason")
        for o in outcomes:
            table.add_row(o.test, ", ".join(o.flags), o.outcome, o.reason)
        out.print(table)
        told = conform.counts(outcomes)
        out.print(", ".join(f"{number} {kind}" for kind, number in told.items() if number))
    if any(o.outcome != conform.RIGHT for o in outcomes):
        raise typer.Exit(1)

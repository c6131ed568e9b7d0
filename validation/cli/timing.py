"""Commands that measure: `bench`, `race`, `gauss4`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cvxkernel.validation import files
from cvxkernel.validation.bench import Limits, Measurement, Problem, Size, bench, race
from cvxkernel.validation.cli.app import AsJson, app, out, table_of
from cvxkernel.validation.gauss4 import MACHINES, PAPER, Row, Toy
from cvxkernel.validation.progress import progress_line


@app.command("bench")
def bench_(
    n: Annotated[int, typer.Option(help="Samples.")] = 480,
    p: Annotated[int, typer.Option(help="Kernels.")] = 10,
    k: Annotated[int, typer.Option(help="Classes.")] = 8,
    lam: Annotated[float, typer.Option(help="Regularization parameter.")] = 5e-4,
    tol: Annotated[float, typer.Option(help="Relative width to reach.")] = 1e-6,
    limit: Annotated[float, typer.Option(help="Seconds for each route.")] = 600.0,
    memory: Annotated[float, typer.Option(help="Gigabytes for each route.")] = 12.0,
    threads: Annotated[int, typer.Option(help="Threads for each route.")] = 1,
    quick: Annotated[bool, typer.Option("--quick", help="n = 60, k = 3, p = 5.")] = False,
    as_json: AsJson = False,
) -> None:
    """Time column generation beside the QCQP and the SDP on the same data, in one run."""
    size = Size(60, 5, 3, lam) if quick else Size(n, p, k, lam)
    rows: list[Measurement] = []
    with progress_line() as progress:
        progress(f"n = {size.n}, p = {size.p}, k = {size.k}: column_generation")
        for row in bench(size, tol=tol, limits=Limits(limit, memory, threads)):
            rows.append(row)
            progress(f"n = {size.n}, p = {size.p}, k = {size.k}: {row.route} {row.solver} done")
    base = rows[0].seconds
    if as_json:
        typer.echo(
            json.dumps({"size": vars(size), "threads": threads, "rows": [vars(r) for r in rows]})
        )
        return
    title = f"n = {size.n}, p = {size.p}, k = {size.k}, λ = {size.lam:g}; {threads} thread(s)"
    table = table_of(
        "route", "solver", "seconds", "ratio", "width", "iterations", "MB", title=title
    )
    for row in rows:
        if row.seconds is None:
            table.add_row(row.route, row.solver, row.failure or "", "", "", "", "")
            continue
        ratio = f"{row.seconds / base:.1f}" if base else ""
        figures = (f"{row.seconds:.2f}", ratio, f"{row.width:.1e}", str(row.iterations or "-"))
        table.add_row(row.route, row.solver, *figures, f"{row.megabytes:.0f}")
    out.print(table)


@app.command("gauss4")
def gauss4_(
    seed: Annotated[int, typer.Option(help="Seed of the points, the splits and the starts.")] = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="240 points, halved once, C of 1 and 100.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The toy experiment of gonen2008, section 4.1, beside what the paper reports."""
    toy = Toy(seed, 240, 1, (1.0, 100.0)) if quick else Toy(seed)
    rows: list[Row] = []
    with progress_line(total=2 * len(MACHINES)) as progress:
        for row in toy.rows(progress=progress):
            rows.append(row)
            progress.advance()
    if as_json:
        told = {**vars(toy), "bayes": toy.bayes(), "rows": [vars(row) for row in rows]}
        typer.echo(json.dumps(told))
        return
    title = f"GAUSS4, seed {seed}: {toy.n} points; the densities' own ratio: {toy.bayes():.2f} %"
    table = table_of(
        "trace", "machine", "C", "test %", "support %", "weights", "paper", title=title
    )
    for row in rows:
        accuracy, support, weights = PAPER.get(row.machine, (None, None, None))
        paper = [f"{number:.2f}" for number in (accuracy, support) if number is not None]
        table.add_row(
            row.trace,
            row.machine,
            f"{row.C:g}",
            f"{row.accuracy:.2f} ± {row.deviation:.2f}",
            f"{row.support:.2f}",
            ", ".join(f"{w:.2f}" for w in row.weights),
            ", ".join([*paper, *(f"{w:.2f}" for w in weights or ())]),
        )
    out.print(table)


@app.command("race")
def race_(
    id: Annotated[str, typer.Argument(metavar="ID", help="A formulation; see `cvxkernel list`.")],
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM", help="An .npz, .mat or .json file.")
    ],
    tol: Annotated[float, typer.Option(help="Relative width to reach.")] = 1e-2,
    limit: Annotated[float, typer.Option(help="Seconds for each route.")] = 60.0,
    memory: Annotated[float, typer.Option(help="Gigabytes for each route.")] = 12.0,
    threads: Annotated[int, typer.Option(help="Threads for each route.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Time every method and conic solver that answers ID on one problem file, in one run."""
    files.load(id, problem)  # what is wrong with it is said before anything is timed
    rows: list[Measurement] = []
    with progress_line() as progress:
        for row in race(id, Problem(problem), tol=tol, limits=Limits(limit, memory, threads)):
            rows.append(row)
            progress(f"{id}: {row.solver} done")
    done = [row for row in rows if row.seconds is not None]
    base = done[0].seconds if done else None
    if as_json:
        typer.echo(json.dumps({"id": id, "tol": tol, "rows": [vars(r) for r in rows]}))
        return
    table = table_of("route", "solver", "seconds", "ratio", "width", "iterations", title=id)
    for row in rows:
        if row.seconds is None:
            table.add_row(row.route, row.solver, row.failure or "", "", "", "")
            continue
        ratio = f"{row.seconds / base:.1f}" if base else ""
        figures = (f"{row.seconds:.2f}", ratio, f"{row.width:.1e}", str(row.iterations or "-"))
        table.add_row(row.route, row.solver, *figures)
    out.print(table)

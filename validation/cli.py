"""The command line.

Exit status: 0 done, 1 a claim or check failed, 2 bad input, 3 no solver could answer.
"""

from __future__ import annotations

import json
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.solvers import PANEL, solve
from cvxkernel.validation import files
from cvxkernel.validation.bench import Limits, Measurement, Problem, Size, bench, race
from cvxkernel.validation.equivalences import EQUIVALENCES, verify
from cvxkernel.validation.instances import instance
from cvxkernel.validation.progress import progress_line

app = typer.Typer(
    help="The kernel-learning programs of five papers, with enclosed optima.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
out = Console(highlight=False)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """Every formulation: id, class, place in the paper, keys of its problem file, statement."""
    rows = [
        {
            "id": f.id,
            "class": f.kind,
            "paper": f.paper,
            "where": f.where,
            "keys": list(f.keys),
            "statement": f.statement,
        }
        for f in CATALOGUE.values()
    ]
    if as_json:
        typer.echo(json.dumps({"formulations": rows}, ensure_ascii=False))
        return
    table = _table("id", "class", "where", "keys", "statement")
    for row in rows:
        table.add_row(
            *(str(row[c]) for c in ("id", "class", "where")),
            " ".join(row["keys"]),
            str(row["statement"]),
        )
    out.print(table)


@app.command("solve")
def solve_(
    id: Annotated[str, typer.Argument(metavar="ID", help="A formulation; see `cvxkernel list`.")],
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM", help="An .npz, .mat or .json file.")
    ],
    as_json: AsJson = False,
    tol: Annotated[
        float | None,
        typer.Option(help="Relative width to reach; default: what the formulation promises."),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(help="One of the panel, or a paper's own method; default: by itself."),
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="Show every iteration too.")] = False,
) -> None:
    """Solve a problem file and enclose its optimum."""
    form = formulation(id)
    made = files.load(id, problem)
    with progress_line() as progress:
        solution = solve(id, made, solver=solver, tol=tol, progress=progress)
    if as_json:
        typer.echo(files.answer(solution, history=history))
        return
    table = _table("", "", title=f"{id}: {form.statement}")
    table.add_row("value", f"{solution.value:.17g}")
    table.add_row("lower", f"{solution.lower:.17g}")
    table.add_row("upper", f"{solution.upper:.17g}")
    table.add_row("relative width", f"{solution.width:.1e}")
    if solution.status != "optimal":
        table.add_row("status", solution.status)
    for symbol, values in solution.variables.items():
        flat = values.ravel()
        shown = ", ".join(f"{v:.6g}" for v in flat[:12]) + (", …" if flat.size > 12 else "")
        shape = f" {values.shape}" if values.ndim else ""
        table.add_row(f"{symbol}{shape}", shown)
    table.add_row("solver", solution.solver)
    for name, why in (solution.attempts or {}).items():
        table.add_row("", f"{name}: {why}")
    if solution.iterations is not None:
        table.add_row("iterations", str(solution.iterations))
    table.add_row("seconds", f"{solution.seconds:.2f}")
    out.print(table)
    if history and solution.history:
        steps = _table("iteration", "lower", "upper", "relative width", "seconds")
        for s in solution.history:
            ends = (f"{s.lower:.12g}", f"{s.upper:.12g}", f"{s.width:.1e}")
            steps.add_row(str(s.iteration), *ends, f"{s.seconds:.3f}")
        out.print(steps)


@app.command("solvers")
def solvers_(as_json: AsJson = False) -> None:
    """The panel: installed, licensed, which cones."""
    rows = []
    for member in PANEL.values():
        why = member.unavailable()
        rows.append(
            {
                "solver": member.name,
                "version": member.version,
                "ready": why is None,
                "why": why,
                "cones": member.cones,
            }
        )
    if as_json:
        typer.echo(json.dumps({"solvers": rows}))
        return
    table = _table("solver", "version", "ready", "cones")
    for row in rows:
        ready = "yes" if row["ready"] else f"no: {row['why']}"
        table.add_row(str(row["solver"]), str(row["version"] or "-"), ready, str(row["cones"]))
    out.print(table)


@app.command("verify")
def verify_(
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option(help="Seed of the built-in instances.")] = 0,
) -> None:
    """Whether the programs that should have the same optimum do, on built-in instances."""
    kinds = ("gaussian", "random", "low rank")
    data = {kind: {k: instance(24, 5, k, kind=kind, seed=seed) for k in (2, 3)} for kind in kinds}
    verdicts = []
    with progress_line(total=len(kinds) * len(EQUIVALENCES)) as progress:
        for found in verify(data, progress=progress):
            verdicts.append(found)
            progress.advance()
    if as_json:
        rows = [
            {
                "claim": v.equivalence.name,
                "statement": v.equivalence.statement(),
                "instance": v.instance,
                "holds": v.holds,
                "spread": v.spread,
                "enclosures": {id: [e.lower, e.upper] for id, e in v.enclosures.items()},
            }
            for v in verdicts
        ]
        typer.echo(json.dumps({"equivalences": rows}, ensure_ascii=False))
    else:
        table = _table("claim", "kernels", "optimum within", "spread", "verdict")
        for v in verdicts:
            same = [v.enclosures[id] for id in v.equivalence.same]
            low, high = max(e.lower for e in same), min(e.upper for e in same)
            above = v.equivalence.above
            bounded = f"\n≤ {v.enclosures[above].value:.9g}" if above else ""
            table.add_row(
                f"{v.equivalence.name}\n{v.equivalence.statement()}",
                v.instance,
                f"{low:.9g}\n{high:.9g}{bounded}",
                f"{v.spread:.1e}",
                "holds" if v.holds else "FAILS",
            )
        out.print(table)
        held = sum(v.holds for v in verdicts)
        out.print(f"{held} of {len(verdicts)} hold.")
    if not all(v.holds for v in verdicts):
        raise typer.Exit(1)


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
    table = _table("route", "solver", "seconds", "ratio", "width", "iterations", "MB", title=title)
    for row in rows:
        if row.seconds is None:
            table.add_row(row.route, row.solver, row.failure or "", "", "", "", "")
            continue
        ratio = f"{row.seconds / base:.1f}" if base else ""
        figures = (f"{row.seconds:.2f}", ratio, f"{row.width:.1e}", str(row.iterations or "-"))
        table.add_row(row.route, row.solver, *figures, f"{row.megabytes:.0f}")
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
    table = _table("route", "solver", "seconds", "ratio", "width", "iterations", title=id)
    for row in rows:
        if row.seconds is None:
            table.add_row(row.route, row.solver, row.failure or "", "", "", "")
            continue
        ratio = f"{row.seconds / base:.1f}" if base else ""
        figures = (f"{row.seconds:.2f}", ratio, f"{row.width:.1e}", str(row.iterations or "-"))
        table.add_row(row.route, row.solver, *figures)
    out.print(table)


def _table(*columns: str, title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left", show_header=any(columns))
    for column in columns:
        # An id is for copying: it is never folded.
        table.add_column(column, overflow="fold", no_wrap=column in ("id", "solver"))
    return table


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

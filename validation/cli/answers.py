"""Commands that answer: `list`, `show`, `solvers`, `solve`, `path`, `check`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from cvxkernel.formulations import inputs
from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.shown import few
from cvxkernel.solvers import PANEL
from cvxkernel.solvers.path import check_number, path
from cvxkernel.solvers.route import route
from cvxkernel.validation import files
from cvxkernel.validation.check import Judgement, judge, told
from cvxkernel.validation.cli.app import (
    AsJson,
    Id,
    Limit,
    ProblemFile,
    Solver,
    Width,
    app,
    out,
    table_of,
    whole,
)
from cvxkernel.validation.progress import progress_line
from cvxkernel.validation.rigorous import answer
from cvxkernel.validation.rigorous import solve as prove

MOST_VALUES = 100_000  # of a path: more are a slip of the pen


@app.command("list")
def list_(
    as_json: AsJson = False,
    paper: Annotated[str | None, typer.Option(help="Those of this paper only: ye2008, …")] = None,
    kind: Annotated[str | None, typer.Option(help="Those of this class only: SDP, QCQP, …")] = None,
) -> None:
    """Every formulation in a line: id, class, keys of its problem file, place in the paper."""
    for key, asked in (("paper", paper), ("kind", kind)):
        known = dict.fromkeys(getattr(f, key) for f in CATALOGUE.values())
        if asked is not None and asked not in known:
            raise InputError(f"--{key}", f"one of {', '.join(known)}", asked)
    shown = [f for f in CATALOGUE.values() if paper in (None, f.paper) and kind in (None, f.kind)]
    if not shown:
        raise InputError("--kind", f"a class of {paper}", str(kind))
    rows = [
        {
            "id": f.id,
            "class": f.kind,
            "paper": f.paper,
            "where": f.where,
            "keys": list(f.keys),
            "statement": f.statement,
        }
        for f in shown
    ]
    if as_json:
        typer.echo(json.dumps({"formulations": rows}, ensure_ascii=False))
        return
    lines = [(f.id, f.kind, " ".join(f.keys), f.where) for f in shown]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        text = "  ".join(f"{part:<{width}}" for part, width in zip(line, widths, strict=True))
        cut = out.is_terminal and len(text.rstrip()) > out.width
        out.print(f"{text[: out.width - 1]}…" if cut else text.rstrip(), soft_wrap=True)
    out.print("\ncvxkernel show ID tells all about one.")


@app.command("show")
def show_(id: Id) -> None:
    """One formulation: the program as printed, the keys of its file, the symbols of its answers."""
    form = formulation(id)
    table = table_of("", "", title=form.id)
    rows = {
        "program": form.statement,
        "place": form.where,
        "class": form.kind,
        "keys": ", ".join(form.keys) + "".join(f", {key} if wanted" for key in form.optional),
        "symbols": ", ".join(f"{s} ({d})" if d else s for s, d in form.symbols.items()),
        "asked": ", then ".join(route(form)),
        "classes": "two" if form.binary else "",
        "the same program": ", ".join(
            other.id
            for other in CATALOGUE.values()
            if other.program is form.program and other is not form
        ),
    }
    for name, text in rows.items():
        if text:
            table.add_row(name, text)
    out.print(table)


@app.command("solve")
def solve_(
    id: Id,
    problem: ProblemFile,
    as_json: AsJson = False,
    tol: Width = None,
    solver: Solver = None,
    history: Annotated[bool, typer.Option("--history", help="Show every iteration too.")] = False,
    rigorous: Annotated[
        bool, typer.Option("--rigorous", help="Fail unless both ends are proved.")
    ] = False,
    digits: Annotated[
        int | None,
        typer.Option(help="Prove so many digits of the optimum.", callback=whole(1, 1000)),
    ] = None,
    limit: Limit = None,
) -> None:
    """Solve a problem file and enclose its optimum."""
    form = formulation(id)
    made = files.load(id, problem)
    with progress_line() as progress:
        if rigorous or digits is not None:
            solution = prove(
                id, made, solver=solver, tol=tol, digits=digits, progress=progress, limit=limit
            )
        else:
            solution = answer(id, made, solver=solver, tol=tol, progress=progress, limit=limit)
    if as_json:
        typer.echo(files.answer(solution, history=history))
        return
    table = table_of("", "", title=f"{id}: {form.statement}")
    table.add_row("value", f"{solution.value:.17g}")
    table.add_row("lower", f"{solution.lower:.17g}")
    table.add_row("upper", f"{solution.upper:.17g}")
    table.add_row("relative width", f"{solution.width:.1e}")
    if solution.digits is not None:
        table.add_row("proved digits", solution.digits)
    table.add_row("ends", "proved" if solution.rigorous else "not proved, see open")
    if solution.open is not None:
        table.add_row("not proved", solution.open)
    for symbol, values in solution.variables.items():
        shape = f" {values.shape}" if values.ndim else ""
        table.add_row(f"{symbol}{shape}", few(values))
    table.add_row("status", solution.status)
    for promise, said in (solution.promises or {}).items():
        table.add_row(promise, said if isinstance(said, str) else json.dumps(said))
    for note in solution.notes:
        table.add_row("note", note)
    table.add_row("solver", solution.solver)
    for name, why in (solution.attempts or {}).items():
        table.add_row("", f"{name}: {why}")
    if solution.iterations is not None:
        table.add_row("iterations", str(solution.iterations))
    table.add_row("seconds", f"{solution.seconds:.2f}")
    out.print(table)
    if history and solution.history:
        steps = table_of("iteration", "lower", "upper", "relative width", "seconds")
        for s in solution.history:
            ends = (f"{s.lower:.12g}", f"{s.upper:.12g}", f"{s.width:.1e}")
            steps.add_row(str(s.iteration), *ends, f"{s.seconds:.3f}")
        out.print(steps)


@app.command("path")
def path_(
    id: Id,
    problem: ProblemFile,
    along: Annotated[str, typer.Option(help="The key of a number: lam, C, rho, …")],
    values: Annotated[
        str,
        typer.Option(help="1e-5:1:30, thirty evenly in the logarithm; or 1,2,5."),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for each value, a line each.")
    ] = False,
    tol: Width = None,
    solver: Solver = None,
    limit: Annotated[
        float | None,
        typer.Option("--limit", help="Seconds for each value; default: as `solve` has it."),
    ] = None,
) -> None:
    """Solve a problem file at many values of one of its numbers, each from the last."""
    form, numbers = formulation(id), _values(values)
    check_number(id, along)
    made = files.load(id, problem, **{along: numbers[0]})
    table = table_of(along, "lower", "upper", "width", "steps", "solver", title=form.statement)
    try:
        with progress_line(total=len(numbers)) as progress:
            steps = path(
                id, made, along, numbers, solver=solver, tol=tol, progress=progress, limit=limit
            )
            for value, found in zip(numbers, steps, strict=True):
                progress.advance()
                if as_json:
                    typer.echo(files.answer(found, about={along: value}))
                count = "" if found.iterations is None else str(found.iterations)
                ends = (f"{found.lower:.12g}", f"{found.upper:.12g}", f"{found.width:.0e}")
                table.add_row(f"{value:.4g}", *ends, count, found.solver)
    finally:  # where one of them fails the others have been found
        if table.row_count and not as_json:
            out.print(table)


def _values(text: str) -> list[float]:
    """a:b:count, evenly in the logarithm; or numbers with commas between."""
    try:
        if ":" in text:
            first, last, count = text.split(":")
            ends = inputs.positive("values", float(first)), inputs.positive("values", float(last))
            if 0 < int(count) <= MOST_VALUES:
                return [float(x) for x in np.geomspace(*ends, int(count))]
        elif text.strip() and text.count(",") < MOST_VALUES:
            return [float(part) for part in text.split(",")]
    except InputError as error:  # of one of the ends
        raise InputError("values", f"for both ends {error.expected}", repr(text[:60])) from None
    except ValueError:
        pass
    expected = f"first:last:count, both positive, or 1,2,5; at most {MOST_VALUES} of them"
    raise InputError("values", expected, repr(text[:60]))


@app.command("check")
def check_(
    id: Id,
    problem: ProblemFile,
    answer: Annotated[
        Path,
        typer.Argument(metavar="ANSWER", help="An .npz, .mat or .json file: symbols, value."),
    ],
    as_json: AsJson = False,
    tol: Annotated[
        float | None,
        typer.Option(
            help="Relative distance from the optimum; by default what `solve` promises, else 1e-6."
        ),
    ] = None,
    limit: Limit = None,
) -> None:
    """How far an answer made by anybody is from optimal, proved; and which slip explains it."""
    form = formulation(id)
    made, found = files.load(id, problem), files.read_answer(answer)
    if found.formulation is not None and formulation(found.formulation) is not form:
        raise InputError("formulation", form.id, found.formulation)
    with progress_line() as progress:
        judged = judge(id, made, tol, found.value, found.variables, progress=progress, limit=limit)
    if as_json:
        typer.echo(files.dump(told(judged)))
    else:
        _show(judged, form.statement)
    if not judged.within():
        raise typer.Exit(1)


def _show(judged: Judgement, statement: str) -> None:
    table = table_of("", "", title=f"{judged.formulation}: {statement}")
    for row in judged.rows().items():
        table.add_row(*row)
    out.print(table)


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
    table = table_of("solver", "version", "ready", "cones")
    for row in rows:
        ready = "yes" if row["ready"] else f"no: {row['why']}"
        table.add_row(str(row["solver"]), str(row["version"] or "-"), ready, str(row["cones"]))
    out.print(table)

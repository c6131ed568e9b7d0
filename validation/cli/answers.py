"""Commands that answer: `list`, `show`, `solvers`, `solve`, `path`, `check`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cvxkernel.formulations.catalogue import looked_up
from cvxkernel.formulations.errors import InputError
from cvxkernel.validation.cli import index
from cvxkernel.validation.cli.app import (
    AsJson,
    Id,
    Limit,
    ProblemFile,
    Solver,
    Width,
    app,
    completed,
    out,
    table_of,
    whole,
)

if TYPE_CHECKING:
    from cvxkernel.validation.check import Judgement

MOST_VALUES = 100_000  # of a path: more are a slip of the pen
LISTED = ("id", "class", "paper", "where", "keys", "statement")

# What a command needs is imported by it: `list`, `show` and --help are to be quick.


@app.command("list")
def list_(
    as_json: AsJson = False,
    paper: Annotated[
        str | None,
        typer.Option(
            help="Those of this paper only: ye2008, …",
            autocompletion=completed(lambda: index.every("paper")),
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Those of this class only: SDP, QCQP, …",
            autocompletion=completed(lambda: index.every("class")),
        ),
    ] = None,
) -> None:
    """Every formulation in a line: id, class, keys of its problem file, place in the paper."""
    rows = index.read()["formulations"]
    for option, key, asked in (("--paper", "paper", paper), ("--kind", "class", kind)):
        known = index.every(key)
        if asked is not None and asked.lower() not in map(str.lower, known):
            raise InputError(option, f"one of {', '.join(known)}", asked)
        rows = [row for row in rows if asked is None or row[key].lower() == asked.lower()]
    if not rows:
        raise InputError("--kind", f"a class of {paper}", str(kind))
    if as_json:
        listed = [{key: row[key] for key in LISTED} for row in rows]
        typer.echo(json.dumps({"formulations": listed}, ensure_ascii=False))
        return
    lines = [(r["id"], r["class"], " ".join(r["keys"]), r["where"]) for r in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        text = "  ".join(f"{part:<{width}}" for part, width in zip(line, widths, strict=True))
        out.line(_cut(text.rstrip()))
    out.line("\ncvxkernel show ID tells all about one.")


def _cut(line: str) -> str:
    """Within the terminal."""
    return line if out.width is None or len(line) <= out.width else f"{line[: out.width - 1]}…"


@app.command("show")
def show_(id: Id, as_json: AsJson = False) -> None:
    """One formulation: its program as printed, keys, symbols, who solves it, what equals it."""
    row = looked_up(id, index.formulations())
    if as_json:
        typer.echo(json.dumps(row, ensure_ascii=False))
        return
    out.line(f"{row['id']}: {row['class']}, {row['where']}\n\n{_indented(row['program'])}\n")
    out.line(f"Problem, {row['problem']}:\n\n{_indented(row['data'])}\n")
    rows = {
        "keys": ", ".join([*row["keys"], *(f"{key} if wanted" for key in row["optional"])]),
        "classes": "two" if row["two classes"] else "",
        "answer": ", ".join(f"{s} ({d})" if d else s for s, d in row["symbols"].items()),
        "solvers": ", then ".join(row["asked"]),
        "same program": ", ".join(row["same program"]),
        "same optimum": ", ".join(row["same optimum"]),
        "documentation": f"the page {row['page']}",
    }
    for name, text in rows.items():
        if text:
            out.line(f"{name:<15}{text}")


def _indented(text: str) -> str:
    """As it is printed: never folded."""
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


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
    literal: Annotated[
        bool,
        typer.Option("--literal", help="With --solver conic: the numbers as given, no units."),
    ] = False,
) -> None:
    """Solve a problem file and enclose its optimum."""
    from cvxkernel.formulations.catalogue import formulation
    from cvxkernel.formulations.shown import few
    from cvxkernel.validation import files
    from cvxkernel.validation.progress import progress_line
    from cvxkernel.validation.rigorous import answer
    from cvxkernel.validation.rigorous import solve as prove

    form = formulation(id)
    made = files.load(id, problem)
    asked: Any = {"solver": solver, "tol": tol, "limit": limit, "literal": literal}
    with progress_line() as progress:
        if rigorous or digits is not None:
            solution = prove(id, made, digits=digits, progress=progress, **asked)
        else:
            solution = answer(id, made, progress=progress, **asked)
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
    from cvxkernel.formulations.catalogue import formulation
    from cvxkernel.solvers.path import check_number, path
    from cvxkernel.validation import files
    from cvxkernel.validation.progress import progress_line

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
    import numpy as np

    from cvxkernel.formulations import inputs

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
        typer.Argument(
            metavar="ANSWER",
            help="An .npz, .mat or .json file: symbols, value; - is standard input; or the .sol "
            "file of csdp for what `export` wrote.",
            allow_dash=True,
        ),
    ],
    as_json: AsJson = False,
    tol: Annotated[
        float | None,
        typer.Option(
            help="Relative distance from the optimum; by default what `solve` promises, else 1e-6."
        ),
    ] = None,
    limit: Limit = None,
    map: Annotated[
        Path | None,
        typer.Option(
            "--map",
            help="What `export` wrote beside the program that ANSWER solves: csdp's .sol file, or "
            "x and y; default: beside a .sol file.",
        ),
    ] = None,
) -> None:
    """How far an answer made by anybody is from optimal, proved; and which slip explains it."""
    from cvxkernel.formulations.catalogue import formulation
    from cvxkernel.validation import files
    from cvxkernel.validation.check import judge, told
    from cvxkernel.validation.progress import progress_line

    form = formulation(id)
    if problem == answer == files.STDIN:
        raise InputError("ANSWER", "a file, where PROBLEM is standard input", "-")
    made = files.load(id, problem)
    if map is None and answer.suffix.lower() != files.SOLUTION:
        found = files.read_answer(answer)
    else:
        found = files.read_solution(form, made, answer, map)
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
    from cvxkernel.solvers import PANEL

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

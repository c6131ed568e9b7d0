"""The command line.

Exit status: 0 done, 1 a claim or check failed, 2 bad input, 3 no solver could answer.
"""

from __future__ import annotations

import json
import math
import sys
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import PANEL, solve
from cvxkernel.validation import files
from cvxkernel.validation.bench import Limits, Measurement, Problem, Size, bench, race
from cvxkernel.validation.check import Interval, Judgement, judge, told
from cvxkernel.validation.gauss4 import MACHINES, PAPER, Row, Toy
from cvxkernel.validation.ledger import Claim, Verdict, select, verify
from cvxkernel.validation.progress import progress_line
from cvxkernel.validation.report import html
from cvxkernel.validation.rigorous import solve as prove

app = typer.Typer(
    help="The kernel-learning programs of five papers, with enclosed optima.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
out = Console(highlight=False, markup=False)  # a bracket is a bracket

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
    rigorous: Annotated[
        bool, typer.Option("--rigorous", help="Prove both ends in ball arithmetic.")
    ] = False,
    digits: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Prove so many digits of the optimum.")
    ] = None,
) -> None:
    """Solve a problem file and enclose its optimum."""
    form = formulation(id)
    made = files.load(id, problem)
    with progress_line() as progress:
        if rigorous or digits is not None:
            solution = prove(id, made, solver=solver, tol=tol, digits=digits, progress=progress)
        else:
            solution = solve(id, made, solver=solver, tol=tol, progress=progress)
    if as_json:
        typer.echo(files.answer(solution, history=history))
        return
    table = _table("", "", title=f"{id}: {form.statement}")
    table.add_row("value", f"{solution.value:.17g}")
    table.add_row("lower", f"{solution.lower:.17g}")
    table.add_row("upper", f"{solution.upper:.17g}")
    table.add_row("relative width", f"{solution.width:.1e}")
    if solution.digits is not None:
        table.add_row("proved digits", solution.digits)
    table.add_row("ends", "proved" if solution.rigorous else "in doubles, rounding estimated")
    for symbol, values in solution.variables.items():
        shape = f" {values.shape}" if values.ndim else ""
        table.add_row(f"{symbol}{shape}", _few(values))
    table.add_row("status", solution.status)
    for promise, said in (solution.promises or {}).items():
        table.add_row(promise, said if isinstance(said, str) else json.dumps(said))
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


@app.command("check")
def check_(
    id: Annotated[str, typer.Argument(metavar="ID", help="A formulation; see `cvxkernel list`.")],
    problem: Annotated[
        Path, typer.Argument(metavar="PROBLEM", help="An .npz, .mat or .json file.")
    ],
    answer: Annotated[
        Path,
        typer.Argument(metavar="ANSWER", help="An .npz, .mat or .json file: symbols, value."),
    ],
    as_json: AsJson = False,
    tol: Annotated[float, typer.Option(help="Relative distance from the optimum.")] = 1e-6,
) -> None:
    """How far an answer made by anybody is from optimal, proved; and which slip explains it."""
    form = formulation(id)
    made, found = files.load(id, problem), files.read_answer(answer)
    if found.formulation is not None and formulation(found.formulation) is not form:
        raise InputError("formulation", form.id, found.formulation)
    with progress_line() as progress:
        judged = judge(id, made, tol, found.value, found.variables, progress=progress)
    if as_json:
        typer.echo(files.dump(told(judged)))
    else:
        _show(judged, form.statement)
    if not judged.within():
        raise typer.Exit(1)


def _show(judged: Judgement, statement: str) -> None:
    table = _table("", "", title=f"{judged.formulation}: {statement}")
    table.add_row("optimum", _ends(judged.optimum))
    for label, x in judged.violations.items():
        table.add_row(f"violates {label}", f"{x.upper:.1e}" if x.upper > judged.tol / 10 else "no")
    for symbol, values in judged.repaired.items():
        table.add_row(f"{symbol}, repaired", _few(values))
    parts = {f"objective ({side})": part for side, part in judged.sides.items()}
    if judged.claimed is not None:
        parts["value"] = judged.claimed
    for name, part in parts.items():
        table.add_row(name, _ends(part.objective))
        table.add_row("  distance", _ends(part.distance, 4))
        table.add_row("  relative", _ends(part.relative, 4))
    table.add_row("verdict", f"{judged.verdict()} {judged.tol:g}")
    for slip in judged.slips:
        table.add_row("explained by", f"{slip.statement} (leaves {slip.distance:.0e})")
    if judged.verdict() == "not within" and not judged.slips:
        table.add_row("explained by", "none of the slips known")
    out.print(table)


def _ends(interval: Interval, digits: int = 17) -> str:
    return f"{interval.lower:.{digits}g} … {interval.upper:.{digits}g}"


def _few(values: Array) -> str:
    flat = values.ravel()
    return ", ".join(f"{v:.6g}" for v in flat[:12]) + (", …" if flat.size > 12 else "")


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
    paper: Annotated[str | None, typer.Option(help="Only the claims of this paper.")] = None,
    claim: Annotated[str | None, typer.Option(help="Only the claim of this id.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the built-in instances.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the ledger as a page of HTML.")
    ] = None,
) -> None:
    """What the papers say, claim by claim: whether it holds as printed, and corrected."""
    verdicts = _verdicts(select(paper, claim), seed, jobs)
    if report is not None:
        try:
            report.write_text(html(verdicts), encoding="utf-8")
        except OSError as error:
            raise InputError("--report", "a file that can be written", str(error)) from None
    if as_json:
        rows = [
            {
                "id": v.claim.id,
                "paper": v.claim.paper,
                "where": v.claim.where,
                "statement": v.claim.statement,
                "printed": v.printed,
                "corrected": v.corrected,
                "worst": _finite(v.decisive.worst),
                "tolerance": v.decisive.tolerance,
                "recorded": v.claim.printed,
                "correction": v.claim.correction,
                "seconds": v.seconds,
            }
            for v in verdicts
        ]
        typer.echo(json.dumps({"seed": seed, "claims": rows}, ensure_ascii=False))
    else:
        for name, group in groupby(verdicts, key=lambda v: v.claim.paper):
            table = _table("claim", "as printed", "off by / may", title=name)
            table.show_lines = True
            for v in group:
                figures = f"{v.decisive.worst:.0e} / {v.decisive.tolerance:.0e}"
                said = v.printed if v.as_recorded else f"{v.printed}, not as recorded"
                if v.corrected is not None:
                    said += f"\ncorrected: {v.corrected}"
                table.add_row(f"{v.claim.id}\n{v.claim.statement}", said, figures)
            out.print(table)
        count = {
            word: sum(v.printed == word for v in verdicts)
            for word in ("holds", "fails", "imprecise")
        }
        told = ", ".join(f"{number} {word}" for word, number in count.items())
        recorded = sum(v.as_recorded for v in verdicts)
        out.print(f"{len(verdicts)} claims: {told}; {recorded} verdicts as recorded.")
    if not all(v.as_recorded for v in verdicts):
        raise typer.Exit(1)


@app.command("errata")
def errata_(
    as_json: AsJson = False,
    paper: Annotated[str | None, typer.Option(help="Only those of this paper.")] = None,
    claim: Annotated[str | None, typer.Option(help="Only that of this id.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the built-in instances.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
) -> None:
    """What the papers print that does not hold, each with a counterexample computed now."""
    verdicts = _verdicts([c for c in select(paper, claim) if c.printed != "holds"], seed, jobs)
    if as_json:
        rows = [
            {
                "id": v.claim.id,
                "paper": v.claim.paper,
                "where": v.claim.where,
                "statement": v.claim.statement,
                "printed": v.printed,
                "correction": v.claim.correction,
                "instance": v.evidence.printed.instance,
                "numbers": dict(v.evidence.printed.numbers),
                "worst": _finite(v.evidence.printed.worst),
                "tolerance": v.evidence.printed.tolerance,
                "run": v.run,
                "code": v.claim.code,
            }
            for v in verdicts
        ]
        typer.echo(json.dumps({"seed": seed, "errata": rows}, ensure_ascii=False))
    else:
        for v in verdicts:
            found = v.evidence.printed
            table = _table("", "", title=f"{v.claim.id}: {v.claim.where}")
            table.add_row("printed", v.claim.statement)
            numbers = ", ".join(f"{key} = {x:.10g}" for key, x in found.numbers.items())
            table.add_row(
                v.printed,
                f"{found.instance}{': ' if found.instance and numbers else ''}{numbers}"
                f"\noff by {found.worst:.3g}, may be off by {found.tolerance:.0e} (seed {v.seed})",
            )
            table.add_row("what holds", v.claim.correction or "")
            table.add_row("in Python", v.run)
            out.print(table)
            if v.claim.code:  # for copying: never folded
                out.print(f"Without this package:\n\n{v.claim.code}\n", soft_wrap=True)
        out.print(f"{len(verdicts)} errata.")
    if not all(v.as_recorded for v in verdicts):
        raise typer.Exit(1)


def _verdicts(claims: list[Claim], seed: int, jobs: int) -> list[Verdict]:
    verdicts = []
    with progress_line(total=len(claims)) as progress:
        progress(claims[0].id if claims else "")
        for done, found in enumerate(verify(claims, seed=seed, jobs=jobs), start=1):
            verdicts.append(found)
            progress.advance()
            progress(claims[min(done, len(claims) - 1)].id)
    return verdicts


def _finite(number: float) -> float | None:
    """JSON has no infinity: nothing, where no solver could answer."""
    return number if math.isfinite(number) else None


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
    table = _table("trace", "machine", "C", "test %", "support %", "weights", "paper", title=title)
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
        table.add_column(
            column, overflow="fold", no_wrap=column in ("id", "solver", "machine", "test %")
        )
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

"""Commands that answer: `list`, `solvers`, `solve`, `path`, `check`, `verify`, `errata`."""

from __future__ import annotations

import json
import math
from itertools import groupby
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers import PANEL, solve
from cvxkernel.solvers.path import check_number, path
from cvxkernel.validation import files
from cvxkernel.validation.check import Interval, Judgement, judge, told
from cvxkernel.validation.cli.app import AsJson, Id, ProblemFile, Solver, Width, app, out, table_of
from cvxkernel.validation.ledger import Claim, Verdict, select, verify
from cvxkernel.validation.progress import progress_line
from cvxkernel.validation.report import html
from cvxkernel.validation.rigorous import solve as prove


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
    table = table_of("id", "class", "where", "keys", "statement")
    for row in rows:
        table.add_row(
            *(str(row[c]) for c in ("id", "class", "where")),
            " ".join(row["keys"]),
            str(row["statement"]),
        )
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
    table = table_of("", "", title=f"{id}: {form.statement}")
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
) -> None:
    """Solve a problem file at many values of one of its numbers, each from the last."""
    form, numbers = formulation(id), _values(values)
    check_number(id, along)
    made = files.load(id, problem, **{along: numbers[0]})
    table = table_of(along, "lower", "upper", "width", "steps", "solver", title=form.statement)
    with progress_line(total=len(numbers)) as progress:
        steps = path(id, made, along, numbers, solver=solver, tol=tol, progress=progress)
        for value, found in zip(numbers, steps, strict=True):
            progress.advance()
            if as_json:
                typer.echo(files.answer(found, about={along: value}))
            count = "" if found.iterations is None else str(found.iterations)
            ends = (f"{found.lower:.12g}", f"{found.upper:.12g}", f"{found.width:.0e}")
            table.add_row(f"{value:.4g}", *ends, count, found.solver)
    if not as_json:
        out.print(table)


def _values(text: str) -> list[float]:
    """a:b:count, evenly in the logarithm; or numbers with commas between."""
    try:
        if ":" in text:
            first, last, count = text.split(":")
            ends = float(first), float(last)
            if min(ends) > 0 and int(count) > 0:
                return [float(x) for x in np.geomspace(*ends, int(count))]
        elif text.strip():
            return [float(part) for part in text.split(",")]
    except ValueError:
        pass
    raise InputError("values", "first:last:count, both positive, or 1,2,5", repr(text))


@app.command("check")
def check_(
    id: Id,
    problem: ProblemFile,
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
    table = table_of("", "", title=f"{judged.formulation}: {statement}")
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
    table = table_of("solver", "version", "ready", "cones")
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
            table = table_of("claim", "as printed", "off by / may", title=name)
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
            table = table_of("", "", title=f"{v.claim.id}: {v.claim.where}")
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

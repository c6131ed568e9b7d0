"""Commands that go through the papers: `verify`, `errata`."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from cvxkernel.formulations.errors import InputError
from cvxkernel.validation.cli.app import AsJson, Jobs, Seed, app, completed, out, table_of

if TYPE_CHECKING:
    from cvxkernel.validation.ledger import Claim, Erratum, Verdict

# Seconds, about, for telling how long it will be: to begin, and of one core for each claim.
STARTING, EACH = 3.0, 0.6
NARROW = 66  # columns, below which the papers are told in lines


def _claims() -> list[str]:
    from cvxkernel.validation.ledger import LEDGER

    return list(LEDGER)


Paper = Annotated[
    str | None,
    typer.Option(
        help="Only what is of this paper.",
        autocompletion=completed(lambda: {id.partition("-")[0] for id in _claims()}),
    ),
]
ClaimId = Annotated[
    str | None,
    typer.Option("--claim", help="Only the claim of this id.", autocompletion=completed(_claims)),
]


@app.command("verify")
def verify_(
    as_json: AsJson = False,
    paper: Paper = None,
    claim: ClaimId = None,
    seed: Seed = 0,
    jobs: Jobs = 2,
    every: Annotated[bool, typer.Option("--all", help="A row for every claim.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the ledger as a page of HTML.")
    ] = None,
) -> None:
    """What the papers say: whether it holds as printed, and what fails, by cause."""
    from cvxkernel.validation.ledger import select
    from cvxkernel.validation.report import html

    start, claims = perf_counter(), select(paper, claim)
    if report is not None and (report.is_dir() or not report.parent.is_dir()):
        came = f"{report}, a folder" if report.is_dir() else f"{report}, in no folder there is"
        raise InputError("--report", "a file that can be written", came)
    verdicts = _verdicts(claims, seed, jobs)
    if report is not None:
        try:
            report.write_text(html(verdicts), encoding="utf-8")
        except OSError as error:
            raise InputError("--report", "a file that can be written", str(error)) from None
    if as_json:
        rows = [_row(v) for v in verdicts]
        typer.echo(json.dumps({"seed": seed, "claims": rows}, ensure_ascii=False))
    else:
        _summary(verdicts, perf_counter() - start)
        if every or claim is not None:
            _every(verdicts)
    if not all(v.as_recorded for v in verdicts):
        raise typer.Exit(1)


def _row(v: Verdict) -> dict[str, object]:
    corrected = v.evidence.corrected
    return {
        "id": v.claim.id,
        "paper": v.claim.paper,
        "where": v.claim.where,
        "quote": v.claim.quote,
        "statement": v.claim.statement,
        "printed": v.printed,
        "corrected": v.corrected,
        "worst": _finite(v.evidence.printed.worst),
        "tolerance": v.evidence.printed.tolerance,
        "worst corrected": None if corrected is None else _finite(corrected.worst),
        "tolerance corrected": None if corrected is None else corrected.tolerance,
        "recorded": v.claim.printed,
        "correction": v.claim.correction,
        "erratum": v.claim.erratum,
        "remark": v.claim.remark,
        "seconds": v.seconds,
    }


def _every(verdicts: Sequence[Verdict]) -> None:
    """A table for each paper, a row for each claim; the figures are of what is printed."""
    from cvxkernel.validation.ledger import verdict_of

    for name, group in groupby(verdicts, key=lambda v: v.claim.paper):
        table = table_of("claim", "as printed", "off by / may", title=name)
        table.show_lines = True
        for v in group:
            found = v.evidence.printed
            said = verdict_of(v.claim, v.printed)
            said = said if v.as_recorded else f"{said}, not as recorded"
            if v.corrected is not None:
                said += f"\ncorrected: {v.corrected}"
            words = [f"{v.claim.id}: {v.claim.where}", f"“{v.claim.quote}”", v.claim.statement]
            if v.claim.correction is not None:
                words.append(f"what holds: {v.claim.correction}")
            if v.claim.remark is not None:
                words.append(f"remark: {v.claim.remark}")
            table.add_row("\n".join(words), said, f"{found.worst:.0e} / {found.tolerance:.0e}")
        out.print(table)


def _summary(verdicts: Sequence[Verdict], seconds: float) -> None:
    """How many claims hold, a line for each paper, and the errata by cause."""
    from cvxkernel.validation.ledger import WORDS, counts
    from cvxkernel.validation.report import causes

    told = ", ".join(f"{number} {word}" for word, number in counts(verdicts).items())
    recorded = sum(v.as_recorded for v in verdicts)
    out.print(
        f"{_number(verdicts)}: {told}; {recorded} verdicts as recorded; {seconds:.0f} s. "
        "Every claim: --all; counterexamples: cvxkernel errata."
    )
    table = table_of("paper", "claims", *WORDS, "errata", "s")
    narrow = out.width is not None and out.width < NARROW
    for name, group in groupby(verdicts, key=lambda v: v.claim.paper):
        here = list(group)
        own = sum(one.transcribed is None for one in causes(here))
        numbers = [len(here), *counts(here).values(), own, round(sum(v.seconds for v in here))]
        table.add_row(name, *map(str, numbers))
        if narrow:
            heads = (column.header for column in table.columns[1:])
            told = ", ".join(f"{n} {head}" for head, n in zip(heads, numbers, strict=True))
            out.print(f"{name}: {told}")
    if len(verdicts) > 1 and not narrow:
        out.print(table)
    errata = causes(verdicts)
    for title, chosen in (
        ("Errata, by cause", [e for e in errata if e.transcribed is None]),
        ("As transcribed: to be looked up in the printed page",
         [e for e in errata if e.transcribed is not None]),
    ):  # fmt: skip
        if chosen:
            out.print(f"{title}:")
        for one in chosen:
            out.print(f"  {one.id}: {one.printed}; what holds: {one.holds}")
    for v in verdicts:
        if not v.as_recorded:
            out.print(f"Not as recorded: {v.claim.id} ({v.printed}, recorded {v.claim.printed})")


@app.command("errata")
def errata_(
    as_json: AsJson = False,
    paper: Paper = None,
    claim: ClaimId = None,
    seed: Seed = 0,
    jobs: Jobs = 2,
) -> None:
    """What the papers print that does not hold, by cause, with counterexamples computed now."""
    from cvxkernel.validation.ledger import select
    from cvxkernel.validation.report import causes

    chosen = [c for c in select(paper, claim) if c.erratum is not None]
    verdicts = _verdicts(chosen, seed, jobs)
    found = causes(verdicts)
    if as_json:
        rows = [_cause(one, failing) for one, failing in found.items()]
        typer.echo(json.dumps({"seed": seed, "errata": rows}, ensure_ascii=False))
    else:
        for one, failing in found.items():
            _show(one, failing)
        ours = sum(one.transcribed is not None for one in found)
        out.print(f"{len(found) - ours} errata, and {ours} as transcribed.")
    if not all(v.as_recorded for v in verdicts):
        raise typer.Exit(1)


def _cause(one: Erratum, failing: Sequence[Verdict]) -> dict[str, object]:
    return {
        "id": one.id,
        "paper": one.paper,
        "where": one.where,
        "printed": one.printed,
        "holds": one.holds,
        "transcribed": one.transcribed,
        "claims": [
            {
                "id": v.claim.id,
                "where": v.claim.where,
                "quote": v.claim.quote,
                "statement": v.claim.statement,
                "instance": v.evidence.printed.instance,
                "numbers": dict(v.evidence.printed.numbers),
                "worst": _finite(v.evidence.printed.worst),
                "tolerance": v.evidence.printed.tolerance,
                "run": v.run,
            }
            for v in failing
        ],
        "code": one.code,
    }


def _show(one: Erratum, failing: Sequence[Verdict]) -> None:
    table = table_of("", "", title=f"{one.id}: {one.where}")
    table.add_row("printed", one.printed)
    table.add_row("what holds", one.holds)
    if one.transcribed is not None:
        table.add_row("as transcribed", f"in the printed page: {one.transcribed}")
    for v in failing:
        found = v.evidence.printed
        numbers = ", ".join(f"{key} = {x:.10g}" for key, x in found.numbers.items())
        table.add_row(
            v.claim.id,
            f"“{v.claim.quote}”\n"
            f"{found.instance}{': ' if found.instance and numbers else ''}{numbers}"
            f"\noff by {found.worst:.3g}, may be off by {found.tolerance:.0e} (seed {v.seed})"
            f"\n{v.run}",
        )
    out.print(table)
    # for copying: never folded
    out.print(f"Without this package:\n\n{one.code}\n", soft_wrap=True)


def _verdicts(claims: list[Claim], seed: int, jobs: int) -> list[Verdict]:
    from cvxkernel.validation.ledger import verify
    from cvxkernel.validation.progress import progress_line

    verdicts = []
    about = STARTING + EACH * len(claims) / max(1, min(jobs, len(claims)))
    print(f"{_number(claims)}, about {about:.0f} s", file=sys.stderr, flush=True)
    with progress_line(total=len(claims)) as progress:
        progress(claims[0].id if claims else "")
        for done, found in enumerate(verify(claims, seed=seed, jobs=jobs), start=1):
            verdicts.append(found)
            progress.advance()
            progress(claims[min(done, len(claims) - 1)].id)
    return verdicts


def _number(claims: Sequence[object]) -> str:
    return f"{len(claims)} claim{'s' if len(claims) != 1 else ''}"


def _finite(number: float) -> float | None:
    """JSON has no infinity: nothing, where no solver could answer."""
    return number if math.isfinite(number) else None

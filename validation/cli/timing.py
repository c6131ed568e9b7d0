"""Commands that measure: `bench`, `race`, `gauss4`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from itertools import groupby
from typing import Annotated, Any, TypeVar

import typer
from rich.table import Table

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import InputError
from cvxkernel.validation import files
from cvxkernel.validation.bench import (
    SWEEPS,
    Cancer,
    File,
    Limits,
    Measurement,
    Peer,
    Row,
    Size,
    Target,
    growth,
    peers,
    programs,
    race,
    rigorous,
    sweep,
    table16,
    targets,
)
from cvxkernel.validation.bench.building import Row as Built
from cvxkernel.validation.cli.app import AsJson, Id, ProblemFile, Seed, app, out, table_of, whole
from cvxkernel.validation.gauss4 import MACHINES, PAPER, Toy
from cvxkernel.validation.gauss4 import Row as ToyRow
from cvxkernel.validation.progress import Line, progress_line


class What(StrEnum):
    """What is timed."""

    targets = "targets"
    table16 = "table16"
    n = "n"
    p = "p"
    k = "k"
    programs = "programs"
    peers = "peers"
    rigorous = "rigorous"


MOST = 1_000_000  # samples, kernels, seconds, gigabytes: more are a slip of the pen
Seconds = Annotated[float, typer.Option("--limit", help="Seconds for each route.")]
Memory = Annotated[float, typer.Option("--memory", help="Gigabytes for each route.")]
Threads = Annotated[
    int, typer.Option("--threads", help="Threads for each route.", callback=whole(1, 1024))
]


@app.command("bench")
def bench_(
    what: Annotated[
        What,
        typer.Argument(
            help="targets: the ratios that the fast routes are held to. table16: every route to "
            "the multi-class programs of ye2008 at one size. n, p, k: every route at growing "
            "sizes. programs: what it costs to build each program, beside solving it. peers: what "
            "MKLpy makes of the same kernels. rigorous: what the proof of an answer costs."
        ),
    ] = What.targets,
    n: Annotated[int, typer.Option(help="Samples, in table16.", callback=whole(2, MOST))] = 480,
    p: Annotated[int, typer.Option(help="Kernels, in table16.", callback=whole(1, MOST))] = 10,
    k: Annotated[int, typer.Option(help="Classes, in table16.", callback=whole(2, MOST))] = 8,
    lam: Annotated[float, typer.Option(help="Regularization parameter, in table16.")] = 5e-4,
    family: Annotated[
        list[str] | None, typer.Option(help="Of n, p, k: only this paper; may be repeated.")
    ] = None,
    tol: Annotated[float, typer.Option(help="Relative width to reach.")] = 1e-6,
    limit: Seconds = 600.0,
    memory: Memory = 12.0,
    threads: Threads = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="table16 at n = 60, p = 5, k = 3: half a minute.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Time the routes to the same enclosure beside each other, in one run."""
    tol, lam = inputs.positive("--tol", tol), inputs.positive("--lam", lam)
    limits = _limits(limit, memory, threads)
    if quick:
        what, n, p, k, limit = What.table16, 60, 5, 3, min(limit, 5.0)
        limits = replace(limits, seconds=limit)
    head = f"threads: {threads}; at most {limit:g} s and {memory:g} GB for each route"
    if what is What.table16 and k > n:
        raise InputError("--k", f"at most the {n} samples of --n", str(k))
    _check_families(what, family or ())
    with progress_line() as progress:
        if what in (What.targets, What.rigorous):
            aims = targets if what is What.targets else rigorous
            rows: list[Any] = _followed(aims(limits=limits), progress, lambda row: row.what)
            table = _targets_table(rows, head)
        elif what is What.programs:
            rows = _followed(programs(limits=limits), progress, lambda row: f"{row.id} {row.kind}")
            table = _programs_table(rows, head)
        elif what is What.peers:
            instance = Cancer(400, 10)
            rows = _followed(peers(instance, limits=limits), progress, lambda row: row.name)
            table = _peers_table(rows, f"breast cancer, n = 400, p = 10, C = 1; {head}")
        elif what is What.table16:
            size = Size(n, p, k, lam)
            found = table16(size, tol=tol, limits=limits)
            rows = _followed(found, progress, lambda row: f"{row.id} {row.solver}")
            table = _routes_table(rows, f"n = {n}, p = {p}, k = {k}, λ = {lam:g}; {head}")
        else:
            along = sweep(what.value, tol=tol, limits=limits, families=family)
            rows = _followed(along, progress, lambda row: f"{row.family} {row.measurement.solver}")
            table = _sweep_table(rows, what.value, f"width {tol:g}; {head}")
    if as_json:
        told = {"what": what.value, "threads": threads, "limit": limit, "memory": memory}
        typer.echo(json.dumps({**told, "tol": tol, "rows": [_plain(row) for row in rows]}))
        return
    out.print(table)


def _limits(seconds: float, gigabytes: float, threads: int) -> Limits:
    """Refuse what is no time or no memory."""
    for option, value in (("--limit", seconds), ("--memory", gigabytes)):
        if not inputs.positive(option, value) <= MOST:
            raise InputError(option, f"at most {MOST}", f"{value:g}")
    return Limits(seconds, gigabytes, threads)


def _check_families(what: What, families: Sequence[str]) -> None:
    """Refuse a paper that does not grow along this."""
    growing = SWEEPS[what.value][1] if what.value in SWEEPS else ()
    for name in families:
        if name not in growing:
            expected = f"one of {', '.join(growing)}" if growing else "none but with n, p, k"
            raise InputError("--family", f"{expected}, for {what.value}", repr(name))


Row_ = TypeVar("Row_")


def _followed(rows: Iterator[Row_], progress: Line, name: Callable[[Row_], str]) -> list[Row_]:
    """All of them, told one by one."""
    done = []
    for row in rows:
        done.append(row)
        progress(f"{len(done)}: {name(row)} done")
    return done


def _plain(row: Any) -> Any:
    """A row as JSON has it, with what is computed from it."""
    told = asdict(row)
    for name in ("met", "ratio", "share", "units"):
        if hasattr(row, name):
            told[name] = getattr(row, name)
    return told


def _routes_table(rows: Sequence[Measurement], title: str) -> Table:
    """A line for each route; below it why some have no figures."""
    base = min((row.seconds for row in rows if row.seconds is not None), default=None)
    columns = ("id", "solver", "s", "ratio", "width", "steps", "MB", "units")
    table = table_of(*columns, title=title, figures=True)
    for row in rows:
        if row.seconds is None or base is None:
            table.add_row(row.id, row.solver, "-")
            continue
        units = "" if row.units is None else _short(row.units)
        figures = (_short(row.seconds), _short(row.seconds / base), f"{row.width:.0e}")
        steps = "" if row.iterations is None else str(row.iterations)
        table.add_row(row.id, row.solver, *figures, steps, f"{row.megabytes:.0f}", units)
    named = sorted({row.unit for row in rows if row.unit is not None})
    notes = [f"units: of one {' or '.join(named)}"] if named else []
    table.caption = "\n".join([*notes, *_failures(rows)])
    return table


def _short(x: float) -> str:
    """Three digits, none of them after the point from a hundred on."""
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def _failures(rows: Sequence[Measurement]) -> list[str]:
    return [f"{row.id} by {row.solver}: {row.failure}" for row in rows if row.failure is not None]


def _sweep_table(rows: Sequence[Row], along: str, title: str) -> Table:
    """A line for each route, seconds at the sizes in columns, and how fast they grow."""
    sizes = sorted({getattr(row, along) for row in rows})
    heads = (f"{along}={size}" for size in sizes)
    table = table_of("id", "solver", *heads, "power", "MB", title=title, figures=True)
    for (id, solver), group in groupby(rows, lambda r: (r.measurement.id, r.measurement.solver)):
        at = {getattr(row, along): row.measurement for row in group}
        done = {size: m.seconds for size, m in at.items() if m.seconds is not None}
        cells = [_short(done[size]) if size in done else "-" * (size in at) for size in sizes]
        power = growth(list(done), list(done.values()))
        most = max((m.megabytes for m in at.values() if m.megabytes is not None), default=None)
        last = ("" if power is None else f"{power:.1f}", "" if most is None else f"{most:.0f}")
        table.add_row(id, solver, *cells, *last)
    notes = [f"seconds; power: of {along}, over the three largest sizes"]
    table.caption = "\n".join([*notes, *_failures([row.measurement for row in rows])])
    return table


def _targets_table(rows: Sequence[Target], title: str) -> Table:
    table = table_of("what", "ratio", "asked", "met", "figures", title=title)
    for row in rows:
        asked = "" if row.at_least is None else f"≥ {row.at_least:g}"
        asked = asked if row.at_most is None else f"≤ {row.at_most:.3g}"
        ratio = "-" if row.ratio is None else f"{row.ratio:.3g}"
        met = ("yes" if row.met else "no") if asked and row.ratio is not None else "-"
        table.add_row(row.what, ratio, asked, met, row.told)
    return table


def _peers_table(rows: Sequence[Peer], title: str) -> Table:
    table = table_of("algorithm", "s", "sm1, lower", "sm1, upper", "above", title=title)
    best = rows[0].lower
    for row in rows:
        if row.seconds is None or row.lower is None or best is None:
            table.add_row(row.name, row.failure or "")
            continue
        ends = (f"{row.lower:.8g}", f"{row.upper:.8g}", f"{100 * (row.lower / best - 1):.1f} %")
        table.add_row(row.name, _short(row.seconds), *ends)
    return table


def _programs_table(rows: Sequence[Built], title: str) -> Table:
    columns = ("id", "sample", "solver", "floor", "build", "solve", "ratio", "share", "width")
    table = table_of(*columns, title=title, figures=True)
    for row in rows:
        cells = ["" if x is None else f"{x:.3g}" for x in (row.floor, row.build, row.solve)]
        ratio = "" if row.ratio is None else f"{'≤ ' if row.cut else ''}{row.ratio:.2f}"
        share = "" if row.share is None else f"{row.share:.2f}"
        width = "" if row.width is None else f"{row.width:.0e}"
        table.add_row(row.id, row.kind, row.solver or "", *cells, ratio, share, width)
    notes = ["seconds; build: to make and compile it, of which CVXPY takes the floor whatever the"]
    notes += ["data; ratio: over the solver's own time; share: of all that the conic route does"]
    failures = [f"{row.id}, {row.kind}: {row.failure}" for row in rows if row.failure is not None]
    table.caption = "\n".join([*notes, *failures])
    return table


@app.command("gauss4")
def gauss4_(
    seed: Seed = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="240 points, halved once, C of 1 and 100.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The toy experiment of gonen2008, section 4.1, beside what the paper reports."""
    toy = Toy(seed, 240, 1, (1.0, 100.0)) if quick else Toy(seed)
    rows: list[ToyRow] = []
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
    id: Id,
    problem: ProblemFile,
    tol: Annotated[float, typer.Option(help="Relative width to reach.")] = 1e-2,
    limit: Seconds = 60.0,
    memory: Memory = 12.0,
    threads: Threads = 1,
    as_json: AsJson = False,
) -> None:
    """Time every method and conic solver that answers ID on one problem file, in one run."""
    tol, limits = inputs.positive("--tol", tol), _limits(limit, memory, threads)
    files.load(id, problem)  # what is wrong with it is said before anything is timed
    with progress_line() as progress:
        found = race(id, File(problem), tol=tol, limits=limits)
        rows = _followed(found, progress, lambda row: f"{id} {row.solver}")
    if as_json:
        told = {"id": id, "tol": tol, "threads": threads, "rows": [_plain(row) for row in rows]}
        typer.echo(json.dumps(told))
        return
    out.print(_routes_table(rows, f"{id}; {threads} thread{'s' if threads > 1 else ''}"))

"""Commands about the papers' tables: `study`, `data`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cvxkernel.formulations.errors import InputError
from cvxkernel.validation.cli.app import AsJson, Jobs, app, out, table_of, whole

if TYPE_CHECKING:
    from rich.table import Table

    from cvxkernel.validation.studies.store import Record, Store
    from cvxkernel.validation.studies.study import Cell, Cells, Study

StoreFile = Annotated[
    Path, typer.Option("--store", help="Results, a line of JSON each; goes on where it was.")
]
DataFolder = Annotated[
    Path | None, typer.Option("--data", help="The folder of data sets; default: CVXKERNEL_DATA.")
]


@app.command("study")
def study_(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A study; see --list.")] = None,
    every: Annotated[bool, typer.Option("--list", help="Every study with its state.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few splits, of the data sets that are quick.")
    ] = False,
    splits: Annotated[
        int | None, typer.Option(help="Splits; default: the paper's.", callback=whole(1, 10_000))
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only this data set; may be repeated.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Only this row; may be repeated.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Run nothing: what the store has.")] = False,
    jobs: Jobs = 1,
    cluster: Annotated[
        str | None, typer.Option(help="The address of a Dask scheduler, in place of --jobs.")
    ] = None,
    store: StoreFile = Path("studies.jsonl"),
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Redo a table or figure of a paper: the printed numbers beside ours."""
    from cvxkernel.validation.progress import progress_line
    from cvxkernel.validation.studies import data as sets
    from cvxkernel.validation.studies import study as find
    from cvxkernel.validation.studies.runner import pending, run
    from cvxkernel.validation.studies.store import Store

    kept = Store(store)
    if every or name is None:
        _list(kept, data, as_json)
        return
    study = find(name)
    for option, given, known in (("--only", only, study.data), ("--method", method, study.methods)):
        unknown = sorted(set(given or ()) - set(known))
        if unknown:
            raise InputError(option, f"one of {', '.join(known)}", ", ".join(unknown))
    wanted = splits or (study.quick if quick else study.splits)
    names = only or (study.quick_data if quick else None) or study.data
    fits = study.fits(wanted, names, method or None)
    todo = [] if show else pending(study, kept, fits)
    if todo:
        files = {fit.data.partition(":")[0] for fit in todo}
        loaded = {name: sets.load(name, data) for name in sorted(files)}
        began = perf_counter()
        with progress_line(len(todo)) as line:

            def report(record: Record) -> None:
                line.advance()
                left = (perf_counter() - began) / line.done * (len(todo) - line.done)
                where = f"{record['data']}, {record['method']}, split {record['split'] + 1}"
                line(f"{study.id}: {where}; {_duration(left)} left")

            run(study, kept, fits, loaded, jobs=jobs, cluster=cluster, report=report)
    within = {fit.key for fit in fits}
    records = [
        r for r in kept.records() if (r["study"], r["data"], r["method"], r["split"]) in within
    ]
    if as_json:
        from cvxkernel.validation.studies.summary import summary

        print(json.dumps(summary(study, records), ensure_ascii=False))
        return
    out.print(_table(study, study.cells(records), names))
    for text in _remarks(study, records):
        out.print(text)


def _table(study: Study, cells: Cells, names: Sequence[str]) -> Table:
    """A row for each method on each case, as narrow as a terminal is."""
    title = f"{study.id}, {study.where}: ours ± standard error (printed)"
    table = table_of("", "", *study.columns, title=title, figures=True)
    for name in names:
        rows = [
            [cells[method, name, column] for column in study.columns] for method in study.methods
        ]
        told = [row for row in rows if any(cell.splits or cell.failures for cell in row)]
        for i, row in enumerate(told):
            case = f"{name} ({row[0].splits})  " if i == 0 else ""
            table.add_row(case, f"{row[0].row}  ", *map(_shown, row))
    return table


def _shown(cell: Cell) -> str:
    """As `89.35 ± 0.97 (89.27)`; a printed number alone where nothing was run."""
    if cell.mean is None and not cell.failures:
        return ""
    printed = "" if cell.printed is None else f" ({cell.printed:.2f})"
    if cell.mean is None:
        return f"–{printed}"
    spread = "" if cell.error is None else f" ± {cell.error:.2f}"
    return f" {cell.mean:.2f}{spread}{printed} "


def _remarks(study: Study, records: list[Record]) -> list[str]:
    cells = study.cells(records)
    run = [cell.splits for cell in cells.values() if cell.splits] or [0]
    count = f"{max(run)}" if max(run) == min(run) else f"{min(run)} to {max(run)}"
    told = [f"{count} splits of the paper's {study.splits}; "
            f"every optimum proved to a relative width of {study.widest(records):.0e}"]  # fmt: skip
    failures = sum(cell.failures for cell in cells.values())
    if failures:
        told.append(f"{failures} fits failed: see `error` in the store")
    for sentence in study.sentences:
        verdict = {True: "agrees", False: "does not agree", None: "not told"}
        told.append(f"“{sentence.quote}”: {verdict[sentence.agrees(cells)]}")
    return told + [f"{name}: {why}" for name, why in study.missing.items()]


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _list(store: Store, data: Path | None, as_json: bool) -> None:
    """Every table and figure: what the documentation has of it, what the store, what is missing."""
    from cvxkernel.formulations.catalogue import PAPERS
    from cvxkernel.validation.studies import studies, unrun
    from cvxkernel.validation.studies.summary import cells, counted, stored

    done: dict[str, set[tuple[str, str, int]]] = {}
    for r in store.records():
        done.setdefault(r["study"], set()).add((r["data"], r["method"], r["split"]))
    rows: list[dict[str, Any]] = []
    at = _folder(data)
    for study in studies().values():
        fits = study.fits(study.splits)
        finished = sum((f.data, f.method, f.split) in done.get(study.id, ()) for f in fits)
        state = "done" if finished == len(fits) else f"{finished} of {len(fits)} fits"
        absent = _absent(study, at)
        told = stored(study.id)
        documented = f"{counted(cells(study, told))} of {study.splits}" if told else "not run"
        row = {"study": study.id, "where": study.where, "about": study.about, "state": state}
        rows.append(row | {"documented": documented, "no data": absent, **_reasons(study.missing)})
    rows += [
        {"study": one.id, "where": one.where, "about": one.about, "state": one.state}
        | {"documented": one.documented, "no data": [], **_reasons({"": one.reason})}
        for one in unrun()
    ]
    if as_json:
        print(json.dumps({"studies": rows}, ensure_ascii=False))
        return
    rows.sort(key=lambda row: PAPERS.index(row["study"].partition("-")[0]))
    table = table_of("study", "docs", "store", "what", figures=True)
    for row in rows:
        counts = (row[key].replace(" of ", "/").replace(" to ", "–").removesuffix(" fits")
                  for key in ("documented", "state"))  # fmt: skip
        table.add_row(row["study"], *(f"  {count}" for count in counts), _what(row))
    table.columns[-1].no_wrap = False
    out.print(table)
    out.print("docs: splits of the paper's, as the pages have them; store: fits of all its fits.")


def _reasons(missing: Mapping[str, str]) -> dict[str, list[str]]:
    """The data sets that nobody can have, with the reason."""
    return {"missing": [f"{name}: {why}" if name else why for name, why in missing.items()]}


def _what(row: Mapping[str, Any]) -> str:
    """What is compared, and what is lacking for it."""
    lacking = list(row["missing"])
    if row["no data"] and row["state"] != "done":
        lacking.insert(0, f"no data here: {', '.join(row['no data'])}")
    return "  " + "; ".join([row["about"], *lacking])


def _absent(study: Study, at: Path | None) -> list[str]:
    from cvxkernel.validation.studies import data as sets

    names = dict.fromkeys(case.partition(":")[0] for case in study.data)
    return [name for name in names if sets.absent(name, at)]


def _folder(given: Path | None) -> Path | None:
    """The folder, if one is named."""
    from cvxkernel.validation.studies import data as sets

    try:
        return sets.folder(given)
    except InputError:
        if given is not None:
            raise
        return None


@app.command("data")
def data_(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME")] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Where each data set can be had, and whether the folder holds it as documented."""
    from cvxkernel.validation.studies import data as sets

    at = _folder(data)
    rows = [sets.state(name, at) for name in names or sets.SOURCES]
    wrong = [row for row in rows if row["state"] == "wrong"]
    if as_json:
        told = {"data": rows, "openml": sets.OPENML, "not to be had": sets.NOT_TO_BE_HAD}
        print(json.dumps(told, ensure_ascii=False))
    else:
        table = table_of("data", "where", "fetch_openml", "samples", "state")
        for row in rows:
            openml = "–" if row["openml"] is None else "{} {}".format(*row["openml"])
            why = f": {row['why']}" if row["state"] in ("wrong", "other values") else ""
            samples = str(row.get("samples", "–"))
            table.add_row(row["data"], row["where"], openml, samples, row["state"] + why)
        out.print(table)
        out.print(f"fetch_openml: name and version, {sets.OPENML}")
        for name, why in sets.NOT_TO_BE_HAD.items():
            out.print(f"{name}: {why}")
    if wrong:
        raise typer.Exit(1)

"""The pages of the studies: the stored summaries as tables, the printed numbers beside ours.

Nothing here runs a study, and nothing is typed: every number is read from `docs/studies`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from cvxkernel.validation.notebooks.page import BLUE, GREY, ORANGE, look, say, table
from cvxkernel.validation.studies import studies, unrun
from cvxkernel.validation.studies.study import Cell, Cells, Study
from cvxkernel.validation.studies.summary import cells, counted, near, stored, verdicts

WIDE = 5  # columns of one table at most; more are shown as more tables
VERDICT = {True: "agrees", False: "**does not agree**", None: "not run far enough"}


def overview() -> None:
    """The table of tables."""
    rows: list[list[object]] = []
    for id, study in studies().items():
        told = stored(id)
        if told is None:
            rows.append([f"`{id}`", f"{study.where}: {study.about}", "not run", "–", "–"])
            continue
        of = cells(study, told)
        within, every = near(study, of)
        found = list(verdicts(study, told).values())
        told_of = f"{found.count(True)} / {found.count(False)}"
        unknown = found.count(None)
        rows.append(
            [
                f"`{id}`",
                f"{study.where}: {study.about}",
                f"{counted(of)} of {study.splits}",
                f"{within} of {every}" if every else "–",
                (told_of + (f" / {unknown}" if unknown else "")) if found else "–",
            ]
        )
    rows += [
        [f"`{one.id}`", f"{one.where}: {one.about}", one.documented, "–", one.reason]
        for one in unrun()
    ]
    order = list(dict.fromkeys(study.paper for study in studies().values()))
    rows.sort(key=lambda row: order.index(str(row[0]).strip("`").partition("-")[0]))
    table(
        [
            "study",
            "what",
            "splits, of the paper's",
            "numbers within two standard errors",
            "conclusions that agree / do not / cannot be told",
        ],
        rows,
    )


def paper(name: str) -> None:
    """Its tables, its conclusions, what was chosen for them, and what explains a difference."""
    told_before: set[str] = set()
    absent = []
    for id, study in studies().items():
        if study.paper != name:
            continue
        told = stored(id)
        if told is None:
            absent.append(f"{study.where} (`cvxkernel study {id}`)")
            continue
        say(f"## {study.where}: {study.about}")
        of = cells(study, told)
        if len(study.methods) == 1:
            properties(study, of)
        elif len(study.columns) <= WIDE:
            for measure in study.columns:
                shown(study, of, measure)
        elif id not in PICTURES:
            detailed(study, of, study.columns)
        if id in PICTURES:
            look()
            PICTURES[id](study, told)
        detailed(study, of, study.details)
        say(" ".join(_made(study, told, of)))
        found = verdicts(study, told)
        if found:
            table(["the paper", "ours"], [[q, VERDICT[verdict]] for q, verdict in found.items()])
        listed("About the differences:", study.why)
        fresh = [choice for choice in study.choices if choice not in told_before]
        told_before.update(fresh)
        listed("Chosen, where the paper leaves it open:", fresh)
    others = [f"{one.where}, {one.about} ({one.reason})" for one in unrun() if one.paper == name]
    if absent:
        say(f"Not run yet: {'; '.join(absent)}.")
    if others:
        say(f"Without a study: {'; '.join(others)}.")


def listed(head: str, texts: Sequence[str]) -> None:
    """A list under a head; nothing of nothing."""
    if texts:
        say("\n".join([head, "", *(f"- {text}" for text in texts)]))


def _made(study: Study, told: dict[str, Any], of: Cells) -> list[str]:
    """How many splits, how it was made, what failed, what is not to be had."""
    many = "split" if counted(of) == "1" else "splits"
    count = f"**{counted(of)} {many}** of the paper's {study.splits}"
    lines = [f"{count}, by `{told['command']}`:"]
    seconds = told["seconds"]
    took = f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
    lines.append(f"{told['fits']} fits, {took}.")
    if told["widest"]:
        lines.append(f"Every optimum is proved to a relative width of {told['widest']:.0e}.")
    failed = sum(c.failures for c in of.values() if c.measure == study.columns[0])
    if failed:
        lines.append(f"{failed} fits could not be proved and count nowhere.")
    return lines + [f"*{name}*: {why}." for name, why in study.missing.items()]


def shown(study: Study, of: Cells, measure: str) -> None:
    """One measure, its cases as columns, a few at a time."""
    run = [c for c in study.data if any(of[m, c, measure].splits for m in study.methods)]
    for start in range(0, len(run), WIDE):
        some = run[start : start + WIDE]
        counts = {c: max(of[m, c, measure].splits for m in study.methods) for c in some}
        rows = [
            [m, *(entry(study, of[m, c, measure], counts[c]) for c in some)] for m in study.methods
        ]
        rows = [row for row in rows if any(text != "–" for text in row[1:])]
        table([measure, *(f"{case} ({counts[case]})" for case in some)], rows)


def properties(study: Study, of: Cells) -> None:
    """A study of one row: its cases as rows, its measures as columns."""
    only = study.methods[0]
    run = [case for case in study.data if of[only, case, study.columns[0]].splits]
    rows = [[case, *(entry(study, of[only, case, m], 1) for m in study.columns)] for case in run]
    table(["", *study.columns], rows)


def entry(study: Study, cell: Cell, splits: int) -> str:
    """As 86.20 ± 1.04 (89.80) ¦ -2.5, and how many splits where they are not the column's.

    A line is broken between these alone.
    """
    printed = "" if cell.printed is None else f" ({_figure(cell, cell.printed)})"
    if cell.mean is None:
        return f"–{printed}"
    own = _figure(cell, cell.mean)
    if cell.error is not None:
        own += "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}"
        own += f"{cell.error:.2f}" if abs(cell.mean) >= 1 else f"{cell.error:.2g}"
    difference = cell.difference(study.splits)
    away = "" if difference is None else f"{difference:+.1f}"
    away = f"**{away}**" if difference is not None and abs(difference) >= 2 else away
    many = "split" if cell.splits == 1 else "splits"
    few = "" if cell.splits == splits else f" [{cell.splits}\N{NO-BREAK SPACE}{many}]"
    return f"{own}{printed}" + (f" ¦\N{NO-BREAK SPACE}{away}" if away else "") + few


def _figure(cell: Cell, x: float) -> str:
    """Two decimals, as the papers have; four digits of what is small, or is no mean."""
    mean = cell.printed is not None or cell.error is not None
    return f"{x:.2f}" if mean and abs(x) >= 1 else f"{x:.4g}"


def detailed(study: Study, of: Cells, names: Sequence[str]) -> None:
    """Many measures in a table for each case: ours and, in brackets, printed."""
    for case in study.data:
        rows = [
            [method, *(_pair(of[method, case, name]) for name in names)]
            for method in study.methods
            if any(of[method, case, name].splits for name in names)
        ]
        if rows:
            table([case, *names], rows)


def _pair(cell: Cell) -> str:
    ours = "–" if cell.mean is None else f"{cell.mean:.2f}"
    return ours if cell.printed is None else f"{ours} ({cell.printed:.2f})"


# -- Pictures in the papers' form ------------------------------------------------------------------


def spans(study: Study, told: dict[str, Any]) -> None:
    """Figure 1 of tang2009: the best model less the worst, by how much is trained on."""
    of = cells(study, told)
    _, axis = plt.subplots()
    names = dict.fromkeys(case.partition(":")[0] for case in study.data)
    rows = [m for m in study.methods if m != "Average"]
    for name in names:
        ours: dict[int, float] = {}
        theirs: dict[int, float] = {}
        for case in (case for case in study.data if case.startswith(f"{name}:")):
            column = [of[method, case, study.columns[0]] for method in rows]
            ratio = int(case.partition(":")[2].rstrip("%"))
            means = [cell.mean for cell in column if cell.mean is not None]
            if len(means) == len(rows):
                ours[ratio] = max(means) - min(means)
            printed = [cell.printed for cell in column if cell.printed is not None]
            if printed:
                theirs[ratio] = max(printed) - min(printed)
        if ours:
            label = f"{name}, ours" if theirs else name
            axis.plot(list(ours), list(ours.values()), "o-", label=label)
        if theirs:
            axis.plot(list(theirs), list(theirs.values()), "s--", color=GREY, label="printed")
    axis.set(xlabel="trained on, per cent", ylabel="best less worst, points", xscale="log")
    axis.axhline(0, color=GREY, lw=0.8)
    axis.legend()
    plt.show()


def curves(study: Study, told: dict[str, Any]) -> None:
    """Figures 3 and 4 of ye2008: accuracy along the thirty λ."""
    of = cells(study, told)
    run = [c for c in study.data if any(cell.splits for (_, at, _), cell in of.items() if at == c)]
    _, axes = plt.subplots(1, len(run), squeeze=False)
    for axis, case in zip(axes[0], run, strict=True):
        for method, style in zip(study.methods, ("o-", "x--"), strict=False):
            means = [of[method, case, column].mean for column in study.columns]
            axis.plot(
                range(1, len(means) + 1),
                [np.nan if mean is None else mean for mean in means],
                style,
                markersize=4,
                label=method,
            )
        axis.set(title=case, xlabel="index of λ", ylabel="accuracy, per cent")
        axis.legend()
    plt.show()


def times(study: Study, told: dict[str, Any]) -> None:
    """Times as multiples of one row's, ours and printed."""
    of = cells(study, told)
    run = [c for c in study.data if any(of[m, c, "time"].splits for m in study.methods)]
    _, axes = plt.subplots(1, len(run), squeeze=False, sharey=True)
    for axis, case in zip(axes[0], run, strict=True):
        column = [of[method, case, "time"] for method in study.methods]
        at = np.arange(len(column))
        for offset, colour, label, key in (
            (-0.2, BLUE, "ours", "mean"),
            (0.2, ORANGE, "printed", "printed"),
        ):
            heights = [getattr(cell, key) or np.nan for cell in column]
            if not np.isnan(heights).all():
                axis.bar(at + offset, heights, 0.4, color=colour, label=label)
        axis.set(title=case, yscale="log", ylabel=f"times {study.share_of}")
        axis.set_xticks(at, study.methods, rotation=60, ha="right", fontsize=8)
        axis.axhline(1, color=GREY, lw=0.8)
        axis.legend()
    plt.show()


def matrices(study: Study, told: dict[str, Any]) -> None:
    """Figures 1 and 2 of chen2009: the matrices, black for the largest; their spectra."""
    drawn = {(s["data"], s["measure"]): np.array(s["mean"]) for s in told["series"]}
    run = [case for case in study.data if (case, "blocks") in drawn]
    _, axes = plt.subplots(2, len(run), figsize=(7.2, 4.6), squeeze=False)
    for (upper, lower), case in zip(axes.T, run, strict=True):
        blocks = drawn[case, "blocks"]
        side = round(len(blocks) ** 0.5)
        upper.imshow(blocks.reshape(side, side), cmap="gray_r")
        upper.set(title=case, xticks=[], yticks=[])
        spectrum = drawn[case, "spectrum"]
        lower.plot(range(1, len(spectrum) + 1), spectrum, ".", markersize=3)
        lower.axhline(0, color=GREY, lw=0.8)
        lower.set(xlabel="eigenvalue rank", ylabel="eigenvalue")
    plt.show()


PICTURES: dict[str, Callable[[Study, dict[str, Any]], None]] = {
    "ye2008-table16": times,
    "ye2008-figure1": times,
    "ye2008-figure3": curves,
    "ye2008-figure4": curves,
    "tang2009-table5": spans,
    "tang2009-figure1": spans,
    "tang2009-figure3": times,
    "chen2009-figures": matrices,
}

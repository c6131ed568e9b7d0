"""The page of the studies: the stored summaries as tables, the printed numbers beside ours."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from page import BLUE, GREY, ORANGE, look, say, table

from cvxkernel.validation.studies import studies

STORED = Path(__file__).parent / "studies"
SHORT = 12  # columns of one table at most


@cache
def stored() -> dict[str, Any]:
    """Every summary that is committed, as `cvxkernel study NAME --show --json` printed it."""
    order = list(studies())
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in STORED.glob("*.json")}
    return dict(sorted(found.items(), key=lambda item: order.index(item[0])))


def overview() -> None:
    """The table of tables."""
    rows = []
    for id, study in studies().items():
        told = stored().get(id)
        counts = splits(told) if told else []
        shown = "–" if not counts else str(counts[0])
        if counts and counts[0] != counts[-1]:
            shown = f"{counts[0]} to {counts[-1]}"
        within, all_of = near(told) if told else (0, 0)
        close = f"{within} of {all_of}" if all_of else "–"
        rows.append([f"`{id}`", study.where, study.about, shown, study.splits, close])
    head = ["study", "place", "what", "splits run", "paper's", "numbers within two standard errors"]
    table(head, rows)


def splits(told: dict[str, Any]) -> list[int]:
    """How many splits the numbers have that have any."""
    return sorted({cell["splits"] for cell in told["cells"] if cell["splits"]})


def near(told: dict[str, Any]) -> tuple[int, int]:
    """How many of the printed numbers are within two standard errors of ours, and of how many."""
    differences = [c["difference"] for c in told["cells"] if c["difference"] is not None]
    return sum(abs(d) < 2 for d in differences), len(differences)


def conclusions() -> None:
    """What the papers conclude, sentence by sentence."""
    verdict = {True: "agrees", False: "**does not agree**", None: "not run far enough"}
    rows = []
    for id, told in stored().items():
        rows += [[f"`{id}`", quote, verdict[agrees]] for quote, agrees in told["sentences"]]
    table(["study", "the paper", "ours"], rows)


def paper(name: str) -> None:
    """Its tables, what was chosen for them, and what explains a difference."""
    every = studies()
    told_before: set[str] = set()
    for id, told in stored().items():
        study = every[id]
        if study.paper != name:
            continue
        say(f"### {study.where}: {study.about}")
        for measure in study.columns:
            shown(told, study.data, study.methods, measure)
        counted = splits(told)
        number = f"{counted[0]} to {counted[-1]}" if len(counted) > 1 else f"{counted[0]}"
        effort = f"{told['fits']} fits, {told['seconds'] / 60:.0f} minutes of one core"
        proved = f"every optimum proved to a relative width of {told['widest']:.0e}"
        lines = [f"{number} splits of the paper's {study.splits}; {proved}; {effort}."]
        lines.append(f"Made by `{told['command']}`.")
        failed = sum(c["failures"] for c in told["cells"] if c["measure"] == study.columns[0])
        if failed:
            lines.append(f"{failed} fits could not be proved and count nowhere.")
        lines += [f"*{name}*: {why}." for name, why in study.missing.items()]
        say(" ".join(lines))
        fresh = [choice for choice in study.choices if choice not in told_before]
        told_before.update(fresh)
        if fresh:
            say("Chosen: " + " ".join(fresh))
        for text in study.why:
            say(text)
    without = [study for id, study in every.items() if study.paper == name and id not in stored()]
    if without:
        names = ", ".join(f"{study.where} (`{study.id}`)" for study in without)
        say(f"Not run yet: {names}.")


def shown(told: dict[str, Any], cases: Any, methods: Any, measure: str) -> None:
    """One table, its cases as columns."""
    cells = {(c["method"], c["data"]): c for c in told["cells"] if c["measure"] == measure}
    run = [case for case in cases if any(cells[m, case]["splits"] for m in methods)]
    if not run:
        return
    counts = {case: max(cells[m, case]["splits"] for m in methods) for case in run}
    rows = [[m, *(cell(cells[m, case], counts[case]) for case in run)] for m in methods]
    rows = [row for row in rows if any(text != "–" for text in row[1:])]
    table([measure, *(f"{case} ({counts[case]})" for case in run)], rows)


def cell(c: dict[str, Any], splits: int) -> str:
    """As 86.2 ± 1.0 (89.8) ¦ -2.5, and how many splits where they are not those of the column."""
    printed = "" if c["printed"] is None else f" ({c['printed']:.4g})"
    if c["mean"] is None:
        return f"–{printed}"
    spread = "" if c["error"] is None else f" ± {c['error']:.2g}"
    away = "" if c["difference"] is None else f"{c['difference']:+.1f}"
    away = f"**{away}**" if away and abs(c["difference"]) >= 2 else away
    few = "" if c["splits"] == splits else f" [{c['splits']} splits]"
    return f"{c['mean']:.4g}{spread}{printed}" + (f" ¦ {away}" if away else "") + few


def figure_1() -> None:
    """Figure 1 of tang2009 on USPS: the best model less the worst, by how much is trained on."""
    told = stored().get("tang2009-table5")
    if told is None:
        return
    look()
    cases: dict[int, dict[str, list[float]]] = {}
    for c in told["cells"]:
        if c["mean"] is not None and c["printed"] is not None:
            ratio = int(c["data"].split(":")[1].rstrip("%"))
            spans = cases.setdefault(ratio, {"ours": [], "printed": []})
            spans["ours"].append(c["mean"])
            spans["printed"].append(c["printed"])
    ratios = sorted(cases)
    _, axis = plt.subplots()
    for key, colour in (("ours", BLUE), ("printed", ORANGE)):
        axis.plot(ratios, [max(cases[r][key]) - min(cases[r][key]) for r in ratios],
                  "o-", color=colour, label=key)  # fmt: skip
    axis.set(xlabel="training ratio in %", ylabel="best less worst, points", xscale="log")
    axis.axhline(0, color=GREY, lw=0.8)
    axis.legend()
    plt.show()

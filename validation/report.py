"""The ledger as one self-contained page of HTML: tables, errata, pictures that matter."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from io import StringIO
from itertools import groupby

import matplotlib.pyplot as plt

from cvxkernel.validation.ledger import Verdict

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --paper: #fff; --soft: #f3f4f6; --line: #d5d7db;
  --good: #00703c; --bad: #b42318; --odd: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8ea; --paper: #16181c; --soft: #20242a;
  --line: #3a3f47; --good: #4cc38a; --bad: #ff8b7e; --odd: #f0b849; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.5rem; }
a { color: inherit; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem;
  border-bottom: 1px solid var(--line); }
th { background: var(--soft); }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.maths { font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", serif;
  font-size: 1.05em; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .8rem 1rem; overflow-x: auto; border-radius: .4rem; }
.holds { color: var(--good); } .fails { color: var(--bad); } .imprecise { color: var(--odd); }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .4rem 1.1rem 1rem;
  margin: 1rem 0; }
figure { margin: 1rem 0; background: #fff; border-radius: .5rem; padding: .5rem; }
figure svg { max-width: 100%; height: auto; display: block; margin: auto; }
figcaption { color: #333; font-size: .9rem; padding: .3rem .6rem; }
"""


def html(verdicts: Sequence[Verdict]) -> str:
    """The whole page."""
    held = sum(v.as_recorded for v in verdicts)
    errata = [v for v in verdicts if v.claim.printed != "holds"]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>cvxkernel: the ledger</title>",
        f"<style>{STYLE}</style></head><body>",
        "<h1>The ledger of cvxkernel</h1>",
        f"<p>{len(verdicts)} statements of {len({v.claim.paper for v in verdicts})} papers; "
        f"{held} verdicts as recorded. A discrepancy is relative; the tolerance beside it comes "
        "from the enclosures of both sides, or from the rounding of their evaluation. "
        f"Seed {verdicts[0].seed}.</p>",
        picture(verdicts),
    ]
    for paper, group in groupby(verdicts, key=lambda v: v.claim.paper):
        parts += [f'<h2 id="{paper}">{paper}</h2>', table(list(group))]
    if errata:
        parts.append('<h2 id="errata">Errata</h2>')
        parts += [erratum(v) for v in errata]
    return "\n".join([*parts, "</body></html>"])


def table(verdicts: Sequence[Verdict]) -> str:
    """One row per claim."""
    head = ("where", "statement", "as printed", "corrected", "discrepancy", "tolerance")
    rows = ["<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    for v in verdicts:
        wrong = "" if v.as_recorded else f" (recorded: {v.claim.printed})"
        link = (
            f'<a href="#{v.claim.id}">{v.printed}</a>' if v.claim.printed != "holds" else v.printed
        )
        corrected = (
            f'<span class="{v.corrected}">{v.corrected}</span>: '
            f'<span class="maths">{escape(v.claim.correction or "")}</span>'
            if v.corrected
            else "–"
        )
        rows.append(
            f"<tr><td>{escape(v.claim.where)}<br><code>{v.claim.id}</code></td>"
            f'<td><span class="maths">{escape(v.claim.statement)}</span><br>'
            f"<small>{escape(v.claim.how)}</small></td>"
            f'<td class="{v.printed}">{link}{wrong}</td><td>{corrected}</td>'
            f'<td class="number">{v.decisive.worst:.1e}</td>'
            f'<td class="number">{v.decisive.tolerance:.1e}</td></tr>'
        )
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def erratum(verdict: Verdict) -> str:
    """What is printed, the counterexample, what holds."""
    claim, found = verdict.claim, verdict.evidence.printed
    numbers = ", ".join(f"{escape(k)} = {x:.10g}" for k, x in found.numbers.items())
    code = f"<pre>{escape(claim.code)}</pre>" if claim.code else ""
    return (
        f'<article id="{claim.id}"><h3>{escape(claim.where)} <code>{claim.id}</code></h3>'
        f'<p>Printed: <span class="maths">{escape(claim.statement)}</span></p>'
        f'<p class="{verdict.printed}">Found ({escape(found.instance or "built-in instance")}, '
        f"seed {verdict.seed}): {numbers or 'a discrepancy'}; relative discrepancy "
        f"{found.worst:.3g}, tolerance {found.tolerance:.1e}.</p>"
        f'<p>What holds: <span class="maths">{escape(claim.correction or "nothing like it")}</span>'
        f"</p>{code}</article>"
    )


def picture(verdicts: Sequence[Verdict]) -> str:
    """How far every claim is from its tolerance, on one axis."""
    floor = 1e-18
    fig, ax = plt.subplots(figsize=(8.0, 0.16 * len(verdicts) + 1.2), layout="constrained")
    for row, v in enumerate(verdicts):
        for finding, marker in ((v.evidence.printed, "o"), (v.evidence.corrected, "D")):
            if finding is None:
                continue
            colour = "#00703c" if finding.holds else "#b42318"
            ax.plot(max(finding.worst, floor), row, marker, color=colour, ms=4)
            ax.plot(max(finding.tolerance, floor), row, "|", color="#444444", ms=7)
    ax.set_xscale("log")
    ax.set_yticks(range(len(verdicts)), [v.claim.id for v in verdicts], fontsize=6)
    ax.invert_yaxis()
    ax.set_xlabel("relative discrepancy (dot: as printed, diamond: corrected) and tolerance (bar)")
    drawn = StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))  # no addresses in the page
    fig.savefig(drawn, format="svg", metadata=nothing)
    plt.close(fig)
    svg = drawn.getvalue()
    return (
        f"<figure>{svg[svg.index('<svg') :]}<figcaption>Every claim: green left of its bar holds, "
        "red right of it fails.</figcaption></figure>"
    )

"""The ledger as one self-contained page of HTML: tables, errata, the pictures that matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from io import StringIO
from itertools import groupby
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from cvxkernel.validation.ledger import (
    ERRATA,
    PICTURES,
    REMARKS,
    Claim,
    Erratum,
    Picture,
    Remark,
    Verdict,
    counts,
    verdict_of,
)

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --paper: #fff; --soft: #f3f4f6; --line: #d5d7db;
  --good: #00703c; --bad: #b42318; --odd: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8ea; --paper: #16181c; --soft: #20242a;
  --line: #3a3f47; --good: #4cc38a; --bad: #ff8b7e; --odd: #f0b849; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.5rem; }
a { color: inherit; }
nav a { margin-right: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem;
  border-bottom: 1px solid var(--line); }
th { background: var(--soft); }
td:first-child { min-width: 9rem; } td:nth-child(2) { width: 42%; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.maths { font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", "DejaVu Serif", serif;
  font-size: 1.05em; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .8rem 1rem; overflow-x: auto; border-radius: .4rem; }
.holds { color: var(--good); } .fails { color: var(--bad); } .imprecise { color: var(--odd); }
article { border: 1px solid var(--line); border-radius: .5rem; padding: .4rem 1.1rem 1rem;
  margin: 1rem 0; }
figure { margin: 1.5rem 0; } .scroll { overflow-x: auto; }
figure .scroll > svg { display: block; margin: auto; max-width: 100%; min-width: 34rem;
  height: auto; }
figcaption { font-size: .9rem; padding: .3rem .6rem; }
:target { outline: 2px solid var(--odd); outline-offset: 2px; }
@media (max-width: 44rem) {
  thead { display: none; } table, tbody, tr, td { display: block; }
  tr { border: 1px solid var(--line); border-radius: .5rem; margin: .8rem 0; padding: .3rem 0; }
  td, td:nth-child(2) { border: 0; padding: .2rem .8rem; width: auto; }
  td.number { display: inline-block; }
  td[data-name]::before { content: attr(data-name) ": "; opacity: .75; }
}
"""

TRANSCRIBED = (
    "The papers were read as machine transcriptions. Where a verdict hangs on one glyph (an index, "
    "a hat, a limit of a sum, a parenthesis) it is marked “as transcribed”, says what to look for "
    "in the printed page, and is counted apart."
)
INK = "#1d1d1f"  # of a drawing; the page's own ink takes its place


def html(verdicts: Sequence[Verdict]) -> str:
    """The whole page."""
    papers = list(dict.fromkeys(v.claim.paper for v in verdicts))
    errata = causes(verdicts)
    remarks = [r for r in REMARKS.values() if r.paper in papers]
    links = [(f"#{paper}", paper) for paper in papers] + [("#errata", "errata")] * bool(errata)
    links += [("#remarks", "remarks")] * bool(remarks)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>cvxkernel: the ledger</title>",
        f"<style>{STYLE}</style></head><body>",
        '<h1 id="top">The ledger of cvxkernel</h1>',
        "<nav>" + "".join(f'<a href="{to}">{name}</a>' for to, name in links) + "</nav>",
        summary(verdicts),
    ]
    for paper, group in groupby(verdicts, key=lambda v: v.claim.paper):
        here = list(group)
        parts += [f'<h2 id="{paper}">{paper}</h2>', table(here), margins(here), *pictures(here)]
    if errata:
        parts.append(f'<h2 id="errata">Errata</h2><p>{TRANSCRIBED}</p>')
        parts += [erratum(one, failing) for one, failing in errata.items()]
    if remarks:
        parts.append('<h2 id="remarks">Remarks</h2><p>Found beside the papers\' words; no verdict '
                     "on them.</p>")  # fmt: skip
        parts += [remark(one) for one in remarks]
    return "\n".join([*parts, "</body></html>"])


def causes(verdicts: Sequence[Verdict]) -> dict[Erratum, list[Verdict]]:
    """The errata of these verdicts, each with the claims that fail by it."""
    found: dict[Erratum, list[Verdict]] = {}
    for v in verdicts:
        if v.claim.erratum is not None:
            found.setdefault(ERRATA[v.claim.erratum], []).append(v)
    return found


def summary(verdicts: Sequence[Verdict]) -> str:
    """How many statements, how many hold, and what the figures mean."""
    told = ", ".join(
        f'<span class="{word.split()[-1]}">{number} {word}</span>'
        for word, number in counts(verdicts).items()
    )
    held = sum(v.as_recorded for v in verdicts)
    errata = causes(verdicts)
    ours = sum(one.transcribed is not None for one in errata)
    return (
        f"<p>{len(verdicts)} statements, as printed: {told}. {held} verdicts are as recorded. "
        f"What fails has {len(errata) - ours} causes, the errata, and {ours} more that may be our "
        "transcription's. "
        "A discrepancy is relative; the tolerance beside it comes from the enclosures of both "
        f"sides, or from the rounding of their evaluation. Seed {verdicts[0].seed}.</p>"
    )


def table(
    verdicts: Sequence[Verdict], *, errata: str = "", where: Callable[[Claim], str] | None = None
) -> str:
    """One row per claim; `errata` is the page they are on, `where` may link to the paper's."""
    head = ("where", "statement", "as printed", "corrected", "discrepancy", "tolerance")
    rows = []
    for v in verdicts:
        wrong = "" if v.as_recorded else f" (recorded: {v.claim.printed})"
        said = verdict_of(v.claim, v.printed)
        link = (
            f'<a href="{errata}#erratum-{v.claim.erratum}">{said}</a>'
            if v.claim.erratum is not None
            else said
        )
        corrected = (
            f'<span class="{v.corrected}">{v.corrected}</span>: '
            f'<span class="maths">{escape(v.claim.correction or "")}</span>'
            if v.corrected
            else "–"
        )
        rows.append(
            f'<tr id="{v.claim.id}"><td>{(where or _where)(v.claim)}<br>'
            f'<a href="#{v.claim.id}"><code>{v.claim.id}</code></a></td>'
            f'<td><span class="maths">{escape(v.claim.statement)}</span><br>'
            f"<small>{_quote(v.claim)}{escape(v.claim.how)}{_remark(v.claim)}</small></td>"
            f'<td class="{v.printed}" data-name="as printed">{link}{wrong}</td>'
            f'<td data-name="corrected">{corrected}</td>'
            f'<td class="number" data-name="discrepancy">{v.evidence.printed.worst:.1e}</td>'
            f'<td class="number" data-name="tolerance">{v.evidence.printed.tolerance:.1e}</td></tr>'
        )
    names = "".join(f"<th>{cell}</th>" for cell in head)
    head_and_body = f"<thead><tr>{names}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<table class="ledger">{head_and_body}</table>'


def _where(claim: Claim) -> str:
    return escape(claim.where)


def _quote(claim: Claim) -> str:
    return f"<q>{escape(claim.quote)}</q> " if claim.quote else ""


def _remark(claim: Claim) -> str:
    return f" <em>{escape(claim.remark)}</em>" if claim.remark else ""


def erratum(
    one: Erratum, failing: Sequence[Verdict], *, ledger: str = "", code: bool = True
) -> str:
    """What is printed, a witness for each claim that fails, what holds, the lines to see it with.

    `ledger` is the page the claims are on.
    """
    witnesses = "".join(f"<li>{_witness(v, ledger)}</li>" for v in failing)
    lines = (
        "<p>Without this package; the last line prints what the paper says and what is true:</p>"
        f"<pre>{escape(one.code)}</pre>"
        if code
        else ""
    )
    ask = (
        f'<p class="transcribed">As transcribed. In the printed page: {escape(one.transcribed)}</p>'
        if one.transcribed
        else ""
    )
    return (
        f'<article id="erratum-{one.id}"><h3>{escape(one.where)} <code>{one.id}</code></h3>'
        f'<p>Printed: <span class="maths">{escape(one.printed)}</span></p>'
        f'<p>What holds: <span class="maths">{escape(one.holds)}</span></p>{ask}'
        f"<ul>{witnesses}</ul>{lines}</article>"
    )


def _witness(v: Verdict, ledger: str) -> str:
    """The numbers of a claim that fails, and the line that shows them."""
    found = v.evidence.printed
    numbers = ", ".join(f"{escape(k)} = {x:.10g}" for k, x in found.numbers.items())
    return (
        f'<a href="{ledger}#{v.claim.id}"><code>{v.claim.id}</code></a> '
        f"({escape(found.instance or 'built-in instance')}, seed {v.seed}): "
        f'<span class="maths">{numbers or "a discrepancy"}</span>; relative discrepancy '
        f"{found.worst:.3g}, tolerance {found.tolerance:.1e}.<br><code>{escape(v.run)}</code>"
    )


def remark(one: Remark) -> str:
    """What was found, and how."""
    return (
        f'<article id="remark-{one.id}"><h3>{escape(one.where)} <code>{one.id}</code></h3>'
        f"<p>{escape(one.text)}</p><p><small>{escape(one.how)}</small></p></article>"
    )


# -- Pictures -------------------------------------------------------------------------------------


def pictures(verdicts: Sequence[Verdict]) -> list[str]:
    """What the papers' modules contribute about these claims."""
    shown = {v.claim.id for v in verdicts}
    wanted = [p for p in PICTURES.values() if shown.intersection(p.claims)]
    return [picture(p, verdicts[0].seed, shown) for p in wanted]


def picture(one: Picture, seed: int, shown: set[str]) -> str:
    """A figure with its caption and links to the claims that are on the page."""
    links = ", ".join(f'<a href="#{id}">{id}</a>' for id in one.claims if id in shown)
    caption = f"{escape(one.caption)} See {links}."
    with plt.rc_context(_look()):
        return _figure(one.draw(seed), caption, id=one.id)


def margins(verdicts: Sequence[Verdict]) -> str:
    """How far every claim is from its tolerance, on one axis."""
    floor, ceiling = 1e-17, 1e2
    with plt.rc_context(_look()):
        fig, ax = plt.subplots(figsize=(8.6, 0.19 * len(verdicts) + 1.2), layout="constrained")
        for row, v in enumerate(verdicts):
            for finding, marker in ((v.evidence.printed, "o"), (v.evidence.corrected, "D")):
                if finding is None:
                    continue
                colour = "#009E73" if finding.holds else "#D55E00"
                ax.plot(min(max(finding.worst, floor), ceiling), row, marker, color=colour, ms=4)
                ax.plot(min(max(finding.tolerance, floor), ceiling), row, "|", color=INK, ms=7)
        ax.set_xscale("log")
        ax.set_ylim(len(verdicts) - 0.4, -0.6)
        ax.set_yticks(range(len(verdicts)), [v.claim.id for v in verdicts], fontsize=7.5)
        ax.grid(axis="y", lw=0.3, color=INK, alpha=0.3)
        ax.set_xlabel("relative discrepancy (dot: as printed, diamond: corrected); bar: tolerance")
        caption = "Every claim: green, left of its bar, holds; red, right of it, fails."
        return _figure(fig, caption, id=f"{verdicts[0].claim.paper}-margins")


def _look() -> dict[Any, Any]:
    ink = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(ink, INK),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.fonttype": "none",  # letters stay letters
    }


def _figure(figure: Figure, caption: str, *, id: str) -> str:
    drawn = StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))  # no addresses in the page
    with plt.rc_context({"svg.hashsalt": id}):
        figure.savefig(drawn, format="svg", metadata=nothing, transparent=True)
    plt.close(figure)
    svg = drawn.getvalue().replace(INK, "currentColor")
    return (
        f'<figure id="{id}"><div class="scroll">{svg[svg.index("<svg") :]}</div>'
        f"<figcaption>{caption}</figcaption></figure>"
    )

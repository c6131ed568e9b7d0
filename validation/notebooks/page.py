"""What the executed pages share: a program's source, tables, a terminal, the look of a picture."""

import inspect
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from html import escape
from pathlib import Path
from textwrap import dedent, fill
from typing import Any

import matplotlib.pyplot as plt
from cycler import cycler
from IPython import get_ipython
from IPython.display import HTML, Markdown, display
from matplotlib_inline.backend_inline import set_matplotlib_formats

from cvxkernel.formulations import CATALOGUE
from cvxkernel.solvers import Solution
from cvxkernel.validation import report
from cvxkernel.validation.ledger import LEDGER, REMARKS, Claim, Erratum, Remark, Verdict
from cvxkernel.validation.notebooks import DOCS

# Okabe and Ito: told apart by every kind of colour vision.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, YELLOW, GREY, INK = "#56B4E9", "#E69F00", "#8A8A8A", "#222222"
_PROGRESS = re.compile(r" \(\d+ s\)$")  # what a command says while it works


def look() -> None:
    """Vector pictures on white, which the dark theme keeps as a card."""
    get_ipython().run_line_magic("matplotlib", "inline")  # whatever MPLBACKEND says
    set_matplotlib_formats("svg")
    plt.rcParams.update(
        {
            "figure.facecolor": "white",
            "savefig.facecolor": "white",
            "figure.figsize": (7.2, 3.0),
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "mathtext.fontset": "cm",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": INK,
            "axes.titlesize": 10.5,
            "axes.prop_cycle": cycler(color=[BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW]),
            "legend.frameon": False,
            "legend.fontsize": 9,
            "lines.linewidth": 1.6,
            "svg.hashsalt": "cvxkernel",
        }
    )


def say(text: str) -> None:
    """A sentence whose numbers were computed just now."""
    display(Markdown(dedent(text)))


def source(*objects: Callable[..., Any]) -> None:
    """The code that is it, read from the installed package."""
    code = "\n".join(_definition(thing) for thing in objects)
    display(Markdown(f"```python\n{code}```"))


def _definition(thing: Callable[..., Any]) -> str:
    """Its source from `def` or `class` on: where it is registered is not what it says."""
    text = dedent(inspect.getsource(thing))
    start = re.search(r"^(def|class) ", text, re.MULTILINE)
    return text[start.start() :] if start else text


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table; cells may hold mathematics between dollars."""
    lines = [header, ["---"] * len(header), *rows]
    display(Markdown("\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)))


def enclosures(solutions: Mapping[str, Solution]) -> None:
    """One row per solved program: the two ends, how far apart they are, who found them."""
    table(
        ["program", "lower", "upper", "relative width", "solver", "iterations"],
        [
            (
                f"`{id}`",
                f"{s.lower:.12g}",
                f"{s.upper:.12g}",
                f"{s.width:.0e}",
                s.solver.lower().replace("_", " "),
                "–" if s.iterations is None else s.iterations,  # not every solver tells
            )
            for id, s in solutions.items()
        ],
    )


def shell(command: str) -> int:
    """Run a `cvxkernel` command and show what it prints, long lines folded; its exit status."""
    name, *arguments = shlex.split(command)
    # A notebook's kernel asks every program for colours.
    plain = {key: value for key, value in os.environ.items() if key != "FORCE_COLOR"}
    done = subprocess.run(
        [Path(sys.executable).parent / name, *arguments],
        env={**plain, "COLUMNS": "88"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (done.stdout + done.stderr).rstrip().splitlines()
    lines = [line for line in lines if not _PROGRESS.search(line)]
    printed = "\n".join(fill(line, 92, subsequent_indent="  ") for line in lines)
    display(Markdown(f"```console\n$ {command}\n{printed}\n```"))
    return done.returncode


# -- The ledger, and the way there and back --------------------------------------------------------


def claims(*ids: str) -> None:
    """Links from where a paper's page speaks of them to these claims and remarks."""
    links = [
        f'<a id="on-{LEDGER[id].id}" href="ledger.html#{id}">{escape(LEDGER[id].where)}'
        f"{'' if LEDGER[id].printed == 'holds' else ' (' + LEDGER[id].printed + ')'}</a>"
        for id in ids
        if id in LEDGER
    ]
    links += [
        f'<a href="errata.html#remark-{id}">{escape(REMARKS[id].where)} (a remark of ours)</a>'
        for id in ids
        if id not in LEDGER
    ]
    display(HTML(f'<p class="claims">In the ledger: {"; ".join(links)}.</p>'))


def mentioned() -> dict[str, str]:
    """Which page speaks of a claim, from the calls of `claims` in the pages' sources."""
    pages: dict[str, str] = {}
    for path in sorted(DOCS.glob("*.md")):
        for call in re.findall(r"^claims\((.*?)\)$", path.read_text("utf-8"), re.M | re.S):
            pages |= dict.fromkeys(re.findall(r'"([^"]+)"', call), path.stem)
    return pages


def ledger(verdicts: Sequence[Verdict]) -> None:
    """The rows of one paper, each linked to the page that speaks of it and to its programs."""
    pages = mentioned()

    def where(claim: Claim) -> str:
        text = escape(claim.where)
        if claim.id in pages:
            text = f'<a href="{pages[claim.id]}.html#on-{claim.id}">{text}</a>'
        programs = ", ".join(map(_program, claim.programs))
        return text + (f"<br><small>about {programs}</small>" if programs else "")

    display(HTML(report.table(verdicts, errata="errata.html", where=where)))
    for figure in (report.margins(verdicts), *report.pictures(verdicts)):
        display(HTML(figure))


def _program(id: str) -> str:
    """A link to the source of a printed program."""
    method = CATALOGUE[id].program
    module = method.__module__.replace(".", "/")
    source = f"_modules/{module}.html#{method.__qualname__}"
    return f'<a class="program" href="{source}"><code>{id}</code></a>'


def erratum(one: Erratum, failing: Sequence[Verdict]) -> None:
    """A cause, its witnesses, and ten lines without the package that show it, run just now."""
    display(HTML(report.erratum(one, failing, ledger="ledger.html", code=False)))
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(one.code, one.id, "exec"), {})
    display(Markdown(f"```python\n{one.code}\n```\n\n```text\n{printed.getvalue().rstrip()}\n```"))


def remark(one: Remark) -> None:
    """What was found beside a paper's words."""
    display(HTML(report.remark(one)))

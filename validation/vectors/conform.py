"""Anybody's program run through the test vectors: right, wrong and why, crashed, timed out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from xml.etree import ElementTree

from cvxkernel.formulations.errors import CvxkernelError, InputError
from cvxkernel.solvers.method import Progress
from cvxkernel.validation import files
from cvxkernel.validation.vectors import shipped
from cvxkernel.validation.vectors.build import compact
from cvxkernel.validation.vectors.verdict import TOLERANCE, refused, verdict

RIGHT, WRONG, CRASHED, TIMED_OUT = "right", "wrong", "crashed", "timed out"


@dataclass(frozen=True)
class Outcome:
    """What came of one test."""

    formulation: str
    test: str
    flags: list[str]
    outcome: str
    reason: str
    details: str
    seconds: float


def conform(
    command: Sequence[str],
    ids: Sequence[str],
    *,
    tol: float = TOLERANCE,
    timeout: float = 60.0,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """Run the command on every test of these formulations.

    {problem} and {answer} in it become files, JSON both; {id} the formulation. What it leaves in
    the answer file is judged: a value, the paper's symbols, or both.
    """
    for place in ("{problem}", "{answer}"):
        if not any(place in part for part in command):
            raise InputError("COMMAND", f"{place} somewhere in it", " ".join(command) or "nothing")
    every = [(id, test) for id in ids for test in shipped.tests(id)]
    for id, test in every:
        if progress is not None:
            progress(f"{test['id']}: running")
        yield _one(command, id, test, tol, timeout)


def _one(command: Sequence[str], id: str, test: Any, tol: float, timeout: float) -> Outcome:
    def made(outcome: str, reason: str = "", details: str = "") -> Outcome:
        return Outcome(id, test["id"], test["flags"], outcome, reason, details, seconds)

    start, seconds = perf_counter(), timeout
    with TemporaryDirectory(prefix="cvxkernel") as folder:
        problem, answer = Path(folder, "problem.json"), Path(folder, "answer.json")
        problem.write_text(compact(test["problem"]), encoding="utf-8")
        places = {"{problem}": str(problem), "{answer}": str(answer), "{id}": id}
        line = [_filled(part, places) for part in command]
        try:
            run = subprocess.run(line, capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return made(TIMED_OUT, f"after {timeout:g} s")
        except OSError as error:
            raise InputError("COMMAND", "a program that can be run", str(error)) from None
        seconds = perf_counter() - start
        told = run.stderr.decode(errors="replace").strip()
        if run.returncode != 0:
            last = told.splitlines()[-1] if told else "nothing on stderr"
            return made(CRASHED, f"status {run.returncode}: {last[:200]}", told[-2000:])
        try:
            read = files.read_answer(answer)
            judged = verdict(id, test, read.variables, read.value, tol)
        except CvxkernelError as error:
            judged = refused(test, error)
    return made(RIGHT if judged else WRONG, judged.reason, judged.details)


def _filled(part: str, places: dict[str, str]) -> str:
    for place, path in places.items():
        part = part.replace(place, path)
    return part


# -- Reports ---------------------------------------------------------------------------------------


def as_json(outcomes: Sequence[Outcome]) -> str:
    """One JSON object."""
    rows = [asdict(outcome) for outcome in outcomes]
    return json.dumps({"outcomes": rows, "counts": counts(outcomes)}, ensure_ascii=False)


def counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many of each."""
    kinds = (RIGHT, WRONG, CRASHED, TIMED_OUT)
    return {kind: sum(o.outcome == kind for o in outcomes) for kind in kinds}


def as_junit(outcomes: Sequence[Outcome]) -> str:
    """JUnit's XML: wrong is a failure, crashed and timed out are errors."""
    suites = ElementTree.Element("testsuites", name="cvxkernel conform")
    for id in dict.fromkeys(o.formulation for o in outcomes):
        own = [o for o in outcomes if o.formulation == id]
        told = counts(own)
        errors = told[CRASHED] + told[TIMED_OUT]
        numbers = {"tests": len(own), "failures": told[WRONG], "errors": errors}
        attributes = {"name": id, **{key: str(number) for key, number in numbers.items()}}
        suite = ElementTree.SubElement(suites, "testsuite", attributes)
        for o in own:
            seconds = f"{o.seconds:.3f}"
            case = ElementTree.SubElement(
                suite, "testcase", classname=id, name=o.test, time=seconds
            )
            if o.outcome != RIGHT:
                kind = "failure" if o.outcome == WRONG else "error"
                message = f"{o.outcome}: {o.reason}"
                ElementTree.SubElement(case, kind, message=message).text = _printable(o.details)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _printable(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(c for c in text if c in "\t\n" or c >= " ")


def as_html(outcomes: Sequence[Outcome], title: str) -> str:
    """One page, nothing beside it."""
    rows = "\n".join(
        f'<tr class="{o.outcome.replace(" ", "-")}"><td>{escape(o.test)}</td>'
        f"<td>{escape(', '.join(o.flags))}</td><td>{escape(o.outcome)}</td>"
        f"<td>{escape(o.reason)}{_folded(o.details)}</td><td>{o.seconds:.2f}</td></tr>"
        for o in outcomes
    )
    told = ", ".join(f"{number} {kind}" for kind, number in counts(outcomes).items() if number)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title><style>
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 70em; color: #222 }}
table {{ border-collapse: collapse; width: 100% }} td, th {{ text-align: left; padding: .3em .6em }}
tr {{ border-bottom: 1px solid #ddd }} .right td:nth-child(3) {{ color: #076 }}
.wrong td:nth-child(3), .crashed td:nth-child(3), .timed-out td:nth-child(3) {{ color: #b20 }}
pre {{ overflow-x: auto; font-size: 12px }}
</style></head><body><h1>{escape(title)}</h1><p>{told}</p>
<table><tr><th>test</th><th>flags</th><th>outcome</th><th>reason</th><th>seconds</th></tr>
{rows}
</table></body></html>
"""


def _folded(details: str) -> str:
    if not details:
        return ""
    return f"<details><summary>measured</summary><pre>{escape(details)}</pre></details>"

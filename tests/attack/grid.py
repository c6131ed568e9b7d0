"""How often `cvxkernel solve` answers within a minute at the promised width: all ids and kinds.

    python tests/attack/grid.py --jobs 2 --limit 60 --out grid.jsonl [--only kundu2010]

Every instance is a process of its own, ended at the limit, and a line of JSON in the file; a run
that was interrupted goes on where it stopped. The table at the end is by id. What is refused as
input is told, and not counted.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from attack import kinds
from attack.judge import Case
from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.solvers import promise
from cvxkernel.validation import rigorous

EACH = 40  # instances of an id
SIZES = (2, 5, 10, 3, 8, 4, 15, 2, 6, 12, 5, 20, 3, 10, 4, 30, 8, 5, 6, 60)

Line = dict[str, Any]


def cases() -> Iterator[Case]:
    """The grid: every kind of every id in turn, with two samples to sixty."""
    for id in CATALOGUE:
        of = kinds.kinds(id)
        for j in range(EACH):
            yield Case(id, of[j % len(of)], SIZES[(7 * j) % len(SIZES)], j)


def answer(case: Case) -> Line:
    """What becomes of an instance: answered, unanswered, refused or foreign, and why."""
    start = time.perf_counter()
    width, reason = None, ""
    try:
        form = CATALOGUE[case.id]
        problem = form.make(case.data())
        start = time.perf_counter()
        found = rigorous.answer(case.id, problem)
        width = found.width
        status = "answered" if promise(case.id) is None or width <= promise(case.id) else "wide"
    except InputError as error:
        status, reason = "refused", str(error)
    except SolverError as error:
        status, reason = "unanswered", str(error)
        width = None if error.best is None else error.best.width
    except Exception as error:  # the grid goes on, and the table tells
        status, reason = "foreign", f"{type(error).__name__}: {error}"
    return {"status": status, "width": width, "seconds": time.perf_counter() - start,
            "reason": reason[:400]}  # fmt: skip


def told(case: Case, outcome: Line) -> Line:
    """One line of the file."""
    numbers = {k: v for k, v in case.data().items() if isinstance(v, (float, str))}
    return {**asdict(case), "parameters": numbers, **outcome}


def _child(case: Case, pipe: Any) -> None:
    pipe.send(answer(case))


class Running:
    """One instance in a process of its own."""

    def __init__(self, case: Case, limit: float) -> None:
        self.case, self.limit, self.started = case, limit, time.perf_counter()
        self.pipe, there = multiprocessing.Pipe(duplex=False)
        fork = multiprocessing.get_context("fork")
        self.process = fork.Process(target=_child, args=(case, there))
        self.process.start()
        there.close()

    def outcome(self) -> Line | None:
        """Its line once there is one: its own, or that it died or had to be ended."""
        seconds = time.perf_counter() - self.started
        if self.pipe.poll():
            try:
                return self.pipe.recv()
            except EOFError:
                self.process.join()
                died = f"ended by itself with status {self.process.exitcode}"
                return {"status": "foreign", "width": None, "seconds": seconds, "reason": died}
        if seconds <= self.limit:
            return None
        self.process.kill()
        late = f"no answer after {self.limit:g} s"
        return {"status": "late", "width": None, "seconds": seconds, "reason": late}


def run(todo: list[Case], out: Path, jobs: int, limit: float) -> None:
    """Append a line for each case, as they end."""
    running: list[Running] = []
    with out.open("a") as file:
        while todo or running:
            while todo and len(running) < jobs:
                running.append(Running(todo.pop(0), limit))
            time.sleep(0.005)
            for one in list(running):
                outcome = one.outcome()
                if outcome is not None:
                    one.process.join()
                    running.remove(one)
                    line = told(one.case, outcome)
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
                    file.flush()


def table(lines: list[Line]) -> str:
    """Answered out of those that are problems, by id, and what became of the rest."""
    rows = []
    for id in CATALOGUE:
        of = [line for line in lines if line["id"] == id and line["status"] != "refused"]
        if of:
            rest = [line["status"] for line in of if line["status"] != "answered"]
            others = ", ".join(f"{rest.count(s)} {s}" for s in sorted(set(rest)))
            rows.append((id, len(of) - len(rest), len(of), others))
    yes, of = sum(row[1] for row in rows), sum(row[2] for row in rows)
    refused = sum(line["status"] == "refused" for line in lines)
    share = f"{100 * yes / max(of, 1):.1f} %, {refused} refused as input"
    every = [*rows, ("all", yes, of, share)]
    return "\n".join(f"{id:26} {a:5}/{b:<5} {others}" for id, a, b, others in every)


def main() -> None:
    """Run what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for an instance")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="", help="ids that contain this")
    asked = parser.parse_args()

    def lines() -> list[Line]:
        return (
            list(map(json.loads, asked.out.read_text().splitlines())) if asked.out.exists() else []
        )

    done = {tuple(line[key] for key in ("id", "kind", "n", "seed")) for line in lines()}
    wanted = (case for case in cases() if asked.only in case.id)
    run([c for c in wanted if (c.id, c.kind, c.n, c.seed) not in done],
        asked.out, asked.jobs, asked.limit)  # fmt: skip
    print(table(lines()))


if __name__ == "__main__":
    main()

"""Exercises of the papers' pages: a judge for each, which says right, or why not.

A judge takes the reader's answer and returns None where it is right, and otherwise the reason in a
sentence. The questions stand on the pages, each with a cell to fill and a solution that is run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cvxkernel.validation.exercises import chen2009, gonen2008, kundu2010, tang2009, ye2008

Judge = Callable[[Any], str | None]


@dataclass(frozen=True)
class Exercise:
    """What is asked, in a line, and who judges the answer."""

    id: str
    asked: str
    judge: Judge


EXERCISES = {
    id: Exercise(id, asked, judge)
    for paper in (ye2008, tang2009, chen2009, kundu2010, gonen2008)
    for id, (asked, judge) in paper.EXERCISES.items()
}


def judge(id: str, answer: Any) -> bool:
    """Say whether the answer to an exercise is right, or why not."""
    if answer is ...:
        print(f"{id}: put your answer in place of the dots ({EXERCISES[id].asked}).")
        return False
    try:
        why = EXERCISES[id].judge(answer)
    except Exception as error:  # the reader's function may do anything
        why = f"it cannot be judged: {type(error).__name__}: {error}"
    print(f"{id}: right." if why is None else f"{id}: not yet; {why}")
    return why is None

"""(5) judged as half of lanckriet2004-sm1, whose bounds it has, in its own symbols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cvxkernel.formulations.arithmetic import BALLS
from cvxkernel.formulations.arithmetic.balls import Proof
from cvxkernel.formulations.kundu2010 import Budgeted
from cvxkernel.formulations.kundu2010.bounds import Budget
from cvxkernel.validation.lanckriet2004.proofs import MarginJudge
from cvxkernel.validation.proofs.proof import Examination, Point

LABELS = {"mu nonneg": "beta", "mu budget": "trace"}  # as the constraints of the program are called


class BudgetJudge:
    """The judge of the soft margin; its μ is β."""

    def __init__(self, problem: Budgeted) -> None:
        self.judge = MarginJudge(Budget(BALLS, problem))

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of it."""
        for found in self.judge.better(_renamed(point)):
            yield {"alpha": found["alpha"], "beta": found["mu"]}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced; β clipped and scaled, the machine solved there."""
        found = self.judge.examine(_renamed(point))
        return replace(
            found,
            violations={LABELS.get(label, label): x for label, x in found.violations.items()},
            repaired={"beta" if s == "mu" else s: x for s, x in found.repaired.items()},
            objectives={s: Proof(x.lower / 2, x.upper / 2) for s, x in found.objectives.items()},
        )


def _renamed(point: Point) -> Point:
    return {"mu" if symbol == "beta" else symbol: x for symbol, x in point.items()}

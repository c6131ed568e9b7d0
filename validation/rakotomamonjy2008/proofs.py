"""rakotomamonjy2008 judged: tang2009's (11) with one label, in its own symbols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cvxkernel.formulations.arithmetic.balls import exact
from cvxkernel.formulations.rakotomamonjy2008 import MultipleKernels
from cvxkernel.validation.proofs.proof import Examination, Point
from cvxkernel.validation.tang2009.proofs import SharedJudge

LABELLED = {"d": "theta", "alpha": "alpha"}  # the symbols of tang2009
SHARED = "difference"  # the label of Ω ≤ β, which says nothing of one label


class OneLabelJudge:
    """The judge of the problem with one label."""

    def __init__(self, problem: MultipleKernels) -> None:
        self.judge = SharedJudge(problem.one_label)

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of it."""
        for found in self.judge.better(_labelled(point)):
            yield {symbol: exact(found[other])[0] for symbol, other in LABELLED.items()}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced; d clipped and scaled, the machine solved there."""
        found = self.judge.examine(_labelled(point))
        wrong = {x.replace("theta", "d"): v for x, v in found.violations.items() if x != SHARED}
        repaired = {s: found.repaired[o][0] for s, o in LABELLED.items() if o in found.repaired}
        return replace(found, violations=wrong, repaired=repaired)


def _labelled(point: Point) -> Point:
    return {LABELLED[symbol]: exact(x).reshape(1, -1) for symbol, x in point.items()}


JUDGES = {"rakotomamonjy2008": OneLabelJudge}

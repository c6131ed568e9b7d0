"""rakotomamonjy2008 in balls: tang2009's (11) with one label, in its own symbols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flint import arb

from cvxkernel.formulations.rakotomamonjy2008 import MultipleKernels
from cvxkernel.formulations.rakotomamonjy2008.bounds import LABELLED
from cvxkernel.validation.proofs.proof import Examination, Point
from cvxkernel.validation.tang2009 import proofs

SHARED = "difference"  # the label of Ω ≤ β, which says nothing of one label


class Balls:
    """The judge of the problem with one label."""

    def __init__(self, problem: MultipleKernels) -> None:
        self.judge = proofs.Balls(problem.one_label)

    def upper(self, point: Point) -> arb:
        """The machine's bound at d."""
        return self.judge.upper(_labelled(point))

    def lower(self, point: Point) -> arb:
        """1ᵀα - ½ max_m αᵀYK_mYα"""
        return self.judge.lower(_labelled(point))

    def better(self, point: Point) -> Iterator[Point]:
        """What Newton's method makes of it."""
        for found in self.judge.better(_labelled(point)):
            yield {symbol: found[other] for symbol, other in LABELLED.items()}

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced; d clipped and scaled, the machine solved there."""
        found = self.judge.examine(_labelled(point))
        repaired = found.repaired
        return replace(
            found,
            violations={
                label.replace("theta", "d"): x
                for label, x in found.violations.items()
                if label != SHARED
            },
            repaired={s: repaired[o].entries() for s, o in LABELLED.items() if o in repaired},
        )


def _labelled(point: Point) -> Point:
    return {LABELLED[symbol]: x for symbol, x in point.items()}


JUDGES = {"rakotomamonjy2008": Balls}

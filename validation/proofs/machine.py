r"""A judge of the support vector machine at one matrix of balls.

maximize 1ᵀα - ½αᵀQα  subject to  0 ≤ α ≤ C, αᵀy = 0
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat

from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.arithmetic.balls import Proof, column, inner, numbers
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point


class Machine:
    """Q ⪰ 0 in balls, y and the box. Points hold α; b beside it makes a primal point of both."""

    def __init__(self, Q: arb_mat, y: Array, C: float) -> None:
        self.Q, self.y, self.C, self.n = Q, y, C, len(y)

    def feasible(self, alpha: Any) -> list[arb]:
        """α in the box with αᵀy = 0 exactly."""
        return svm.feasible(numbers(alpha), self.y, self.C)

    def primal(self, v: list[arb], b: arb) -> arb:
        """½vᵀQv + C Σᵢ max(0, 1 - (Qv)ᵢ - byᵢ), v any point"""
        w = column(v)
        image = self.Q * w
        rows = zip(image.entries(), self.y, strict=True)
        hinges = balls.total((1 - m - b * int(s)).nonnegative_part() for m, s in rows)
        return inner(w, image) / 2 + arb(self.C) * hinges

    # -- As a judge ---------------------------------------------------------------------------

    def better(self, point: Point) -> Iterator[Point]:
        """α polished; where there is none, or none in the box, libsvm's."""
        alpha = np.array([balls.below(x) for x in self.feasible(point.get("alpha", self.y * 0))])
        found = [alpha] if alpha.max() > 0 else []
        for start in (*found, self.start()):
            yield {"alpha": start}
            if start.max() > 0:
                made = svm.polished(self.Q, self.y, self.C, start)
                if made is not None:
                    yield {"alpha": made}

    def start(self) -> Array:
        """α of libsvm, in units where the largest entry of Q is 1; zero where it has none."""
        Q = balls.doubles(self.Q)
        size = float(np.abs(Q).max()) or 1.0
        try:
            return svm.machine(Q / size, self.y, self.C * size) / size
        except ValueError:  # numbers beyond what libsvm takes
            return np.zeros(self.n)

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced; with b beside it, the primal there."""
        found = Examination()
        if "alpha" not in point:
            return found
        found.violations.update(svm.off_box(point["alpha"], self.y, self.C))
        alpha = found.repaired["alpha"] = self.feasible(point["alpha"])
        found.objectives["lower"] = Proof.of(svm.value(self.Q, alpha))
        if "b" in point:
            b = found.repaired["b"] = numbers(point["b"])[0]
            found.objectives["upper"] = Proof.of(self.primal(alpha, b))
        return found

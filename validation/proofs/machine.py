r"""A judge of the support vector machine at one matrix of balls.

maximize 1ᵀα - ½αᵀQα  subject to  0 ≤ α ≤ C, αᵀy = 0
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.arithmetic import BALLS, Tensor
from cvxkernel.formulations.arithmetic.balls import Proof, exact
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.proof import Examination, Point


class Machine:
    """Q ⪰ 0 in balls, y and the box. Points hold α; b beside it makes a primal point of both."""

    def __init__(self, Q: Tensor, y: Array, C: float) -> None:
        self.Q, self.y, self.C = Q, y, C

    def feasible(self, alpha: Any) -> Tensor:
        """α in the box with αᵀy = 0 exactly."""
        return bounds.feasible(BALLS, alpha, self.y, self.C)

    def better(self, point: Point) -> Iterator[Point]:
        """α polished; where there is none, or none in the box, libsvm's."""
        alpha = self.feasible(point.get("alpha", 0.0 * self.y)).mid
        for start in (*([alpha] if alpha.max() > 0 else []), self.start()):
            yield {"alpha": start}
            if start.max() > 0:
                made = svm.polished(self.Q, self.y, self.C, start)
                if made is not None:
                    yield {"alpha": made}

    def start(self) -> Array:
        """α of libsvm, in units where the largest entry of Q is 1; zero where it has none."""
        size = float(np.abs(self.Q.mid).max()) or 1.0
        try:
            return svm.machine(self.Q.mid / size, self.y, self.C * size) / size
        except ValueError:  # numbers beyond what libsvm takes
            return np.zeros(len(self.y))

    def examine(self, point: Point) -> Examination:
        """α clipped and balanced; with b beside it, the primal there."""
        found = Examination()
        if "alpha" not in point:
            return found
        alpha = svm.examined(found, point, self.y, self.C)
        found.objectives["lower"] = Proof.of(bounds.value(BALLS, self.Q, alpha).number)
        if "b" in point:
            b = found.repaired["b"] = exact(point["b"]).reshape()
            image = self.Q @ alpha
            form = BALLS.inner(alpha, image)
            primal = bounds.primal(BALLS, form, image, self.y, self.C, b)
            found.objectives["upper"] = Proof.of(primal.number)
        return found

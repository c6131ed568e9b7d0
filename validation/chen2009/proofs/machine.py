"""chen2009 judged: (1), and (3) as a machine in the box [0, 1]."""

from __future__ import annotations

from collections.abc import Iterator

from flint import arb

from cvxkernel.formulations import chen2009
from cvxkernel.formulations import svm as bounds
from cvxkernel.formulations.arithmetic import BALLS, balls
from cvxkernel.formulations.arithmetic.balls import Proof, Tensor, exact, excess, numbers
from cvxkernel.formulations.chen2009.bounds import Regularized
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.proofs import svm
from cvxkernel.validation.proofs.machine import Machine
from cvxkernel.validation.proofs.proof import Examination, Point


def margins(
    point: Point, z: Tensor, y: Array, found: Examination, *, own: Tensor | None = None
) -> Tensor:
    """ξ raised to what the margins at z ask for; b the best where there is none.

    What the answer violates is measured at its own z, if that is another one.
    """
    b = bounds.kink(BALLS, y * z, y)
    if "b" in point:
        b = found.repaired["b"] = exact(numbers(point["b"])[0])
    xi: Tensor = (1 - y * (z + b)).positive()
    if "xi" in point:
        claimed = exact(numbers(point["xi"]))
        short = (1 - claimed - y * ((z if own is None else own) + b)).max()
        size = balls.largest([*numbers(abs(claimed)), *numbers(abs(z)), abs(b).number, arb(1)])
        found.violations["margin"] = excess(short.number, size)
        found.violations["slack"] = excess((-claimed).max().number, size)
        xi = found.repaired["xi"] = BALLS.maximum(claimed, xi)
    return xi


def dual(problem: chen2009.Machine) -> Machine:
    """(1) is the machine itself."""
    return Machine(BALLS.signed(problem.y, BALLS.kernels(problem.K)[0]), problem.y, problem.C)


class Primal:
    """(3): c, b and ξ from above, α from below."""

    def __init__(self, problem: chen2009.RegularizedMachine) -> None:
        self.bounds, self.y = Regularized(BALLS, problem), problem.y
        self.machine = Machine(self.bounds.Q, self.y, 1.0)

    def better(self, point: Point) -> Iterator[Point]:
        """What the machine makes of α."""
        ratio = self.bounds.ratio
        given = {"alpha": exact(point["alpha"]) * ratio} if "alpha" in point else {}
        for made in self.machine.better(given):
            yield {"alpha": exact(made["alpha"]) / ratio}

    def examine(self, point: Point) -> Examination:
        """ξ raised to what the margins ask for, b the best where there is none."""
        found, at = Examination(), self.bounds
        if "c" in point:
            v = self.y * exact(point["c"]) * at.ratio
            image = at.Q @ v
            xi = margins(point, self.y * image, self.y, found)
            value = (BALLS.inner(v, image) / 2 + xi.sum()) / at.n
            found.objectives["upper"] = Proof.of(value.number)
            found.repaired["c"] = point["c"]
        if "alpha" in point:
            t = exact(point["alpha"]) * at.ratio
            found.violations.update(svm.off_box(t, self.y, 1.0))
            t = bounds.feasible(BALLS, t, self.y, 1.0)
            found.objectives["lower"] = Proof.of(at.value(t).number)
            found.repaired["alpha"] = t / at.ratio
        return found

"""The units of Kim, Magnani and Boyd (2006): kernels and λ by a trace, a by a scale."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.kim2006 import KernelFisher, value
from cvxkernel.solvers.units import Scaling
from cvxkernel.solvers.units.ye2008 import Scaled, computing


class FisherUnits:
    """Kernels and λ divided by the largest trace, which changes no value; a by a scale.

    At equal weights the value is 1 then, in the epigraph t, λ times the value at the least.
    """

    def __init__(self, *, epigraph: bool = False) -> None:
        self.epigraph = epigraph

    def scaled(self, problem: KernelFisher) -> Scaled:
        """The program's numbers there."""
        top = float(np.trace(problem.kernels, axis1=1, axis2=2).max())
        low = float(value(DOUBLES, problem, np.full(problem.p, 1 / problem.p)).mid)
        made = computing(problem, problem.near.kernels / top, lam=problem.lam / top)
        target = max(1.0, top / problem.lam) if self.epigraph else 1.0
        return Scaled(made, float(np.sqrt(target / low)) if low > 0 else 1.0)

    def restored(self, problem: KernelFisher, unit: Scaled, point: Point) -> Point:
        """θ as it is, u by the scale, and t, quadratic in a and linear in the kernels."""
        factors = {"u": 1 / unit.scale, "t": problem.lam / unit.lam / unit.scale**2}
        return {symbol: value * factors.get(symbol, 1.0) for symbol, value in point.items()}


UNITS: dict[type | str, Scaling] = {
    KernelFisher: FisherUnits(),
    "kim2006-epigraph": FisherUnits(epigraph=True),
}

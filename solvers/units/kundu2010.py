r"""Units of kundu2010: K = κK̂ and α = α̂/κ, where the objective is that of the units over κ.

1ᵀα - ½αᵀYKYα = (1ᵀα̂ - ½α̂ᵀYK̂Yα̂)/κ, and ρL(K - S) = ρκᵈL(K̂ - Ŝ), d = 2 for L3 and 1 otherwise:
ρ̂ = ρκᵈ⁺¹. W ∈ ∂(ρL)(K - S) is the objective over K, Ŵ/κ². γ has no unit.
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.kundu2010 import Budgeted, Combination, Similarities, Spectra
from cvxkernel.formulations.kundu2010.losses import Rescaled
from cvxkernel.formulations.problem import with_numbers
from cvxkernel.solvers.units import Scaling, Units


def kernel_size(problem: Similarities | Spectra) -> float:
    """κ, the size of K or of S, whichever is larger, as a power of two, which loses no digit.

    Measured: units in which the entries of K are near 1 take every solver further than units in
    which the optimum is.
    """
    size = max(float(np.abs(problem.S).max()), problem.tau / problem.n)
    return float(2.0 ** np.round(np.log2(size)))


def largest_trace(problem: Combination) -> float:
    """κ for (10): the largest kernel has a trace near n."""
    size = max(float(np.trace(K)) for K in problem.kernels) / problem.n
    return float(2.0 ** np.round(np.log2(size))) if size > 0 else 1.0


class LossUnits(Units):
    """Where losses are chosen: ρ has one power more where the first is quadratic, as L3 is."""

    def scaled(self, problem: Similarities) -> Similarities:
        """Every field over κ to its power."""
        unit: Similarities = super().scaled(problem)
        kappa = self.size(problem)
        units = [loss.unit(kappa) for loss in problem.losses]
        d = units[0][1]
        unit = with_numbers(unit, rho=unit.rho * kappa ** (d - 1))
        if isinstance(problem.loss, str):
            return unit
        every = tuple(
            loss if e == d else Rescaled(loss, 1.0, kappa ** (e - d)) for loss, e in units
        )
        return with_numbers(unit, loss=every)


class BudgetUnits:
    """(5): every kernel of trace n, whose weight takes the factor; τ over κ, κC at least 1."""

    def scaled(self, problem: Budgeted) -> Budgeted:
        """Kᵢ by its factor, τ/κ and κC."""
        kappa = max(problem.tau / problem.n, 1 / problem.C)
        kernels = problem.kernels * (problem.n / problem.r)[:, None, None]
        return with_numbers(problem, kernels=kernels, C=kappa * problem.C, tau=problem.tau / kappa)

    def restored(self, problem: Budgeted, unit: Budgeted, point: Point) -> Point:
        """α by 1/κ; βᵢ by its share βᵢrᵢ/τ of the budget."""
        ratio = problem.tau / unit.tau
        factors = {"alpha": 1 / ratio, "beta": ratio * (unit.r / problem.r)}
        return {symbol: value * factors[symbol] for symbol, value in point.items()}


class SpectralUnits(Units):
    """Where eigenvectors are part of the problem: they stay the same."""

    def scaled(self, problem: Spectra) -> Spectra:
        """Every field over κ to its power, and the eigenvalues with S."""
        unit: Spectra = super().scaled(problem)
        factor = self.size(problem) ** -self.powers["S"]
        vars(unit)["bases"] = tuple(basis.scaled(factor) for basis in problem.bases)
        return unit


UNITS: dict[type | str, Scaling] = {
    Similarities: LossUnits(kernel_size, S=1, tau=1, C=-1, rho=-2, K=1, alpha=-1, x=-1, W=-2),
    Spectra: SpectralUnits(kernel_size, S=1, tau=1, C=-1, rho=-2, mu=1, alpha=-1, x=-1, w=-2),
    Budgeted: BudgetUnits(),
    Combination: Units(largest_trace, kernels=1, C=-1, alpha=-1, x=-1),
}

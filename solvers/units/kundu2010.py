r"""Units of kundu2010: K = κK̂ and α = α̂/κ, where the objective is that of the units over κ.

1ᵀα - ½αᵀYKYα = (1ᵀα̂ - ½α̂ᵀYK̂Yα̂)/κ, and ρL(K - S) = ρκᵈL(K̂ - Ŝ), d = 2 for L3 and 1 otherwise:
ρ̂ = ρκᵈ⁺¹. W ∈ ∂(ρL)(K - S) is the objective over K, Ŵ/κ². γ has no unit.
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.kundu2010 import Combination, Similarities, Spectra
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
    """Where a loss is chosen: ρ has one power more with L3, which is quadratic."""

    def scaled(self, problem: Similarities) -> Similarities:
        """Every field over κ to its power."""
        unit: Similarities = super().scaled(problem)
        if problem.loss == "L3":
            unit = with_numbers(unit, rho=unit.rho * self.size(problem))
        return unit


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
    Combination: Units(largest_trace, kernels=1, C=-1, alpha=-1, x=-1),
}

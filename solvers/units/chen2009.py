r"""The units of chen2009 and luss2007. σ is a power of two: dividing by it rounds nothing.

With σ taken out of the data the values of (1) and (2) are σ times as large, those of (3), (7) and
(12) stay as they are, at the same z, that of (8) is divided by σ and its square by σ².
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cvxkernel.formulations.chen2009.programs import (
    AugmentedSample,
    KernelMachine,
    Machine,
    NewSample,
    RegularizedMachine,
    RobustMachine,
    SpectrumMachine,
)
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.units import Scaling, Units

TINY_WEIGHT = 1e-6  # of the largest


def power_of_two(size: float) -> float:
    """The one that is nearest."""
    return float(2.0 ** np.round(np.log2(size)))


def entry(matrix: Array) -> float:
    """About the largest |entry|."""
    return power_of_two(float(np.abs(matrix).max()) or 1.0)


def of_kernel(problem: Machine | RegularizedMachine | NewSample) -> float:
    """The scale of K."""
    return entry(problem.K)


def of_similarity(problem: KernelMachine) -> float:
    """The scale of S."""
    return entry(problem.S)


def of_robust(problem: RobustMachine) -> float:
    """About the largest |entry| of S, or of vvᵀ/(4ρ) where that is larger.

    K* = (S + vvᵀ/(4ρ))₊, and without S the largest of 1ᵀα - |v|⁴/(16ρ) over the box is at
    αᵢ = min(C, (4ρ/n)^⅓).
    """
    alpha = min(problem.C, (4 * problem.rho / problem.n) ** (1 / 3))
    pull = alpha * (alpha / (4 * problem.rho))
    return power_of_two(max(float(np.abs(problem.S).max()), pull))


class ColumnUnits(Units):
    """Those of (8), with the eigenvalues of K: they are not decided again."""

    def scaled(self, problem: Any) -> Any:
        """The fields, and the basis as K."""
        unit = super().scaled(problem)
        factor = self.size(problem) ** -self.powers["K"]
        vars(unit)["basis"] = problem.basis.scaled(factor)
        return unit


class SpectrumUnits:
    """Those of (12), where γ weighs a, or k = λ∘a for h = spectrum."""

    def __init__(self, *, a: Units, k: Units) -> None:
        self.a, self.k = a, k

    def of(self, problem: SpectrumMachine) -> Units:
        """By what γ weighs."""
        return self.k if problem.h == "spectrum" else self.a

    def scaled(self, problem: SpectrumMachine) -> SpectrumMachine:
        """The fields, and the basis as S, its eigenvectors kept; no weight is tiny."""
        units = self.of(problem)
        unit: SpectrumMachine = units.scaled(problem)
        factor = units.size(problem) ** -units.powers["S"]
        vars(unit)["basis"] = problem.basis.scaled(factor)
        if problem.h == "spectrum":  # in k = λ∘a alone: any weights will do, and tiny ones will not
            lam = unit.Lam
            vars(unit)["weights"] = np.where(np.abs(lam) < TINY_WEIGHT, np.sign(lam), lam)
        return unit

    def restored(self, problem: SpectrumMachine, unit: SpectrumMachine, point: Point) -> Point:
        """By the powers, and a from the weights of the unit."""
        point = dict(self.of(problem).restored(problem, unit, point))
        if "a" in point:
            ratio = np.divide(unit.weights, unit.Lam, out=np.ones(unit.n), where=unit.Lam != 0)
            point["a"] = point["a"] * ratio
        return point


COLUMN = ColumnUnits(of_kernel, K=1, s=1, psi=1, S=1, k=1, r=1)

UNITS: dict[type | str, Scaling] = {
    # 1ᵀα - ½αᵀYKYα
    Machine: Units(of_kernel, K=1, C=-1, alpha=-1),
    # 1ᵀξ/n + ηcᵀKc at the same Kc
    RegularizedMachine: Units(of_kernel, K=1, eta=1, alpha=-1, c=-1),
    # 1ᵀα - ½αᵀYKYα + ρ‖K - S‖²
    RobustMachine: Units(of_robust, S=1, C=-1, rho=-3, alpha=-1, K=1, c=-1, u=-1, W=-2),
    # 1ᵀξ/n + ηu + γ‖K - S‖, u = zᵀK†z; W ⪰ ηvvᵀ, ‖W‖ ≤ γ
    KernelMachine: Units(of_similarity, S=1, eta=1, gamma=-1, alpha=-1, K=1, c=-1, u=-1, v=1, W=-1),
    # 1ᵀξ/n + η1ᵀu + γh(a), uᵢ = zᵢ²/kᵢ: h(a) is a number, and ‖k - λ‖ as S is
    SpectrumMachine: SpectrumUnits(
        a=Units(of_similarity, S=1, eta=1, alpha=-1, u=-1),
        k=Units(of_similarity, S=1, eta=1, gamma=-1, alpha=-1, u=-1, v=1),
    ),
    # 2‖k - s‖² + (r - ψ)² and ‖K - S‖²
    NewSample: COLUMN,
    AugmentedSample: COLUMN,
}

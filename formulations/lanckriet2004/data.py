r"""Lanckriet et al. (2004): the data that all of the programs have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import Labelled
from cvxkernel.formulations.program import Program


@dataclass(frozen=True, eq=False, repr=False)
class Margin(Labelled):
    """Kernels (p, n, n) and labels y (n,), each -1 or +1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.check_signs("y", self.y)
        inputs.check_traces("kernels", np.trace(self.kernels, axis1=1, axis2=2), self.kernels)

    @cached_property
    def G(self) -> Array:
        """G(K₁), …, G(K_p)"""
        return np.multiply(np.outer(self.y, self.y), self.kernels)

    @cached_property
    def r(self) -> Array:
        """trace K₁, …, trace K_p"""
        r: Array = np.trace(self.kernels, axis1=1, axis2=2)
        return r

    @property
    def c(self) -> float:
        """Σᵢ rᵢ"""
        return float(self.r.sum())

    def weights_from_quad(self, program: Program) -> Array:
        r"""μᵢ = νᵢ/rᵢ from the multipliers ν of t ≥ αᵀG(Kᵢ)α/rᵢ.

        ∂L/∂t = -c + Σᵢ νᵢ = 0 gives μᵀr = c, and the rest of the Lagrangian is the soft margin
        dual with the kernel Σᵢ μᵢKᵢ.
        """
        return program.dual("quad") / self.r

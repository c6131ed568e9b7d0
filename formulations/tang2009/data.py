r"""Tang, Chen and Ye (2009): the data that all of the programs have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.problem import Problem


@dataclass(frozen=True, eq=False, repr=False)
class MultiLabelled(Problem):
    """Kernels (p, n, n), labels Y (k, n) of ±1 with both signs in every row, and C > 0."""

    kernels: Array
    Y: Array
    C: float

    def __post_init__(self) -> None:
        K = inputs.kernels("kernels", self.kernels)
        object.__setattr__(self, "kernels", K)
        object.__setattr__(self, "Y", inputs.label_rows("Y", self.Y, K.shape[1]))
        object.__setattr__(self, "C", inputs.positive("C", self.C))

    @property
    def p(self) -> int:
        """How many kernels."""
        return len(self.kernels)

    @property
    def n(self) -> int:
        """How many samples."""
        return int(self.kernels.shape[1])

    @property
    def k(self) -> int:
        """How many labels."""
        return len(self.Y)

    @cached_property
    def R(self) -> tuple[Array, ...]:
        """Factors of the kernels, RᵢᵀRᵢ = Gᵢ, so that Gᵢᵗ(α) = ‖Rᵢ(yᵗ ∘ αᵗ)‖²."""
        return tuple(factor(G) for G in self.kernels)

    def combined(self, theta: Array) -> Array:
        """Σᵢ θᵢᵗGᵢ for every label, as (k, n, n)."""
        K: Array = np.tensordot(theta, self.kernels, axes=1)
        return K

    def D(self, alpha: Array) -> Array:
        """D(αᵗ, Gᵢ) = αᵗᵀe - ½αᵗᵀ(Gᵢ ∘ yᵗyᵗᵀ)αᵗ (1), as (k, p)."""
        v = self.Y * alpha
        forms = np.stack([np.sum(v * (v @ G), axis=1) for G in self.kernels], axis=1)
        D: Array = alpha.sum(axis=1)[:, None] - forms / 2
        return D

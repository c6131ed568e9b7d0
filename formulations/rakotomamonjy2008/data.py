r"""Rakotomamonjy et al. (2008): the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import factor
from cvxkernel.formulations.kundu2010.data import KernelData
from cvxkernel.formulations.tang2009 import Shared


@dataclass(frozen=True, eq=False, repr=False)
class WeightedKernels(KernelData):
    """Kernels (m, n, n), labels y (n,) of ±1, and C > 0."""

    @cached_property
    def R(self) -> tuple[Array, ...]:
        """Factors of the kernels, R_mᵀR_m = K_m: f_m = R_mᵀu_m has the norm ‖u_m‖."""
        return tuple(factor(K) for K in self.kernels)

    @cached_property
    def one_label(self) -> Shared:
        """(11) of tang2009 with one label: the same least value, over the same weights."""
        return Shared(self.kernels, self.y[None], self.C, 0.0)

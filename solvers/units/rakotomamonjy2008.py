"""rakotomamonjy2008: kernels over σ and C times σ take α to σα, and the optimum to σ times itself.

σ is that of tang2009.
"""

from __future__ import annotations

from cvxkernel.formulations.rakotomamonjy2008 import MultipleKernels
from cvxkernel.solvers.units import Scaling, Units
from cvxkernel.solvers.units.tang2009 import size

UNITS: dict[type | str, Scaling] = {MultipleKernels: Units(size, kernels=1, C=-1, alpha=-1)}

"""Rakotomamonjy, Bach, Canu and Grandvalet (2008). JMLR 9.

SimpleMKL: `MultipleKernels(kernels, y, C)` holds its program.
"""

from cvxkernel.formulations.rakotomamonjy2008 import bounds
from cvxkernel.formulations.rakotomamonjy2008.programs import MultipleKernels

__all__ = ["MultipleKernels", "bounds"]

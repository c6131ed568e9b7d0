"""Kundu, Tankasali, Bhattacharyya and Ben-Tal (2010). NIPS 23.

Learning kernels from several similarity matrices under any convex loss.

`Similarities(S, y, C, rho, tau, loss)` holds (4) and (6), `Spectra(S, y, C, rho, tau)` holds (7),
`Combination(kernels, y, C)` holds (10), and (5). An algorithm has the program of what it solves;
`solvers.MirrorDescent` runs it.
"""

from cvxkernel.formulations.kundu2010 import bounds
from cvxkernel.formulations.kundu2010.data import LOSSES
from cvxkernel.formulations.kundu2010.prediction import columns, nearest
from cvxkernel.formulations.kundu2010.programs import Combination, Similarities, Spectra

__all__ = [
    "LOSSES",
    "Combination",
    "Similarities",
    "Spectra",
    "bounds",
    "columns",
    "nearest",
]

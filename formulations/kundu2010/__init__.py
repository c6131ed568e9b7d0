"""Kundu, Tankasali, Bhattacharyya and Ben-Tal (2010). NIPS 23.

Learning kernels from several similarity matrices under any convex loss.

`Similarities(S, y, C, rho, tau, loss)` holds (4) and (6), `Spectra(S, y, C, rho, tau)` holds (7),
`Combination(kernels, y, C)` holds (10), `Budgeted(kernels, y, C, tau)` (5). An algorithm has
the program of what it solves; `solvers.MirrorDescent` runs it.
"""

from cvxkernel.formulations.kundu2010 import bounds, losses
from cvxkernel.formulations.kundu2010.losses import LOSSES, Loss
from cvxkernel.formulations.kundu2010.prediction import columns, nearest
from cvxkernel.formulations.kundu2010.programs import Budgeted, Combination, Similarities, Spectra

__all__ = [
    "LOSSES",
    "Budgeted",
    "Combination",
    "Loss",
    "Similarities",
    "Spectra",
    "bounds",
    "columns",
    "losses",
    "nearest",
]

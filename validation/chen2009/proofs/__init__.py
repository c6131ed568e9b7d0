"""chen2009 in balls, by what is learned: nothing, a kernel, a spectrum, or a test sample's column.

`machine` has (1) and (3), `kernel` (2) and (7), `spectrum` (12), `column` (8).
"""

from cvxkernel.validation.chen2009.proofs.column import Augmented, Column
from cvxkernel.validation.chen2009.proofs.kernel import Kernel, Robust
from cvxkernel.validation.chen2009.proofs.machine import Dual, Primal
from cvxkernel.validation.chen2009.proofs.spectrum import Spectrum

JUDGES = {
    "chen2009-eq1": Dual,
    "chen2009-eq3": Primal,
    "luss2007": Robust,
    "chen2009-eq7": Kernel,
    "chen2009-eq7-dual": Kernel,
    "chen2009-eq8": Augmented,
    "chen2009-eq8-qcqp": Column,
    "chen2009-eq12": Spectrum,
}

__all__ = ["JUDGES", "Augmented", "Column", "Dual", "Kernel", "Primal", "Robust", "Spectrum"]

"""chen2009 in balls, by what is learned: nothing, a kernel, a spectrum, or a test sample's column.

`machine` has (1) and (3), `kernel` (2) and (7), `spectrum` (12), `column` (8).
"""

from cvxkernel.validation.proofs.chen2009.column import Augmented, Column
from cvxkernel.validation.proofs.chen2009.kernel import Kernel, Robust
from cvxkernel.validation.proofs.chen2009.machine import Dual, Primal
from cvxkernel.validation.proofs.chen2009.spectrum import Spectrum

__all__ = ["Augmented", "Column", "Dual", "Kernel", "Primal", "Robust", "Spectrum"]

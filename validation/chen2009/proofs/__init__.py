"""chen2009 judged, by what is learned: nothing, a kernel, a spectrum, or a test sample's column.

`machine` has (1) and (3), `kernel` (2) and (7), `spectrum` (12), `column` (8).
"""

from functools import partial

from cvxkernel.formulations.chen2009 import bounds
from cvxkernel.validation.chen2009.proofs.column import ColumnJudge
from cvxkernel.validation.chen2009.proofs.kernel import KernelJudge
from cvxkernel.validation.chen2009.proofs.machine import Primal, dual
from cvxkernel.validation.chen2009.proofs.spectrum import SpectrumJudge

JUDGES = {
    "chen2009-eq1": dual,
    "chen2009-eq3": Primal,
    "luss2007": KernelJudge,
    "luss2007-maxmin": KernelJudge,
    "chen2009-eq7": KernelJudge,
    "chen2009-eq7-dual": KernelJudge,
    "chen2009-eq8": partial(ColumnJudge, kind=bounds.Augmented),
    "chen2009-eq8-qcqp": partial(ColumnJudge, kind=bounds.Column),
    "chen2009-eq12": SpectrumJudge,
}

__all__ = ["JUDGES"]

"""`fit` solves a program and proves it, `predict` is the paper's classifier: scikit-learn's way.

DiscriminantMKL     ye2008, kim2006     RKDA with a learned kernel, λ given or learned
MarginMKL           lanckriet2004       SM1, SM2, SM2_C
SharedMKL           tang2009            same, partial, independent, average
LocalizedMKL        gonen2008           gates; two classes
LocalizedSVR                            the same for numbers
LocalizedOneClassSVM                    and for one class
ModifiedSVM         chen2009            clip, flip, shift
SpectrumSVM         chen2009 (12)       the spectrum learned
LearnedKernelSVM    chen2009 (7)        the kernel learned
RobustSVM           luss2007            the worst kernel near the similarities
SimilarityMKL       kundu2010           ESKL, EMKL, REKL
KernelBank          the kernels, as a transformer
"""

from cvxkernel.solvers.estimators.bank import WIDTHS, KernelBank, gaussians
from cvxkernel.solvers.estimators.combination import (
    DiscriminantMKL,
    MarginMKL,
    SharedMKL,
)
from cvxkernel.solvers.estimators.localized import (
    LocalizedMKL,
    LocalizedOneClassSVM,
    LocalizedSVR,
)
from cvxkernel.solvers.estimators.similarity import (
    Entries,
    LearnedKernelSVM,
    ModifiedSVM,
    RobustSVM,
    SimilarityMKL,
    SpectrumSVM,
    selected_regularizer,
)

ESTIMATORS = (
    DiscriminantMKL,
    MarginMKL,
    SharedMKL,
    LocalizedMKL,
    LocalizedSVR,
    LocalizedOneClassSVM,
    ModifiedSVM,
    SpectrumSVM,
    LearnedKernelSVM,
    RobustSVM,
    SimilarityMKL,
)

__all__ = [
    "ESTIMATORS",
    "WIDTHS",
    "DiscriminantMKL",
    "Entries",
    "KernelBank",
    "LearnedKernelSVM",
    "LocalizedMKL",
    "LocalizedOneClassSVM",
    "LocalizedSVR",
    "MarginMKL",
    "ModifiedSVM",
    "RobustSVM",
    "SharedMKL",
    "SimilarityMKL",
    "SpectrumSVM",
    "gaussians",
    "selected_regularizer",
]

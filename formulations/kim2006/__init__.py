"""Kim, Magnani and Boyd (2006): optimal kernel selection in kernel Fisher discriminant analysis.

`KernelFisher(kernels, y, lam)` holds the semidefinite program that Ye, Ji and Chen (2008) compare
with, in their notation.
"""

from cvxkernel.formulations.kim2006.bounds import bound, enclose, value
from cvxkernel.formulations.kim2006.prediction import FisherClassifier
from cvxkernel.formulations.kim2006.programs import KernelFisher

__all__ = ["FisherClassifier", "KernelFisher", "bound", "enclose", "value"]

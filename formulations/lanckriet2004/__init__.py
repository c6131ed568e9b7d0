"""Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan (2004). JMLR 5.

Learning the kernel matrix with semidefinite programming: the soft margin programs.

`SoftMargin(kernels, y, C)` holds sm1 and sm2, `JointMargin(kernels, y)` holds sm2c.
"""

from cvxkernel.formulations.lanckriet2004 import bounds
from cvxkernel.formulations.lanckriet2004.data import Margin
from cvxkernel.formulations.lanckriet2004.prediction import MarginClassifier
from cvxkernel.formulations.lanckriet2004.programs import JointMargin, SoftMargin

__all__ = ["JointMargin", "Margin", "MarginClassifier", "SoftMargin", "bounds"]

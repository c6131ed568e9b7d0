r"""Ye, Ji and Chen (2008): Multi-class Discriminant Kernel Learning via Convex Programming. JMLR 9.

`Discriminant(kernels, y, lam)` holds the programs of sections 2 and 3,
`JointDiscriminant(kernels, y)` those of section 4, `RKDA` the classifier for learned weights.
"""

from cvxkernel.formulations.ye2008.prediction import RKDA
from cvxkernel.formulations.ye2008.programs import Discriminant, JointDiscriminant

__all__ = ["RKDA", "Discriminant", "JointDiscriminant"]

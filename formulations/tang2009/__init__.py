"""Tang, Chen and Ye (2009). On multiple kernel learning with multiple labels. IJCAI.

`Separate(kernels, Y, C)` holds (2), `Regularized(kernels, Y, C, lam)` Theorem 3.1 and (3), and
`Shared(kernels, Y, C, beta)` the semi-infinite (11).
"""

from cvxkernel.formulations.tang2009 import bounds
from cvxkernel.formulations.tang2009.bridge import (
    Bridge,
    beta_of_share,
    prohibitive,
    to_beta,
    to_lam,
)
from cvxkernel.formulations.tang2009.data import MultiLabelled
from cvxkernel.formulations.tang2009.prediction import (
    MultiLabelClassifier,
    accuracy,
    at_weights,
    average,
    mean_auc,
    one_against_rest,
)
from cvxkernel.formulations.tang2009.programs import Regularized, Separate, Shared

__all__ = [
    "Bridge",
    "MultiLabelClassifier",
    "MultiLabelled",
    "Regularized",
    "Separate",
    "Shared",
    "accuracy",
    "at_weights",
    "average",
    "beta_of_share",
    "bounds",
    "mean_auc",
    "one_against_rest",
    "prohibitive",
    "to_beta",
    "to_lam",
]

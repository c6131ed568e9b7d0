"""What the program of Kim, Magnani and Boyd (2006) is made of: the kernels, a, λ and J.

a is (3) of Ye, Ji and Chen (2008), J the block diagonal of (1/√m±)(I - eeᵀ/m±), as printed below.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import block_diag

from cvxkernel.formulations import inputs
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008.data import TwoClasses


@dataclass(frozen=True, eq=False, repr=False)
class WithinClasses(TwoClasses):
    """Kernels (p, n, n) not centred, labels y (n,) of two classes, λ > 0."""

    lam: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "lam", inputs.positive("lam", self.lam))
        inputs.check_classes("y", self.k, at_most=2)
        inputs.check_traces("kernels", np.trace(self.kernels, axis1=1, axis2=2), self.kernels)

    @cached_property
    def J(self) -> Array:
        """Below (3): the blocks (1/√m₊)(I - eeᵀ/m₊) and (1/√m₋)(I - eeᵀ/m₋), in the order of y."""
        blocks, order = [], []
        for label in self.classes[::-1]:
            rows = np.flatnonzero(self.y == label)
            m = len(rows)
            blocks.append((np.eye(m) - np.ones((m, m)) / m) / np.sqrt(m))
            order.append(rows)
        place = np.argsort(np.concatenate(order))
        J: Array = block_diag(*blocks)[np.ix_(place, place)]
        return J

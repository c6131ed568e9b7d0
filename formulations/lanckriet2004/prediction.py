r"""The machine that the learned weights are for: f(x) = Σⱼ αⱼyⱼ Σᵢ μᵢKᵢ(x, xⱼ) + b.

For the 1-norm b is that of the least hinge losses. For the 2-norm, Q = Σᵢ μᵢG(Kᵢ) + I/C: every
sample with αⱼ > 0 has (Qα)ⱼ + byⱼ = 1, and b is the mean of what these say, weighted by α.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.lanckriet2004 import bounds
from cvxkernel.formulations.lanckriet2004.data import Margin
from cvxkernel.formulations.lanckriet2004.programs import SoftMargin
from cvxkernel.formulations.svm import offset


@dataclass(frozen=True, eq=False)
class MarginClassifier:
    """`MarginClassifier.fit(problem, solution.variables, squared=…).scores(test_kernels)`."""

    mu: Array  # (p,); of sm2c without the identity's
    coefficients: Array  # (n,): α ∘ y
    b: float

    @classmethod
    def fit(cls, problem: Margin, point: Point, *, squared: bool) -> MarginClassifier:
        """From μ and α of a solution; `squared` for sm2 and sm2c."""
        mu, alpha = point["mu"], point["alpha"]
        ends = bounds.Bounds(DOUBLES, problem, squared=squared)
        image = ends.combined(DOUBLES.exact(mu)).mid @ alpha
        if squared:
            b = float(np.average(problem.y * (1 - image), weights=alpha))
        else:
            b = offset(image, problem.y)
        own = mu if isinstance(problem, SoftMargin) else mu[1:]
        return cls(own, problem.y * alpha, b)

    def scores(self, kernels: Array) -> Array:
        """f for test kernels (p, n_test, n): rows test points."""
        K = inputs.array("kernels", kernels)
        if K.ndim != 3 or (K.shape[0], K.shape[2]) != (len(self.mu), len(self.coefficients)):
            expected = f"shape ({len(self.mu)}, n_test, {len(self.coefficients)})"
            raise ShapeError("kernels", expected, f"shape {K.shape}")
        return np.tensordot(self.mu, K, axes=1) @ self.coefficients + self.b

r"""The classifier of the kernel Fisher discriminant: sgn(wᵀφ(x) + b).

w = φα* maximizes the ratio of Kim, Magnani and Boyd (2006) for a given kernel, with

    α* = (1/λ)(I - J(λI + JGJ)⁻¹JG)a

of Ye, Ji and Chen (2008), below (4); b is at the midpoint of the projected class means (neither
paper says where).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

from cvxkernel.formulations import inputs
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kim2006.data import WithinClasses


@dataclass(frozen=True, eq=False)
class FisherClassifier:
    """`FisherClassifier.fit(problem, theta).scores(test_kernels)`: positive is the larger label."""

    theta: Array
    alpha: Array
    b: float

    @classmethod
    def fit(cls, problem: WithinClasses, theta: Array) -> FisherClassifier:
        """From the weights of a solution."""
        theta = inputs.weights("theta", theta, (problem.p,))
        G, a, J = np.tensordot(theta, problem.kernels, axes=1), problem.a[:, 0], problem.J
        inner = problem.lam * np.eye(problem.n) + J @ G @ J
        alpha = (a - J @ solve(inner, J @ (G @ a), assume_a="pos")) / problem.lam
        projected = G @ alpha
        means = [projected[problem.y == label].mean() for label in problem.classes]
        return cls(theta, alpha, -float(np.mean(means)))

    def scores(self, kernels: Array) -> Array:
        """wᵀφ(x) + b for test kernels (p, n_test, n): rows test points."""
        return (
            np.tensordot(self.theta, inputs.array("kernels", kernels), axes=1) @ self.alpha + self.b
        )

r"""The classifier that the learned kernel is for: regularized kernel discriminant analysis.

The weights W that maximize (23) for a given kernel are eigenvectors of (Σ_K + λI)⁻¹B_K. With
Σ_K = φPPφᵀ, B_K = φHHᵀφᵀ and PH = H,

    (Σ_K + λI)⁻¹ φH = φP (G̃ + λI)⁻¹ H,

so that W = φP A with A = (G̃ + λI)⁻¹ H V Λ^{-½}, where VΛVᵀ = Hᵀ G̃ (G̃ + λI)⁻¹ H is k by k: one
Cholesky factorization. The columns satisfy Wᵀ(Σ_K + λI)W = I and Wᵀ B_K W = Λ, whose trace is (25).
A point goes to the class whose centroid is nearest in the projection Wᵀ(φ(x) - μ); with two classes
this is sgn(wᵀφ(x) + b), w the maximizer of (6) and b at the midpoint of the projected centroids
(the paper leaves b open).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import ParameterError, ShapeError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.ye2008.data import Scatter


@dataclass(frozen=True, eq=False)
class RKDA:
    """`RKDA.fit(problem, theta, lam).predict(test_kernels)`."""

    theta: Array
    lam: float
    classes: Array
    A: Array  # (n, q): W = φP A
    centroids: Array  # (k, q): the class means in the projection
    means: Array  # (n,): G e / n of the combined training kernel
    ratios: Array  # (q,): Λ; their sum is the optimal value (25)

    @classmethod
    def fit(cls, problem: Scatter, theta: Array, lam: float) -> RKDA:
        """Train on the kernels and labels of a problem with weights θ (p,) and λ ≥ 0.

        From a joint solution take `theta[1:]` and `lam = theta[0]`, which may be zero where G̃ is
        definite on what is orthogonal to e: Hᵀe = 0, and a multiple of eeᵀ changes nothing.
        """
        theta = inputs.weights("theta", theta, (problem.p,))
        lam = inputs.nonnegative("lam", lam)
        G, H = problem.combined(theta), problem.H
        M = G + lam * np.eye(problem.n)
        try:
            X = cho_solve(cho_factor(M + np.trace(M) / problem.n**2, lower=True), H)
        except LinAlgError:
            expected = "a λ at which G̃ + λI can be inverted"
            raise ParameterError("lam", expected, f"{lam:.3g}") from None
        ratios, V = eigh(X.T @ (G @ H))
        # rank H = k - 1, and a kernel may lower it further: what is left of the others is rounding.
        keep = ratios > 1e-12 * max(ratios[-1], 0.0)
        A = X @ V[:, keep] / np.sqrt(ratios[keep])
        Z = G @ A
        centroids = np.stack([Z[problem.y == label].mean(axis=0) for label in problem.classes])
        means = np.tensordot(theta, problem.kernels.mean(axis=1), axes=1)
        return cls(theta, lam, problem.classes, A, centroids, means, ratios[keep])

    def transform(self, kernels: Array) -> Array:
        """Wᵀ(φ(x) - μ) for test kernels (p, n_test, n): rows test points, columns training ones."""
        K = inputs.array("kernels", kernels)
        if K.ndim != 3 or K.shape[0] != len(self.theta) or K.shape[2] != len(self.A):
            expected = f"shape ({len(self.theta)}, n_test, {len(self.A)})"
            raise ShapeError("kernels", expected, f"shape {K.shape}")
        cross = np.tensordot(self.theta, K, axes=1) - self.means
        centred: Array = cross - cross.mean(axis=1, keepdims=True)
        Z: Array = np.matmul(centred, self.A)
        return Z

    def distances(self, kernels: Array) -> Array:
        """How far each test point is from each centroid in the projection, (n_test, k)."""
        away: Array = np.linalg.norm(self.transform(kernels)[:, None] - self.centroids, axis=2)
        return away

    def predict(self, kernels: Array) -> Array:
        """The class of each test point: the nearest centroid in the projection."""
        labels: Array = np.take(self.classes, self.distances(kernels).argmin(axis=1))
        return labels

r"""Prediction for many labels, and how the paper measures it.

    fᵗ(x) = Σⱼ αⱼᵗyⱼᵗ Σᵢ θᵢᵗKᵢ(x, xⱼ) + bᵗ

Several labels may be right at once: each is the sign of its fᵗ, and the measure is the area under
the curve (AUC), averaged over the labels. Of several classes one is right (one against the rest):
the one with the largest fᵗ, and the measure is the accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, roc_auc_score

from cvxkernel.formulations import inputs
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.formulations.formulation import Point
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.svm import offset, signed
from cvxkernel.formulations.tang2009 import bounds
from cvxkernel.formulations.tang2009.data import MultiLabelled
from cvxkernel.formulations.tang2009.programs import Separate


def at_weights(problem: MultiLabelled, theta: Array) -> Separate:
    """The machines (2) that are left when the weights (k, p), or (p,) for all labels, are given."""
    theta = inputs.array("theta", theta)
    if theta.shape == (problem.p,):
        theta = np.tile(theta, (problem.k, 1))
    theta = inputs.weights("theta", theta, (problem.k, problem.p))
    combined = problem.combined(bounds.simplex(DOUBLES, theta).mid)
    return Separate(combined, problem.Y, problem.C)


def average(problem: MultiLabelled) -> Separate:
    """The baseline: the average of the kernels, for every label."""
    return at_weights(problem, np.full(problem.p, 1.0 / problem.p))


def one_against_rest(y: Any) -> Array:
    """Labels Y (k, n) of ±1 from one of k classes per sample, in increasing order."""
    y = inputs.array("y", y)
    if y.ndim != 1:
        raise ShapeError("y", "shape (n,)", f"shape {y.shape}")
    return np.where(y == np.unique(y)[:, None], 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class MultiLabelClassifier:
    """`MultiLabelClassifier.fit(problem, solution.variables).scores(test_kernels)`."""

    theta: Array  # (k, p)
    coefficients: Array  # (k, n): α ∘ Y
    b: Array  # (k,)

    @classmethod
    def fit(cls, problem: MultiLabelled, point: Point) -> MultiLabelClassifier:
        """From the α and the weights of a solution; those of (2) have the kernel t for label t."""
        alpha = bounds.Bounds(DOUBLES, problem).alphas(point)[1].mid
        separate = isinstance(problem, Separate)
        theta = np.eye(problem.k) if separate else bounds.weights(DOUBLES, problem, point).mid
        rows = zip(problem.combined(theta), problem.Y, alpha, strict=True)
        b = np.array([offset(signed(y, K) @ a, y) for K, y, a in rows])
        return cls(theta, problem.Y * alpha, b)

    def scores(self, kernels: Array) -> Array:
        """fᵗ(x) as (k, n_test), for test kernels (p, n_test, n): rows test points."""
        K = inputs.array("kernels", kernels)
        p, n = self.theta.shape[1], self.coefficients.shape[1]
        if K.ndim != 3 or K.shape[0] != p or K.shape[2] != n:
            raise ShapeError("kernels", f"shape ({p}, n_test, {n})", f"shape {K.shape}")
        each = np.einsum("imn,tn->tim", K, self.coefficients)
        scores: Array = np.einsum("ti,tim->tm", self.theta, each) + self.b[:, None]
        return scores

    def predict(self, kernels: Array) -> Array:
        """The labels of ±1, as (k, n_test)."""
        return np.where(self.scores(kernels) >= 0, 1.0, -1.0)


def mean_auc(Y: Array, scores: Array) -> float:
    """The area under the curve of each label, averaged; every label needs both signs in Y."""
    scores = inputs.array("scores", scores)
    Y = inputs.label_rows("Y", Y, scores.shape[-1])
    rows = zip(Y, inputs.weights("scores", scores, Y.shape), strict=True)
    return float(np.mean([roc_auc_score(y, f) for y, f in rows]))


def accuracy(y: Array, scores: Array) -> float:
    """How often the largest of the k scores is that of the class y, one of 0, …, k - 1."""
    return float(accuracy_score(y, np.argmax(scores, axis=0)))

"""Prediction with a learned kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.inputs import Array


@dataclass(frozen=True)
class Machine:
    """sign(Σⱼ αⱼyⱼk(x, xⱼ) + b): the support vector machine on a learned kernel."""

    alpha: Array
    y: Array
    b: float

    @classmethod
    def at(cls, K: Array, y: Array, alpha: Array) -> Machine:
        """The machine of an α that is optimal for K; b is the best for its hinge losses."""
        return cls(alpha, y, svm.offset(svm.signed(y, K) @ alpha, y))

    def decide(self, cross: Array) -> Array:
        """Σⱼ αⱼyⱼk(x, xⱼ) + b for the rows k(x, ·) of `cross`."""
        values: Array = cross @ (self.alpha * self.y) + self.b
        return values

    def predict(self, cross: Array) -> Array:
        """±1 for each row."""
        return np.where(self.decide(cross) >= 0, 1.0, -1.0)


def extend(K: Array, S: Array, s: Array) -> Array:
    """Rows k(x, ·) for rows s(x, ·) of similarities to the training samples.

    # Paper does not say how a new sample meets the learned K. K = PS has P = KS⁺, and the same map
    # takes s to Ps: exact for a kernel with the eigenvectors of S, as in (7), and for S itself.
    """
    lam, V = np.linalg.eigh((S + S.T) / 2)
    keep = np.abs(lam) > len(S) * np.finfo(np.float64).eps * np.abs(lam).max(initial=0.0)
    inverse = (V[:, keep] / lam[keep]) @ V[:, keep].T
    rows: Array = s @ inverse @ K
    return rows

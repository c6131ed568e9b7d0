"""The discriminant (8), with kernels evaluated only where they count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cvxkernel.formulations import svm
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.gonen2008 import bounds
from cvxkernel.formulations.gonen2008.data import gates
from cvxkernel.formulations.gonen2008.programs import Gated, GatedOneClass, GatedRegression
from cvxkernel.formulations.inputs import Array

Kernel = Callable[[Array, Array], Array]  # K(X, Z), scaled as the kernels of the problem were


@dataclass(frozen=True, eq=False)
class Discriminant:
    """f(x) = Σᵢ Σ_m αᵢyᵢη_m(x)K_m(x, xᵢ)η_m(xᵢ) + b, (8), over the support vectors."""

    kernels: Sequence[Kernel]
    X: Array  # the support vectors
    weights: Array  # αᵢyᵢ; in section 3.2 βᵢ, αᵢ
    b: float
    V: Array
    v0: Array

    @classmethod
    def fit(
        cls,
        problem: Gated | GatedRegression | GatedOneClass,
        alpha: Array,
        kernels: Sequence[Kernel],
    ) -> Discriminant:
        """At the α of (7), or the β of regression, and the best b.

        In section 3.2 f is what regression predicts, and of one class what is negative outside.
        """
        if isinstance(problem, Gated):
            b = svm.offset(svm.signed(problem.y, problem.K_eta) @ alpha, problem.y)
            used, weights = support(alpha, problem.C), alpha * problem.y
        else:
            machine = bounds.extended(DOUBLES, problem)
            b = float(machine.kink(machine.K @ alpha).mid)
            used, weights = support(np.abs(alpha), float(machine.high.mid)), alpha
        return cls(tuple(kernels), problem.X[used], weights[used], b, problem.V, problem.v0)

    def __call__(self, X: Array, *, threshold: float = 0.0) -> Array:
        """f at the rows of X, K_m(x, xᵢ) evaluated only where both gates are above `threshold`.

        What is left out is below threshold · Σᵢ |αᵢ| |K_m(x, xᵢ)| for each m.
        """
        here, there = gates(X, self.V, self.v0), gates(self.X, self.V, self.v0)
        f = np.full(len(X), self.b)
        for K, eta, eta_i in zip(self.kernels, here, there, strict=True):
            rows, columns = eta > threshold, eta_i > threshold
            if rows.any() and columns.any():
                block = K(X[rows], self.X[columns])
                f[rows] += eta[rows] * (block @ (self.weights * eta_i)[columns])
        return f

    def evaluations(self, X: Array, *, threshold: float = 0.0) -> int:
        """How many values K_m(x, xᵢ) that takes."""
        here, there = gates(X, self.V, self.v0), gates(self.X, self.V, self.v0)
        return int(((here > threshold).sum(axis=1) * (there > threshold).sum(axis=1)).sum())


def support(alpha: Array, C: float) -> NDArray[np.bool_]:
    """Which samples are support vectors: α above a millionth of the box, or of the largest α."""
    used: NDArray[np.bool_] = alpha > 1e-6 * min(C, float(alpha.max(initial=0.0)))
    return used

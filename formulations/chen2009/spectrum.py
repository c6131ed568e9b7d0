r"""Spectrum modifications of a symmetric similarity matrix, S = UΛUᵀ (sections 2 and 3.3).

    clip    U max(Λ, 0) Uᵀ                    = A S with a = 1 where λᵢ ≥ 0, else 0
    flip    U |Λ| Uᵀ                          = A S with a = sgn λ
    shift   U (Λ + |min(λ_min, 0)| I) Uᵀ

where A = U diag(a) Uᵀ. LAPACK returns an eigenvalue that is zero as a few units in the last place
of the largest: |λᵢ| ≤ `ZERO`·n·max|λ| counts as zero here. In (12), where the sign decides, it is
proved (`formulations.eigenbasis`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.inputs import Array

ZERO = 4 * EPS  # times n and the largest |λ|
RANK = 1e-9  # of the largest eigenvalue: a solver leaves what should be zero at its own accuracy


def eigen(S: Array) -> tuple[Array, Array]:
    """Λ in increasing order, with zeros where it is zero to rounding, and U."""
    lam, U = eigh((S + S.T) / 2)
    lam[np.abs(lam) <= ZERO * len(S) * np.abs(lam).max(initial=0.0)] = 0.0
    return lam, U


def compose(lam: Array, U: Array) -> Array:
    """U diag(λ) Uᵀ, symmetric to the last bit."""
    K = (U * lam) @ U.T
    symmetric: Array = (K + K.T) / 2
    return symmetric


def solution(
    d: Array, V: Array, z: Array, tolerance: float = RANK
) -> tuple[Array, NDArray[np.bool_]]:
    """c = V diag(d)†z, and which d were inverted: those above `tolerance` times the largest."""
    kept = d > tolerance * max(float(d.max()), 0.0)
    c: Array = V[:, kept] @ (z[kept] / d[kept])
    return c, kept


def clip(S: Array) -> Array:
    """The nearest positive semidefinite matrix in the Frobenius norm."""
    lam, U = eigen(S)
    return compose(np.maximum(lam, 0.0), U)


def flip(S: Array) -> Array:
    """Singular values for eigenvalues."""
    lam, U = eigen(S)
    return compose(np.abs(lam), U)


def shift(S: Array) -> Array:
    """S + |min(λ_min(S), 0)| I"""
    lam, _ = eigen(S)
    return S + abs(min(float(lam[0]), 0.0)) * np.eye(len(S))


def a_clip(lam: Array) -> Array:
    """1 where λᵢ ≥ 0, else 0."""
    return np.where(lam >= 0, 1.0, 0.0)


def a_flip(lam: Array) -> Array:
    """sgn λ, zero where λᵢ = 0."""
    return np.sign(lam)


def transformation(S: Array, a: Array) -> Array:
    """A = U diag(a) Uᵀ, with a in the order of `eigen`: K_a = AS, and k = As for a test sample."""
    return compose(a, eigen(S)[1])


def augment(modify: Callable[[Array], Array], S: Array, s: Array, psi: float) -> Array:
    """Wu et al. (2005): s̃, the last column of the modified [[S, s], [sᵀ, ψ]] without its end.

    `modify` is clip, flip, shift or any other function of a similarity matrix.
    """
    augmented: Array = modify(np.block([[S, s[:, None]], [s[None], np.array([[psi]])]]))
    return augmented[:-1, -1]

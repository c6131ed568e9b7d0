"""Eigenvalues and eigenvectors in numbers of many bits, by Jacobi's rotations."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from flint import arb

from attack.reference.cone import NoReference

ZERO = 2.0**-280  # relative: an eigenvalue below is zero; of small matrices of doubles it is
APART = 2.0**-200  # relative: eigenvalues that are nearer than this coincide

number = np.vectorize(lambda v: arb(float(v)), otypes=[object])
mid = np.vectorize(lambda v: arb(v).mid(), otypes=[object])


def symmetric(K: np.ndarray) -> np.ndarray:
    """(K + Kᵀ)/2 of the doubles as they are."""
    K = number(K)
    return mid((K + K.swapaxes(-1, -2)) / 2)


def jacobi(S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """λ increasing and the eigenvectors in the columns of U; what is zero to the bits is zero."""
    n = len(S)
    A, U = S.copy(), number(np.eye(n))
    size = sum((abs(v) for v in S.flat), arb(0)).mid()
    for _ in range(60):
        off = [(i, j) for i in range(n) for j in range(i) if abs(A[i, j]) > 2.0**-400 * size]
        if not off:
            break
        for i, j in off:
            if A[i, j] == 0:
                continue
            theta = ((A[j, j] - A[i, i]) / (2 * A[i, j])).mid()
            t = (1 if theta >= 0 else -1) / (abs(theta) + (1 + theta * theta).sqrt())
            c = (1 / (1 + t * t).sqrt()).mid()
            R = number(np.eye(n))
            R[i, i] = R[j, j] = c
            R[i, j], R[j, i] = (t * c).mid(), -(t * c).mid()
            A, U = mid(R.T @ A @ R), mid(U @ R)
    else:
        raise NoReference("Jacobi's rotations did not end")
    lam = np.array([v if abs(v) > ZERO * size else arb(0) for v in A.diagonal()])
    order = sorted(range(n), key=lambda i: float(lam[i]))
    return lam[order], U[:, order]


def plus(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues of K₊ and the eigenvectors."""
    lam, U = jacobi(symmetric(K))
    return np.array([v if v > 0 else arb(0) for v in lam]), U


def nearest(K: np.ndarray) -> np.ndarray:
    """K₊, the semidefinite matrix nearest to (K + Kᵀ)/2."""
    lam, U = plus(K)
    return mid((U * lam) @ U.T)


def root(K: np.ndarray) -> np.ndarray:
    """R with RᵀR = K₊, of as many rows as K₊ has rank."""
    lam, U = plus(K)
    kept = [i for i, v in enumerate(lam) if v > 0]
    return mid(np.array([U[:, i] * lam[i].sqrt() for i in kept]).reshape(len(kept), len(K)))


def distinct(S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """λ and U of S; NoReference where eigenvalues coincide, and U is a choice."""
    lam, U = jacobi(symmetric(S))
    size = max(abs(v) for v in lam)
    if any(b - a <= APART * size for a, b in pairwise(lam)):
        raise NoReference("eigenvalues coincide")
    return lam, U

"""How a new sample meets a learned kernel, of which the paper says nothing.

`nearest` is (8) of chen2009 for every new sample. `columns` extends K = AS: right where K has
the eigenvectors of S. Elsewhere A = KS⁺ divides by the small eigenvalues of S: trained on half of
Aural Sonar, labels by it are worse than guesses, where nine of ten by `nearest` are right.
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.chen2009 import prediction, spectrum
from cvxkernel.formulations.inputs import Array


def nearest(K: Array, s: Array, psi: Array) -> Array:
    """The columns k nearest to those of s (n, t), each with ψ(x, x) (t,), consistent with K."""
    return prediction.nearest_columns(K, s, psi)


def columns(K: Array, S: Array, s: Array) -> Array:
    """k = KS⁺s for columns s (n, t) of similarities of t new samples to the n training samples.

    K = AS has A = KS⁺, and the same map takes s to As, as chen2009 does for a modified spectrum.

    For several similarities, stacks (m, n, n) and (m, n, t), and one column for each.
    """
    if S.ndim == 3:
        return np.stack([columns(*each) for each in zip(K, S, s, strict=True)])
    lam, U = spectrum.eigen(S)
    inverse = np.divide(1.0, lam, out=np.zeros_like(lam), where=lam != 0)
    k: Array = K @ (spectrum.compose(inverse, U) @ s)
    return k

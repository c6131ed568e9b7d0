"""How a new sample meets a learned kernel."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.chen2009 import spectrum
from cvxkernel.formulations.inputs import Array


def columns(K: Array, S: Array, s: Array) -> Array:
    """k = KS⁺s for columns s (n, t) of similarities of t new samples to the n training samples.

    # Paper does not say how a new sample meets the learned K. K = AS has A = KS⁺, and the same map
    # takes s to As, as chen2009 does for a modified spectrum: exact for a kernel with the
    # eigenvectors of S, as in (7).

    For several similarities, stacks (m, n, n) and (m, n, t), and one column for each.
    """
    if S.ndim == 3:
        return np.stack([columns(*each) for each in zip(K, S, s, strict=True)])
    lam, U = spectrum.eigen(S)
    inverse = np.divide(1.0, lam, out=np.zeros_like(lam), where=lam != 0)
    k: Array = K @ (spectrum.compose(inverse, U) @ s)
    return k

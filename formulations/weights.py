"""Weights of kernels, in any arithmetic, and what they spend too much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cvxkernel.formulations.arithmetic import Arithmetic, Tensor

# Where the identity is one of the kernels its weight may be zero and the matrix singular: these
# shares of it are tried. A share s costs at most a factor 1/(1 - s) of the value.
IDENTITY_SHARES = (0.0, 1e-13, 1e-11, 1e-9)


def simplex(F: Arithmetic, given: Any, r: Tensor, budget: Any = 1.0) -> Tensor:
    """θ clipped at zero and scaled to θᵀr = budget, but for rounding; equal shares of nothing.

    It is exact, and `overspent` tells by how much it misses the budget.
    """
    theta, r = F.clipped(given), F.exact(r)
    spent = F.inner(theta, r)
    made = theta * (budget / spent) if spent > 0 else budget / (len(r) * r)
    return made.point()


def overspent(F: Arithmetic, theta: Tensor, r: Tensor, budget: Any = 1.0) -> Tensor:
    """max(1, θᵀr/budget): divided by it, θ is within the budget."""
    return F.maximum(F.inner(theta, r) / budget, 1.0)


def with_identity(F: Arithmetic, theta: Tensor, r: Tensor, budget: Any = 1.0) -> Iterator[Tensor]:
    """θ, and with more of the identity, which stands first."""
    yield theta
    first = np.eye(len(r))[0]
    for share in IDENTITY_SHARES[1:]:
        yield (theta * (1 - F.exact(share)) + first * (budget * share / r[0])).point()

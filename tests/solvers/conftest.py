"""What the tests of the solvers share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space


@pytest.fixture
def check_derivatives():
    """check_derivatives(phi, w): those of a `MarginFunction` are those of its value."""
    return _derivatives


def _derivatives(phi, w, step=1e-6):
    """By differences; and by another way: Jₜ is ½lᵀM⁻¹l over αᵗ = α₀ + Zz, yᵗᵀZ = 0, M = ZᵀQZ."""
    at = phi.at(w)
    H = at.hessian()
    size = np.abs(H).max()
    for i in range(phi.p):
        e = step * np.eye(phi.p)[i]
        plus, minus = phi.at(w + e, at), phi.at(w - e, at)
        for one in (plus, minus):  # the formula holds while the free samples stay
            assert all(map(np.array_equal, free(one), free(at)))
        # second order in the step, and cancellation
        difference = smooth(plus) - smooth(minus)
        assert difference / (2 * step) == pytest.approx(at.gradient[i], rel=1e-6)
        slope = (plus.gradient - minus.gradient) / (2 * step)
        assert slope == pytest.approx(H[i], rel=1e-5, abs=1e-6 * size)
    assert at.bound <= at.value <= at.upper * (1 + 1e-12)
    blocks = []
    for machine_, F in zip(at.machines, free(at), strict=True):
        Z = null_space(machine_.y[F][None])
        B = Z.T @ machine_.images[:, F].T
        blocks.append(B.T @ np.linalg.solve(Z.T @ machine_.Q @ Z, B))
    assert pytest.approx(phi.region.curvature(np.array(blocks)), abs=1e-7 * size) == H


def smooth(at):
    """J alone: the price has kinks."""
    return at.value - at.phi.region.price(at.w)


def free(at):
    return [machine_.free for machine_ in at.machines]

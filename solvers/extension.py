"""The machines of gonen2008, section 3.2, at a gating: their coefficients as near as doubles allow.

Regression is a quadratic program over the box in (α⁺, α⁻), one class one with a total of 1.
"""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.gonen2008 import GatedOneClass, GatedRegression
from cvxkernel.formulations.gonen2008.extension import OneClass
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.box import interior_point, polish, quadratic_program


def regression(at: GatedRegression, near: Array | None = None) -> Array:
    """β"""
    K, y, n = at.K_eta, at.y, at.n
    H = np.block([[K, -K], [-K, K]])
    q = np.concatenate([y, -y]) - at.epsilon
    if not (q > 0).any():
        return np.zeros(n)
    start = None if near is None else np.maximum(np.concatenate([near, -near]), 0.0)
    signs = np.repeat([1.0, -1.0], n)
    alpha = quadratic_program(H, q, signs, at.C, near=start)
    beta: Array = alpha[:n] - alpha[n:]
    return beta


def one_class(at: GatedOneClass, near: Array | None = None) -> Array:
    """α"""
    n, top = at.n, min(1.0, 1 / (at.nu * at.n))
    K = at.K_eta / max(float(at.K_eta.diagonal().max()), TINY)
    machine, ones, none = OneClass(DOUBLES, DOUBLES.exact(K), at.nu), np.ones(n), np.zeros(n)

    def polished(start: Array) -> Array | None:
        return polish(K, ones, top, np.clip(start, 0.0, top), none, total=1.0)

    if near is not None:
        moved = polished(near)
        if moved is not None and (moved < top).any():
            return np.asarray(machine.feasible(moved).mid)
    start = interior_point(K, none, ones, top, total=1.0)
    tried = [start, polished(start)]
    made = [machine.feasible(a) for a in tried if a is not None]
    return np.asarray(max(made, key=lambda a: float(machine.value(a).mid)).mid)

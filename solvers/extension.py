"""The machines of gonen2008, section 3.2, at a gating: their coefficients as near as doubles allow.

Regression is a quadratic program over the box in (α⁺, α⁻), one class one with a total of 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.gonen2008 import GatedOneClass, GatedRegression
from cvxkernel.formulations.gonen2008.extension import OneClass
from cvxkernel.formulations.inputs import Array
from cvxkernel.solvers.box import SETTLED, interior_point, polish, quadratic_program, violation


def coefficients(at: GatedRegression | GatedOneClass) -> Array:
    """β or α, whichever the machine has."""
    return regression(at) if isinstance(at, GatedRegression) else one_class(at)


def regression(at: GatedRegression, near: Array | None = None) -> Array:
    """β"""
    K, y, n = at.K_eta, at.y, at.n
    H = np.block([[K, -K], [-K, K]])
    q = np.concatenate([y, -y]) - at.epsilon
    if not (q > 0).any():
        return np.zeros(n)
    signs = np.repeat([1.0, -1.0], n)
    starts = [] if near is None else [np.maximum(np.concatenate([near, -near]), 0.0)]
    best, least = np.zeros(2 * n), np.inf
    for alpha in _tried(H, q, signs, at.C, starts):
        off = violation(H, signs, at.C, alpha, q)
        best, least = (alpha, off) if off < least else (best, least)
        if least <= SETTLED * float(np.abs(q).max()):
            break
    beta: Array = best[:n] - best[n:]
    return beta


def _tried(H: Array, q: Array, signs: Array, C: float, starts: list[Array]) -> Iterator[Array]:
    """From what is near, from nothing, in units of the box and of the kernel."""
    for start in (*starts, None):
        yield quadratic_program(H, q, signs, C, near=start)
    for unit in (C, 1.0):
        alpha = np.clip(unit * interior_point(unit * H, q, signs, C / unit), 0.0, C)
        yield alpha
        polished = polish(H, signs, C, alpha, q)
        if polished is not None:
            yield polished


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

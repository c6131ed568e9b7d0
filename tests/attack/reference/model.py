"""Programs for `cone`, in affine expressions: arrays whose last axis is (x, 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat

from attack.reference.cone import Ends, Matrix, Rows, solve
from attack.reference.spectrum import number

Affine = np.ndarray  # of objects, (…, d + 1)


class Model:
    """Variables with where they start, which is strictly feasible; constraints; an objective."""

    def __init__(self, **starts: Any) -> None:
        self.start: list[arb] = []
        self.blocks: list[Matrix | Rows] = []
        self.rows: list[Affine] = []
        shapes = {name: np.shape(value) for name, value in starts.items()}
        self.d = sum(int(np.prod(shape)) for shape in shapes.values())
        self._of: dict[str, Affine] = {}
        for name, value in starts.items():
            entries = np.asarray(value, dtype=object).reshape(-1)
            part = number(np.zeros((len(entries), self.d + 1)))
            for k in range(len(entries)):
                part[k, len(self.start) + k] = arb(1)
            self.start += [arb(v) for v in entries]
            self._of[name] = part.reshape(*shapes[name], self.d + 1)

    def __getitem__(self, name: str) -> Affine:
        return self._of[name]

    def constant(self, value: Any) -> Affine:
        """A number, or an array of them, as an expression."""
        value = np.asarray(value, dtype=object)
        out = number(np.zeros((*value.shape, self.d + 1)))
        out[..., -1] = value
        return out

    def nonnegative(self, expression: Affine) -> None:
        """Every entry ≥ 0."""
        self.rows += list(expression.reshape(-1, self.d + 1))

    def psd(self, M: Affine) -> None:
        """M ⪰ 0, of (s, s, d + 1)."""
        s = len(M)
        self.blocks.append(
            Matrix([arb_mat(s, s, list(M[:, :, i].reshape(-1))) for i in range(self.d + 1)])
        )

    def over(self, v: Affine, g: Affine, t: Affine) -> None:
        """‖v‖²/g ≤ t: [gI v; vᵀ t] ⪰ 0, of v (k, d + 1)."""
        k = len(v)
        M = number(np.zeros((k + 1, k + 1, self.d + 1)))
        for i in range(k):
            M[i, i], M[i, k], M[k, i] = g, v[i], v[i]
        M[k, k] = t
        self.psd(M)

    def square(self, v: Affine, t: Affine) -> None:
        """‖v‖² ≤ t"""
        self.over(v, self.constant(arb(1)), t)

    def norm(self, v: Affine, t: Affine) -> None:
        """‖v‖ ≤ t"""
        self.over(v, t, t)

    def minimize(self, objective: Affine) -> Ends:
        """Both ends of the optimum."""
        blocks = [*self.blocks, *([Rows(self.rows)] if self.rows else [])]
        return solve(list(objective[:-1]), blocks, self.start, objective[-1])

    def maximize(self, objective: Affine) -> Ends:
        """Both ends of the optimum."""
        low, high = self.minimize(-objective)
        return -high, -low

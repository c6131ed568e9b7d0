"""Gönen and Alpaydın (2008): the gating model, and the data that every gating is for."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import softmax

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import Labelled


def gates(X: Array, V: Array, v0: Array) -> Array:
    """η_m(xᵢ), as (p, n): each column adds up to one."""
    eta: Array = softmax(V @ X.T + v0[:, None], axis=0)
    return eta


@dataclass(frozen=True, eq=False, repr=False)
class Points(Labelled):
    """Kernels (p, n, n), labels y (n,) of ±1, the points X (n, d) themselves, and C > 0."""

    X: Array
    C: float

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.check_signs("y", self.y)
        X = inputs.array("X", self.X)
        if X.ndim != 2 or len(X) != self.n or X.shape[1] == 0:
            expected = f"shape ({self.n}, d), one point per row of the kernels"
            raise ShapeError("X", expected, f"shape {X.shape}")
        inputs.check_size("X", X)
        X.flags.writeable = False
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "C", inputs.positive("C", self.C))

    @property
    def d(self) -> int:
        """The dimension of the points."""
        return int(self.X.shape[1])

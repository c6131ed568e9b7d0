"""Gönen and Alpaydın (2008): the gating model, and the data that every gating is for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import softmax

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import ParameterError, ShapeError
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import Labelled, Stacked


def gates(X: Array, V: Array, v0: Array) -> Array:
    """η_m(xᵢ), as (p, n): each column adds up to one."""
    eta: Array = softmax(V @ X.T + v0[:, None], axis=0)
    return eta


class Placed:
    """Mixed into a problem whose samples are points: the rows of X (n, d)."""

    X: Array
    n: int

    def _check_points(self) -> None:
        X = inputs.array("X", self.X)
        if X.ndim != 2 or len(X) != self.n or X.shape[1] == 0:
            expected = f"shape ({self.n}, d), one point per row of the kernels"
            raise ShapeError("X", expected, f"shape {X.shape}")
        inputs.check_size("X", X)
        object.__setattr__(self, "X", inputs.frozen(X))

    @property
    def d(self) -> int:
        """The dimension of the points."""
        return int(self.X.shape[1])


@dataclass(frozen=True, eq=False, repr=False)
class Points(Placed, Labelled):
    """Kernels (p, n, n), labels y (n,) of ±1, the points X (n, d) themselves, and C > 0."""

    X: Array
    C: float

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.check_signs("y", self.y)
        self._check_points()
        object.__setattr__(self, "C", inputs.positive("C", self.C))


@dataclass(frozen=True, eq=False, repr=False)
class Targets(Placed, Stacked):
    """Kernels (p, n, n), numbers y (n,) to be met to within ε ≥ 0, points X (n, d), and C > 0."""

    y: Array
    X: Array
    C: float
    epsilon: float

    def __post_init__(self) -> None:
        super().__post_init__()
        y = inputs.array("y", self.y)
        if y.shape != (self.n,):
            expected = f"shape ({self.n},), one number per row of the kernels"
            raise ShapeError("y", expected, f"shape {y.shape}")
        inputs.check_size("y", y)
        object.__setattr__(self, "y", inputs.frozen(y))
        self._check_points()
        object.__setattr__(self, "C", inputs.positive("C", self.C))
        object.__setattr__(self, "epsilon", inputs.nonnegative("epsilon", self.epsilon))


@dataclass(frozen=True, eq=False, repr=False)
class Unlabelled(Placed, Stacked):
    """Kernels (p, n, n), points X (n, d), and ν in (0, 1]: the part of them that may be outside."""

    X: Array
    nu: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_points()
        nu = inputs.positive("nu", self.nu)
        if nu > 1:
            raise ParameterError("nu", "a number above 0, and 1 at most", f"{nu:g}")
        object.__setattr__(self, "nu", nu)


class Gating(Placed):
    """Mixed into a problem with a gating: V (p, d), v0 (p,)."""

    kernels: Array
    V: Array
    v0: Array
    p: int

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[misc]  # of the data beside it
        for key, shape in (("V", (self.p, self.d)), ("v0", (self.p,))):
            given = inputs.weights(key, getattr(self, key), shape)
            inputs.check_size(key, given)
            object.__setattr__(self, key, given)

    @cached_property
    def eta(self) -> Array:
        """η_m(xᵢ), as (p, n)"""
        return gates(self.X, self.V, self.v0)

    @cached_property
    def K_eta(self) -> Array:
        """K_η(xᵢ, xⱼ) = Σ_m η_m(xᵢ) K_m(xᵢ, xⱼ) η_m(xⱼ)"""
        K: Array = np.zeros((self.n, self.n))
        for eta, K_m in zip(self.eta, self.kernels, strict=True):
            K += eta[:, None] * K_m * eta
        return K

    def slope(self, beta: Array) -> tuple[Array, Array]:
        """The derivatives in (V, v0) of -½ Σᵢ Σⱼ βᵢβⱼK_η(xᵢ, xⱼ), the β given: `Gated.gradient`."""
        u = beta * self.eta  # (k, i): βᵢη_k(xᵢ)
        terms = u[:, :, None] * self.kernels * u[:, None, :]
        s = -(terms.sum(axis=2) + terms.sum(axis=1)) / 2  # (k, i): what xᵢ multiplies
        rest = s - self.eta * s.sum(axis=0)  # (m, i): Σ_k s_k(i)(δᵏ_m - η_m(xᵢ))
        return rest @ self.X, rest.sum(axis=1)

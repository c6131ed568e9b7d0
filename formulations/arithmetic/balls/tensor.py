"""Arrays of balls."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from cvxkernel.formulations.inputs import Array


class Tensor:
    """An array of balls: any shape, numpy's broadcasting, arb's radii."""

    __slots__ = ("_matrix", "x")
    __array_ufunc__ = None  # an array on the left leaves the operation to us

    def __init__(self, x: Any) -> None:
        self.x: NDArray[Any] = np.asarray(x, dtype=object)
        self._matrix: arb_mat | None = None

    def __repr__(self) -> str:
        return f"Tensor({self.x!r})"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.x.shape

    @property
    def ndim(self) -> int:
        """0, 1 or 2, or more for a stack."""
        return self.x.ndim

    def __len__(self) -> int:
        return len(self.x)

    @property
    def T(self) -> Tensor:
        """Transposed."""
        return Tensor(self.x.T)

    def __getitem__(self, index: Any) -> Tensor:
        return Tensor(self.x[index])

    def reshape(self, *shape: int) -> Tensor:
        """The same entries."""
        return Tensor(self.x.reshape(shape))

    def diagonal(self) -> Tensor:
        """Aᵢᵢ"""
        return Tensor(self.x.diagonal())

    @property
    def number(self) -> arb:
        """The ball of a tensor of one entry."""
        ball: arb = self.x.item()
        return ball

    @property
    def matrix(self) -> arb_mat:
        """As a matrix of balls; a vector is a column."""
        if self._matrix is None:
            rows = len(self.x)
            columns = self.x.size // max(rows, 1)
            self._matrix = arb_mat(rows, columns, self.x.ravel().tolist())
        return self._matrix

    @property
    def lower(self) -> Any:
        """Not above any of its numbers, exact."""
        return _LOWER(self.x)

    @property
    def upper(self) -> Any:
        """Not below, exact."""
        return _UPPER(self.x)

    @property
    def mid(self) -> Array:
        """The middle, as doubles."""
        return np.asarray(_DOUBLE(self.x), dtype=np.float64)

    def point(self) -> Tensor:
        """The middle, exact."""
        return Tensor(_MIDDLE(self.x))

    def is_finite(self) -> bool:
        """Whether every number in it is."""
        return all(x.is_finite() for x in self.x.flat)

    def __gt__(self, other: Any) -> Any:
        return self.x > exact(other).x

    def __lt__(self, other: Any) -> Any:
        return self.x < exact(other).x

    def __ge__(self, other: Any) -> Any:
        return self.x >= exact(other).x

    def __le__(self, other: Any) -> Any:
        return self.x <= exact(other).x

    def __neg__(self) -> Tensor:
        return Tensor(-self.x)

    def __add__(self, other: Any) -> Tensor:
        return Tensor(self.x + exact(other).x)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tensor:
        return Tensor(self.x - exact(other).x)

    def __rsub__(self, other: Any) -> Tensor:
        return Tensor(exact(other).x - self.x)

    def __mul__(self, other: Any) -> Tensor:
        return Tensor(self.x * exact(other).x)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        return Tensor(self.x / exact(other).x)

    def __rtruediv__(self, other: Any) -> Tensor:
        return Tensor(exact(other).x / self.x)

    def __matmul__(self, other: Any) -> Tensor:
        b = exact(other)
        left = self.matrix.transpose() if self.ndim == 1 else self.matrix
        shape = (*self.shape[:-1], *b.shape[1:])
        made = np.empty(int(np.prod(shape, dtype=int)), dtype=object)
        made[:] = (left * b.matrix).entries()
        return Tensor(made.reshape(shape))

    def __rmatmul__(self, other: Any) -> Tensor:
        return exact(other) @ self

    def __abs__(self) -> Tensor:
        return Tensor(np.abs(self.x))

    def sum(self, axis: int | None = None) -> Tensor:
        """Σ of all entries, or along an axis."""
        return Tensor(np.add.reduce(self.x, axis=axis, initial=arb(0)))

    def trace(self) -> Tensor:
        """Σᵢ Aᵢᵢ"""
        return self.diagonal().sum()

    def square(self) -> Tensor:
        """x², never negative."""
        return (self * self).positive()

    def positive(self) -> Tensor:
        """max(x, 0)"""
        return Tensor(_POSITIVE(self.x))

    def sqrt(self) -> Tensor:
        """√x of what is known not to be negative."""
        return Tensor(_SQRT(self.x))

    def exp(self) -> Tensor:
        """eˣ"""
        return Tensor(_EXP(self.x))

    def max(self) -> Tensor:
        """The largest entry."""
        return Tensor(reduce(lambda a, b: a.max(b), self.x.ravel().tolist()))

    def min(self) -> Tensor:
        """The smallest."""
        return -(-self).max()


_LOWER = np.frompyfunc(lambda x: x.lower(), 1, 1)
_UPPER = np.frompyfunc(lambda x: x.upper(), 1, 1)
_MIDDLE = np.frompyfunc(lambda x: x.mid(), 1, 1)
_DOUBLE = np.frompyfunc(lambda x: float(x.mid()), 1, 1)
_POSITIVE = np.frompyfunc(lambda x: x.nonnegative_part(), 1, 1)
_SQRT = np.frompyfunc(lambda x: x.nonnegative_part().sqrt(), 1, 1)
_EXP = np.frompyfunc(lambda x: x.exp(), 1, 1)
_ARB = np.frompyfunc(arb, 1, 1)


def exact(x: Any) -> Tensor:
    """Doubles, balls and matrices of balls as a tensor; a tensor is left as it is."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, arb_mat):
        made = np.empty(x.nrows() * x.ncols(), dtype=object)
        made[:] = x.entries()
        return Tensor(made.reshape(x.nrows(), x.ncols()))
    if isinstance(x, arb):
        return Tensor(x)
    if isinstance(x, list) and any(isinstance(v, arb) for v in x):
        x = np.array(x, dtype=object)
    if isinstance(x, np.ndarray) and x.dtype == object:
        return Tensor(_ARB(x))
    return Tensor(_ARB(np.asarray(x, dtype=np.float64).astype(object)))

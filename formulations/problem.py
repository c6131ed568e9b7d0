"""What most problems have: a stack of kernels and one label per sample."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from cvxkernel.formulations import inputs
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.shown import Shown, shape, shown

P = TypeVar("P")


class Problem(Shown):
    """The data of a paper's program: a frozen dataclass of arrays and numbers."""

    def headline(self) -> str:
        """The class, and the shapes of what it holds."""
        held = ", ".join(f"{f}: {shape(x)}" for f, x in self._held() if isinstance(x, np.ndarray))
        return f"{type(self).__name__} of {held}"

    def rows(self) -> dict[str, str]:
        """Every field."""
        return {name: shown(value) for name, value in self._held()}

    def _held(self) -> list[tuple[str, Any]]:
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return [(name, getattr(self, name)) for name in names if getattr(self, name) is not None]


@dataclass(frozen=True, eq=False, repr=False)
class Stacked(Problem):
    """Kernels (p, n, n), checked and read-only."""

    kernels: Array

    def __post_init__(self) -> None:
        K = inputs.kernels("kernels", self.kernels)
        object.__setattr__(self, "kernels", K)

    @property
    def p(self) -> int:
        """How many kernels."""
        return len(self.kernels)

    @cached_property
    def n(self) -> int:
        """How many samples."""
        return int(self.kernels.shape[1])


@dataclass(frozen=True, eq=False, repr=False)
class Labelled(Stacked):
    """Kernels (p, n, n) and labels y (n,) of two classes or more, checked and read-only."""

    y: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "y", inputs.labels("y", self.y, self.n))

    @cached_property
    def classes(self) -> Array:
        """The labels that occur, in increasing order."""
        return np.unique(self.y)

    @cached_property
    def k(self) -> int:
        """How many classes."""
        return len(self.classes)


def with_numbers(problem: P, **changes: Any) -> P:
    """The same problem with other numbers in some fields, which are not checked again."""
    made = object.__new__(type(problem))
    for field in fields(problem):  # type: ignore[arg-type]
        value = changes.get(field.name, getattr(problem, field.name))
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        object.__setattr__(made, field.name, value)
    return made

"""The family of errors: what a caller may catch, from the widest to the narrowest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cvxkernel.formulations.enclosure import Enclosure


class CvxkernelError(Exception):
    """Everything this package raises on purpose."""


class InputError(CvxkernelError, ValueError):
    """The input is not a problem of the kind asked for: the key, what was expected, what came."""

    def __init__(self, key: str, expected: str, came: str) -> None:
        super().__init__(f"{key}: expected {expected}; came {came}")
        self.key, self.expected, self.came = key, expected, came


class FileError(InputError):
    """The file cannot be read as a problem."""


class UnknownFormulationError(InputError):
    """No formulation has this id."""


class MissingKeyError(InputError):
    """A key of the problem is not there, or is misspelt."""


class ShapeError(InputError):
    """An array has the wrong shape or kind."""


class NotFiniteError(InputError):
    """An array holds NaN or infinity."""


class NotSymmetricError(InputError):
    """A kernel is not symmetric."""


class NotPositiveSemidefiniteError(InputError):
    """A kernel is not positive semidefinite."""


class ZeroTraceError(InputError):
    """A kernel has no trace left to normalize by."""


class LabelError(InputError):
    """The labels do not suit the program."""


class ParameterError(InputError):
    """A parameter lies outside its range."""


class ContradictionError(CvxkernelError):
    """Two ends of which the lower is above the upper: a bound of this package is wrong."""

    def __init__(self, lower: float, upper: float) -> None:
        super().__init__(f"lower end {lower:.17g} above upper end {upper:.17g}: a bound is wrong")
        self.lower, self.upper = lower, upper


class SolverError(CvxkernelError):
    """No solver could answer: `attempts` tells why, one by one, `best` the narrowest enclosure.

    `limit` is the limit on the seconds that was reached, if that is what ended it.
    """

    def __init__(
        self,
        formulation: str,
        attempts: dict[str, str],
        best: Enclosure | None = None,
        *,
        limit: float | None = None,
    ) -> None:
        told = "; ".join(f"{name}: {why}" for name, why in attempts.items())
        if best is not None:
            told += f"; the optimum lies in [{best.lower:.17g}, {best.upper:.17g}]"
        within = "" if limit is None else f" within the limit of {limit:g} s"
        super().__init__(f"{formulation}: no solver could answer{within} ({told})")
        self.formulation, self.attempts, self.best, self.limit = formulation, attempts, best, limit

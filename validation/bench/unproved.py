"""What an answer would cost without its proof: the same bounds in doubles that carry no radius.

A measurement, not an option: `unproved()` takes the radii off the arithmetic while it lasts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from cvxkernel.formulations.arithmetic.doubles import Centred, Doubles, Tensor, exact
from cvxkernel.formulations.enclosure import Enclosure


def _plain(operation: Any) -> Any:
    def plain(a: Tensor, b: Any) -> Tensor:
        b = exact(b)
        return Tensor(operation(a.mid, b.mid), _unknown(a) or _unknown(b))

    return plain


def _unknown(a: Tensor) -> float:
    """The radius of a number of which nothing is known; zero of all else."""
    return np.inf if a.mid.ndim == 0 and a.rad == np.inf else 0.0


def _end(side: float) -> property:
    """The middle, but for a number of which nothing is known."""
    return property(lambda a: side * np.inf if _unknown(a) else a.mid)


def _centred(A: Centred, B: Any) -> Tensor:
    made = exact(B).mid
    made = A.K @ (made - made.mean(axis=0))
    return Tensor(made - made.mean(axis=0))


def _forms(K: Tensor, V: Any) -> Tensor:
    v = exact(V).mid
    return Tensor((v @ K.mid * v).sum(axis=1))


def _enclosure(value: Any, lower: Any, upper: Any, variables: Any, open: Any = None) -> Enclosure:
    """Ends that rounding has crossed are exchanged."""
    low, high = sorted((float(lower.lower), float(upper.upper)))
    points = {symbol: np.asarray(exact(x).mid) for symbol, x in variables.items()}
    return Enclosure(float(exact(value).mid), low, high, points, open)


@contextmanager
def unproved() -> Iterator[None]:
    """Every operation without its radius, and every matrix as if it were known."""
    operators: dict[str, Any] = {
        "__add__": _plain(np.add),
        "__radd__": _plain(np.add),
        "__mul__": _plain(np.multiply),
        "__rmul__": _plain(np.multiply),
        "__truediv__": _plain(np.divide),
        "__matmul__": _plain(np.matmul),
        "sum": lambda a, axis=None: Tensor(a.mid.sum(axis=axis)),
        "positive": lambda a: Tensor(np.maximum(a.mid, 0.0), _unknown(a)),
        "lower": _end(-1.0),
        "upper": _end(1.0),
    }
    functions: dict[str, Any] = {
        "inner": staticmethod(lambda A, B: Tensor(np.vdot(exact(A).mid, exact(B).mid))),
        "norm": staticmethod(lambda A: Tensor(np.linalg.norm(exact(A).mid))),
        "forms": staticmethod(_forms),
        "congruence": staticmethod(lambda d, Q: Tensor(Q.mid * np.outer(d.mid, d.mid), 0.0, Q.off)),
        "unknown": staticmethod(lambda A: 0.0),
        "enclosure": staticmethod(_enclosure),
    }
    with (
        patch.multiple(Tensor, **operators),
        patch.multiple(Doubles, **functions),
        patch.object(Centred, "__matmul__", _centred),
    ):
        yield

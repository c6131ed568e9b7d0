"""What an answer would cost without its proof: the same bounds in doubles that carry no radius.

A measurement, not an option: `unproved()` takes the radii off the arithmetic while it lasts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from cvxkernel.formulations.arithmetic import doubles
from cvxkernel.formulations.arithmetic.doubles import Doubles, Tensor, exact
from cvxkernel.formulations.enclosure import Enclosure


def _plain(operation: Any) -> Any:
    return lambda a, b: Tensor(operation(a.mid, exact(b).mid))


def _product(A: Tensor, B: Tensor) -> Tensor:
    return Tensor(A.mid @ B.mid)


def _combination(weights: Any, matrices: Any) -> Tensor:
    w = exact(weights).mid
    rows = zip(w, matrices, strict=True)
    return Tensor(sum((x * M.mid for x, M in rows if x), np.zeros(matrices[0].shape)))


def _forms(K: Tensor, V: Any) -> Tensor:
    v = exact(V).mid
    return Tensor((v @ K.mid * v).sum(axis=1))


def _enclosure(value: Any, lower: Any, upper: Any, variables: Any, open: Any = None) -> Enclosure:
    """Ends that rounding has crossed are exchanged."""
    low, high = sorted((float(lower.mid), float(upper.mid)))
    points = {symbol: np.asarray(exact(x).mid) for symbol, x in variables.items()}
    return Enclosure(float(exact(value).mid), low, high, points, open)


@contextmanager
def unproved() -> Iterator[None]:
    """Every operation without its radius; what is not known in norm stays."""
    operators: dict[str, Any] = {
        "__add__": _plain(np.add),
        "__radd__": _plain(np.add),
        "__mul__": _plain(np.multiply),
        "__rmul__": _plain(np.multiply),
        "__truediv__": _plain(np.divide),
        "sum": lambda a, axis=None: Tensor(a.mid.sum(axis=axis)),
        "positive": lambda a: Tensor(np.maximum(a.mid, 0.0)),
        "lower": property(lambda a: a.mid),
        "upper": property(lambda a: a.mid),
    }
    functions: dict[str, Any] = {
        "inner": staticmethod(lambda A, B: Tensor(np.vdot(exact(A).mid, exact(B).mid))),
        "norm": staticmethod(lambda A: Tensor(np.linalg.norm(exact(A).mid))),
        "combination": staticmethod(_combination),
        "forms": staticmethod(_forms),
        "congruence": staticmethod(lambda d, Q: Tensor(Q.mid * np.outer(d.mid, d.mid), 0.0, Q.off)),
        "bracket": staticmethod(lambda Q: (Q, exact(0.0))),
        "enclosure": staticmethod(_enclosure),
    }
    with (
        patch.multiple(Tensor, **operators),
        patch.multiple(Doubles, **functions),
        patch.object(doubles, "_product", _product),
    ):
        yield

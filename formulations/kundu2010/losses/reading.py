"""Losses as files and callers name them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cvxkernel.formulations.errors import ParameterError, ShapeError
from cvxkernel.formulations.kundu2010.losses.entrywise import Huber, Insensitive, Largest, Weighted
from cvxkernel.formulations.kundu2010.losses.loss import Loss
from cvxkernel.formulations.kundu2010.losses.norms import Absolute, Euclidean, Squared
from cvxkernel.formulations.kundu2010.losses.spectral import Eigenvalues

# Those of section 4, by their names in the paper.
LOSSES: dict[str, Loss] = {"L1": Absolute(), "L2": Euclidean(), "L3": Squared()}

# The others: how each is made, and the parameters it has to have and may have.
NAMES: dict[str, tuple[Callable[..., Loss], tuple[str, ...], tuple[str, ...]]] = {
    "huber": (Huber, ("delta",), ()),
    "insensitive": (Insensitive, ("epsilon",), ()),
    "weighted": (Weighted, ("V",), ("power",)),
    "largest": (Largest, (), ()),
    "spectral": (lambda: Eigenvalues(Largest()), (), ()),
    "nuclear": (lambda: Eigenvalues(Absolute()), (), ()),
    "eigenvalues": (lambda of: Eigenvalues(loss(of)), ("of",), ()),
}
EXPECTED = f"one of {', '.join((*LOSSES, *NAMES))}, with its parameters"


def loss(given: Any) -> Loss:
    """One loss: a name, an object {"name": …} of a name and parameters, JSON of it, or a Loss."""
    if isinstance(given, Loss):
        return given
    if isinstance(given, str) and given.lstrip()[:1] == "{":
        given = _parsed(given)
    parts = {"name": given} if isinstance(given, str) else given
    if not isinstance(parts, Mapping) or not isinstance(parts.get("name"), str):
        raise ParameterError("loss", EXPECTED, str(given)[:60])
    name, parameters = parts["name"], {key: parts[key] for key in parts if key != "name"}
    if name in LOSSES and not parameters:
        return LOSSES[name]
    if name not in NAMES:
        raise ParameterError("loss", EXPECTED, repr(name)[:60])
    made, needed, optional = NAMES[name]
    for key in needed:
        if key not in parameters:
            came = ", ".join(parameters) or "no parameter"
            raise ParameterError(f"loss.{key}", f"a parameter of {name}", came)
    for key in parameters:
        if key not in (*needed, *optional):
            raise ParameterError(f"loss.{key}", f"no such parameter of {name}", key)
    return made(**parameters)


def losses(given: Any, m: int, n: int) -> str | tuple[Loss, ...]:
    """L1, L2 or L3 where that is the loss of every similarity; otherwise a loss for each."""
    if isinstance(given, np.ndarray | np.str_ | np.bytes_):
        word = np.asarray(given).squeeze()
        if word.dtype.kind in "US":
            given = word.astype(str).tolist()
    if isinstance(given, str) and given.lstrip()[:1] == "[":
        given = _parsed(given)
    if isinstance(given, list | tuple):
        if len(given) != m:
            raise ShapeError("loss", f"one loss, or {m}, one for each of S", f"{len(given)}")
        every = tuple(map(loss, given))
    else:
        every = (loss(given),) * m
    for one in every:
        if isinstance(one, Weighted) and len(one.V) != n:
            raise ShapeError("loss.V", f"shape ({n}, {n})", f"shape {one.V.shape}")
    for name, known in LOSSES.items():
        if all(one == known for one in every):
            return name
    return every


def told(given: str | tuple[Loss, ...]) -> str:
    """In a word or a few."""
    return given if isinstance(given, str) else ", ".join(map(str, dict.fromkeys(given)))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise ParameterError("loss", "JSON, where it begins with a bracket", text[:60]) from None

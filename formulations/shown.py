"""How objects show themselves: in a line, as text, and as a table where HTML is shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

FIGURES = 6


class Shown(ABC):
    """An object with a headline and rows below it."""

    @abstractmethod
    def headline(self) -> str:
        """What it is, in one line."""

    @abstractmethod
    def rows(self) -> Mapping[str, str]:
        """What is told of it, by name."""

    def __repr__(self) -> str:
        return f"<{self.headline()}>"

    def __str__(self) -> str:
        rows = self.rows()
        width = max(map(len, rows), default=0)
        return "\n".join([self.headline(), *(f"  {k:<{width}}  {v}" for k, v in rows.items())])

    def _repr_html_(self) -> str:
        cells = (
            f"<tr><th style='text-align:left'>{escape(k)}</th>"
            f"<td style='text-align:left'>{escape(v)}</td></tr>"
            for k, v in self.rows().items()
        )
        return f"<table><caption>{escape(self.headline())}</caption>{''.join(cells)}</table>"


def shown(x: Any) -> str:
    """A number as it is, an array by its shape and range."""
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "biuf":
        return f"{x:.{FIGURES}g}" if isinstance(x, float) else str(x)
    if x.ndim == 0:
        return f"{float(x):.{FIGURES}g}"
    least, most = (f"{end(x):.{FIGURES}g}" for end in (np.min, np.max)) if x.size else ("", "")
    return f"{shape(x)}, from {least} to {most}" if x.size else shape(x)


def shape(x: np.ndarray[Any, Any]) -> str:
    """40×40 or 40"""
    return "×".join(map(str, x.shape))


def few(values: np.ndarray[Any, Any]) -> str:
    """The first twelve numbers."""
    flat = values.ravel()
    return ", ".join(f"{v:.{FIGURES}g}" for v in flat[:12]) + (", …" if flat.size > 12 else "")

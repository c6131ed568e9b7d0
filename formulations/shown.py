"""How objects show themselves: in a line, as text, and as a table where HTML is shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from html import escape
from textwrap import indent
from typing import Any

import numpy as np

FIGURES = 6
NEWLINE = "\n"


class Shown(ABC):
    """An object with a headline, mathematics as printed if it has any, and rows below."""

    @abstractmethod
    def headline(self) -> str:
        """What it is, in one line."""

    @abstractmethod
    def rows(self) -> Mapping[str, str]:
        """What is told of it, by name."""

    def mathematics(self) -> str:
        """What a paper prints of it, laid out as there."""
        return ""

    def __repr__(self) -> str:
        return f"<{self.headline()}>"

    def __str__(self) -> str:
        rows, printed = self.rows(), self.mathematics()
        width = max(map(len, rows), default=0)
        below = "\n" + " " * (width + 4)
        maths = [indent(printed, "    "), ""] if printed else []
        told = (f"  {name:<{width}}  {text.replace(NEWLINE, below)}" for name, text in rows.items())
        return NEWLINE.join([self.headline(), *maths, *told])

    def _repr_html_(self) -> str:
        cells = (
            f"<tr><th style='text-align:left'>{escape(name)}</th>"
            f"<td style='text-align:left; white-space:pre-wrap'>{escape(text)}</td></tr>"
            for name, text in self.rows().items()
        )
        printed = self.mathematics()
        maths = f"<pre class='maths' style='line-height:1.4'>{escape(printed)}</pre>"
        head = f"<p><strong>{escape(self.headline())}</strong></p>"
        return f"{head}{maths if printed else ''}<table>{''.join(cells)}</table>"


def shown(x: Any) -> str:
    """A number as it is, a short vector too, other arrays by their shape and range."""
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "biuf":
        return f"{x:.{FIGURES}g}" if isinstance(x, float) else str(x)
    if x.ndim == 0:
        return f"{float(x):.{FIGURES}g}"
    if x.ndim == 1 and 0 < x.size <= FIGURES:
        return few(x)
    least, most = (f"{end(x):.{FIGURES}g}" for end in (np.min, np.max)) if x.size else ("", "")
    return f"{shape(x)}, from {least} to {most}" if x.size else shape(x)


def shape(x: np.ndarray[Any, Any]) -> str:
    """40×40 or 40"""
    return "×".join(map(str, x.shape))


def few(values: np.ndarray[Any, Any]) -> str:
    """The first twelve numbers."""
    flat = values.ravel()
    return ", ".join(f"{v:.{FIGURES}g}" for v in flat[:12]) + (", …" if flat.size > 12 else "")

"""Points as decimals that are feasible exactly: what a certificate holds, as strings.

A double is not on the simplex, and does not satisfy αᵀy = 0. The points here are whole multiples of
one power of ten, so that sums are exact, and what rounding left over is given back to them.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from cvxkernel.formulations.inputs import Array

DIGITS = 16  # of a number in a certificate, where nothing has to add up


def texts(x: Any, digits: int = DIGITS) -> Any:
    """Every number of an array, or nested lists of them, as a decimal."""
    if isinstance(x, list | tuple) or np.ndim(x):
        return [texts(part, digits) for part in x]
    return format(float(x), f".{digits}g")


def outwards(x: Fraction, *, up: bool, digits: int = 17) -> str:
    """The nearest decimal of so many digits that is not below x, or not above it."""
    context = Context(digits, ROUND_CEILING if up else ROUND_FLOOR)
    return str(context.divide(Decimal(x.numerator), Decimal(x.denominator)))


def shares(w: Array, places: int = 17) -> list[str]:
    """w ≥ 0 with Σᵢ wᵢ = 1 exactly."""
    w = np.maximum(np.asarray(w, dtype=float), 0.0)
    w = w / w.sum() if w.sum() > 0 else np.full(len(w), 1 / len(w))
    units = [int(Fraction(x) * 10**places) for x in w.tolist()]
    units[int(np.argmax(w))] += 10**places - sum(units)
    return [_scaled(u, places) for u in units]


def balanced(alpha: Array, y: Array, C: Fraction | None) -> list[str]:
    """0 ≤ α ≤ C with αᵀy = 0 exactly: what is too much in one class is taken from its largest."""
    alpha = np.maximum(np.asarray(alpha, dtype=float), 0.0)
    top = float(alpha.max(initial=0.0))
    places = 17 - int(np.ceil(np.log10(top))) if top > 0 else 17
    units = [int(Fraction(a) * Fraction(10) ** places) for a in alpha.tolist()]
    if C is not None:
        most = int(C * Fraction(10) ** places)
        units = [min(u, most) for u in units]
    excess = sum(u if s > 0 else -u for u, s in zip(units, y.tolist(), strict=True))
    heavy = 1 if excess > 0 else -1
    left = abs(excess)
    for i in sorted(range(len(units)), key=lambda i: -units[i]):
        if y[i] * heavy > 0:
            taken = min(units[i], left)
            units[i] -= taken
            left -= taken
    return [_scaled(u, places) for u in units]


def _scaled(units: int, places: int) -> str:
    wide = Context(400)
    return str(Decimal(units).scaleb(-places, wide).normalize(wide)) if units else "0"

"""JSON: every key once, numbers that are doubles, and no more text than there is memory for."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from cvxkernel.formulations.errors import FileError, ParameterError
from cvxkernel.validation.readers.budget import afford
from cvxkernel.validation.readers.kinds import kind

PER_BYTE = 8  # bytes of memory that a byte of text may take, besides copies: "1," is a float
EXACT = 15  # digits of an integer that every double holds


def read_json(path: Path) -> dict[str, Any]:
    """The object that a file holds."""
    what = kind(path)
    if what not in ("JSON text", "text", None):
        raise FileError(path.name, "JSON", what or "")
    size = path.stat().st_size
    afford(path.name, f"{size} bytes of JSON, which take up to", PER_BYTE * size)
    beyond: list[str] = []  # numbers that are no doubles

    def number(text: str) -> float:
        x = float(text)
        if math.isinf(x):
            beyond.append(text)
        return x

    def whole(text: str) -> float:
        return int(text) if len(text) <= EXACT else number(text)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise FileError(max(keys, key=keys.count), "a key once", "twice")
        if beyond:
            key = next((key for key, value in pairs if _infinite(value)), path.name)
            raise ParameterError(key, "numbers up to 1.8e308", _short(beyond[0]))
        return found

    try:
        text = path.read_text(encoding="utf-8-sig")
        data = json.loads(text, object_pairs_hook=once, parse_float=number, parse_int=whole)
    except RecursionError:
        expected = "JSON of a few brackets within each other"
        raise FileError(path.name, expected, "hundreds within each other") from None
    except (FileError, ParameterError):
        raise
    except ValueError as error:
        came = " ".join(str(error).split())[:120] or type(error).__name__
        raise FileError(path.name, "JSON", came) from None
    if not isinstance(data, dict):
        raise FileError(path.name, "one JSON object", f"a {type(data).__name__}")
    return data


def _infinite(value: Any) -> bool:
    try:
        return bool(np.isinf(np.asarray(value, dtype=float)).any())
    except (TypeError, ValueError):
        return False


def _short(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:12]}…, {len(text)} characters"

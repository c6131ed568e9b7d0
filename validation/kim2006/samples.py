"""Small instances of kim2006: p kernels, y and λ."""

from __future__ import annotations

from typing import Any

from cvxkernel.validation.instances import instance


def sample(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """Kernels and the labels of two classes."""
    return instance(n, p, kind=kind, seed=seed)

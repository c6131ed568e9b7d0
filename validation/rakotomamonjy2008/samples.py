"""Small instances of rakotomamonjy2008: kernels of mean diagonal 1, y and C."""

from __future__ import annotations

from typing import Any

from cvxkernel.validation.tang2009.samples import multi_label


def sample(id: str, n: int, p: int, kind: str, seed: int) -> dict[str, Any]:
    """Those of tang2009, with the first label alone."""
    data = multi_label(n, p, 1, kind=kind, seed=seed)
    return {"kernels": data["kernels"], "y": data["Y"][0], "C": data["C"]}

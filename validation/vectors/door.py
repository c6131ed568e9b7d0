"""What `import cvxkernel` gives of this folder."""

from __future__ import annotations

from typing import Any

from cvxkernel.validation.door import problem
from cvxkernel.validation.vectors import certificate


def certify(
    id: str, data: Any = None, /, *, tol: float = 1e-6, limit: float | None = None, **arrays: Any
) -> dict[str, Any]:
    """An answer with a certificate of its optimum, as `checker.py` reads it from a JSON file.

    The problem is `data`, a mapping, a file or a problem, or keywords: see `problem`.
    `json.dump(certify("chen2009-eq1", K=K, y=y, C=1.0), file)` writes what the checker checks.
    """
    return certificate.certify(id, problem(id, data, **arrays), tol=tol, limit=limit)

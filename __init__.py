"""Kernel learning by convex programming: the programs of five papers, as printed, enclosed.

    solution = cvxkernel.solve("ye2008-thm2.2", kernels=K, y=y, lam=1e-3)
    cvxkernel.check("ye2008-thm2.2", {"kernels": K, "y": y, "lam": 1e-3}, theta=w).within(1e-6)

Three rooms: `cvxkernel.formulations` says what is solved, `cvxkernel.solvers` how, and
`cvxkernel.validation` whether it is true. Nothing is imported before it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cvxkernel.formulations import errors
    from cvxkernel.validation.door import catalogue, check, problem, solve
    from cvxkernel.validation.files import load
    from cvxkernel.validation.vectors.door import certify

    __version__: str

__all__ = [
    "__version__", "catalogue", "certify", "check", "errors", "load", "problem", "solve",
]  # fmt: skip

_DOOR = ("catalogue", "check", "problem", "solve")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("cvxkernel")
    if name == "errors":
        return import_module("cvxkernel.formulations.errors")
    if name == "load":
        return import_module("cvxkernel.validation.files").load
    if name == "certify":
        return import_module("cvxkernel.validation.vectors.door").certify
    if name in _DOOR:
        return getattr(import_module("cvxkernel.validation.door"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "formulations", "solvers", "validation"]

"""A paper's folder in this room: samples, slips, proofs, claims, errata and pictures."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from cvxkernel.formulations.formulation import Formulation

PARTS = ("samples", "slips", "proofs", "claims", "errata", "pictures")


def home(form: Formulation) -> str:
    """The paper in whose folders a formulation is: luss2007 is one of chen2009."""
    return form.problem.__module__.split(".")[2]


def part(paper: str, name: str) -> ModuleType:
    """A module, or a package, of a paper's folder."""
    return import_module(f"cvxkernel.validation.{paper}.{name}")

"""The statements of Tang, Chen and Ye (2009)."""

from __future__ import annotations

from cvxkernel.validation.tang2009.claims import algorithm, model, tables

CLAIMS = (*model.CLAIMS, *algorithm.CLAIMS, *tables.CLAIMS)

__all__ = ["CLAIMS"]

"""The statements of Chen, Gupta and Recht (2009)."""

from __future__ import annotations

from cvxkernel.validation.chen2009.claims import modification, similarity, tables

CLAIMS = (*similarity.CLAIMS, *modification.CLAIMS, *tables.CLAIMS)
REMARKS = (*similarity.REMARKS, *modification.REMARKS, *tables.REMARKS)

__all__ = ["CLAIMS", "REMARKS"]

"""The statements of Chen, Gupta and Recht (2009)."""

from __future__ import annotations

from cvxkernel.validation.chen2009.claims import modification, similarity

CLAIMS = (*similarity.CLAIMS, *modification.CLAIMS)
REMARKS = (*similarity.REMARKS, *modification.REMARKS)

__all__ = ["CLAIMS", "REMARKS"]

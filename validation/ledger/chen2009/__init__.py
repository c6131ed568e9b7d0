"""The statements of Chen, Gupta and Recht (2009)."""

from __future__ import annotations

from cvxkernel.validation.ledger.chen2009 import modification, similarity

CLAIMS = (*similarity.CLAIMS, *modification.CLAIMS)

__all__ = ["CLAIMS"]

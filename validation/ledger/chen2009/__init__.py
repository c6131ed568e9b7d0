"""The statements of Chen, Gupta and Recht (2009)."""

from __future__ import annotations

from cvxkernel.validation.ledger.chen2009 import modification, similarity
from cvxkernel.validation.ledger.claim import Erratum

CLAIMS = (*similarity.CLAIMS, *modification.CLAIMS)
ERRATA: tuple[Erratum, ...] = ()  # nothing that it says fails
REMARKS = (*similarity.REMARKS, *modification.REMARKS)

__all__ = ["CLAIMS", "ERRATA", "REMARKS"]

"""The statements of Tang, Chen and Ye (2009)."""

from __future__ import annotations

from cvxkernel.validation.ledger.tang2009 import algorithm, model, tables
from cvxkernel.validation.ledger.tang2009.errata import ERRATA
from cvxkernel.validation.ledger.tang2009.pictures import PICTURES

CLAIMS = (*model.CLAIMS, *algorithm.CLAIMS, *tables.CLAIMS)

__all__ = ["CLAIMS", "ERRATA", "PICTURES"]

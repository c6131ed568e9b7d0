"""The statements of Kundu, Tankasali, Bhattacharyya and Ben-Tal (2010)."""

from __future__ import annotations

from cvxkernel.validation.ledger.kundu2010 import descent, functions, problems, tables
from cvxkernel.validation.ledger.kundu2010.errata import ERRATA
from cvxkernel.validation.ledger.kundu2010.pictures import PICTURES

CLAIMS = (*problems.CLAIMS, *functions.CLAIMS, *descent.CLAIMS, *tables.CLAIMS)
REMARKS = (*functions.REMARKS, *descent.REMARKS)

__all__ = ["CLAIMS", "ERRATA", "PICTURES", "REMARKS"]

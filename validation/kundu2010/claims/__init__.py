"""The statements of Kundu, Tankasali, Bhattacharyya and Ben-Tal (2010)."""

from __future__ import annotations

from cvxkernel.validation.kundu2010.claims import descent, functions, problems, tables

CLAIMS = (*problems.CLAIMS, *functions.CLAIMS, *descent.CLAIMS, *tables.CLAIMS)
REMARKS = (*functions.REMARKS, *descent.REMARKS)

__all__ = ["CLAIMS", "REMARKS"]

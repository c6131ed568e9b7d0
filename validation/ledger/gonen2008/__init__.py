"""The statements of Gönen and Alpaydın (2008)."""

from __future__ import annotations

from cvxkernel.validation.ledger.claim import Erratum
from cvxkernel.validation.ledger.gonen2008 import descent, machine, numbers
from cvxkernel.validation.ledger.gonen2008.pictures import PICTURES

CLAIMS = (*machine.CLAIMS, *descent.CLAIMS, *numbers.CLAIMS)
ERRATA: tuple[Erratum, ...] = ()  # nothing that it says fails
REMARKS = (*machine.REMARKS, *descent.REMARKS, *numbers.REMARKS)

__all__ = ["CLAIMS", "ERRATA", "PICTURES", "REMARKS"]

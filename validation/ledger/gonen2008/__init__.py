"""The statements of Gönen and Alpaydın (2008)."""

from __future__ import annotations

from cvxkernel.validation.ledger.gonen2008 import descent, machine, numbers
from cvxkernel.validation.ledger.gonen2008.pictures import PICTURES

CLAIMS = (*machine.CLAIMS, *descent.CLAIMS, *numbers.CLAIMS)

__all__ = ["CLAIMS", "PICTURES"]

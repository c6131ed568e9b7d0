"""The statements of Gönen and Alpaydın (2008)."""

from __future__ import annotations

from cvxkernel.validation.gonen2008.claims import descent, extensions, machine, numbers

CLAIMS = (*machine.CLAIMS, *descent.CLAIMS, *extensions.CLAIMS, *numbers.CLAIMS)
REMARKS = (*machine.REMARKS, *descent.REMARKS, *extensions.REMARKS, *numbers.REMARKS)

__all__ = ["CLAIMS", "REMARKS"]

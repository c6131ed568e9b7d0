"""The statements of Ye, Ji and Chen (2008), and what they quote from others."""

from __future__ import annotations

from cvxkernel.validation.ye2008.claims import (
    fisher,
    joint,
    later_tables,
    many_classes,
    scatter,
    tables,
    two_classes,
)

CLAIMS = (
    *fisher.CLAIMS,
    *two_classes.CLAIMS,
    *scatter.CLAIMS,
    *many_classes.CLAIMS,
    *joint.CLAIMS,
    *tables.CLAIMS,
    *later_tables.CLAIMS,
)
REMARKS = (*many_classes.REMARKS, *joint.REMARKS, *later_tables.REMARKS)

__all__ = ["CLAIMS", "REMARKS"]

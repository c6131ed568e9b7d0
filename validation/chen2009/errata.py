"""Nothing that it says fails."""

from cvxkernel.validation.ledger.claim import Erratum

ERRATA: tuple[Erratum, ...] = ()

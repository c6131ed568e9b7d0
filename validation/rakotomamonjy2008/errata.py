"""No statement of this paper is judged."""

from cvxkernel.validation.ledger.claim import Erratum

ERRATA: tuple[Erratum, ...] = ()

"""No pictures."""

from cvxkernel.validation.ledger.claim import Picture

PICTURES: tuple[Picture, ...] = ()

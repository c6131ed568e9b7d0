"""No statement of this paper is judged: it is here for its programs."""

from cvxkernel.validation.ledger.claim import Claim

CLAIMS: tuple[Claim, ...] = ()

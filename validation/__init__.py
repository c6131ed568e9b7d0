"""Whether it is true: the ledger of claims, files of problems, the command line."""

from cvxkernel.validation import starting  # noqa: F401  (before what takes seconds)
from cvxkernel.validation.check import Interval, Judgement, Side, check
from cvxkernel.validation.files import answer, load, read
from cvxkernel.validation.instances import instance
from cvxkernel.validation.ledger import LEDGER, Claim, Verdict, judge, verify
from cvxkernel.validation.rigorous import enclose, proof
from cvxkernel.validation.slips import Slip

__all__ = [
    "LEDGER",
    "Claim",
    "Interval",
    "Judgement",
    "Side",
    "Slip",
    "Verdict",
    "answer",
    "check",
    "enclose",
    "instance",
    "judge",
    "load",
    "proof",
    "read",
    "verify",
]

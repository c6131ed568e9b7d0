"""Whether it is true: the ledger of claims, files of problems, the command line."""

from cvxkernel.validation.files import answer, load, read
from cvxkernel.validation.instances import instance
from cvxkernel.validation.ledger import LEDGER, Claim, Verdict, judge, verify
from cvxkernel.validation.rigorous import enclose, proof

__all__ = [
    "LEDGER",
    "Claim",
    "Verdict",
    "answer",
    "enclose",
    "instance",
    "judge",
    "load",
    "proof",
    "read",
    "verify",
]

"""Whether it is true: equivalences judged by enclosures, files of problems, the command line."""

from cvxkernel.validation.check import Interval, Judgement, Side, check
from cvxkernel.validation.equivalences import EQUIVALENCES, Equivalence, Verdict, verdict, verify
from cvxkernel.validation.files import answer, load, read
from cvxkernel.validation.instances import instance
from cvxkernel.validation.rigorous import enclose, proof
from cvxkernel.validation.slips import Slip

__all__ = [
    "EQUIVALENCES",
    "Equivalence",
    "Interval",
    "Judgement",
    "Side",
    "Slip",
    "Verdict",
    "answer",
    "check",
    "enclose",
    "instance",
    "load",
    "proof",
    "read",
    "verdict",
    "verify",
]

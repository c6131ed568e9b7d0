"""Whether it is true: equivalences judged by enclosures, files of problems, the command line."""

from cvxkernel.validation.equivalences import EQUIVALENCES, Equivalence, Verdict, verdict, verify
from cvxkernel.validation.files import answer, load, read
from cvxkernel.validation.instances import instance

__all__ = [
    "EQUIVALENCES",
    "Equivalence",
    "Verdict",
    "answer",
    "instance",
    "load",
    "read",
    "verdict",
    "verify",
]

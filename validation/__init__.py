"""Whether it is true: equivalences judged by enclosures, files of problems, the command line."""

from cvxkernel.validation.equivalences import EQUIVALENCES, Equivalence, Verdict, verdict, verify
from cvxkernel.validation.files import answer, load, read
from cvxkernel.validation.instances import instance
from cvxkernel.validation.rigorous import enclose, proof

__all__ = [
    "EQUIVALENCES",
    "Equivalence",
    "Verdict",
    "answer",
    "enclose",
    "instance",
    "load",
    "proof",
    "read",
    "verdict",
    "verify",
]

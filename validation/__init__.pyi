from .check import Interval, Judgement, Side, check
from .files import answer, load, read
from .instances import instance
from .ledger import LEDGER, Claim, Verdict, judge, verify
from .rigorous import enclose, proof
from .slips import Slip

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

"""How many lines the bounds and their proofs have, beside those they had in two copies."""

from __future__ import annotations

from pathlib import Path

import cvxkernel
from cvxkernel.validation.bench.targets import Target

PARTS = ("formulations/*/bounds*", "formulations/svm.py", "formulations/weights.py",
         "validation/proofs", "validation/*/proofs*")  # fmt: skip
BEFORE = 6158  # lines of the same, with bounds in doubles in one room and in balls in the other
FEWER = 700  # were asked for
ARITHMETICS = ("formulations/arithmetic",)
# What there was none of then: programs, and Newton's method for the digits of matrix programs.
SINCE = (
    "formulations/kundu2010/bounds/budget.py",
    "formulations/rakotomamonjy2008/bounds.py",
    "validation/chen2009/proofs/newton.py",
    "validation/kundu2010/proofs/budget.py",
    "validation/kundu2010/proofs/polish.py",
    "validation/proofs/newton.py",
    "validation/rakotomamonjy2008/proofs.py",
)


def length() -> Target:
    """How many lines fewer, like with like."""
    now, since = _lines(*PARTS), _lines(*SINCE)
    told = f"{now} for {BEFORE}, {since} of them for what there was none of then"
    told += f"; the arithmetics, {_lines(*ARITHMETICS)} lines, are not among them"
    what = "bounds and proofs: lines fewer than before there was one bound for two arithmetics"
    return Target(what, float(BEFORE - now + since), at_least=float(FEWER), told=told)


def _lines(*parts: str) -> int:
    root = Path(cvxkernel.__path__[0])
    places = [place for part in parts for place in root.glob(part)]
    files = {file for place in places for file in (place, *place.rglob("*.py"))}
    return sum(len(x.read_text(encoding="utf-8").splitlines()) for x in files if x.is_file())

"""An answer to a test vector: right, or wrong and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cvxkernel.formulations import inputs
from cvxkernel.formulations.catalogue import formulation
from cvxkernel.formulations.errors import CvxkernelError, InputError
from cvxkernel.validation.check import Judgement, judge
from cvxkernel.validation.vectors import shipped

TOLERANCE = 1e-6  # relative


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right; if not, the reason in a line, and all that was measured."""

    test: str
    right: bool
    reason: str = ""
    details: str = ""

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        told = "right" if self.right else f"wrong: {self.reason}"
        return "\n".join(filter(None, (f"{self.test}: {told}", self.details)))


def verdict(
    id: str,
    test: Mapping[str, Any],
    variables: Mapping[str, Any],
    value: Any = None,
    tol: float = TOLERANCE,
) -> Verdict:
    """The value against the optimum that is proved, and against those of the slips; then the rest.

    The symbols are judged as `check` does, with the slip that explains them best.
    """
    name = test["id"]
    if value is None and not variables:
        raise InputError("answer", "a value, or symbols of the formulation", "neither")
    if value is not None:
        number = Fraction(inputs.weights("value", value, ()).item())
        if not near(number, test["optimum"], 1.0, tol):
            lower, upper = test["optimum"]
            told = f"value {float(number):.9g}, optimum {lower} … {upper}"
            return Verdict(name, False, slip(id, test, number, tol) or UNKNOWN, told)
    if not variables:
        return Verdict(name, True)
    problem = formulation(id).make(test["problem"])
    judged = judge(id, problem, tol, value, dict(variables))
    if judged.within():
        return Verdict(name, True)
    reason = judged.slips[0].statement if judged.slips else _worst(judged, tol)
    return Verdict(name, False, reason, str(judged))


UNKNOWN = "none of the slips known"


def near(value: Fraction, optimum: list[str], factor: float, tol: float) -> bool:
    """Whether a value is within a relative tolerance of a factor times an optimum."""
    ends = sorted(Fraction(end) * Fraction(factor) for end in optimum)
    slack = Fraction(tol) * max(map(abs, ends))
    return ends[0] - slack <= value <= ends[1] + slack


def slip(id: str, test: Mapping[str, Any], value: Fraction, tol: float) -> str | None:
    """The slip of the vector that has this value, in words."""
    notes = shipped.vectors(id)["notes"]
    for one in test["slips"]:
        if near(value, one.get("optimum", test["optimum"]), one["factor"], tol):
            return str(notes[one["flag"]])
    return None


def _worst(judged: Judgement, tol: float) -> str:
    """Of an answer that nothing explains: what it violates most, or how far it is."""
    off = {f"violates {label}": x.upper for label, x in judged.violations.items()}
    off |= {f"objective ({side}) off": part.relative.upper for side, part in judged.sides.items()}
    label, most = max(off.items(), key=lambda pair: pair[1], default=("nothing measured", 0.0))
    return f"{label} by {most:.1e}" if most > tol else f"{UNKNOWN}: {judged.verdict()} {tol:g}"


def refused(test: Mapping[str, Any], error: CvxkernelError) -> Verdict:
    """An answer that cannot be read as one."""
    return Verdict(test["id"], False, str(error))

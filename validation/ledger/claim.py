"""A statement of a paper as a claim: where it stands, what it says, and the evidence for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Literal

import numpy as np
from matplotlib.figure import Figure

from cvxkernel.formulations.enclosure import EPS, Enclosure
from cvxkernel.formulations.shown import Shown

Printed = Literal["holds", "fails", "imprecise"]


def rounding(n: int, magnitude: float) -> float:
    """What sums of n products, adding up to `magnitude` in absolute values, may lose to rounding.

    An estimate (2√n units in the last place) that a finding of a claim is allowed; no end of an
    enclosure rests on it.
    """
    return 2.0 * float(np.sqrt(n)) * EPS * magnitude


@dataclass(frozen=True)
class Finding:
    """How far apart two sides were at worst, and how far they may be, relatively.

    The tolerance comes from the enclosures of both sides, or from the rounding of their
    evaluation: no hand has chosen it. Where the paper uses a word of degree (close, nearly, much)
    the test says what it is taken for. `instance` names where the worst was found, and `numbers`
    holds what a reader would want to see of it.
    """

    worst: float
    tolerance: float
    instance: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("worst", "tolerance"):
            object.__setattr__(self, name, float(getattr(self, name)))  # never a numpy scalar
        numbers = {name: float(number) for name, number in self.numbers.items()}
        object.__setattr__(self, "numbers", numbers)

    @property
    def holds(self) -> bool:
        """Whether the discrepancy is within what the arithmetic allows."""
        return bool(self.worst <= self.tolerance)

    @property
    def margin(self) -> float:
        """worst/tolerance: below 1 it holds, far above 1 it fails beyond doubt."""
        if self.tolerance > 0:
            return self.worst / self.tolerance
        return np.inf if self.worst > 0 else 0.0


@dataclass(frozen=True)
class Evidence:
    """What was found for the statement as printed, and for its correction."""

    printed: Finding
    corrected: Finding | None = None


@dataclass(frozen=True, repr=False)
class Erratum(Shown):
    """A fault of a paper: one cause, however many of its statements it makes false.

    id         : "kundu2010-rho"
    where      : every place of the paper that it touches
    printed    : what stands there, in one line
    holds      : what holds instead
    transcribed: where the fault may be the transcription's: what to look for in the printed page
    """

    id: str
    where: str
    printed: str
    holds: str
    transcribed: str | None = None

    def headline(self) -> str:
        """Where it stands."""
        return f"Erratum {self.id}: {self.where}"

    def rows(self) -> dict[str, str]:
        """What is printed, and what holds."""
        told = {"printed": self.printed, "what holds": self.holds}
        return told if self.transcribed is None else told | {"as transcribed": self.transcribed}

    @property
    def paper(self) -> str:
        """The part of the id before the first dash."""
        return self.id.partition("-")[0]

    @property
    def code(self) -> str:
        """Ten lines of numpy that print what the paper says and what is true."""
        folder = resources.files(f"cvxkernel.validation.{self.paper}.errata")
        name = self.id.removeprefix(f"{self.paper}-").replace("-", "_").replace(".", "_")
        return (folder / f"{name}.py").read_text("utf-8").rstrip()


@dataclass(frozen=True, repr=False)
class Claim(Shown):
    """One statement of a paper: words that stand in it, and nothing stronger.

    id        : "ye2008-thm2.2", as the formulations are named; a word follows where one number
                carries several statements
    where     : as a reader finds it in the paper
    quote     : the paper's own words, … where some are left out
    statement : one line of maths, as printed
    how       : how it is tested
    printed   : the recorded verdict on the statement as printed; "imprecise" is what holds in a
                reading that the paper does not spell out, or in part
    correction: what holds instead, or the reading that does; one line
    erratum   : the id of the cause, where it fails
    remark    : which reading was taken, or what a reader should know beside it; not a verdict
    test      : the evidence for a seed
    programs  : the formulations it speaks of
    """

    id: str
    where: str
    statement: str
    how: str
    test: Callable[[int], Evidence]
    printed: Printed = "holds"
    correction: str | None = None
    programs: tuple[str, ...] = ()
    quote: str = ""
    erratum: str | None = None
    remark: str | None = None

    def headline(self) -> str:
        """Where it stands, and the verdict that is recorded."""
        return f"Claim {self.id}: {self.where}, {self.printed}"

    def mathematics(self) -> str:
        """The statement."""
        return self.statement

    def rows(self) -> dict[str, str]:
        """The paper's words, how they are tested, and what holds instead."""
        told = {"words": f"“{self.quote}”" if self.quote else "", "test": self.how}
        told |= {"what holds": self.correction or "", "erratum": self.erratum or ""}
        told |= {"remark": self.remark or "", "programs": ", ".join(self.programs)}
        return {name: text for name, text in told.items() if text}

    @property
    def paper(self) -> str:
        """The part of the id before the first dash."""
        return self.id.partition("-")[0]


@dataclass(frozen=True, repr=False)
class Remark(Shown):
    """What we found beside a paper's words, with its evidence: no verdict on the paper.

    id  : "chen2009-zeros"
    about: the claim or the program that it stands beside
    """

    id: str
    where: str
    text: str
    how: str
    test: Callable[[int], Finding]
    about: str = ""

    def headline(self) -> str:
        """Where it stands."""
        return f"Remark {self.id}: {self.where}"

    def rows(self) -> dict[str, str]:
        """What was found, and how."""
        return {"remark": self.text, "test": self.how}

    @property
    def paper(self) -> str:
        """The part of the id before the first dash."""
        return self.id.partition("-")[0]


@dataclass(frozen=True)
class Picture:
    """What a paper's module adds to the report: a figure for a seed, and the claims it is about."""

    id: str
    caption: str
    draw: Callable[[int], Figure]
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """A claim and what was found this time."""

    claim: Claim
    seed: int
    evidence: Evidence
    seconds: float

    def headline(self) -> str:
        """The verdict on what is printed, and on its correction."""
        corrected = "" if self.corrected is None else f", corrected: {self.corrected}"
        return f"Verdict on {self.claim.id}: {self.printed}{corrected}"

    def mathematics(self) -> str:
        """The statement."""
        return self.claim.statement

    def rows(self) -> dict[str, str]:
        """What the claim tells, and the figures."""
        told = {"where": self.claim.where, **self.claim.rows()}
        for name, found in (
            ("printed", self.evidence.printed),
            ("corrected", self.evidence.corrected),
        ):
            if found is not None:
                told[f"off by, {name}"] = f"{found.worst:.3g}, may be off by {found.tolerance:.3g}"
        return told

    @property
    def printed(self) -> Printed:
        """holds or fails, by the evidence; imprecise where that is the record of what fails."""
        if self.evidence.printed.holds:
            return "holds"
        return "imprecise" if self.claim.printed == "imprecise" else "fails"

    @property
    def corrected(self) -> Literal["holds", "fails"] | None:
        """Whether the correction holds; None where nothing needs correcting."""
        found = self.evidence.corrected
        return None if found is None else "holds" if found.holds else "fails"

    @property
    def as_recorded(self) -> bool:
        """Whether it is the recorded verdict, and the correction holds where there is one."""
        needed = "holds" if self.claim.correction is not None else None
        return self.printed == self.claim.printed and self.corrected == needed

    @property
    def run(self) -> str:
        """The line that shows the evidence in Python."""
        where = "from cvxkernel.validation.ledger import judge"
        return f'{where}; print(judge("{self.claim.id}", seed={self.seed}).evidence)'


def about(instance: str, numbers: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a finding tells beside its discrepancy: where it was found, and with which numbers."""
    return {"instance": instance, "numbers": numbers or {}}


# -- Findings -----------------------------------------------------------------------------------


def equal(one: Enclosure, other: Enclosure, *, factor: float = 1.0, **told: Any) -> Finding:
    """One optimum is `factor` times the other: the distance of the midpoints against the widths."""
    a, b = (one.lower + one.upper) / 2, factor * (other.lower + other.upper) / 2
    half = (one.upper - one.lower) / 2 + abs(factor) * (other.upper - other.lower) / 2
    scale = max(abs(a), abs(b), np.finfo(float).tiny)
    slack = rounding(1, 1.0)  # of the factor and of the difference itself
    return Finding(abs(a - b) / scale, half / scale + slack, **told)


def not_above(one: Enclosure, other: Enclosure, **told: Any) -> Finding:
    """One optimum is not above the other: by how much it may be, against the widths."""
    a, b = (one.lower + one.upper) / 2, (other.lower + other.upper) / 2
    half = (one.upper - one.lower) / 2 + (other.upper - other.lower) / 2
    scale = max(abs(a), abs(b), np.finfo(float).tiny)
    return Finding(max(0.0, a - b) / scale, half / scale + rounding(1, 1.0), **told)


def identity(
    left: Any, right: Any, *, n: int, magnitude: float | None = None, **told: Any
) -> Finding:
    """Two arrays are equal up to rounding: sums of n terms that add up to `magnitude`."""
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    size = float(np.max(np.abs(right), initial=0.0))
    size = max(size, float(np.max(np.abs(left), initial=0.0)), np.finfo(float).tiny)
    made_of = size if magnitude is None else max(magnitude, size)
    worst = float(np.max(np.abs(left - right), initial=0.0))
    return Finding(worst / size, rounding(n, made_of) / size, **told)


def at_most(
    left: float, right: float, *, n: int, magnitude: float | None = None, **told: Any
) -> Finding:
    """One number is not above another, up to rounding: sums of n terms adding up to `magnitude`."""
    made_of = max(abs(left), abs(right), magnitude or 0.0, np.finfo(float).tiny)
    return Finding(max(0.0, left - right) / made_of, rounding(n, 1.0), **told)


def favored(weights: Any, *kernels: int, **told: Any) -> Finding:
    """These kernels, counted from one, are favored: one of them has the largest weight of the row.

    And together they have more than as many of the others.
    """
    rest = np.asarray(weights, dtype=float)
    chosen = [kernel - 1 for kernel in kernels]
    own, rest = rest[chosen], np.sort(np.delete(rest, chosen))[::-1]
    lead = min(own.max() - rest[0], own.sum() - rest[: len(own)].sum())
    return at_most(0.0, float(lead), n=len(chosen), magnitude=float(own.sum()), **told)


def solved(left: Any, right: Any, *matrices: Any, **told: Any) -> Finding:
    """An identity one of whose sides needs linear systems with these matrices to be solved.

    Each loses as many digits as its condition number has.
    """
    magnitude = float(max(np.max(np.abs(left)), np.max(np.abs(right))))
    magnitude *= float(np.prod([np.linalg.cond(M) for M in matrices]))
    return identity(left, right, n=len(matrices[0]), magnitude=magnitude, **told)


def missing(what: str) -> Finding:
    """What a statement needs is not there, a constraint or its multiplier: it does not hold."""
    return Finding(np.inf, 0.0, instance=f"missing: {what}")


def on_each(evidence: Iterable[Evidence]) -> Evidence:
    """Of several instances: as printed the mildest, which fails on each; corrected the worst."""
    every = list(evidence)
    mildest = min((one.printed for one in every), key=lambda found: found.margin)
    return Evidence(mildest, worst(one.corrected for one in every if one.corrected is not None))


def worst(findings: Iterable[Finding]) -> Finding:
    """The one nearest to failing, or farthest beyond."""
    return max(findings, key=lambda found: found.margin)

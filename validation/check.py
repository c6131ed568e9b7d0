"""How far an answer made by anybody is from optimal, as a theorem; and which slip explains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from cvxkernel.formulations import inputs
from cvxkernel.formulations.arithmetic import balls
from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.shown import Shown, few
from cvxkernel.solvers import deadline, promise
from cvxkernel.solvers.method import Progress
from cvxkernel.validation import rigorous
from cvxkernel.validation.inaccuracy import KINDS, inaccuracy
from cvxkernel.validation.proofs import JUDGES, STATIONARITY, Examination, Judge, Proof
from cvxkernel.validation.slips import Slip, explain
from cvxkernel.validation.translation import WEIGHTS, translated

SHOWN = 4  # explanations that are printed; all are in `slips`


class Interval(NamedTuple):
    """A number lies between these two, proved."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Side:
    """One part of an answer: the exact objective there, and how far that is from the optimum."""

    objective: Interval
    distance: Interval
    relative: Interval  # the distance divided by |optimum|


@dataclass(frozen=True, repr=False)
class Judgement(Shown):
    """An answer, judged.

    optimum     where the optimal value lies
    violations  by the label of the constraint, relative to what it compares
    repaired    the feasible point made from the answer's symbols
    sides       "upper": the objective at the symbols that bound the optimum from above, "lower":
                from below; the distances are proved
    claimed     the answer's own value, if it has one
    slips       what explains an answer that is not optimal, the best explanation first: in which
                problem it is optimal, and how nearly; or which inaccuracy it is consistent with
    rigorous    whether every violation is proved too, or rests on a number that is only near
    assumed     what was assumed of the answer's or the problem's eigenbasis, in words
    read        what the answer had under another name or in another form, and how it was read

    Of a program that is not convex the optimum is that at the answer's own fixed symbols, and
    whether these are stationary is one of the violations: an answer may be within the tolerance
    at a local minimum, or at a saddle point, and another one be better.
    """

    formulation: str
    tol: float
    optimum: Interval
    violations: Mapping[str, Interval]
    repaired: Mapping[str, Array]
    sides: Mapping[str, Side]
    claimed: Side | None = None
    slips: tuple[Slip, ...] = ()
    rigorous: bool = True
    assumed: str | None = None
    read: tuple[str, ...] = ()

    def headline(self) -> str:
        """The verdict, and what explains it."""
        far = max((part.relative for part in self.parts), key=lambda x: x.upper, default=None)
        off = "" if far is None else f", off by {far.lower:.3g} to {far.upper:.3g}"
        wrong = max(self.violations.items(), key=lambda x: x[1].upper, default=("", Interval(0, 0)))
        worst = f", violates {wrong[0]} by {wrong[1].upper:.1g}" * (wrong[1].upper > self.tol / 10)
        why = f", explained by: {self.slips[0].statement}" if self.slips else ""
        told = f"{self.verdict()} {self.tol:g}{off}{worst}{why}"
        return f"Judgement of {self.formulation}: {told}"

    def mathematics(self) -> str:
        """What it is an answer to, in a line."""
        return formulation(self.formulation).statement

    def rows(self) -> dict[str, str]:
        """What was measured, the verdict and the slips."""
        told = {"read": "; ".join(self.read)} if self.read else {}
        told["optimum"] = _ends(self.optimum)
        form = formulation(self.formulation)
        for label, x in self.violations.items():
            line = form.line(label)
            if line is None:  # a constraint of the dual: another program of the paper prints it
                same = (other for other in CATALOGUE.values() if other.paper == form.paper)
                line = next(filter(None, (other.line(label) for other in same)), None)
            by = f"{x.upper:.1e}" if x.upper > self.tol / 10 else "no"
            told[f"violates {label}"] = f"{by} ({line})" if line else by
        for symbol, values in self.repaired.items():
            told[f"{symbol}, repaired"] = few(values)
        parts = {f"objective ({side})": part for side, part in self.sides.items()}
        if self.claimed is not None:
            parts["value"] = self.claimed
        for name, part in parts.items():
            told[name] = _ends(part.objective)
            told[f"{name}, distance"] = _ends(part.distance, 4)
            told[f"{name}, relative"] = _ends(part.relative, 4)
        told["verdict"] = f"{self.verdict()} {self.tol:g}"
        for i, slip in enumerate(self.slips[:SHOWN]):
            left = f" (optimal there to {max(slip.distance, 1e-16):.0e})"
            left = "" if slip.kind in KINDS else left
            told[f"or by ({i + 1})" if i else "explained by"] = f"{slip.statement}{left}"
        if (more := len(self.slips) - SHOWN) > 0:
            told[f"or by {more} more"] = "so many explain it that none is told from the others"
        if self.verdict() == "not within" and not self.slips:
            told["explained by"] = "none of the slips known"
        hidden = self.violations.get(STATIONARITY)
        if hidden is not None and self.verdict() == "undecided" and hidden.upper > self.tol:
            told["undecided"] = f"{STATIONARITY}: gates that are nearly 0 or 1 do not show it"
        if not self.rigorous:
            told["not proved"] = f"{STATIONARITY}: computed, not proved"
        return told

    @property
    def parts(self) -> list[Side]:
        """Everything that has a distance."""
        return [*self.sides.values(), *([self.claimed] if self.claimed else [])]

    @property
    def measured(self) -> bool:
        """Whether anything was that tells the optimum from other feasible points."""
        return bool(self.parts) or STATIONARITY in self.violations

    def verdict(self, tol: float | None = None) -> str:
        """ "within", "not within" or "undecided": the first two are proved."""
        tol = self.tol if tol is None else tol
        measures = [*self.violations.values(), *(part.relative for part in self.parts)]
        if any(measure.lower > tol for measure in measures):
            return "not within"
        small = self.measured and all(measure.upper <= tol for measure in measures)
        return "within" if small else "undecided"

    def within(self, tol: float | None = None) -> bool:
        """Whether every part of the answer is proved to be within this relative tolerance."""
        return self.verdict(tol) == "within"


def _ends(interval: Interval, digits: int = 17) -> str:
    return f"{interval.lower:.{digits}g} … {interval.upper:.{digits}g}"


def check(
    id: str,
    problem: Any,
    /,
    *,
    tol: float | None = None,
    value: Any = None,
    why: bool = True,
    limit: float | None = None,
    **variables: Any,
) -> Judgement:
    """Judge an answer: its variables by the paper's symbols, any of them, and its value.

    `assert check("ye2008-thm2.2", problem, theta=w).within(1e-6)`

    `tol` is the relative distance that is allowed; by default what `solve` promises of the
    formulation, else 1e-6. `why=False` does not look for slips. `limit` is how many seconds may
    pass until the optimum is found: where they are not enough the interval that is known by then
    is used. Raises InputError for symbols that the formulation does not know, or that say nothing
    without others. Other names that people have for them are read too, and told (`translation`).
    """
    return judge(id, problem, tol, value, variables, why=why, limit=limit)


def judge(
    id: str,
    problem: Any,
    tol: float | None,
    value: Any,
    variables: Mapping[str, Any],
    *,
    why: bool = True,
    progress: Progress | None = None,
    limit: float | None = None,
) -> Judgement:
    """The same, of a mapping of symbols."""
    width = promise(id) or 1e-6 if tol is None else tol
    form = formulation(id)
    form.require(problem)
    tol = inputs.positive("tol", width)
    seconds = None if limit is None else inputs.positive("limit", limit)
    variables, value, notes = translated(form, problem, variables, value)
    problem, point, assumed = form.read(problem, variables)
    if value is not None and np.asarray(value).dtype.kind == "b":
        raise InputError("value", "a number", f"{value}".lower())
    claim = None if value is None else float(inputs.weights("value", value, ()))
    if not point and claim is None:
        known = ", ".join(form.shapes(problem))
        raise InputError("ANSWER", f"a value, or some of the symbols {known}", "neither")
    with balls.precision(), deadline.within(seconds):
        examiner = JUDGES[form.id](problem)
        found = examiner.examine(point)
        _require_measured(form, problem, examiner, point, found)
        ends = _narrowed(rigorous.optimum(form, problem, point, progress), found.objectives)
        made = Judgement(
            formulation=form.id,
            tol=tol,
            optimum=Interval(balls.below(ends.lower), balls.above(ends.upper)),
            violations=_violations(found),
            repaired={symbol: balls.doubles(x) for symbol, x in found.repaired.items()},
            sides={side: _side(side, x, ends) for side, x in found.objectives.items()},
            claimed=None if claim is None else _claimed(claim, ends),
            rigorous=not found.unproved,
            assumed=assumed,
            read=notes,
        )
    if not made.measured:
        came = ", ".join(point)
        raise InputError("ANSWER", "a value, or symbols whose objective can be taken", came)
    if not why or made.verdict() != "not within":
        return made
    if progress is not None:
        progress(f"{form.id}: which slip explains it")
    slips = tuple(explain(form, problem, point, claim))
    if all(slip.parameter is not None for slip in slips):  # a number that fits explains less
        plain = inaccuracy(made, form, problem, point)
        slips = plain + slips if claim is None and _one_free(point) else slips + plain
    return replace(made, slips=slips)


def _one_free(point: Mapping[str, Any]) -> bool:
    """Weights of two kernels alone: one number that is searched for explains them always."""
    return set(point) <= set(WEIGHTS) and sum(map(np.count_nonzero, point.values())) <= 2


def told(made: Judgement) -> dict[str, Any]:
    """The judgement as one object, for JSON."""

    def side(part: Side) -> dict[str, Any]:
        return {k: _finite(v) for k, v in vars(part).items()}

    return {
        "formulation": made.formulation,
        "verdict": made.verdict(),
        "tol": made.tol,
        "optimum": _finite(made.optimum),
        "violations": {label: _finite(x) for label, x in made.violations.items()},
        "sides": {name: side(part) for name, part in made.sides.items()},
        "value": None if made.claimed is None else side(made.claimed),
        "repaired": {symbol: x.tolist() for symbol, x in made.repaired.items()},
        "slips": [vars(slip) for slip in made.slips],
        "rigorous": made.rigorous,
        "assumed": made.assumed,
        "read": list(made.read),
    }


def _finite(interval: Interval) -> list[float | None]:
    """JSON has no infinity: an end that is not known is null."""
    return [x if np.isfinite(x) else None for x in interval]


# -- What an answer may hold ----------------------------------------------------------------------


def _require_measured(
    form: Formulation,
    problem: Any,
    examiner: Judge,
    point: Mapping[str, Any],
    found: Examination,
) -> None:
    """Refuse a symbol that says nothing without another one: t without θ or β."""
    for symbol in point:
        if symbol not in found.repaired:
            others = _companions(form, problem, examiner, point, symbol)
            expected = f"{others} beside it" if others else "a problem that tells of it"
            raise InputError(symbol, expected, ", ".join(point))


def _companions(
    form: Formulation, problem: Any, examiner: Judge, point: Mapping[str, Any], symbol: str
) -> str:
    """The fewest symbols with which another one is measured: "theta", or "theta or alpha, W"."""
    whole = form.enclose(problem, {}).variables
    more = [other for other in whole if other not in point]
    for count in (1, 2):
        found = [
            ", ".join(others)
            for others in combinations(more, count)
            if symbol in examiner.examine({**{s: whole[s] for s in others}, **point}).repaired
        ]
        if found:
            return " or ".join(found)
    return ""


# -- Distances ------------------------------------------------------------------------------------


def _violations(found: Examination) -> dict[str, Interval]:
    return {
        label: Interval(max(0.0, balls.below(x)), balls.above(x))
        for label, x in found.violations.items()
    }


def _narrowed(optimum: Proof, objectives: Mapping[str, Proof]) -> Proof:
    """The answer's own ends may be better than those that were found."""
    lower, upper = optimum.lower, optimum.upper
    if "upper" in objectives and objectives["upper"].upper < upper:
        upper = objectives["upper"].upper
    if "lower" in objectives and objectives["lower"].lower > lower:
        lower = objectives["lower"].lower
    return Proof(lower, upper)


def _side(side: str, objective: Proof, optimum: Proof) -> Side:
    """The distance of an objective that lies on this side of the optimum."""
    if side == "upper":
        low, high = objective.lower - optimum.upper, objective.upper - optimum.lower
    else:
        low, high = optimum.lower - objective.upper, optimum.upper - objective.lower
    if not low > 0:
        low = arb(0)
    return _part(objective, low, high, optimum)


def _claimed(value: float, optimum: Proof) -> Side:
    """The distance of a number from the optimum, on whichever side."""
    x = arb(value)
    over, under = x - optimum.upper, optimum.lower - x
    low = balls.largest([over, under, arb(0)])
    return _part(Proof(x, x), low, balls.largest([x - optimum.lower, optimum.upper - x]), optimum)


def _part(objective: Proof, low: arb, high: arb, optimum: Proof) -> Side:
    sizes = [abs(optimum.lower), abs(optimum.upper)]
    least = -balls.largest([-s for s in sizes])
    if not optimum.lower * optimum.upper > 0:
        least = arb(0)
    return Side(
        Interval(balls.below(objective.lower), balls.above(objective.upper)),
        Interval(max(0.0, balls.below(low)), balls.above(high)),
        Interval(max(0.0, _ratio(low, balls.largest(sizes)).lower), _ratio(high, least).upper),
    )


def _ratio(distance: arb, size: arb) -> Interval:
    """distance/size, rounded outwards; zero where the distance is, infinite where the size is."""
    if distance.is_zero():
        return Interval(0.0, 0.0)
    if not (distance.is_finite() and size > 0):
        far = np.inf if distance > 0 and not distance.is_finite() else 0.0
        return Interval(far, np.inf)
    return Interval(balls.below(distance / size), balls.above(distance / size))

"""A slip: the answer is (nearly) optimal for another problem than the one that was asked.

A paper gives a measure of how far an answer is from optimal in a problem of its kind, in doubles,
at the answer alone (a dataclass with `distance()`), and the slips: each changes fields of it.
Slips of the data, which every paper has, are in `slips.data`, those of numbers in `slips.numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy.optimize import minimize_scalar

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.errors import CvxkernelError, InputError
from cvxkernel.formulations.formulation import Formulation
from cvxkernel.formulations.inputs import Array
from cvxkernel.validation.papers import home, part
from cvxkernel.validation.slips.told import MERE, at_a_corner, kernel_alone, tell_a_number
from cvxkernel.validation.translation import WEIGHTS

EXPLAINED = 0.02  # an explanation leaves at most this part of the distance
LEAST = 1e-6  # a relative distance below it is inaccuracy, no slip
BESIDE = 300.0  # an explanation that leaves so much more than the best one is dropped
FLOOR = 1e-7  # below it no distance is better than another
SIMPLER = 100.0  # nor one more thing than another explanation, unless it leaves so much less
TOGETHER = 10.0  # each more thing done at once counts so much
NO_PROBLEM = (np.linalg.LinAlgError, ValueError, ZeroDivisionError, CvxkernelError)
ANOTHER_VALUE = "another value"  # beside variables that are explained, one that is not
RESCALED = "weights rescaled"  # a telling: optimal weights, but for their sum
CHANCE = 1e-3  # of the distance, the most that a slip may leave of weights alone
CLOSE = 1e-5  # the most that several things at once may leave
CLOSE_BESIDE = 1e-4  # and where a dual point or a value says more; what one slip of weights may
STRICT = 0.25  # of what a single slip may leave: of many things at once some would fit by chance
ANSWER = {"alpha", "theta", "mu", "beta", "u", "b", "c", "point"}  # fields that an answer fills
BUDGET = {"traces", "budget", "first"}  # fields that say what weights sum to
SEARCHED = 100.0  # a number that was searched for explains more easily: its distance counts so much


class Measure(Protocol):
    """An answer in a problem that may be a slipped one, and the values it claims."""

    @property
    def claims(self) -> Mapping[str, float]:
        """By name: "value", perhaps others."""

    def distance(self) -> float:
        """How far the answer is from optimal, relatively; infinite where that makes no sense."""


M = TypeVar("M", bound=Any)


@dataclass(frozen=True)
class Slip:
    """What explains an answer: its kind, in a sentence, and the distance that it leaves."""

    kind: str
    statement: str
    distance: float
    parameter: float | None = None  # what was estimated
    vague: bool = False  # many numbers explain it as well
    parts: tuple[str, ...] = ()  # the kinds, where several things were done at once
    read: int = 0  # how many numbers were read off the answer

    @property
    def kinds(self) -> set[str]:
        """Its own, or those of its parts."""
        return set(self.parts or (self.kind,))

    @property
    def score(self) -> float:
        """The smaller the better."""
        penalty = 1.0 if self.parameter is None else SEARCHED ** (1 + self.vague)
        together = len(self.parts) - 1 + 2 * (ANOTHER_VALUE in self.parts)
        return max(self.distance, FLOOR) * penalty * TOGETHER ** (max(0, together) + self.read)


@dataclass(frozen=True)
class Variant:
    """A slip that may have been made: the fields it changes, perhaps by a number to be found.

    kind      a few words, the same for slips of one sort
    statement a sentence; {0} is the number
    changes   of the number (1 where there is none) to the fields of the measure
    search    the range of the number, searched in the logarithm
    """

    kind: str
    statement: str
    changes: Callable[[float], Mapping[str, Any]]
    search: tuple[float, float] | None = None
    read: int = 0  # how many numbers of it were read off the answer

    @property
    def of(self) -> str:
        """What it changes: the "value" that is told, the "answer" beside it, or the "problem"."""
        changed = set(self.changes(1.0))
        return "value" if changed <= {"claims"} else "answer" if changed <= ANSWER else "problem"

    def slip(self, measure: Any) -> Slip:
        """The distance that is left, at the best number."""
        if self.search is None:
            return Slip(self.kind, self.statement, self.at(measure, 1.0), read=self.read)
        low, high = np.log(self.search)
        if low == high:  # a number each that was not searched for, but read off the answer
            left = self.at(measure, self.search[0])
            return Slip(self.kind, self.statement, left, 1.0, read=self.read)
        grid = np.linspace(low, high, 29)
        found = [self.at(measure, float(np.exp(x))) for x in grid]
        around = [np.inf, *found, np.inf]
        valleys = [i for i, x in enumerate(found) if x <= min(around[i], around[i + 2])]
        least, at = min(zip(found, grid.tolist(), strict=True))
        for i in sorted(valleys, key=lambda i: found[i])[:2]:
            fine = minimize_scalar(
                lambda x: min(self.at(measure, float(np.exp(x))), 1e3),
                bounds=(grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]),
                method="bounded",
                options={"xatol": 1e-7, "maxiter": 18},
            )
            least, at = min((least, at), (float(fine.fun), float(fine.x)))
        number = float(np.exp(at))
        if min(at - low, high - at) < 1e-3:  # at the border: the best number is elsewhere
            least = np.inf
        vague = sum(x <= max(10 * least, FLOOR) for x in found) > 2
        return Slip(self.kind, self.statement.format(f"{number:.3g}"), least, number, vague)

    def at(self, measure: Any, number: float) -> float:
        """The distance at one number; infinite where the slipped problem is none."""
        with np.errstate(all="ignore"):
            try:
                left = float(replace(measure, **self.changes(number)).distance())
            except NO_PROBLEM:
                return np.inf
        return left if np.isfinite(left) else np.inf

    def applied(self, measure: M, number: float) -> M | None:
        """The answer with this slip made; None where that is no problem."""
        try:
            return replace(measure, **self.changes(number))
        except NO_PROBLEM:
            return None


def fixed(kind: str, statement: str, **changes: Any) -> Variant:
    """A slip without a number."""
    return Variant(kind, statement, lambda _: changes)


AS_IT_IS = fixed("", "")


def ranked(measure: Measure, variants: Iterable[Variant]) -> list[Slip]:
    """The slips that explain the answer, best first; none where there is nothing to explain."""
    before = AS_IT_IS.at(measure, 1.0)
    if not before > LEAST:
        return []
    return _best(slip for v in variants if (slip := v.slip(measure)).distance <= _allowed(before))


def _allowed(before: float) -> float:
    """What an explanation may leave of a distance."""
    return min(EXPLAINED * before, 1e-3)


def _best(explained: Iterable[Slip]) -> list[Slip]:
    """One of each kind, best first, and none that leaves much more than the best."""
    in_order = sorted(explained, key=lambda s: s.score)
    best: dict[str, Slip] = {}
    for slip in in_order:
        near = SIMPLER * max(slip.distance, FLOOR)
        more = any(b.kinds < slip.kinds and b.distance <= near for b in in_order)
        if slip.score <= BESIDE * in_order[0].score and not more:
            best.setdefault(slip.kind, slip)
    return list(best.values())


def measure(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> Measure:
    """The answer as it stands, to the problem as it stands."""
    made: Measure = part(home(form), "slips").measure(form, problem, point, value)
    return made


def variants(form: Formulation, answer: Measure) -> Iterator[Variant]:
    """The slips of a formulation's paper."""
    yield from part(home(form), "slips").variants(answer)


def explain(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None
) -> list[Slip]:
    """The slips that explain an answer, best first: one alone, or else several at once."""
    answer = measure(form, problem, point, value)
    before = AS_IT_IS.at(answer, 1.0)
    if not before > LEAST:
        return []
    slips = list(variants(form, answer))
    mere = set(point) <= MERE
    corner = mere and at_a_corner(point)
    if (mere and not tell_a_number(point) and (value is None or corner)) or not point:
        slips = [slip for slip in slips if slip.search is None]
    elsewhere = other_formulations(form, problem, point, value, _allowed(before))
    alone = [*ranked(answer, slips), *elsewhere]
    if not point:  # one number, which many slips come near to
        alone = [s for s in alone if s.distance <= CLOSE]
    if value is None and mere:  # a method that was stopped early comes near to some slip by chance
        few, most = CLOSE / 10, max(min(CLOSE_BESIDE, CHANCE * before), LEAST)
        alone = [s for s in alone if s.distance <= (most if s.parameter is None else few)]
        made = {v.statement: v.applied(answer, 1.0) for v in slips if v.search is None}
        alone = [s for s in alone if _steep(form, made.get(s.statement), s.distance)]
    kernel = value is None and kernel_alone(point)
    if kernel:  # its best α makes it nearly optimal for some problem
        most = max(min(CLOSE_BESIDE, CHANCE * before), LEAST)
        alone = [s for s in alone if s.distance <= most]
    alone = _best(alone)
    # more leaves room for something else that was done
    sure = any(slip.parameter is None and slip.distance <= CLOSE_BESIDE for slip in alone)
    if sure or not point:
        return alone
    # a number that was searched for explains less than two things without one
    return _best([*alone, *composed(form, answer, slips, not mere, corner=corner, kernel=kernel)])


def _steep(form: Formulation, made: Any, left: float) -> bool:
    """Whether what is left is little beside what other weights leave in the same problem."""
    return made is None or left <= FLOOR / 10 or left <= CHANCE * _span(form, made)


def _span(form: Formulation, made: Any) -> float:
    """What other weights leave in a problem: where that is little it says little of these."""
    symbol = next((s for s in ("theta", "mu") if getattr(made, s, None) is not None), None)
    if symbol is None:
        return np.inf
    weights, left = getattr(made, symbol), [0.0]
    for k in range(1, weights.shape[-1]):
        other = replace(made, **{symbol: np.roll(weights, k, axis=-1)})
        scaled = (v for v in _tellings(form, other, "answer") if v.kind == RESCALED)
        left += [v.at(other, 1.0) for v in scaled]
    return max(left) or np.inf


# -- Several things at once -----------------------------------------------------------------------


def composed(
    form: Formulation,
    answer: Any,
    slips: Iterable[Variant],
    dual: bool,
    *,
    corner: bool = False,
    kernel: bool = False,
) -> list[Slip]:
    """One slip of the problem × another way to tell the answer × another value; or two slips.

    Two slips of the problem are tried where the answer has a dual point or a value: weights alone
    are a few numbers, which some pair would fit by chance. Weights at a `corner` say so little
    that no slip of the problem is told beside another value or another sum of them; a learned
    `kernel` told alone is nearly optimal for many problems: one has to be closer.
    """
    of_problem = [v for v in slips if v.of == "problem"]
    bare = replace(answer, claims={})
    before = AS_IT_IS.at(bare, 1.0)
    right = not before > LEAST  # the value alone is wrong
    close = CLOSE if kernel or not (dual or answer.claims) else CLOSE_BESIDE
    most = CLOSE if right else min(STRICT * _allowed(before), close)
    found = []
    for slip in (AS_IT_IS, *of_problem):
        number = 1.0
        if slip.search is not None:
            if right or not answer.claims:
                continue  # tried alone
            number = slip.slip(bare).parameter or 1.0
        made = slip.applied(answer, number)
        if made is None:
            continue
        summed = not answer.claims and (corner or set(slip.changes(number)) <= BUDGET)
        for telling in (AS_IT_IS, *_tellings(form, made, "answer")):
            if telling.kind == RESCALED and slip is not AS_IT_IS and summed:
                continue
            told = telling.applied(made, 1.0)
            left = np.inf if told is None else AS_IT_IS.at(replace(told, claims={}), 1.0)
            if left <= most and (dual or answer.claims or _steep(form, told, left)):
                found.append(_together(form, (slip, telling), number, told, left))
    # Two ways to tell the right answer, of two of its symbols.
    tellings = _tellings(form, answer, "answer") if dual else []
    for first, second in combinations(tellings, 2):
        if not set(first.changes(1.0)) & set(second.changes(1.0)):
            told = replace(answer, **{**first.changes(1.0), **second.changes(1.0)})
            left = AS_IT_IS.at(replace(told, claims={}), 1.0)
            if left <= most:
                found.append(_together(form, (first, second), 1.0, told, left))
    # Variables without their value explain themselves more easily: they have to be closer.
    if right:
        return _best(s for s in found if s.distance <= CLOSE and ANOTHER_VALUE not in s.parts)
    # One with a number that was searched for, and a value that is not its own, is no explanation.
    sure = [s for s in found if s.parameter is None and s.distance <= CLOSE / 10]
    if corner:
        own = {v.kind for v in _tellings(form, answer, "answer")} | {ANOTHER_VALUE}
        sure = [s for s in sure if set(s.parts) <= own]
    found = [s for s in found if ANOTHER_VALUE not in s.parts or s in sure]
    more = (dual or answer.claims) and not getattr(answer, "dear", False)
    if more and not any(s.parameter is None and ANOTHER_VALUE not in s.parts for s in found):
        pairs = _pairs(form, answer, of_problem, most, alone=not dual)
        found += [s for s in pairs if s.distance <= most and ANOTHER_VALUE not in s.parts]
    if kernel and not any(s.distance <= LEAST for s in found):
        return []
    return _best(found)


def _pairs(
    form: Formulation, answer: Any, slips: Iterable[Variant], most: float, *, alone: bool
) -> Iterator[Slip]:
    """Two slips of the problem, neither with a number to be found, and the value beside them.

    Beside weights alone the value has to be that of the slipped problem, whatever the weights are.
    """
    seen = set()
    for first in slips:
        made = None if first.search is not None else first.applied(answer, 1.0)
        if made is None:
            continue
        with np.errstate(all="ignore"):
            try:
                others = [v for v in variants(form, made) if v.search is None]
            except NO_PROBLEM:
                continue
        for second in others:
            if second.of != "problem" or second.kind == first.kind:
                continue
            # Kernels that are prepared twice depend on the order; no number is changed twice.
            twice = _changed(first, answer) & _changed(second, made)
            if twice - {"kernels"}:
                continue
            ordered = bool(twice)
            told = [first.statement, second.statement]
            pair = tuple(told if ordered else sorted(told))
            if pair in seen:
                continue
            seen.add(pair)
            both = second.applied(made, 1.0)
            left = np.inf if both is None else AS_IT_IS.at(replace(both, claims={}), 1.0)
            if left <= most and (not alone or _of_value(both) <= CLOSE):
                yield _together(form, (first, second), 1.0, both, left)


def _changed(slip: Variant, answer: Any) -> set[str]:
    """The fields that a slip changes, those of its problem one by one."""
    changes = dict(slip.changes(1.0))
    other = changes.pop("problem", None)
    if other is None:
        return set(changes)
    pairs = ((f.name, getattr(other, f.name), getattr(answer.problem, f.name))
             for f in fields(other))  # fmt: skip
    return set(changes) | {name for name, new, old in pairs if not np.array_equal(new, old)}


def _of_value(answer: Any) -> float:
    """The distance of the value from the optimum, the weights forgotten."""
    symbol = next((s for s in ("theta", "mu") if getattr(answer, s, None) is not None), None)
    return np.inf if symbol is None else fixed("", "", **{symbol: None}).at(answer, 1.0)


def _tellings(form: Formulation, made: Any, of: str) -> list[Variant]:
    """Other ways to tell the answer or the value, in a problem that may be a slipped one."""
    with np.errstate(all="ignore"):
        try:
            return [v for v in part(home(form), "slips").answers(made) if v.of == of]
        except NO_PROBLEM:
            return []


def _together(
    form: Formulation, slips: Iterable[Variant], number: float, told: Any, left: float
) -> Slip:
    """What explains the variables, and which value beside it."""
    made = [slip for slip in slips if slip is not AS_IT_IS]
    statements = [slip.statement.format(f"{number:.3g}") for slip in made]
    kinds = [slip.kind for slip in made]
    if told.claims:
        every = (AS_IT_IS, *_tellings(form, told, "value"))
        off, value = min(((v.at(told, 1.0), v) for v in every), key=lambda pair: pair[0])
        if off > 1e-3:
            alone = {
                s: AS_IT_IS.at(replace(told, claims={s: told.claims[s]}), 1.0) for s in told.claims
            }
            wrong = " and ".join(s for s, x in alone.items() if x > 1e-3)
            statements.append(f"and a {wrong} that is not that problem's")
            kinds.append(ANOTHER_VALUE)
        elif value is not AS_IT_IS:
            statements.append(value.statement)
            kinds.append(value.kind)
        left = max(left, off if off <= 1e-3 else 0.0)
    parameter = number if any(slip.search for slip in made) else None
    read = sum(slip.read for slip in made)
    told = "; ".join(statements)
    return Slip(", ".join(kinds), told, left, parameter, parts=tuple(kinds), read=read)


def other_formulations(
    form: Formulation, problem: Any, point: Mapping[str, Array], value: float | None, most: float
) -> Iterator[Slip]:
    """Formulations of the same data whose optimum it is."""
    data = {f.name: getattr(problem, f.name) for f in fields(problem)}
    for other in CATALOGUE.values():
        if other.id.endswith("-printed") or other.fixed or not set(other.keys) <= set(data):
            continue
        try:
            same = other.make(data)
            made = _in_symbols_of(other, same, point)
            if made is None:
                continue
            there = measure(other, same, made, value)
        except InputError:
            continue
        # One that cannot tell this answer from others explains nothing.
        if getattr(there, "tells", True) and (left := AS_IT_IS.at(there, 1.0)) <= most:
            kind = "another formulation"
            yield Slip(kind, f"this is the optimum of {other.id}, {other.statement}", left)


def _in_symbols_of(
    form: Formulation, problem: Any, point: Mapping[str, Array]
) -> dict[str, Array] | None:
    """The weights and the dual point, as another formulation calls them; None where it cannot."""
    made, shapes = {}, form.shapes(problem)
    for symbol, x in point.items():
        names = WEIGHTS if symbol in WEIGHTS else (symbol,)
        name = next((s for s in names if shapes.get(s) == np.shape(x)), None)
        if name is not None:
            made[name] = x
        elif symbol in ("alpha", "beta", "K", "a", *WEIGHTS):
            return None
    return made if made or not point else None

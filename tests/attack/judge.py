"""What is asked of every instance, and what breaks it.

All intervals of one optimum have to meet: those of every route, at any point, of the proof, of the
samples in another order, of the problem in other units, and of the multiprecision reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attack import kinds
from attack.reference import NoReference, reference
from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.errors import (
    ContradictionError,
    CvxkernelError,
    InputError,
    SolverError,
)
from cvxkernel.solvers import METHODS, solve
from cvxkernel.validation import rigorous

Ends = tuple[Any, Any]  # doubles, or numbers of many bits


@dataclass(frozen=True)
class Case:
    """An instance, by what it can be made again from."""

    id: str
    kind: str
    n: int
    seed: int

    def data(self) -> dict[str, Any]:
        """The keys of its problem file."""
        return kinds.draw(self.id, self.kind, self.n, self.seed)


@dataclass
class Evidence:
    """Every interval that was claimed for one optimum, by who claimed it; and what was raised."""

    intervals: dict[str, Ends] = field(default_factory=dict)
    foreign: dict[str, str] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)  # of the first answer

    def ask(self, who: str, claim: Callable[[], Any], factor: float = 1.0) -> Any:
        """Keep the ends of a claim over `factor`, also those in the error of one that gave up."""
        try:
            found = claim()
        except ContradictionError as error:
            self.foreign[who] = f"{type(error).__name__}: {error}"
            return None
        except SolverError as error:
            found = error.best
        except CvxkernelError:
            return None
        except Exception as error:  # the package promises that nothing else comes out
            self.foreign[who] = f"{type(error).__name__}: {error}"
            return None
        if found is not None:
            self.intervals[who] = (found.lower / factor, found.upper / factor)
        return found

    def complaints(self) -> Iterator[str]:
        """What cannot be: foreign errors, ends the wrong way round, intervals apart."""
        for who, what in self.foreign.items():
            yield f"{who} raised {what}"
        for who, (lower, upper) in self.intervals.items():
            if not lower <= upper:
                yield f"{who} has its ends the wrong way round: [{lower}, {upper}]"
        every = list(self.intervals.items())
        for i, (one, (low, high)) in enumerate(every):
            for other, (lower, upper) in every[i + 1 :]:
                if low > upper or lower > high:
                    yield f"{one} [{low}, {high}] does not meet {other} [{lower}, {upper}]"

    def contained(self) -> bool | None:
        """Whether every interval from doubles holds the reference; None where there is none."""
        if "reference" not in self.intervals:
            return None
        low, high = self.intervals["reference"]
        doubles = [
            ends
            for who, ends in self.intervals.items()
            if who != "reference" and not who.startswith("proof")
        ]
        return bool(doubles) and all(lower <= high and low <= upper for lower, upper in doubles)


SLOW = ("conic", "mirror_descent")


def routes(id: str) -> list[str]:
    """Every solver that answers an id, the panel last."""
    own = [name for name, route in METHODS.items() if id in route.answers]
    conic = CATALOGUE[id].kind not in ("SILP", "nonconvex") and "-alg" not in id
    return [*own, "conic"] if conic else own


def attack(case: Case, *, panel: bool = True) -> Evidence:
    """All that is claimed of an instance; with `panel` the slow routes are asked too."""
    form, data, evidence = CATALOGUE[case.id], case.data(), Evidence()
    rng = np.random.default_rng([case.seed, 1])
    try:
        problem = form.make(data)
    except InputError:
        return evidence
    kept = _solve_every(evidence, case, problem, panel)
    _enclose_anywhere(evidence, case, problem, kept, rng)
    _elsewhere(evidence, case, data, kept, rng)
    _reference(evidence, case, data, kept)
    return evidence


def _solve_every(evidence: Evidence, case: Case, problem: Any, panel: bool) -> dict[str, Any]:
    """Every route, and the proof at what the first found; returns what that has fixed."""
    form = CATALOGUE[case.id]
    found = evidence.ask("solve", lambda: solve(case.id, problem))
    variables = {} if found is None else dict(found.variables)
    kept = {symbol: variables[symbol] for symbol in form.fixed if symbol in variables}
    evidence.ask("proof", lambda: rigorous.enclose(case.id, problem, **variables))
    if not form.fixed:  # each would fix something else
        for name in routes(case.id):
            if panel or name not in SLOW:
                evidence.ask(name, lambda name=name: solve(case.id, problem, solver=name))
    evidence.variables = variables
    return kept


def _enclose_anywhere(
    evidence: Evidence, case: Case, problem: Any, kept: dict[str, Any], rng: np.random.Generator
) -> None:
    """Both ends at points that are not optimal: an enclosure is one wherever it is computed."""
    form = CATALOGUE[case.id]
    evidence.ask("nowhere", lambda: form.enclose(problem, kept))
    moved = {
        k: np.asarray(v) * (1 + 1e-3 * rng.normal(size=np.shape(v)))
        for k, v in evidence.variables.items()
    }
    evidence.ask("nearby", lambda: form.enclose(problem, {**moved, **kept}))
    evidence.ask("proof nearby", lambda: rigorous.enclose(case.id, problem, **{**moved, **kept}))


def _elsewhere(
    evidence: Evidence,
    case: Case,
    data: dict[str, Any],
    kept: dict[str, Any],
    rng: np.random.Generator,
) -> None:
    """The samples in another order, or other units."""
    form = CATALOGUE[case.id]

    def answer(changed: dict[str, Any]) -> Any:
        problem = form.make(changed)
        return form.enclose(problem, kept) if form.fixed else solve(case.id, problem)

    order = rng.permutation(case.n)
    scaled = kinds.rescaled(case.id, data, 2.0 ** int(rng.integers(-12, 13)))
    if scaled is None or rng.random() < 0.5:
        evidence.ask("permuted", lambda: answer(kinds.permuted(data, order)))
    else:
        evidence.ask("other units", lambda: answer(scaled[0]), scaled[1])


def _reference(evidence: Evidence, case: Case, data: dict[str, Any], kept: dict[str, Any]) -> None:
    if CATALOGUE[case.id].fixed and not kept:
        return
    try:
        evidence.intervals["reference"] = reference(case.id, {**data, **kept})
    except NoReference:
        return

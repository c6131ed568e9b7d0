"""Every constraint and every term of an objective, deleted: which claims of the paper turn red.

    python -m cvxkernel.validation.ledger.deletions [--paper PAPER] [--id ID]

A deletion is a formulation's id and the label of a constraint, or the number of a term of the
objective. The claims that name the program are judged with the program cut. A claim that stumbles
over what is missing has given no verdict, and is not counted as red.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple

import cvxpy as cp

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.program import Program
from cvxkernel.solvers.column_generation import ANSWERS, Exchange
from cvxkernel.validation.ledger import LEDGER, forget, judge
from cvxkernel.validation.ledger.shared import problem


class Deletion(NamedTuple):
    """What is taken out of which program."""

    id: str  # of the formulation
    what: str  # the label of a constraint, or "term 2" of the objective

    def __str__(self) -> str:
        return f"{self.id}: {self.what}"


# What the other constraints imply: no value can tell, and no claim is asked to. With the proof.
IMPLIED: dict[tuple[str, str], str] = {
    ("tang2009-eq11", "nonneg"): "θ = ζ + γ is a sum of two that are not negative",
    (
        "tang2009-eq11",
        "nonneg_zeta",
    ): "γ ≥ 0 asks ζᵢ ≤ minₜ θᵢᵗ; the largest such ζ, best, is ≥ 0",
    ("kundu2010-eq7", "spectrum"): "|μ - u| ≤ μ + u in the cones gives μ ≥ 0 and u ≥ 0",
    ("kundu2010-eq10", "gamma"): "‖zᵢ‖²/γᵢ in the objective is finite for γᵢ > 0 alone",
    ("rakotomamonjy2008", "nonneg"): "‖u_m‖²/d_m in the objective is finite for d_m > 0 alone",
    ("chen2009-eq12", "cone"): "|λa - u| ≤ λa + u in the cones gives λa ≥ 0 and u ≥ 0",
    ("chen2009-eq12", "nonneg"): "|λa - u| ≤ λa + u in the cones gives λa ≥ 0 and u ≥ 0",
}


# What a claim raises that reads what is not there.
STUMBLES = (LookupError, ZeroDivisionError, AttributeError, TypeError)


def terms(program: Program) -> list[cp.Expression]:
    """What the objective adds up."""
    expression = program.problem.objective.expr
    if isinstance(expression, cp.atoms.affine.add_expr.AddExpression):
        return list(expression.args)
    return [expression]


def cut(program: Program, what: str) -> Program:
    """The program without a constraint, or without a term of its objective."""
    least = isinstance(program.problem.objective, cp.Minimize)
    kept, constraints = terms(program), dict(program.constraints)
    if what in constraints:
        del constraints[what]
    else:
        del kept[int(what.removeprefix("term ")) - 1]
    total = sum(kept[1:], start=kept[0]) if kept else cp.Constant(0.0)
    made = Program(
        minimize=total if least else None, maximize=None if least else total, **constraints
    )
    # A variable that stood only in what was deleted is still one of the program.
    made.variables = dict(program.variables)
    return made


def sampled(id: str) -> Program:
    """The program of the built-in instance; a semi-infinite one with one cut."""
    form = CATALOGUE[id]
    at = problem(id, "gaussian", 0)
    if id in ANSWERS:
        return form.program(at, [Exchange.of(form, at).argmin(at.r**-1.0)])
    return form.program(at, [0 * at.Y]) if form.kind == "SILP" else form.program(at)


def deletions(paper: str | None = None, id: str | None = None) -> Iterator[Deletion]:
    """All of the formulations that claims name; what an algorithm fixes is another's program."""
    named = {program for claim in LEDGER.values() for program in claim.programs}
    seen: set[Any] = set()
    for name, form in CATALOGUE.items():
        wanted = (paper is None or form.paper == paper) and (id is None or name == id)
        if not wanted or name not in named or form.program in seen or form.fixed:
            continue
        seen.add(form.program)
        program = sampled(name)
        for label in program.constraints:
            yield Deletion(name, label)
        for number in range(1, len(terms(program)) + 1):
            yield Deletion(name, f"term {number}")


@contextmanager
def deleted(one: Deletion) -> Iterator[None]:
    """Whoever makes the program gets it cut."""
    original = CATALOGUE[one.id].program
    module, (owner, method) = sys.modules[original.__module__], original.__qualname__.split(".")
    holder = getattr(module, owner)

    @wraps(original)
    def wrapper(*arguments: Any, **options: Any) -> Program:
        return cut(original(*arguments, **options), one.what)

    before = {id: form for id, form in CATALOGUE.items() if form.program is original}
    forget()
    try:
        CATALOGUE.update({id: replace(form, program=wrapper) for id, form in before.items()})
        setattr(holder, method, wrapper)
        yield
    finally:
        CATALOGUE.update(before)
        setattr(holder, method, original)
        forget()


def red(one: Deletion, *, enough: int = 1) -> list[str]:
    """The claims that turn red, until there are enough."""
    same = {id for id, f in CATALOGUE.items() if f.program is CATALOGUE[one.id].program}
    named = [c for c in LEDGER.values() if same.intersection(c.programs)]
    found: list[str] = []
    with deleted(one):
        for claim in sorted(named, key=lambda c: len(c.programs)):
            try:
                as_recorded = judge(claim.id).as_recorded
            except STUMBLES:  # over a label, a number or a variable: not a verdict
                continue
            except Exception:  # no answer to a cut program: a claim that fails
                as_recorded = False
            found += [] if as_recorded else [claim.id]
            if len(found) >= enough:
                break
    return found


def main() -> None:
    """The table of all deletions, as it is made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper")
    parser.add_argument("--id")
    arguments = parser.parse_args()
    green = 0
    for one in deletions(arguments.paper, arguments.id):
        if (one.id, one.what) in IMPLIED:
            print(f"{one}: implied ({IMPLIED[one.id, one.what]})", flush=True)
            continue
        turned = red(one)
        green += not turned
        print(f"{one}: {', '.join(turned) or 'GREEN'}", flush=True)
    print(f"{green} green")
    sys.exit(1 if green else 0)


if __name__ == "__main__":
    main()

"""The files of test vectors: made from instances, slips and certificates; shipped as made.

`cvxkernel vectors DIR` writes what is shipped. `make` makes a file anew: its problems are the same
anywhere, its points are what the solvers find, and it claims nothing but what the checker shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from cvxkernel.formulations.catalogue import CATALOGUE, formulation
from cvxkernel.formulations.errors import CvxkernelError
from cvxkernel.validation.vectors import instances, slips
from cvxkernel.validation.vectors.certificate import certify
from cvxkernel.validation.vectors.witnesses import WITNESSES

SCHEMA, VERSION = "vector", 1
APART = Fraction(1, 1000)  # relative: nearer than that a slip is not told from the optimum
WIDEST = 1e-7  # relative, of an optimum
IDS = tuple(id for id in CATALOGUE if id in WITNESSES)


def make(id: str) -> dict[str, Any]:
    """The file of a formulation."""
    form, groups = formulation(id), {name: [] for name in instances.GROUPS}  # type: ignore[var-annotated]
    flags: set[str] = set()
    for number, one in enumerate(instances.instances(id), 1):
        test = _test(id, number, one)
        name = next(g for g, members in instances.GROUPS.items() if one.flag in members)
        groups[name].append(test)
        flags |= {one.flag, *(slip["flag"] for slip in test["slips"])}
    notes = {**instances.NOTES, **slips.NOTES}
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "formulation": id,
        "statement": form.statement,
        "sense": form.sense,
        "notes": {flag: note for flag, note in notes.items() if flag in flags},
        "groups": [{"name": g, "tests": tests} for g, tests in groups.items() if tests],
    }


def _test(id: str, number: int, one: instances.Instance) -> dict[str, Any]:
    certificate = _certified(id, one.problem)
    kept = list(_slips(id, one.problem, certificate)) if one.slips else []
    return {
        "id": f"{id}/{number}",
        "comment": one.comment,
        "flags": [one.flag],
        "problem": certificate["problem"],
        "optimum": certificate["optimum"],
        "answer": certificate["answer"],
        "slips": kept,
        "certificate": certificate["certificate"],
    }


def _certified(id: str, problem: Mapping[str, Any]) -> dict[str, Any]:
    made = certify(id, formulation(id).make(problem), tol=WIDEST)
    made["answer"] = {key: _short(part) for key, part in made["answer"].items()}
    return made


def _short(x: Any) -> Any:
    """Answers to fifteen digits."""
    if isinstance(x, dict):
        return {key: _short(part) for key, part in x.items()}
    if isinstance(x, list):
        return [_short(part) for part in x]
    return float(f"{x:.15g}") + 0.0


def _slips(
    id: str, problem: Mapping[str, Any], true: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The slips whose values are told apart from the optimum and from each other."""
    seen = [_middle(true["optimum"])]
    for slip in slips.slips(id, problem):
        other = slip.formulation or id
        made: Mapping[str, Any] = true
        if slip.changes or slip.formulation:
            try:
                made = _certified(other, {**problem, **slip.changes})
            except CvxkernelError:  # no problem, or none that can be certified so narrowly
                continue
        value = _middle(made["optimum"]) * Fraction(slip.factor)
        if any(abs(value - x) <= APART * max(abs(value), abs(x)) for x in seen):
            continue
        seen.append(value)
        yield {
            "flag": slip.flag,
            **({"formulation": other} if slip.formulation else {}),
            "changes": {key: _plain(x) for key, x in slip.changes.items()},
            "factor": slip.factor,
            **({"optimum": made["optimum"]} if made is not true else {}),
            "answer": {**made["answer"], "value": _short(slip.factor * made["answer"]["value"])},
            **({"certificate": made["certificate"]} if made is not true else {}),
        }


def _middle(optimum: list[str]) -> Fraction:
    lower, upper = map(Fraction, optimum)
    return (lower + upper) / 2


def _plain(x: Any) -> Any:
    return x.tolist() if isinstance(x, np.ndarray) else x


def text(vectors: Mapping[str, Any]) -> str:
    """The file of test vectors: a line for each of its tests, shortest numbers."""
    head = {key: value for key, value in vectors.items() if key != "groups"}
    lines = [json.dumps(head, ensure_ascii=False)[:-1] + ', "groups": [']
    for g, group in enumerate(vectors["groups"]):
        lines.append(f'{{"name": {json.dumps(group["name"])}, "tests": [')
        rows = [_compact(test) for test in group["tests"]]
        lines += [row + ("," if i + 1 < len(rows) else "") for i, row in enumerate(rows)]
        lines.append("]}" + ("," if g + 1 < len(vectors["groups"]) else ""))
    return "\n".join([*lines, "]}", ""])


def _compact(x: Any) -> str:
    """JSON without spaces; a double by the shortest decimal that names it, a whole one as such."""
    if isinstance(x, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{_compact(v)}" for k, v in x.items()) + "}"
    if isinstance(x, list):
        return "[" + ",".join(map(_compact, x)) + "]"
    if isinstance(x, float):
        return str(int(x)) if x == int(x) and abs(x) < 2**53 else repr(x)
    return json.dumps(x, ensure_ascii=False)

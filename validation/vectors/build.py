"""The files of test vectors: made from instances, slips and points that a certificate holds.

Problems are made of whole numbers, and both ends of an optimum are what the checker makes of a
problem and a point, in fractions: from the points recorded in a file `make` makes it again,
bit for bit, on any machine. Without them it solves, and other processors leave other last digits.
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
from cvxkernel.validation.vectors.certificate import certify, data, optimum, shown
from cvxkernel.validation.vectors.witnesses import WITNESSES

SCHEMA, VERSION = "vector", 1
APART = Fraction(1, 1000)  # relative: nearer than that a slip is not told from the optimum
WIDEST = 1e-7  # relative, of an optimum
IDS = tuple(id for id in CATALOGUE if id in WITNESSES)


Recorded = Mapping[str, Mapping[str, Any]]  # by the id of a test, or that and a slip's flag


def recorded(vectors: Mapping[str, Any]) -> Recorded:
    """The tests and slips of a file by name: its certificates and answers are the points."""
    tests = [test for group in vectors["groups"] for test in group["tests"]]
    named = {test["id"]: test for test in tests}
    return named | {f"{t['id']} {slip['flag']}": slip for t in tests for slip in t["slips"]}


def make(id: str, points: Recorded | None = None) -> dict[str, Any]:
    """The file of a formulation, at points that were recorded, or at those of a solve."""
    form = formulation(id)
    groups: dict[str, list[Any]] = {name: [] for name in instances.GROUPS}
    flags: set[str] = set()
    for number, one in enumerate(instances.instances(id), 1):
        test = _test(id, f"{id}/{number}", one, points)
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


def _test(id: str, name: str, one: instances.Instance, points: Recorded | None) -> dict[str, Any]:
    made = _certified(id, one.problem, points, name)
    kept = list(_slips(id, name, one.problem, made, points)) if one.slips else []
    return {
        "id": name,
        "comment": one.comment,
        "flags": [one.flag],
        "problem": made["problem"],
        "optimum": made["optimum"],
        "answer": made["answer"],
        "slips": kept,
        "certificate": made["certificate"],
    }


def _certified(
    id: str, problem: Mapping[str, Any], points: Recorded | None, name: str
) -> dict[str, Any]:
    """Problem, optimum, answer and certificate."""
    checked = formulation(id).make(problem)
    if points is None:
        made = certify(id, checked, tol=WIDEST)
        made["answer"] = {key: _short(part) for key, part in made["answer"].items()}
        return made
    at = points[name]
    claim = {"formulation": id, "problem": data(checked), "certificate": at["certificate"]}
    factor = at.get("factor", 1.0)
    answer = {**at["answer"], "value": at["answer"]["value"] / factor}
    return {**claim, "optimum": optimum(*shown(claim)), "answer": answer}


def _short(x: Any) -> Any:
    """Answers to fifteen digits."""
    if isinstance(x, dict):
        return {key: _short(part) for key, part in x.items()}
    if isinstance(x, list):
        return [_short(part) for part in x]
    return float(f"{x:.15g}") + 0.0


def _slips(
    id: str,
    name: str,
    problem: Mapping[str, Any],
    true: Mapping[str, Any],
    points: Recorded | None,
) -> Iterator[dict[str, Any]]:
    """The slips whose values are told apart from the optimum and from each other."""
    seen = [_middle(true["optimum"])]
    for slip in slips.slips(id, problem):
        other, at = slip.formulation or id, f"{name} {slip.flag}"
        if points is not None and at not in points:
            continue
        made: Mapping[str, Any] = true
        if slip.changes or slip.formulation:
            try:
                made = _certified(other, {**problem, **slip.changes}, points, at)
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
        rows = [compact(test) for test in group["tests"]]
        lines += [row + ("," if i + 1 < len(rows) else "") for i, row in enumerate(rows)]
        lines.append("]}" + ("," if g + 1 < len(vectors["groups"]) else ""))
    return "\n".join([*lines, "]}", ""])


def compact(x: Any) -> str:
    """JSON without spaces; a double by the shortest decimal that names it, a whole one as such."""
    if isinstance(x, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{compact(v)}" for k, v in x.items()) + "}"
    if isinstance(x, list):
        return "[" + ",".join(map(compact, x)) + "]"
    if isinstance(x, float):
        return str(int(x)) if x == int(x) and abs(x) < 2**53 else repr(x)
    return json.dumps(x, ensure_ascii=False)

"""JSON Schemas (2020-12) of the files that are exchanged, made from the catalogue; shipped as made.

`python -m cvxkernel.validation.vectors.schema DIR` writes them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.chen2009.programs import REGULARIZERS
from cvxkernel.formulations.kundu2010.losses import LOSSES, NAMES

DRAFT = "https://json-schema.org/draft/2020-12/schema"
BASE = "urn:cvxkernel:"

Schema = dict[str, Any]
NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string"}
DECIMAL: Schema = {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$"}
PAIR = {"type": "array", "minItems": 2, "maxItems": 2}
INTERVAL: Schema = {**PAIR, "items": {"type": ["number", "null"]}}


def _lists(depth: int, of: Schema = NUMBER) -> Schema:
    return {"type": "array", "minItems": 1, "items": _lists(depth - 1, of)} if depth else of


def _anything(of: Schema) -> Schema:
    """A number or nested lists of them."""
    return {"anyOf": [of, {"type": "array", "items": {"$ref": "#/$defs/nested"}}]}


def _object(properties: Schema, required: list[str], **more: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": required, **more}


def schemas() -> dict[str, Schema]:
    """By name."""
    every = {
        "problem": _problem(),
        "answer": _answer(),
        "judgement": _judgement(),
        "certificate": _certificate(),
        "vector": _vector(),
    }
    return {
        name: {"$schema": DRAFT, "$id": f"{BASE}{name}", "title": f"cvxkernel: {name}", **schema}
        for name, schema in every.items()
    }


POSITIVE: Schema = {"type": "number", "exclusiveMinimum": 0}
NONNEGATIVE: Schema = {"type": "number", "minimum": 0}
SIGN: Schema = {"enum": [-1, 1]}
LOSS: Schema = {
    "anyOf": [
        {"enum": [*LOSSES, *(name for name, (_, needed, _) in NAMES.items() if not needed)]},
        _object({"name": {"enum": [*LOSSES, *NAMES]}}, ["name"]),
    ]
}
KEYS: dict[str, Schema] = {
    "kernels": {**_lists(3), "description": "p symmetric matrices, positive semidefinite"},
    "K": {**_lists(2), "description": "one such matrix"},
    "S": {"anyOf": [_lists(2), _lists(3)], "description": "a symmetric matrix, or m of them"},
    "y": {
        **_lists(1),
        "description": "labels, of ±1 where the program asks for signs; numbers in regression",
    },
    "Y": {**_lists(2, SIGN), "description": "k rows of n labels ±1"},
    "X": _lists(2),
    "V": _lists(2),
    "v0": _lists(1),
    "U": {"anyOf": [_lists(2), _lists(3)], "description": "eigenvectors, in columns"},
    "s": _lists(1),
    "psi": NUMBER,
    "lam": NONNEGATIVE,
    "C": POSITIVE,
    "epsilon": NONNEGATIVE,
    "nu": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "eta": POSITIVE,
    "gamma": POSITIVE,
    "rho": NONNEGATIVE,
    "tau": POSITIVE,
    "beta": NONNEGATIVE,
    "h": {"enum": list(REGULARIZERS)},
    "loss": {
        "anyOf": [LOSS, {"type": "array", "minItems": 1, "items": LOSS}],
        "description": "a loss, or one for each of S: a name, or an object of it and parameters",
    },
}


def _problem() -> Schema:
    """The keys that are known; under $defs those that a formulation needs."""
    needed = {id: {"$ref": "#", "required": list(form.keys)} for id, form in CATALOGUE.items()}
    return {"type": "object", "properties": KEYS, "$defs": needed}


def _nested(of: Schema) -> Schema:
    return {"nested": _anything(of)}


def _answer() -> Schema:
    """What `solve` prints and `check` reads: symbols under `variables` or at the top."""
    known: Schema = {
        "formulation": TEXT,
        "status": TEXT,
        "value": NUMBER,
        "lower": NUMBER,
        "upper": NUMBER,
        "rigorous": {"type": "boolean"},
        "variables": {"type": "object", "additionalProperties": {"$ref": "#/$defs/nested"}},
        "solver": TEXT,
        "iterations": {"type": ["integer", "null"]},
        "seconds": NUMBER,
        "open": TEXT,
        "digits": TEXT,
        "promises": {"type": "object"},
        "notes": {"type": "array", "items": TEXT},
        "history": {"type": "array"},
        "attempts": {"type": "object"},
    }
    own = {"additionalProperties": {"$ref": "#/$defs/nested"}, "$defs": _nested(NUMBER)}
    return _object(known, [], **own)


def _judgement() -> Schema:
    """What `check --json` prints."""
    side = _object(dict.fromkeys(("objective", "distance", "relative"), INTERVAL), [])
    slip = _object({"kind": TEXT, "statement": TEXT, "distance": NUMBER}, ["kind", "statement"])
    sides: Schema = {"type": "object", "additionalProperties": side}
    known: Schema = {
        "formulation": TEXT,
        "verdict": {"enum": ["within", "not within", "undecided"]},
        "tol": POSITIVE,
        "optimum": INTERVAL,
        "violations": {"type": "object", "additionalProperties": INTERVAL},
        "sides": sides,
        "value": {"anyOf": [side, {"type": "null"}]},
        "repaired": {"type": "object", "additionalProperties": {"$ref": "#/$defs/nested"}},
        "slips": {"type": "array", "items": slip},
        "rigorous": {"type": "boolean"},
        "assumed": {"type": ["string", "null"]},
    }
    return _object(
        known, ["formulation", "verdict", "tol", "optimum"], **{"$defs": _nested(NUMBER)}
    )


OPTIMUM: Schema = {**PAIR, "items": DECIMAL}


def _points() -> Schema:
    """Decimals in nested lists; null where a kernel needs no evidence."""
    anything = [DECIMAL, {"type": "null"}]
    lists = {"type": "array", "items": {"$ref": "#/$defs/decimals"}}
    parts = {"type": "object", "additionalProperties": {"$ref": "#/$defs/decimals"}}
    return {"decimals": {"anyOf": [*anything, lists, parts]}}


def _claim() -> Schema:
    answer = _object({"value": NUMBER, "variables": {"type": "object"}}, ["value", "variables"])
    certificate = {"type": "object", "additionalProperties": {"$ref": "#/$defs/decimals"}}
    problem = {"$ref": f"{BASE}problem"}
    return {"optimum": OPTIMUM, "answer": answer, "problem": problem, "certificate": certificate}


def _head(schema: str) -> Schema:
    sense = {"enum": ["minimize", "maximize"]}
    own = {"const": schema}
    return {"schema": own, "version": {"const": 1}, "formulation": TEXT, "sense": sense}


def _certificate() -> Schema:
    known = {**_head("certificate"), **_claim()}
    return _object(known, list(known), additionalProperties=False, **{"$defs": _points()})


def _vector() -> Schema:
    claim, flag = _claim(), {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*$"}
    changed = {**claim, "flag": flag, "formulation": TEXT, "changes": claim["problem"]}
    changed["factor"] = NUMBER
    needed = ["flag", "changes", "factor", "answer"]
    slip = _object(changed, needed, additionalProperties=False)
    test = {**claim, "id": TEXT, "comment": TEXT, "flags": {"type": "array", "items": flag}}
    test["slips"] = {"type": "array", "items": slip}
    tests = {"type": "array", "items": _object(test, list(test), additionalProperties=False)}
    group = _object({"name": TEXT, "tests": tests}, ["name", "tests"], additionalProperties=False)
    notes = {"type": "object", "propertyNames": flag, "additionalProperties": TEXT}
    groups = {"type": "array", "items": group}
    known = {**_head("vector"), "statement": TEXT, "notes": notes, "groups": groups}
    return _object(known, list(known), additionalProperties=False, **{"$defs": _points()})


def write(folder: Path) -> None:
    """One file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        text = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        (folder / f"{name}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))

"""The JSON Schemas, and the package's own reading and writing of files against them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource

from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.validation.instances import sample
from cvxkernel.validation.vectors import schema, shipped
from cvxkernel.validation.vectors.certificate import certify

NAMES = ("problem", "answer", "judgement", "vector", "certificate")
REGISTRY = Registry().with_resources(
    (f"{schema.BASE}{name}", Resource.from_contents(shipped.schema(name))) for name in NAMES
)


def validator(name, part=None):
    made = shipped.schema(name)
    if part is not None:
        made = {"$ref": f"{schema.BASE}{name}#/$defs/{part}"}
    return Draft202012Validator(made, registry=REGISTRY)


def plain(data):
    return {k: x.tolist() if isinstance(x, np.ndarray) else x for k, x in data.items()}


def test_shipped_as_made_and_valid():
    made = schema.schemas()
    assert set(made) == set(NAMES)
    for name in NAMES:
        assert shipped.schema(name) == made[name]
        Draft202012Validator.check_schema(made[name])


@pytest.mark.parametrize("id", CATALOGUE)
def test_what_the_package_reads_is_a_problem(id):
    data = plain(sample(id, 8, 2))
    CATALOGUE[id].make(data)
    validator("problem", id).validate(data)
    for key in CATALOGUE[id].keys:
        less = {k: x for k, x in data.items() if k != key}
        with pytest.raises(ValidationError):
            validator("problem", id).validate(less)


@pytest.mark.parametrize(
    ("id", "key", "bad"),
    [
        ("chen2009-eq1", "C", -1),
        ("chen2009-eq1", "C", 0),
        ("chen2009-eq1", "C", "1"),
        ("chen2009-eq1", "K", [1, 2]),
        ("chen2009-eq1", "K", [["a"]]),
        ("chen2009-eq1", "y", []),
        ("chen2009-eq12", "h", "clap"),
        ("kundu2010-eq4", "loss", "L4"),
        ("kundu2010-eq4", "rho", -1),
        ("tang2009-thm3.1", "Y", [[1, 2, 1, 2, 1, 2, 1, 2]]),
        ("ye2008-thm2.2", "kernels", [[1, 0], [0, 1]]),
    ],
)
def test_what_the_schema_refuses_the_package_refuses(run, tmp_path, id, key, bad):
    data = {**plain(sample(id, 8, 2)), key: bad}
    with pytest.raises(ValidationError):
        validator("problem", id).validate(data)
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert run("solve", id, path).status == 2


def test_what_the_package_writes(run, tmp_path):
    id = "lanckriet2004-sm1"
    problem, answer = tmp_path / "problem.json", tmp_path / "answer.json"
    problem.write_text(json.dumps(plain(sample(id, 8, 2))), encoding="utf-8")
    solved = run("solve", id, problem, "--json", "--history").json
    validator("answer").validate(solved)
    answer.write_text(json.dumps(solved), encoding="utf-8")
    validator("judgement").validate(run("check", id, problem, answer, "--json").json)
    answer.write_text(json.dumps({"mu": [1, 1], "value": 3}), encoding="utf-8")
    validator("answer").validate({"mu": [1, 1], "value": 3})
    validator("judgement").validate(run("check", id, problem, answer, "--json").json)
    with pytest.raises(ValidationError):
        validator("answer").validate({"mu": "one"})


@pytest.mark.parametrize("id", shipped.ids())
def test_vectors(id):
    validator("vector").validate(shipped.vectors(id))
    for test in shipped.tests(id):
        validator("problem", id).validate(test["problem"])


def test_certificates():
    id = "chen2009-eq1"
    made = certify(id, CATALOGUE[id].make(sample(id, 8, 2)))
    validator("certificate").validate(made)
    with pytest.raises(ValidationError):
        validator("certificate").validate({**made, "optimum": [1.0, 2.0]})

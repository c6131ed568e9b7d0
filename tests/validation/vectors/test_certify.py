"""Certificates of anybody's problems, on the command line and in Python."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.errors import InputError, SolverError
from cvxkernel.validation import rigorous
from cvxkernel.validation.instances import sample
from cvxkernel.validation.vectors import checker
from cvxkernel.validation.vectors.certificate import ELIMINATED, certify

CONVEX = [id for id, form in CATALOGUE.items() if form.kind != "nonconvex"]


def shown(certificate):
    checker.check(json.loads(json.dumps(certificate), parse_float=str, parse_int=str))
    return tuple(map(Fraction, certificate["optimum"]))


@pytest.mark.parametrize("id", [id for id in CONVEX if "-alg" not in id])
@pytest.mark.parametrize("kind", ["gaussian", "random"])
def test_every_convex_formulation_on_what_others_have(id, kind):
    problem = CATALOGUE[id].make(sample(id, 9, 2, kind=kind, seed=3))
    lower, upper = shown(certify(id, problem))
    assert upper - lower <= abs(upper) / 10**6
    found = cvxkernel.solve(id, problem)
    proved = rigorous.enclose(id, problem, **found.variables)
    assert Fraction(proved.lower) <= upper
    assert lower <= Fraction(proved.upper)


@pytest.mark.parametrize("id", ["lanckriet2004-sm1", "ye2008-thm3.1", "kim2006", "kundu2010-eq10"])
def test_forty_samples_with_factors(id):
    assert ELIMINATED < 40
    problem = CATALOGUE[id].make(sample(id, 40, 4))
    made = certify(id, problem)
    shown(made)
    evidence = made["certificate"]["kernels"]
    assert any(isinstance(e, list) for e in evidence)  # Cholesky factors


@pytest.mark.parametrize(
    "id", ["ye2008-thm2.2", "ye2008-eq45", "kim2006", "lanckriet2004-sm1", "lanckriet2004-sm2c",
           "tang2009-eq11", "kundu2010-eq10", "gonen2008-eq7"],
)  # fmt: skip
def test_kernels_that_rounding_left_indefinite_stand_for_the_nearest(id):
    data = sample(id, 12, 2)
    X = np.random.default_rng(5).normal(size=(12, 2))
    d = ((X[:, None] - X) ** 2).sum(axis=-1)
    wide = np.round(np.exp(-d / 200), 9)  # nine digits of a kernel that is nearly singular
    assert np.linalg.eigvalsh(wide)[0] < 0
    data["kernels"][1] = wide
    problem = CATALOGUE[id].make(data)
    made = certify(id, problem, tol=1e-4)
    lower, upper = shown(made)
    assert "positive" in made["certificate"]["kernels"][1]
    found = cvxkernel.solve(id, problem, tol=1e-4)
    proved = rigorous.enclose(id, problem, **found.variables)
    assert Fraction(proved.lower) <= upper
    assert lower <= Fraction(proved.upper)


def test_the_certificate_of_the_doubles_that_came():
    K = np.array([[2.0, 0.1], [0.1, 1.0]])
    made = cvxkernel.certify("chen2009-eq1", K=K, y=[1.0, -1.0], C=0.3)
    assert made["problem"]["K"] == K.tolist()
    assert made["problem"]["C"] == 0.3
    lower, upper = shown(made)
    alpha = min(Fraction(0.3), 2 / (Fraction(2.0) + 1 - 2 * Fraction(0.1)))
    optimum = 2 * alpha - alpha**2 * (3 - 2 * Fraction(0.1)) / 2  # both α are the same
    assert lower <= optimum <= upper


def test_what_cannot_be_certified_is_told_in_a_line():
    local = CATALOGUE["gonen2008-alg1"].make(sample("gonen2008-alg1", 8, 2))
    with pytest.raises(InputError, match="not convex"):
        certify("gonen2008-alg1", local)
    machine = CATALOGUE["chen2009-eq7"].make(sample("chen2009-eq7", 8, 2))
    with pytest.raises(SolverError, match="certified relative width"):
        certify("chen2009-eq7", machine, tol=1e-18)
    low = sample("chen2009-eq12", 8, 2, kind="low rank")
    with pytest.raises(InputError, match="eigenvalues that are told apart"):
        certify("chen2009-eq12", CATALOGUE["chen2009-eq12"].make(low))


def test_on_the_command_line(run, tmp_path):
    problem, output = tmp_path / "problem.json", tmp_path / "certificate.json"
    problem.write_text(json.dumps({"K": [[2, 1], [1, 2]], "y": [1, -1], "C": 1}), encoding="utf-8")
    assert run("certify", "chen2009-eq1", problem, "-o", output).status == 0
    lower, upper = shown(json.loads(output.read_text(encoding="utf-8")))
    assert lower <= 1 <= upper
    assert shown(run("certify", "chen2009-eq1", problem).json) == (lower, upper)
    failed = run("certify", "gonen2008-alg1", problem)
    assert failed.status == 2
    assert run("certify", "chen2009-eq1", problem, "--tol", "-1").status == 2

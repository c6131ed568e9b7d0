"""Answers as people have them: other names, support vectors, decision values, a fitted SVC."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.svm import SVC

import cvxkernel
from cvxkernel.formulations import CATALOGUE, InputError
from cvxkernel.formulations.errors import ShapeError
from cvxkernel.solvers import solve
from cvxkernel.validation.instances import blobs

N, C = 24, 0.6


@pytest.fixture(scope="module")
def data():
    X, y = blobs(N, 2, seed=4)
    y = np.where(np.random.default_rng(4).random(N) < 0.2, 3 - y, y)
    squared = ((X[:, None] - X) ** 2).sum(-1)
    K = np.stack([np.exp(-squared / w) for w in (0.3, 2.0)]) + 0.1 * np.eye(N)
    return {"kernels": K, "K": K[0], "y": 2 * y - 3, "C": C, "eta": 1 / (2 * C * N)}


@pytest.fixture(scope="module")
def machine(data):
    return SVC(C=C, kernel="precomputed", tol=1e-10).fit(data["K"], data["y"])


def judged(id, data, answer=None, **symbols):
    return cvxkernel.check(id, data, answer, tol=1e-6, **symbols)


@pytest.mark.parametrize("id", ["chen2009-eq1", "chen2009-eq3"])
def test_a_fitted_svc_is_an_answer(id, data, machine):
    found = judged(id, data, machine)
    assert found.within(), found
    assert "alpha read from support and dual_coef: signed, 0-based" in found.read
    assert ("b is no symbol of chen2009-eq1: not judged" in found.read) == (id == "chen2009-eq1")


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("how", ["signed", "unsigned", "signed for the other class"])
def test_support_vectors_in_every_way_of_writing(how, base, data, machine):
    coefficients = machine.dual_coef_[0] * {
        "signed": 1,
        "unsigned": data["y"][machine.support_],
    }.get(how, -1)
    b = machine.intercept_ * (-1 if "other" in how else 1)
    answer = {"support": (machine.support_ + base).tolist(), "dual_coef": coefficients.tolist()}
    found = judged("chen2009-eq3", data, {**answer, "b": b})
    assert found.within(), found
    assert f"alpha read from support and dual_coef: {how}, {base}-based" in found.read


def test_coefficients_of_every_sample_and_decision_values(data, machine):
    coefficients = np.zeros(N)
    coefficients[machine.support_] = machine.dual_coef_[0]
    for answer in (
        {"coef": coefficients, "intercept": machine.intercept_},
        {"decision_function": machine.decision_function(data["K"])},
    ):
        found = judged("chen2009-eq3", data, answer)
        assert found.within(), found
        assert set(found.sides) == {"upper", "lower"}


@pytest.mark.parametrize("id", ["rakotomamonjy2008", "lanckriet2004-sm1", "kim2006"])
@pytest.mark.parametrize("name", ["weights", "d", "mu", "theta"])
def test_other_names_of_the_weights(id, name, data):
    problem = CATALOGUE[id].make({**data, "lam": 0.1})
    solution = solve(id, problem, tol=1e-9)
    symbol = next(s for s in ("theta", "mu", "d") if s in solution.variables)
    answer = {name: solution.variables[symbol], "objective": solution.value}
    found = cvxkernel.check(id, {**data, "lam": 0.1}, answer, tol=1e-6)
    assert found.within(), found
    assert (f"{name} read as {symbol}" in found.read) == (name != symbol)
    assert "objective read as value" in found.read


def test_decision_values_beside_weights(data):
    solution = solve("rakotomamonjy2008", CATALOGUE["rakotomamonjy2008"].make(data), tol=1e-9)
    K = np.tensordot(solution.variables["d"], data["kernels"], axes=1)
    made = SVC(C=C, kernel="precomputed", tol=1e-10).fit(K, data["y"])
    answer = {"weights": solution.variables["d"], "decision": made.decision_function(K)}
    assert judged("rakotomamonjy2008", data, answer).within()
    with pytest.raises(InputError, match=r"^decision: expected d beside it"):
        judged("rakotomamonjy2008", data, {"decision": answer["decision"]})


@pytest.mark.parametrize(
    ("id", "answer", "message"),
    [
        ("chen2009-eq1", {"support": [0, 1]}, "dual_coef: expected dual_coef beside support"),
        ("chen2009-eq1", {"support": [0], "dual_coef": [1, -1]}, "support: expected an index for"),
        ("chen2009-eq1", {"support": [0, N], "dual_coef": [1, -1]}, "support: expected different"),
        ("chen2009-eq1", {"support": [1, 1], "dual_coef": [1, -1]}, "support: expected different"),
        ("chen2009-eq1", {"support": [0.5, 1], "dual_coef": [1, 1]}, "support: expected different"),
        ("chen2009-eq1", {"coef": [1.0, 2.0]}, r"coef: expected shape \(24,\), or support"),
        (
            "chen2009-eq1",
            {"alpha": np.ones(N), "coef": np.ones(N)},
            "alpha: expected alpha or coef",
        ),
        ("kim2006", {"support": [0, 1], "dual_coef": [1, -1]}, "ANSWER: expected symbols of kim"),
        ("rakotomamonjy2008", {"weights": [1, 0], "d": [1, 0]}, "d: expected d once; came d"),
        ("chen2009-eq1", SVC(), "answer: expected a fitted machine with dual_coef_; came SVC"),
        ("chen2009-eq1", {"weights": [1.0]}, "weights: expected a symbol of chen2009-eq1: alpha"),
    ],
)
def test_what_says_nothing_is_refused_in_a_line(id, answer, message, data):
    with pytest.raises((InputError, ShapeError), match=f"^{message}"):
        judged(id, {**data, "lam": 0.1}, answer)


def test_a_kernel_that_is_nearly_singular_does_not_tell_alpha(data, machine):
    K = np.ones((N, N)) + 1e-12 * np.eye(N)
    with pytest.raises(InputError, match="nearly singular"):
        judged("chen2009-eq1", {**data, "K": K}, {"decision": np.ones(N)})


def test_the_command_line_tells_what_was_read(tmp_path, run, data, machine):
    np.savez(tmp_path / "problem.npz", K=data["K"], y=data["y"], C=C)
    held = {"alphaindex": (machine.support_ + 1).tolist(), "coef": machine.dual_coef_[0].tolist()}
    (tmp_path / "answer.json").write_text(json.dumps(held))
    done = run(
        "check", "chen2009-eq1", tmp_path / "problem.npz", tmp_path / "answer.json", "--json"
    )
    assert done.status == 0
    assert "alphaindex read as support" in json.loads(done.out)["read"]

"""Kernels as data come: rounded, in single precision, not quite symmetric; and what they mean."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, SolverError, semidefinite
from cvxkernel.solvers import solve
from cvxkernel.validation import check, files, rigorous

ROUND = {
    "nine digits": np.vectorize(lambda v: float(f"{v:.9g}")),
    "single": lambda K: K.astype(np.float32).astype(np.float64),
    "asymmetric": lambda K: K + 5e-11 * np.triu(np.ones_like(K), 1),
}


def data(id, rounded, seed=0, C=1.0, n=14):
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = np.random.default_rng(seed).normal(size=(n, 3)) + 0.5 * y[:, None]
    squares = ((X[:, None] - X) ** 2).sum(-1)
    K = np.stack([ROUND[rounded](np.exp(-squares / s)) for s in (200, 20, 2000)])
    Y = np.stack([y, np.where(np.arange(n) % 3 == 0, 1.0, -1.0)])
    if id == "tang2009-eq2":
        K = K[[0, 2]]
    given = {"kernels": K, "K": K[0], "y": y, "Y": Y, "C": C, "eta": 1 / (2 * n * C)}
    given |= {"lam": 1.0, "beta": 0.5, "X": X, "V": 0.1 * X[:3], "v0": np.zeros(3)}
    return CATALOGUE[id].make(given)


MACHINES = ("chen2009-eq1", "chen2009-eq3", "kundu2010-eq10", "gonen2008-eq7", "tang2009-eq2")
KERNELS = (
    "tang2009-thm3.1",
    "tang2009-eq11",
    *(f"lanckriet2004-{x}" for x in ("sm1", "sm2", "sm2c")),
)


@pytest.mark.parametrize("rounded", ROUND)
@pytest.mark.parametrize("id", [*MACHINES, *KERNELS])
def test_the_interval_holds_the_optimum_with_the_nearest_kernel(id, rounded):
    problem = data(id, rounded)
    found = solve(id, problem)
    assert found.width <= 1e-6
    proved = rigorous.enclose(id, problem, **found.variables)  # K₊ to 30 digits
    assert proved.width <= 1e-15
    assert found.lower <= proved.lower <= proved.upper <= found.upper


@pytest.mark.parametrize("rounded", ["nine digits", "single"])
@pytest.mark.parametrize("seed", range(16))
def test_the_machine_that_once_had_its_ends_the_wrong_way_round(seed, rounded):
    found = solve("chen2009-eq3", data("chen2009-eq3", rounded, seed, n=30), solver="svm")
    assert found.lower <= found.upper
    assert found.width <= 1e-9


@pytest.mark.parametrize("id", ["chen2009-eq1", "lanckriet2004-sm1", "tang2009-eq2"])
def test_a_large_box_is_answered_too(id):
    assert solve(id, data(id, "nine digits", C=1e6)).width <= 1e-6


def test_what_had_to_go_is_told():
    found = solve("lanckriet2004-sm1", data("lanckriet2004-sm1", "nine digits", n=30))
    assert [note.partition(":")[0] for note in found.notes] == ["kernels[0]", "kernels[2]"]
    assert "smallest eigenvalue -" in found.notes[0]
    assert "nearest positive semidefinite matrix is meant" in found.notes[0]
    assert json.loads(files.answer(found))["notes"] == list(found.notes)
    proved = rigorous.solve("chen2009-eq1", data("chen2009-eq1", "nine digits", n=30))
    assert proved.notes[0].startswith("K: ")


def test_nothing_is_told_of_a_kernel_as_it_should_be():
    problem = CATALOGUE["chen2009-eq1"].make({"K": np.eye(4), "y": [1, -1, 1, -1], "C": 1.0})
    found = solve("chen2009-eq1", problem)
    assert found.notes == ()
    assert "notes" not in json.loads(files.answer(found))


@pytest.mark.parametrize("n", [12, 140])
def test_the_slack_of_what_is_held_is_a_few_units_in_the_last_place(n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    K = ROUND["nine digits"](np.exp(-((X[:, None] - X) ** 2).sum(-1) / 1e3))
    near = semidefinite.nearest(K)
    assert near.least < 0
    lam, U = np.linalg.eigh(K)
    off = np.linalg.norm(near.K - (U * np.maximum(lam, 0)) @ U.T, 2)
    assert off <= near.slack + 1e-14 * n
    assert near.slack <= (1e-14 if n < 128 else 1e-12) * np.linalg.norm(K)


@pytest.mark.parametrize("n", [30, 130])
def test_a_singular_kernel_is_held_as_it_came_with_a_slack_of_its_rounding(n):
    X = np.random.default_rng(1).normal(size=(n, 3))
    K = X @ X.T
    near = semidefinite.nearest(K)
    assert near.K is K
    assert near.least == 0
    assert -float(np.linalg.eigvalsh(K)[0]) <= near.slack + 1e-15 * np.trace(K)
    assert 0 < near.slack <= 1e-14 * np.linalg.norm(K)


@pytest.mark.parametrize("n", [30, 130])
def test_no_slack_is_less_than_what_is_known_to_be_missing(n):
    X = np.random.default_rng(2).integers(-8, 9, size=(n, 3)).astype(float)
    missing = 2.0**-42  # exactly: K is XXᵀ less that much of the identity
    near = semidefinite.nearest(X @ X.T - missing * np.eye(n))
    assert missing <= near.slack <= 1e-14 * np.linalg.norm(X @ X.T)


@pytest.mark.parametrize("id", ["chen2009-eq1", "chen2009-eq3", "lanckriet2004-sm1"])
def test_where_rounding_alone_is_too_wide_balls_tell_what_the_point_is_worth(id):
    d = np.array([1e6, 1e-6, 1e6, 1e-6, 1e6])
    B = np.random.default_rng(3).normal(size=(5, 5))
    K = d[:, None] * (B @ B.T) * d
    given = {"K": K, "kernels": K[None], "y": [1, -1, 1, -1, 1], "C": 1.0, "eta": 0.1}
    problem = CATALOGUE[id].make(given)
    with pytest.raises(SolverError) as caught:
        solve(id, problem)
    answer = rigorous.answer(id, problem)
    assert answer.rigorous
    assert answer.width <= 1e-6 < caught.value.best.width
    assert caught.value.best.lower <= answer.lower <= answer.upper <= caught.value.best.upper
    assert check(id, problem, **answer.variables).within()

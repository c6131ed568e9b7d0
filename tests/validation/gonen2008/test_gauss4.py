"""GAUSS4: the generator, the protocol of section 4.1, the command that runs it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cvxkernel.formulations import lanckriet2004
from cvxkernel.formulations.gonen2008 import support
from cvxkernel.solvers import solve
from cvxkernel.solvers.svm import svm
from cvxkernel.validation.gauss4 import GRID, MACHINES, PAPER, Toy, bank, machine
from cvxkernel.validation.gonen2008.samples import GAUSS4, gauss4, gauss4_bayes

COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "gauss4.json"


def test_the_points_have_the_printed_means_and_variances():
    n = 200_000
    X, y = gauss4(n, seed=1)
    assert set(y) == {-1.0, 1.0}
    # E[x] and E[xxᵀ] of each class, whatever component a point came from.
    for label in (1.0, -1.0):
        parts = [(np.array(m), np.array(v)) for c, m, v in GAUSS4 if c == label]
        mine = X[y == label]
        assert len(mine) / n == pytest.approx(0.5, abs=0.01)
        assert mine.mean(axis=0) == pytest.approx(sum(m for m, _ in parts) / 2, abs=0.05)
        second = sum(np.diag(v) + np.outer(m, m) for m, v in parts) / 2
        assert mine.T @ mine / len(mine) == pytest.approx(second, abs=0.1)
    assert np.array_equal(gauss4(50, seed=3)[0], gauss4(50, seed=3)[0])


def test_no_classifier_of_these_densities_reaches_the_papers_accuracy_on_the_average():
    # 92.00 % on a test set of 400 is 1.5 standard deviations above the best there is.
    X, y = gauss4(200_000, seed=2)
    best = np.mean(np.sign(gauss4_bayes(X)) == y)
    assert 0.895 < best < 0.900 < PAPER["LMKL (K_L-K_L-K_L)"][0] / 100
    for shift in (-0.2, 0.2):  # the ratio of the densities is the best there is
        assert np.mean(np.sign(gauss4_bayes(X) + shift) == y) < best


def test_the_protocol_is_the_papers():
    toy = Toy()
    X, y, X_test, y_test = toy.data()
    assert (len(X), len(X_test)) == (800, 400)
    assert abs(y.mean() - y_test.mean()) < 0.01
    assert (toy.n, toy.repeats, toy.grid) == (1200, 5, GRID)
    assert GRID == (0.01, 0.1, 1.0, 10.0, 100.0)


@pytest.mark.parametrize("name", "LPG")
def test_the_kernels_are_normalized_on_the_training_set(name):
    X, _ = gauss4(30)
    for trace, expected in (("1", 1), ("n", 30)):
        fitted = bank(name, trace).fit(X)
        assert np.trace(fitted.transform(X)[..., 0]) == pytest.approx(expected)
        assert fitted.transform(X[:5]) == pytest.approx(fitted.transform(X)[:5])


@pytest.mark.parametrize("C", [1.0, 20.0])
def test_plain_mkl_is_the_program_with_weights_that_add_up_to_one(C):
    X, y = gauss4(40, seed=4)
    K = bank("LP", "n").stack_of_fit(X)
    weights = machine("MKL (K_L-K_P)", C, "n", 0).fit(X, y).weights_[0]
    assert weights.sum() == pytest.approx(1)
    # max over α of 1ᵀα - ½ maxᵢ αᵀG(Kᵢ)α is the least over the weights of the machine's value.
    twice = solve("lanckriet2004-sm1", lanckriet2004.SoftMargin(K, y, C / 2))

    def J(w):
        combined = w * K[0] + (1 - w) * K[1]
        alpha = svm(combined, y, C)
        return alpha.sum() - (alpha * y) @ combined @ (alpha * y) / 2

    # sm1 in α/2 and C/2 is (2/2)[1ᵀα - ½ max]: the same number.
    assert J(weights[0]) == pytest.approx(twice.value, rel=1e-6)
    assert min(J(w) for w in np.linspace(0, 1, 21)) >= twice.lower * (1 - 1e-9)


def test_support_vectors_are_those_above_zero():
    assert support(np.array([0.0, 1e-12, 0.5, 1.0]), 1.0).tolist() == [False, False, True, True]
    assert support(np.zeros(3), 1.0).sum() == 0


def test_the_command_is_reproducible(run):
    done = run("gauss4", "--quick", "--seed", "1", "--json")
    assert done.status == 0, done.err
    rows = done.json["rows"]
    for again in Toy(1, 240, 1, (1.0, 100.0)).rows(["LMKL (K_L-K_P)"]):
        assert json.loads(json.dumps(vars(again))) in rows
    for again in Toy(2, 240, 1, (1.0, 100.0)).rows(["LMKL (K_L-K_P)"], ["1"]):
        assert json.loads(json.dumps(vars(again))) not in rows
    assert [(row["trace"], row["machine"]) for row in rows] == [
        (trace, name) for trace in "1n" for name in MACHINES
    ]
    for row in rows:
        assert 50 < row["accuracy"] <= 100
        assert 0 < row["support"] <= 100
        assert sum(row["weights"]) == pytest.approx(1)
        assert len(row["validation"]) == len(row["test"]) == 2
        chosen = int(np.argmax(row["validation"]))
        assert row["C"] == (1.0, 100.0)[chosen]
        assert row["accuracy"] == pytest.approx(row["test"][chosen])


def test_the_table_of_the_docs_is_what_the_command_prints():
    told = json.loads(COMMITTED.read_text())
    assert (told["seed"], told["n"], told["repeats"], tuple(told["grid"])) == (0, 1200, 5, GRID)
    toy = Toy(seed=0)
    assert toy.bayes() == told["bayes"]
    by_name = {(row["trace"], row["machine"]): row for row in told["rows"]}
    assert len(by_name) == 2 * len(MACHINES)
    for row in toy.rows(["SVM (K_L)"]):
        stored = by_name[row.trace, row.machine]
        assert stored["C"] == row.C
        assert row.accuracy == pytest.approx(stored["accuracy"], abs=0.2)
        assert row.support == pytest.approx(stored["support"], abs=0.2)

"""The judges of the exercises of gonen2008: one right answer and two wrong ones each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from cvxkernel.formulations.gonen2008 import Gated
from cvxkernel.solvers import solve
from cvxkernel.validation.exercises import EXERCISES, judge
from cvxkernel.validation.exercises.gonen2008 import optimum, problem, summed


def K_eta(K, eta):
    return sum(K_m * np.outer(e, e) for K_m, e in zip(K, eta, strict=True))


def slope(alpha, y, K, eta):
    """By central differences, along which the gates are those of moved thresholds."""
    gradient = []
    for m in range(len(K)):
        ends = []
        for h in (1e-5, -1e-5):
            moved = softmax(np.log(eta) + h * np.eye(len(K))[m][:, None], axis=0)
            ends.append(-0.5 * (alpha * y) @ K_eta(K, moved) @ (alpha * y))
        gradient.append((ends[0] - ends[1]) / 2e-5)
    return np.array(gradient)


def exact(alpha, y, K, eta):
    u = alpha * y * eta
    s = u * np.einsum("mij,mj->mi", K, u)
    return (eta * s.sum(axis=0) - s).sum(axis=1)


def upper(v, b, C=10.0, part=0.5):
    v_y, y = v * problem().y, problem().y
    f = problem().K_eta @ v_y
    return part * v_y @ f + C * sum(np.maximum(1 - y * (f + b), 0))


def every(choose):
    def end(alpha):
        v = alpha * problem().y
        return alpha.sum() - choose(problem().kernels * np.outer(v, v)).sum() / 2

    return end


RIGHT = {
    "gonen2008-1": lambda: optimum().value,
    "gonen2008-2": lambda: lambda X, V, v0: softmax(V @ X.T + v0[:, None], axis=0),
    "gonen2008-3": lambda: K_eta,
    "gonen2008-4": lambda: lambda v0: softmax(v0) ** 2,
    "gonen2008-5": lambda: exact,
    "gonen2008-6": lambda: upper,
    "gonen2008-7": lambda: every(lambda A: np.maximum(A.max(axis=0), 0)),
}
WRONG = [
    ("gonen2008-1", lambda: summed().value, "gates are left out"),
    ("gonen2008-1", lambda: 0.99 * optimum().value, "below what is proved"),
    ("gonen2008-2", lambda: lambda X, V, v0: np.exp(V @ X.T + v0[:, None]), "add up to one"),
    ("gonen2008-2", lambda: lambda X, V, v0: softmax(V @ X.T, axis=0), "v_m0 is left out"),
    ("gonen2008-3", lambda: lambda K, eta: np.einsum("mi,mij->ij", eta, K), "both points"),
    ("gonen2008-3", lambda: lambda K, eta: K.sum(axis=0), "off by"),
    ("gonen2008-4", lambda: softmax, "twice"),
    ("gonen2008-4", lambda: lambda v0: softmax(2 * v0), "squares do not"),
    ("gonen2008-5", lambda: lambda *at: exact(*at) / 2, "stands in it twice"),
    ("gonen2008-5", lambda: lambda *at: -exact(*at), "downhill"),
    ("gonen2008-6", lambda: lambda v, b: upper(v, b, part=1.0), "before the norms"),
    ("gonen2008-6", lambda: lambda v, b: upper(v, b, C=1.0), "cost C each"),
    ("gonen2008-7", lambda: every(lambda A: A.max(axis=0) / 2), "there are gates"),
    ("gonen2008-7", lambda: every(lambda A: 2 * np.abs(A).sum(axis=0)), "says less"),
]


@pytest.mark.parametrize("id", [id for id in EXERCISES if id.startswith("gonen2008")])
def test_a_right_answer_is_right(id, capsys):
    assert judge(id, RIGHT[id]())
    assert capsys.readouterr().out == f"{id}: right.\n"


@pytest.mark.parametrize(("id", "answer", "reason"), WRONG)
def test_a_wrong_answer_is_told_why(id, answer, reason, capsys):
    assert not judge(id, answer())
    assert reason in capsys.readouterr().out


def test_the_slope_is_that_of_differences():
    rng = np.random.default_rng(0)
    at = problem()
    alpha, eta = rng.random(8), at.eta
    told = exact(alpha, at.y, at.kernels, eta)
    assert np.allclose(told, slope(alpha, at.y, at.kernels, eta), rtol=1e-6)


def test_no_gating_is_below_the_end_of_every_gating():
    rng, at = np.random.default_rng(1), problem()
    alpha = optimum().variables["alpha"]
    end = RIGHT["gonen2008-7"]()(alpha)
    for size in (0.1, 1.0, 100.0):
        V, v0 = size * rng.normal(size=(2, 2)), size * rng.normal(size=2)
        assert solve("gonen2008-eq7", Gated(at.kernels, at.y, at.X, at.C, V, v0)).upper >= end

"""The judges of the exercises of kundu2010: one right answer and two wrong ones each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm, logm

from cvxkernel.validation.exercises import EXERCISES, judge
from cvxkernel.validation.exercises.kundu2010 import optimum, problem


def step(K, g, eta):
    moved = expm(logm(K) - eta * g)
    return 5 * moved / np.trace(moved)


def printed(K, g, eta):
    d, V = np.linalg.eigh(g)
    lam = np.linalg.eigvalsh(K) * np.exp(-eta * d)
    return (V * (5 * lam / lam.sum())) @ V.T


def pair(angle):
    V = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.diag([0.5, 4.5]), V @ np.diag([-1.0, 1.0]) @ V.T


RIGHT = {
    "kundu2010-1": lambda: optimum().value,
    "kundu2010-2": lambda: optimum().variables["K"],
    "kundu2010-3": lambda: lambda W, tau: tau * min(np.linalg.eigvalsh(W)),
    "kundu2010-4": lambda: lambda a, y: -0.5 * np.outer(a * y, a * y),
    "kundu2010-5": lambda: step,
    "kundu2010-6": lambda: pair(0.7),
}
WRONG = [
    ("kundu2010-1", lambda: -optimum().value, "minus the optimum"),
    ("kundu2010-1", lambda: 1.01 * optimum().value, "above what is proved"),
    ("kundu2010-2", lambda: problem().tau * np.eye(10) / 10, "not within"),
    ("kundu2010-2", lambda: np.ones((10, 10)), "not within"),
    ("kundu2010-3", lambda: lambda W, tau: min(np.linalg.eigvalsh(W)), "not one"),
    ("kundu2010-3", lambda: lambda W, tau: tau * max(np.linalg.eigvalsh(W)), "largest"),
    ("kundu2010-4", lambda: lambda a, y: 0.5 * np.outer(a * y, a * y), "minus"),
    ("kundu2010-4", lambda: lambda a, y: -0.5 * np.outer(a, a), "both sides"),
    ("kundu2010-5", lambda: printed, "printed step"),
    ("kundu2010-5", lambda: lambda K, g, eta: step(K, g, eta) / 5, "trace is one"),
    ("kundu2010-6", lambda: pair(0.0), "commute"),
    ("kundu2010-6", lambda: (np.eye(2), np.eye(2)), "trace 5"),
]


@pytest.mark.parametrize("id", [id for id in EXERCISES if id.startswith("kundu2010")])
def test_a_right_answer_is_right(id, capsys):
    assert judge(id, RIGHT[id]())
    assert capsys.readouterr().out == f"{id}: right.\n"


@pytest.mark.parametrize(("id", "answer", "reason"), WRONG)
def test_a_wrong_answer_is_told_why(id, answer, reason, capsys):
    assert not judge(id, answer())
    assert reason in capsys.readouterr().out

"""The judges of the exercises of ye2008: one right answer and two wrong ones each."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.validation.exercises import EXERCISES, judge
from cvxkernel.validation.exercises.ye2008 import optimum, problem

AT = problem()
A = np.ravel(AT.a)


def forms(beta):
    return np.einsum("i,pij,j->p", beta, AT.G, beta) / AT.r


RIGHT = {
    "ye2008-1": lambda: optimum().value,
    "ye2008-2": lambda: -optimum().value,
    "ye2008-3": lambda: optimum().variables["theta"],
    "ye2008-4": lambda: (
        lambda G, a, lam: a @ np.linalg.inv(np.eye(len(a)) + G / np.trace(G) / lam) @ a
    ),
    "ye2008-5": lambda: lambda b: b @ A - b @ b / 4 - max(forms(b)) / (4 * AT.lam),
    "ye2008-6": lambda: lambda mu, r, lam: 4 * lam * mu / r,
}
WRONG = [
    ("ye2008-1", lambda: -optimum().value, "minus the optimum"),
    ("ye2008-1", lambda: 1.01 * optimum().value, "above what is proved"),
    ("ye2008-2", lambda: optimum().value, "Theorems 2.1 and 2.2"),
    ("ye2008-2", lambda: -1.01 * optimum().value, "below what is proved"),
    ("ye2008-3", lambda: np.full(4, 0.25) / AT.r, "not within"),
    ("ye2008-3", lambda: np.eye(4)[0] / AT.r, "not within"),
    ("ye2008-4", lambda: lambda G, a, lam: a @ np.linalg.inv(np.eye(len(a)) + G / lam) @ a, "1/r"),
    ("ye2008-4", lambda: lambda G, a, lam: 1.0, "off by"),
    ("ye2008-5", lambda: lambda b: b @ A - b @ b / 4 - min(forms(b)) / (4 * AT.lam), "smallest"),
    ("ye2008-5", lambda: lambda b: b @ A - b @ b / 4, "above the optimum"),
    ("ye2008-6", lambda: lambda mu, r, lam: mu / r, "1/(4λ)"),
    ("ye2008-6", lambda: lambda mu, r, lam: 4 * lam * mu, "1/rᵢ"),
]


@pytest.mark.parametrize("id", [id for id in EXERCISES if id.startswith("ye2008")])
def test_a_right_answer_is_right(id, capsys):
    assert judge(id, RIGHT[id]())
    assert capsys.readouterr().out == f"{id}: right.\n"


@pytest.mark.parametrize(("id", "answer", "reason"), WRONG)
def test_a_wrong_answer_is_told_why(id, answer, reason, capsys):
    assert not judge(id, answer())
    assert reason in capsys.readouterr().out


def test_dots_and_what_fails_are_no_answers(capsys):
    assert not judge("ye2008-1", ...)
    assert "in place of the dots" in capsys.readouterr().out
    assert not judge("ye2008-4", lambda: 1)
    assert "TypeError" in capsys.readouterr().out

"""The judges of the exercises of chen2009: one right answer and two wrong ones each."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations.chen2009 import SpectrumMachine
from cvxkernel.solvers import solve
from cvxkernel.validation.exercises import EXERCISES, judge
from cvxkernel.validation.exercises.chen2009 import NEAR, clipped, optimum, problem, threshold


def spectral(change):
    def changed(S):
        lam, U = np.linalg.eigh(S)
        return U @ np.diag(change(lam)) @ U.T

    return changed


clip = spectral(lambda lam: np.maximum(lam, 0))


def inner(S, y, alpha, rho):
    v = alpha * y
    return clip(S + v[:, None] * v / rho / 4)


def free(S, y, alpha, rho):
    return S + np.outer(y * alpha, y * alpha) / (4 * rho)


def bound(alpha, W):
    return 2 * problem().eta * sum(alpha) - np.trace(W @ problem().S)


def dual():
    found = solve("chen2009-eq7-dual", problem(), tol=1e-9).variables
    return found["alpha"], found["W"]


def without_kernel():
    alpha, W = dual()
    return alpha, 0.9 * W


def gamma_of(q):
    lam, U = np.linalg.eigh(problem().S)
    return np.linalg.norm(q(lam, U.T @ (problem().y * clipped().variables["alpha"])))


RIGHT = {
    "chen2009-1": lambda: optimum().value,
    "chen2009-2": lambda: clip,
    "chen2009-3": lambda: lambda eta, n: 0.5 / (eta * n),
    "chen2009-4": lambda: inner,
    "chen2009-5": lambda: bound,
    "chen2009-6": dual,
    "chen2009-7": lambda: gamma_of(lambda lam, w: 0.05 * lam * w**2),
}
WRONG = [
    ("chen2009-1", lambda: clipped().value, "part of (7)"),
    ("chen2009-1", lambda: 1.01 * optimum().value, "above what is proved"),
    ("chen2009-2", lambda: spectral(np.abs), "flip"),
    ("chen2009-2", lambda: spectral(lambda lam: lam - min(lam)), "shift"),
    ("chen2009-3", lambda: lambda eta, n: 1 / (eta * n), "one half"),
    ("chen2009-3", lambda: lambda eta, n: 1 / (2 * eta), "averaged"),
    ("chen2009-4", lambda: free, "projected"),
    ("chen2009-4", lambda: lambda S, y, a, rho: inner(S, y, a, rho / 2), "derivative"),
    ("chen2009-5", lambda: lambda a, W: a.sum() - np.trace(W @ problem().S), "2η times"),
    (
        "chen2009-5",
        lambda: lambda a, W: bound(a, -W),
        "with a minus; at one of the points it is above the optimum",
    ),
    ("chen2009-6", without_kernel, "not within"),
    ("chen2009-6", lambda: (np.zeros(12), np.zeros((12, 12))), "not within"),
    ("chen2009-7", lambda: gamma_of(lambda lam, w: 0.05 * w**2), "λ is missing"),
    ("chen2009-7", lambda: 1.02 * threshold(), "above"),
]


@pytest.mark.parametrize("id", [id for id in EXERCISES if id.startswith("chen2009")])
def test_a_right_answer_is_right(id, capsys):
    assert judge(id, RIGHT[id]())
    assert capsys.readouterr().out == f"{id}: right.\n"


@pytest.mark.parametrize(("id", "answer", "reason"), WRONG)
def test_a_wrong_answer_is_told_why(id, answer, reason, capsys):
    assert not judge(id, answer())
    assert reason in capsys.readouterr().out


def test_nothing_is_learned_from_there_on():
    at = problem()
    for share, learned in ((1 - NEAR, True), (1 + NEAR, False)):
        machine = SpectrumMachine(at.S, at.y, at.eta, share * threshold(), "clip")
        found = solve("chen2009-eq12", machine, tol=1e-9)
        assert (found.upper < clipped().lower) is learned
        assert found.enclosure.meets(clipped().enclosure) is not learned

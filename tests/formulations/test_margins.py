"""The ends of the soft margins against exact arithmetic: one kernel, every face of the box."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, kernels
from cvxkernel.solvers import solve


def solve_exactly(A, b):
    """Gauss and Jordan over the rationals; None where A is singular."""
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for i in range(len(rows)):
        pivot = next((r for r in range(i, len(rows)) if rows[r][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(len(rows)):
            if r != i and rows[r][i]:
                rows[r] = [x - rows[r][i] * z for x, z in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def exact_margin(K, y, C, *, squared):
    """max 2αᵀ1 - αᵀQα for the doubles of one kernel, where c·t = αᵀG(K)α: by its faces.

    sm1: Q = G(K), 0 ≤ α ≤ C; sm2: Q = G(K) + I/C, α ≥ 0; αᵀy = 0. On a face, with α at its ends
    outside of S, the maximum solves Q_S α_S + b y_S = 1 - Q_SU α_U, y_Sᵀα_S = -y_Uᵀα_U.
    """
    n, C, best = len(y), Fraction(C), Fraction(0)
    y = [Fraction(sign) for sign in y]
    Q = [[y[i] * y[j] * Fraction(K[i, j]) for j in range(n)] for i in range(n)]
    for i in range(n):
        Q[i][i] += 1 / C if squared else 0
    for face in product(*[(None, Fraction(0)) if squared else (None, Fraction(0), C)] * n):
        S = [i for i in range(n) if face[i] is None]
        alpha = [value or Fraction(0) for value in face]
        if S:
            A = [[*(Q[i][j] for j in S), y[i]] for i in S]
            right = [1 - sum(Q[i][j] * alpha[j] for j in range(n)) for i in S]
            balance = -sum(sign * value for sign, value in zip(y, alpha, strict=True))
            found = solve_exactly([*A, [*(y[i] for i in S), Fraction(0)]], [*right, balance])
            if found is None:
                continue
            for i, value in zip(S, found[:-1], strict=True):
                alpha[i] = value
        inside = all(value >= 0 and (squared or value <= C) for value in alpha)
        if inside and not sum(sign * value for sign, value in zip(y, alpha, strict=True)):
            square = sum(alpha[i] * Q[i][j] * alpha[j] for i in range(n) for j in range(n))
            best = max(best, 2 * sum(alpha) - square)
    return best


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("C", [1e-2, 8.0, 1e3])
@pytest.mark.parametrize("id", ["sm1", "sm2"])
def test_the_enclosure_of_a_margin_holds_the_exact_optimum(id, offset, C):
    rng = np.random.default_rng(7)
    form = CATALOGUE[f"lanckriet2004-{id}"]
    for n in (2, 3, 4, 4):
        y = np.where(np.arange(n) % 2, 1.0, -1.0)
        K = kernels.linear(rng.normal(size=(n, 2 + 3 * (n % 2)))) + offset
        problem = form.make({"kernels": (K + K.T)[None] / 2, "y": y, "C": C})
        optimum = exact_margin(problem.kernels[0], y, C, squared=id == "sm2")
        for alpha in (*np.abs(rng.normal(size=(3, n))), np.ones(n), 1e-8 * np.ones(n)):
            found = form.enclose(problem, {"alpha": alpha})
            assert Fraction(found.lower) <= optimum <= Fraction(found.upper)
        if offset <= 1:  # beyond it no solver may answer
            close = solve(form.id, problem)
            assert Fraction(close.lower) <= optimum <= Fraction(close.upper)

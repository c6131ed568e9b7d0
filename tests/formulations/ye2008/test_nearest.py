"""ye2008 and kim2006 on kernels that are not quite kernels, or too wide, against mpmath.

The reference has a multiprecision eigendecomposition, a clipping and a search over one weight: it
shares nothing with the bounds, the solvers or the proofs.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, SolverError, kernels
from cvxkernel.formulations.errors import CvxkernelError
from cvxkernel.solvers import solve
from cvxkernel.validation import rigorous

DIGITS = 50


def clipped(K):
    """U max(Λ, 0) Uᵀ of a matrix of doubles."""
    e, U = mp.eigsy(mp.matrix(((K + K.T) / 2).tolist()))
    return U * mp.diag([max(x, 0) for x in e]) * U.T


def centred(K):
    n = K.rows
    P = mp.eye(n) - mp.ones(n) / n
    return P * K * P


def class_vectors(y, binary):
    n, out = len(y), []
    for label in sorted(set(y))[-1:] if binary else sorted(set(y)):
        m = sum(v == label for v in y)
        scale = mp.mpf(n) / (m * (n - m)) if binary else mp.sqrt(mp.mpf(n) / m)
        out.append(mp.matrix([scale * (int(v == label) - mp.mpf(m) / n) for v in y]))
    return out


def least(f, steps=45):
    """The least value of a convex function on [0, 1], by the golden section."""
    ratio = (mp.sqrt(5) - 1) / 2
    a, b = mp.mpf(0), mp.mpf(1)
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    fc, fd = f(c), f(d)
    for _ in range(steps):
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - ratio * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + ratio * (b - a)
            fd = f(d)
    return min(f(mp.mpf(0)), f(mp.mpf(1)), fc, fd)


def discriminant(data, *, binary):
    """The optimum of (8) and (29) for one or two kernels."""
    with mp.workdps(DIGITS):
        shares = []
        for K in data["kernels"]:
            G = centred(clipped(K))
            shares.append(G / (mp.mpf(float(data["lam"])) * sum(G[i, i] for i in range(G.rows))))
        H = class_vectors(data["y"].tolist(), binary)

        def value(w):
            M = mp.eye(len(data["y"])) + w * shares[0] + (1 - w) * shares[-1]
            return sum((h.T * mp.lu_solve(M, h))[0] for h in H)

        return value(mp.mpf(1)) if len(shares) == 1 else least(value)


def fisher(data):
    """The optimum of Kim's ratio (4) for one or two kernels."""
    with mp.workdps(DIGITS):
        y, lam = data["y"].tolist(), mp.mpf(float(data["lam"]))
        n, sizes = len(y), {s: y.count(s) for s in set(y)}
        a = mp.matrix([mp.mpf(1 if v == max(y) else -1) / sizes[v] for v in y])
        J = mp.matrix(n, n)
        for i in range(n):
            for j in range(n):
                if y[i] == y[j]:
                    J[i, j] = (int(i == j) - mp.mpf(1) / sizes[y[i]]) / mp.sqrt(sizes[y[i]])
        every = [clipped(K) for K in data["kernels"]]

        def value(w):
            G = w * every[0] + (1 - w) * every[-1]
            right = J * G * a
            return (
                -(a.T * G * a - right.T * mp.lu_solve(lam * mp.eye(n) + J * G * J, right))[0] / lam
            )

        return -(value(mp.mpf(1)) if len(every) == 1 else least(value))


def holds(found, optimum):
    return mp.mpf(found.lower) <= optimum <= mp.mpf(found.upper)


def rounded(K, digits):
    return np.array([float(f"{v:.{digits}g}") for v in K.ravel()]).reshape(K.shape)


X = np.random.default_rng(0).normal(size=(5, 3))
Y = np.array([1.0, -1, 1, -1, 1])
GAUSSIAN = np.stack([kernels.gaussian(X, 1.0), kernels.gaussian(X, 40.0)])
CASES = {
    "too wide": (kernels.gaussian(X, 1e6)[None], 1e-6),
    "too wide, and one that is not": (
        np.stack([kernels.gaussian(X, 1e6), kernels.gaussian(X, 1.0)]),
        1e-6,
    ),
    "nine digits": (rounded(GAUSSIAN, 9), 1e-3),
    "nine digits, small λ": (rounded(GAUSSIAN, 9), 1e-8),
    "single precision": (GAUSSIAN.astype(np.float32).astype(float), 1e-7),
    "low rank, small λ": (np.stack([X @ X.T, GAUSSIAN[1]]), 1e-9),
    "scales side by side": (GAUSSIAN * np.array([1e-12, 1e12])[:, None, None], 1e-2),
    "large λ": (GAUSSIAN, 1e6),
}


def data_of(name):
    stack, lam = CASES[name]
    return {"kernels": stack, "y": Y, "lam": lam}


@pytest.mark.parametrize("name", CASES)
def test_every_exact_program_holds_the_optimum_of_the_nearest_kernels(name):
    data = data_of(name)
    for binary, ids in ((True, ("thm2.1", "thm2.2")), (False, ("eq29-single", "thm3.2"))):
        optimum = discriminant(data, binary=binary)
        for id in ids:
            problem = CATALOGUE[f"ye2008-{id}"].make(data)
            found = solve(f"ye2008-{id}", problem)
            assert holds(found, optimum), (id, found.lower, found.upper, optimum)
            assert found.width <= 1e-6
        assert holds(rigorous.enclose(f"ye2008-{id}", problem, **found.variables), optimum), id


@pytest.mark.parametrize("name", CASES)
def test_kim2006_holds_the_optimum_of_the_nearest_kernels(name):
    data = data_of(name)
    found = solve("kim2006", CATALOGUE["kim2006"].make(data))
    assert holds(found, fisher(data)), (found.lower, found.upper)
    assert found.width <= 1e-6
    assert found.solver == "newton"


def test_the_slack_is_charged_where_nothing_makes_it_smaller(monkeypatch):
    # With no correction the interval is as wide as the slack says, and still holds the optimum.
    monkeypatch.setattr("cvxkernel.formulations.ye2008.data.TOLD", np.inf)
    charged = []
    for name in ("too wide", "nine digits, small λ", "low rank, small λ"):
        data = data_of(name)
        problem = CATALOGUE["ye2008-thm2.2"].make(data)
        found = CATALOGUE["ye2008-thm2.2"].enclose(problem, {})
        assert holds(found, discriminant(data, binary=True))
        charged.append((problem.near.slack > 0).any())
    assert any(charged)


@pytest.mark.parametrize("id", ["ye2008-thm2.2", "ye2008-thm3.2", "ye2008-thm3.3", "ye2008-thm3.1"])
def test_nothing_but_the_packages_own_errors_comes_out(id):
    form, rng = CATALOGUE[id], np.random.default_rng(5)
    for sigma in (1e1, 1e3, 1e6, 1e8):
        for lam in (1e-12, 1e-6, 1.0):
            stack = np.stack([kernels.gaussian(X, s) for s in (sigma, rng.uniform(0.5, 2))])
            try:
                assert solve(id, form.make({"kernels": stack, "y": Y, "lam": lam})).width <= 1e-6
            except SolverError:  # beyond doubles
                assert lam == 1e-12
            except CvxkernelError:
                assert sigma >= 1e6  # refused: no trace is left of it

"""Programs in an eigenbasis: functions of their data, and answers judged in any basis."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import product

import cvxpy as cp
import numpy as np
import pytest

from cvxkernel.formulations import errors as e
from cvxkernel.formulations.catalogue import CATALOGUE
from cvxkernel.formulations.chen2009 import (
    REGULARIZERS,
    AugmentedSample,
    NewSample,
    SpectrumMachine,
)
from cvxkernel.formulations.kundu2010 import Spectra
from cvxkernel.solvers import solve
from cvxkernel.validation import check, rigorous
from cvxkernel.validation.chen2009.samples import similarity

HADAMARD = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
Y4 = np.array([1.0, -1.0, 1.0, 1.0])
CUBE = np.array(list(product([0, 1], repeat=3)))
HAMMING, Y8 = 1 - (CUBE[:, None] != CUBE).mean(-1), np.array([1.0, -1, 1, 1, -1, 1, 1, 1])


def by_hand(lam, U, y, eta, gamma, h):
    """(12) at a known basis, in k = λ∘a where h = spectrum: no eigenvalue is in a denominator."""
    n, signs = len(y), np.sign(lam)
    z, b, a = cp.Variable(n), cp.Variable(), cp.Variable(n)
    k = cp.multiply(signs if h == "spectrum" else lam, a)
    clip, flip = cp.norm(a - (lam >= 0)), cp.norm(a - signs)
    term = {"clip": clip, "flip": flip, "both": clip + flip, "spectrum": cp.norm(k - lam)}[h]
    # beside λ alone a tiny λ adds next to nothing to K; in k it does
    some = [i for i in range(n) if lam[i] and (h == "spectrum" or abs(lam[i]) > 1e-9)]
    cost = sum(cp.quad_over_lin(z[i], k[i]) for i in some)
    rest = [z[i] == 0 for i in range(n) if i not in some]
    rest += [cp.multiply(signs, a) >= 0]
    hinge = cp.sum(cp.pos(1 - cp.multiply(y, U @ z + b))) / n
    return cp.Problem(cp.Minimize(hinge + eta * cost + gamma * term), rest).solve("CLARABEL")


def test_the_rank_that_was_decided_by_a_threshold():
    S = np.diag([1.0, -1.0, 1e-15, -1e-15, 0.5])
    problem = SpectrumMachine(S, [1, -1, 1, -1, 1], 0.01, 0.1, "spectrum")
    for found in (solve("chen2009-eq12", problem), rigorous.solve("chen2009-eq12", problem)):
        assert found.lower <= 0.24356553370670 <= found.upper
    assert found.rigorous


@pytest.mark.parametrize("h", REGULARIZERS)
@pytest.mark.parametrize("tiny", [(2.0**-50, -(2.0**-49)), (-(2.0**-50), 0.0), (0.0, 0.0)])
def test_tiny_and_zero_eigenvalues_by_hand(h, tiny):
    lam = np.array([*tiny, 1.0, -0.5])
    S = (HADAMARD * lam) @ HADAMARD.T
    truth = by_hand(lam, HADAMARD, Y4, 0.02, 0.1, h)
    problem = SpectrumMachine(S, Y4, 0.02, 0.1, h)
    for found in (solve("chen2009-eq12", problem), rigorous.solve("chen2009-eq12", problem)):
        assert found.lower - 2e-7 <= truth <= found.upper + 2e-7
    assert found.rigorous


def column(d, sigma, psi):
    """(8) squared, in 80 digits: the μ with Σ 4σ²d/(2d + μ)² = ψ + μ/2 by bisection."""
    with localcontext() as context:
        context.prec = 80
        pairs = [(Decimal(max(x, 0.0)), Decimal(v)) for x, v in zip(d, sigma, strict=True)]
        psi = Decimal(psi)

        def excess(mu):
            return sum(4 * v * v * x / (2 * x + mu) ** 2 for x, v in pairs if x) - psi - mu / 2

        low, high = Decimal("1e-60"), Decimal(100)
        if excess(low) <= 0:
            low = high = Decimal(0)
        for _ in range(400):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return sum(2 * v * v * (low / (2 * x + low) if x else 1) for x, v in pairs) - (
            low * psi + low * low / 4
        )


def holds(found, truth):
    return Decimal(found.lower) <= truth <= Decimal(found.upper)


def test_the_column_of_a_kernel_with_a_tiny_eigenvalue():
    d, s = np.array([1.0, 0.3, 1e-15]), np.array([0.2, -0.4, 1.0])
    K, truth = np.diag(d), column(d, s, 1e6)
    assert abs(float(truth) - 1.9998735) < 1e-7
    for answer in (solve, rigorous.solve):
        assert holds(answer("chen2009-eq8-qcqp", NewSample(K, s, 1e6)), truth)
        assert holds(answer("chen2009-eq8", AugmentedSample(K, s, 1e6, K)), truth.sqrt())


@pytest.mark.parametrize("tiny", [2.0**-50, 2.0**-46, 0.0, -(2.0**-50)])
@pytest.mark.parametrize("psi", [1.0, 1e4])
def test_the_column_of_a_dense_kernel_with_a_tiny_eigenvalue(tiny, psi):
    d, s = np.array([tiny, 0.25, 1.0, 2.0]), np.array([1.0, -0.5, 0.25, 2.0])
    problem = NewSample((HADAMARD * d) @ HADAMARD.T, s, psi)
    truth = column(d, HADAMARD.T @ s, psi)
    for answer in (solve, rigorous.solve):
        found = answer("chen2009-eq8-qcqp", problem)
        assert holds(found, truth)
        assert found.width <= 1e-6


@pytest.mark.parametrize("id", ["kundu2010-eq7", "kundu2010-alg3", "chen2009-eq12"])
def test_permuting_samples_permutes_the_answer(id):
    """Hamming similarities: eigenvalues of multiplicity 1, 3, 4."""

    def made(order):
        S, y = HAMMING[np.ix_(order, order)], Y8[order]
        if id == "chen2009-eq12":
            return SpectrumMachine(S + 0.25 * np.eye(8), y, 0.01, 0.02, "clip")
        return Spectra(S[None], y, 1.0, 0.2, 2.0)

    found = [rigorous.solve(id, made(np.random.default_rng(s).permutation(8))) for s in range(3)]
    assert all(one.rigorous for one in found)
    assert all(one.enclosure.meets(found[0].enclosure) for one in found)
    # and there is something that could differ: another basis of the same eigenspaces
    U = np.ascontiguousarray(np.linalg.eigh(HAMMING)[1])
    form, data = CATALOGUE[id], made(np.arange(8))
    keys = {key: getattr(data, key) for key in form.keys}
    U[:, :4] = U[:, :4] @ np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    other = rigorous.solve(id, form.make({**keys, "U": U if id == "chen2009-eq12" else U[None]}))
    assert other.rigorous
    assert not other.enclosure.meets(found[0].enclosure)


@pytest.mark.parametrize("id", ["chen2009-eq12", "kundu2010-eq7", "kundu2010-alg3"])
def test_a_given_basis_of_simple_eigenvalues_decides_nothing(id):
    """Two eigenvalues 1e-8 and 0 beside 1: any U with UᵀSU diagonal to 1e-8 was believed."""
    S, y, s = np.diag([1.0, 1e-8, 0.0]), np.array([1.0, 1.0, -1.0]), np.sqrt(0.5)

    def made(U):
        if id == "chen2009-eq12":
            return SpectrumMachine(S, y, 0.01, 0.1, "spectrum", U=U)
        return Spectra(S[None], y, 1.0, 0.3, 2.0, U=None if U is None else U[None])

    own = rigorous.solve(id, made(None))
    assert own.rigorous
    for U in (np.eye(3)[:, [2, 0, 1]], -np.eye(3)[:, [0, 2, 1]]):
        found = rigorous.solve(id, made(U.copy()))
        assert found.rigorous
        assert found.enclosure.meets(own.enclosure)
    mixed = np.array([[1, 0, 0], [0, s, s], [0, s, -s]])
    for U in (mixed, mixed[:, [0, 2, 1]]):
        for answer in (solve, rigorous.solve):
            with pytest.raises(e.InputError, match=r"^U"):
                answer(id, made(U))
        with pytest.raises(e.InputError, match=r"^U"):
            check(id, made(None), U=U if id == "chen2009-eq12" else U[None], value=own.value)


@pytest.mark.parametrize("kind", ["0", "I", "-I", "yyT", "blocks"])
def test_symmetries_are_answered_and_told(kind):
    y = -np.ones(5)
    y[0] = 1  # one sample against the rest
    S = {
        "0": np.zeros((5, 5)),
        "I": np.eye(5),
        "-I": -np.eye(5),
        "yyT": np.outer(y, y),
        "blocks": np.kron(np.diag([1.0, 0.0]), np.ones((3, 3)))[:5, :5] + np.eye(5),
    }[kind]
    problem = SpectrumMachine(S, y, 0.05, 0.1, "both")
    found = rigorous.answer("chen2009-eq12", problem)
    assert found.rigorous == (kind in ("0", "yyT"))  # where λ = 0 the vectors do not matter
    assert (found.open is None) == found.rigorous
    if not found.rigorous:
        with pytest.raises(e.SolverError, match="not proved"):
            rigorous.solve("chen2009-eq12", problem)
    p = np.random.default_rng(1).permutation(5)
    turned = SpectrumMachine(S[np.ix_(p, p)], y[p], 0.05, 0.1, "both")
    assert solve("chen2009-eq12", turned).enclosure.meets(found.enclosure)
    if kind == "0":  # ξ: 2·(1/5), and ‖a - 1‖ + ‖a‖ is √5 at least
        assert found.lower <= 0.4 + 0.1 * np.sqrt(5) <= found.upper + 1e-15
    found = solve("kundu2010-eq7", Spectra(S[None], y, 1.0, 0.3, 2.0))
    assert "repeats" in found.open
    again = solve("kundu2010-eq7", Spectra(S[np.ix_(p, p)][None], y[p], 1.0, 0.3, 2.0))
    assert again.enclosure.meets(found.enclosure)


@pytest.mark.parametrize("h", ["clip", "spectrum"])
def test_an_answer_is_judged_in_its_own_eigenbasis(h):
    S, y = similarity(12, kind="random", seed=3)
    problem = SpectrumMachine(S, y, 0.05, 0.1, h)
    found = solve("chen2009-eq12", problem, tol=1e-8).variables
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], 12)
    U, z = found["U"] * signs, found["z"] * signs
    full = {symbol: found[symbol] for symbol in ("a", "b", "xi", "u", "v")}
    made = check("chen2009-eq12", problem, why=False, **full, z=z, U=U)
    assert made.within(1e-6)
    assert made.assumed is None
    p = rng.permutation(12)  # and in another order
    moved = {"a": found["a"][p], "z": z[p], "U": U[:, p]}
    assert check("chen2009-eq12", problem, why=False, **moved).within(1e-6)
    given = SpectrumMachine(S, y, 0.05, 0.1, h, U=found["U"])
    assert check("chen2009-eq12", given, why=False, **moved).within(1e-6)
    # without U the signs are found
    made = check("chen2009-eq12", problem, why=False, **full, z=z, alpha=found["alpha"])
    assert made.within(1e-6)
    assert "signs" in made.assumed
    made = check("chen2009-eq12", problem, why=False, **full, z=z)
    assert made.within(1e-6)
    # and no sign makes a wrong answer right
    assert not check("chen2009-eq12", problem, why=False, **full, z=1.01 * z).within(1e-6)
    with pytest.raises(e.InputError, match=r"^U: "):
        check("chen2009-eq12", problem, why=False, **full, z=z, U=np.eye(12))


def test_an_answer_in_its_own_eigenbases_to_kundu():
    S, y = similarity(8, kind="random", seed=3)
    problem = Spectra(np.stack([S, S @ S / 4]), y, 1.0, 0.3, 4.0)
    found = solve("kundu2010-eq7", problem).variables
    assert check("kundu2010-eq7", problem, why=False, **found).within(1e-5)
    moved = {**found, "mu": found["mu"][:, ::-1], "w": found["w"][:, ::-1],
             "U": -found["U"][:, :, ::-1]}  # fmt: skip
    for at in (problem, Spectra(problem.S, y, 1.0, 0.3, 4.0, U=found["U"])):
        assert check("kundu2010-eq7", at, why=False, **moved).within(1e-5)


def test_an_interval_in_balls_says_what_is_open():
    problem = SpectrumMachine(np.eye(4)[::-1].copy(), [1, 1, -1, -1], 0.1, 0.1, "clip")
    assert problem.open is not None
    assert rigorous.enclose("chen2009-eq12", problem).open == problem.open

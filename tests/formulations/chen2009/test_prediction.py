"""chen2009: spectrum modifications, recovery of c, and the columns of test samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvxkernel.formulations.chen2009 import (
    REGULARIZERS,
    AugmentedSample,
    KernelMachine,
    NewSample,
    SpectrumMachine,
    prediction,
    spectrum,
)
from cvxkernel.solvers import solve
from cvxkernel.validation.chen2009.samples import similarity

KINDS = ("gaussian", "random", "low rank")


def symmetric(seed, n=7, rank=None):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(n, rank or n))
    S = (B * rng.choice([-1.0, 1.0], size=rank or n)) @ B.T
    return (S + S.T) / 2


@given(st.integers(0, 10_000), st.sampled_from([None, 3]))
def test_spectrum_modifications_are_what_the_paper_says(seed, rank):
    S = symmetric(seed, rank=rank)
    lam, _ = spectrum.eigen(S)
    size = np.abs(lam).max()
    assert (lam == 0).sum() == (0 if rank is None else 4)
    for modified in (spectrum.clip(S), spectrum.flip(S), spectrum.shift(S)):
        assert np.linalg.eigvalsh(modified)[0] >= -1e-13 * size
    assert np.allclose(
        np.linalg.eigvalsh(spectrum.flip(S)), np.sort(np.abs(lam)), atol=1e-12 * size
    )
    off = ~np.eye(len(S), dtype=bool)
    assert np.array_equal(spectrum.shift(S)[off], S[off])  # only self-similarities change
    for a, K in (
        (spectrum.a_clip(lam), spectrum.clip(S)),
        (spectrum.a_flip(lam), spectrum.flip(S)),
    ):
        assert np.allclose(spectrum.transformation(S, a) @ S, K, atol=1e-12 * size)
    # clip is the nearest: the residual is ⪯ 0 and orthogonal to it
    K = spectrum.clip(S)
    assert np.linalg.eigvalsh(S - K)[-1] <= 1e-13 * size
    assert abs(np.sum(K * (S - K))) <= 1e-12 * size**2


def test_a_semidefinite_similarity_is_left_alone():
    S = spectrum.clip(symmetric(3))
    for modify in (spectrum.clip, spectrum.flip, spectrum.shift):
        assert np.allclose(modify(S), S, atol=1e-13 * np.abs(S).max())


def test_wu_et_al_recompute_the_modification():
    S = symmetric(5, n=9)
    inner, s, psi = S[:-1, :-1], S[:-1, -1], S[-1, -1]
    for modify in (spectrum.clip, spectrum.flip):
        found = spectrum.augment(modify, inner, s, psi)
        assert np.allclose(found, modify(S)[:-1, -1])
        assert not np.allclose(found, s, atol=1e-3)
    assert np.array_equal(spectrum.augment(spectrum.shift, inner, s, psi), s)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("h", REGULARIZERS)
def test_training_points_pushed_through_A_get_their_column_of_K(h, kind, tolerances):
    S, y = similarity(12, kind=kind)
    problem = SpectrumMachine(S, y, 0.05, 0.1, h)
    solution = solve("chen2009-eq12", problem)
    a, z, b = (solution.variables[symbol] for symbol in ("a", "z", "b"))
    A = spectrum.transformation(S, a)
    K_a = spectrum.compose(a * problem.Lam, problem.basis.U)
    assert np.abs(A @ S - K_a).max() <= tolerances.rounding * np.abs(K_a).max()
    # ... and with c* = U(diag(a)Λ)†z the scores of (12), Uz + b
    found = prediction.from_spectrum(problem, a, z)
    assert found.rank <= np.count_nonzero(problem.Lam)
    assert found.residual <= tolerances.stationarity
    scores = found.c @ (A @ S) + b
    assert np.allclose(scores, problem.basis.U @ z + b, atol=tolerances.stationarity)
    agree = np.abs(scores) > tolerances.stationarity
    labels = prediction.predict(found.c, float(b), A @ S)
    assert np.array_equal(labels[agree], np.sign(problem.basis.U @ z + b)[agree])


@pytest.mark.parametrize("kind", KINDS)
def test_c_comes_back_from_eq7_with_its_rank(kind, tolerances):
    S, y = similarity(12, kind=kind)
    problem = KernelMachine(S, y, 0.05, 0.1)
    variables = solve("chen2009-eq7", problem).variables
    K, z = variables["K"], variables["z"]
    found = prediction.from_kernel(K, z)
    assert found.rank == np.linalg.matrix_rank(K, tol=1e-9 * np.linalg.norm(K, 2), hermitian=True)
    assert found.rank < 12  # the negative part of S is clipped away
    assert found.residual <= tolerances.stationarity
    assert np.allclose(K @ found.c, z, atol=tolerances.stationarity)
    u = float(variables["u"])
    assert found.c @ K @ found.c == pytest.approx(u, rel=tolerances.stationarity)
    # a rank decided otherwise is told otherwise
    assert prediction.from_kernel(K, z, tolerance=0.1).rank < found.rank


@pytest.mark.parametrize("kind", KINDS)
def test_the_closed_form_of_eq8_is_the_solution(kind, tolerances):
    S, _ = similarity(12, kind=kind)
    K, s = spectrum.clip(S[:-1, :-1]), S[:-1, -1]
    for psi in (-0.5, 0.0, 0.3, 3.0, 1e3):
        k, r = prediction.nearest(K, s, psi)
        value = 2 * np.sum((k - s) ** 2) + (r - psi) ** 2
        solution = solve("chen2009-eq8-qcqp", NewSample(K, s, psi))
        assert solution.width <= tolerances.width
        slack = tolerances.rounding * value
        assert solution.lower - slack <= value <= solution.upper + slack
        assert np.allclose(k, solution.variables["k"], atol=tolerances.stationarity)
        augmented = np.block([[K, k[:, None]], [k[None], np.array([[r]])]])
        eig = np.linalg.eigvalsh(augmented)
        assert eig[0] >= -1e-9 * eig[-1]


def test_a_consistent_column_is_left_alone():
    K = spectrum.clip(symmetric(7, n=9)) + 0.1 * np.eye(9)
    inner, s, psi = K[:-1, :-1], K[:-1, -1], K[-1, -1]
    k, r = prediction.nearest(inner, s, psi)
    assert np.array_equal(k, s)
    assert r == psi
    solution = solve("chen2009-eq8-qcqp", NewSample(inner, s, psi))
    assert (solution.lower, solution.upper) == (0.0, 0.0)


def test_eq8_adds_a_constant_under_the_norm(meet):
    S, _ = similarity(12, kind="random")
    K, S, s = spectrum.clip(S[:-1, :-1]), S[:-1, :-1], S[:-1, -1]
    eight = solve("chen2009-eq8", AugmentedSample(K, s, 0.7, S))
    squared = solve("chen2009-eq8-qcqp", NewSample(K, s, 0.7))
    constant = np.sum((K - S) ** 2)
    assert eight.lower**2 <= constant + squared.upper
    assert eight.upper**2 >= constant + squared.lower
    assert np.allclose(eight.variables["k"], squared.variables["k"], atol=1e-5)

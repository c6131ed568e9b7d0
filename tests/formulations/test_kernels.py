"""Base kernels, centring, unit trace, and the factor that the QCQPs are built from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cvxkernel.formulations import kernels
from cvxkernel.formulations.errors import InputError
from cvxkernel.validation.instances import blobs, gaussian_kernels, random_kernels

X, _ = blobs(12, 2, seed=3)
Z, _ = blobs(7, 2, seed=4)


def pairwise(function, Z=X):
    return np.array([[function(x, z) for z in Z] for x in X])


@pytest.mark.parametrize("other", [None, Z], ids=["train", "test"])
@pytest.mark.parametrize(
    ("made", "formula"),
    [
        (lambda Z: kernels.linear(X, Z), lambda x, z: x @ z),
        (lambda Z: kernels.polynomial(X, 3, Z), lambda x, z: (x @ z + 1) ** 3),
        (lambda Z: kernels.gaussian(X, 1.7, Z), lambda x, z: np.exp(-((x - z) @ (x - z)) / 1.7**2)),
        (
            lambda Z: kernels.gaussian_half(X, 1.7, Z),
            lambda x, z: np.exp(-((x - z) @ (x - z)) / (2 * 1.7**2)),
        ),
    ],
    ids=["linear", "polynomial", "gaussian", "gaussian_half"],
)
def test_each_kernel_is_its_printed_formula(made, formula, other, tolerances):
    expected = pairwise(formula, X if other is None else other)
    assert made(other) == pytest.approx(expected, rel=tolerances.rounding)


def test_the_two_gaussian_conventions_differ_by_the_root_of_two(tolerances):
    half = kernels.gaussian_half(X, 1.0)
    assert half == pytest.approx(kernels.gaussian(X, np.sqrt(2)), rel=tolerances.rounding)
    assert np.abs(half - kernels.gaussian(X, 1.0)).max() > 0.1


def test_the_neighbour_distance_is_the_average_of_the_least(tolerances):
    apart = [[np.linalg.norm(x - z) for z in np.delete(X, i, axis=0)] for i, x in enumerate(X)]
    expected = np.mean([min(row) for row in apart])
    assert kernels.neighbour_distance(X) == pytest.approx(expected, rel=tolerances.rounding)


def test_centring_is_P_K_P_and_idempotent(tolerances):
    K = gaussian_kernels(X, 4)
    P = np.eye(12) - np.ones((12, 12)) / 12
    G = kernels.centre(K)
    assert pytest.approx(P @ K @ P, abs=tolerances.rounding) == G
    assert kernels.centre(G) == pytest.approx(G, abs=tolerances.rounding)
    assert np.abs(G.sum(axis=1)).max() < tolerances.rounding
    assert kernels.centre(K[0]) == pytest.approx(G[0], abs=tolerances.rounding)


def test_unit_trace_of_one_and_of_many(tolerances):
    K = 5 * random_kernels(9, 3, seed=1)
    assert np.trace(kernels.unit_trace(K), axis1=1, axis2=2) == pytest.approx(np.ones(3))
    assert kernels.unit_trace(K[1]) == pytest.approx(K[1] / np.trace(K[1]), rel=1e-15)


SMOOTH = gaussian_kernels(blobs(40, 2, seed=5)[0], 10)

FACTORED = {
    "identity": np.eye(6),
    "one by one": np.array([[2.0]]),
    "rank one": np.outer(X[:, 0], X[:, 0]),
    "low rank": kernels.linear(blobs(30, 2, d=3, seed=2)[0]),
    "full rank": random_kernels(20, 1, seed=2)[0],
    "tiny": 1e-200 * random_kernels(20, 1, seed=2)[0],
    "huge": 1e200 * random_kernels(20, 1, seed=2)[0],
    **{f"gaussian {i}": K for i, K in enumerate(SMOOTH)},
    **{f"gaussian {i}, centred": kernels.centre(K) for i, K in enumerate(SMOOTH)},
}


@pytest.mark.parametrize("name", FACTORED)
def test_the_factor_gives_the_kernel_back_to_rounding(name):
    # On 4 or 5 of these ten Gaussian kernels cvxpy's quad_form fails its own check.
    G = FACTORED[name]
    R = kernels.factor(G)
    # Pivoting leaves out less than n eps max G_jj of the diagonal, and so of every entry. A centred
    # Gaussian kernel carries the rounding of the ones it was made of: an indefinite part that no
    # factor can give back.
    size = 1.0 if "centred" in name else G.diagonal().max()
    allowed = 4 * len(G) * np.finfo(float).eps * size
    assert np.abs(R.T @ R - G).max() <= allowed
    assert len(R) <= len(G)


def test_the_factor_has_as_many_rows_as_the_rank():
    assert len(kernels.factor(FACTORED["rank one"])) == 1
    assert len(kernels.factor(FACTORED["low rank"])) == 3
    assert len(kernels.factor(FACTORED["full rank"])) == 20


def test_the_factor_is_a_permuted_triangle():
    R = kernels.factor(FACTORED["full rank"])
    assert sorted(np.count_nonzero(R, axis=0)) == list(range(1, 21))


def test_an_eigenvalue_of_minus_1e_16_is_no_obstacle():
    K = FACTORED["low rank"] - 1e-16 * np.eye(30)
    R = kernels.factor(K)
    assert np.abs(R.T @ R - K).max() <= 200 * np.finfo(float).eps * K.diagonal().max()


@given(seed=st.integers(0, 10**6), n=st.integers(2, 12), rank=st.integers(1, 12))
def test_the_factor_of_any_gram_matrix(seed, n, rank):
    V = np.random.default_rng(seed).normal(size=(n, rank))
    R = kernels.factor(V @ V.T)
    allowed = 8 * n * np.finfo(float).eps * (V @ V.T).diagonal().max()
    assert np.abs(R.T @ R - V @ V.T).max() <= allowed
    assert len(R) <= min(n, rank) + 1  # one more where rounding has left a pivot above eps


def graph(n=9, seed=0):
    W = np.triu(np.random.default_rng(seed).random((n, n)) < 0.4, 1) * 1.0
    W[-1] = W[:, -1] = 0  # a vertex without edges
    return W + W.T


@pytest.mark.parametrize("beta", [0.1, 1.0, 6.0])
def test_diffusion_is_the_heat_equation_of_its_laplacian(beta, tolerances):
    W = graph()
    K, degrees = kernels.diffusion(W, beta), W.sum(axis=1)
    L = np.diag(degrees) - W
    series, term = np.eye(9), np.eye(9)
    for i in range(1, 60):  # Σ (-βL/16)ⁱ/i!, sixteen times
        term = term @ (-beta / 16 * L) / i
        series = series + term
    assert pytest.approx(np.linalg.matrix_power(series, 16), abs=tolerances.rounding) == K
    assert K.sum(axis=1) == pytest.approx(np.ones(9), rel=tolerances.rounding)  # Le = 0: heat stays
    assert K.min() > -1e-15
    assert np.array_equal(K, K.T)
    assert pytest.approx(np.eye(9)[-1]) == K[-1]
    assert np.linalg.eigvalsh(K)[0] > -1e-15  # exp(-βλ) may be below rounding


@pytest.mark.parametrize("made", [kernels.diffusion, kernels.diffusion_normalized])
def test_diffusion_for_twice_as_long_is_diffusion_twice(made, tolerances):
    W = graph(seed=3)
    once, twice = made(W, 0.7), made(W, 1.4)
    assert once @ once == pytest.approx(twice, abs=tolerances.rounding)
    assert made(W, 0) == pytest.approx(np.eye(9), abs=tolerances.rounding)
    assert made(W + np.eye(9), 0.7) == pytest.approx(once, abs=tolerances.rounding)  # no loops


def test_of_equal_degrees_the_two_laplacians_are_one_by_the_degree(tolerances):
    ring = np.roll(np.eye(8), 1, axis=0) + np.roll(np.eye(8), -1, axis=0)  # every degree is 2
    other = kernels.diffusion_normalized(ring, 2 * 0.3)
    assert kernels.diffusion(ring, 0.3) == pytest.approx(other, abs=tolerances.rounding)
    # of two vertices and one edge: L has the eigenvalues 0 and 2
    pair = kernels.diffusion(np.array([[0.0, 1.0], [1.0, 0.0]]), 0.5)
    assert pair[0] == pytest.approx([(1 + np.exp(-1)) / 2, (1 - np.exp(-1)) / 2])


@pytest.mark.parametrize(
    "bad", [-graph(), np.triu(graph()), np.ones((2, 3)), np.full((2, 2), np.nan)]
)
def test_what_is_no_graph_is_refused(bad):
    with pytest.raises(InputError, match=r"^W: "):
        kernels.diffusion(bad, 1.0)
    with pytest.raises(InputError, match=r"^beta: "):
        kernels.diffusion_normalized(graph(), -1.0)


def test_noise_is_a_linear_kernel_that_says_nothing():
    K = kernels.noise(400, 50, seed=1)
    assert np.array_equal(K, kernels.noise(400, 50, seed=1))
    assert not np.array_equal(K, kernels.noise(400, 50, seed=2))
    assert np.linalg.matrix_rank(K) == 50
    assert np.diagonal(K).mean() == pytest.approx(50, rel=0.05)
    apart = K[~np.eye(400, dtype=bool)]
    assert abs(apart.mean()) < 0.3  # 0 ± √50/400

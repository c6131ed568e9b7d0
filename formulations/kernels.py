r"""The base kernels of the papers, and what is done to Gram matrices before a program sees them.

Rows of X are points. The papers print the Gaussian kernel in two conventions; they are named apart:

    gaussian(X, sigma)        exp(-‖x - z‖² / σ²)        (Kim et al. 2006; Gönen)
    gaussian_half(X, sigma)   exp(-‖x - z‖² / (2σ²))     (Lanckriet et al. 2004)

Ye et al. (2008) print no formula. Of both, gaussian_half on z-scores comes nearest to their weights
for sonar (SILP in Table 2: θ₅ = 0.459, θ₆ = 0.406; shares θᵢrᵢ of 0.47 and 0.48), gaussian on data
scaled to [0, 1] to those for heart (θ₁ = 0.742, θ₂ = 0.115; shares of 0.73 and 0.12).

Tang et al. (2009) name two more and print neither: fifteen diffusion kernels "with parameter
varying from 0.1 to 6", after Tsuda and Noble (2004), and "an additional linear kernel with random
noise". Of n vertices of a graph, W the weights of its edges and D = diag(We), in both readings:

    diffusion(W, beta)              exp(-β(D - W))
    diffusion_normalized(W, beta)   exp(-β D^(-½)(D - W)D^(-½))
    noise(n, features, seed)        ⟨z, z'⟩, the features of z drawn at random
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, lapack
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from cvxkernel.formulations import inputs
from cvxkernel.formulations.errors import ParameterError
from cvxkernel.formulations.inputs import Array


def linear(X: Array, Z: Array | None = None) -> Array:
    """⟨x, z⟩"""
    K: Array = X @ (X if Z is None else Z).T
    return K


def polynomial(X: Array, q: int = 2, Z: Array | None = None) -> Array:
    """(⟨x, z⟩ + 1)^q"""
    return (linear(X, Z) + 1.0) ** q


def gaussian(X: Array, sigma: float, Z: Array | None = None) -> Array:
    """exp(-‖x - z‖² / σ²)"""
    K: Array = np.exp(-cdist(X, X if Z is None else Z, "sqeuclidean") / sigma**2)
    return K


def gaussian_half(X: Array, sigma: float, Z: Array | None = None) -> Array:
    """exp(-‖x - z‖² / (2σ²))"""
    K: Array = np.exp(-cdist(X, X if Z is None else Z, "sqeuclidean") / (2.0 * sigma**2))
    return K


def diffusion(W: Array, beta: float) -> Array:
    """exp(-βL) with L = D - W, of all vertices of a graph: (n, n)."""
    W = _edges(W)
    return _diffused(np.diag(W.sum(axis=1)) - W, beta)


def diffusion_normalized(W: Array, beta: float) -> Array:
    """exp(-βL) with L = D^(-½)(D - W)D^(-½); a vertex without edges has zeros in L."""
    W = _edges(W)
    degrees = W.sum(axis=1)
    root = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)), 0.0)
    return _diffused(np.diag(1.0 * (degrees > 0)) - root[:, None] * W * root, beta)


def noise(n: int, features: int, seed: int) -> Array:
    """⟨z, z'⟩ of n points whose features are independent standard normal numbers: (n, n)."""
    return linear(np.random.default_rng(seed).normal(size=(n, features)))


def _edges(W: Array) -> Array:
    """Weights of edges, symmetric and not negative; no vertex has one to itself."""
    W = inputs.similarity("W", W)
    if W.min() < 0:
        raise ParameterError("W", "weights of edges that are not negative", f"{W.min():g}")
    edges: Array = W - np.diag(np.diagonal(W))
    return edges


def _diffused(L: Array, beta: float) -> Array:
    """exp(-βL), symmetric to the last bit; L has no eigenvalue below zero."""
    lam, U = eigh(L)
    root = U * np.exp(-inputs.nonnegative("beta", beta) * np.maximum(lam, 0.0) / 2)
    K: Array = root @ root.T
    return (K + K.T) / 2


def neighbour_distance(X: Array) -> float:
    """The average distance to the nearest other point: Gönen's estimate of s for the Gaussian."""
    distances, _ = KDTree(X).query(X, k=2)  # the first is the point itself
    return float(distances[:, 1].mean())


def centre(K: Array) -> Array:
    """PKP with P = I - eeᵀ/n, for one matrix or a stack of them.

    As P(K - c eeᵀ)P, the same matrix, so that a kernel close to a constant keeps its digits.
    """
    D = K - K.mean(axis=(-2, -1), keepdims=True)
    rows = D - D.mean(axis=-1, keepdims=True)
    centred: Array = rows - rows.mean(axis=-2, keepdims=True)
    return centred


def unit_trace(K: Array) -> Array:
    """K / trace K, for one matrix or a stack of them."""
    K_unit: Array = K / np.trace(K, axis1=-2, axis2=-1)[..., None, None]
    return K_unit


def factor(G: Array) -> Array:
    """R with RᵀR = G to rounding, R of numerical rank(G) rows: Cholesky with complete pivoting.

    A row-permuted triangle: half the nonzeros of an eigen-factor. What pivoting leaves out is below
    n·eps·max Gⱼⱼ; no ridge is added. Every enclosure is evaluated with G itself, so the
    remainder is charged there.
    """
    c, pivots, rank, _ = lapack.dpstrf(G, lower=0, tol=-1.0)
    R = np.zeros((rank, len(G)))
    R[:, pivots - 1] = np.triu(c)[:rank]
    return R

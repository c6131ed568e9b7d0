r"""From a solved program to the label of a test sample: ŷ = sgn(cᵀk + b), (9).

c comes back from z by a pseudoinverse. A rank has to be decided for it, which is told: eigenvalues
of at most `tolerance` times the largest one are taken for zero. A solver leaves eigenvalues that
should be zero at its own accuracy, so that the default is larger than rounding.

Section 3.2 and 3.3 have four columns k for a test sample of similarities s and ψ = ψ(x, x):

    nearest(K, s, psi)                  (8), the column that is nearest to s and consistent with K
    nearest_columns(K, s, psi)          the same for many samples at once
    spectrum.transformation(S, a) @ s   k = As, for a learned modification a of the spectrum
    spectrum.augment(modify, S, s, psi) Wu et al., for clip, flip and shift
    s itself                            which the paper warns about

A K that is no modification of the spectrum has the second and the third in readings of ours:

    consistent(K, S) @ s                k = As with AS = K
    updated(S, c, weight)               K* of (2) and (7) at its α, for the matrix of Wu et al.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cvxkernel.formulations.chen2009 import bounds, spectrum
from cvxkernel.formulations.chen2009.data import Eigen
from cvxkernel.formulations.chen2009.programs import NewSample, SpectrumMachine
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.problem import with_numbers


@dataclass(frozen=True, eq=False)
class Coefficients:
    """c with the rank that was decided on, and what of z lies outside: ‖Kc - z‖/‖z‖."""

    c: Array
    rank: int
    tolerance: float
    residual: float


def from_kernel(K: Array, z: Array, *, tolerance: float = spectrum.RANK) -> Coefficients:
    """c* = (K*)†z*, for (7)."""
    d, V = spectrum.eigen(K)
    return _solve(d, V, V.T @ z, tolerance)


def from_spectrum(
    problem: SpectrumMachine, a: Array, z: Array, *, tolerance: float = spectrum.RANK
) -> Coefficients:
    """c* = U(diag(a*)Λ)†z*, for (12); where λᵢ = 0 zᵢ is zero and cᵢ too."""
    return _solve(problem.Lam * a, problem.basis.U, z, tolerance)


def _solve(d: Array, V: Array, z: Array, tolerance: float) -> Coefficients:
    c, kept = spectrum.solution(d, V, z, tolerance)
    off, size = float(np.linalg.norm(z[~kept])), float(np.linalg.norm(z))
    return Coefficients(c, int(kept.sum()), tolerance, off / size if size else 0.0)


def nearest(K: Array, s: Array, psi: float) -> tuple[Array, float]:
    """k* and r* of (8): k = V diag(2d/(2d + μ))Vᵀs for the one μ ≥ 0 with kᵀK†k = r = ψ + μ/2.

    μ = 0 where s itself is consistent, up to its part off the range of K.
    """
    return _nearest(NewSample(K, s, psi))


def nearest_columns(K: Array, s: Array, psi: Array) -> Array:
    """k* of (8) for each column of s (n, t) with its ψ(x, x) in psi (t,); (n, t).

    The eigenvectors are those of doubles: for labels, not for bounds.
    """
    columns = np.empty(s.shape)
    problem = NewSample(K, np.zeros(len(s)), 0.0)
    lam, U = spectrum.eigen(problem.K)
    d = np.maximum(lam, 0.0)
    for j, own in enumerate(psi.tolist()):
        each = with_numbers(problem, s=s[:, j].copy(), psi=own)
        each.__dict__["eigen"] = Eigen(d, d, U, 0.0)
        columns[:, j] = _nearest(each)[0]
    return columns


def _nearest(problem: NewSample) -> tuple[Array, float]:
    mu = bounds.multiplier(problem)
    if mu == 0 and (problem.eigen.low > 0).all():
        return problem.s, problem.psi
    return bounds.column(problem, mu), problem.psi + mu / 2


def consistent(K: Array, S: Array) -> Array:
    """A = I + (K - S)S⁺, of shift I + |λ_min|S⁺: AS = K where S can be inverted.

    Where it cannot, A leaves alone what S takes to zero, to rounding.
    """
    lam, U = spectrum.eigen(S)
    inverse = np.divide(1.0, lam, out=np.zeros_like(lam), where=lam != 0)
    A: Array = np.eye(len(S)) + (K - S) @ spectrum.compose(inverse, U)
    return A


def updated(S: Array, c: Array, weight: float) -> Array:
    r"""(S + w·ccᵀ)₊, c with zeros where S has more samples than it was learned from.

    That is K* at c = Yα. By ∂/∂K the multiplier Z of K ⪰ 0, ZK = 0, is 2ρ(K - S) - ½ccᵀ in (2) and
    γ(K - S)/‖K - S‖ - η ccᵀ in (7): K is S + w·ccᵀ and what makes it semidefinite, w = 1/(4ρ) and
    w = η‖K - S‖/γ.
    """
    v = np.append(c, np.zeros(len(S) - len(c)))
    return spectrum.clip(S + weight * np.outer(v, v))


def predict(c: Array, b: float, k: Array) -> Array:
    """sgn(cᵀk + b) for one column k (n,) or several (n, m); +1 where the sum is zero."""
    return np.where(c @ k + b >= 0, 1.0, -1.0)

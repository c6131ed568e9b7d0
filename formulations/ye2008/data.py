r"""What every program of Ye, Ji and Chen (2008) is made of: G̃ᵢ, rᵢ, a and H.

    P   = I - eeᵀ/m                                                   (5)
    G̃ᵢ  = P Gᵢ P,   rᵢ = trace(G̃ᵢ)
    a   = [1/m₊, …, 1/m₊, -1/m₋, …, -1/m₋]ᵀ                           (3)
    hᵢ(j) = √(n/nᵢ) - √(nᵢ/n)  if sample j is in class i,
            -√(nᵢ/n)           otherwise                              (24)

# Paper prints n_j in (24), with j the sample's index; we use nᵢ, the size of class i, because the
# line after Lemma 3.1 does, and because only then Hᵀe = 0.

The samples keep the order of `y`; their number is m in the paper's section 2, n from section 3 on.
Of two classes, the larger label is the positive one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from scipy.linalg.blas import daxpy

from cvxkernel.formulations import inputs, semidefinite
from cvxkernel.formulations.enclosure import EPS
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import centre
from cvxkernel.formulations.memory import per_array
from cvxkernel.formulations.problem import Labelled
from cvxkernel.formulations.program import Program
from cvxkernel.formulations.rounding import UNIT
from cvxkernel.formulations.sharp import Sharp, sharp

TOLD = 1e-9  # a slack that moves an optimum by more, relatively, is worth to be made smaller


class Near(NamedTuple):
    """Matrices within `slack` of the Gᵢ₊, each up to a multiple of eeᵀ.

    `rounded` ones are so before two operations rounded each entry.
    """

    kernels: Array
    slack: Array
    rounded: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class TwoClasses(Labelled):
    """Kernels and labels with the class vector a."""

    @cached_property
    def near(self) -> Near:
        """The matrices to compute with; nearer to the Gᵢ₊ where the program would tell them."""
        least = TOLD * self.traces_held
        slack, scale = semidefinite.slack(self.kernels), 1 / float(getattr(self, "lam", np.inf))
        return nearer(self.kernels, slack * (scale + len(self.y)) > least)

    @property
    def traces_held(self) -> Array:
        """trace(PGᵢP) of the kernels as they are held."""
        return _traces(self.kernels)

    @cached_property
    def a(self) -> Array:
        """(3), as a column."""
        inputs.check_classes("y", self.k, at_most=2)
        positive = self.y == self.classes[1]
        m_plus, m_minus = positive.sum(), (~positive).sum()
        a: Array = np.where(positive, 1.0 / m_plus, -1.0 / m_minus)[:, None]
        return a


@dataclass(frozen=True, eq=False, repr=False)
class Scatter(TwoClasses):
    """Kernels, not centred, and labels, as the paper has them before λ is mentioned."""

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.check_traces("kernels", self.traces_held, self.kernels, what="centred trace")

    @property
    def offsets(self) -> Array:
        """The mean entry c of each Gᵢ. P(Gᵢ - c eeᵀ)P = PGᵢP, and the former keeps more digits."""
        return _offsets(self.near.kernels)

    @property
    def traces(self) -> Array:
        """trace(PGᵢP) = trace(Gᵢ) - eᵀGᵢe/n, i = 1, …, p"""
        return _traces(self.near.kernels)

    @property
    def r(self) -> Array:
        """r₁, …, r_p, with which the weights are on a budget; r₀ before them where λ is learned."""
        return self.traces

    @cached_property
    def H(self) -> Array:
        """(24), with nᵢ for the printed n_j; columns h₁, …, h_k."""
        h = []
        for label in self.classes:
            n_i = np.sum(self.y == label)
            inside = np.sqrt(self.n / n_i) - np.sqrt(n_i / self.n)
            h.append(np.where(self.y == label, inside, -np.sqrt(n_i / self.n)))
        return np.stack(h, axis=1)

    @cached_property
    def centred(self) -> Array:
        """G̃₁, …, G̃_p"""
        return centre(self.near.kernels)

    def forms(self, beta: Array) -> Array:
        """Σⱼ βⱼᵀG̃ᵢβⱼ, i = 1, …, p, without keeping the G̃ᵢ: it is (Pβ)ᵀGᵢ(Pβ)."""
        B = beta - beta.mean(axis=0)
        every = zip(self.near.kernels, self.offsets, strict=True)
        return np.array([np.sum(B * ((K - c) @ B)) for K, c in every])

    def combined(self, theta: Array) -> Array:
        """ΣᵢθᵢG̃ᵢ, i = 1, …, p, centred once."""
        total = np.zeros((self.n, self.n))
        for w, K, c in zip(theta, self.near.kernels, self.offsets, strict=True):
            if w:
                total += w * (K - c)
        return centre(total)

    def beta_from_lmi(self, program: Program) -> Array:
        r"""β from the dual matrix of the LMI, or of the k LMIs of (29).

        Lagrangian: Σtⱼ - ⟨Z, [M H; Hᵀ diag(t)]⟩. ∂/∂t (or ∂/∂T) = 0 gives Z₂₂ = 1 (or I); the rest,
        -2⟨Z₁₂, H⟩ - ⟨Z₁₁, M⟩ with Z₁₁ ⪰ Z₁₂Z₁₂ᵀ, is (13), (34) at β = -2Z₁₂.
        """
        Z = program.dual("lmi")
        if Z.ndim == 3:  # (29): one matrix per class
            return -2 * np.stack([Z_j[:-1, -1] / Z_j[-1, -1] for Z_j in Z], axis=1)
        return -2 * Z[: self.n, self.n :]

    def restricted_from_lmi(self, program: Program) -> tuple[Array, Array]:
        r"""Z₂₂ and β = -2Z₁₂R⁻¹ from the dual matrix of the LMI of (32), (45), R the root of Z₂₂.

        ∂/∂tⱼ = 0 gives (Z₂₂)ⱼⱼ = 1; with Z₁₂ = -½βR the rest is (34), (46) with H replaced by HR.
        """
        Z = program.dual("lmi")
        eig, V = np.linalg.eigh(Z[self.n :, self.n :])
        keep = eig > EPS * eig[-1]
        inverse = np.where(keep, 1 / np.sqrt(np.where(keep, eig, 1.0)), 0.0)
        return Z[self.n :, self.n :], -2 * Z[: self.n, self.n :] @ (V * inverse) @ V.T


def nearer(kernels: Array, wanted: NDArray[np.bool_]) -> Near:
    """Gᵢ + Nᵢ - cᵢeeᵀ for the kernels wanted, as far as there is an Nᵢ (`sharp`); the rest as held.

    No program sees a multiple of eeᵀ, and a difference of doubles rounds in its own last place.
    """
    known = semidefinite.held(kernels)
    if not wanted.any() or known is None:
        return Near(kernels, semidefinite.slack(kernels))
    made = _made_nearer(kernels)
    if wanted.tobytes() not in made:
        made[wanted.tobytes()] = _nearer(kernels, known, wanted)
    return made[wanted.tobytes()] or Near(kernels, known.slack)


def _nearer(kernels: Array, known: semidefinite.Held, wanted: NDArray[np.bool_]) -> Near | None:
    kept, slack = _sharpened(kernels), known.slack.copy()
    for i in np.flatnonzero(wanted).tolist():
        sharper = kept.get(i) or sharp(known.came[i])
        if sharper is not None and sharper.slack < slack[i]:
            # G + N is rounded in its own last place, G - c·eeᵀ before it also in those of N.
            rest = 2 * UNIT * float(np.linalg.norm(sharper.N))
            kept[i], slack[i] = sharper, sharper.slack + rest
    if np.array_equal(slack, known.slack):
        return None
    out = kernels.copy()
    for i, G in enumerate(out):
        G -= G.mean()
        if slack[i] < known.slack[i]:
            out[i] = known.came[i] - known.came[i].mean() + kept[i].N
    out.flags.writeable = False
    return Near(out, slack, rounded=True)


@per_array
def _sharpened(kernels: Array) -> dict[int, Sharp]:
    """What `sharp` has found of a stack, by index."""
    return {}


@per_array
def _made_nearer(kernels: Array) -> dict[bytes, Near | None]:
    """What `nearer` has made of a stack, by which were wanted: other problems share it.

    None where nothing is nearer: what is kept must not hold the stack itself.
    """
    return {}


@per_array
def _offsets(kernels: Array) -> Array:
    c: Array = kernels.mean(axis=(1, 2))
    return c


@per_array
def _traces(kernels: Array) -> Array:
    r = np.empty(len(kernels))
    for i, (K, c) in enumerate(zip(kernels, _offsets(kernels), strict=True)):
        D = K - c
        r[i] = np.sum(D.diagonal() - D.mean())
    return r


def solver(M: Array, least: float, *, refined: bool = False) -> Callable[[Array], Array]:
    """B ↦ M⁻¹B by a Cholesky factor of M ⪰ least·I; `refined` once by the residual.

    Where rounding left no such matrix, by eigenvectors, with eigenvalues of `least` at the least;
    LinAlgError where that is zero.
    """
    try:
        factor = cho_factor(M, lower=True, check_finite=False)
    except LinAlgError:
        if least <= 0:
            raise
        eig, V = eigh(M, check_finite=False)
        eig = np.maximum(eig, least)
        return lambda B: V @ ((V.T @ B) / eig[:, None])

    def solve(B: Array) -> Array:
        X: Array = cho_solve(factor, B, check_finite=False)
        if refined:
            X += cho_solve(factor, B - M @ X, check_finite=False)
        return X

    return solve


def combined(kernels: Array, shares: Array) -> Array:
    """Σᵢ sᵢKᵢ; most sᵢ are zero after a step or two."""
    p, n, _ = kernels.shape
    some = np.flatnonzero(shares)
    if 2 * len(some) > p:
        return (shares @ kernels.reshape(p, -1)).reshape(n, n)
    flat = np.zeros(n * n)
    for i in some:
        flat = daxpy(kernels[i].ravel(), flat, a=shares[i])
    return flat.reshape(n, n)

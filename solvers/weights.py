r"""Where weights may be, and the least of a quadratic model there.

    Simplex   w ≥ 0, Σᵢ wᵢ = 1: one set of weights, whatever it weighs
    Sharing   θ ∈ Rᵏˣᵖ of Tang, Chen and Ye (2009): θᵗ = ζ + γᵗ, ζ, γ ≥ 0, Σᵢ θᵢᵗ = 1, at most β of
              Ω = ½ Σₜ Σᵢ γᵢᵗ = (k/2)(1 - Σᵢ ζᵢ), and a price λ for it

`minimum(H, g, w)` is the v of the least gᵀ(v - w) + ½(v - w)ᵀH(v - w) + price(v): on the simplex by
an active-set method, that of sharing by Clarabel's interior points. Where no label has a part of
its own k of the constraints say the same, and an active set says little of what to add.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lu_factor, lu_solve
from scipy.sparse import block_array, csc_matrix, eye_array, kron

from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.formulations.enclosure import TINY
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.tang2009 import bounds

FLAT = 1e-13  # of the largest curvature: less is taken as this
ACCURACY = 1e-11  # of Clarabel, on weights that sum to 1


def simplex(theta: Array) -> Array:
    """Each row clipped at zero and scaled to sum 1."""
    made: Array = bounds.simplex(DOUBLES, theta).mid
    return made


def within(theta: Any, beta: float) -> Array:
    """Weights drawn to their mean until Ω ≤ β."""
    made: Array = bounds.within(DOUBLES, DOUBLES.exact(theta), beta).mid
    return made


class Region(Protocol):
    """Where weights may be."""

    def equal(self, p: int) -> Array:
        """The same for all kernels."""

    def nearest(self, w: Array) -> Array:
        """Weights that may be, near to others."""

    def labels(self, w: Array, k: int) -> Array:
        """The weights of each of k labels, as (k, p)."""

    def gathered(self, gradients: Array) -> Array:
        """The gradient in w of a sum over the labels, of the gradients (k, p) of its terms."""

    def curvature(self, hessians: Array) -> Array:
        """The same of the Hessians (k, p, p)."""

    def slopes(self, gradient: Array) -> Array:
        """The gradient less what no step sees: of little size where the step is to be small."""

    def price(self, w: Array) -> float:
        """What is paid beside the function."""

    def dearest(self, forms: Array) -> float:
        """The largest Σₜ ½θᵗᵀformsᵗ - price(θ), for forms (k, p)."""

    def minimum(self, H: Array, g: Array, w: Array) -> Array:
        """The least of the model and the price."""


class Simplex:
    """One set of weights, which all labels have."""

    def equal(self, p: int) -> Array:
        """1/p"""
        return np.full(p, 1 / p)

    def nearest(self, w: Array) -> Array:
        """Clipped at zero and scaled; equal weights for none."""
        row: Array = simplex(w[None])[0]
        return row

    def labels(self, w: Array, k: int) -> Array:
        """The same for all."""
        return np.broadcast_to(w, (k, len(w)))

    def gathered(self, gradients: Array) -> Array:
        """Their sum."""
        total: Array = gradients.sum(axis=0)
        return total

    def curvature(self, hessians: Array) -> Array:
        """Their sum."""
        total: Array = hessians.sum(axis=0)
        return total

    def slopes(self, gradient: Array) -> Array:
        """Σᵢ dᵢ = 0"""
        slopes: Array = gradient - gradient.min()
        return slopes

    def price(self, w: Array) -> float:
        """Nothing."""
        return 0.0

    def dearest(self, forms: Array) -> float:
        """½ maxᵢ Σₜ formsᵢᵗ"""
        return float(forms.sum(axis=0).max()) / 2

    def minimum(self, H: Array, g: Array, w: Array) -> Array:
        """By the primal active-set method, from the support of w.

        Among kernels that are nearly equal the step hardly matters: no curvature is zero.
        """
        p, scale = len(w), float(np.abs(H).max()) or float(np.abs(g).max()) or 1.0
        F = H / scale + FLAT * np.eye(p)
        g = g / scale
        v, S = w.copy(), w > 0
        for _ in range(4 * p):
            m = int(S.sum())
            if m == 0:
                break
            kkt = np.ones((m + 1, m + 1))
            kkt[:m, :m], kkt[m, m] = F[np.ix_(S, S)], 0.0
            solved = np.linalg.solve(kkt, np.append(F[S] @ w - g[S], 1.0))
            d = np.zeros(p)
            d[S] = solved[:m] - v[S]
            falling = S & (v + d < 0)
            if falling.any():  # as far as the first weight that reaches zero, which leaves
                ratio = np.where(falling, v / np.where(falling, -d, 1.0), np.inf)
                first = int(np.argmin(ratio))
                v = np.maximum(v + ratio[first] * d, 0.0)
                v[first], S[first] = 0.0, False
                continue
            v = v + d
            slopes = F @ (v - w) + g + solved[m]  # zero on S, not negative elsewhere at a minimum
            worst = int(np.argmin(np.where(S, np.inf, slopes))) if m < p else 0
            if m == p or slopes[worst] >= -1e-15 * float(np.abs(g).max()):
                break
            S[worst] = True
        total = float(v.sum())
        if not 0 < total < np.inf:  # scales too far apart for the model to be seen: the best vertex
            v, total = np.eye(p)[int(np.argmin(g))], 1.0
        out: Array = v / total
        return out


@dataclass(frozen=True)
class Sharing:
    """Weights of k labels, θ (k, p) in one row: Ω at most `beta`, at the price `lam` each."""

    k: int
    p: int
    beta: float
    lam: float = 0.0

    def equal(self, p: int) -> Array:
        """1/p for each label"""
        return np.full(self.k * self.p, 1 / self.p)

    def nearest(self, w: Array) -> Array:
        """Each row clipped and scaled; nearer to their mean where Ω is above β."""
        return within(simplex(self.labels(w, self.k)), self.beta).ravel()

    def labels(self, w: Array, k: int) -> Array:
        """Each its own."""
        return w.reshape(k, -1)

    def gathered(self, gradients: Array) -> Array:
        """One after the other."""
        return gradients.ravel()

    def curvature(self, hessians: Array) -> Array:
        """Block by block."""
        k, p = self.k, self.p
        H = np.zeros((k, p, k, p))
        H[np.arange(k), :, np.arange(k)] = hessians
        return H.reshape(k * p, k * p)

    def slopes(self, gradient: Array) -> Array:
        """Σᵢ dᵢᵗ = 0 for each label."""
        rows = gradient.reshape(self.k, self.p)
        slopes: Array = rows - rows.min(axis=1, keepdims=True)
        return slopes.ravel()

    def price(self, w: Array) -> float:
        """λΩ"""
        return self.lam * bounds.omega(self.labels(w, self.k)) if self.lam else 0.0

    def dearest(self, forms: Array) -> float:
        """½((1 - c)A + cB) - ½kλc at the better end of 0 ≤ c ≤ 2β/k, A and B of `bounds`."""
        A, B = float(forms.sum(axis=0).max()), float(forms.max(axis=1).sum())
        return (A + max(0.0, 2 * self.beta / self.k * (B - A - self.k * self.lam))) / 2

    def minimum(self, H: Array, g: Array, w: Array) -> Array:
        """By Clarabel over (θ, ζ), g in units of the curvature; H has no entries between labels."""
        k, p, m = self.k, self.p, self.k * self.p
        scale = float(np.abs(H).max()) or float(np.abs(g).max()) or 1.0
        each = np.arange(k)
        blocks = H.reshape(k, p, k, p)[each, :, each] / scale + FLAT * np.eye(p)
        shared = np.full(p, -self.lam * k / 2 / scale)
        linear = self.slopes(g).reshape(k, p) / scale
        linear -= np.einsum("tij,tj->ti", blocks, self.labels(w, k))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = ACCURACY
        found = clarabel.DefaultSolver(
            _upper(blocks),
            np.append(linear, shared),
            _rows(k, p),
            np.concatenate([np.ones(k), np.zeros(m + p), [2 * self.beta / k - 1]]),
            [clarabel.ZeroConeT(k), clarabel.NonnegativeConeT(m + p + 1)],
            settings,
        ).solve()
        slack, multiplier = np.asarray(found.s)[k:], np.asarray(found.z)[k:]
        if not (np.isfinite(slack).all() and np.isfinite(multiplier).all()):
            raise LinAlgError("the model has no minimum in doubles")
        positive = slack > multiplier  # one of the two is zero
        parts = np.where(positive, slack, 0.0)[:-1]
        faces = [parts, self.on_face(blocks, np.append(linear, shared), positive)]
        faces += [np.append(np.zeros(m), parts[m:])]  # Ω may be too small to be told from zero
        made = [
            self.made(face[:m].reshape(k, p), face[m:], full=full).ravel()
            for face in faces
            for full in (True, False)
            if face is not None
        ]
        slopes = self.slopes(g)
        return min(made, key=lambda v: model(H, slopes, v - w) + self.price(v))

    def on_face(self, blocks: Array, linear: Array, positive: NDArray[np.bool_]) -> Array | None:
        """(γ, ζ) of the least where only these are not zero: one linear system; None if one is.

        Where constraints repeat one another, or γ and ζ can be exchanged, it is nearly singular:
        it is solved with a little on its diagonal, and once more for the residual.
        """
        k, p, m = self.k, self.p, self.k * self.p
        some, full = np.flatnonzero(positive[:-1]), not positive[-1]
        parts = np.hstack([np.eye(m), np.tile(np.eye(p), (k, 1))])[:, some]  # θ of (γ, ζ)
        cost = linear[:m] @ parts + np.append(np.zeros(m), linear[m:])[some]
        sums = parts.reshape(k, p, -1).sum(axis=1)
        sums = np.vstack([sums, 1.0 * (some >= m)]) if full else sums
        right = np.append(-cost, np.append(np.ones(k), [1 - 2 * self.beta / k] * full))
        each = parts.reshape(k, p, -1)
        curved = np.einsum("tiq,tij,tjr->qr", each, blocks, each, optimize=True)
        system = np.block([[curved, sums.T], [sums, np.zeros((len(sums), len(sums)))]])
        little = FLAT * np.where(np.arange(len(system)) < len(some), 1.0, -1.0)
        inverse = lu_factor(system + np.diag(little), check_finite=False)
        x = lu_solve(inverse, right, check_finite=False)
        x += lu_solve(inverse, right - system @ x, check_finite=False)
        if not (x[: len(some)] > 0).all():
            return None
        out = np.zeros(m + p)
        out[some] = x[: len(some)]
        return out

    def made(self, gamma: Array, zeta: Array, *, full: bool) -> Array:
        """θ of these parts, brought to their budgets but for rounding; `full`: Ω is to be β."""
        most = 2 * self.beta / self.k
        c = most if full else float(np.clip(1 - zeta.sum(), 0.0, most))
        shared = float(zeta.sum())
        c = c if shared > TINY else 1.0
        sums = gamma.sum(axis=1, keepdims=True)
        if not sums.all():  # a label without a part of its own: there is none
            gamma, sums, c = np.ones_like(gamma), np.full_like(sums, self.p), float(shared <= TINY)
        theta = gamma * (c / sums) + zeta * ((1 - c) / max(shared, TINY))
        made: Array = theta / theta.sum(axis=1, keepdims=True)
        return made


def model(H: Array, g: Array, d: Array) -> float:
    """gᵀd + ½dᵀHd"""
    return float(g @ d + d @ H @ d / 2)


def _upper(blocks: Array) -> csc_matrix:
    """The upper triangle of what has these blocks (k, p, p) on its diagonal, and p zeros."""
    k, p, _ = blocks.shape
    column, row = np.tril_indices(p)
    each = np.arange(k)[:, None]
    ends = (each * len(row) + np.cumsum(1 + np.arange(p))).ravel()
    starts = np.concatenate([[0], ends, np.full(p, ends[-1])])
    data, rows = blocks[:, row, column].ravel(), (each * p + row).ravel()
    return csc_matrix((data, rows, starts), shape=((k + 1) * p, (k + 1) * p))


@cache
def _rows(k: int, p: int) -> csc_matrix:
    """Of x = (θ, ζ): Σᵢ θᵢᵗ = 1, t = 1, …, k; ζ - θ ≤ 0; -ζ ≤ 0; -Σᵢ ζᵢ ≤ 2β/k - 1."""
    labels, kernels = eye_array(k), eye_array(p)
    return csc_matrix(
        block_array(
            [
                [kron(labels, np.ones((1, p))), None],
                [-eye_array(k * p), kron(np.ones((k, 1)), kernels)],
                [None, -kernels],
                [None, -np.ones((1, p))],
            ]
        )
    )


SIMPLEX = Simplex()

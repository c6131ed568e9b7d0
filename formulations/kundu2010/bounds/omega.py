"""(10) from below and from above."""

from __future__ import annotations

import numpy as np

from cvxkernel.formulations import svm
from cvxkernel.formulations.enclosure import EPS, TINY, Bounded, quadratic, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.bounds.feasible import balanced


def forms(M: Array, alpha: Array) -> tuple[Array, Array]:
    """qᵢ = αᵀMᵢα of a stack of matrices, and the allowance for the rounding of each."""
    pairs = np.array([quadratic(M_i, alpha[:, None]) for M_i in M])
    return pairs[:, 0], pairs[:, 1]


def omega_value(M: Array, alpha: Array, off: Array | float = 0.0) -> Bounded:
    """1ᵀα - ½(Σᵢ√qᵢ)² at α ∈ A, with Mᵢ = YKᵢY ⪰ 0 up to `off`: (10) is not less."""
    q, slack = forms(M, alpha)
    q, slack = np.maximum(q, 0.0), slack + off * float(alpha @ alpha) / 2
    total = float(alpha.sum())
    value = total - float(np.sqrt(q).sum()) ** 2 / 2
    # √ makes much of a small error in a small q: each is charged where it stands.
    worse = total - float(np.sqrt(q + 2 * slack).sum()) ** 2 / 2
    return value, value - worse + rounding(len(alpha), total + (total - value))


def omega_bound(M: Array, y: Array, C: float, x: Array, off: Array | float = 0.0) -> Bounded:
    """½maxᵢ xᵢᵀMᵢxᵢ + C Σⱼ max(0, 1 - (Σᵢ Mᵢxᵢ)ⱼ - byⱼ) at the best b, Mᵢ ⪰ 0 up to `off`."""
    n = len(y)
    squares = (x * x).sum(axis=1)
    pairs = np.array([quadratic(M_i, x_i[:, None]) for M_i, x_i in zip(M, x, strict=True)])
    pairs[:, 1] += off * squares
    form, slack = max(pairs.tolist(), key=sum)
    blurred = float(np.sum(off * np.sqrt(squares)))
    image = np.einsum("ijk,ik->j", M, x)
    b = svm.offset(image, y)
    made_of = 1 + np.einsum("ijk,ik->j", np.abs(M), np.abs(x)) + abs(b)
    best: Bounded = (np.inf, 0.0)
    least = float((image + b * y).min())
    for scale in {1.0, 1.0 / least if least > 0.5 else 1.0}:
        margins = scale * (image + b * y)
        near = margins < 1 + scale * (rounding(n, 1.0) * made_of + blurred)
        total = scale**2 * max(form, 0.0) / 2 + C * float(np.maximum(0.0, 1 - margins).sum())
        allowance = scale**2 * slack + rounding(n, C * scale * float(np.sum(near * made_of)))
        allowance += C * scale * blurred * float(np.sqrt(near.sum()))
        best = min(best, (total, allowance), key=sum)
    return best


def omega_quadratic_bound(
    M: Array, y: Array, C: float, alpha: Array, off: Array | float = 0.0
) -> Bounded:
    """½maxᵢ wᵢᵀMᵢ⁻¹wᵢ + C·1ᵀζ at wᵢ = Mᵢα/γᵢ + γᵢδ, Σᵢ wᵢ = 1 + η - ζ - by, over a few b, η, ζ.

    wᵢᵀMᵢ⁻¹wᵢ = qᵢ/γᵢ² + 2αᵀδ + γᵢ²δᵀMᵢ⁻¹δ: of second order in the error of α, where every Mᵢ is
    definite by more than its rounding; infinite elsewhere. With E = Mᵢ₊ - Mᵢ it is less than
    (qᵢ + ε‖α‖²)/γᵢ² + 2αᵀδ + γᵢ²(δ - Eα/γᵢ²)ᵀMᵢ₊⁻¹(δ - Eα/γᵢ²), as for one kernel in `svm`.
    """
    n = len(y)
    q, slack = forms(M, alpha)
    gamma = balanced(q)
    spectra = np.linalg.eigvalsh(M)
    least = n * EPS * spectra[:, -1] + svm.LARGE * off
    if not ((spectra[:, 0] > least) & (gamma > 1e-9)).all():
        return np.inf, 0.0
    size = float(np.linalg.norm(alpha))
    Q = np.einsum("i,ijk->jk", 1 / gamma, M)
    image = Q @ alpha
    gap = y * (1 - image)
    free = (alpha > 1e-6 * C) & (alpha < (1 - 1e-6) * C)
    if not free.any():
        free = alpha >= 0
    best: Bounded = (np.inf, 0.0)
    for b in (
        float(np.average(gap[free], weights=alpha[free] + TINY)),
        float(np.median(gap[free])),
    ):
        excess = image - 1 + b * y
        # As for one kernel: η and ζ take all of the excess, or only what outweighs the room of α.
        for room in (0.0, Q.diagonal()):
            eta = np.where(excess > alpha * room, np.maximum(excess, 0.0), 0.0)
            zeta = np.where(-excess > (C - alpha) * room, np.maximum(-excess, 0.0), 0.0)
            delta = eta - zeta - excess
            right = np.broadcast_to(delta[:, None], (len(M), n, 1))
            s = np.linalg.solve(M, right)[..., 0]
            # δᵀM⁻¹δ = δᵀs + rᵀs + rᵀM⁻¹r for any s, with r = δ - Ms.
            r = delta - np.einsum("ijk,ik->ij", M, s)
            inner = s @ delta + (r * s).sum(axis=1) + (r * r).sum(axis=1) / spectra[:, 0]
            ends = q / gamma**2 + 2 * float(alpha @ delta) + gamma**2 * inner
            box = C * float(zeta.sum())
            # δ is rounded by `made_of` in each entry, r by |δ| + |M||s|, and M⁻¹ passes that on.
            made_of = 1 + abs(b) + np.abs(Q) @ alpha
            rest = np.abs(delta) + np.einsum("ijk,ik->ij", np.abs(M), np.abs(s))
            passed = gamma**2 * (np.abs(s) * (made_of + rest)).sum(axis=1)
            magnitude = float(alpha @ made_of) + 2 * float(passed.max()) + box
            worse = gamma * np.sqrt(np.maximum(inner, 0.0)) + off * size / gamma / np.sqrt(
                spectra[:, 0]
            )
            moved = worse**2 / (1 - off / spectra[:, 0]) - gamma**2 * inner
            more = (slack + off * size**2) / gamma**2 + np.maximum(moved, 0.0)
            allowance = float(more.max()) / 2 + rounding(n, magnitude)
            best = min(best, (float(ends.max()) / 2 + box, allowance), key=sum)
    return best


def omega_upper(M: Array, y: Array, C: float, x: Array, off: Array | float = 0.0) -> Bounded:
    """Ω from above at x of shape (m, n), or at an α of shape (n,) by the better of two bounds."""
    if x.ndim == 2:
        return omega_bound(M, y, C, x, off)
    ends = (
        omega_bound(M, y, C, omega_points(M, x), off),
        omega_quadratic_bound(M, y, C, x, off),
    )
    return min(ends, key=sum)


def omega_points(M: Array, alpha: Array) -> Array:
    """xᵢ = α/γᵢ at γᵢ ∝ √qᵢ; zero where qᵢ is."""
    gamma = balanced(forms(M, alpha)[0])
    inverse = np.where(gamma > 1e-12, 1.0 / np.maximum(gamma, 1e-12), 0.0)
    return np.outer(inverse, alpha)

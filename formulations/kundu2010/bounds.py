r"""Both ends of (4), (6), (7) and (10) at any point: plain numpy, no programs.

(10) from below: any α ∈ A with its best γ gives 1ᵀα - ½(Σᵢ√qᵢ)², qᵢ = αᵀYKᵢYα, since the least
Σᵢ qᵢ/γᵢ over Δ is at γᵢ ∝ √qᵢ. From above, for any xᵢ ∈ Rⁿ and b,

    ½maxᵢ xᵢᵀYKᵢYxᵢ + C Σⱼ max(0, 1 - (Σᵢ YKᵢYxᵢ)ⱼ - byⱼ),

the dual in `programs` at wᵢ = YKᵢYxᵢ; at the optimum xᵢ = α/γᵢ. Or by Cauchy and Schwarz:
αᵀΣᵢ YKᵢYxᵢ ≤ Σᵢ√qᵢ·maxᵢ√(xᵢᵀYKᵢYxᵢ) ≤ ½(Σᵢ√qᵢ)² + ½max(…), and αᵀ(1 - Σᵢ YKᵢYxᵢ - by) is at most
the hinges. The kernels are the Kᵢ₊, within εᵢ of the doubles in the spectral norm: a form at x is
off by at most εᵢ‖x‖², the image of x by εᵢ‖x‖ in the Euclidean norm.

(4), (6) and (7) from above: the objective at a feasible K, its ω or Ω from above. From below, for
any α ∈ A, γ ∈ Δ and Wᵢ with finite conjugate, since ρL(X) ≥ ⟨W, X⟩ - (ρL)*(W),

    (4)  1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)) + τ λ_min(Σᵢ Wᵢ - ½YααᵀY)
    (6)  1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ) - τ λ_min(Wᵢ - YααᵀY/(2γᵢ)))
    (7)  1ᵀα - Σᵢ (wᵢᵀλᵢ - τ minⱼ(wᵢⱼ - (vᵢⱼᵀYα)²/(2γᵢ))),                  ‖wᵢ‖₂ ≤ ρ

(ρL)* is zero on |Wⱼₖ| ≤ ρ (L1) and on ‖W‖_F ≤ ρ (L2), and ‖W‖²_F/(4ρ) for L3.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvalsh

from cvxkernel.formulations import svm
from cvxkernel.formulations.enclosure import EPS, TINY, Bounded, quadratic, rounding
from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kundu2010.programs import Similarities, Spectra

SMALLEST_GAMMA = 1e-12  # below it 1/γ makes no useful bound

# -- Feasible points ------------------------------------------------------------------------------


def simplex(x: Array, total: float) -> Array:
    """The nearest point of {x ≥ 0, Σⱼ xⱼ = total}, for every row."""
    falling = -np.sort(-x, axis=-1)
    over = np.cumsum(falling, axis=-1) - total
    count = np.arange(1, x.shape[-1] + 1)
    # Where rounding lets no entry be positive the largest one is.
    last = np.maximum((falling * count > over).sum(axis=-1, keepdims=True), 1)
    level = np.take_along_axis(over, last - 1, axis=-1) / last
    out: Array = np.maximum(x - level, 0.0)
    size = out.sum(axis=-1, keepdims=True)
    near: Array = np.where(size > 0, out, 1.0)
    near = near * (total / near.sum(axis=-1, keepdims=True))
    return near


def composed(lam: Array, V: Array) -> Array:
    """V diag(λ) Vᵀ, for each matrix of a stack."""
    K: Array = (V * lam[..., None, :]) @ np.swapaxes(V, -1, -2)
    return K


def spectahedron(X: Array, tau: float) -> Array:
    """The nearest K ⪰ 0 of trace τ, for each matrix of a stack."""
    lam, V = np.linalg.eigh((X + np.swapaxes(X, -1, -2)) / 2)
    return composed(simplex(lam, tau), V)


def combine(problem: Spectra, mu: Array) -> Array:
    """Kᵢ = Σⱼ μᵢⱼvᵢⱼvᵢⱼᵀ"""
    return composed(mu, problem.V)


def dual_ball(problem: Spectra, W: Array) -> Array:
    """Wᵢ (or wᵢ) taken into the domain of (ρL)*: clipped for L1, scaled for L2, as it is for L3."""
    rho = problem.rho
    if isinstance(problem, Similarities) and problem.loss != "L2":
        if problem.loss == "L1":
            return np.clip(W, -rho, rho)
        return W if rho > 0 else np.zeros_like(W)
    size = np.sqrt((W * W).sum(axis=tuple(range(1, W.ndim)), keepdims=True))
    most = rho * (1 - 4 * EPS)
    ball: Array = W * (most / np.maximum(size, max(most, TINY)))
    return ball


def balanced(forms: Array) -> Array:
    """γᵢ ∝ √qᵢ, the γ of the least Σᵢ qᵢ/γᵢ over Δ; equal where every qᵢ is zero."""
    root = np.sqrt(np.maximum(forms, 0.0))
    return root / root.sum() if root.sum() > 0 else np.full(len(forms), 1.0 / len(forms))


def gamma_repair(gamma: Array) -> Array:
    """γ clipped at zero, with Σᵢ γᵢ = 1."""
    gamma = np.maximum(gamma, 0.0)
    total = float(gamma.sum())
    return gamma / total if 0 < total < np.inf else np.full(len(gamma), 1.0 / len(gamma))


def signed(y: Array, K: Array) -> Array:
    """YKᵢY for a stack of kernels, symmetric."""
    return np.outer(y, y) * (K + np.swapaxes(K, -1, -2)) / 2


# -- (10) -----------------------------------------------------------------------------------------


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


# -- (4), (6), (7) from above ---------------------------------------------------------------------


def loss(problem: Similarities, K: Array) -> Bounded:
    """ρ Σᵢ L(Kᵢ - Sᵢ), K one matrix or m of them, and what K's rounding may change in it."""
    X = K - problem.S
    n, tau = problem.n, problem.tau
    size = np.sqrt((X * X).sum(axis=(1, 2)))
    if problem.loss == "L1":
        total, slope = float(np.abs(X).sum()), float(n * problem.m)
    elif problem.loss == "L2":
        total, slope = float(size.sum()), float(problem.m)
    else:
        total, slope = float((X * X).sum()), 2 * float(size.sum())
    allowance = rounding(n * n, total) + rounding(n, 2 * tau) * slope
    return problem.rho * total, problem.rho * allowance


def eq4_value(problem: Similarities, K: Array, v: Array) -> Bounded:
    """(4) at K ⪰ 0 of trace τ; the support vector machine from above, at v."""
    margin, slack = svm.upper(signed(problem.y, K), problem.y, problem.C, v)
    rest, more = loss(problem, K)
    return margin + rest, slack + more


def eq6_value(problem: Similarities, K: Array, x: Array) -> Bounded:
    """(6) at K₁, …, K_m ⪰ 0 of trace τ; Ω from above, at x of shape (m, n), or (n,) for an α."""
    margin, slack = omega_upper(signed(problem.y, K), problem.y, problem.C, x)
    rest, more = loss(problem, K)
    return margin + rest, slack + more


def eq7_value(problem: Spectra, mu: Array, x: Array) -> Bounded:
    """(7) at μ₁, …, μ_m ≥ 0 of sum τ; Ω from above, at x of shape (m, n), or (n,) for an α."""
    M = signed(problem.y, combine(problem, mu))
    margin, slack = omega_upper(M, problem.y, problem.C, x)
    total = float(np.sqrt(((mu - problem.lam) ** 2).sum(axis=1)).sum())
    more = rounding(problem.n, total + problem.m * problem.tau)
    more += float(np.sqrt(problem.n)) * sum(basis.off for basis in problem.bases)
    slack += _turned(problem, M, mu, x)
    return margin + problem.rho * total, slack + problem.rho * more


def _turned(problem: Spectra, M: Array, mu: Array, x: Array) -> float:
    """What the exact vᵢⱼ may change in Ω at x: each Kᵢ by 2.1‖V - V*‖·maxⱼ μᵢⱼ at most."""
    off = np.array([2.1 * basis.error for basis in problem.bases]) * mu.max(axis=1)
    sizes = np.linalg.norm(x if x.ndim == 2 else omega_points(M, x), axis=1)
    hinges = problem.C * float(np.sqrt(problem.n)) * float(off @ sizes)
    return float((off * sizes**2).max()) / 2 + hinges


# -- (4), (6), (7) from below ---------------------------------------------------------------------


def linear(problem: Similarities, W: Array) -> Bounded:
    """Σᵢ ⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)"""
    inner = float((W * problem.S).sum())
    magnitude = float((np.abs(W) * np.abs(problem.S)).sum())
    conjugate = 0.0
    if problem.loss == "L3" and problem.rho > 0:
        conjugate = float((W * W).sum()) / (4 * problem.rho)
    return inner + conjugate, rounding(problem.n**2, magnitude + conjugate)


def eq4_bound(problem: Similarities, alpha: Array, W: Array) -> Bounded:
    """1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ)) + τ λ_min(Σᵢ Wᵢ - ½YααᵀY)"""
    least, slack = _least(W.sum(axis=0), problem.y * alpha, 1.0)
    inner, more = linear(problem, W)
    total = float(alpha.sum())
    slack = problem.tau * slack + more + rounding(problem.n, total)
    return total - inner + problem.tau * least, slack


def eq6_bound(problem: Similarities, alpha: Array, gamma: Array, W: Array) -> Bounded:
    """1ᵀα - Σᵢ (⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ) - τ λ_min(Wᵢ - YααᵀY/(2γᵢ)))"""
    if not (gamma > SMALLEST_GAMMA).all():
        return -np.inf, 0.0
    a = problem.y * alpha
    ends = [_least(W_i, a, g) for W_i, g in zip(W, gamma, strict=True)]
    inner, more = linear(problem, W)
    total = float(alpha.sum())
    slack = problem.tau * sum(s for _, s in ends) + more + rounding(problem.n, total)
    return total - inner + problem.tau * sum(least for least, _ in ends), slack


def eq7_bound(problem: Spectra, alpha: Array, gamma: Array, w: Array) -> Bounded:
    """1ᵀα - Σᵢ (wᵢᵀλᵢ - τ minⱼ(wᵢⱼ - (vᵢⱼᵀYα)²/(2γᵢ)))"""
    if not (gamma > SMALLEST_GAMMA).all():
        return -np.inf, 0.0
    tau, a = problem.tau, problem.y * alpha
    images = np.einsum("ijk,j->ik", problem.V, a)
    sizes = np.einsum("ijk,j->ik", np.abs(problem.V), np.abs(a))
    half = 2 * gamma[:, None]
    # With the exact V the images are within ‖V - V*‖·‖a‖ of these, and λ within `off`.
    near = np.array([[basis.error] for basis in problem.bases]) * float(np.linalg.norm(a))
    off = np.array([[basis.off] for basis in problem.bases])
    least = (w - (np.abs(images) + near) ** 2 / half).min(axis=1)
    total, inner = float(alpha.sum()), float((w * problem.lam).sum())
    magnitude = total + float(np.abs(w * problem.lam).sum())
    magnitude += tau * float((np.abs(w) + 2 * np.abs(images) * sizes / half).max(axis=1).sum())
    slack = rounding(problem.n, magnitude) + float((np.abs(w) * off).sum())
    return total - inner + tau * float(least.sum()), slack


def _least(W: Array, a: Array, gamma: float) -> Bounded:
    """λ_min(W - aaᵀ/(2γ)), and the allowance for its rounding."""
    X = (W + W.T) / 2 - np.outer(a, a) / (2 * gamma)
    return float(eigvalsh(X, subset_by_index=(0, 0))[0]), rounding(len(a), _norm(X))


def _norm(X: Array) -> float:
    return float(np.sqrt((X * X).sum()))


# -- Good dual points -----------------------------------------------------------------------------


def subgradients(problem: Spectra, X: Array, blur: float = 0.0) -> Array:
    """ρL′(Xᵢ) of Xᵢ = Kᵢ - Sᵢ, or of μᵢ - λᵢ: stacked, each in the domain of (ρL)*.

    With `blur` h > 0, that of L smoothed: |x| is x²/(2h) + h/2 below h, and ‖X‖_F likewise.
    """
    rho = problem.rho
    if isinstance(problem, Similarities) and problem.loss != "L2":
        if problem.loss == "L3":
            return 2 * rho * X
        return rho * (np.clip(X / blur, -1.0, 1.0) if blur > 0 else np.sign(X))
    size = np.sqrt((X * X).sum(axis=tuple(range(1, X.ndim)), keepdims=True))
    W: Array = rho * X / np.maximum(size, max(blur, TINY))
    return W


def eq4_response(problem: Similarities, alpha: Array, K: Array) -> Array | None:
    """The K that is best for α when L is replaced by a quadratic that touches it at the K given.

    min over K of -½aᵀKa + Σᵢ ½cᵢ‖K - Sᵢ‖², a = Yα, is at the projection of
    (Σᵢ cᵢSᵢ + ½aaᵀ)/Σᵢ cᵢ. With L3, cᵢ = 2ρ, nothing is replaced: the subgradients there are the
    best Wᵢ for this α. With L2, cᵢ = ρ/‖K - Sᵢ‖. With L1 there is no such K.
    """
    c = _curvatures(problem, K - problem.S)
    if c is None:
        return None
    a = problem.y * alpha
    centre = (np.einsum("i,ijk->jk", c, problem.S) + np.outer(a, a) / 2) / c.sum()
    return spectahedron(centre, problem.tau)


def eq6_response(problem: Similarities, alpha: Array, gamma: Array, K: Array) -> Array | None:
    """The same for (6): Kᵢ is the projection of Sᵢ + aaᵀ/(2cᵢγᵢ)."""
    c = _curvatures(problem, K - problem.S)
    if c is None or not (gamma > SMALLEST_GAMMA).all():
        return None
    a = problem.y * alpha
    centre = problem.S + np.outer(a, a) / (2 * c * gamma)[:, None, None]
    return spectahedron(centre, problem.tau)


def eq7_response(problem: Spectra, alpha: Array, gamma: Array, mu: Array) -> Array | None:
    """The same for (7): μᵢ is the projection of λᵢ + (vᵢⱼᵀa)²/(2cᵢγᵢ)."""
    c = _curvatures(problem, mu - problem.lam)
    if c is None or not (gamma > SMALLEST_GAMMA).all():
        return None
    images = np.einsum("ijk,j->ik", problem.V, problem.y * alpha)
    centre = problem.lam + images**2 / (2 * c * gamma)[:, None]
    return simplex(centre, problem.tau)


def _curvatures(problem: Spectra, X: Array) -> Array | None:
    if not problem.rho > 0 or (isinstance(problem, Similarities) and problem.loss == "L1"):
        return None
    if isinstance(problem, Similarities) and problem.loss == "L3":
        return np.full(len(X), 2 * problem.rho)
    size = np.sqrt((X * X).sum(axis=tuple(range(1, X.ndim))))
    c: Array = problem.rho / np.maximum(size, 1e-8 * problem.tau)
    return c
